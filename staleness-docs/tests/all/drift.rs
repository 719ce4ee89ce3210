//! Names in documents that the project no longer has.

use staleness_core::knowledge::{Fact, ItemKind, WordKind};
use staleness_docs::git::{Limits, Repo, Word};

use crate::project::{Project, facts, found};

/// A project whose code named things that it does not name any more.
pub(crate) fn drifted(document: &str) -> Project {
    let mut project = Project::new();
    project.write(
        "src/a.rs",
        "fn old_name() { opt(\"--dry-run\"); }\nstruct OldThing;\nconst OLD_CODE: u8 = 1;\nfn kept() {}\n",
    );
    project.write("src/tool.rs", "fn run_tool() {}\n");
    project.write("doc.md", document);
    project.commit();
    project.write("src/a.rs", "fn new_name() {}\nfn kept() {}\n");
    project.remove("src/tool.rs");
    project.commit();
    project
}

#[test]
fn flags_paths_and_identifiers_that_are_gone_are_named_with_their_place() {
    let text = "# T\n\nCall `old_name()` or OldThing\nwith --dry-run.\n\n- kept `kept()`\n- see `src/tool.rs`\n\n\
                | a | b |\n|---|---|\n| `OldThing` | x |\n";
    let report = drifted(text).check();
    let found = found(&report, "doc.md");
    for expected in
        ["3:7 drift old_name", "3:22 drift OldThing", "4:6 drift --dry-run", "11:4 drift OldThing"]
    {
        assert!(found.iter().any(|it| it == expected), "{expected}: {found:?}");
    }
    assert!(found.iter().any(|it| it.contains("src/tool.rs")), "{found:?}");
    assert_eq!(found.len(), 5, "{found:?}");
}

#[test]
fn a_name_that_nothing_else_speaks_for_is_marked() {
    let names = ["load_a", "load_b", "load_c", "load_d", "load_e"];
    let code = |names: &[&str]| names.iter().map(|it| format!("fn {it}() {{}}\n")).collect();
    let text = |names: &[&str]| names.iter().map(|it| format!("Call `{it}()`.\n\n")).collect();
    let weak = |path: &str, named: &[&str]| {
        let (code, text): (String, String) = (code(&names), text(named));
        let mut project = Project::of(&[("src/a.rs", &*code), (path, &*text)]);
        project.commit_files(&[("src/a.rs", "fn kept() {}\n")]);
        let facts = facts(&project.check(), path);
        assert_eq!(facts.len(), named.len(), "{facts:?}");
        let is_weak = |fact: &&Fact| matches!(fact, Fact::ReferenceDrift { alone: true, .. });
        facts.iter().filter(is_weak).count()
    };
    assert_eq!(weak("docs/guide.md", &names[..4]), 4);
    assert_eq!(weak("docs/guide.md", &names), 0, "all went with one commit");
    for path in ["src/README.md", "AGENTS.md", ".claude/skills/a/SKILL.md"] {
        assert_eq!(weak(path, &names[..1]), 0, "{path}");
    }
}

#[test]
fn what_a_document_says_once_of_a_name_holds_everywhere() {
    for text in [
        "Call `old_name()`.\n\nThe function `old_name` was removed.\n",
        "# Why OldThing matters\n",
        "| a |\n|---|\n| OLD_CODE |\n",
    ] {
        assert!(found(&drifted(text).check(), "doc.md").is_empty(), "{text}");
    }
    for text in [
        "Call `old_name()`.\n\nThe function `old_name_of` was removed.\n",
        "Call `old_name()`.\n\n```\nold_name was removed\n```\n",
        "# Why `OldThing` matters\n",
        "Set OLD_CODE.\n",
        "Call `old_name()`.\n\nThe placeholder `old_name` is replaced with your own.\n",
        "The documentation has moved to https://b.example.\n\nCall `old_name()`.\n",
    ] {
        assert_eq!(found(&drifted(text).check(), "doc.md").len(), 1, "{text}");
    }
}

#[test]
fn uncommitted_edits_are_not_evidence() {
    let project = drifted("Call `old_name()`.\n");
    project.write("doc.md", "Do call `old_name()`.\n");
    assert!(found(&project.check(), "doc.md").is_empty());
    let project = drifted("Call `kept()`.\n");
    project.write("src/a.rs", "");
    assert!(found(&project.check(), "doc.md").is_empty());
}

#[test]
fn what_was_never_there_is_no_drift() {
    let text =
        "Use `some_other_api()`, `--verbose-ish`, `NeverThing`, [x](nowhere.md) and my_crate.\n";
    assert_eq!(found(&drifted(text).check(), "doc.md"), ["1:56 broken nowhere.md"]);
}

