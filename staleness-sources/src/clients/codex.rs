//! Reads the configuration of Codex CLI, which is TOML. The parser stops at a nesting depth of 80. Its messages
//! quote the file and are not used.
//!
//! The client merges a project's table of a server into the user's table. A table that neither starts nor disables the
//! server is not a separate entry.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::{Map, Value};
use staleness_core::Timestamp;
use staleness_core::ids::SourceId;
use staleness_core::scan::{Found, SourceReading};
use staleness_core::source::SourceState;
use staleness_core::tool::ListingState;
use toml::de::{DeTable, DeValue};

use super::format::refused_by;
use super::launch::Starts;
use super::state::Places;
use super::{Outside, Place, prefer_users, refuse_all, refuse_in_project};
use crate::draft::Draft;
use crate::text::{Content, line_at, read_config};
use staleness_docs::disk::shown;

pub(super) const CLIENT: &str = "codex";

/// Maximum size of the file, in bytes. The file is never reduced to an outline.
const MAX_BYTES: u64 = 1024 * 1024;

/// Minimum age of a file that counts as completely written, in milliseconds. Some file systems store times in steps of
/// two seconds.
const SETTLED_AFTER: i64 = 2 * Timestamp::SECOND;

/// Block size in bytes. Programs write files in blocks with sizes that are multiples of this.
const PIECE: usize = 512;

pub(super) fn read(outside: &Outside<'_>, sources: &mut Vec<SourceReading>) {
    let user = user_file(outside);
    let mut users = Users::default();
    let own = sources.len();
    for place in outside.places(user, outside.home_is_there, Some(".codex/config.toml")) {
        sources.push(toml_source(&place, outside, &mut users));
    }
    if !users.trusts {
        if let Some(starts) = &outside.starts {
            starts.distrust(CLIENT);
        }
        prefer_users(&mut sources[own..]);
    }
    refuse_in_project(&mut sources[own..]);
    let user = &sources[own];
    if let Some(why) = user.error.clone().filter(|_| user.state == SourceState::Refused) {
        refuse_all(&mut sources[own..], &why);
    }
}

fn user_file(outside: &Outside<'_>) -> PathBuf {
    match outside.request.codex_dir {
        Some(folder) => folder.join("config.toml"),
        None => outside.home.join(".codex/config.toml"),
    }
}

/// Returns the names of the files that the client loads from a folder without `AGENTS.md`, in order of preference.
pub(super) fn instruction_names(outside: &Outside<'_>) -> Vec<String> {
    let Content::Text(text, _) = read_config(&user_file(outside), None, MAX_BYTES) else {
        return Vec::new();
    };
    let Ok(root) = DeTable::parse(&text) else { return Vec::new() };
    let names = root.get_ref().get("project_doc_fallback_filenames");
    let names = names.and_then(|names| names.get_ref().as_array()).into_iter().flatten();
    names.filter_map(|name| name.get_ref().as_str()).map(str::to_owned).collect()
}

/// The values in the user's file that affect the project's file.
#[derive(Default)]
struct Users {
    /// True if the user trusts the project's folder. Otherwise the client does not load the project's file.
    trusts: bool,
    servers: HashMap<String, Entry>,
    source: Option<SourceId>,
    /// The reason why the user's file cannot be used.
    fault: Option<String>,
}

const UNREACHABLE: &str = "a server has no `command` and no `url`; add one";

/// The parts of a server's table that decide whether it is loaded.
#[derive(Clone, Copy, Default)]
struct Entry {
    has_command: bool,
    has_url: bool,
    enabled: Option<bool>,
}

impl Entry {
    fn of(table: &DeTable<'_>) -> Self {
        let enabled = table.get("enabled").and_then(|value| value.get_ref().as_bool());
        let [has_command, has_url] = ["command", "url"].map(|key| table.contains_key(key));
        Self { has_command, has_url, enabled }
    }

