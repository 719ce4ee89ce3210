//! Switching servers off in the file of a client: text in, text out, and nothing else of it changes.

use serde_json::{Value as Json, json};
use staleness_sources::clients::SwitchChange;

use super::json::{Doc, Step};
use super::{Fault, toml_server};

/// The changes of one file, each once, with the keys that lead to the value.
#[derive(Clone, Debug)]
pub(crate) struct Switches {
    /// The changes.
    pub changes: Vec<(Vec<String>, SwitchChange)>,
    /// True if the file is TOML.
    pub is_toml: bool,
}

impl Switches {
    /// The text with every switch set. The result is read again, and refused if it says anything else.
    pub(super) fn install(&self, text: &str) -> Result<String, Fault> {
        self.changes.iter().try_fold(text.to_owned(), |text, (at, change)| match change {
            SwitchChange::Set(key, value) if self.is_toml => {
                toml_server::set(&text, at, key, *value)
            }
            change => changed(&text, at, change),
        })
    }

    /// The names that it writes: a diff may show them.
    pub(super) fn words(&self) -> Vec<String> {
        let name = |(_, change): &(_, SwitchChange)| match change {
            SwitchChange::AddName(name) => Some(name.clone()),
            _ => None,
        };
        self.changes.iter().filter_map(name).collect()
    }
}

/// Makes one change in JSON.
fn changed(text: &str, at: &[String], change: &SwitchChange) -> Result<String, Fault> {
    let mut doc = Doc::new(text)?;
    let before = doc.value()?;
    let mut path: Vec<&str> = at.iter().map(String::as_str).collect();
    if let SwitchChange::Set(key, _) = change {
        path.push(key);
    }
    let steps: Vec<Step<'_>> = path.iter().copied().map(Step::Key).collect();
    // The keys that lead to something that is there.
    let is_there = |end: &usize| value_at(&before, &path[..*end]).is_some();
    let there = (1..=path.len()).take_while(is_there).count();
    let line = doc.line_of(&steps[..there]);
    let fault =
        |what: &str| Err(Fault { line, what: format!("{what}; switch it off in the client") });
    let is_list = matches!(change, SwitchChange::AddName(_));
    if there < at.len() && !is_list {
        return fault("is not where it is looked for");
    }
    let mut wanted = before.clone();
    let Some(place) = place_of(&mut wanted, &path) else { return fault("is not an object") };
    match (change, place) {
        (SwitchChange::AddName(name), Json::Array(list)) => {
            if list.contains(&json!(name)) {
                return Ok(text.to_owned());
            }
            list.push(json!(name));
            doc.push(&steps, &json!(name))?;
        }
        (SwitchChange::AddName(_), _) if there == path.len() => {
            return fault("is not a list of names");
        }
        (SwitchChange::Remove, _) => {
            doc.remove(&steps)?;
            if let Some((last, outer)) = path.split_last()
                && let Some(Json::Object(members)) = place_of(&mut wanted, outer)
            {
                members.shift_remove(*last);
            }
        }
        (change, place) => {
            *place = match change {
                SwitchChange::Set(_, value) => json!(value),
                SwitchChange::AddName(name) => json!([name]),
                SwitchChange::Remove => Json::Null,
            };
            match value_at(&wanted, &path[..path.len().min(there + 1)]) {
                Some(value) if there < path.len() => {
                    doc.insert(&steps[..there], path[there], value)?;
                }
                Some(value) => doc.replace(&steps, value)?,
                None => {}
            }
        }
    }
    if doc.value()? != wanted {
        return fault("is written in a way in which nothing can be changed safely");
    }
    Ok(doc.finish())
}

fn value_at<'v>(root: &'v Json, path: &[&str]) -> Option<&'v Json> {
    path.iter().try_fold(root, |value, key| value.as_object()?.get(*key))
}

/// The value at the end of the keys; objects that lack on the way are made.
fn place_of<'v>(root: &'v mut Json, path: &[&str]) -> Option<&'v mut Json> {
    path.iter().try_fold(root, |value, key| {
        (value.is_object() || value.is_null()).then(|| &mut value[*key])
    })
}

#[cfg(test)]
#[path = "switch_tests.rs"]
mod tests;
