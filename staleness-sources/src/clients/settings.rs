//! Claude Code's settings: what they switch off.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::servers::names;
use super::{Outside, shapes};
use crate::json::{self, JsonFile, JsonText, Value};
use crate::text::Fence;

/// The switches of one settings file.
///
/// `enabledMcpjsonServers` and `enableAllProjectMcpServers` are not needed: they answer the
/// question whether a server of `.mcp.json` may start, and until it is answered with no the
/// server is there. A no in any file wins over every yes.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// Servers of `.mcp.json` that are switched off.
    pub(super) off_servers: HashSet<String>,
    /// Plugins that are switched on or off.
    pub(super) plugins: HashMap<String, bool>,
    pub(super) faults: Vec<String>,
}

impl Settings {
    /// Reads a file; a missing one switches nothing off.
    pub(super) fn read(outside: &Outside<'_>, path: &Path, fence: Option<&Fence>) -> Self {
        let content = outside.json(path, fence, &shapes::SETTINGS);
        let mut settings = Self::default();
        match JsonFile::of(path, &content) {
            JsonFile::Missing => {}
            JsonFile::Failed(why) => settings.faults.push(why),
            JsonFile::Read(file) => settings.take(&file),
        }
        settings
    }

    fn take(&mut self, file: &JsonText<'_>) {
        let off = names(file, &file.root, "disabledMcpjsonServers", &mut self.faults);
        self.off_servers.extend(off.into_iter().flatten());
        match json::get(&file.root, "enabledPlugins") {
            None => {}
            Some(Value::Object(plugins)) => {
                for entry in json::entries(plugins) {
                    let on = match entry.value {
                        Value::BooleanLit(on) => on.value,
                        // A list of versions, or `null`: not switched off.
                        _ => continue,
                    };
                    self.plugins.insert(entry.key.to_owned(), on);
                }
            }
            Some(other) => {
                self.faults.push(file.fault(json::start(other), "the plugins are not an object"))
            }
        }
    }
}
