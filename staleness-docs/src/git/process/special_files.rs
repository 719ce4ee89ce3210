//! Checks the files that git opens first. If one of them were a pipe, git would wait for a writer forever. The watchdog
//! handles files that git opens later: see [`super::watchdog`].

use std::fs;
use std::path::{Path, PathBuf};

use super::error::GitError;
use crate::disk::read_small;

/// Files that git reads in a git directory or a work tree.
#[rustfmt::skip]
const FILES: [&str; 11] = [
    "HEAD", "commondir", "config", "config.worktree", "gitdir", "index", "info/attributes",
    "info/grafts", "packed-refs", "reftable/tables.list", "shallow",
];
/// Folders in an object folder that git reads for every lookup.
const OF_OBJECTS: [&str; 3] = ["info", "info/commit-graphs", "pack"];
/// Longest chain of references to follow, as in git.
const MAX_REFERENCES: usize = 5;
/// Maximum number of object folders to check. Each folder may name others.
const MAX_OBJECTS: usize = 64;
/// The largest pointer file to read, in bytes.
const MAX_POINTER: u64 = 64 * 1024;
/// Maximum number of files to check in a folder.
const MAX_FILES: usize = 20_000;

/// Rejects a repository in which git would open a pipe, a socket or a device. Finds the repository as git
/// does, from `root` upwards.
pub(crate) fn check_files(root: &Path) -> Result<(), GitError> {
    let root = root.canonicalize().map_err(|_| GitError::NoRepository)?;
    for folder in root.ancestors() {
        let git = folder.join(".git");
        plain(&git)?;
        if git.is_dir() {
            return repository(&git);
        }
        if let Some(text) = pointer(&git) {
            let Some(to) = text.strip_prefix("gitdir:") else { return Ok(()) };
            return repository(&folder.join(to.trim()));
        }
        // Without `.git`, git checks whether the folder itself is a repository.
        plain(&folder.join("HEAD"))?;
    }
    Ok(())
}

/// Rejects a work tree that is not the folder of its repository. The configuration of a repository may name
/// another folder, which would not match its commits.
pub(crate) fn check_work_tree(root: &Path, prefix: &str, found: &Path) -> Result<(), GitError> {
    let root = root.canonicalize().map_err(|_| GitError::NoRepository)?;
    let depth = Path::new(prefix).components().count();
    let top = root.ancestors().nth(depth).ok_or_else(|| GitError::garbled("a malformed path"))?;
    let git = top.join(".git");
    let git = match pointer(&git) {
        Some(text) => top.join(text.strip_prefix("gitdir:").unwrap_or_default().trim()),
        None => git,
    };
    let (git, found) = (git.canonicalize(), found.canonicalize());
    if git.is_ok() && git.ok() == found.ok() {
        return Ok(());
    }
    Err(GitError::Failed(
        "the repository sets its work tree to another folder (core.worktree)".into(),
    ))
}

fn repository(git: &Path) -> Result<(), GitError> {
    files(git)?;
    let common = match pointer(&git.join("commondir")) {
        Some(to) => git.join(to.trim()),
        None => git.to_path_buf(),
    };
    if common != git {
        files(&common)?;
    }
    reference(git, &common)?;
    objects(common.join("objects"))
}

/// Checks the reference files between `HEAD` and its commit.
fn reference(git: &Path, common: &Path) -> Result<(), GitError> {
    let mut next = pointer(&git.join("HEAD"));
    for _ in 0..MAX_REFERENCES {
        let Some(text) = next else { return Ok(()) };
        let Some(name) = text.strip_prefix("ref:").map(str::trim) else {
            let id = text.trim();
            let Some((folder, file)) = id.split_at_checked(2) else { return Ok(()) };
            return plain(&common.join("objects").join(folder).join(file));
        };
        let places = [git.join(name), common.join(name)];
        places.iter().try_for_each(|place| plain(place))?;
        next = places.iter().find_map(|place| pointer(place));
    }
    Ok(())
}

/// Returns an object folder and its alternates, followed recursively.
pub(crate) fn object_folders(folder: PathBuf) -> Vec<PathBuf> {
    let mut folders = vec![folder];
    let mut at = 0;
    while let Some(folder) = folders.get(at).cloned() {
        at += 1;
        let others = pointer(&folder.join("info/alternates")).unwrap_or_default();
        for other in others.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let other = folder.join(other);
            if folders.len() < MAX_OBJECTS && !folders.contains(&other) {
                folders.push(other);
            }
        }
    }
    folders
}

fn objects(folder: PathBuf) -> Result<(), GitError> {
    for folder in object_folders(folder) {
        for name in OF_OBJECTS {
            let files = fs::read_dir(folder.join(name)).into_iter().flatten().flatten();
            for file in files.take(MAX_FILES) {
                if !file.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir()) {
                    plain(&file.path())?;
                }
            }
        }
    }
    Ok(())
}

fn files(folder: &Path) -> Result<(), GitError> {
    FILES.iter().try_for_each(|name| plain(&folder.join(name)))
}

/// Rejects a path unless it is a file, a folder or missing. Opening anything else might block.
fn plain(path: &Path) -> Result<(), GitError> {
    match path.metadata() {
        Ok(meta) if !meta.is_file() && !meta.is_dir() => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            Err(GitError::from_stderr(format!("fatal: {name} of git is not a file").as_bytes()))
        }
        _ => Ok(()),
    }
}

/// Returns the text of a small file, if it exists.
fn pointer(path: &Path) -> Option<String> {
    read_small(path, MAX_POINTER)
}
