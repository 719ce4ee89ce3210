//! The files of a project on disk.

use std::path::Path;
use std::sync::{Arc, Mutex};

use staleness_core::time::Timestamp;

use super::ignored::{Ignored, walk};
use crate::disk::Fence;
use crate::git::{GitError, LazyRepo, Limits, Tracked, TrackedKind};
use crate::project::ProjectPlace;

/// Maximum number of files to visit, and of bytes in untracked files.
pub(crate) const MAX_WALKED: usize = 200_000;
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Visits files and folders that are not ignored, up to a limit. Passes the path of each file, relative to
/// the project with `/` as separator.
pub(crate) fn walked(
    place: &ProjectPlace,
    fence: &Fence,
    most: usize,
    mut take: impl FnMut(String, &ignore::DirEntry),
) {
    let ignored = Arc::new(Mutex::new(Ignored::new(place, fence)));
    let walker = walk(&ignored, &place.folder, |entry, said| {
        entry.file_name() != ".git" && !said.is_ignore()
    });
    for entry in walker.flatten().take(most) {
        let is_folder = entry.file_type().is_none_or(|kind| kind.is_dir());
        let path = entry.path().strip_prefix(&place.folder).ok().and_then(Path::to_str);
        if let Some(path) = path.filter(|path| !is_folder && !path.is_empty()) {
            take(path.replace('\\', "/"), &entry);
        }
    }
}

/// Makes a private commit of the files of a project on disk, except ignored ones, with the given time. A check then
/// finds the documents that committing these files would break. Returns false if nothing changed. The repository is not
/// modified. Call this before any query.
///
/// # Errors
/// If git fails, or the changes exceed the limit.
pub fn take_disk(
    place: &ProjectPlace,
    repo: &mut LazyRepo,
    now: Timestamp,
) -> Result<bool, GitError> {
    let repo = repo.get()?;
    let tracked = repo.tracked()?.clone();
    let paths = listed(place, &tracked);
    repo.take_disk(paths, now)
}

/// Returns the files on disk, and the tracked files that are missing.
fn listed(place: &ProjectPlace, tracked: &Tracked) -> Vec<String> {
    let has_modules = tracked.iter().any(|(_, kind)| kind == TrackedKind::Submodule);
    let is_of_module = |path: &str| {
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        has_modules && folders.any(|it| tracked.kind(it) == Some(TrackedKind::Submodule))
    };
    let most = Limits::default().object_bytes;
    let (mut paths, mut left) = (Vec::new(), MAX_BYTES);
    walked(place, &place.fence(), MAX_WALKED, |path, entry| {
        let Some(meta) = entry.metadata().ok().filter(|_| !is_of_module(&path)) else { return };
        let is_tracked = tracked.kind(&path).is_some();
        let fits = meta.is_symlink() || meta.is_file() && meta.len() <= most;
        if fits && (is_tracked || meta.len() <= left) {
            left -= if is_tracked { 0 } else { meta.len() };
            paths.push(path);
        }
    });
    paths.sort_unstable();
    // Git rejects paths behind a symbolic link.
    let mut plain = ("", true);
    let mut more = Vec::new();
    for (path, kind) in tracked.iter() {
        let is_known = paths.binary_search_by(|known| known.as_str().cmp(path)).is_ok();
        if is_known || kind == TrackedKind::Submodule {
            continue;
        }
        let folder = crate::paths::folder_of(path);
        if plain.0 != folder {
            plain = (folder, is_plain(&place.folder, folder));
        }
        let meta = place.folder.join(path).symlink_metadata();
        let is_other = meta.is_ok_and(|it| !(it.is_symlink() || it.is_file() && it.len() <= most));
        if plain.1 && !is_other {
            more.push(path.to_owned());
        }
    }
    paths.append(&mut more);
    paths
}

/// Returns true if no part of a folder's path is a symbolic link.
fn is_plain(root: &Path, folder: &str) -> bool {
    let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
    let is_link =
        |end| root.join(&folder[..end]).symlink_metadata().is_ok_and(|it| it.is_symlink());
    folder.is_empty() || !ends.into_iter().any(is_link)
}
