//! Documents and items that another document stands for.

use staleness_core::knowledge::{Document, Fact};
use staleness_docs::Report;

use crate::project::{Project, facts, found, only_new, paths};

/// The paths of what stands for a document.
fn by(report: &Report, path: &str) -> Vec<String> {
    let by = |fact: Fact| match fact {
        Fact::Superseded { by } => Some(by),
        _ => None,
    };
    facts(report, path).into_iter().filter_map(by).collect()
}

fn front(fields: &str) -> String {
    format!("---\n{fields}\n---\n\nA text.\n")
}

#[test]
fn a_file_of_the_project_does_not_stand_for_a_file_of_the_user() {
    let project = Project::bare();
    project.user(".claude/CLAUDE.md", front("id: mine"));
    project.user(".claude/rules/item.md", front("type: knowledge\nid: port"));
    project.user(".claude/rules/old.md", "x\n");
    let claims = "supersedes: [~/.claude/CLAUDE.md, mine, port, ~/.claude/rules/old.md]";
    project.write("a.md", front(claims));
    project.write("b.md", front(&format!("type: knowledge\nid: other\n{claims}")));
    // What the user says of his own files holds, and of those of the project.
    let own = "supersedes: [~/.claude/rules/old.md, c.md, port]";
    project.user(".claude/rules/new.md", front(own));
    project.write("c.md", "x\n");
    let report = project.check();
    assert_eq!(by(&report, "~/.claude/CLAUDE.md"), [""; 0]);
    assert_eq!(by(&report, "~/.claude/rules/old.md"), ["~/.claude/rules/new.md"]);
    assert_eq!(by(&report, "c.md"), ["~/.claude/rules/new.md"]);
    let item = report.items.iter().find(|item| item.key.id.as_str() == "port").unwrap();
    let told: Vec<&str> = item.superseded_by.iter().map(|id| id.as_str()).collect();
    assert_eq!(told, ["~/.claude/rules/new.md"]);
    // Nor does what an earlier check kept.
    let mut known = report.documents;
    let users = known.iter_mut().find(|it| it.key.path == "~/.claude/rules/old.md").unwrap();
    users.found[0].evidence.push(Fact::Superseded { by: "a.md".into() }.into());
    let asked = [project.home.join(".claude/rules/old.md")];
    let report = project.check_with(|options| {
        (options.paths, options.known) = (&asked, &known);
    });
    assert_eq!(paths(&report), ["~/.claude/rules/old.md"]);
    assert_eq!(by(&report, "~/.claude/rules/old.md"), ["~/.claude/rules/new.md"]);
}

#[test]
fn a_document_names_an_item_by_its_path_too() {
    let project = Project::bare();
    project.write("port.md", front("type: knowledge\nid: port"));
    project.write("new.md", front("supersedes: port.md"));
    let report = project.check();
    assert_eq!(by(&report, "port.md"), ["new.md"]);
    let told: Vec<&str> = report.items[0].superseded_by.iter().map(|id| id.as_str()).collect();
    assert_eq!(told, ["new.md"]);
}

#[test]
fn of_many_that_stand_for_one_document_some_are_told() {
    let project = Project::bare();
    // As many ids as one list has, and all of them name something.
    let ids: Vec<String> = (0..400).map(|at| format!("i{at}")).collect();
    for id in &ids {
        project.write(&format!("items/{id}.md"), front(&format!("type: knowledge\nid: {id}")));
    }
    project.write("old.md", front("id: old"));
    let ids = ids.join(", ");
    for at in 0..200 {
        let claims = format!("supersedes: [{ids}, old, old.md]");
        project.write(&format!("new/{at:03}.md"), front(&claims));
    }
    let report = project.check();
    let expected: Vec<String> = (0..16).map(|at| format!("new/{at:03}.md")).collect();
    assert_eq!(by(&report, "old.md"), expected);
    for item in &report.items {
        let told: Vec<&str> = item.superseded_by.iter().map(|id| id.as_str()).collect();
        assert_eq!(told, expected, "{}", item.key.id);
    }
    assert_eq!(report.items.len(), 400);
}

