//! Reads clients with one file of servers per level.

use std::collections::HashSet;
use std::path::PathBuf;

use staleness_core::scan::SourceReading;
use staleness_core::tool::ListingState;

use super::format::{Format, Nesting, Syntax};
use super::servers::{self, Rules};
use super::shapes::{MORE_SETTINGS, SERVERS};
use super::switch::{Switch, SwitchChange};
use super::{Outside, prefer_users, reading};
use crate::json::JsonFile;
use crate::outline::Shape;

/// The key of a list of disabled servers.
const OFF_LIST: &str = "disabledMcpServers";

/// A file of a client, at one or two levels.
struct File {
    client: &'static str,
    part: &'static str,
    format: Format,
    shape: &'static Shape,
    /// Path in the home folder, or after `@/` in the user's settings folder.
    user: &'static str,
    project: Option<&'static str>,
    /// Another file of the user, with names of disabled servers under [`OFF_LIST`].
    off_list: Option<&'static str>,
}

impl File {
    const fn new(client: &'static str, user: &'static str, format: Format) -> Self {
        Self { client, part: "mcp", format, shape: &SERVERS, user, project: None, off_list: None }
    }

    const fn of_project(self, path: &'static str) -> Self {
        Self { project: Some(path), ..self }
    }

    /// Marks a file that also contains other settings.
    const fn among_settings(self, part: &'static str) -> Self {
        let format = Format { servers_only: false, ..self.format };
        Self { part, format, shape: &MORE_SETTINGS, ..self }
    }
}

const VSCODE: Format = Format { key: "servers", ..Format::lenient("VS Code") };

const OPENCODE: Format = Format {
    key: "mcp",
    nesting: Nesting::Either,
    switches: &[("enabled", false), ("disabled", true)],
    ..Format::lenient("opencode")
};

static FILES: [File; 9] = [
    File::new(
        "claude-desktop",
        "@/Claude/claude_desktop_config.json",
        Format { syntax: Syntax::Strict, ..Format::lenient("Claude Desktop") },
    ),
    File::new("cursor", ".cursor/mcp.json", Format::lenient("Cursor"))
        .of_project(".cursor/mcp.json"),
    File::new("vscode", "@/Code/User/mcp.json", VSCODE).of_project(".vscode/mcp.json"),
    File::new(
        "vscode",
        "@/Code/User/settings.json",
        Format { key: "mcp", nesting: Nesting::Inner, ..VSCODE },
    )
    .among_settings("settings"),
    File::new(
        "windsurf",
        ".codeium/windsurf/mcp_config.json",
        Format { switches: &[("disabled", true)], ..Format::lenient("Windsurf") },
    ),
    File {
        off_list: Some(".copilot/settings.json"),
        ..File::new("copilot", ".copilot/mcp-config.json", Format::lenient("Copilot CLI"))
    },
    File::new("opencode", "@/opencode/opencode.json", OPENCODE)
        .of_project("opencode.json")
        .among_settings("mcp"),
    File::new("opencode", "@/opencode/opencode.jsonc", OPENCODE)
        .of_project("opencode.jsonc")
        .among_settings("jsonc"),
    File::new(
        "zed",
        "@/zed/settings.json",
        Format {
            key: "context_servers",
            switches: &[("enabled", false)],
            ..Format::lenient("Zed")
        },
    )
    .among_settings("mcp"),
];

/// Returns the change that disables a server, or `None` if the client has no file that can disable one.
pub(super) fn switch(
    outside: &Outside<'_>,
    reading: &SourceReading,
    server: &str,
) -> Option<Switch> {
    let id = &reading.id;
    let file = FILES.iter().find(|file| file.client == id.client && file.part == id.part)?;
    if let Some(list) = file.off_list {
        let change = SwitchChange::AddName(server.to_owned());
        return Some(Switch::new(path_of(outside, list), &[OFF_LIST], change));
    }
    let (key, value) = *file.format.switches.first()?;
    let change = SwitchChange::Set(key, value);
    Some(Switch::new(&reading.path, &[file.format.key, server], change))
}

fn path_of(outside: &Outside<'_>, path: &str) -> PathBuf {
    match path.strip_prefix("@/") {
        Some(path) => outside.user_config(path),
        None => outside.home.join(path),
    }
}

pub(super) fn read(outside: &Outside<'_>, sources: &mut Vec<SourceReading>) {
    let path = |path: &str| path_of(outside, path);
    let own = sources.len();
    for file in &FILES {
        let (off, faults) =
            file.off_list.map(|list| off_in(outside, path(list))).unwrap_or_default();
        let state = |name: &str| {
            if off.contains(name) { ListingState::Off } else { ListingState::Configured }
        };
        let rules = Rules { state: &state, ..Rules::plain(outside, &file.format) };
        for place in outside.places(path(file.user), outside.home_is_there, file.project) {
            let content = outside.json(&place.path, place.fence, file.shape);
            let json = JsonFile::of(&place.path, &content);
            let draft = place.draft(file.client, file.part);
            sources.push(reading(&json, draft, place.root_is_there, |draft, json| {
                servers::add_keyed(draft, json, &json.root, &rules);
                for fault in &faults {
                    draft.doubt(fault, ListingState::Pending);
                }
            }));
        }
    }
    prefer_users(&mut sources[own..]);
}

/// Returns the names of disabled servers, and faults in the file.
fn off_in(outside: &Outside<'_>, path: PathBuf) -> (HashSet<String>, Vec<String>) {
    let content = outside.json(&path, None, &MORE_SETTINGS);
    let mut faults = Vec::new();
    let file = JsonFile::of(&path, &content).or_fault(|why| faults.push(why));
    let names = file.and_then(|file| servers::names(&file, &file.root, OFF_LIST, &mut faults));
    (names.into_iter().flatten().collect(), faults)
}