/// Returns the findings in `doc.md` after a commit of the files `first` and one of the files `second`.
pub(crate) fn after(
    document: &str,
    first: &[(&str, &str)],
    second: &[(&str, &str)],
) -> Vec<String> {
    let mut project = Project::new();
    project.write("doc.md", document);
    for (path, text) in first {
        project.write(path, text);
    }
    project.commit();
    for (path, text) in second {
        project.write(path, text);
    }
    project.commit();
    found(&project.check(), "doc.md")
}

#[test]
fn a_name_that_was_only_used_or_spoken_of_is_no_drift() {
    let text = "Call `old_name()`, `Janus` or `NetThing`.\n";
    let used = [("a.py", "import x\nx.old_name()\nprint('Janus', NetThing)\n")];
    assert!(after(text, &used, &[("a.py", "x\n")]).is_empty());
    let made = [("a.py", "def old_name():\n    pass\nclass Janus:\n    pass\nNetThing = 1\n")];
    assert_eq!(after(text, &made, &[("a.py", "x\n")]).len(), 3);
    // Somebody else's settings name somebody else's things.
    let set = [("tox.ini", "old_name = 1\n"), (".github/ci.yml", "NetThing: 1\n")];
    assert!(after(text, &set, &[("tox.ini", "x\n"), (".github/ci.yml", "x\n")]).is_empty());
}

#[test]
fn other_constants_with_a_part_of_the_name_hide_no_constant() {
    let text = "Set `MAX_RETRIES`.\n";
    let made = [("a.rs", "const MAX_RETRIES: u8 = 1;\n")];
    let lone = [("a.rs", "x(\"MAX\")\n"), ("b.rs", "y(\"RETRIES\")\n")];
    assert_eq!(after(text, &made, &lone), ["1:6 drift MAX_RETRIES"]);
    let both = [("a.rs", "x(\"MAX\", \"RETRIES\")\n")];
    assert!(after(text, &made, &both).is_empty());
}

#[test]
fn the_same_text_in_a_hidden_folder_hides_no_definition() {
    let code = "def old_name():\n    pass\n";
    let made = [(".hidden/a.py", code), ("src/a.py", code)];
    let gone = [(".hidden/a.py", "x\n"), ("src/a.py", "x\n")];
    assert_eq!(after("Call `old_name()`.\n", &made, &gone), ["1:7 drift old_name"]);
}

#[test]
fn a_variable_is_gone_when_nothing_reads_or_makes_up_its_name() {
    let text = "Set `LIBX_LIB_DIR`.\n";
    let read = [("build.rs", "fn main() { var(\"LIBX_LIB_DIR\") }\n")];
    assert_eq!(after(text, &read, &[("build.rs", "x\n")]), ["1:6 drift LIBX_LIB_DIR"]);
    let made_up = [("build.rs", "var(format!(\"{}_LIB_DIR\", name))\n")];
    assert!(after(text, &read, &made_up).is_empty());
    // Set for somebody else, who may still read it.
    let set = [("build.sh", "export LIBX_LIB_DIR=1\n")];
    assert!(after(text, &set, &[("build.sh", "x\n")]).is_empty());
}

#[test]
fn a_file_with_an_unusual_ending_is_a_file() {
    let text = "See `highlight.goml` and `network.host`.\n";
    let first = [("gui/highlight.goml", "goml: x\n"), ("a.rs", "mod goml;\nmod network;\n")];
    assert!(after(text, &first, &[("gui/highlight.goml", "x"), ("a.rs", "x\n")]).is_empty());
}

#[test]
fn a_field_hides_a_flag_only_where_a_library_makes_one_of_it() {
    let text = "Pass `--no-config`.\n";
    let spelled = [("a.rs", "flag(\"no-config\");\nstruct A { no_config: bool }\n")];
    let field = [("a.rs", "struct A {\n    no_config: bool,\n}\n")];
    assert_eq!(after(text, &spelled, &field), ["1:7 drift --no-config"]);
    let derived = [("a.rs", "struct A {\n    #[arg(long)]\n    no_config: bool,\n}\n")];
    assert!(after(text, &spelled, &derived).is_empty());
    assert_eq!(after(text, &derived, &field), ["1:7 drift --no-config"]);
}

#[test]
fn code_blocks_urls_and_links_to_the_outside_are_no_references() {
    let text = "```rust\nold_name();\n```\n\n    OldThing\n\nhttps://x.org/old_name/OldThing [`OldThing`](https://docs.rs/x)\n";
    assert!(found(&drifted(text).check(), "doc.md").is_empty());
}

