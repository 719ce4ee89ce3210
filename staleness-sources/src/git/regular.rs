//! Files that git opens before anything else, looked at first: a pipe among them would make git wait
//! for a writer that never comes.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::GitError;

/// What git reads of the folder of a repository, or of a work tree.
const FILES: [&str; 14] = [
    "HEAD",
    "commondir",
    "config",
    "config.worktree",
    "gitdir",
    "info/attributes",
    "info/grafts",
    "objects/info/alternates",
    "objects/info/commit-graph",
    "objects/info/commit-graphs/commit-graph-chain",
    "objects/pack/multi-pack-index",
    "packed-refs",
    "reftable/tables.list",
    "shallow",
];
/// The most of a file that points to another that is read, in bytes.
const MAX_POINTER: u64 = 4 * 1024;
/// The most packs whose sort is looked at.
const MAX_PACKS: usize = 20_000;

/// Refuses a repository of which git would open a pipe, a socket or a device. Where the repository
/// is, is looked for as git does: from the folder upwards.
///
/// # Errors
/// [`GitError::Failed`] with the name of what is no file.
pub(crate) fn check(root: &Path) -> Result<(), GitError> {
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
        // Without one, git looks whether the folder itself is a repository.
        plain(&folder.join("HEAD"))?;
    }
    Ok(())
}

/// Refuses a work tree that is not the folder in which its repository was found: the configuration of
/// a repository may name any other, in which nothing is as its commits say.
///
/// # Errors
/// [`GitError::Failed`], and [`GitError::NoRepository`] when there is no such folder.
pub(crate) fn holds(root: &Path, prefix: &str, found: &Path) -> Result<(), GitError> {
    let root = root.canonicalize().map_err(|_| GitError::NoRepository)?;
    let depth = Path::new(prefix).components().count();
    let top = root.ancestors().nth(depth).ok_or_else(|| GitError::garbled("a path"))?;
    let git = top.join(".git");
    let git = match pointer(&git) {
        Some(text) => top.join(text.strip_prefix("gitdir:").unwrap_or_default().trim()),
        None => git,
    };
    let (git, found) = (git.canonicalize(), found.canonicalize());
    if git.is_ok() && git.ok() == found.ok() {
        return Ok(());
    }
    Err(GitError::Failed("its work tree is not the folder that holds it (core.worktree)".into()))
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
    if let Some(branch) = pointer(&git.join("HEAD"))
        && let Some(branch) = branch.strip_prefix("ref:")
    {
        for folder in [git, &common] {
            plain(&folder.join(branch.trim()))?;
        }
    }
    let packs = fs::read_dir(common.join("objects/pack"));
    for pack in packs.into_iter().flatten().flatten().take(MAX_PACKS) {
        if !pack.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir()) {
            plain(&pack.path())?;
        }
    }
    Ok(())
}

fn files(folder: &Path) -> Result<(), GitError> {
    FILES.iter().try_for_each(|name| plain(&folder.join(name)))
}

/// Whether opening this never waits: it is a file or a folder, or nothing.
fn plain(path: &Path) -> Result<(), GitError> {
    match path.metadata() {
        Ok(meta) if !meta.is_file() && !meta.is_dir() => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            Err(GitError::from_stderr(format!("fatal: {name} of git is no file").as_bytes()))
        }
        _ => Ok(()),
    }
}

/// The beginning of a small text file, if there is one.
fn pointer(path: &Path) -> Option<String> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(MAX_POINTER).read_to_string(&mut text).ok()?;
    Some(text)
}
