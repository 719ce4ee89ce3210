//! Clients that keep their servers in one file per level.

use std::collections::HashSet;
use std::path::Path;

use staleness_core::ids::{Level, SourceId};
use staleness_core::scan::SourceReading;

use super::folders::Owner;
use super::servers::{self, Rules};
use super::{Outside, shapes, source};
use crate::draft::Draft;
use crate::json::{self, JsonFile, Value};
use crate::text::Fence;

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
        sources.push(json_source(
            outside,
            source(client.name, Level::User, None, "mcp"),
            &user,
            None,
            outside.home_is_there,
            client.key,
        ));
        let Some(path) = client.project else { continue };
        if let Some(path) = outside.project_path(path, &user) {
            sources.push(json_source(
                outside,
                source(client.name, Level::Project, Some(&outside.project_id), "mcp"),
                &path,
                Some(&outside.fence),
                outside.project_is_there,
                client.key,
            ));
        }
    }
    gemini(outside, sources);
}

fn json_source(
    outside: &Outside<'_>,
    id: SourceId,
    path: &Path,
    fence: Option<&Fence>,
    root_is_there: bool,
    key: &'static str,
) -> SourceReading {
    let content = outside.json(path, fence, &shapes::SERVERS);
    let mut draft = Draft::new(id, path);
    match JsonFile::of(path, &content) {
        JsonFile::Missing => draft.missing(root_is_there),
        JsonFile::Failed(why) => draft.failed(why),
        JsonFile::Read(file) => {
            servers::add_keyed(&mut draft, &file, &file.root, key, &Rules::PLAIN);
            draft.read()
        }
    }
}

/// What Gemini CLI lets in: `mcp.allowed` and `mcp.excluded` of its settings.
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

    fn is_off(&self, name: &str) -> bool {
        self.excluded.contains(name)
            || self.allowed.as_ref().is_some_and(|allowed| !allowed.contains(name))
    }
}

/// Gemini CLI: the user's gate stands before the project's servers as well; the project's own
/// list of allowed servers replaces the user's.
fn gemini(outside: &Outside<'_>, sources: &mut Vec<SourceReading>) {
    let user_path = outside.home.join(".gemini/settings.json");
    let user_content = outside.json(&user_path, None, &shapes::GEMINI);
    let user = JsonFile::of(&user_path, &user_content);
    let user_gate = Gate::of(&user);
    sources.push(gemini_source(
        source("gemini", Level::User, None, "mcp"),
        &user_path,
        &user,
        &user_gate,
        outside.home_is_there,
    ));
    let Some(path) = outside.project_path(".gemini/settings.json", &user_path) else {
        return;
    };
    let content = outside.json(&path, Some(&outside.fence), &shapes::GEMINI);
    let file = JsonFile::of(&path, &content);
    let mut gate = Gate::of(&file);
    gate.allowed = gate.allowed.or(user_gate.allowed);
    gate.excluded.extend(user_gate.excluded);
    gate.faults.extend(user_gate.faults);
    sources.push(gemini_source(
        source("gemini", Level::Project, Some(&outside.project_id), "mcp"),
        &path,
        &file,
        &gate,
        outside.project_is_there,
    ));
}

fn gemini_source(
    id: SourceId,
    path: &Path,
    file: &JsonFile<'_>,
    gate: &Gate,
    root_is_there: bool,
) -> SourceReading {
    let mut draft = Draft::new(id, path);
    match file {
        JsonFile::Missing => draft.missing(root_is_there),
        JsonFile::Failed(why) => draft.failed(why.clone()),
        JsonFile::Read(file) => {
            for fault in &gate.faults {
                draft.fault(|| fault.clone());
            }
            let rules = Rules { owner: Owner::default(), is_off: &|name| gate.is_off(name) };
            servers::add_keyed(&mut draft, file, &file.root, "mcpServers", &rules);
            draft.read()
        }
    }
}
