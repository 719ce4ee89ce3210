//! Tests with servers that answer too much, too late or not at all. The servers are shells, in which `cat` keeps a line
//! open.

use super::*;

/// Returns the launch of a shell that runs a script.
fn shell(script: &str) -> Launch {
    let args = vec!["-c".to_owned(), script.to_owned()];
    let env = BTreeMap::from([("SECRET".to_owned(), "hunter2".to_owned())]);
    let target = Target::Program { program: "sh".to_owned(), args, env };
    Launch { target, folder: std::env::temp_dir() }
}

/// Returns a script that answers the handshake, and then answers each line with a page.
fn server(page: &str) -> String {
    let hello = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}"#;
    format!(
        "read -r line; printf '%s\\n' '{hello}'; read -r line; id=0; \
         while read -r line; do id=$((id+1)); {page}; done"
    )
}

fn page(tools: &str, next: &str) -> String {
    format!(
        "printf '{{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{{\"tools\":[{tools}]{next}}}}}\\n' $id"
    )
}

fn limits(millis: u64) -> Limits {
    Limits { time: Duration::from_millis(millis), ..Limits::default() }
}

fn answer(launch: Launch, limits: Limits) -> Answer {
    let mut heard = Vec::new();
    let mut answers = ask(vec![launch], limits, &mut |place| heard.push(place)).expect("a runtime");
    assert_eq!(heard, [0]);
    answers.remove(0).expect("no interrupt")
}

const TOOL: &str = r#"{"name":"a","inputSchema":{"type":"object"}}"#;

#[test]
fn a_server_is_asked_for_every_page() {
    let next = format!(
        "if [ $id = 1 ]; then {}; else {}; fi",
        page(TOOL, r#","nextCursor":"x""#),
        page(&TOOL.replace("\"a\"", "\"b\""), "")
    );
    let text = answer(shell(&server(&next)), limits(10_000)).expect("it answers");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["tools"].as_array().map(Vec::len), Some(2), "{text}");
    assert!(value.get("nextCursor").is_none(), "{text}");
}

#[test]
fn whatever_a_server_does_it_is_told_in_words_of_ours() {
    let flood = "while :; do echo 'hunter2 hunter2 hunter2 hunter2 hunter2 hunter2 hunter2'; done";
    let few = Limits { bytes: 100_000, ..limits(10_000) };
    for (script, limits, expected) in [
        ("sleep 60".to_owned(), limits(700), "no answer within 0 s"),
        (
            "printf '{\n'; sleep 60".to_owned(),
            limits(700),
            "no answer within 0 s: its last line is not a complete JSON message",
        ),
        (
            "exit 3".to_owned(),
            limits(10_000),
            "it exited before it listed its tools, with exit code 3",
        ),
        ("echo hunter2; exit 0".to_owned(), limits(10_000), "it exited before it listed its tools"),
        (flood.to_owned(), few, "it sent too much"),
        ("head -c 9000000 /dev/zero; sleep 60".to_owned(), limits(10_000), "it sent too much"),
        (format!("{}; sleep 60", server("head -c 9000000 /dev/zero")), limits(10_000), "too much"),
        (
            server("exit 7"),
            limits(10_000),
            "it exited before it listed its tools, with exit code 7",
        ),
        (
            server(
                r#"printf '{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"hunter2"}}\n' $id"#,
            ),
            limits(10_000),
            "it answered with an error",
        ),
    ] {
        let why = answer(shell(&script), limits).expect_err(&script);
        assert!(why.contains(expected) && !why.contains("hunter2"), "{script}: {why}");
        assert_eq!(why.contains("last line"), expected.contains("last line"), "{script}: {why}");
    }
    for (program, folder, expected) in [
        ("/there/is/none", std::env::temp_dir(), "cannot be started: there is no such program"),
        ("sh", "/there/is/none".into(), "cannot be started: its folder does not exist"),
        (
            "sh\0",
            std::env::temp_dir(),
            "cannot be started: its command contains invalid characters",
        ),
    ] {
        let target =
            Target::Program { program: program.into(), args: Vec::new(), env: BTreeMap::new() };
        assert_eq!(answer(Launch { target, folder }, limits(1_000)), Err(expected.to_owned()));
    }
}

