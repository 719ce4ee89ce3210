//! MCP servers in JSON files. Of an entry only its name, whether it is switched off and its
//! description are looked at.

use staleness_core::scan::Found;

use super::folders::Owner;
use crate::draft::{Draft, one_line};
use crate::json::{self, JsonText, Object, Value};

/// The keys under which clients keep their servers.
const KEYS: [&str; 2] = ["mcpServers", "servers"];

/// Rules for the servers of one file.
pub(super) struct Rules<'a> {
    pub(super) owner: Owner<'a>,
    /// True if the client has switched off the server of this name, elsewhere than in its entry.
    pub(super) is_off: &'a dyn Fn(&str) -> bool,
}

impl Rules<'_> {
    /// Nothing special: the user's or the project's own servers.
    pub(super) const PLAIN: Self =
        Self { owner: Owner { plugin: None, disabled: false }, is_off: &|_| false };
}

/// Adds the servers of an object that keeps them under `key`. The other clients' key does as
/// well: people copy configurations from one client to another.
pub(super) fn add_keyed(
    draft: &mut Draft,
    file: &JsonText<'_>,
    object: &Object<'_>,
    key: &'static str,
    rules: &Rules<'_>,
) {
    if let Some(servers) = json::get(object, key) {
        add(draft, file, servers, rules);
        return;
    }
    for other in KEYS.into_iter().filter(|other| *other != key) {
        if let Some(servers @ Value::Object(_)) = json::get(object, other) {
            add(draft, file, servers, rules);
            draft.note(file.fault(
                json::start(servers),
                &format!("`{other}` stands where this client looks for `{key}`"),
            ));
        }
    }
}

/// Adds the servers of a plugin: under a key, or as the bare map.
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
        add_keyed(draft, file, object, KEYS[0], rules);
    } else {
        add_map(draft, file, object, rules);
    }
}

/// Returns true if every member is an object: a map of servers rather than a server of that name.
fn holds_objects(value: &Value<'_>) -> bool {
    value.as_object().is_some_and(|object| {
        let mut values = object.properties.iter().map(|member| &member.value);
        values.all(|value| value.as_object().is_some())
    })
}

fn add(draft: &mut Draft, file: &JsonText<'_>, servers: &Value<'_>, rules: &Rules<'_>) {
    match servers {
        Value::Object(map) => add_map(draft, file, map, rules),
        other => draft.fault(|| file.fault(json::start(other), "the servers are not an object")),
    }
}

fn add_map(draft: &mut Draft, file: &JsonText<'_>, map: &Object<'_>, rules: &Rules<'_>) {
    for entry in json::entries(map) {
        // `$schema` and the like.
        if entry.key.starts_with('$') && entry.value.as_object().is_none() {
            continue;
        }
        let name = match rules.owner.plugin {
            Some((plugin, _)) => &format!("plugin_{plugin}_{}", entry.key),
            None => entry.key,
        };
        let found = Found::server(name).filter(|_| !entry.key.trim().is_empty());
        let Some(found) = found else {
            draft.fault(|| file.fault(entry.at, "a server has a name that cannot be used"));
            continue;
        };
        let Value::Object(server) = entry.value else {
            draft.fault(|| file.fault(json::start(entry.value), "a server is not an object"));
            continue;
        };
        let off = json::get_bool(server, "disabled") == Some(true)
            || json::get_bool(server, "enabled") == Some(false)
            || (rules.is_off)(entry.key);
        let description = json::get_str(server, "description").map(one_line);
        draft.add(rules.owner.own(found.switched_off(off).described(description.as_deref())));
    }
}

/// The texts of a list under `key`; what is no text becomes a fault.
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
                    &format!("`{key}` holds something that is not a name"),
                ));
            }
            None => {}
        }
    }
    Some(names)
}
