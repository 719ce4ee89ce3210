//! Reads the servers, commands, skills and agents of one Claude Code plugin, from the default places and
//! those in its manifest. Plugins are third-party code, so nothing outside the plugin's folder is read.

use std::path::{Component, Path, PathBuf};

use staleness_core::ids::{Level, ToolName};
use staleness_core::scan::{Found, SourceReading};
use staleness_core::tool::{ListingState, ToolKind};

use super::claude::{AllSettings, CLIENT, FILE, UserPlace};
use super::folders::{Owner, Shelf, look_into};
use super::plugins::Installed;
use super::servers::{self, Rules};
use super::state::LocalState;
use super::{Outside, shapes, source};
use crate::draft::Draft;
use crate::json::{self, JsonFile, JsonText, Value};
use crate::text::is_there;
use staleness_docs::disk::Fence;

/// Reads the plugin's four sources.
pub(super) fn read(
    outside: &Outside<'_>,
    user: &UserPlace,
    settings: &AllSettings,
    local: &LocalState,
    plugin: &Installed,
    sources: &mut Vec<SourceReading>,
) {
    let manifest_path = plugin.folder.join(".claude-plugin/plugin.json");
    let fence = Fence::of([&*plugin.folder]);
    let manifest_content = outside.json(&manifest_path, Some(&fence), &shapes::MANIFEST);
    let reader = Reader {
        outside,
        plugin,
        owner: Owner { plugin: Some((plugin.short(), &plugin.name)), disabled: plugin.disabled },
        manifest: &JsonFile::of(&manifest_path, &manifest_content),
        fence: &fence,
    };
    // If the plugin is in the user's folder, and this folder exists without the plugin, the plugin was deleted.
    let root_is_there =
        if plugin.folder.starts_with(&user.dir) { user.is_there } else { is_there(&plugin.folder) };
    let mut push = |part: &str, path: PathBuf, fill: &dyn Fn(&mut Draft) -> bool| {
        let project = (plugin.level != Level::User).then_some(&outside.project_id);
        let part = format!("plugin:{}/{part}", plugin.name);
        let mut draft = Draft::new(source(CLIENT, plugin.level, project, part), &path);
        let seen = fill(&mut draft);
        if seen {
            let own = local.faults.iter().filter(|_| plugin.level != Level::User);
            for fault in settings.faults(plugin.level).chain(own) {
                draft.doubt(fault, ListingState::Pending);
            }
        }
        sources.push(draft.finish(seen, root_is_there));
    };
    push("mcp", plugin.folder.join(".mcp.json"), &|draft| reader.servers(draft, local));
    for shelf in Shelf::ALL {
        push(shelf.as_str(), plugin.folder.join(shelf.as_str()), &|draft| {
            reader.shelf(draft, shelf)
        });
    }
}

struct Reader<'a> {
    outside: &'a Outside<'a>,
    plugin: &'a Installed,
    owner: Owner<'a>,
    manifest: &'a JsonFile<'a>,
    fence: &'a Fence,
}

impl<'a> Reader<'a> {
    /// Returns the values that the manifest lists under a key.
    fn declared(&self, draft: &mut Draft, key: &str) -> Vec<(&'a JsonText<'a>, &'a Value<'a>)> {
        match self.manifest {
            JsonFile::Missing => Vec::new(),
            JsonFile::Failed(why) => {
                draft.fault(|| why.clone());
                Vec::new()
            }
            JsonFile::Read(file) => match json::get(&file.root, key) {
                None => Vec::new(),
                Some(Value::Array(list)) => {
                    list.elements.iter().map(|value| (file, value)).collect()
                }
                Some(value) => vec![(file, value)],
            },
        }
    }

    /// Resolves a path from the manifest. Reports a fault unless it is inside the plugin.
    fn inside(&self, draft: &mut Draft, file: &JsonText<'_>, value: &Value<'_>) -> Option<PathBuf> {
        let Some(text) = json::as_str(value) else {
            draft.fault(|| file.fault(json::start(value), "not a path"));
            return None;
        };
        let text = text
            .strip_prefix("${CLAUDE_PLUGIN_ROOT}")
            .map_or(text, |rest| rest.trim_start_matches('/'));
        let mut path = self.plugin.folder.clone();
        for component in Path::new(text).components() {
            match component {
                Component::CurDir => {}
                Component::Normal(name) => path.push(name),
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    let what = "a path points outside the plugin's folder";
                    draft.fault(|| file.fault(json::start(value), what));
                    return None;
                }
            }
        }
        Some(path)
    }

    /// Adds the servers. Returns true if a place for servers exists.
    fn servers(&self, draft: &mut Draft, local: &LocalState) -> bool {
        let state = |name: &str| {
            let is_off = self.plugin.level != Level::User
                && local.off_servers.contains(&format!("plugin:{}:{name}", self.plugin.short()));
            if is_off { ListingState::Off } else { ListingState::Configured }
        };
        let rules = Rules {
            owner: self.owner,
            state: &state,
            folder: Some(&self.plugin.folder),
            ..Rules::plain(self.outside, &FILE)
        };
        let own = self.plugin.folder.join(".mcp.json");
        let mut seen = self.server_file(draft, &own, &rules);
        for (file, value) in self.declared(draft, "mcpServers") {
            if let Value::Object(map) = value {
                seen = true;
                servers::add_bare(draft, file, map, &rules);
            } else if let Some(path) = self.inside(draft, file, value) {
                seen |= path != own && self.server_file(draft, &path, &rules);
            }
        }
        seen
    }

    fn server_file(&self, draft: &mut Draft, path: &Path, rules: &Rules<'_>) -> bool {
        let content = self.outside.json(path, Some(self.fence), &shapes::BARE);
        let file = JsonFile::of(path, &content).or_fault(|why| draft.fault(|| why));
        file.map(|file| servers::add_bare(draft, &file, &file.root, rules)).is_some()
    }

    /// Adds the contents of a shelf. Returns true if the shelf exists.
    fn shelf(&self, draft: &mut Draft, shelf: Shelf) -> bool {
        let own = self.plugin.folder.join(shelf.as_str());
        let mut seen = self.look_into(draft, &own, shelf);
        for (file, value) in self.declared(draft, shelf.as_str()) {
            if let (Shelf::Commands, Value::Object(map)) = (shelf, value) {
                seen = true;
                self.inline_commands(draft, file, map);
            } else if let Some(path) = self.inside(draft, file, value) {
                seen |= path != own && self.look_into(draft, &path, shelf);
            }
        }
        seen
    }

    fn look_into(&self, draft: &mut Draft, path: &Path, shelf: Shelf) -> bool {
        look_into(draft, path, shelf, &self.owner, Some(self.fence)).unwrap_or_else(|why| {
            draft.fault(|| why);
            false
        })
    }

    /// Adds commands that the manifest defines inline.
    fn inline_commands(&self, draft: &mut Draft, file: &JsonText<'_>, map: &json::Object<'_>) {
        for entry in json::entries(map) {
            let name = format!("/{}:{}", self.plugin.short(), entry.key);
            match (ToolName::new(name), entry.value) {
                (Ok(name), Value::Object(command)) => {
                    let found = Found::new(name, ToolKind::SlashCommand);
                    let text = json::get_str(command, "description");
                    draft.add(self.owner.own(found.described(text)));
                }
                _ => draft.fault(|| file.fault(entry.at, "a command cannot be used")),
            }
        }
    }
}
