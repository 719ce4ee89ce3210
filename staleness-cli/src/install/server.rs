//! The MCP server in a JSON file.

use serde_json::{Value as Json, json};

use super::Fault;
use super::hooks::set;
use super::json::{Doc, Step};
use super::shell::{Call, Program};

/// The server's name in client configurations.
pub(super) const NAME: &str = "staleness";

/// The server's entry in one file.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// The key of the server map.
    pub key: &'static str,
    /// True if the client's entries state the transport type.
    pub typed: bool,
    /// The program to run.
    pub program: Program,
}

impl Server {
    /// Adds the entry, or updates it.
    pub(super) fn install(&self, doc: &mut Doc) -> Result<(), Fault> {
        let value = doc.value()?;
        let servers = match value.get(self.key) {
            None | Some(Json::Null) => {
                return set(doc, &[], self.key, &value, &json!({ NAME: self.entry() }));
            }
            Some(servers @ Json::Object(_)) => servers,
            Some(_) => {
                let line = doc.line_of(&[Step::Key(self.key)]);
                return Err(Fault { line, what: format!("`{}` is not an object", self.key) });
            }
        };
        let Some(entry) = servers.get(NAME) else {
            return doc.insert(&[Step::Key(self.key)], NAME, &self.entry());
        };
        let path = [Step::Key(self.key), Step::Key(NAME)];
        match call(entry) {
            Some((call, arguments)) if self.program.wrote_server(&call, &arguments) => {
                let wanted = self.entry();
                for key in ["command", "args"] {
                    if entry[key] != wanted[key] {
                        doc.replace(&[&path[..], &[Step::Key(key)]].concat(), &wanted[key])?;
                    }
                }
                Ok(())
            }
            // This entry was written by hand and has the same effect.
            Some((call, _)) if call.is_named() => Ok(()),
            _ => {
                let what =
                    format!("there is already a server named {NAME} that `init` did not write");
                Err(Fault { line: doc.line_of(&path), what })
            }
        }
    }

    /// Removes the entry, and the server map if it becomes empty and was not in `kept`.
    pub(super) fn remove(&self, doc: &mut Doc, kept: &Json) -> Result<(), Fault> {
        if !self.is_there(&doc.value()?) {
            return Ok(());
        }
        doc.remove(&[Step::Key(self.key), Step::Key(NAME)])?;
        let is_empty = doc.value()?[self.key].as_object().is_some_and(serde_json::Map::is_empty);
        if is_empty && kept.get(self.key).is_none() {
            doc.remove(&[Step::Key(self.key)])?;
        }
        Ok(())
    }

    /// Removes our entry and an empty server map from a value. Used to verify that nothing else changes.
    pub(super) fn strip(&self, value: &mut Json) {
        if self.is_there(value) {
            value[self.key].as_object_mut().map(|servers| servers.shift_remove(NAME));
        }
        let is_empty = |servers: &Json| {
            servers.is_null() || servers.as_object().is_some_and(serde_json::Map::is_empty)
        };
        if value.get(self.key).is_some_and(is_empty) {
            value.as_object_mut().map(|root| root.shift_remove(self.key));
        }
    }

    /// Returns the program that our entry runs.
    pub(super) fn program(&self, value: &Json) -> Option<String> {
        let (call, arguments) = call(value.get(self.key)?.get(NAME)?)?;
        let ours = self.program.wrote_server(&call, &arguments);
        ours.then(|| call.program.into_owned())
    }

    fn is_there(&self, value: &Json) -> bool {
        self.program(value).is_some()
    }

    fn entry(&self) -> Json {
        let mut entry = json!({});
        if self.typed {
            entry["type"] = "stdio".into();
        }
        entry["command"] = self.program.path.clone().into();
        entry["args"] = self.program.server().into();
        entry
    }
}

/// Returns an entry's call and arguments, if it runs this program's server.
fn call(entry: &Json) -> Option<(Call<'_>, Vec<String>)> {
    let program = entry.get("command")?.as_str()?.into();
    let arguments = entry.get("args")?.as_array()?.iter();
    let arguments: Vec<String> =
        arguments.map(|each| each.as_str().map(str::to_owned)).collect::<Option<_>>()?;
    let command = arguments.first().filter(|first| *first == "mcp")?.clone().into();
    Some((Call { program, command }, arguments))
}
