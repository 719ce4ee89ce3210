//! Files that a build creates: the project ignores them in git.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::Gitignore;

use crate::disk::Fence;
use crate::draft::target;
use crate::files::{file, ignored};

/// The largest pattern file to read, in bytes.
const MAX_PATTERNS: u64 = 64 << 10;
/// Maximum number of folders to read patterns from.
const MAX_FOLDERS: usize = 1 << 10;

/// The ignore patterns of a project, read when first needed.
#[derive(Debug, Default)]
pub(super) struct Made {
    folders: RefCell<HashMap<String, Option<Gitignore>>>,
}

impl Made {
    /// Returns true if git ignores a path that does not exist. The nearest patterns win.
    pub(super) fn holds(&self, root: &Path, fence: &Fence, path: &str) -> bool {
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
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
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
            assert!(made.holds(root, &fence, path), "{path}");
        }
        for path in ["docs", "docs/dist", "src/dist/app.js", "docs/keep/told.log", "a/b.rs"] {
            assert!(!made.holds(root, &fence, path), "{path}");
        }
        assert!(made.holds(root, &fence, "docs/keep/other.log"));
    }
}
