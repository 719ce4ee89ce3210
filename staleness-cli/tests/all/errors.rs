//! Refusals: their exit codes, their words, and that nothing changes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::common::{Run, Sandbox};

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Runs a command that must be refused: on one line, with and without `--json`, nothing on stdout,
/// and nothing recorded. The code, and the line that a person sees.
fn refused(sandbox: &Sandbox, args: &[&str]) -> (i32, String) {
    let before = unshared(sandbox.files());
    let Run { code, out, err } = sandbox.run(args);
    assert_ne!(code, 0, "{}: {out}", shown(args));
    assert_eq!(out, "", "{}", shown(args));
    assert!(err.starts_with("error: ") && err.lines().count() == 1, "{}: {err}", shown(args));
    assert!(err.len() < 1_500, "{}: {} bytes", shown(args), err.len());
    let as_json = sandbox.run(&[args, &["--json"]].concat());
    assert_eq!((as_json.code, as_json.out.as_str()), (code, ""), "{}: {as_json:?}", shown(args));
    let error: Value = serde_json::from_str(&as_json.err).unwrap();
    let message = error["error"]["message"].as_str().unwrap();
    let escaped = message.chars().any(|c| c.is_control() || c == '\u{202e}');
    assert!(escaped || err.contains(message), "{}: {err} / {message}", shown(args));
    assert!(unshared(sandbox.files()) == before, "{} changed something", shown(args));
    (code, err)
}

/// The arguments, as far as one wants to read them.
fn shown(args: &[&str]) -> String {
    args.iter().map(|arg| format!("{:?} ", arg.chars().take(40).collect::<String>())).collect()
}

/// Without the index of the log, which readers write too.
fn unshared(mut files: Files) -> Files {
    files.retain(|path, _| !path.to_str().unwrap().ends_with("-shm"));
    files
}

fn table(sandbox: &Sandbox, cases: &[(&[&str], i32, &[&str])]) {
    for (args, code, parts) in cases {
        let (found, line) = refused(sandbox, args);
        assert_eq!(found, *code, "{args:?}: {line}");
        for part in *parts {
            assert!(line.contains(part), "{args:?}: {part:?} is not in {line}");
        }
    }
}

#[test]
fn usage_is_2() {
    table(
        &Sandbox::scanned(),
        &[
            (&["--bogus"], 2, &["'--bogus'", "see `staleness --help`"]),
            (&["tools", "--stat", "x"], 2, &["'--stat'", "'--status'"]),
            (&["toolz"], 2, &["'toolz'", "'tools'"]),
            (&["tools", "shw"], 2, &["'shw'", "'show'"]),
            (&["tools", "show"], 2, &["<NAME>", "see `staleness tools show --help`"]),
            (&["record", "x"], 2, &["--success|--failure|--interrupted"]),
            (&["record", "x", "--success", "--failure"], 2, &["cannot be used with"]),
            (&["scan", "--server", "x"], 2, &["--tools-json"]),
            (&["backup"], 2, &["<FILE>"]),
            (&["completions"], 2, &["<SHELL>"]),
            (&["project"], 2, &["list, forget"]),
            (&["config"], 2, &["show, path"]),
            (&["tools", "--quiet", "--verbose"], 2, &["--quiet", "--verbose"]),
            (&["--fail-on", "stale", "tools"], 2, &["without a command"]),
            (&["tools", "show", "a", "b"], 2, &["'b'"]),
        ],
    );
}

#[test]
fn a_time_that_is_missing_is_usage_whatever_comes_next() {
    let sandbox = Sandbox::scanned();
    for args in [&["scan", "--now"][..], &["tools", "--now", "--json"], &["--now", "--quiet"]] {
        let run = sandbox.run(args);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
        assert!(run.err.contains("--now"), "{run:?}");
    }
}

#[test]
fn refused_values_are_3() {
    table(
        &Sandbox::scanned(),
        &[
            (&["--fail-on", "bad"], 3, &["'bad'", "review, stale"]),
            (&["--color", "pink"], 3, &["auto, always, never"]),
            (&["tools", "--status", "weird"], 3, &["active, stale, demoted"]),
            (&["tools", "--kind", "weird"], 3, &["mcp_server", "skill"]),
            (&["tools", "rank", "--limit", "-1"], 3, &["whole number"]),
            (&["record", "x", "--success", "--duration-ms", "-3"], 3, &["whole number"]),
            (&["tools", "discover", " "], 3, &["no words", "describe what"]),
            (&["tools", "suggest", "?!"], 3, &["no words", "describe what"]),
            (&["completions", "tcsh"], 3, &["bash", "zsh", "fish"]),
            (&["--store", "nowhere", "tools"], 3, &["sqlite:PATH", "sqlite:nowhere"]),
            (&["--store", "sqlite:", "tools"], 3, &["path is missing"]),
            (&["--store", "postgres://x", "tools"], 3, &["postgres"]),
            (&["--project", "/no/such", "scan"], 3, &["/no/such", "--project"]),
            (&["scan", "--tools-json", "/no/such"], 3, &["/no/such"]),
            (&["project", "forget", "nobody", "--yes"], 3, &["\"nobody\"", "project list"]),
            (&["tools", "forget", "github"], 3, &["--yes"]),
            (&["tools", "list", "--set", "nonsense"], 3, &["KEY=VALUE"]),
            (&["tools", "list", "--set", "=3"], 3, &["KEY=VALUE"]),
        ],
    );
}

