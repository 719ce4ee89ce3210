//! Disables servers in a client's file without changing anything else. Works on text only.

use serde_json::{Value as Json, json};
use staleness_sources::clients::{Switch, SwitchChange};

use super::json::{Doc, Step};
use super::{Fault, toml_server};

/// The changes of one file, without duplicates.
#[derive(Clone, Debug)]
pub(crate) struct Switches(pub(crate) Vec<Switch>);

impl Switches {
    pub(super) fn is_toml(&self) -> bool {
        self.0.iter().any(|each| each.path.extension().is_some_and(|end| end == "toml"))
    }

    /// Returns the text with all changes applied. The result is parsed again, and rejected if anything else has
    /// changed.
    pub(super) fn install(&self, text: &str) -> Result<String, Fault> {
        let is_toml = self.is_toml();
        self.0.iter().try_fold(text.to_owned(), |text, each| match each.change {
            SwitchChange::Set(key, value) if is_toml => {
                toml_server::set(&text, &each.at, key, value)
            }
            _ => changed(&text, each),
        })
    }

    /// Returns the names written by the changes, which a diff may show.
    pub(super) fn words(&self) -> Vec<String> {
        let name = |each: &Switch| match &each.change {
            SwitchChange::AddName(name) => Some(name.clone()),
            _ => None,
        };
        self.0.iter().filter_map(name).collect()
    }
}

/// Applies one change to JSON.
fn changed(text: &str, switch: &Switch) -> Result<String, Fault> {
    let mut doc = Doc::new(text)?;
    let mut wanted = doc.value()?;
    let mut path: Vec<&str> = switch.at.iter().map(String::as_str).collect();
    if let SwitchChange::Set(key, _) = &switch.change {
        path.push(key);
    }
    let steps: Vec<Step<'_>> = path.iter().copied().map(Step::Key).collect();
    // Number of leading keys whose values exist.
    let is_there = |end: &usize| value_at(&wanted, &path[..*end]).is_some();
    let there = (1..=path.len()).take_while(is_there).count();
    let line = doc.line_of(&steps[..there]);
    let fault =
        |what: &str| Err(Fault { line, what: format!("{what}; switch it off in the client") });
    if there < switch.at.len() && !matches!(switch.change, SwitchChange::AddName(_)) {
        return fault("was not found where expected");
    }
    if there < path.len() && value_at(&wanted, &path[..there]).is_some_and(Json::is_null) {
        return fault("cannot be changed safely");
    }
    let Some(place) = place_of(&mut wanted, &path) else { return fault("is not an object") };
    match &switch.change {
        SwitchChange::AddName(name) if there < path.len() => *place = json!([name]),
        SwitchChange::AddName(name) => {
            let Json::Array(list) = place else { return fault("is not a list of names") };
            if !list.contains(&json!(name)) {
                list.push(json!(name));
            }
        }
        SwitchChange::Set(_, value) => *place = json!(value),
        SwitchChange::Remove => {
            if let Some((last, outer)) = path.split_last()
                && let Some(Json::Object(members)) = place_of(&mut wanted, outer)
            {
                members.shift_remove(*last);
            }
        }
    }
    match doc.change_to(&wanted) {
        Ok(()) => Ok(doc.finish()),
        Err(_) => fault("cannot be changed safely"),
    }
}

fn value_at<'v>(root: &'v Json, path: &[&str]) -> Option<&'v Json> {
    path.iter().try_fold(root, |value, key| value.as_object()?.get(*key))
}

/// Returns the value at a path of keys. Creates missing objects.
fn place_of<'v>(root: &'v mut Json, path: &[&str]) -> Option<&'v mut Json> {
    path.iter().try_fold(root, |value, key| {
        (value.is_object() || value.is_null()).then(|| &mut value[*key])
    })
}

#[cfg(test)]
#[path = "switch_tests.rs"]
mod tests;
