//! Finds the calls of this program in the clients' files, for the doctor.

use std::path::Path;

use super::install::{folders, own_path};
use crate::install::client::{Client, Level};
use crate::install::file::Place;
use crate::install::shell::Program;
use crate::settings::Settings;

/// The places where this program is set up, and its broken calls.
#[derive(Debug, Default)]
pub(super) struct Installed {
    /// Entries of the form `CLIENT (LEVEL)`.
    pub places: Vec<String>,
    /// Entries of the form `FILE: PROBLEM`.
    pub broken: Vec<String>,
}

/// Searches the files of all clients. Unreadable files are reported with the sources instead.
pub(super) fn look(settings: &Settings) -> Installed {
    let mut installed = Installed::default();
    let path = own_path().ok().and_then(|path| path.to_str().map(str::to_owned));
    let program = Program { path: path.unwrap_or_default(), options: Vec::new() };
    let folders = folders(settings);
    for client in Client::ALL {
        for level in [Level::User, Level::Project] {
            let fence = (level == Level::Project).then_some(folders.project.as_path());
            let mut found = false;
            for target in client.targets(level, &folders, &program, false) {
                let text = Place::new(target.path.clone(), fence).and_then(|place| place.read());
                let mut programs =
                    text.ok().flatten().map(|text| target.part.programs(&text)).unwrap_or_default();
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
        }
    }
    installed
}
