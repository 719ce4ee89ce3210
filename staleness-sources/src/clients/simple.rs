//! Clients that keep their servers in one file per level.

use std::collections::HashSet;

use staleness_core::scan::SourceReading;

use super::folders::Owner;
use super::servers::{self, Rules};
use super::{Outside, reading, shapes};
use crate::json::{self, JsonFile, Value};

/// A client with JSON files.
struct Client {
    name: &'static str,
    key: &'static str,
    project: Option<&'static str>,
}

const CLAUDE_DESKTOP: Client = Client { name: "claude-desktop", key: "mcpServers", project: None };
const CURSOR: Client =
    Client { name: "cursor", key: "mcpServers", project: Some(".cursor/mcp.json") };
const VSCODE: Client = Client { name: "vscode", key: "servers", project: Some(".vscode/mcp.json") };
const WINDSURF: Client = Client { name: "windsurf", key: "mcpServers", project: None };

pub(super) fn read(outside: &Outside<'_>, sources: &mut Vec<SourceReading>) {
    let home = &outside.home;
    let desktop = outside.user_config("Claude/claude_desktop_config.json");
    let code = outside.user_config("Code/User/mcp.json");
    for (client, user) in [
        (CLAUDE_DESKTOP, desktop),
        (CURSOR, home.join(".cursor/mcp.json")),
        (VSCODE, code),
        (WINDSURF, home.join(".codeium/windsurf/mcp_config.json")),
    ] {
        for place in outside.places(user, outside.home_is_there, client.project) {
            let content = outside.json(&place.path, place.fence, &shapes::SERVERS);
            let file = JsonFile::of(&place.path, &content);
            let draft = place.draft(client.name, "mcp");
            sources.push(reading(&file, draft, place.root_is_there, |draft, file| {
                servers::add_keyed(draft, file, &file.root, client.key, &Rules::PLAIN);
            }));
        }
    }
    gemini(outside, sources);
}

/// The MCP servers that Gemini CLI lets in: `mcp.allowed` and `mcp.excluded` of its settings.
#[derive(Default)]
struct Gate {
    allowed: Option<HashSet<String>>,
    excluded: HashSet<String>,
    faults: Vec<String>,
}

impl Gate {
    fn of(file: &JsonFile<'_>) -> Self {
        let mut gate = Self::default();
        match file {
            JsonFile::Missing => {}
            JsonFile::Failed(why) => gate.faults.push(why.clone()),
            JsonFile::Read(file) => {
                if let Some(mcp) = json::get(&file.root, "mcp").and_then(Value::as_object) {
                    let mut listed = |key| {
                        let names = servers::names(file, mcp, key, &mut gate.faults)?;
                        Some(names.into_iter().collect())
                    };
                    gate.allowed = listed("allowed");
                    gate.excluded = listed("excluded").unwrap_or_default();
                }
            }
        }
        gate
    }

    /// Returns the gate of a project within the user's; its own list of allowed servers replaces the user's.
    fn within(mut self, user: Self) -> Self {
        self.allowed = self.allowed.or(user.allowed);
        self.excluded.extend(user.excluded);
        self.faults.extend(user.faults);
        self
    }

    fn is_off(&self, name: &str) -> bool {
        self.excluded.contains(name)
            || self.allowed.as_ref().is_some_and(|allowed| !allowed.contains(name))
    }
}

/// Gemini CLI: the user's gate stands before the project's servers as well.
fn gemini(outside: &Outside<'_>, sources: &mut Vec<SourceReading>) {
    const FILE: &str = ".gemini/settings.json";
    let mut gate = Gate::default();
    for place in outside.places(outside.home.join(FILE), outside.home_is_there, Some(FILE)) {
        let content = outside.json(&place.path, place.fence, &shapes::GEMINI);
        let file = JsonFile::of(&place.path, &content);
        gate = Gate::of(&file).within(gate);
        let draft = place.draft("gemini", "mcp");
        sources.push(reading(&file, draft, place.root_is_there, |draft, file| {
            for fault in &gate.faults {
                draft.fault(|| fault.clone());
            }
            let rules = Rules { owner: Owner::default(), is_off: &|name| gate.is_off(name) };
            servers::add_keyed(draft, file, &file.root, "mcpServers", &rules);
        }));
    }
}
