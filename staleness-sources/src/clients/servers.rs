//! Reads MCP servers from JSON files. Reads only the name of an entry, the members that disable it, its description,
//! and the kinds of its other members.

use std::path::Path;

use staleness_core::scan::Found;
use staleness_core::tool::ListingState;

use super::Outside;
use super::folders::Owner;
use super::format::{Format, holds_objects};
use super::launch::Starts;
use crate::draft::Draft;
use crate::json::{self, Entry, JsonText, Object, Value};
use crate::text::line_at;

/// The keys that clients use for their servers.
const KEYS: [&str; 2] = ["mcpServers", "servers"];

/// An entry outside the map with one of these members is a misplaced server.
const STARTS: [&str; 2] = ["command", "url"];

#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    pub(super) format: &'a Format,
    pub(super) owner: Owner<'a>,
    /// Returns the state of a server by name, without regard to its own entry.
    pub(super) state: &'a dyn Fn(&str) -> ListingState,
    /// Collects launches, if requested.
    pub(super) starts: Option<&'a Starts>,
    /// The folder of the plugin or extension that contains the file.
    pub(super) folder: Option<&'a Path>,
}

impl<'a> Rules<'a> {
    /// Returns the rules for the user's or the project's own servers.
    pub(super) const fn plain(outside: &'a Outside<'_>, format: &'a Format) -> Self {
        let owner = Owner { plugin: None, disabled: false };
        let state = &|_: &str| ListingState::Configured;
        Self { format, owner, state, starts: outside.starts.as_ref(), folder: None }
    }

    /// Returns the rules for a file that the client rejects.
    pub(super) fn refused(self) -> Self {
        Self { state: &|_| ListingState::Refused, ..self }
    }

    /// Checks the file's syntax. If the client rejects the file, its servers are added as refused.
    fn judge(self, draft: &mut Draft, file: &JsonText<'_>) -> Self {
        match self.format.syntax.refuses(&file.liberties) {
            None => self,
            Some((line, what)) => {
                draft.refuse(self.format.refusal(file.path, line, what));
                self.refused()
            }
        }
    }
}

/// Adds the servers under the client's key. Servers under another client's key, as after copying, are added as refused,
/// because this client does not load them.
pub(super) fn add_keyed(
    draft: &mut Draft,
    file: &JsonText<'_>,
    object: &Object<'_>,
    rules: &Rules<'_>,
) {
    let (format, rules) = (rules.format, rules.judge(draft, file));
    if json::get(object, format.key).is_some() {
        if let Some(servers) = format.servers(object) {
            add(draft, file, servers, &rules);
        }
        return;
    }
    let refuse = |draft: &mut Draft, at: usize, what: &str| {
        draft.refuse(format.refusal(file.path, line_at(file.text, at), what));
    };
    for other in KEYS.into_iter().filter(|other| *other != format.key) {
        if let Some(servers @ Value::Object(_)) = json::get(object, other) {
            let what = format!("found `{other}` instead of `{}`; rename it", format.key);
            refuse(draft, json::start(servers), &what);
            add(draft, file, servers, &rules.refused());
            return;
        }
    }
    if format.servers_only {
        let entries = json::entries(object).into_iter().filter(|entry| {
            let server = entry.value.as_object();
            server.is_some_and(|server| STARTS.iter().any(|key| json::get(server, key).is_some()))
        });
        for entry in entries {
            let what = format!("`{}` is missing; put the servers into it", format.key);
            refuse(draft, entry.at, &what);
            add_one(draft, file, &entry, &rules.refused());
        }
    }
}

/// Adds a plugin's servers, which are under a key or are the whole object.
pub(super) fn add_bare(
    draft: &mut Draft,
    file: &JsonText<'_>,
    object: &Object<'_>,
    rules: &Rules<'_>,
) {
    let keyed = object.properties.iter().any(|member| {
        member.name.as_str() == KEYS[0]
            || (member.name.as_str() == KEYS[1] && holds_objects(&member.value))
    });
    if keyed {
        add_keyed(draft, file, object, rules);
    } else {
        let rules = rules.judge(draft, file);
        add_map(draft, file, object, &rules);
    }
}

fn add(draft: &mut Draft, file: &JsonText<'_>, servers: &Value<'_>, rules: &Rules<'_>) {
    match servers {
        Value::Object(map) => add_map(draft, file, map, rules),
        other => draft.fault(|| file.fault(json::start(other), "the servers are not an object")),
    }
}

fn add_map(draft: &mut Draft, file: &JsonText<'_>, map: &Object<'_>, rules: &Rules<'_>) {
    for entry in json::entries(map) {
        // Skips `$schema` and similar members.
        if !entry.key.starts_with('$') || entry.value.as_object().is_some() {
            add_one(draft, file, &entry, rules);
        }
    }
}

fn add_one(draft: &mut Draft, file: &JsonText<'_>, entry: &Entry<'_, '_>, rules: &Rules<'_>) {
    let name = match rules.owner.plugin {
        Some((plugin, _)) => &format!("plugin_{plugin}_{}", entry.key),
        None => entry.key,
    };
    let found = Found::server(name).filter(|_| !entry.key.trim().is_empty());
    let Some(mut found) = found else {
        draft.fault(|| file.fault(entry.at, "a server has an unusable name"));
        return;
    };
    let Value::Object(server) = entry.value else {
        draft.fault(|| file.fault(json::start(entry.value), "a server is not an object"));
        return;
    };
    found.state = (rules.state)(entry.key);
    if found.state != ListingState::Refused {
        found = found.switched_off(rules.owner.disabled || rules.format.is_off(server));
    }
    let is_in_question = !matches!(found.state, ListingState::Off | ListingState::Refused);
    if is_in_question && let Some(why) = (rules.format.skips)(server) {
        found.state = ListingState::Refused;
        let what = format!("{} skips `{}`: {why}", rules.format.title, entry.key);
        draft.note(|| file.fault(entry.at, &what));
    }
    let name = found.name.clone();
    let found = found.described(json::get_str(server, "description"));
    let taken = draft.add(rules.owner.own(found));
    if let Some(starts) = rules.starts.filter(|_| taken) {
        starts.note(draft.id(), name, json::members(server), rules.folder);
    }
}

/// Returns true if a name in Claude Code's settings means this server. The name of a plugin's server is
/// `plugin:PLUGIN:SERVER`.
pub(super) fn is_called(found: &Found, name: &str) -> bool {
    let named = match found.plugin {
        None => Found::server(name),
        Some(_) => name
            .strip_prefix("plugin:")
            .and_then(|name| Found::server(&format!("plugin_{}", name.replacen(':', "_", 1)))),
    };
    named.is_some_and(|named| named.name == found.name)
}

/// Returns the strings of the list under `key`. Other values are reported as faults.
pub(super) fn names(
    file: &JsonText<'_>,
    object: &Object<'_>,
    key: &'static str,
    faults: &mut Vec<String>,
) -> Option<Vec<String>> {
    let list = match json::get(object, key)? {
        Value::Array(list) => list,
        other => {
            faults.push(file.fault(json::start(other), &format!("`{key}` is not a list of names")));
            return None;
        }
    };
    let mut names = Vec::with_capacity(list.elements.len());
    for value in &list.elements {
        match json::as_str(value) {
            Some(name) => names.push(name.to_owned()),
            None if faults.is_empty() => {
                faults.push(file.fault(
                    json::start(value),
                    &format!("`{key}` contains something that is not a name"),
                ));
            }
            None => {}
        }
    }
    Some(names)
}
