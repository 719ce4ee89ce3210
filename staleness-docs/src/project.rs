//! Finds the project of a folder.
//!
//! `git` is never run. The few files that locate a work tree and its main work tree are read directly. They are
//! untrusted. If anything about them is unusual, the folder that contains them counts as the project, which is always
//! safe.

use std::borrow::Cow;
use std::fs;
use std::path::{Component, Path, PathBuf};

use staleness_core::ids::ProjectId;
use staleness_core::scan::ProjectRef;

use crate::disk::{Fence, canonical, plain, written};

/// The longest `.git` or `commondir` file to read, in bytes.
const MAX_POINTER_BYTES: u64 = 8 * 1024;

/// Location and identity of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectPlace {
    /// Folder with the client files: the root of the work tree, or the folder itself.
    pub folder: PathBuf,
    /// Folder that identifies the project. For a linked git work tree, this is the folder of the main work tree.
    pub root: PathBuf,
}

impl ProjectPlace {
    /// Creates a project identified by its own folder.
    pub fn of_folder(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self { root: folder.clone(), folder }
    }

    /// Returns true if the folder is not a linked work tree.
    pub fn is_main_tree(&self) -> bool {
        self.folder == self.root
    }

    /// Returns the project as the registry stores it. Invalid UTF-8 in the path is written as `//xE9`, so
    /// that different paths stay different.
    pub fn project_ref(&self) -> ProjectRef {
        ProjectRef::of_root(as_text(&self.root))
    }

    /// Returns the project's id.
    pub fn id(&self) -> ProjectId {
        ProjectId::of_root(&as_text(&self.root))
    }
}

/// Converts a path to text. Resolved paths never contain `//`.
fn as_text(path: &Path) -> Cow<'_, str> {
    let bytes = || path.as_os_str().as_encoded_bytes();
    path.to_str().map_or_else(|| written(bytes(), "//x").into(), Cow::from)
}

/// Finds the project of `start`: the nearest folder upwards that contains `.git`, or `start` itself.
///
/// With `share_worktrees`, a linked work tree gets the identity of its main work tree. A submodule is a
/// separate project. A `start` that does not exist is used as given.
pub fn discover(start: &Path, share_worktrees: bool) -> ProjectPlace {
    let start = canonical(start);
    for folder in start.ancestors() {
        let git = folder.join(".git");
        let Ok(meta) = fs::metadata(&git) else {
            continue;
        };
        let folder = folder.to_path_buf();
        if meta.is_file() && share_worktrees {
            let root = main_root(&folder, &git).unwrap_or_else(|| folder.clone());
            return ProjectPlace { folder, root };
        }
        return ProjectPlace::of_folder(folder);
    }
    ProjectPlace::of_folder(start)
}

impl ProjectPlace {
    /// Returns a fence around the project's folder and its main work tree.
    pub fn fence(&self) -> Fence {
        let root = (self.root != self.folder).then_some(&*self.root);
        Fence::of([&*self.folder].into_iter().chain(root))
    }
}

/// Returns the main work tree of the linked work tree `folder`, which has a file as `.git`.
fn main_root(folder: &Path, git: &Path) -> Option<PathBuf> {
    let line = pointer(git)?;
    let target = line.strip_prefix("gitdir:")?.trim();
    let gitdir = fs::canonicalize(folder.join(checked(target)?)).ok()?;
    let common = pointer(&gitdir.join("commondir"))?;
    let common = fs::canonicalize(gitdir.join(checked(&common)?)).ok()?;
    // A linked work tree must be registered in `<common>/worktrees/<name>`, which points back to it.
    // Otherwise a folder could pretend to be any other project.
    if gitdir.parent()?.file_name()? != "worktrees" || gitdir.parent()?.parent()? != common {
        return None;
    }
    if let Some(back) = pointer(&gitdir.join("gitdir")) {
        let back = fs::canonicalize(gitdir.join(checked(&back)?)).ok()?;
        if back != fs::canonicalize(git).ok()? {
            return None;
        }
    }
    // A bare repository has no main work tree, so its own folder identifies the project.
    let root = if common.file_name()? == ".git" { common.parent()? } else { &common };
    Some(plain(root))
}

/// Returns the single line of a small text file.
pub(crate) fn pointer(path: &Path) -> Option<String> {
    let text = crate::disk::read_small(path, MAX_POINTER_BYTES)?;
    let line = text.trim();
    (!line.is_empty() && !line.chars().any(char::is_control)).then(|| line.to_owned())
}

/// Returns the path, unless it names a device or a network share.
pub(crate) fn checked(text: &str) -> Option<&Path> {
    let path = Path::new(text);
    let foreign = matches!(path.components().next(), Some(Component::Prefix(prefix))
        if !matches!(prefix.kind(), std::path::Prefix::Disk(_) | std::path::Prefix::VerbatimDisk(_)));
    (!foreign).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn two_names_that_are_not_utf8_are_two_projects() {
        use std::os::unix::ffi::OsStrExt;
        let of = |name: &[u8]| ProjectPlace::of_folder(std::ffi::OsStr::from_bytes(name));
        let (one, other) = (of(b"/p/n\xe9"), of(b"/p/n\xea"));
        assert_ne!(one.id(), other.id());
        assert_eq!(one.project_ref().root, "/p/n//xE9");
        assert_eq!(one.project_ref().id, one.id());
        assert_eq!(of("/p/né".as_bytes()).project_ref().root, "/p/né");
    }
}
