//! Reads Claude Code's index of installed plugins.
//!
//! A plugin installed at user level has one state for all projects, so only the user's settings can disable it. For a
//! project's plugin, the last of these settings takes precedence: the user's, the project's, the user's for the
//! project. The organization's settings override all of them.

use std::path::{Path, PathBuf};

use staleness_core::ids::{Level, ToolName};
use staleness_core::scan::{Found, SourceIndex};
use staleness_core::tool::{ListingState, ToolKind};

use super::claude::{AllSettings, CLIENT, UserPlace};
use super::state::{LocalState, Places};
use super::{Outside, Readings, plugin, shapes, source};
use crate::draft::Draft;
use crate::json::{self, JsonFile, JsonText, Object, Value};

/// The levels at which plugins can be installed.
const LEVELS: [Level; 3] = [Level::User, Level::Project, Level::Local];

/// A plugin that is installed for this project.
#[derive(Debug)]
pub(super) struct Installed {
    /// `name@market`.
    pub(super) name: ToolName,
    pub(super) level: Level,
    pub(super) folder: PathBuf,
    pub(super) disabled: bool,
}

impl Installed {
    /// Returns the name without the market.
    pub(super) fn short(&self) -> &str {
        let name = self.name.as_str();
        match name.rfind('@') {
            Some(at) if at > 0 => &name[..at],
            _ => name,
        }
    }
}

/// Reads the index and all plugins in it.
pub(super) fn read(
    outside: &Outside<'_>,
    user: &UserPlace,
    settings: &AllSettings,
    local: &LocalState,
    readings: &mut Readings,
) {
    let dir = user.dir.join("plugins");
    let path = dir.join("installed_plugins.json");
    let content = outside.json(&path, None, &shapes::PLUGINS);
    let mut drafts = LEVELS.map(|level| {
        let project = (level != Level::User).then_some(&outside.project_id);
        Draft::new(source(CLIENT, level, project, "plugins"), &path)
    });
    let whole = match JsonFile::of(&path, &content) {
        JsonFile::Missing => {
            let missing = drafts.map(|draft| draft.missing(user.is_there));
            readings.sources.extend(missing);
            user.is_there
        }
        JsonFile::Failed(why) => {
            let failed = drafts.map(|draft| draft.failed(why.clone()));
            readings.sources.extend(failed);
            false
        }
        JsonFile::Read(file) => {
            let mut index = Index {
                outside,
                places: Places::of(outside),
                dir: &dir,
                settings,
                drafts: &mut drafts,
                installed: Vec::new(),
                whole: true,
            };
            index.take(&file);
            let Index { installed, whole, .. } = index;
            for (level, mut draft) in LEVELS.into_iter().zip(drafts) {
                if level != Level::User && draft.is_blank() {
                    readings.sources.push(draft.missing(true));
                    continue;
                }
                for fault in settings.faults(level) {
                    draft.doubt(fault, ListingState::Pending);
                }
                readings.sources.push(draft.read());
            }
            for each in &installed {
                plugin::read(outside, user, settings, local, each, &mut readings.sources);
            }
            whole
        }
    };
    if whole {
        readings.indexes.extend(LEVELS.map(|level| SourceIndex {
            client: CLIENT.to_owned(),
            level,
            project: (level != Level::User).then(|| outside.project_id.clone()),
            part_prefix: "plugin:".to_owned(),
        }));
    }
}

impl AllSettings {
    /// Returns the faults in the settings that apply to plugins of a level.
    pub(super) fn faults(&self, level: Level) -> impl Iterator<Item = &String> {
        let project = self.project.iter().filter(move |_| level != Level::User);
        std::iter::once(&self.user).chain(project).flat_map(|each| &each.faults)
    }

