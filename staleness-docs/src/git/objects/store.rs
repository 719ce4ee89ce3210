//! The object folders of a repository, without their contents.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use staleness_core::ids::stable_hash;

use super::place::Place;
use crate::git::process::object_folders;

/// Maximum number of file names to read in a folder.
const MAX_FILES: usize = 20_000;

/// State of the object folders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Store {
    /// True for a partial clone, which fetches objects on demand.
    pub(crate) partial: bool,
    /// A value that changes when an object is added or removed.
    pub(crate) state: u128,
}

impl Store {
    pub(crate) fn of(place: &Place) -> Self {
        let folders = object_folders(place.common.join("objects"));
        let partial = folders.iter().any(|folder| has_promisor(&folder.join("pack")));
        let loose = (0..=u8::MAX).map(|byte| format!("{byte:02x}"));
        let names: Vec<String> = loose.chain(["pack".to_owned()]).collect();
        let mut bytes = Vec::new();
        for folder in &folders {
            bytes.extend(folder.as_os_str().as_encoded_bytes());
            names.iter().for_each(|name| bytes.extend(changed(&folder.join(name)).to_le_bytes()));
        }
        Self { partial, state: stable_hash(&bytes) }
    }
}

/// Returns true if a pack comes from a promisor remote.
fn has_promisor(packs: &Path) -> bool {
    let mut files = fs::read_dir(packs).into_iter().flatten().flatten().take(MAX_FILES);
    files.any(|file| Path::new(&file.file_name()).extension() == Some("promisor".as_ref()))
}

/// Returns the modification time of a folder in nanoseconds, or 0 if the folder does not exist.
fn changed(folder: &Path) -> u128 {
    let at = folder.metadata().and_then(|meta| meta.modified()).ok();
    let since = at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_nanos())
}
