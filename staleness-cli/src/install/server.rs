//! The MCP server in a JSON file.

use serde_json::{Value as Json, json};

use super::Fault;
use super::json::{Doc, Step};
use super::shell::{Call, Program};

/// The server's name in client configurations.
pub(super) const NAME: &str = "staleness";

/// The server's entry in a file.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// The key of the server map.
    pub key: &'static str,
    /// True if entries of the client name the transport type.
    pub typed: bool,
    pub program: Program,
}

impl Server {
    /// Adds the entry, or updates it.
    pub(super) fn install(&self, doc: &mut Doc) -> Result<(), Fault> {
        let mut value = doc.value()?;
        let path = [Step::Key(self.key), Step::Key(NAME)];
        let servers = &mut value[self.key];
        if !servers.is_object() && !servers.is_null() {
            let line = doc.line_of(&path[..1]);
            return Err(Fault { line, what: format!("`{}` is not an object", self.key) });
        }
        let entry = servers.get(NAME);
        match entry.and_then(call) {
            _ if entry.is_none() => servers[NAME] = self.entry(),
            Some((call, arguments)) if self.program.wrote_server(&call, &arguments) => {
                let mut wanted = self.entry();
                for key in ["command", "args"] {
                    servers[NAME][key] = wanted[key].take();
                }
            }
            // The entry was written by hand, and has the same effect.
            Some((call, _)) if call.is_named() => return Ok(()),
            _ => {
                let what =
                    format!("there is already a server named {NAME} that `init` did not write");
                return Err(Fault { line: doc.line_of(&path), what });
            }
        }
        doc.change_to(&value)
    }

    /// Removes the entry, and the server map if it becomes empty and was not in `kept`.
    pub(super) fn remove(&self, doc: &mut Doc, kept: &Json) -> Result<(), Fault> {
        let mut value = doc.value()?;
        if self.program(&value).is_none() {
            return Ok(());
        }
        let servers = &mut value[self.key];
        servers.as_object_mut().map(|servers| servers.shift_remove(NAME));
        let is_empty = servers.as_object().is_some_and(serde_json::Map::is_empty);
        if is_empty && kept.get(self.key).is_none() {
            value.as_object_mut().map(|root| root.shift_remove(self.key));
        }
        doc.change_to(&value)
    }

    /// Returns the program that our entry runs, or `None` if there is no such entry.
    pub(super) fn program(&self, value: &Json) -> Option<String> {
        let (call, arguments) = call(value.get(self.key)?.get(NAME)?)?;
        let ours = self.program.wrote_server(&call, &arguments);
        ours.then(|| call.program.into_owned())
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
