//! Reads the launches of servers when a person requests it. Launches are never stored.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use staleness_core::ids::{Level, ServerKey, SourceId, ToolName};
use staleness_core::scan::{Found, SourceReading};
use staleness_core::source::SourceState;
use staleness_core::tool::{ListingState, ToolKind};

/// A configured server and its launch.
#[derive(Clone, Debug)]
pub struct Startable {
    /// The name as written in the configuration.
    pub server: String,
    /// The name as it appears in tool names.
    pub key: ServerKey,
    /// The source that lists the server.
    pub source: SourceId,
    /// The launch, or the reason why the server must not be started.
    pub launch: Result<Launch, String>,
}

/// The command or URL of a server. May contain secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program to start, or the URL.
    pub target: Target,
    /// The working folder for the program.
    pub folder: PathBuf,
}

/// A program to start, or a URL to connect to.
#[derive(Clone, PartialEq, Eq)]
pub enum Target {
    /// A program that communicates on its standard streams.
    Program {
        /// The program, as a path or a name.
        program: String,
        /// The arguments, with variables expanded.
        args: Vec<String>,
        /// Environment variables to add to those of this process.
        env: BTreeMap<String, String>,
    },
    /// A URL reached over streamable HTTP.
    Http {
        /// The URL, with variables expanded.
        url: String,
        /// The headers that the client adds, by name.
        headers: BTreeMap<String, String>,
    },
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch").finish_non_exhaustive()
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if matches!(self, Self::Http { .. }) { "Http" } else { "Program" })
    }
}

/// Clients whose files show whether a project's servers may start. Other clients store the answer elsewhere.
const TELLING: [&str; 3] = ["claude-code", "codex", "gemini"];

/// The members of each server's entry, by source and name.
#[derive(Default)]
pub(super) struct Starts {
    starts: RefCell<BTreeMap<(SourceId, ToolName), Start>>,
    /// The setting that blocks each entry, as the end of a sentence: ``by `KEY` in FILE``.
    blocked: RefCell<BTreeMap<(SourceId, ToolName), String>>,
    /// The clients that do not trust the folder, or were not asked yet. A server of theirs would find the programs and
    /// files of a stranger in it.
    distrusting: RefCell<BTreeSet<&'static str>>,
}

/// The command or URL of a server. Variables that are not set are not expanded.
#[derive(Default)]
pub(super) struct Endpoint {
    /// The program with its arguments; empty for a server with a URL.
    pub(super) command: Vec<String>,
    pub(super) url: Option<String>,
    /// True if the entry has variables.
    pub(super) has_variables: bool,
}

impl Endpoint {
    /// Expands the variables in an entry of a list of allowed or denied servers.
    pub(super) fn expand(text: &str) -> String {
        Start::default().expand(text, Path::new(""), &or_itself).unwrap_or_default()
    }
}

fn or_itself(name: &str) -> Option<String> {
    Some(std::env::var(name).unwrap_or_else(|_| format!("${{{name}}}")))
}

#[derive(Default)]
struct Start {
    /// True if the client also expands `$NAME` without braces.
    has_bare_variables: bool,
    members: Map<String, Value>,
    /// The folder of the plugin or extension that contains the file.
    folder: Option<PathBuf>,
}

impl Starts {
    /// Records the members of a server's entry.
    pub(super) fn note(
        &self,
        source: &SourceId,
        name: ToolName,
        members: Map<String, Value>,
        folder: Option<&Path>,
    ) {
        let has_bare_variables = source.client == super::gemini::CLIENT;
        let folder = folder.map(Path::to_path_buf);
        let start = Start { has_bare_variables, members, folder };
        self.starts.borrow_mut().insert((source.clone(), name), start);
    }

    pub(super) fn members(&self, source: &SourceId, name: &ToolName) -> Option<Map<String, Value>> {
        let key = (source.clone(), name.clone());
        self.starts.borrow().get(&key).map(|start| start.members.clone())
    }

    pub(super) fn block(&self, source: &SourceId, name: &ToolName, why: &str) {
        self.blocked.borrow_mut().insert((source.clone(), name.clone()), why.to_owned());
    }

    pub(super) fn distrust(&self, client: &'static str) {
        self.distrusting.borrow_mut().insert(client);
    }

    pub(super) fn endpoint(&self, source: &SourceId, name: &ToolName, project: &Path) -> Endpoint {
        let starts = self.starts.borrow();
        let start = starts.get(&(source.clone(), name.clone()));
        start.map_or_else(Endpoint::default, |start| start.endpoint(project))
    }

