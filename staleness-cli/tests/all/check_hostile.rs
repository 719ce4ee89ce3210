//! Documents and policies that mean harm, or are broken, with the real binary.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::{NOW, Run, Sandbox};

fn document(run: &Run) -> Value {
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    serde_json::from_str(&run.out).unwrap()
}

/// The ids of what was found.
fn ids(document: &Value) -> Vec<&str> {
    document["items"].as_array().unwrap().iter().map(|each| each["id"].as_str().unwrap()).collect()
}

/// Returns the texts of the notes or reasons of a file, or with `None` of the whole check.
fn told<'a>(document: &'a Value, list: &str, path: Option<&str>) -> Vec<&'a str> {
    let of = |each: &&Value| each["path"].as_str() == path;
    let text = |each: &'a Value| each["text"].as_str().or(each["reason"].as_str()).unwrap();
    document[list].as_array().unwrap().iter().filter(of).map(text).collect()
}

#[cfg(unix)]
#[test]
fn bombs_in_front_matter_are_bounded_and_the_rest_is_checked() {
    const KIB: usize = 1024;
    let sandbox = Sandbox::rotted();
    let front = |text: &str| {
        assert!(text.len() < 64 * KIB, "{}", text.len());
        format!("---\n{text}\n---\n\nA text.\n")
    };
    let laughs: String = (0..600)
        .map(|at| {
            let aliases = format!("*a{}, ", at.max(1) - 1).repeat(10);
            format!("a{at}: &a{at} [{aliases}]\n")
        })
        .collect();
    let deep: String = (0..350).map(|at| format!("{}a:\n", " ".repeat(at))).collect();
    let all = [
        ("aliases.md", front(laughs.trim_end())),
        ("lists.md", front(&format!("keywords: {}{}", "[".repeat(30 * KIB), "]".repeat(30 * KIB)))),
        ("maps.md", front(&format!("keywords: {}", "{a: ".repeat(15 * KIB)))),
        ("deep.md", front(&deep)),
        ("merge.md", front(&format!("x: &x {{a: 1}}\n{}", "<<: *x\n".repeat(900)))),
        ("toml.md", format!("+++\nkeywords = {}\n+++\n\nA text.\n", "[".repeat(60 * KIB))),
    ];
    for (path, text) in &all {
        sandbox.write(&format!("project/{path}"), text);
    }
    sandbox.write("project/fields.md", front(&"a: 1\n".repeat(1_001)));
    sandbox.write("project/large.md", format!("---\n{}---\n", "a: *a\n".repeat(11 * KIB)));
    sandbox.commit("2026-02-11T00:00:00Z");
    let mut command = sandbox.command_of(Path::new("/bin/sh"));
    // A gibibyte of addresses for everything.
    command.args(["-c", "ulimit -v 1048576 && exec \"$0\" \"$@\""]);
    command.args([env!("CARGO_BIN_EXE_staleness"), "--now", NOW, "check", "--json"]);
    let found = document(&Run::of(command.output().unwrap()));
    assert_eq!(ids(&found), ["AGENTS.md:3", "AGENTS.md:5"], "{found:#}");
    assert_eq!(found["documents"], 2 + all.len());
    assert_eq!(
        told(&found, "skipped", Some("fields.md")),
        ["has front matter of more than 1000 fields"]
    );
    assert_eq!(told(&found, "skipped", Some("large.md")), ["has front matter of more than 64 KiB"]);
}

#[test]
fn words_of_a_time_in_front_matter_do_not_count() {
    let sandbox = Sandbox::with_history();
    let words = "planned for the latest release, TODO: upcoming in Q3 2025, now at v2.4.0";
    sandbox
        .write("project/a.md", format!("---\ntitle: {words}\nstatus: {words}\n---\n\nA text.\n"));
    sandbox.write("project/b.md", format!("+++\ntitle = \"{words}\"\n+++\n\nA text.\n"));
    sandbox.write("project/c.md", format!("A text. It is {words}.\n"));
    sandbox.commit("2026-01-10T00:00:00Z");
    assert_eq!(ids(&sandbox.json(&["check"])), ["c.md:1"]);
}

