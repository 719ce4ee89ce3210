//! The folders in which a repository keeps its objects, from the outside.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use staleness_core::ids::stable_hash;

use super::place::Place;
use crate::git::process::object_folders;

/// The most files of a folder whose names are looked at.
const MAX_FILES: usize = 20_000;

/// State of the folders of objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Store {
    /// True if the repository fetches objects when they are needed: a partial clone.
    pub(crate) partial: bool,
    /// A number that changes when an object comes or goes.
    pub(crate) state: u128,
}

impl Store {
    pub(crate) fn of(place: &Place) -> Self {
        let of = |folder| Self::of_folders(&object_folders(folder));
        place.git_path("objects").map_or_else(Self::default, of)
    }

    fn of_folders(folders: &[PathBuf]) -> Self {
        let partial = folders.iter().any(|folder| has_promisor(&folder.join("pack")));
        let loose = (0..=u8::MAX).map(|byte| format!("{byte:02x}"));
        let names: Vec<String> = loose.chain(["pack".to_owned()]).collect();
        let mut bytes = Vec::new();
        for folder in folders {
            bytes.extend(folder.as_os_str().as_encoded_bytes());
            names.iter().for_each(|name| bytes.extend(changed(&folder.join(name)).to_le_bytes()));
        }
        Self { partial, state: stable_hash(&bytes) }
    }
}

/// Returns true if a pack comes from a repository that promised the objects it lacks.
fn has_promisor(packs: &Path) -> bool {
    let mut files = fs::read_dir(packs).into_iter().flatten().flatten().take(MAX_FILES);
    files.any(|file| Path::new(&file.file_name()).extension() == Some("promisor".as_ref()))
}

/// Returns the time at which something came to a folder or went, in nanoseconds; 0 without one.
fn changed(folder: &Path) -> u128 {
    let at = folder.metadata().and_then(|meta| meta.modified()).ok();
    let since = at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_nanos())
}
