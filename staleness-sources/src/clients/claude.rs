//! Reads the configuration of Claude Code.

use std::path::{Path, PathBuf};

use staleness_core::ids::Level;
use staleness_core::scan::SourceReading;
use staleness_core::tool::ListingState;

use super::folders::{Owner, Shelf, look_into};
use super::format::Format;
use super::servers::{self, Rules};
use super::settings::{Approvals, Settings};
use super::shapes;
use super::state::{self, LocalState};
use super::{
    Outside, Readings, list_in, permits, plugins, prefer_users, reading, refuse_all, skipped,
    source,
};
use crate::draft::Draft;
use crate::json::JsonFile;
use crate::text::is_there;

pub(super) const CLIENT: &str = "claude-code";

/// The format of settings and of files with servers. The client ignores a file that is not strict JSON.
pub(super) static FILE: Format = Format { servers_only: true, ..STATE };

/// The format of `.claude.json`. The client does not start unless it is strict JSON.
pub(super) static STATE: Format =
    Format { skips: skipped::reason, ..Format::strict("Claude Code") };

/// The settings that apply to a project, weakest first.
#[derive(Debug, Default)]
pub(super) struct AllSettings {
    pub(super) user: Settings,
    /// The project's settings, then the user's settings for this project.
    pub(super) project: [Settings; 2],
    /// The organization's settings.
    pub(super) managed: Vec<Settings>,
}

#[derive(Debug)]
pub(super) struct UserPlace {
    /// The folder with commands, skills, agents and plugins.
    pub(super) dir: PathBuf,
    /// True if a file missing in `dir` was deleted, and `dir` is not just a disk that is not mounted.
    pub(super) is_there: bool,
}

pub(super) fn read(outside: &Outside<'_>, readings: &mut Readings) {
    if outside.is_project_alone {
        let servers = project_servers(outside, &AllSettings::default(), &LocalState::default());
        return readings.sources.push(servers);
    }
    let (user, state_file) = match outside.request.claude_config_dir {
        None => (
            UserPlace { dir: outside.home.join(".claude"), is_there: outside.home_is_there },
            outside.home.join(".claude.json"),
        ),
        Some(dir) => (
            UserPlace { dir: dir.to_path_buf(), is_there: moved_is_there(dir) },
            dir.join(".claude.json"),
        ),
    };
    let user_settings = user.dir.join("settings.json");
    let settings = AllSettings {
        user: Settings::read(outside, &user_settings, None),
        project: ["settings.json", "settings.local.json"].map(|name| {
            let path = outside.folder.join(".claude").join(name);
            // If the home folder is the project, this file contains the user's settings.
            if path == user_settings {
                return Settings::default();
            }
            Settings::read(outside, &path, Some(&outside.fence))
        }),
        managed: permits::managed(outside),
    };
    let revealed =
        (settings.needs_endpoints() && outside.starts.is_none()).then(|| outside.revealed());
    let outside = revealed.as_ref().unwrap_or(outside);
    let sources = &mut readings.sources;
    let own = sources.len();
    let local = state::read(outside, &state_file, user.is_there, sources);
    sources.push(project_servers(outside, &settings, &local));
    for shelf in Shelf::ALL {
        let path = user.dir.join(shelf.as_str());
        let own = format!(".claude/{}", shelf.as_str());
        for place in outside.places(path, user.is_there, Some(&own)) {
            let mut draft = place.draft(CLIENT, shelf.as_str());
            let looked = look_into(&mut draft, &place.path, shelf, &Owner::default(), place.fence);
            sources.push(match looked {
                Ok(false) => draft.missing(place.root_is_there),
                Err(why) => draft.failed(why),
                Ok(true) => draft.read(),
            });
        }
    }
    plugins::read(outside, &user, &settings, &local, readings);
    prefer_users(&mut readings.sources[own..]);
    settings.govern(outside, &mut readings.sources, own, local.is_trusted);
    // Also those of the organization.
    prefer_users(&mut readings.sources[own..]);
    if let Some(starts) = outside.starts.as_ref().filter(|_| !local.is_trusted) {
        starts.distrust(CLIENT);
    }
    let sources = &mut readings.sources[own..];
    list_in(sources, Level::Local, ListingState::Off, |found| local.disables(found));
    let managed =
        settings.managed.iter().find_map(|each| each.refusal.as_ref().or(each.faults.first()));
    if let Some(why) = local.refusal.as_ref().or(managed) {
        refuse_all(&mut readings.sources[own..], why);
    }
}

/// Returns true if it is certain that the folder in `CLAUDE_CONFIG_DIR` exists, or that it was deleted. An empty folder
/// may be the mount point of a disk that is not mounted.
fn moved_is_there(dir: &Path) -> bool {
    if dir.exists() { is_there(dir) } else { dir.parent().is_some_and(is_there) }
}

/// Reads `.mcp.json`, whose servers are pending until they are approved. The reading is incomplete if a file that may
/// approve or disable servers cannot be read.
fn project_servers(
    outside: &Outside<'_>,
    settings: &AllSettings,
    local: &LocalState,
) -> SourceReading {
    let path = outside.folder.join(".mcp.json");
    let content = outside.json(&path, Some(&outside.fence), &shapes::SERVERS);
    let id = source(CLIENT, Level::Project, Some(&outside.project_id), "mcp");
    let file = JsonFile::of(&path, &content);
    reading(&file, Draft::new(id, &path), outside.project_is_there, |draft, file| {
        let all = || settings.all();
        for fault in all().flat_map(|each| &each.faults).chain(&local.faults) {
            draft.doubt(fault, ListingState::Pending);
        }
        let is_whole = draft.is_blank();
        // Files in the project, and the user's answers for it, approve the project's servers only if the user trusts
        // the project.
        let own = settings.project.iter().map(|each| &each.approvals).chain([&local.approvals]);
        let own = own.filter(|_| local.is_trusted);
        let given = settings.managed.iter().chain([&settings.user]).map(|each| &each.approvals);
        let approvals: Vec<&Approvals> = own.chain(given).collect();
        let state = |name: &str| {
            if local.off_servers.contains(name)
                || local.approvals.forbids(name)
                || all().any(|each| each.approvals.forbids(name))
            {
                ListingState::Off
            } else if is_whole && !approvals.iter().any(|each| each.allows(name)) {
                ListingState::Pending
            } else {
                ListingState::Configured
            }
        };
        servers::add_keyed(
            draft,
            file,
            &file.root,
            &Rules { state: &state, ..Rules::plain(outside, &FILE) },
        );
        // Instead, the client loads the user's server of that name, unless it is disabled too.
        draft.drop(|found| found.state == ListingState::Off && local.users.contains(&found.name));
        for refusal in all().filter_map(|each| each.refusal.clone()) {
            draft.note(|| refusal);
        }
    })
}
