//! A machine of its own for each test: home, data folder and project below one temporary folder.

use std::collections::BTreeMap;
use std::ffi::OsStr;
#[cfg(unix)]
use std::io::Read;
use std::io::Write;
#[cfg(unix)]
use std::net::Shutdown;
#[cfg(unix)]
use std::os::{fd::OwnedFd, unix::net::UnixStream};
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::ExitStatus;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The moment at which tests live.
pub(crate) const NOW: &str = "2026-11-20T12:00:00Z";

/// Home, data folder and project.
#[derive(Debug)]
pub(crate) struct Sandbox {
    dir: TempDir,
    pub(crate) home: PathBuf,
    pub(crate) project: PathBuf,
}

/// The exit code and the output of a run of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Sandbox {
    /// A machine that has never seen the program, with an empty repository as project.
    pub(crate) fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("staleness-").tempdir().unwrap();
        // Temporary folders are links on some systems; the program shows what they lead to.
        let root = dir.path().canonicalize().unwrap();
        let sandbox = Self { dir, home: root.join("home"), project: root.join("project") };
        std::fs::create_dir_all(&sandbox.home).unwrap();
        std::fs::create_dir_all(sandbox.project.join(".git")).unwrap();
        sandbox
    }

    /// A machine with these user-level servers of Claude Code.
    pub(crate) fn with_servers(servers: &[&str]) -> Self {
        let sandbox = Self::new();
        sandbox.claude(servers);
        sandbox
    }

    /// A machine with one user-level server of Claude Code, `github`, scanned at [`NOW`].
    pub(crate) fn scanned() -> Self {
        let sandbox = Self::with_servers(&["github"]);
        sandbox.ok(&["scan"]);
        sandbox
    }

    /// The folder that holds everything.
    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    /// Returns the default path of the store.
    pub(crate) fn store(&self) -> PathBuf {
        self.root().join("data/staleness/registry.db")
    }

    /// Writes a file, its folders included; the path counts from the folder that holds everything.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Configures exactly these user-level servers in Claude Code.
    pub(crate) fn claude(&self, servers: &[&str]) {
        let servers: BTreeMap<_, _> =
            servers.iter().map(|name| (*name, json!({ "command": "npx" }))).collect();
        self.write("home/.claude.json", json!({ "mcpServers": servers }).to_string());
    }

    /// Configures exactly these user-level servers in Claude Code, which trusts the project.
    pub(crate) fn claude_trusting(&self, servers: &Value) {
        let projects =
            json!({ self.project.to_str().unwrap(): { "hasTrustDialogAccepted": true } });
        let state = json!({ "mcpServers": servers, "projects": projects });
        self.write("home/.claude.json", state.to_string());
    }

    /// Configures these user-level servers in Codex CLI, which trusts the project.
    #[cfg(feature = "mcp")]
    pub(crate) fn codex_trusting(&self, servers: &str) {
        let trust = format!("[projects.{:?}]\ntrust_level = 'trusted'\n", self.project);
        self.write("home/.codex/config.toml", format!("{servers}{trust}"));
    }

    /// Configures exactly these user-level servers in Codex CLI.
    pub(crate) fn codex(&self, servers: &[&str]) {
        let servers: String = servers
            .iter()
            .map(|name| format!("[mcp_servers.{name}]\ncommand = \"npx\"\n"))
            .collect();
        self.write("home/.codex/config.toml", format!("# Servers of Codex.\n{servers}"));
    }

    /// Configures the server `github` alone in Codex CLI, switched on or off, and scans.
    pub(crate) fn codex_github(&self, enabled: bool) {
        let text = format!("[mcp_servers.github]\ncommand = \"x\"\nenabled = {enabled}\n");
        self.write("home/.codex/config.toml", text);
        self.ok(&["scan"]);
    }

    /// The user's settings of Claude Code.
    #[cfg(unix)]
    pub(crate) fn claude_settings(&self) -> PathBuf {
        self.home.join(".claude/settings.json")
    }

    /// Another repository beside the project.
    pub(crate) fn second_project(&self) -> PathBuf {
        let other = self.root().join("other");
        std::fs::create_dir_all(other.join(".git")).unwrap();
        other
    }

    /// The program in the project, with nothing of this machine's environment, at [`NOW`].
    pub(crate) fn command(&self) -> Command {
        let mut command = self.command_of(Path::new(env!("CARGO_BIN_EXE_staleness")));
        command.arg("--now").arg(NOW);
        command
    }

    /// As [`Self::command`], without a time and for a copy of the program.
    pub(crate) fn command_of(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", &self.home)
            .env("XDG_DATA_HOME", self.root().join("data"))
            .current_dir(&self.project)
            .stdin(Stdio::null());
        if self.project.join(".git/HEAD").exists() {
            // A project with a history: git is needed to read it.
            command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        }
        command
    }

    /// Runs the program.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Run {
        Run::of(self.command().args(args).output().unwrap())
    }

    /// Runs the program, which must succeed and say nothing on stderr; what it printed.
    pub(crate) fn ok<S: AsRef<OsStr> + std::fmt::Debug>(&self, args: &[S]) -> String {
        let run = self.run(args);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}: {run:?}");
        run.out
    }

    /// Runs the program with `--json`; the one document that it printed.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(&[args, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|why| panic!("{args:?}: {why}: {text}"))
    }

    /// As [`Self::json`], under variables of the environment.
    pub(crate) fn json_under(&self, variables: &[(&str, &str)], args: &[&str]) -> Value {
        let mut command = self.command();
        command.envs(variables.iter().copied()).args(args).arg("--json");
        let run = Run::of(command.output().unwrap());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{variables:?} {args:?}: {run:?}");
        serde_json::from_str(&run.out).unwrap()
    }

    /// Runs the program at a terminal, but for the end that is `closed`, under a variable.
    #[cfg(unix)]
    pub(crate) fn typed(&self, args: &[&str], variable: &str, closed: &str) -> ExitStatus {
        let (name, value) = variable.split_once('=').unwrap();
        let (_terminal, path) = terminal();
        let end = |name| if name == closed { Stdio::null() } else { opened(&path).into() };
        let mut command = self.command();
        command.args(args).env(name, value);
        command.stdin(end("stdin")).stdout(end("stdout")).stderr(end("stderr"));
        command.status().unwrap()
    }

    /// Runs the program at a terminal; what that shows.
    #[cfg(unix)]
    pub(crate) fn shown(&self, args: &[&str]) -> String {
        self.answered(args, "")
    }

    /// Runs the program at a terminal at which somebody typed ahead; what that shows.
    #[cfg(unix)]
    pub(crate) fn answered(&self, args: &[&str], answers: &str) -> String {
        let (text, code) = self.typing(args, answers);
        assert_eq!(code, 0, "{args:?}: {text}");
        text
    }

    /// As [`Self::answered`], with the exit code.
    #[cfg(unix)]
    pub(crate) fn typing(&self, args: &[&str], answers: &str) -> (String, i32) {
        let (terminal, path) = terminal();
        let mut terminal = std::fs::File::from(terminal);
        terminal.write_all(answers.as_bytes()).unwrap();
        let end = || Stdio::from(opened(&path));
        let mut command = self.command();
        command.args(args).args(["--color", "never"]);
        command.stdin(end()).stdout(end()).stderr(end());
        let status = command.status().unwrap();
        drop(command);
        let mut text = Vec::new();
        // A terminal whose other end is closed is read with an error.
        let _ = terminal.read_to_end(&mut text);
        (String::from_utf8(text).unwrap(), status.code().unwrap())
    }

    /// Scans a list of a server's tools, which is JSON.
    pub(crate) fn lists(&self, server: &str, tools: &(impl ToString + ?Sized)) {
        let list = self.write("tools.json", tools.to_string());
        self.ok(&["scan", "--tools-json", list.to_str().unwrap(), "--server", server]);
    }

    /// A tool by its name.
    pub(crate) fn tool(&self, name: &str) -> Value {
        self.json(&["tools", "show", name])
    }

    /// Its status.
    pub(crate) fn status(&self, name: &str) -> String {
        self.tool(name)["status"].as_str().unwrap().to_owned()
    }

    /// Runs `hook` on a payload.
    pub(crate) fn hook(&self, payload: &Value) -> Run {
        self.hook_with(&[], payload.to_string().as_bytes())
    }

    /// Runs `hook` with options on bytes.
    pub(crate) fn hook_with(&self, args: &[&str], payload: &[u8]) -> Run {
        let mut command = self.command();
        command.arg("hook").args(args);
        fed(command, payload)
    }

    /// A session starts in a project; what the agent is told, if anything.
    pub(crate) fn session_start(&self, project: &Path, id: &str, source: &str) -> Option<String> {
        let run = self.hook(&json!({
            "session_id": id, "cwd": project, "hook_event_name": "SessionStart", "source": source,
        }));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
        if run.out.is_empty() {
            return None;
        }
        let said: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(keys(&said), ["hookSpecificOutput"]);
        let inner = &said["hookSpecificOutput"];
        assert_eq!(keys(inner), ["hookEventName", "additionalContext"]);
        assert_eq!(inner["hookEventName"], "SessionStart");
        Some(inner["additionalContext"].as_str().unwrap().to_owned())
    }

    /// A session of a client starts in the project; the output of its hook, empty if its agent is told nothing.
    pub(crate) fn start_of(&self, client: &str, id: &str) -> String {
        let payload =
            json!({ "session_id": id, "hook_event_name": "SessionStart", "cwd": self.project });
        let run = self.hook_with(&["--client", client], payload.to_string().as_bytes());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
        run.out
    }

    /// Every file below the folder that holds everything, with its bytes.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.root()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = std::fs::read(&path).unwrap();
                    files.insert(path, bytes);
                }
            }
        }
        files
    }

    /// Everything that is recorded, as a person and a script would see it.
    pub(crate) fn recorded(&self) -> [Value; 3] {
        let tools = self.json(&["tools", "list", "--all-projects"]);
        [tools, self.json(&["project", "list"]), self.json(&["prune", "--dry-run"])]
    }
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().expect("ended by a signal"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A terminal of 80 columns, and the path of the end at which a program may sit.
#[cfg(unix)]
pub(crate) fn terminal() -> (std::os::fd::OwnedFd, std::ffi::CString) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{Winsize, tcsetwinsize};
    let main = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&main).unwrap();
    unlockpt(&main).unwrap();
    let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&main, size).unwrap();
    let path = ptsname(&main, Vec::new()).unwrap();
    (main, path)
}