#[test]
fn an_unknown_name_comes_with_the_nearest_one() {
    let sandbox = Sandbox::scanned();
    for verb in ["show", "history", "pin", "demote", "ignore", "restore", "forget"] {
        let (code, line) = refused(&sandbox, &["tools", verb, "githb"]);
        assert_eq!(code, 3);
        assert!(line.contains("\"githb\"") && line.contains("did you mean"), "{line}");
        assert!(line.contains("github"), "{line}");
    }
    let (_, line) = refused(&sandbox, &["tools", "show", "zzzzzzzz"]);
    assert!(line.contains("staleness tools list"), "{line}");
}

#[test]
fn a_time_that_is_none_comes_with_the_accepted_forms() {
    let sandbox = Sandbox::scanned();
    for time in ["tomorrow", "", "2026-13-01", "-3w", "12:30", "2026-11-20T25:00:00Z"] {
        let (code, line) = refused(&sandbox, &["--now", time, "tools"]);
        assert_eq!(code, 3, "{time}");
        for form in ["2026-11-20", "2026-11-20T12:30:00Z", "-3d"] {
            assert!(line.contains(form), "{line}");
        }
    }
    for time in ["2026-11-20", "2026-11-20T12:30", "2026-11-20T12:30:00+02:00", "-3d", "+1h"] {
        sandbox.ok(&["--now", time, "tools"]);
    }
}

#[test]
fn names_and_ids_have_bounds() {
    let sandbox = Sandbox::scanned();
    let (long, huge) = ("a".repeat(513), "a".repeat(10_240));
    for (name, why) in [
        ("", "empty"),
        (&long, "513 bytes"),
        ("a\nb", "control"),
        ("a\u{1b}[31m", "control"),
        ("a\u{7f}", "control"),
        (&huge, "10240 bytes"),
    ] {
        for args in [
            &["tools", "show", name][..],
            &["tools", "history", name],
            &["tools", "pin", name],
            &["tools", "forget", name, "--yes"],
            &["record", name, "--success"],
            &["record", "x", "--success", "--id", name],
            &["record", "x", "--success", "--session", name],
            &["record", "x", "--success", "--agent", name],
        ] {
            let (code, line) = refused(&sandbox, args);
            assert_eq!(code, 3, "{line}");
            assert!(line.contains(why), "{line}");
        }
    }
    for text in [huge.as_str(), "\u{1b}[31m", "\u{202e}"] {
        for args in [
            &["--now", text, "tools"][..],
            &["--store", text, "tools"],
            &["--project", text, "tools"],
            &["--set", text, "tools"],
            &["--config", text, "tools"],
            &["tools", "--status", text],
            &["--color", text],
            &[text],
            &["project", "forget", text, "--yes"],
            &["tools", "--set", text],
        ] {
            let (_, line) = refused(&sandbox, args);
            assert!(!line.trim_end().chars().any(|c| c.is_control() || c == '\u{202e}'), "{line}");
        }
    }
    sandbox.ok(&["record", &"a".repeat(512), "--success"]);
}

#[test]
fn a_reason_has_a_bound() {
    let sandbox = Sandbox::scanned();
    let (code, line) =
        refused(&sandbox, &["tools", "pin", "github", "--reason", &"r".repeat(1_001)]);
    assert_eq!(code, 3);
    assert!(line.contains("1000 characters"), "{line}");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::scanned();
    let odd = std::ffi::OsStr::from_bytes(b"a\xffb");
    let run = sandbox.run(&["tools".as_ref(), "show".as_ref(), odd]);
    assert_eq!((run.code, run.out.as_str()), (3, ""), "{run:?}");
    assert_eq!(run.err.lines().count(), 1, "{run:?}");
}

