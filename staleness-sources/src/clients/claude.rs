//! Claude Code.

use std::path::{Path, PathBuf};

use staleness_core::ids::{Level, ProjectId};
use staleness_core::scan::SourceReading;

use super::folders::{Looked, Owner, Shelf, look_into};
use super::servers::{self, Rules};
use super::settings::Settings;
use super::shapes;
use super::state::{self, LocalState};
use super::{Outside, Readings, plugins, source};
use crate::draft::Draft;
use crate::json::JsonFile;
use crate::text::{Fence, is_there};

/// The client's name.
pub(super) const CLIENT: &str = "claude-code";

/// The settings that govern a project, weakest first.
#[derive(Debug)]
pub(super) struct AllSettings {
    pub(super) user: Settings,
    /// The project's, and the user's own for this project.
    pub(super) project: [Settings; 2],
}

/// Where the user's files are.
#[derive(Debug)]
pub(super) struct UserPlace {
    /// The folder with commands, skills, agents and plugins.
    pub(super) dir: PathBuf,
    /// True if what is missing there is proven to be gone.
    pub(super) is_there: bool,
}

/// Reads every source of this client.
pub(super) fn read(outside: &Outside<'_>, readings: &mut Readings) {
    let (user, state_file) = match outside.claude_config_dir {
        None => (
            UserPlace { dir: outside.home.join(".claude"), is_there: outside.home_is_there },
            outside.home.join(".claude.json"),
        ),
        Some(dir) => (
            UserPlace { dir: dir.to_path_buf(), is_there: moved_is_there(dir) },
            dir.join(".claude.json"),
        ),
    };
    let sources = &mut readings.sources;
    let local = state::read(outside, &state_file, user.is_there, sources);
    let settings = AllSettings {
        user: Settings::read(outside, &user.dir.join("settings.json"), None),
        project: ["settings.json", "settings.local.json"].map(|name| {
            outside
                .project_path(&format!(".claude/{name}"), &user.dir.join("settings.json"))
                .map_or_else(Settings::default, |path| {
                    Settings::read(outside, &path, Some(&outside.fence))
                })
        }),
    };
    sources.push(project_servers(outside, &settings, &local));
    for shelf in Shelf::ALL {
        let path = user.dir.join(shelf.word());
        sources.push(shelf_source(Level::User, None, shelf, &path, None, user.is_there));
        if let Some(path) = outside.project_path(&format!(".claude/{}", shelf.word()), &path) {
            sources.push(shelf_source(
                Level::Project,
                Some(&outside.project_id),
                shelf,
                &path,
                Some(&outside.fence),
                outside.project_is_there,
            ));
        }
    }
    plugins::read(outside, &user, &settings, &local, readings);
}

/// Returns true if a folder that `CLAUDE_CONFIG_DIR` names is really there, or really gone: an empty one
/// may be the place of a disk that is not mounted.
fn moved_is_there(dir: &Path) -> bool {
    if dir.exists() { is_there(dir) } else { dir.parent().is_some_and(is_there) }
}

fn shelf_source(
    level: Level,
    project: Option<&ProjectId>,
    shelf: Shelf,
    path: &Path,
    fence: Option<&Fence>,
    root_is_there: bool,
) -> SourceReading {
    let mut draft = Draft::new(source(CLIENT, level, project, shelf.word()), path);
    match look_into(&mut draft, path, shelf, &Owner::default(), fence) {
        Looked::Missing => draft.missing(root_is_there),
        Looked::Failed(why) => draft.failed(why),
        Looked::Read => draft.read(),
    }
}

/// `.mcp.json`. When a file that may switch its servers off cannot be read, the reading is
/// incomplete.
fn project_servers(
    outside: &Outside<'_>,
    settings: &AllSettings,
    local: &LocalState,
) -> SourceReading {
    let path = outside.folder.join(".mcp.json");
    let content = outside.json(&path, Some(&outside.fence), &shapes::SERVERS);
    let id = source(CLIENT, Level::Project, Some(&outside.project_id), "mcp");
    let mut draft = Draft::new(id, &path);
    match JsonFile::of(&path, &content) {
        JsonFile::Missing => draft.missing(outside.project_is_there),
        JsonFile::Failed(why) => draft.failed(why),
        JsonFile::Read(file) => {
            let all = || settings.project.iter().chain([&settings.user]);
            let is_off = |name: &str| {
                local.off_servers.contains(name)
                    || local.off_json_servers.contains(name)
                    || all().any(|each| each.off_servers.contains(name))
            };
            let rules = Rules { owner: Owner::default(), is_off: &is_off };
            servers::add_keyed(&mut draft, &file, &file.root, "mcpServers", &rules);
            for fault in all().flat_map(|each| &each.faults).chain(&local.faults) {
                draft.fault(|| fault.clone());
            }
            draft.read()
        }
    }
}
