//! Memory and instruction files, and what they import.

use staleness_core::knowledge::ItemKind;

use crate::project::{Project, found, paths, touch};

fn memory(project: &Project) -> String {
    let folder = project.folder().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    format!("projects/{folder}/memory/MEMORY.md")
}

#[test]
fn a_folder_of_claude_code_elsewhere_replaces_the_usual_one() {
    let project = Project::bare();
    project.user(".claude/CLAUDE.md", "x\n");
    project.user("elsewhere/CLAUDE.md", "x\n");
    project.user("elsewhere/rules/a.md", "x\n");
    project.user(&format!("elsewhere/{}", memory(&project)), "x\n");
    let folder = project.home.join("elsewhere");
    let report = project.check_with(|options| options.claude_config_dir = Some(&folder));
    let memory = format!("~/elsewhere/{}", memory(&project));
    let expected = ["README.md", "~/elsewhere/CLAUDE.md", &memory, "~/elsewhere/rules/a.md"];
    assert_eq!(paths(&report), expected);
}

#[test]
fn every_memory_and_instruction_file_is_loaded() {
    let project = Project::bare();
    let own = [
        ".claude/CLAUDE.md",
        ".claude/rules/deep/a.md",
        ".cursor/rules/a.mdc",
        ".github/copilot-instructions.md",
        "AGENTS.md",
        "CLAUDE.local.md",
        "CLAUDE.md",
        "GEMINI.md",
    ];
    own.iter().for_each(|path| drop(project.write(path, "x\n")));
    let users = [".claude/rules/b.md", ".codex/AGENTS.md", ".gemini/GEMINI.md"];
    users.iter().for_each(|path| drop(project.user(path, "x\n")));
    project.user(".claude/projects/-other/memory/MEMORY.md", "x\n");
    let report = project.check();
    let loaded: Vec<&str> = report
        .documents
        .iter()
        .filter(|document| document.loaded)
        .map(|document| &*document.key.path)
        .collect();
    let users = users.map(|path| format!("~/{path}"));
    let expected: Vec<&str> = own.into_iter().chain(users.iter().map(String::as_str)).collect();
    assert_eq!(loaded, expected);
}

#[cfg(unix)]
#[test]
fn an_instruction_file_that_is_a_link_is_checked_once_under_its_own_name() {
    let mut project = Project::new();
    let link = |to: &str, key: &str| {
        std::os::unix::fs::symlink(to, project.place.folder.join(key)).unwrap();
    };
    project.write("docs/agents.md", "It is planned. See @more.md, and @../GEMINI.md.\n");
    project.write("docs/more.md", "x\n");
    project.write("docs/rules/a.md", "x\n");
    project.write(".claude/CLAUDE.md", "x\n");
    ["AGENTS.md", "CLAUDE.md", "GEMINI.md"].iter().for_each(|key| link("docs/agents.md", key));
    link("../docs/rules", ".claude/rules");
    for _ in 0..2 {
        let report = project.check();
        let own = ["docs/agents.md", "docs/more.md", "docs/rules/a.md"];
        let loaded = report.documents.iter().filter(|document| document.loaded);
        let loaded: Vec<&str> = loaded.map(|document| &*document.key.path).collect();
        assert_eq!(loaded, [&[".claude/CLAUDE.md"], &own[..]].concat());
        assert_eq!(paths(&report).len(), 5, "{:?}", paths(&report));
        let skipped: Vec<&str> = report.skipped.iter().map(|each| &*each.path).collect();
        assert_eq!(skipped, [".claude/rules/a.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"]);
        assert!(report.skipped.iter().all(|each| each.reason.starts_with("is a link")));
        project.commit();
    }
}

#[test]
fn imports_are_followed_five_deep_by_the_shortest_way() {
    let project = Project::bare();
    project.write("CLAUDE.md", "See @i/1.md.\n");
    for depth in 1..8 {
        project.write(&format!("i/{depth}.md"), format!("And @{}.md.\n", depth + 1));
    }
    // A long way and a short way to the same file.
    project.write("AGENTS.md", "See @j/1.md and @j/4.md and @j/1.md\n");
    for depth in 1..10 {
        project.write(&format!("j/{depth}.md"), format!("And @{}.md.\n", depth + 1));
    }
    let report = project.check();
    let loaded = |folder: &str| {
        let of = report.documents.iter().filter(|document| document.loaded);
        of.filter(|document| document.key.path.starts_with(folder)).count()
    };
    assert_eq!(loaded("i/"), 5);
    assert_eq!(loaded("j/"), 8);
}

#[test]
fn imports_in_circles_end() {
    let project = Project::bare();
    project.write("CLAUDE.md", "@a.md @CLAUDE.md\n");
    project.write("a.md", "@b.md @a.md\n");
    project.write("b.md", "@a.md @CLAUDE.md\n");
    assert_eq!(paths(&project.check()), ["CLAUDE.md", "README.md", "a.md", "b.md"]);
}

