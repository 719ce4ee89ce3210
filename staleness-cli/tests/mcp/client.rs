//! A client that speaks JSON lines with the real program, byte by byte.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::LazyLock;

use serde_json::{Value, json};
use staleness_mcp::{Options, Server};
use tempfile::TempDir;

use crate::json_schema::faults;

/// The schema of what a tool answers.
fn output_schema(name: &str) -> Value {
    static SERVER: LazyLock<Server> = LazyLock::new(|| {
        let options = Options { store: Some("memory:".into()), ..Options::default() };
        Server::new(Options { home: Some("/".into()), ..options }).unwrap()
    });
    let tool = SERVER.tools().iter().find(|tool| tool.name == name).unwrap();
    json!(tool.output_schema.as_deref().unwrap())
}

/// A machine of its own: home, data folder and project below one temporary folder.
pub(crate) struct Machine {
    _dir: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) project: PathBuf,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("staleness-").tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let project = root.join("project");
        std::fs::create_dir_all(root.join("home")).unwrap();
        std::fs::create_dir_all(project.join(".git")).unwrap();
        Self { _dir: dir, root, project }
    }

    /// A machine with a client of its server, as [`Machine::client`] without arguments.
    pub(crate) fn served() -> (Self, Client) {
        let machine = Self::new();
        let client = machine.client(&[]);
        (machine, client)
    }

    /// The program in the project, with nothing of this machine's environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_staleness"));
        command
            .env_clear()
            .env("HOME", self.root.join("home"))
            .env("XDG_DATA_HOME", self.root.join("data"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(&self.project)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command, which must succeed, and returns what it printed.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let done = self.command(args).stdin(Stdio::null()).output().unwrap();
        assert!(done.status.success(), "{args:?}: {done:?}");
        String::from_utf8(done.stdout).unwrap()
    }

    /// The server, with a client that introduced itself.
    pub(crate) fn client(&self, args: &[&str]) -> Client {
        let mut client = Client::start(self.command(&[&["mcp"], args].concat()));
        client.introduce();
        client
    }
}

/// A client, and the server that it talks to.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<Box<dyn Read>>,
    asked: u64,
    /// Messages that the server sent without being asked.
    pub(crate) told: VecDeque<Value>,
}

impl Client {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        Self::over(child, Box::new(stdout))
    }

    /// As [`Self::start`], with a stream of ours as the server's output.
    #[cfg(unix)]
    pub(crate) fn start_over(mut command: Command) -> (Self, std::os::unix::net::UnixStream) {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let child = command.stdout(std::os::fd::OwnedFd::from(theirs)).spawn().unwrap();
        (Self::over(child, Box::new(ours.try_clone().unwrap())), ours)
    }

    fn over(mut child: Child, stdout: Box<dyn Read>) -> Self {
        let stdin = child.stdin.take();
        Self { child, stdin, stdout: BufReader::new(stdout), asked: 0, told: VecDeque::new() }
    }

    pub(crate) fn introduce(&mut self) -> Value {
        self.introduce_as("test-client")
    }

    pub(crate) fn introduce_as(&mut self, name: &str) -> Value {
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": name, "version": "1" } });
        let answer = self.ask("initialize", params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        answer["result"].clone()
    }

    /// Sends one line.
    pub(crate) fn send(&mut self, line: &str) {
        self.send_bytes(line.as_bytes());
    }

    /// Sends one line, whatever it holds.
    pub(crate) fn send_bytes(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(&[line, b"\n"].concat()).unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a request, and returns its number.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request.to_string());
        id
    }

    /// Cancels a request.
    #[cfg(unix)]
    pub(crate) fn cancel(&mut self, id: u64) {
        let params = json!({ "requestId": id });
        let method = "notifications/cancelled";
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// The next message.
    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The answer to a request; what comes before it is kept.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == json!(id) {
                return message;
            }
            self.told.push_back(message);
        }
    }

    /// The answer to a request. It sends the user to the program, and never the model.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer(id);
        let told = answer.to_string();
        for (at, _) in told.match_indices("`staleness ") {
            let (before, after) = told.split_at(at);
            let before = before.rsplit(['"', '.', ';', '\n']).next().unwrap();
            let next = after.split('`').nth(2).unwrap_or_default();
            let is_for_user = before.contains("user") || next.starts_with(" shows the user");
            assert!(is_for_user, "{told}");
        }
        answer
    }

    /// The result of a tool. What every tool answers is what its schema says.
    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": name, "arguments": arguments }));
        assert!(answer["error"].is_null(), "{answer}");
        let result = answer["result"].clone();
        let schema = output_schema(name);
        assert_eq!(faults(&schema, &result["structuredContent"]), [""; 0], "{name}: {result}");
        result
    }

    /// The structured content of a tool that must succeed.
    pub(crate) fn data(&mut self, name: &str, arguments: Value) -> Value {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    /// Goes away, and waits for the end of the server.
    pub(crate) fn leave(mut self) -> Output {
        self.stdin = None;
        let mut rest = Vec::new();
        self.stdout.read_to_end(&mut rest).unwrap();
        Output { stdout: rest, ..self.child.wait_with_output().unwrap() }
    }
}
