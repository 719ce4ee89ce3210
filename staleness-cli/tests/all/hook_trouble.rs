//! A hook never breaks its host: whatever is wrong, it exits 0 and keeps its mouth shut.

use std::fs;

use serde_json::json;

use crate::common::{Run, Sandbox, line, used};

/// Runs the hook on something that it cannot use: silent, one line with `--verbose`, nothing
/// recorded.
fn ignored(sandbox: &Sandbox, args: &[&str], payload: &[u8]) {
    let shown = String::from_utf8_lossy(&payload[..payload.len().min(80)]).into_owned();
    let before = sandbox.recorded();
    let run = sandbox.hook_with(args, payload);
    assert_eq!(run, Run { code: 0, out: String::new(), err: String::new() }, "{args:?} {shown}");
    let said = sandbox.hook_with(&[args, &["--verbose"]].concat(), payload);
    assert_eq!((said.code, said.out.as_str()), (0, ""), "{args:?} {shown}");
    assert_eq!(said.err.lines().count(), 1, "{args:?} {shown}: {said:?}");
    assert!(said.err.starts_with("error: "), "{said:?}");
    assert_eq!(sandbox.recorded(), before, "{args:?} {shown}");
}

#[test]
fn payloads_that_make_no_sense() {
    let sandbox = Sandbox::scanned();
    let payloads: [&[u8]; 14] = [
        b"",
        b"   \n",
        b"not json",
        b"{\"hook_event_name\": \"PostToolUse\"",
        b"\xff\xfe{}",
        b"[]",
        b"null",
        b"{}",
        br#"{"hook_event_name": 7}"#,
        br#"{"hook_event_name": "PostToolUse"}"#,
        br#"{"hook_event_name": "PostToolUse", "tool_name": ["a"]}"#,
        br#"{"hook_event_name": "PostToolUse", "tool_name": ""}"#,
        br#"{"hook_event_name": "PostToolUse", "tool_name": "a\nb"}"#,
        br#"{"hook_event_name": "PostToolUse", "tool_name": "a", "session_id": {}}"#,
    ];
    for payload in payloads {
        ignored(&sandbox, &[], payload);
    }
    let long = used("PostToolUse", &"a".repeat(513), "t");
    ignored(&sandbox, &[], long.to_string().as_bytes());
}

#[test]
fn a_payload_of_nine_mebibytes() {
    let sandbox = Sandbox::scanned();
    let mut payload = used("PostToolUse", "Big", "t1");
    payload["tool_response"] = json!("x".repeat(9 * 1024 * 1024));
    ignored(&sandbox, &[], payload.to_string().as_bytes());
    payload["tool_response"] = json!("x".repeat(7 * 1024 * 1024));
    sandbox.hook(&payload);
    assert_eq!(sandbox.tool("Big")["uses"], 1);
}

#[test]
fn options_that_make_no_sense() {
    let sandbox = Sandbox::scanned();
    let payload = used("PostToolUse", "Tool", "t1").to_string();
    let options = "--bogus,--client vim,--client,--event,stray,--now tomorrow,--store nowhere,\
                   --project /no/such,--color pink,--explain=7,--fail-on stale";
    for args in options.split(',').map(line) {
        let args = &args[..];
        ignored(&sandbox, args, payload.as_bytes());
    }
}

#[test]
fn only_the_hook_itself_is_forgiving() {
    let sandbox = Sandbox::scanned();
    for args in ["record hook --bogus", "tools show hook --bogus", "--project hook --bogus"] {
        let args = line(args);
        assert_eq!(sandbox.run(&args).code, 2, "{args:?}");
    }
    let project = ["--project", "tools", "hook", "--bogus"];
    assert_eq!(sandbox.run(&project), Run { code: 0, out: String::new(), err: String::new() });
}