    fn switches_off(&self, level: Level, plugin: &str) -> bool {
        let user = self.user.plugins.get(plugin);
        let own = self.project.iter().rev();
        let mut own = own.filter_map(|each| each.plugins.get(plugin));
        let managed = self.managed.iter().rev().find_map(|each| each.plugins.get(plugin));
        let last = if level == Level::User { user } else { own.next().or(user) };
        let last = managed.or(last);
        last == Some(&false)
    }
}

/// The state while reading the index.
struct Index<'a> {
    outside: &'a Outside<'a>,
    places: Places,
    dir: &'a Path,
    settings: &'a AllSettings,
    drafts: &'a mut [Draft; 3],
    installed: Vec<Installed>,
    /// True unless a malformed part was found.
    whole: bool,
}

impl Index<'_> {
    fn take(&mut self, file: &JsonText<'_>) {
        // Without the key, the file has the format of another version. The list of plugins is then unknown, not empty.
        let Some(member) =
            file.root.properties.iter().rev().find(|member| member.name.as_str() == "plugins")
        else {
            self.fault(file, 0, "no plugins are listed");
            return;
        };
        let plugins = match &member.value {
            Value::NullKeyword(_) => return,
            Value::Object(plugins) => plugins,
            other => {
                self.fault(file, json::start(other), "the plugins are not an object");
                return;
            }
        };
        for entry in json::entries(plugins) {
            let Ok(name) = ToolName::new(entry.key) else {
                self.fault(file, entry.at, "a plugin has an unusable name");
                continue;
            };
            match entry.value {
                Value::Array(list) => {
                    for value in &list.elements {
                        self.take_record(file, &name, value);
                    }
                }
                // This is the first version of the file format.
                value => self.take_record(file, &name, value),
            }
        }
    }

    fn take_record(&mut self, file: &JsonText<'_>, name: &ToolName, value: &Value<'_>) {
        let at = json::start(value);
        let Value::Object(record) = value else {
            self.fault(file, at, "a plugin is not an object");
            return;
        };
        let Some(level) = self.level(file, record, at) else {
            return;
        };
        let disabled = self.settings.switches_off(level, name.as_str());
        let found = Found::new(name.clone(), ToolKind::Plugin).switched_off(disabled);
        self.drafts[place(level)].add(found);
        let Some(folder) = json::get_str(record, "installPath").filter(|path| !path.is_empty())
        else {
            self.fault(file, at, "a plugin has no installPath");
            return;
        };
        let known = |each: &Installed| each.level == level && each.name == *name;
        if !self.installed.iter().any(known) {
            self.installed.push(Installed {
                name: name.clone(),
                level,
                folder: self.folder(folder),
                disabled,
            });
        }
    }

    /// Returns the level of a record, or `None` if it belongs to another project.
    fn level(&mut self, file: &JsonText<'_>, record: &Object<'_>, at: usize) -> Option<Level> {
        let place = json::get_str(record, "projectPath");
        let level = match json::get_str(record, "scope") {
            Some("project") => Level::Project,
            Some("local") => Level::Local,
            Some("user" | "managed") => return Some(Level::User),
            _ if place.is_none() => return Some(Level::User),
            _ => Level::Project,
        };
        let Some(place) = place else {
            self.fault(file, at, "a plugin of a project has no projectPath");
            return None;
        };
        self.places.hold(place).then_some(level)
    }

    fn folder(&self, text: &str) -> PathBuf {
        match text.strip_prefix("~/") {
            Some(rest) => self.outside.home.join(rest),
            None => self.dir.join(text),
        }
    }

    /// Adds a fault to all levels, because a malformed record may be of any level.
    fn fault(&mut self, file: &JsonText<'_>, offset: usize, what: &str) {
        self.whole = false;
        for draft in &mut *self.drafts {
            draft.fault(|| file.fault(offset, what));
        }
    }
}

const fn place(level: Level) -> usize {
    match level {
        Level::User | Level::Live => 0,
        Level::Project => 1,
        Level::Local => 2,
    }
}