#[test]
fn a_policy_that_makes_no_sense_is_named_with_its_line() {
    let sandbox = Sandbox::scanned();
    let user = "home/.config/staleness/staleness.toml";
    for (text, part) in [
        ("[tools]\nunseen_days = = 3\n", "staleness.toml:2: "),
        ("[tools]\n\nunseen_days = 'many'\n", "whole number"),
        ("[nonsense]\nx = 1\n", "`nonsense`"),
        ("[tools]\nfreshness_absent = 7\n", "freshness_absent"),
    ] {
        for path in [user, "project/staleness.toml"] {
            let path = sandbox.write(path, text);
            let (code, line) = refused(&sandbox, &["tools"]);
            assert_eq!(code, 3);
            assert!(line.contains(path.to_str().unwrap()), "{line}");
            assert!(line.contains(part) || path.starts_with(&sandbox.project), "{line}");
            std::fs::remove_file(path).unwrap();
        }
    }
    sandbox.write(user, b"\xff\xfe");
    let (_, line) = refused(&sandbox, &["tools"]);
    assert!(line.contains("UTF-8"), "{line}");
    sandbox.write("elsewhere.toml", "[tools]\nunseen_days = 3\n");
    let named = sandbox.root().join("elsewhere.toml");
    sandbox.ok(&["--config", named.to_str().unwrap(), "tools"]);
}

#[test]
fn a_project_may_not_set_what_is_the_users() {
    let sandbox = Sandbox::scanned();
    for text in [
        "store = 'sqlite:/tmp/x'\n",
        "[hooks]\ntell = false\n",
        "[outcomes]\nkeep_days = 0\n",
        "[sessions]\nkeep_days = 0\n",
        "[projects]\nshare_worktrees = false\n",
        "[routes]\nlearn_from_prompts = true\n",
        "[routes]\nunused_days = 0\n",
        "[routes]\nmax_routes = 0\n",
    ] {
        let path = sandbox.write("project/staleness.toml", text);
        let (code, line) = refused(&sandbox, &["tools"]);
        assert_eq!(code, 3);
        assert!(line.contains(path.to_str().unwrap()) && line.contains("may not set"), "{line}");
    }
    sandbox.write(
        "project/staleness.toml",
        "ignore = ['github']\n[tools]\nunseen_days = 3\n[routes]\nsame_cosine = 0.99\n",
    );
    sandbox.ok(&["tools"]);
}

#[test]
fn values_on_the_command_line_and_in_the_environment_are_checked() {
    let sandbox = Sandbox::scanned();
    for (set, part) in [
        ("tools.unseen_day=3", "unseen_day"),
        ("tools.unseen_days=-1", "whole number"),
        ("nothing.at=all", "nothing"),
        ("tools.rule={k_of_n={k=9,n=5}}", "--set"),
    ] {
        let (code, line) = refused(&sandbox, &["--set", set, "tools"]);
        assert_eq!(code, 3);
        assert!(line.contains(part) && line.contains("--set"), "{line}");
        let run = sandbox.command().env("STALENESS_SET", set).arg("tools").output().unwrap();
        let run = Run::of(run);
        assert_eq!(run.code, 3, "{run:?}");
        assert!(run.err.contains("STALENESS_SET"), "{run:?}");
    }
}

#[test]
fn a_line_end_in_a_path_does_not_end_the_line() {
    let sandbox = Sandbox::new();
    sandbox.write("odd\nname/staleness.toml", "broken = = ");
    let odd = sandbox.root().join("odd\nname");
    let odd = odd.to_str().unwrap();
    for args in [
        ["--project", "no\nsuch", "tools"],
        ["--project", odd, "tools"],
        ["--config", "no\nsuch", "tools"],
        ["scan", "--tools-json", "no\nsuch"],
    ] {
        let (code, line) = refused(&sandbox, &args);
        assert_eq!(code, 3, "{line}");
        assert!(line.contains("\\u{a}"), "{line}");
    }
}

#[test]
fn what_is_wrong_comes_with_the_next_step() {
    let sandbox = Sandbox::scanned();
    let path = |name: &str, text: &str| sandbox.write(name, text).to_str().unwrap().to_owned();
    let (plan, bad) = (path("plan.md", "# Plan\n"), path("bad.toml", "[tools\n"));
    table(
        &sandbox,
        &[
            (&["--config", "/nope", "tools"], 3, &["/nope", "choose another file with --config"]),
            (&["--config", &bad, "tools"], 3, &["bad.toml:1", "fix this line"]),
            (&["import", "/nope"], 3, &["/nope", "give a file to import"]),
            (&["import", "--from", "jsonl", &plan], 3, &["plan.md:1", "docs/import.md"]),
            (&["scan", "--tools-json", "/nope"], 3, &["/nope", "`tools/list`"]),
            (&["scan", "--tools-json", &plan], 3, &["plan.md:1", "`tools/list`"]),
            (&["knowledge", "add", "--body", "x", "--cite", "nope.rs:3"], 3, &["PATH:LINE"]),
            (&["init", "claude-code", "--yes"], 2, &["'--yes'", "see `staleness init --help`"]),
        ],
    );
    let near = |set: &str| refused(&sandbox, &["--set", set, "tools"]).1;
    let told = near("tools.unsen_days=3");
    assert!(
        told.ends_with("unknown field `unsen_days`; did you mean `tools.unseen_days`?\n"),
        "{told}"
    );
    assert!(!near("tools.zzz=3").contains("did you mean"));
}