#[test]
fn a_document_is_code_for_nobody() {
    let project = drifted("Call `old_name()`.\n");
    project.write("other.md", "old_name\n");
    project.git(&["add", "--all"]);
    project.git(&["commit", "--quiet", "--message", "y"]);
    assert_eq!(found(&project.check(), "doc.md"), ["1:7 drift old_name"]);
}

#[test]
fn documents_that_are_history_are_left_out_and_said_so() {
    let mut project = drifted("x\n");
    for path in ["CHANGELOG.md", "docs/adr/0001-x.md", "archive/a.md", "legacy/b.md"] {
        project.write(path, "We removed `old_name()`.\n");
    }
    project.commit();
    let report = project.check();
    assert_eq!(report.counts.history, 4);
    assert_eq!(report.history.len(), 4);
    assert!(report.notes.iter().any(|note| note.text.contains("not checked for removed names")));
    let mut project = drifted("x\n");
    project.write("notes/x.md", "`old_name()`\n");
    project.commit();
    let report = project.check_with(|options| options.policy.history = vec!["notes/".into()]);
    assert_eq!(report.history, ["notes/x.md"]);
}

#[test]
fn directives_leave_aside_what_they_say() {
    let gone = "Call `old_name()`.\n";
    for text in [
        format!("<!-- staleness: ignore: on purpose -->\n{gone}"),
        format!("<!-- staleness: ignore reference_drift -->\n\n{gone}"),
        format!("<!--\nstaleness: ignore\n-->\n\n{gone}"),
        format!("<!-- staleness: ignore reference_drift: it\r\n  is an old name -->\n\n{gone}"),
        format!("# A\n\n<!-- staleness: ignore-section -->\n\nx\n\n## B\n\n{gone}"),
        format!("<!-- staleness: ignore -->\n\n- a\n- {gone}"),
        format!("{gone}\n<!-- staleness: ignore-file -->\n"),
        "Call `old_name()`. <!-- staleness: ignore -->\n".to_owned(),
    ] {
        let report = drifted(&text).check();
        assert!(found(&report, "doc.md").is_empty(), "{text}");
        assert_eq!(report.counts.ignored, 1, "{text}");
    }
    for text in [
        format!("<!-- staleness: ignore temporal_marker -->\n\n{gone}"),
        format!("<!-- staleness: ignore -->\n\nx\n\n{gone}"),
        format!("# A\n\n<!-- staleness: ignore-section -->\n\nx\n\n# B\n\n{gone}"),
    ] {
        assert_eq!(found(&drifted(&text).check(), "doc.md").len(), 1, "{text}");
    }
    let report = drifted("<!-- staleness: skip -->\n\nx\n").check();
    assert!(report.notes.iter().any(|note| note.text.contains("has an unknown name")));
}

/// A link may become one of two signals, a path one of three: what is left aside is one of them.
#[test]
fn a_directive_leaves_aside_one_signal_of_a_name_that_may_become_several() {
    let gone = "See [it](src/tool.rs).\n";
    for text in [
        format!("<!-- staleness: ignore source_missing -->\n{gone}"),
        format!("# A\n\n<!-- staleness: ignore-section source_missing -->\n\n{gone}"),
        "See [it](src/tool.rs). <!-- staleness: ignore source_missing -->\n".to_owned(),
        format!(
            "<!-- staleness: ignore source_changed -->\n\n<!-- staleness: ignore source_missing -->\n\n{gone}"
        ),
        "<!-- staleness: ignore source_missing -->\nSee `src/tool.rs`.\n".to_owned(),
    ] {
        let report = drifted(&text).check();
        assert!(found(&report, "doc.md").is_empty(), "{text}");
        assert_eq!(report.counts.ignored, 1, "{text}");
    }
    for text in [
        format!("<!-- staleness: ignore source_changed -->\n{gone}"),
        format!("<!-- staleness: ignore source_missing -->\nNothing.\n\n{gone}"),
        format!("<!-- staleness: ignore -->\n{gone}\n{gone}"),
        format!("<!-- staleness: ignore source_missing -->\n{gone}\n{gone}"),
    ] {
        assert_eq!(found(&drifted(&text).check(), "doc.md").len(), 1, "{text}");
    }
}

#[test]
fn a_block_is_called_by_its_text_without_marks() {
    for (text, title) in [
        ("- `old_name` first\n", "old_name first"),
        ("- last `old_name`\n- b\n", "last old_name"),
        ("1. **only bold**: ``old_name``\n", "only bold: old_name"),
        ("`old_name` *first*\n", "old_name first"),
        ("| a |\n|---|\n| `old_name` |\n", "old_name"),
    ] {
        let report = drifted(text).check();
        let document = report.documents.iter().find(|it| it.key.path == "doc.md").unwrap();
        assert_eq!(document.found[0].title, title, "{text}");
    }
}