#[test]
fn a_broken_policy_does_not_stop_the_recording() {
    let sandbox = Sandbox::scanned();
    for (at, path) in
        ["project/staleness.toml", "home/.config/staleness/staleness.toml"].into_iter().enumerate()
    {
        let file = sandbox.write(path, "[tools\n");
        let run = sandbox.hook(&used("PostToolUse", "Tool", &format!("t{at}")));
        assert_eq!(run, Run { code: 0, out: String::new(), err: String::new() });
        fs::remove_file(file).unwrap();
    }
    for set in ["nonsense", "tools.unseen_days=x"] {
        let payload = used("PostToolUse", "Tool", set).to_string();
        sandbox.hook_with(&["--set", set], payload.as_bytes());
    }
    assert_eq!(sandbox.tool("Tool")["uses"], 4);
}

/// A repository must not undo what the user decided by breaking its own file.
#[test]
fn a_projects_broken_policy_leaves_the_users_in_force() {
    let sandbox = Sandbox::scanned();
    for at in 0..3 {
        sandbox.ok(&["record", "/flaky", "--failure", "--id", &at.to_string()]);
    }
    let users = "[hooks]\ntell = false\n[knowledge]\nreview_from = 0.6\n";
    sandbox.write("home/.config/staleness/staleness.toml", users);
    let start = |id| sandbox.session_start(&sandbox.project, id, "startup");
    assert_eq!(start("s1"), None);
    for text in [
        "[tools\n",
        "store = 'sqlite:/elsewhere'\n",
        "[tools]\nunseen_days = -1\n",
        "[knowledge]\nfresh_from = 0.5\n",
    ] {
        sandbox.write("project/staleness.toml", text);
        assert_eq!(start(text.trim()), None, "{text}");
    }
    fs::remove_file(sandbox.root().join("home/.config/staleness/staleness.toml")).unwrap();
    assert!(start("s2").unwrap().contains("/flaky"));
}

#[test]
fn nothing_is_removed_under_a_policy_that_cannot_be_read() {
    let sandbox = Sandbox::scanned();
    let user = "home/.config/staleness/staleness.toml";
    let keep = "[outcomes]\nkeep_days = 3650\n";
    sandbox.write(user, format!("{keep}nonsense = 1\n"));
    for id in ["a", "b", "c"] {
        sandbox.hook(&used("PostToolUse", "Old", id));
    }
    let end = || {
        let payload = json!({ "session_id": "s", "hook_event_name": "SessionEnd",
            "cwd": sandbox.project });
        let few = ["--now", "2027-11-20", "--set", "outcomes.keep_newest=2"];
        let run = sandbox.hook_with(&few, payload.to_string().as_bytes());
        assert_eq!(run, Run { code: 0, out: String::new(), err: String::new() });
    };
    let kept = || sandbox.json(&["prune", "--dry-run"])["outcomes"]["kept"].as_u64().unwrap();
    end();
    sandbox.write(user, keep);
    assert_eq!(kept(), 3);
    end();
    assert_eq!(kept(), 3, "ten years are kept");
    fs::remove_file(sandbox.root().join(user)).unwrap();
    end();
    assert_eq!(kept(), 2);
}

#[cfg(unix)]
#[test]
fn a_policy_that_leads_out_of_the_project_is_not_followed() {
    let sandbox = Sandbox::scanned();
    let file = sandbox.project.join("staleness.toml");
    let outside = sandbox.write("outside.toml", "ignore = ['secret-name']\n");
    // The last of these claims to be empty, and can be read for ever.
    for target in [outside.as_path(), "/dev/zero".as_ref(), "/proc/self/pagemap".as_ref()] {
        if !target.exists() {
            continue;
        }
        std::os::unix::fs::symlink(target, &file).unwrap();
        let run = sandbox.run(&["config", "show"]);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{target:?}: {run:?}");
        assert!(!run.err.contains("secret-name") && run.err.lines().count() == 1, "{run:?}");
        let payload = used("PostToolUse", "Tool", &target.display().to_string());
        let silent = Run { code: 0, out: String::new(), err: String::new() };
        assert_eq!(sandbox.hook(&payload), silent, "{target:?}");
        fs::remove_file(&file).unwrap();
        if target != outside {
            let own = sandbox.run(&["--config", target.to_str().unwrap(), "tools"]);
            assert_eq!((own.code, own.err.lines().count()), (3, 1), "{own:?}");
        }
    }
    std::os::unix::fs::symlink("inside.toml", &file).unwrap();
    sandbox.write("project/inside.toml", "ignore = ['x']\n");
    assert!(sandbox.ok(&["config", "show"]).contains("staleness.toml"));
}