/// Opens the end of a terminal at which a program may sit.
#[cfg(unix)]
pub(crate) fn opened(path: &std::ffi::CStr) -> std::os::fd::OwnedFd {
    use rustix::fs::{Mode, OFlags, open};
    open(path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap()
}

/// Runs a command with bytes on its stdin.
pub(crate) fn fed(mut command: Command, input: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A payload that is too large is not read to its end.
    let _ = child.stdin.take().unwrap().write_all(input);
    Run::of(child.wait_with_output().unwrap())
}

/// A payload of Claude Code for one use of a tool.
pub(crate) fn used(event: &str, tool: &str, id: &str) -> Value {
    json!({
        "session_id": "s1", "hook_event_name": event, "tool_name": tool, "tool_use_id": id,
        "tool_input": {}, "transcript_path": "/t.jsonl", "permission_mode": "default",
    })
}

/// Splits a command line at blanks, but for what stands between single quotation marks.
pub(crate) fn line(text: &str) -> Vec<&str> {
    let parts = text.split('\'').enumerate();
    parts
        .flat_map(|(at, part)| part.split(move |c: char| at % 2 == 0 && c.is_whitespace()))
        .filter(|word| !word.is_empty())
        .collect()
}

/// The keys of an object, in order.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// The names of a list of tools.
pub(crate) fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// The text that a hook tells the agent; empty if that is nothing.
pub(crate) fn told(run: &Run) -> String {
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    if run.out.is_empty() {
        return String::new();
    }
    let said: Value = serde_json::from_str(&run.out).unwrap();
    said["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

/// The kinds of the signals against an item, but its age.
pub(crate) fn signals(item: &Value) -> Vec<&str> {
    let signals = item["verdict"]["signals"].as_array().unwrap();
    let kinds = signals.iter().map(|signal| signal["kind"].as_str().unwrap());
    kinds.filter(|kind| *kind != "age").collect()
}

/// A value of a file that is plain JSON.
pub(crate) fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Returns an output that nobody reads. The end of a pipe would be no such thing: a process that another test is
/// starting may still have the other end.
#[cfg(unix)]
pub(crate) fn unread() -> OwnedFd {
    let (reader, writer) = UnixStream::pair().unwrap();
    reader.shutdown(Shutdown::Both).unwrap();
    writer.into()
}