#[test]
fn documents_that_say_ever_so_much_of_others_are_taken_in_up_to_a_bound() {
    let project = Project::bare();
    let ids: Vec<String> = (0..13_000).map(|at| format!("{at:x}")).collect();
    let claims = front(&format!("supersedes: {}", ids.join(",")));
    for at in 0..16 {
        project.write(&format!("new/{at:02}.md"), &claims);
    }
    project.write("old.md", front("id: a"));
    let report = project.check();
    let told = |text: &str| report.notes.iter().any(|note| note.text.contains(text));
    assert!(told("documents replace others more than 200000 times"), "{:?}", report.notes);
    let expected: Vec<String> = (0..15).map(|at| format!("new/{at:02}.md")).collect();
    assert_eq!(by(&report, "old.md"), expected);
}

#[test]
fn of_documents_that_are_not_read_what_they_said_stays_while_they_are_there() {
    let project = Project::bare();
    project.write("a.md", front("id: a\nsupersedes: old.md"));
    project.write("b.md", front("supersedes: old.md"));
    project.write("old.md", "x\n");
    let known = project.check().documents;
    let stands = |asked: &[&str], known: &[Document]| {
        let asked: Vec<_> = asked.iter().map(|path| project.place.folder.join(path)).collect();
        let report = project.check_with(|options| {
            (options.paths, options.known) = (&asked, known);
        });
        by(&report, "old.md")
    };
    assert_eq!(stands(&["old.md"], &known), ["a.md", "b.md"]);
    project.write("a.md", front("id: a"));
    assert_eq!(stands(&["old.md"], &known), ["a.md", "b.md"], "nobody looked");
    assert_eq!(stands(&["old.md", "a.md"], &known), ["b.md"]);
    project.remove("a.md");
    assert_eq!(stands(&["old.md"], &known), ["b.md"]);
    project.remove("b.md");
    assert_eq!(stands(&["old.md"], &known), [""; 0]);
}

#[test]
fn the_front_matter_counts_as_a_block_while_something_is_said_of_it() {
    let mut project = Project::new();
    project.write("plain.md", "One.\n\nSee [it](README.md).\n");
    let text = "version_context: 1.0.0\n---\n\nOne.\n\nSee [it](README.md).\n";
    project.write("versioned.md", format!("---\n{text}"));
    project.write("new.md", front("title: x"));
    project.commit();
    let claim = front("supersedes: [plain.md, versioned.md]");
    let mut known: Vec<Document> = Vec::new();
    let mut counts = Vec::new();
    for (way, (at, claims)) in [
        ("1.0.0", false),
        ("2.0.0", false),
        ("2.0.0", true),
        ("1.0.0", true),
        ("1.0.0", false),
        ("2.0.0", true),
        ("1.0.0", false),
        ("1.0.0", true),
    ]
    .into_iter()
    .enumerate()
    {
        project.write("new.md", if claims { claim.clone() } else { front("title: x") });
        let report = project.check_with(|options| {
            (options.known, options.current_version) = (&known, Some(at));
        });
        assert_eq!(report.counts.reused > 0, way > 0);
        let fresh = project.check_with(|options| options.current_version = Some(at));
        let of = |report: &Report| -> Vec<(String, u32, Vec<String>)> {
            let of = |it: &Document| (it.key.path.clone(), it.blocks, found(report, &it.key.path));
            report.documents.iter().map(of).collect()
        };
        assert_eq!(of(&report), of(&fresh), "{way}");
        assert_eq!(report.counts.blocks, fresh.counts.blocks, "{way}");
        counts.push(fresh.counts.blocks);
        known = report.documents;
    }
    let least = counts[0];
    assert_eq!(counts, [0, 1, 2, 2, 0, 2, 0, 2].map(|more| least + more));
}

#[test]
fn what_a_document_that_was_changed_since_stands_for_is_new() {
    let mut project = Project::new();
    project.write("old.md", "x\n");
    project.write("older.md", "x\n");
    project.write("first.md", front("supersedes: older.md"));
    project.commit();
    project.write("second.md", front("id: second\nsupersedes: old.md"));
    project.commit();
    project.write("README.md", "y\n");
    project.commit();
    let since = |revision: &'static str| {
        let report = only_new(project.check_with(|options| options.since = Some(revision)));
        ["old.md", "older.md"].map(|path| by(&report, path).join(" "))
    };
    assert_eq!(since("HEAD~2"), ["second.md", ""]);
    assert_eq!(since("HEAD~1"), ["", ""]);
    let all = project.check();
    assert_eq!(
        ["old.md", "older.md"].map(|path| by(&all, path).join(" ")),
        ["second.md", "first.md"]
    );
}