#[test]
fn a_file_with_a_kind_is_an_item_as_a_whole() {
    let text = "---\ntype: knowledge\nid: a\nkeywords: [x, y]\nadded: 2026-01-01\nrecall_count: 3\n---\n\n# T\n\nCall `old_name()`.\n\nAnd OldThing.\n";
    let project = drifted(text);
    let report = project.check();
    let [item] = &report.items[..] else { panic!("{:?}", report.items) };
    assert_eq!((item.kind, item.key.id.as_str(), item.recalls), (ItemKind::Knowledge, "a", 3));
    assert_eq!(item.path.as_deref(), Some("doc.md"));
    let document = report.documents.iter().find(|it| it.key.path == "doc.md").unwrap();
    // Behind it is kept when the file came, and when it was edited.
    let [whole, came, edited] = &document.found[..] else { panic!("{:?}", document.found) };
    assert_eq!((document.blocks, whole.title.as_str()), (1, "T"));
    assert_eq!((came.evidence.len(), edited.evidence.len()), (0, 0));
    assert_eq!(edited.anchored_at, Some(item.updated_at));
    let known = &report.documents;
    let without_git = project.check_in(false, |options| options.known = known);
    assert_eq!(without_git.items[0].updated_at, item.updated_at);
    // A second check without git still has the dates.
    let known_then = &without_git.documents;
    let without_git = project.check_in(false, |options| options.known = known_then);
    assert_eq!(without_git.items[0].updated_at, item.updated_at);
    let again = project.check_with(|options| options.known = known);
    assert_eq!(again.documents, report.documents, "it is taken over");
    assert_eq!(found(&report, "doc.md").len(), 2);
}

#[test]
fn words_of_a_time_go_on_in_the_next_line() {
    let report =
        drifted("> Version two is\n> planned.\n\nVersion three will\nbe much bigger.\n").check();
    let document = report.documents.iter().find(|it| it.key.path == "doc.md").unwrap();
    let words: Vec<_> = document
        .found
        .iter()
        .flat_map(|block| &block.evidence)
        .filter_map(|evidence| match &evidence.fact {
            Fact::TemporalMarker { word } => Some((evidence.line.unwrap(), &**word)),
            _ => None,
        })
        .collect();
    assert_eq!(words, [(2, "planned"), (4, "will be")]);
}

#[test]
fn a_folder_that_is_too_deep_is_told() {
    let mut project = drifted("Call `old_name()`.\n");
    assert!(project.check().skipped.is_empty());
    project.write(&format!("{}a.rs", "d/".repeat(130)), "x\n");
    project.commit();
    let report = project.check();
    assert!(found(&report, "doc.md").is_empty());
    let [skipped] = &report.skipped[..] else { panic!("{:?}", report.skipped) };
    assert!(skipped.path == ".git" && skipped.reason.contains("too deep"), "{skipped:?}");
}

#[test]
fn folders_without_number_end_a_search() {
    let mut project = Project::new();
    project.write("a.rs", "x\n");
    project.write("doc.md", "Call `old_name()`.\n");
    project.commit();
    // Each of ten folders holds the next one ten times.
    let mut tree = project.git(&["hash-object", "-w", "a.rs"]);
    for depth in 0..10 {
        let mode = if depth == 0 { "100644" } else { "40000" };
        let id: Vec<u8> =
            (0..20).map(|at| u8::from_str_radix(&tree[2 * at..2 * at + 2], 16).unwrap()).collect();
        let entry = |name| [format!("{mode} {name}\0").as_bytes(), &id].concat();
        let bytes: Vec<u8> = (0..10).flat_map(entry).collect();
        project.write("tree.bin", bytes);
        tree = project.git(&["hash-object", "-w", "-t", "tree", "tree.bin"]);
    }
    let program = project.program();
    let limits = Limits { visited: 10_000, ..Limits::default() };
    let commit = project.git(&["commit-tree", "-m", "x", &tree]);
    project.git(&["update-ref", "HEAD", &commit]);
    let mut repo = Repo::open(program, &project.place.folder, limits).unwrap();
    let word = Word { kind: WordKind::Identifier, text: "old_name".to_owned() };
    let missing = repo.missing(&[word], &mut |_, _| Ok(())).unwrap();
    assert_eq!((missing, repo.is_cut()), (vec![false], true));
}
