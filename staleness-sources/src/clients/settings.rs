//! Claude Code's settings: what they switch on and off.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::claude::FILE;
use super::servers::names;
use super::{Outside, shapes};
use crate::json::{self, JsonFile, JsonText, Object, Value};
use staleness_docs::disk::Fence;

/// Answers to the question whether a server of `.mcp.json` may start.
#[derive(Debug, Default)]
pub(super) struct Approvals {
    on: HashSet<String>,
    all_on: bool,
    off: HashSet<String>,
}

impl Approvals {
    /// Adds what an object says, a settings file or a project's section of `.claude.json`.
    pub(super) fn take(
        &mut self,
        file: &JsonText<'_>,
        object: &Object<'_>,
        faults: &mut Vec<String>,
    ) {
        let mut listed = |key| names(file, object, key, faults).into_iter().flatten();
        self.on.extend(listed("enabledMcpjsonServers"));
        self.off.extend(listed("disabledMcpjsonServers"));
        self.all_on |= json::get_bool(object, "enableAllProjectMcpServers") == Some(true);
    }

    pub(super) fn allows(&self, server: &str) -> bool {
        self.all_on || self.on.contains(server)
    }

    /// Returns true for a no, which wins over the yes of any file.
    pub(super) fn forbids(&self, server: &str) -> bool {
        self.off.contains(server)
    }
}

/// The switches of one settings file.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) approvals: Approvals,
    /// The client refuses the file, and goes on without it.
    pub(super) refusal: Option<String>,
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
            JsonFile::Read(file) => match FILE.syntax.refuses(&file.liberties) {
                Some((line, what)) => settings.refusal = Some(FILE.refusal(path, line, what)),
                None => settings.take(&file),
            },
        }
        settings
    }

    fn take(&mut self, file: &JsonText<'_>) {
        self.approvals.take(file, &file.root, &mut self.faults);
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