    /// Returns the launches of all servers, sorted by source and name.
    pub(super) fn of(self, sources: Vec<SourceReading>, project: &Path) -> Vec<Startable> {
        let (starts, blocked) = (self.starts.into_inner(), self.blocked.into_inner());
        let distrusting = self.distrusting.into_inner();
        let mut all = Vec::new();
        // If the client does not load a server in this project, it does not load it through another entry either.
        let here = sources.iter().filter(|reading| reading.id.level != Level::User);
        let entries = here.flat_map(|reading| {
            let key = |found: &Found| (reading.id.client.clone(), found.name.clone());
            reading.found.iter().map(move |found| (key(found), found.state))
        });
        let (refused, others): (Vec<_>, Vec<_>) =
            entries.partition(|(_, state)| *state == ListingState::Refused);
        let mut away: BTreeMap<_, _> = refused.into_iter().collect();
        for (key, state) in others {
            match state {
                ListingState::Off | ListingState::Untrusted => drop(away.insert(key, state)),
                // The client passes over a refused entry to one that it can read.
                _ if away.get(&key) == Some(&ListingState::Refused) => drop(away.remove(&key)),
                _ => {}
            }
        }
        for reading in &sources {
            for found in reading.found.iter().filter(|found| found.kind == ToolKind::McpServer) {
                let Some(key) = found.server.clone() else { continue };
                let state = away.get(&(reading.id.client.clone(), found.name.clone())).copied();
                let start = starts.get(&(reading.id.clone(), found.name.clone()));
                if state.is_some() && start.is_none() {
                    continue;
                }
                let blocked = blocked.get(&(reading.id.clone(), found.name.clone()));
                let refusal = refusal(reading, state.unwrap_or(found.state));
                let distrusts = distrusting.contains(&*reading.id.client).then_some(UNTRUSTED);
                let launch = match refusal.or(distrusts) {
                    Some(why) => Err(match blocked {
                        Some(by) => format!("{why} {by}"),
                        None => why.to_owned(),
                    }),
                    None => start.map_or_else(
                        || Err(NOTHING.to_owned()),
                        |start| start.launch(project, &|name| std::env::var(name).ok()),
                    ),
                };
                let server = found.name.spelled_server().unwrap_or(found.name.as_str()).to_owned();
                all.push(Startable { server, key, source: reading.id.clone(), launch });
            }
        }
        all.sort_by(|one, other| (&one.source, &one.server).cmp(&(&other.source, &other.server)));
        all
    }
}

/// Returns the reason why the client does not, or may not, start a server. `None` if the client starts it.
fn refusal(reading: &SourceReading, state: ListingState) -> Option<&'static str> {
    let id = &reading.id;
    Some(match state {
        ListingState::Off => "switched off",
        ListingState::Pending => "its client waits for your approval",
        ListingState::Untrusted => UNTRUSTED,
        ListingState::Refused => "its client refuses its entry or the whole file",
        _ if reading.state != SourceState::Read => "its configuration could not be read completely",
        _ if id.level == Level::Project && !TELLING.contains(&id.client.as_str()) => {
            "its client may ask before it starts a project's server; configure it for your user"
        }
        _ => return None,
    })
}

const UNTRUSTED: &str = "its client does not trust this folder";
const NOTHING: &str = "its entry has no command and no URL";
const UNSET: &str = "it needs a variable or an input that has no value here";