    /// Adds the values of the user's entry, which this one overrides.
    fn over(self, below: Option<&Self>) -> Self {
        let below = below.copied().unwrap_or_default();
        Self {
            has_command: self.has_command || below.has_command,
            has_url: self.has_url || below.has_url,
            enabled: self.enabled.or(below.enabled),
        }
    }

    fn is_off(self) -> bool {
        self.enabled == Some(false)
    }

    /// Returns the reason why the client does not start with this server.
    fn refusal(self) -> Option<&'static str> {
        match (self.has_command, self.has_url) {
            (false, false) => Some(UNREACHABLE),
            (true, true) => Some("a server has both `command` and `url`; remove one"),
            _ => None,
        }
    }
}

impl Users {
    /// Returns the position of a server that prevents the client from starting, and the reason.
    fn unreachable(&self, root: &DeTable<'_>) -> Option<(usize, &'static str)> {
        root.get("mcp_servers")?.get_ref().as_table()?.iter().find_map(|(name, value)| {
            let entry = Entry::of(value.get_ref().as_table()?);
            let merged = entry.over(self.servers.get(&**name.get_ref()));
            Some((name.span().start, merged.refusal()?))
        })
    }

    fn take(&mut self, root: &DeTable<'_>, places: &Places) {
        let projects = root.get("projects").and_then(|value| value.get_ref().as_table());
        self.trusts = projects.into_iter().flatten().any(|(path, value)| {
            let level = value.get_ref().as_table().and_then(|project| project.get("trust_level"));
            level.and_then(|level| level.get_ref().as_str()) == Some("trusted")
                && places.hold(path.get_ref())
        });
        let servers = root.get("mcp_servers").and_then(|value| value.get_ref().as_table());
        let servers = servers.into_iter().flatten().filter_map(|(name, server)| {
            Some((name.get_ref().to_string(), Entry::of(server.get_ref().as_table()?)))
        });
        self.servers = servers.collect();
    }
}

fn toml_source(place: &Place<'_>, outside: &Outside<'_>, users: &mut Users) -> SourceReading {
    let (path, draft) = (&*place.path, place.draft(CLIENT, "mcp"));
    let text = match read_config(path, place.fence, MAX_BYTES) {
        Content::Missing => return draft.missing(place.root_is_there),
        // Codex CLI leaves an empty file when it removes the last server.
        Content::Failed(_)
            if fs::metadata(path).is_ok_and(|meta| meta.len() == 0)
                && is_settled(path, outside) =>
        {
            String::new()
        }
        Content::Failed(why) => {
            users.fault = Some(why.clone());
            return draft.failed(why);
        }
        Content::Text(text, _) => text,
    };
    let fault =
        |offset: usize, what: &str| format!("{}:{}: {what}", shown(path), line_at(&text, offset));
    match DeTable::parse(&text) {
        Ok(root) => {
            let mut draft = draft;
            let cut = looks_cut(&text)
                .then(|| fault(text.len(), "the last line has no end; it may be incomplete"));
            let mut state = match (place.project, &users.fault) {
                (Some(_), None) if !users.trusts => ListingState::Untrusted,
                _ => ListingState::Configured,
            };
            if let Some(fault) = users.fault.as_deref().filter(|_| !users.trusts) {
                draft.doubt(fault, ListingState::Untrusted);
            }
            for fault in users.fault.iter().filter(|_| users.trusts).chain(&cut) {
                draft.fault(|| fault.clone());
            }
            // If the text does not end with a newline, the file may still be being written.
            if draft.is_blank()
                && state == ListingState::Configured
                && let Some((at, what)) = users.unreachable(root.get_ref())
                && (text.ends_with('\n') || is_settled(path, outside))
            {
                draft.refuse(fault(at, &refused_by("Codex CLI", what)));
                state = ListingState::Refused;
            }
            add_servers(&mut draft, root.get_ref(), state, users, &fault, outside.starts.as_ref());
            if place.project.is_none() {
                users.take(root.get_ref(), &Places::of(outside));
                users.source = Some(draft.id().clone());
                users.fault = cut;
            }
            draft.read()
        }
        Err(error) => {
            let at = error.span().map_or(text.len(), |span| span.start);
            let why = fault(at, "not valid TOML");
            users.fault = Some(why.clone());
            draft.failed(why)
        }
    }
}

