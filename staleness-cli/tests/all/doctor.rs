//! `doctor` and `config`: is everything in order, and what is in force?

use serde_json::Value;

use crate::common::Sandbox;

fn check(report: &Value, name: &str) -> (String, String) {
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == name).unwrap();
    (check["state"].as_str().unwrap().into(), check["detail"].as_str().unwrap().into())
}

#[test]
fn all_is_well_before_and_after_the_first_scan() {
    let sandbox = Sandbox::with_servers(&["github"]);
    let report = sandbox.json(&["doctor"]);
    assert_eq!(report["ok"], true);
    assert!(check(&report, "store").1.contains("does not exist yet"), "{report}");
    assert_eq!(check(&report, "scan").0, "warn", "there is something to record");
    sandbox.ok(&["scan"]);
    let report = sandbox.json(&["doctor"]);
    for name in ["policy", "project", "store", "integrity", "sources", "scan"] {
        assert_eq!(check(&report, name).0, "ok", "{name}: {report}");
    }
}

#[test]
fn a_policy_that_cannot_be_read_is_a_failed_check_and_not_the_end() {
    let sandbox = Sandbox::scanned();
    sandbox.write("home/.config/staleness/staleness.toml", "[tools]\nunseen_days = 'x'\n");
    let doctor = || {
        let run = sandbox.run(&["doctor", "--json"]);
        (run.code, serde_json::from_str::<Value>(&run.out).unwrap())
    };
    let (code, report) = doctor();
    assert_eq!((code, &report["ok"]), (3, &false.into()));
    assert_eq!(check(&report, "policy").0, "fail", "{report}");
    assert_eq!(check(&report, "integrity").0, "ok", "{report}");
    for args in [
        &[][..],
        &["scan"],
        &["tools"],
        &["check"],
        &["review"],
        &["work"],
        &["knowledge"],
        &["routes"],
        &["config", "show"],
        &["prune"],
        &["export"],
    ] {
        assert_eq!(sandbox.run(args).code, 3, "as the doctor: {args:?}");
    }
    std::fs::write(sandbox.store(), "x".repeat(9_000)).unwrap();
    assert_eq!(doctor().0, 4, "trouble with the store weighs more");
}