impl Start {
    /// Builds the launch, expanding variables.
    fn launch(
        &self,
        project: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Launch, String> {
        let expand = |text: &str| self.expand(text, project, variable);
        let text = |key: &str| self.members.get(key).and_then(Value::as_str);
        let (command, own) = self.command();
        let command: Result<Vec<String>, String> = command.into_iter().map(expand).collect();
        let folder = text("cwd").map(expand).transpose()?;
        let folder = folder.map_or_else(|| project.to_path_buf(), |folder| project.join(folder));
        let mut command = command?.into_iter();
        let target = match command.next().filter(|program| !program.trim().is_empty()) {
            Some(program) => {
                let members = own.get("env").or_else(|| self.members.get("environment"));
                let mut env = BTreeMap::new();
                for (name, value) in members.and_then(Value::as_object).into_iter().flatten() {
                    if let Some(value) = value.as_str() {
                        env.insert(name.clone(), expand(value)?);
                    }
                }
                Target::Program { program, args: command.collect(), env }
            }
            None => {
                let url = expand(self.url().ok_or(NOTHING)?)?;
                if [text("type"), text("transport")].contains(&Some("sse")) {
                    return Err("it uses only SSE, which is not supported".to_owned());
                }
                Target::Http { url, headers: self.headers(&expand, variable)? }
            }
        };
        Ok(Launch { target, folder })
    }

    /// Returns the program with its arguments, and the object that contains the arguments.
    fn command(&self) -> (Vec<&str>, &Map<String, Value>) {
        let (mut command, own) = match self.members.get("command") {
            Some(Value::String(program)) => (vec![program.as_str()], &self.members),
            Some(list @ Value::Array(_)) => (texts(list), &self.members),
            Some(Value::Object(command)) => {
                let program = command.get("path").and_then(Value::as_str).unwrap_or_default();
                (vec![program], command)
            }
            _ => (Vec::new(), &self.members),
        };
        command.extend(own.get("args").map(texts).unwrap_or_default());
        (command, own)
    }

    fn url(&self) -> Option<&str> {
        let mut keys = ["httpUrl", "url", "serverUrl"].into_iter();
        keys.find_map(|key| self.members.get(key)?.as_str())
    }

    fn endpoint(&self, project: &Path) -> Endpoint {
        let expand = |text: &str| self.expand(text, project, &or_itself).unwrap_or_default();
        let command: Vec<String> = self.command().0.into_iter().map(expand).collect();
        let url = self.url().filter(|_| command.is_empty()).map(expand);
        let has_variables = Value::Object(self.members.clone()).to_string().contains("${");
        Endpoint { command, url, has_variables }
    }

    /// Builds the headers that the client sends. Codex CLI also reads them from environment variables.
    fn headers(
        &self,
        expand: &dyn Fn(&str) -> Result<String, String>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<BTreeMap<String, String>, String> {
        let mut headers = BTreeMap::new();
        let pairs = |key: &str| {
            let members = self.members.get(key).and_then(Value::as_object).into_iter().flatten();
            members.filter_map(|(name, value)| Some((name.clone(), value.as_str()?)))
        };
        for (name, value) in pairs("headers").chain(pairs("http_headers")) {
            headers.insert(name, expand(value)?);
        }
        for (name, value) in pairs("env_http_headers") {
            headers.extend(variable(value).map(|value| (name, value)));
        }
        if let Some(name) = self.members.get("bearer_token_env_var").and_then(Value::as_str) {
            let token = variable(name).ok_or(UNSET)?;
            headers.insert("Authorization".to_owned(), format!("Bearer {token}"));
        }
        Ok(headers)
    }

    /// Expands `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `{env:NAME}`, and also `$NAME` if the client does.
    fn expand(
        &self,
        text: &str,
        project: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = text;
        let in_name = |next: char| next == '_' || next.is_ascii_alphanumeric();
        let bare = |rest: &str| {
            let mut all = rest.match_indices('$').map(|(at, _)| at);
            all.find(|at| self.has_bare_variables && rest[at + 1..].starts_with(in_name))
        };
        while let Some(at) =
            rest.find("${").into_iter().chain(rest.find("{env:")).chain(bare(rest)).min()
        {
            let begin = at + if rest[at..].starts_with("${") { 2 } else { 1 };
            let is_bare = &rest[at..begin] == "$";
            let end = if is_bare {
                rest[begin..].find(|next| !in_name(next)).or(Some(rest.len() - begin))
            } else {
                rest[begin..].find('}')
            };
            let Some(end) = end.map(|end| begin + end) else { break };
            let (name, default) = match rest[begin..end].split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (&rest[begin..end], None),
            };
            let path = |path: Option<&Path>| path.map(|path| path.display().to_string());
            let value = match name {
                "CLAUDE_PLUGIN_ROOT" | "extensionPath" => path(self.folder.as_deref()),
                "workspaceFolder" | "workspacePath" => path(Some(project)),
                "/" | "pathSeparator" => Some(std::path::MAIN_SEPARATOR_STR.to_owned()),
                name => variable(name.strip_prefix("env:").unwrap_or(name)),
            };
            let value = value.or_else(|| default.map(ToOwned::to_owned));
            let value = value.ok_or(UNSET)?;
            out.push_str(&rest[..at]);
            out.push_str(&value);
            rest = &rest[end + usize::from(!is_bare)..];
        }
        out.push_str(rest);
        Ok(out)
    }
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[cfg(test)]
#[path = "launch_tests.rs"]
mod tests;