/// Returns true if a file was not written recently. While it is being written, it may be empty or end early.
fn is_settled(path: &Path, outside: &Outside<'_>) -> bool {
    let modified = fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let modified = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let millis = modified.and_then(|at| i64::try_from(at.as_millis()).ok());
    let written = millis.map(Timestamp::from_millis);
    let age = written.and_then(|at| Some(outside.request.now?.millis_since(at)));
    age.is_some_and(|age| age > SETTLED_AFTER)
}

/// Returns true if a file may still be being written. Truncated TOML is often valid, so a text that ends at a
/// block boundary without a newline is treated as incomplete.
fn looks_cut(text: &str) -> bool {
    !text.is_empty() && text.len().is_multiple_of(PIECE) && !text.ends_with('\n')
}

/// Adds the servers. The client refuses to start if a server in a file that it loads is not a table.
fn add_servers(
    draft: &mut Draft,
    root: &DeTable<'_>,
    mut state: ListingState,
    users: &Users,
    fault: &dyn Fn(usize, &str) -> String,
    starts: Option<&Starts>,
) {
    let refusal = |offset, what| fault(offset, &refused_by("Codex CLI", what));
    let Some(servers) = root.get("mcp_servers") else {
        return;
    };
    let Some(table) = servers.get_ref().as_table() else {
        if state != ListingState::Untrusted {
            draft.refuse(refusal(servers.span().start, "the servers are not a table"));
        }
        return;
    };
    if state != ListingState::Untrusted
        && let Some(odd) = table.values().find(|value| value.get_ref().as_table().is_none())
    {
        draft.refuse(refusal(odd.span().start, "a server is not a table"));
        state = ListingState::Refused;
    }
    for (name, value) in table {
        let Some(mut found) = Found::server(name.get_ref()) else {
            draft.fault(|| fault(name.span().start, "a server has an unusable name"));
            continue;
        };
        let Some(server) = value.get_ref().as_table() else { continue };
        let own = Entry::of(server);
        let below = users.servers.get(&**name.get_ref());
        let entry = own.over(below);
        let is_loaded = state == ListingState::Configured;
        let switches = below.is_some_and(|below| below.is_off() != entry.is_off());
        let is_known = below.is_some() || users.fault.is_some();
        if is_known && own.refusal() == Some(UNREACHABLE) && !(is_loaded && switches) {
            continue;
        }
        found.state = state;
        // A file that is not loaded cannot disable the user's servers.
        if is_loaded || state == ListingState::Untrusted && below.is_none() {
            found = found.switched_off(entry.is_off());
        }
        let description = server.get("description").and_then(|value| value.get_ref().as_str());
        let name = found.name.clone();
        let taken = draft.add(found.described(description));
        if let Some(starts) = starts.filter(|_| taken) {
            let below = users.source.as_ref().and_then(|source| starts.members(source, &name));
            let mut all = below.unwrap_or_default();
            merge(&mut all, members(server));
            starts.note(draft.id(), name, all, None);
        }
    }
}

/// Merges a project's table into the user's table, as the client does.
fn merge(into: &mut Map<String, Value>, own: Map<String, Value>) {
    for (key, value) in own {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(into)), Value::Object(own)) => merge(into, own),
            (_, value) => drop(into.insert(key, value)),
        }
    }
}

/// Converts the strings, lists and tables of a table to JSON.
fn members(table: &DeTable<'_>) -> Map<String, Value> {
    fn value(of: &DeValue<'_>) -> Value {
        match of {
            DeValue::String(text) => text.as_ref().into(),
            DeValue::Array(list) => list.iter().map(|each| value(each.get_ref())).collect(),
            DeValue::Table(table) => members(table).into(),
            DeValue::Boolean(value) => (*value).into(),
            _ => Value::Null,
        }
    }
    table.iter().map(|(key, each)| (key.get_ref().to_string(), value(each.get_ref()))).collect()
}