#[cfg(unix)]
#[test]
fn a_store_that_cannot_be_written_is_a_failed_check() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::scanned();
    let store = sandbox.store();
    std::fs::set_permissions(&store, PermissionsExt::from_mode(0o400)).unwrap();
    let run = sandbox.run(&["doctor", "--json"]);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((run.code, check(&report, "writing").0), (4, "fail".into()), "{report}");
    std::fs::set_permissions(&store, PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(sandbox.run(&["doctor"]).code, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn where_no_store_is_yet_its_folder_is_tried() {
    let sandbox = Sandbox::new();
    let report = |data: &str| -> Value {
        let mut command = sandbox.command();
        command.env("XDG_DATA_HOME", data).args(["doctor", "--json"]);
        serde_json::from_slice(&command.output().unwrap().stdout).unwrap()
    };
    // Nobody may write there, whoever runs this.
    let refused = report("/proc/self/none");
    assert_eq!((&refused["ok"], check(&refused, "writing").0), (&false.into(), "fail".into()));
    assert!(check(&refused, "writing").1.starts_with("/proc/self: "), "{refused}");
    assert_eq!(check(&refused, "file_system"), ("ok".into(), "proc".into()));
    let data = sandbox.root().join("data").display().to_string();
    let fine = report(&data);
    assert_eq!(fine["ok"], true);
    assert!(fine["checks"].as_array().unwrap().iter().all(|check| check["name"] != "writing"));
    assert_eq!(sandbox.files().len(), 0, "nothing of the trial is left");
}

#[test]
fn a_source_in_trouble_is_a_warning_with_its_place() {
    let sandbox = Sandbox::scanned();
    sandbox.write("home/.cursor/mcp.json", "{\n  \"mcpServers\": {\n");
    let report = sandbox.json(&["doctor"]);
    assert_eq!(report["ok"], true, "a warning is no failure");
    let (state, detail) = check(&report, "sources");
    assert_eq!(state, "warn");
    assert!(detail.contains("cursor/user/mcp") && detail.contains("mcp.json"), "{detail}");
}

/// Bug: a misspelt entry that Claude Code skips counted as configured.
#[test]
fn an_entry_that_its_client_skips_is_a_warning_and_its_server_is_told_as_gone_with_the_mend() {
    let sandbox = Sandbox::new();
    let start = |session: &str, servers: &str| {
        let servers = format!(r#"{{"mcpServers": {{"kept": {{"command": "x"}}, {servers}}}}}"#);
        sandbox.write("home/.claude.json", servers);
        sandbox.start_of("claude-code", session)
    };
    let mended = r#""odd": {"command": "x"}"#;
    start("c1", mended);
    sandbox.ok(&["record", "mcp__odd__find", "--success", "--agent", "claude-code"]);
    let told = start("c2", r#""odd": {"comand": "x"}, "new": {"url": "u"}"#);
    let why = "its client refuses its entry or the whole file: ask the user to run `staleness \
               doctor` and correct the file";
    assert!(told.contains(&format!("do not call: `mcp__odd__*` ({why})")), "{told}");
    assert!(!told.contains("kept") && !told.contains("new"), "{told}");
    assert_eq!(sandbox.status("mcp__odd__find"), "stale");
    let (state, detail) = check(&sandbox.json(&["doctor"]), "sources");
    assert_eq!(state, "warn");
    let what = ".claude.json:1: Claude Code skips `odd`: `command` is missing; add it (and 1 more)";
    assert!(detail.starts_with("claude-code/user/mcp: ") && detail.ends_with(what), "{detail}");
    let told = start("c3", mended);
    assert!(told.contains("Available again: `mcp__odd__*`"), "{told}");
    assert_eq!(check(&sandbox.json(&["doctor"]), "sources").0, "ok");
}

#[cfg(unix)]
#[test]
fn a_store_that_others_may_read_is_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::scanned();
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(sandbox.store(), open).unwrap();
    let (state, detail) = check(&sandbox.json(&["doctor"]), "store");
    assert_eq!(state, "warn");
    assert!(detail.contains("chmod 600"), "{detail}");
}

#[test]
fn a_home_that_is_not_there_is_a_warning_and_proves_nothing() {
    let sandbox = Sandbox::scanned();
    let gone = ["--home", "/no/such/home"];
    let (state, detail) = check(&sandbox.json(&[&gone[..], &["doctor"]].concat()), "home");
    assert_eq!(state, "warn");
    assert!(detail.contains("/no/such/home"), "{detail}");
    let run = sandbox.run(&[&gone[..], &["scan"]].concat());
    assert_eq!(run.code, 0);
    assert!(run.err.contains("/no/such/home") && run.err.lines().count() == 1, "{run:?}");
    assert_eq!(sandbox.run(&[&gone[..], &["scan", "--quiet"]].concat()).err, "");
    assert_eq!(sandbox.status("github"), "active");
}

#[test]
fn every_value_is_shown_with_where_it_came_from() {
    let sandbox = Sandbox::new();
    let user = sandbox.write(
        "home/.config/staleness/staleness.toml",
        "[tools]\nunseen_days = 10\nprobation_minutes = 5\n[outcomes]\nkeep_days = 30\n",
    );
    let project = sandbox.write("project/staleness.toml", "[tools]\nunseen_days = 11\n");
    let mut command = sandbox.command();
    command.env("STALENESS_SET", "ranking.window=7;outage.percent=60");
    let args = ["config", "show", "--json", "--set", "ranking.window=8"];
    let shown: Value =
        serde_json::from_slice(&command.args(args).output().unwrap().stdout).unwrap();
    let value = |key: &str| {
        let values = shown["values"].as_array().unwrap();
        let value = values.iter().find(|value| value["key"] == key).unwrap();
        (value["value"].to_string(), value["source"].as_str().unwrap().to_owned())
    };
    let (user, project) = (user.display().to_string(), project.display().to_string());
    assert_eq!(value("tools.unseen_days"), ("11".into(), project));
    assert_eq!(value("tools.probation_minutes"), ("5".into(), user.clone()));
    assert_eq!(value("outcomes.keep_days"), ("30".into(), user));
    assert_eq!(value("outage.percent"), ("60".into(), "environment".into()));
    assert_eq!(value("ranking.window"), ("8".into(), "flag".into()));
    assert_eq!(value("tools.demote"), ("true".into(), "default".into()));
}

#[test]
fn the_paths_of_the_policy_follow_options_and_environment() {
    let sandbox = Sandbox::new();
    let paths = |args: &[&str], variable: Option<(&str, &str)>| {
        let mut command = sandbox.command();
        command.args(args).args(["config", "path", "--json"]).envs(variable);
        let shown: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        let value = &shown["values"][0];
        assert_eq!(value["key"], "user");
        (value["value"].as_str().unwrap().to_owned(), value["source"].as_str().unwrap().to_owned())
    };
    let home = sandbox.home.join(".config/staleness/staleness.toml").display().to_string();
    assert_eq!(paths(&[], None), (home, "missing".into()));
    let xdg = paths(&[], Some(("XDG_CONFIG_HOME", "/etc/xdg")));
    assert_eq!(xdg.0, "/etc/xdg/staleness/staleness.toml");
    let own = sandbox.write("own.toml", "").display().to_string();
    assert_eq!(paths(&["--config", &own], None), (own.clone(), "file".into()));
    assert_eq!(paths(&[], Some(("STALENESS_CONFIG", &own))), (own.clone(), "file".into()));
    let text = sandbox.ok(&["config", "path"]);
    assert!(text.contains("project  ") && text.contains("(not there)"), "{text}");
}

#[test]
fn the_size_of_a_store_is_told_with_its_log_and_what_waits() {
    let sandbox = Sandbox::scanned();
    let store = sandbox.store();
    let beside = |ending: &str| {
        let mut path = store.clone().into_os_string();
        path.push(ending);
        std::path::PathBuf::from(path)
    };
    // Whoever has it open keeps the log.
    let open = rusqlite::Connection::open(&store).unwrap();
    open.execute_batch("SELECT * FROM sqlite_schema").unwrap();
    sandbox.ok(&["record", "mcp__github__search", "--success"]);
    std::fs::create_dir_all(beside(".spool")).unwrap();
    std::fs::write(beside(".spool").join("1.refused"), [0; 5_000]).unwrap();
    let log = beside("-wal").metadata().unwrap().len();
    assert_ne!(log, 0);
    let bytes = store.metadata().unwrap().len() + log + 5_000;
    let report: Value = serde_json::from_str(&sandbox.run(&["doctor", "--json"]).out).unwrap();
    let told = check(&report, "store").1;
    assert!(told.ends_with(&format!(", {} KiB", bytes.div_ceil(1024))), "{bytes}: {told}");
}
