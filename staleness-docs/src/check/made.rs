//! Files that a build makes: the project tells git to leave them out.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::Gitignore;

use crate::disk::Fence;
use crate::draft::target;
use crate::files::{file, ignored};

/// The longest file of patterns that is read, in bytes.
const MAX_PATTERNS: u64 = 64 << 10;
/// The most folders whose patterns are read.
const MAX_FOLDERS: usize = 1 << 10;

/// The patterns of a project, each file of them read when it is asked for first.
#[derive(Debug, Default)]
pub(super) struct Made {
    folders: RefCell<HashMap<String, Option<Gitignore>>>,
}

impl Made {
    /// Returns true if a path of the project that is not there is left out of what git keeps. The patterns
    /// nearest to it have the last word.
    pub(super) fn holds(&self, root: &Path, fence: &Fence, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_folder = !target::has_extension(name);
        let mut folders = self.folders.borrow_mut();
        let ends = path.rmatch_indices('/').map(|(at, _)| at).chain([0]);
        for end in ends {
            let folder = &path[..end];
            if !folders.contains_key(folder) {
                // There is always room for the root.
                if folders.len() >= MAX_FOLDERS && !folder.is_empty() {
                    continue;
                }
                folders.insert(folder.to_owned(), patterns(&root.join(folder), fence));
            }
            let Some(Some(patterns)) = folders.get(folder) else { continue };
            let below = path[end..].trim_start_matches('/');
            match patterns.matched_path_or_any_parents(below, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}

/// The patterns of a folder. Those that cannot be read are none.
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
            assert!(made.holds(root, &fence, path), "{path}");
        }
        for path in ["docs", "docs/dist", "src/dist/app.js", "docs/keep/told.log", "a/b.rs"] {
            assert!(!made.holds(root, &fence, path), "{path}");
        }
        assert!(made.holds(root, &fence, "docs/keep/other.log"));
    }
}
