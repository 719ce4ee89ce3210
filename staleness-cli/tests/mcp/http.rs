//! The server over HTTP, with the feature `http`, as a client sees it on the wire.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Machine;

mod scope;
mod shares;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const OTHER: &str = "fedcba9876543210fedcba9876543210";

struct Site {
    child: Child,
    host: String,
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    /// The last message of the answer, whether it is a stream of events or JSON.
    fn message(&self) -> Value {
        let line = self.body.lines().rev().find(|line| line.starts_with("data: {"));
        let text = line.map_or(self.body.as_str(), |line| &line["data: ".len()..]);
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

fn tokens(machine: &Machine, text: &str) -> PathBuf {
    let file = machine.root.join("tokens");
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    file
}

fn start(machine: &Machine) -> Site {
    start_with(machine, "true")
}

/// Starts the server after a command of the shell.
fn start_with(machine: &Machine, setup: &str) -> Site {
    let other = machine.root.join("other");
    std::fs::create_dir_all(other.join(".git")).unwrap();
    let (project, other) = (machine.project.display(), other.display());
    let file = tokens(machine, &format!("# two\n{TOKEN} {project}\n\n{OTHER}\tglobal {other}\n"));
    let file = file.to_str().unwrap();
    let plain = machine.command(&["mcp", "--http", "0", "--tokens", file]);
    let mut command = Command::new("sh");
    let given = plain.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.arg("-c").arg(format!("{setup}; exec \"$0\" \"$@\"")).env_clear().envs(given);
    command.arg(plain.get_program()).args(plain.get_args()).current_dir(&machine.project);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let host = line.strip_prefix("serving http://").and_then(|rest| rest.split_once('/'));
    let (host, rest) = host.unwrap_or_else(|| panic!("{line:?}"));
    assert_eq!(rest, "mcp for 2 tokens\n");
    Site { child, host: host.to_owned() }
}

impl Site {
    /// Tells the server to end, which it does soon.
    fn end(&mut self) {
        let since = Instant::now();
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
        assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
    }

    /// Sends a request on a connection of its own.
    fn open(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if headers.iter().all(|(name, _)| *name != "host") {
            request += &format!("host: {}\r\n", self.host);
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("content-length: {}\r\n\r\n{body}", body.len());
        // A server that refuses early need not read all.
        let _ = stream.write_all(request.as_bytes());
        stream
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        answer(self.open(method, path, headers, body))
    }

    fn ask(&self, token: &str, more: &[(&str, &str)], message: &Value) -> TcpStream {
        let bearer = format!("Bearer {token}");
        let mut headers = vec![
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        headers.extend(more);
        self.open("POST", "/mcp", &headers, &message.to_string())
    }

    fn post(&self, token: &str, more: &[(&str, &str)], message: &Value) -> Answer {
        answer(self.ask(token, more, message))
    }

    /// Begins a session, and returns its id.
    fn begin(&self, token: &str, name: &str) -> String {
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": name, "version": "1" } });
        let answer = self.post(token, &[], &request("initialize", params));
        assert_eq!(answer.status, 200, "{} {}", answer.head, answer.body);
        assert_eq!(answer.message()["result"]["serverInfo"]["name"], "staleness");
        let session = answer.header("mcp-session-id").unwrap().to_owned();
        let begun = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.post(token, &[("mcp-session-id", &session)], &begun).status, 202);
        session
    }

    fn call(&self, token: &str, session: &str, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        let in_session = [("mcp-session-id", session)];
        let answer = self.post(token, &in_session, &request("tools/call", params));
        assert_eq!(answer.status, 200, "{} {}", answer.head, answer.body);
        answer.message()["result"].clone()
    }
}

/// Reads an answer to its end.
fn answer(mut stream: TcpStream) -> Answer {
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
    }
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).unwrap_or("0").parse().unwrap();
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

/// The headers and the message of a call without a session.
fn stateless(name: &str, arguments: Value) -> ([(&'static str, String); 3], Value) {
    let about = |key: &str| format!("io.modelcontextprotocol/{key}");
    let params = json!({ "name": name, "arguments": arguments, "_meta": {
        about("protocolVersion"): "2026-07-28", about("clientCapabilities"): {},
        about("clientInfo"): { "name": "codex", "version": "1" },
    } });
    let headers = [
        ("mcp-protocol-version", "2026-07-28".to_owned()),
        ("mcp-method", "tools/call".to_owned()),
        ("mcp-name", name.to_owned()),
    ];
    (headers, request("tools/call", params))
}

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

fn claim(machine: &Machine) -> Value {
    let shown = machine.ok(&["work", "show", "p", "--json"]);
    serde_json::from_str::<Value>(&shown).unwrap()["claim"].clone()
}

fn is_over(claim: &Value) -> bool {
    claim["until"].as_str().unwrap() <= staleness::clock::now().to_string().as_str()
}

/// Asks again and again for what another process does soon.
fn soon(holds: impl Fn() -> bool) -> bool {
    let since = Instant::now();
    std::iter::repeat_with(holds).take_while(|_| since.elapsed().as_secs() < 30).any(|it| it)
}

#[test]
fn a_session_is_told_news_once_and_its_claims_end_with_it() {
    let machine = Machine::new();
    machine.ok(&["work", "add", "plan", "Move the parser", "--id", "p"]);
    let site = start(&machine);
    let session = site.begin(TOKEN, "claude-code");
    let told = site.call(TOKEN, &session, "resume_session", json!({}));
    assert!(told.to_string().contains("`p`"), "{told}");
    let told = site.call(TOKEN, &session, "resume_session", json!({}));
    assert!(!told["structuredContent"]["items"].to_string().contains("\"p\""), "{told}");
    let claimed = json!({ "action": "claim", "id": "p" });
    let claimed = site.call(TOKEN, &session, "work_item", claimed);
    assert_eq!(claimed["isError"], false, "{claimed}");
    assert_eq!(claim(&machine)["agent"], "claude-code");
    let bearer = format!("Bearer {TOKEN}");
    let ends = [("authorization", bearer.as_str()), ("mcp-session-id", session.as_str())];
    let ended = site.send("DELETE", "/mcp", &ends, "");
    assert_eq!(ended.status, 204, "{}", ended.head);
    assert!(soon(|| is_over(&claim(&machine))), "{}", claim(&machine));
    let gone = site.post(TOKEN, &[("mcp-session-id", &session)], &request("tools/list", json!({})));
    assert_eq!(gone.status, 404, "{}", gone.body);
}

#[test]
fn a_request_without_a_session_keeps_its_claim() {
    let machine = Machine::new();
    machine.ok(&["work", "add", "plan", "Move the parser", "--id", "p"]);
    let mut site = start(&machine);
    let (headers, message) = stateless("work_item", json!({ "action": "claim", "id": "p" }));
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let answer = site.post(TOKEN, &headers, &message);
    assert_eq!(answer.status, 200, "{} {}", answer.head, answer.body);
    assert_eq!(answer.message()["result"]["isError"], false, "{}", answer.body);
    site.end();
    assert_eq!(claim(&machine)["agent"], "codex");
    assert!(!is_over(&claim(&machine)), "{}", claim(&machine));
}

#[test]
fn a_token_opens_its_own_project_only() {
    let machine = Machine::new();
    machine.ok(&["work", "add", "plan", "Move the parser", "--id", "p"]);
    std::fs::create_dir(machine.project.join("sub")).unwrap();
    let site = start(&machine);
    let own = site.begin(TOKEN, "claude-code");
    let sub = machine.project.join("sub");
    let list = |project: Value| json!({ "action": "list", "project": project });
    let listed = site.call(TOKEN, &own, "work_item", list(json!(sub)));
    assert!(listed.to_string().contains("`p`"), "{listed}");
    let other = site.begin(OTHER, "claude-code");
    let listed = site.call(OTHER, &other, "work_item", json!({ "action": "list" }));
    assert!(!listed.to_string().contains("`p`"), "{listed}");
    std::os::unix::fs::symlink(&machine.project, machine.root.join("other/link")).unwrap();
    std::fs::create_dir_all(machine.root.join("other/nested/.git")).unwrap();
    for folder in ["project", "project/sub", "other/../project", "other/link", "other/nested", "no"]
    {
        let refused = site.call(OTHER, &other, "work_item", list(json!(machine.root.join(folder))));
        let why = refused["structuredContent"]["error"]["message"].as_str();
        assert_eq!(why, Some("your token is for another project"), "{folder}: {refused}");
    }
    // A session belongs to its token.
    let stolen = [("mcp-session-id", own.as_str())];
    let stolen = site.post(OTHER, &stolen, &request("tools/list", json!({})));
    assert_eq!(stolen.status, 404, "{}", stolen.body);
}

#[test]
fn what_is_not_allowed_is_refused_before_it_is_read() {
    let machine = Machine::new();
    let site = start(&machine);
    let hello = request("tools/list", json!({}));
    for token in ["", "wrong", &TOKEN[1..], &format!("{TOKEN}0"), &TOKEN.to_uppercase()] {
        let refused = site.post(token, &[], &hello);
        assert_eq!(refused.status, 401, "{token}");
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
        assert_eq!(refused.header("connection"), Some("close"));
    }
    for scheme in ["Basic", ""] {
        let given = format!("{scheme} {TOKEN}");
        assert_eq!(site.send("GET", "/metrics", &[("authorization", &given)], "").status, 401);
    }
    assert_eq!(site.send("GET", "/metrics", &[], "").status, 401);
    let bearer = format!("bearer {TOKEN}");
    let known = ("authorization", bearer.as_str());
    assert_eq!(site.send("GET", "/", &[known], "").status, 404);
    // A page in a browser, and a name that was pointed at this machine.
    for (name, value, status) in [
        ("origin", "https://example.org", 403),
        ("origin", "null", 403),
        ("host", "example.org", 403),
        ("host", "localhost.example.org", 403),
        ("host", "", 403),
        ("host", "LOCALHOST:1", 200),
        ("host", "[::1]", 200),
    ] {
        let lies = (name, value);
        // Bug: counters were told to whoever asked under another name.
        for path in ["/metrics", "/"] {
            let expected = if path == "/" && status == 200 { 404 } else { status };
            let answer = site.send("GET", path, &[known, lies], "");
            assert_eq!(answer.status, expected, "{path} {lies:?}");
        }
        assert_eq!(site.post(TOKEN, &[lies], &hello).status == 403, status == 403, "{lies:?}");
    }
    // Bug: such a session was begun beyond the bound.
    assert_eq!(site.post(TOKEN, &[("mcp-session-id", "\u{e9}")], &hello).status, 400);
    let large = request("tools/list", json!({ "cursor": "x".repeat(1 << 20) }));
    assert_eq!(site.post(TOKEN, &[], &large).status, 413);
    let metrics = site.send("GET", "/metrics", &[known], "");
    assert_eq!(metrics.status, 200);
    for line in ["staleness_http_answers_total{status=\"401\"} 8", "staleness_mcp_sessions 0"] {
        assert!(metrics.body.lines().any(|each| each == line), "{line}: {}", metrics.body);
    }
    let session = site.begin(TOKEN, "x");
    site.call(TOKEN, &session, "list_stale", json!({}));
    let metrics = site.send("GET", "/metrics", &[known], "").body;
    let line = "staleness_mcp_call_seconds_count{tool=\"list_stale\",error=\"false\"} 1";
    assert!(metrics.contains(line) && metrics.contains("staleness_mcp_sessions 1\n"), "{metrics}");
}

#[test]
fn a_connection_that_says_nothing_is_closed() {
    let machine = Machine::new();
    let site = start(&machine);
    let since = Instant::now();
    let mut silent: Vec<_> = (0..3).map(|_| TcpStream::connect(&site.host).unwrap()).collect();
    silent[1].write_all(b"POST /mcp HTTP/1.1\r\nhost: localho").unwrap();
    // The token is known, and the body does not come.
    let head = format!("authorization: Bearer {TOKEN}\r\ncontent-length: 9\r\n\r\n");
    write!(silent[2], "POST /mcp HTTP/1.1\r\nhost: localhost\r\n{head}").unwrap();
    for (mut stream, status) in silent.into_iter().zip(["", "408", "408"]) {
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert!(answer.is_empty() || answer.contains(status), "{answer}");
    }
    assert!(since.elapsed() < Duration::from_secs(30));
    site.begin(TOKEN, "another");
}

/// Bug: such a connection stayed open for ever.
#[cfg(target_os = "linux")]
#[test]
fn a_connection_that_reads_nothing_is_closed() {
    let machine = Machine::new();
    let site = start(&machine);
    let mut stream = TcpStream::connect(&site.host).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
    let head = format!("host: localhost\r\nauthorization: Bearer {TOKEN}");
    let request = format!("GET /metrics HTTP/1.1\r\n{head}\r\n\r\n");
    // The server stops reading when its answers are not read; then it gives up.
    let error = loop {
        if let Err(error) = stream.write_all(request.as_bytes()) {
            break error.kind();
        }
    };
    assert!(matches!(error, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{error}");
}

#[test]
fn told_to_end_it_ends_and_lets_go_of_what_its_sessions_claimed() {
    for is_waiting in [true, false] {
        let machine = Machine::new();
        machine.ok(&["work", "add", "plan", "Move the parser", "--id", "p"]);
        let mut site = start(&machine);
        let session = site.begin(TOKEN, "claude-code");
        site.call(TOKEN, &session, "work_item", json!({ "action": "claim", "id": "p" }));
        // A client that waits for news.
        let mut waits = TcpStream::connect(&site.host).unwrap();
        if is_waiting {
            let head = format!("authorization: Bearer {TOKEN}\r\nmcp-session-id: {session}");
            let accept = "accept: text/event-stream";
            write!(waits, "GET /mcp HTTP/1.1\r\nhost: localhost\r\n{head}\r\n{accept}\r\n\r\n")
                .unwrap();
            waits.read_exact(&mut [0]).unwrap();
        }
        site.end();
        assert!(is_over(&claim(&machine)), "{}", claim(&machine));
    }
}

#[test]
fn news_that_a_broken_session_may_not_have_read_are_told_again() {
    let machine = Machine::new();
    machine.ok(&["work", "add", "plan", "Move the parser", "--id", "p"]);
    let site = start(&machine);
    for _ in 0..2 {
        let session = site.begin(TOKEN, "claude-code");
        let told = site.call(TOKEN, &session, "resume_session", json!({}));
        assert_eq!(told["structuredContent"]["source"], "digest", "{told}");
    }
    let session = site.begin(TOKEN, "claude-code");
    site.call(TOKEN, &session, "resume_session", json!({}));
    site.call(TOKEN, &session, "list_stale", json!({}));
    let session = site.begin(TOKEN, "claude-code");
    let told = site.call(TOKEN, &session, "resume_session", json!({}));
    assert_ne!(told["structuredContent"]["source"], "digest", "{told}");
}

#[test]
fn a_caller_reads_no_file_of_whoever_runs_the_server() {
    let machine = Machine::new();
    let home = machine.root.join("home/.claude");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("CLAUDE.md"), "My secret is currently in [here](gone/secret.md).\n")
        .unwrap();
    // Bug: a link of this name in a project was followed.
    #[cfg(unix)]
    {
        std::fs::create_dir_all(machine.project.join(".staleness")).unwrap();
        let link = machine.project.join(".staleness/no-home");
        std::os::unix::fs::symlink(machine.root.join("home"), link).unwrap();
    }
    let site = start(&machine);
    let session = site.begin(TOKEN, "claude-code");
    let checked = site.call(TOKEN, &session, "check_documents", json!({}));
    assert!(!checked.to_string().contains("CLAUDE.md"), "{checked}");
    assert!(machine.ok(&["check", "--verbose"]).contains("CLAUDE.md"), "but they do");
}

#[test]
fn tokens_that_cannot_be_used_are_refused_and_never_shown() {
    let machine = Machine::new();
    let project = machine.project.display().to_string();
    std::fs::create_dir(machine.project.join("sub")).unwrap();
    let run = |args: &[&str]| {
        let done = machine.command(&[&["mcp"], args].concat()).output().unwrap();
        let text = String::from_utf8(done.stderr).unwrap();
        assert!(!text.contains(TOKEN), "{text}");
        (done.status.code(), text)
    };
    let with = |text: &str| {
        let file = tokens(&machine, text);
        run(&["--http", "0", "--tokens", file.to_str().unwrap()])
    };
    for (text, why) in [
        (String::new(), "the file has no token"),
        ("# none\n\n".into(), "the file has no token"),
        (format!("{TOKEN}\n"), "line 1: each line needs a token and the folder"),
        (format!("short {project}\n"), "line 1: a token must have 32 to 256 characters"),
        (format!("\n{TOKEN}\u{e9} {project}\n"), "line 2: a token must have 32 to 256 characters"),
        (
            format!("{TOKEN} {project}\n{TOKEN} {project}\n"),
            "line 2: another line has the same token",
        ),
        (format!("{TOKEN} project\n"), "line 1: use the absolute path of an existing folder"),
        (format!("{TOKEN} {project}/no\n"), "line 1: use the absolute path of an existing folder"),
        (format!("{TOKEN} {project}/sub\n"), "line 1 of the tokens: the folder is in the project"),
    ] {
        let (code, told) = with(&text);
        assert_eq!(code, Some(3), "{told}");
        assert!(told.contains(why), "{text:?}: {told}");
    }
    let file = tokens(&machine, &format!("{TOKEN} {project}\n"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let file = file.to_str().unwrap();
    let (code, told) = run(&["--http", "0", "--tokens", file]);
    assert!(code == Some(3) && told.contains("chmod 600"), "{told}");
    let (code, told) = run(&["--http", "0", "--tokens", "/no/file"]);
    assert!(code == Some(3) && told.contains("/no/file"), "{told}");
    for (wrong, exit) in [
        (&["--http", "0"][..], 2),
        (&["--tokens", file], 2),
        (&["--http", "x", "--tokens", file], 3),
        (&["--http", "::1", "--tokens", file], 3),
    ] {
        assert_eq!(run(wrong).0, Some(exit), "{wrong:?}");
    }
}