#[test]
fn patterns_of_a_policy_are_bounded_and_take_linear_time() {
    let sandbox = Sandbox::with_history();
    let name = format!("{}.md", "a".repeat(200));
    sandbox.write(&format!("project/{name}"), "See [it](gone.md).\n");
    sandbox.write("project/b.md", "See [it](gone.md).\n");
    let policy = |patterns: &[String]| {
        let patterns: Vec<String> = patterns.iter().map(|each| format!("{each:?}")).collect();
        let text = format!("[documents]\nignore = [{}]\n", patterns.join(", "));
        sandbox.write("project/staleness.toml", text);
    };
    // What backtracking would try in more ways than there are atoms.
    policy(&[format!("{}b", "*a".repeat(250)), "(a+)+$".into(), format!("{}b", "*a".repeat(90))]);
    assert_eq!(ids(&sandbox.json(&["check"])), [format!("{name}:1").as_str(), "b.md:1"]);
    policy(&[format!("{}.md", "*a".repeat(150))]);
    assert_eq!(ids(&sandbox.json(&["check"])), ["b.md:1"]);
    policy(&["a".repeat(513)]);
    let run = sandbox.run(&["check"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.err.contains("documents.ignore: a pattern must be 1 to 512 bytes long"), "{run:?}");
    // Each is short enough, and together they are more than a matcher may hold.
    policy(&(0..1_000).map(|at| format!("{at}{}", "?".repeat(500))).collect::<Vec<_>>());
    let found = sandbox.json(&["check"]);
    assert_eq!(ids(&found).len(), 2);
    let notes = told(&found, "notes", None);
    let large = notes.iter().find(|note| note.contains("documents.ignore"));
    assert!(large.is_some_and(|note| note.contains("too large together")), "{notes:?}");
}

#[test]
fn what_is_not_followed_and_what_makes_no_sense_is_told_file_by_file() {
    let sandbox = Sandbox::rotted();
    sandbox.write("outside.md", "x\n");
    sandbox.write("project/CLAUDE.md", "@a.md and @../outside.md\n");
    sandbox.write("project/a.md", "@b.md\n");
    sandbox.write("project/b.md", "@a.md\n");
    sandbox.write("project/leaves.md", "A text.\n\nSee [it](../outside.md).\n");
    let later = "<!-- staleness: verified 2099-01-01 -->\nSee [it](src/main.rs).\n";
    sandbox.write("project/later.md", later);
    sandbox.write("project/front.md", "---\nverified: 2099-01-01\nadded: x\n---\n\nA text.\n");
    sandbox.write("project/latin.md", b"caf\xe9\n");
    sandbox.commit("2026-02-11T00:00:00Z");
    let found = sandbox.json(&["check"]);
    let holds = |list: &str, path: &str, part: &str| {
        let all = told(&found, list, Some(path));
        assert!(all.iter().any(|text| text.contains(part)), "{path}: {all:?}\n{found:#}");
    };
    holds("notes", "b.md", "imports a.md, which imports it back");
    holds("notes", "CLAUDE.md", "../outside.md, which is outside the project and was not followed");
    holds("notes", "leaves.md", "a path points outside the project");
    holds("notes", "later.md", "a directive has a date in the future");
    holds("notes", "front.md", "`added` is not a date");
    holds("skipped", "latin.md", "is not UTF-8 in line 1");
    let future = found["items"].as_array().unwrap().iter().find(|each| each["id"] == "front.md:2");
    let signal = &future.unwrap()["verdict"]["signals"][0];
    assert_eq!((&signal["kind"], &signal["weight"]), (&"future_date".into(), &0.0.into()));
    assert!(ids(&found).contains(&"AGENTS.md:3"));
}

/// The file of an object that a revision names.
fn object(sandbox: &Sandbox, revision: &str) -> PathBuf {
    let mut git = Command::new("git");
    let output = git.args(["rev-parse", revision]).current_dir(&sandbox.project).output().unwrap();
    let id = String::from_utf8(output.stdout).unwrap();
    sandbox.project.join(".git/objects").join(&id[..2]).join(id[2..].trim())
}

#[test]
fn a_history_that_is_damaged_or_not_there_is_told_and_the_rest_is_checked() {
    let damage = |revision: &str| {
        let sandbox = Sandbox::rotted();
        sandbox.write("project/own.md", "See [it](nowhere.md).\n");
        let file = object(&sandbox, revision);
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, "no object").unwrap();
        sandbox.json(&["check"])
    };
    let one = damage("HEAD~1:src/main.rs");
    assert_eq!(ids(&one), ["AGENTS.md:3"], "{one:#}");
    assert_eq!(one["blind"][0]["kind"], "unreadable", "{one:#}");
    let head = damage("HEAD");
    let notes = told(&head, "notes", None);
    let why = "without git history, fewer problems are found: the commit that is checked out";
    assert!(notes.iter().any(|text| text.starts_with(why)), "{notes:?}");
    assert!(ids(&head).contains(&"own.md:1"), "{head:#}");

    let empty = Sandbox::with_history();
    empty.write("project/own.md", "See [it](nowhere.md).\n");
    let found = empty.json(&["check"]);
    let notes = told(&found, "notes", None);
    assert!(notes.iter().any(|text| text.contains("no commit")), "{notes:?}");
    assert_eq!(ids(&found), ["own.md:1"]);
}

