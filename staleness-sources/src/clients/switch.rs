//! Changes to clients' files that disable servers.

use std::path::{Path, PathBuf};

use staleness_core::ids::{Level, SourceId, ToolName};
use staleness_core::scan::{Found, SourceReading};
use staleness_core::tool::{ListingState, ToolKind};

use super::state::Places;
use super::{Outside, ScanRequest, claude, codex, gemini, read_outside, shapes, simple};
use crate::json::{self, JsonFile, Value};

/// A change to a client's file that disables a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The path of the file, which need not exist.
    pub path: PathBuf,
    /// The keys on the path to the value to change.
    pub at: Vec<String>,
    /// The change of that value.
    pub change: SwitchChange,
}

impl Switch {
    pub(super) fn new(path: impl Into<PathBuf>, at: &[&str], change: SwitchChange) -> Self {
        let at = at.iter().map(|key| (*key).to_owned()).collect();
        Self { path: path.into(), at, change }
    }
}

/// A change of a value in JSON or TOML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SwitchChange {
    /// Add this name to a list, which need not exist.
    AddName(String),
    /// Set this member of an existing object.
    Set(&'static str, bool),
    /// Remove the value.
    Remove,
}

/// The reason why a server is not disabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSwitch {
    /// The entry is gone, or its file cannot be read.
    Changed(String),
    /// The client cannot disable the server in a file. The text describes the manual steps.
    ByHand(String),
}

/// Returns true if a client begins a session with only the names of MCP tools and loads definitions on demand.
pub fn names_only(client: &str) -> bool {
    client == claude::CLIENT
}

/// Reads the sources again, and returns the changes that disable each of these entries.
pub fn switches(
    request: &ScanRequest<'_>,
    entries: &[(SourceId, ToolName)],
) -> Vec<Result<Vec<Switch>, NoSwitch>> {
    let outside = Outside::new(request);
    let sources = read_outside(&outside).sources;
    let of = |(id, name): &(SourceId, ToolName)| {
        let reading = sources.iter().find(|reading| reading.id == *id);
        let is_loaded = |found: &&Found| {
            found.name == *name && (found.unsure || found.state == ListingState::Configured)
        };
        if let Some(reading) = reading
            && let Some(found) = reading.found.iter().find(is_loaded)
        {
            return outside.switch(reading, found);
        }
        let path = reading.map_or("its file", |reading| reading.path.as_str());
        let why = reading.and_then(|reading| reading.error.as_deref());
        let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
        Err(NoSwitch::Changed(format!("{path} no longer has {name} switched on{why}")))
    };
    entries.iter().map(of).collect()
}

impl Outside<'_> {
    fn switch(&self, reading: &SourceReading, found: &Found) -> Result<Vec<Switch>, NoSwitch> {
        let (id, path) = (&reading.id, Path::new(&reading.path));
        let by_hand = |what: String| Err(NoSwitch::ByHand(what));
        if let Some(plugin) = &found.plugin {
            return by_hand(format!("it comes with the plugin {plugin}; switch the plugin off"));
        }
        let spelled = found.name.spelled_server();
        let Some(server) = spelled.filter(|_| found.kind == ToolKind::McpServer) else {
            return by_hand(format!("move it out of {}", reading.path));
        };
        if !path.exists() {
            return Err(NoSwitch::Changed(format!("{} cannot be found", reading.path)));
        }
        let add = |path: &Path, at: &[&str]| {
            Switch::new(path, at, SwitchChange::AddName(server.to_owned()))
        };
        let one = match (id.client.as_str(), id.level, id.part.as_str()) {
            (claude::CLIENT, Level::User, "mcp") => {
                Switch::new(path, &["mcpServers", server], SwitchChange::Remove)
            }
            (claude::CLIENT, Level::Project, "mcp") => {
                let settings = self.folder.join(".claude/settings.local.json");
                add(&settings, &["disabledMcpjsonServers"])
            }
            (claude::CLIENT, Level::Local, "mcp") => {
                let sections = self.sections_with(path, server);
                let list = |key: &String| add(path, &["projects", key, "disabledMcpServers"]);
                return Ok(sections.iter().map(list).collect());
            }
            (gemini::CLIENT, _, "mcp") => add(path, &["mcp", "excluded"]),
            (gemini::CLIENT, _, _) => add(&self.home.join(gemini::FILE), &["mcp", "excluded"]),
            (codex::CLIENT, _, _) => {
                Switch::new(path, &["mcp_servers", server], SwitchChange::Set("enabled", false))
            }
            _ => match simple::switch(self, reading, server) {
                Some(switch) => switch,
                None => {
                    let what = "its files cannot disable a single server";
                    return by_hand(format!(
                        "{what}; use its settings, or remove it from {}",
                        reading.path
                    ));
                }
            },
        };
        Ok(vec![one])
    }

    /// Returns the keys of this project's sections in `.claude.json` that list a server.
    fn sections_with(&self, path: &Path, server: &str) -> Vec<String> {
        let content = self.json(path, None, &shapes::STATE);
        let JsonFile::Read(file) = JsonFile::of(path, &content) else { return Vec::new() };
        let places = Places::of(self);
        let projects = json::get(&file.root, "projects").and_then(Value::as_object);
        let sections = projects.into_iter().flat_map(json::entries).filter(|entry| {
            let section = entry.value.as_object();
            let servers = section.and_then(|section| json::get(section, "mcpServers"));
            let servers = servers.and_then(Value::as_object);
            servers.is_some_and(|servers| json::get(servers, server).is_some())
                && places.hold(entry.key)
        });
        sections.map(|entry| entry.key.to_owned()).collect()
    }
}