#[test]
fn a_malformed_tool_hides_no_other() {
    for (odd, name) in [
        (r#"{"name":5}"#, serde_json::json!(5)),
        (r#"{"name":"b","name":"c","inputSchema":{}}"#, "c".into()),
        (r#"{"name":"b\\ud800","inputSchema":{}}"#, "b\u{fffd}".into()),
        (r#"{"name":"b\377","inputSchema":{}}"#, "b\u{fffd}".into()),
        (r#"{"name":"b"}"#, "b".into()),
    ] {
        let script = server(&page(&format!("{odd},{TOOL}"), ""));
        let text = answer(shell(&script), limits(10_000)).expect(odd);
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let names: Vec<_> =
            value["tools"].as_array().expect(odd).iter().map(|t| &t["name"]).collect();
        assert_eq!(names, [&name, &serde_json::json!("a")], "{odd}");
    }
    let none = server(&page("", "").replace("[]", "5"));
    assert_eq!(answer(shell(&none), limits(10_000)), Err(NO_LIST.to_owned()));
}

#[cfg(not(feature = "http"))]
#[test]
fn without_http_a_server_that_needs_it_is_told_how_to_get_it() {
    let headers = BTreeMap::from([("X".to_owned(), "hunter2".to_owned())]);
    let target = Target::Http { url: "http://127.0.0.1:1/hunter2".into(), headers };
    let why = answer(Launch { target, folder: "/".into() }, limits(1_000)).unwrap_err();
    assert!(why.contains("--features http") && !why.contains("hunter2"), "{why}");
}

#[test]
fn a_list_without_an_end_is_cut_and_says_so() {
    let many = format!("{TOOL},").repeat(50);
    let endless = page(many.trim_end_matches(','), r#","nextCursor":"x""#);
    for limits in [Limits { tools: 60, ..limits(20_000) }, Limits { pages: 2, ..limits(20_000) }] {
        let text = answer(shell(&server(&endless)), limits).expect("it answers");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["tools"].as_array().map(Vec::len), Some(100));
        assert_eq!(value["nextCursor"], "more");
    }
}

/// Creates a pipe in a folder, and returns the words by which a script holds it open for everything that it starts.
#[cfg(unix)]
fn pipe(folder: &Path) -> (std::path::PathBuf, String) {
    let path = folder.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo is there").success());
    let hold = format!("exec 3>'{}'; ", path.display());
    (path, hold)
}

#[cfg(unix)]
#[test]
fn nothing_that_a_server_started_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let (pipe, hold) = pipe(folder.path());
    // The read ends when no process holds the pipe open any more.
    let ended = std::thread::spawn(|| std::fs::read(pipe));
    // Neither closed input nor a polite signal ends these.
    let stay = "while :; do sleep 1; done";
    let all =
        format!("{hold}trap '' TERM; (trap '' TERM; {stay}) & {}; {stay}", server(&page(TOOL, "")));
    answer(shell(&all), limits(60_000)).expect("it answers");
    assert!(ended.join().expect("no panic").expect("a pipe").is_empty());
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_what_runs_and_starts_nothing_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("one");
    let (pipe, hold) = pipe(folder.path());
    let stop = Ended::default();
    let ended = std::thread::spawn({
        let stop = stop.clone();
        move || {
            let mut pipe = std::fs::File::open(pipe)?;
            // It runs.
            stop.end();
            std::io::Read::read_to_end(&mut pipe, &mut Vec::new())
        }
    });
    let stays = format!("{hold}while :; do sleep 1; done");
    let asked = runtime.block_on(ask_one(shell(&stays), limits(60_000), stop.clone()));
    assert!(asked.is_none());
    assert_eq!(ended.join().expect("no panic").expect("a pipe"), 0);
    let trap = folder.path().join("started");
    let start = shell(&format!(": > '{}'", trap.display()));
    assert!(runtime.block_on(ask_one(start, limits(60_000), stop)).is_none());
    assert!(!trap.exists());
}