#[test]
fn an_import_out_of_the_project_is_reported_and_not_followed() {
    let project = Project::bare();
    project.user("secret.md", "x\n");
    let whole = project.home.join("secret.md");
    project.write("CLAUDE.md", format!("@../../home/secret.md\n\n@{}\n", whole.display()));
    let report = project.check();
    assert_eq!(paths(&report), ["CLAUDE.md", "README.md"]);
    let notes: Vec<_> = report.notes.iter().filter(|it| it.text.contains("not followed")).collect();
    assert_eq!(notes.len(), 2, "{:?}", report.notes);
    assert!(notes.iter().all(|note| note.path.as_deref() == Some("CLAUDE.md")));
    assert!(notes.iter().any(|note| note.text.contains("../../home/secret.md")));
}

#[test]
fn only_files_of_the_user_import_from_the_home_folder() {
    let mut project = Project::new();
    project.user("private/diary.md", "[x](gone.md)\n");
    project.user("rules.md", "x\n");
    project.user(".claude/CLAUDE.md", "@~/rules.md\n\n@~/../outside.md\n");
    project.write("CLAUDE.md", "@~/private/diary.md\n\n@~/../outside.md\n");
    project.commit();
    std::fs::write(project.home.join("../outside.md"), "x\n").unwrap();
    let report = project.check();
    let expected = ["CLAUDE.md", "README.md", "~/.claude/CLAUDE.md", "~/rules.md"];
    assert_eq!(paths(&report), expected);
    let notes = report.notes.iter().filter(|note| note.text.contains("not followed"));
    let of: Vec<_> = notes.filter_map(|note| note.path.as_deref()).collect();
    assert_eq!(of, ["CLAUDE.md", "CLAUDE.md", "~/.claude/CLAUDE.md"]);
}

#[test]
fn a_folder_named_as_the_home_folder_is_left_out() {
    let mut project = Project::new();
    project.user(".claude/CLAUDE.md", "mine\n");
    project.write("~/.claude/CLAUDE.md", "theirs\n\n[x](gone.md)\n");
    project.commit();
    let report = project.check();
    assert_eq!(paths(&report), ["README.md", "~/.claude/CLAUDE.md"]);
    assert_eq!(report.documents[1].blocks, 1);
    let skipped = &report.skipped[0];
    assert_eq!(skipped.path, "./~/.claude/CLAUDE.md");
    assert!(skipped.reason.contains("the user's home"), "{skipped:?}");
}

#[cfg(unix)]
#[test]
fn a_folder_of_rules_that_leads_out_of_the_project_is_not_walked() {
    let project = Project::bare();
    let secret = project.user("private/diary.md", "x\n");
    let folder = &project.place.folder;
    for name in [".claude", ".cursor"] {
        std::fs::create_dir(folder.join(name)).unwrap();
        std::os::unix::fs::symlink(secret.parent().unwrap(), folder.join(name).join("rules"))
            .unwrap();
    }
    let report = project.check();
    assert_eq!(paths(&report), ["README.md"]);
    let skipped: Vec<_> = report.skipped.iter().map(|it| (&*it.path, &*it.reason)).collect();
    let reason = "is a link that points outside its folder";
    assert_eq!(skipped, [(".claude/rules", reason), (".cursor/rules", reason)]);
}

#[cfg(unix)]
#[test]
fn an_import_through_a_link_that_leaves_the_project_is_not_read() {
    let project = Project::bare();
    let secret = project.user("secret.md", "[x](gone.md)\n");
    std::os::unix::fs::symlink(secret, project.place.folder.join("in.md")).unwrap();
    project.write("CLAUDE.md", "@in.md\n");
    let report = project.check();
    assert_eq!(paths(&report), ["CLAUDE.md", "README.md"]);
    assert!(
        report.skipped.iter().any(|it| it.path == "in.md" && it.reason.contains("points outside"))
    );
}

#[test]
fn memory_is_dated_by_its_front_matter_else_by_the_file() {
    let mut project = Project::new();
    project.write("src/a.rs", "fn old_name() {}\n");
    project.commit();
    project.write("src/a.rs", "fn new_name() {}\n");
    project.commit();
    let key = format!(".claude/{}", memory(&project));
    let shown = format!("~/{key}");
    let check = |text: &str, written: &str| {
        touch(&project.user(&key, text), written);
        found(&project.check(), &shown)
    };
    let (early, late) = ("2026-01-01T12:00:00Z", "2026-01-05T00:00:00Z");
    let text = "Call `old_name()` of src/a.rs:1.\n";
    assert_eq!(check(text, early), ["1:7 drift old_name", "1:22 changed src/a.rs:1"]);
    assert!(check(text, late).is_empty());
    let dated = |field: &str| format!("---\n{field}\n---\n{text}");
    assert_eq!(check(&dated("added: 2026-01-01"), late).len(), 2);
    assert_eq!(check(&dated("verified: 2026-01-01"), late).len(), 2);
    assert!(check(&dated("verified: 2026-01-04"), early).is_empty());
}

#[test]
fn a_kind_of_the_policy_makes_items_of_documents() {
    let project = Project::bare();
    project.write("notes/a.md", "x\n");
    project.write("notes/b.md", "---\ntype: todo\n---\nx\n");
    let report = project.check_with(|options| {
        options.policy.kinds.insert("notes/**".into(), ItemKind::Knowledge);
    });
    let kinds: Vec<_> = report.items.iter().map(|item| item.kind).collect();
    assert_eq!(kinds, [ItemKind::Knowledge, ItemKind::Todo]);
}