#[test]
fn json_and_sarif_hold_every_character_and_show_none_that_a_terminal_obeys() {
    let sandbox = Sandbox::rotted();
    let odd = "odd \u{202e}\u{1b}[2J\u{9b}2J\u{7f}.md";
    sandbox.write(&format!("project/{odd}"), "# Red \u{2066}\u{200b}\n\nSee `src/router.rs`.\n");
    sandbox.commit("2026-01-15T00:00:00Z");
    std::fs::remove_file(sandbox.project.join("src/routing.rs")).unwrap();
    sandbox.commit("2026-02-15T00:00:00Z");
    let see = "See [it](src/routing.rs) \u{202e}\u{9b}31m now.\n";
    sandbox.write(&format!("project/{odd}"), see);
    for args in [
        &["check", "--json"][..],
        &["check", "--format", "sarif"],
        &["review", "--json"],
        &["knowledge", "add", "--id", "odd", "--body", see, "--json"],
        &["knowledge", "list", "--json"],
    ] {
        let text = sandbox.ok(args);
        let raw = |c: char| {
            c != '\n'
                && (c.is_control()
                    || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        };
        assert!(!text.contains(raw), "{args:?}: {text:?}");
        serde_json::from_str::<Value>(&text).unwrap();
    }
    assert_eq!(sandbox.json(&["knowledge", "show", "odd"])["body"].as_str(), Some(see));
}

#[cfg(unix)]
#[test]
fn a_baseline_is_not_written_through_a_link_that_leads_out_of_the_project() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::rotted();
    let victim = sandbox.write("outside/victim", "mine\n");
    symlink("../outside/victim", sandbox.project.join("file.json")).unwrap();
    symlink("../outside", sandbox.project.join("folder")).unwrap();
    symlink("../outside/none.json", sandbox.project.join("nothing.json")).unwrap();
    let whole = sandbox.project.join("docs/../file.json").display().to_string();
    for file in ["file.json", "folder/victim", "folder/new.json", "folder/../new.json", &whole] {
        let run = sandbox.run(&["check", "--write-baseline", file]);
        assert_eq!(run.code, 3, "{run:?}");
        assert!(run.err.contains("is a link that points outside the project"), "{run:?}");
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine\n");
    }
    assert!(!victim.with_file_name("new.json").exists());
    // A link that leads to nothing is no place to write to: the file takes its own.
    sandbox.ok(&["check", "--write-baseline", "nothing.json"]);
    assert!(!sandbox.project.join("nothing.json").is_symlink());
    assert!(!victim.with_file_name("none.json").exists());
    // Within the project a link is followed, and what is named outside is somebody's wish.
    sandbox.write("project/kept/b.json", "");
    symlink("kept/b.json", sandbox.project.join("own.json")).unwrap();
    for file in ["own.json", "../outside/named.json"] {
        sandbox.ok(&["check", "--write-baseline", file]);
    }
    assert!(sandbox.project.join("own.json").is_symlink());
    assert!(victim.with_file_name("named.json").exists());
}
