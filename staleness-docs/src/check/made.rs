//! Files that a build creates and git ignores.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::Gitignore;
use staleness_core::ids::stable_hash;

use crate::disk::Fence;
use crate::draft::target;
use crate::files::{file, ignored};
use crate::git::Tracked;

/// The largest pattern file to read, in bytes.
const MAX_PATTERNS: u64 = 64 << 10;
/// Maximum number of folders whose patterns are read.
const MAX_FOLDERS: usize = 1 << 10;

/// The ignore patterns of a project, read when first needed.
#[derive(Debug, Default)]
pub(super) struct Made {
    folders: RefCell<HashMap<String, Option<Gitignore>>>,
}

impl Made {
    /// Returns the folder with the patterns that make git ignore a nonexistent path. The nearest patterns win.
    pub(super) fn by(&self, root: &Path, fence: &Fence, path: &str) -> Option<String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_folder = !target::has_extension(name);
        let mut folders = self.folders.borrow_mut();
        let ends = path.rmatch_indices('/').map(|(at, _)| at).chain([0]);
        for end in ends {
            let folder = &path[..end];
            if !folders.contains_key(folder) {
                // The root is always read.
                if folders.len() >= MAX_FOLDERS && !folder.is_empty() {
                    continue;
                }
                folders.insert(folder.to_owned(), patterns(&root.join(folder), fence));
            }
            let Some(Some(patterns)) = folders.get(folder) else { continue };
            let below = path[end..].trim_start_matches('/');
            match patterns.matched_path_or_any_parents(below, is_folder) {
                Match::Ignore(_) => return Some(folder.to_owned()),
                Match::Whitelist(_) => return None,
                Match::None => {}
            }
        }
        None
    }
}

/// Returns true if the digest covers the patterns of a folder.
pub(super) fn is_covered(tracked: Option<&Tracked>, folder: &str) -> bool {
    folder.is_empty() || tracked.is_some_and(|it| it.holds(&format!("{folder}/.gitignore")))
}

/// Returns a digest of the patterns on disk: those at the root, and those that git tracks.
pub(super) fn digest(root: &Path, fence: &Fence, tracked: Option<&Tracked>) -> u128 {
    let paths = tracked.into_iter().flat_map(Tracked::iter).map(|(path, _)| path);
    let below = paths.filter(|path| path.ends_with("/.gitignore")).take(MAX_FOLDERS);
    let mut all = String::new();
    for path in below.chain([".gitignore"]) {
        if let Ok(read) = file::read(&root.join(path), MAX_PATTERNS, Some(fence)) {
            all.push_str(&format!("{path}\0{:x}\0", stable_hash(read.text.as_bytes())));
        }
    }
    stable_hash(all.as_bytes())
}

/// Reads the patterns of a folder. Returns `None` if there are none or they cannot be read.
fn patterns(folder: &Path, fence: &Fence) -> Option<Gitignore> {
    let read = file::read(&folder.join(".gitignore"), MAX_PATTERNS, Some(fence)).ok()?;
    ignored::patterns(Path::new(""), &read.text).filter(|patterns| !patterns.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_patterns_tell_what_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("docs/keep")).unwrap();
        std::fs::write(root.join(".gitignore"), "/dist/\n*.log\ndocs/installer\n").unwrap();
        std::fs::write(root.join("docs/keep/.gitignore"), "!told.log\n").unwrap();
        let (made, fence) = (Made::default(), Fence::of([root]));
        for path in ["dist", "dist/app.js", "docs/installer", "docs/installer/a.html", "a/b.log"] {
            assert_eq!(made.by(root, &fence, path).as_deref(), Some(""), "{path}");
        }
        for path in ["docs", "docs/dist", "src/dist/app.js", "docs/keep/told.log", "a/b.rs"] {
            assert_eq!(made.by(root, &fence, path), None, "{path}");
        }
        assert!(made.by(root, &fence, "docs/keep/other.log").is_some());
    }
}