/// Breaks the store in one way, runs every kind of hook, and mends it again.
fn with_broken_store(breaks: impl Fn(&Sandbox), mends: impl Fn(&Sandbox)) {
    let sandbox = Sandbox::scanned();
    sandbox.ok(&["record", "Kept", "--success"]);
    let before = sandbox.recorded();
    breaks(&sandbox);
    let broken = sandbox.files();
    let session = |event: &str| json!({ "session_id": "s", "hook_event_name": event, "cwd": sandbox.project });
    for payload in [
        used("PostToolUse", "New", "n1"),
        used("PostToolUseFailure", "Kept", "n2"),
        session("SessionStart"),
        session("ConfigChange"),
        session("SessionEnd"),
    ] {
        let run = sandbox.hook(&payload);
        assert_eq!(run, Run { code: 0, out: String::new(), err: String::new() }, "{payload}");
        let said = sandbox.hook_with(&["--verbose"], payload.to_string().as_bytes());
        assert_eq!((said.code, said.out.as_str()), (0, ""), "{payload}");
        assert_eq!(said.err.lines().count(), 1, "{payload}: {said:?}");
    }
    for (path, bytes) in &broken {
        // The first hundred bytes are the header; a copy is put into write-ahead mode there.
        let now = fs::read(path).unwrap();
        assert!(now.get(100..) == bytes.get(100..), "{} was touched", path.display());
    }
    mends(&sandbox);
    assert_eq!(sandbox.recorded(), before, "what was recorded is intact");
}

/// Puts a file in the store's place, and the store itself aside with its log.
fn aside(sandbox: &Sandbox, instead: impl Fn(&std::path::Path)) {
    let folder = sandbox.store().parent().unwrap().to_owned();
    fs::rename(&folder, sandbox.root().join("aside")).unwrap();
    fs::create_dir(&folder).unwrap();
    instead(&sandbox.store());
}

fn back(sandbox: &Sandbox) {
    let folder = sandbox.store().parent().unwrap().to_owned();
    fs::remove_dir_all(&folder).unwrap();
    fs::rename(sandbox.root().join("aside"), folder).unwrap();
}

#[test]
fn a_store_that_is_a_folder() {
    with_broken_store(|sandbox| aside(sandbox, |store| fs::create_dir(store).unwrap()), back);
}

#[test]
fn a_store_that_is_no_database() {
    let text = "just a text, and long enough to be looked at. ".repeat(100);
    with_broken_store(|sandbox| aside(sandbox, |store| fs::write(store, &text).unwrap()), back);
}

#[test]
fn a_store_below_a_file() {
    with_broken_store(
        |sandbox| {
            let folder = sandbox.store().parent().unwrap().to_owned();
            fs::rename(&folder, sandbox.root().join("aside")).unwrap();
            fs::write(folder, "a file").unwrap();
        },
        |sandbox| {
            let folder = sandbox.store().parent().unwrap().to_owned();
            fs::remove_file(&folder).unwrap();
            fs::rename(sandbox.root().join("aside"), folder).unwrap();
        },
    );
}

#[test]
fn a_store_of_a_newer_program() {
    let newer = |sandbox: &Sandbox| {
        let copy = sandbox.root().join("copy.db");
        sandbox.ok(&["backup", copy.to_str().unwrap()]);
        let mut bytes = fs::read(&copy).unwrap();
        crate::store_trouble::set_format(&mut bytes, 99);
        aside(sandbox, |store| fs::write(store, &bytes).unwrap());
    };
    with_broken_store(newer, back);
}
