//! Reads Claude Code's settings: which plugins and servers are enabled or disabled, allowed or denied.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::claude::FILE;
use super::permits::Permits;
use super::servers::names;
use super::{Outside, shapes};
use crate::json::{self, JsonFile, JsonText, Object, Value};
use staleness_docs::disk::{Fence, shown};

/// The user's approvals and rejections of servers in `.mcp.json`.
#[derive(Debug, Default)]
pub(super) struct Approvals {
    on: HashSet<String>,
    all_on: bool,
    off: HashSet<String>,
}

impl Approvals {
    /// Adds the answers from a settings file or from a project's section of `.claude.json`.
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

    /// Returns true if the server was rejected. A rejection overrides an approval in any file.
    pub(super) fn forbids(&self, server: &str) -> bool {
        self.off.contains(server)
    }
}

/// The relevant values of one settings file.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// The path of the file, as messages show it.
    pub(super) path: String,
    pub(super) approvals: Approvals,
    pub(super) permits: Permits,
    /// The reason why the client ignores the file.
    pub(super) refusal: Option<String>,
    /// Plugins that are explicitly enabled or disabled.
    pub(super) plugins: HashMap<String, bool>,
    pub(super) faults: Vec<String>,
}

impl Settings {
    /// Reads a file. A missing file disables nothing.
    pub(super) fn read(outside: &Outside<'_>, path: &Path, fence: Option<&Fence>) -> Self {
        let content = outside.json(path, fence, &shapes::SETTINGS);
        let mut settings = Self { path: shown(path), ..Self::default() };
        let file = JsonFile::of(path, &content).or_fault(|why| settings.faults.push(why));
        let Some(file) = file else { return settings };
        match FILE.syntax.refuses(&file.liberties) {
            Some((line, what)) => settings.refusal = Some(FILE.refusal(path, line, what)),
            None => settings.take(&file),
        }
        settings
    }

    fn take(&mut self, file: &JsonText<'_>) {
        self.approvals.take(file, &file.root, &mut self.faults);
        self.permits.take(file, &mut self.faults);
        match json::get(&file.root, "enabledPlugins") {
            None => {}
            Some(Value::Object(plugins)) => {
                for entry in json::entries(plugins) {
                    let on = match entry.value {
                        Value::BooleanLit(on) => on.value,
                        // A list of versions or `null` does not disable the plugin.
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
