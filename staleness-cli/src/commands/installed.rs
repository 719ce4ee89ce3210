//! Finds the entries that call this program in the clients' files, for `doctor`.

use std::path::Path;

use super::install::{folders, own_path};
use crate::install::client::{Client, Level};
use crate::install::file::Place;
use crate::install::shell::Program;
use crate::settings::Settings;

/// The places where this program is set up, and the faults found there.
#[derive(Debug, Default)]
pub(super) struct Installed {
    /// Entries of the form `CLIENT (LEVEL)`.
    pub places: Vec<String>,
    /// Entries of the form `FILE: PROBLEM`.
    pub broken: Vec<String>,
    /// Clients that support hooks but have only the MCP server.
    pub without_hooks: Vec<&'static str>,
}

/// Searches the files of all clients. Unreadable files are skipped, because the check of the sources reports them.
pub(super) fn look(settings: &Settings) -> Installed {
    let mut installed = Installed::default();
    let path = own_path().ok().and_then(|path| path.to_str().map(str::to_owned));
    let program = Program { path: path.unwrap_or_default(), options: Vec::new() };
    let folders = folders(settings);
    for client in Client::ALL {
        let (mut is_set_up, mut hooks) = (false, None);
        for level in [Level::User, Level::Project] {
            let fence = (level == Level::Project).then_some(folders.project.as_path());
            let mut found = false;
            for target in client.targets(level, &folders, &program, false) {
                let text = Place::new(target.path.clone(), fence).and_then(|place| place.read());
                let text = text.ok().flatten().unwrap_or_default();
                hooks = hooks.max(target.part.has_hooks(&text));
                let mut programs = target.part.programs(&text);
                programs.sort_unstable();
                programs.dedup();
                found |= !programs.is_empty();
                let gone = programs.into_iter().filter(|program| !Path::new(program).is_file());
                let file = target.path.display();
                let gone =
                    gone.map(|program| format!("{file} calls {program}, which does not exist"));
                installed.broken.extend(gone);
            }
            if found {
                installed.places.push(format!("{} ({})", client.as_str(), level.as_str()));
            }
            is_set_up |= found;
        }
        if is_set_up && hooks == Some(false) {
            installed.without_hooks.push(client.as_str());
        }
    }
    installed
}
