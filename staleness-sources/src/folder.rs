//! Lists folders with limits.

use std::fs;
use std::path::{Path, PathBuf};

use crate::draft::Draft;
use staleness_docs::disk::{Fence, canonical, reason, shown};

/// Maximum depth of nested folders.
const MAX_DEPTH: usize = 8;
/// Maximum number of entries to read per source.
const MAX_ENTRIES: usize = 10_000;

/// A visible entry of a folder, after following links.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// True for a folder, false for a regular file.
    pub(crate) is_folder: bool,
}

/// Lists folders until the limit of entries is reached.
#[derive(Debug)]
pub(crate) struct Lister<'a> {
    fence: Option<&'a Fence>,
    left: usize,
}

impl<'a> Lister<'a> {
    /// Creates a lister. Links are followed inside the fence, or everywhere if there is none.
    pub(crate) const fn new(fence: Option<&'a Fence>) -> Self {
        Self { fence, left: MAX_ENTRIES }
    }

    /// Returns the folder's entries sorted by name, without hidden ones. Unusable entries are reported as faults.
    pub(crate) fn list(&mut self, folder: &Path, draft: &mut Draft) -> Result<Vec<Item>, String> {
        let entries = fs::read_dir(folder)
            .map_err(|error| format!("{}: {}", shown(folder), reason(error.kind())))?;
        let mut items = Vec::new();
        for entry in entries {
            if self.left == 0 {
                draft.fault(|| {
                    format!(
                        "{} has more than {MAX_ENTRIES} entries; the rest were not read",
                        shown(folder)
                    )
                });
                break;
            }
            self.left -= 1;
            let Ok(entry) = entry else {
                draft.fault(|| format!("{}: an entry cannot be read", shown(folder)));
                continue;
            };
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                draft.fault(|| format!("{} has a name that is not UTF-8", shown(&entry.path())));
                continue;
            };
            if name.starts_with('.') {
                continue;
            }
            let path = entry.path();
            match self.kind(folder, &path, entry.file_type().ok()) {
                Ok(Some(is_folder)) => items.push(Item { name: name.to_owned(), path, is_folder }),
                Ok(None) => {}
                Err(what) => draft.fault(|| format!("{} {what}", shown(&path))),
            }
        }
        items.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(items)
    }

    /// Returns true for a folder and false for a file. `None` for anything else, and for a link to an
    /// ancestor, which would recurse forever.
    fn kind(
        &self,
        folder: &Path,
        path: &Path,
        own: Option<fs::FileType>,
    ) -> Result<Option<bool>, &'static str> {
        let own = own.ok_or("cannot be read")?;
        if !own.is_symlink() {
            return Ok((own.is_dir() || own.is_file()).then(|| own.is_dir()));
        }
        let meta = fs::metadata(path).map_err(|_| "is a broken link")?;
        if self.fence.is_some_and(|fence| !fence.holds(path)) {
            return Err("is a link that points outside its folder");
        }
        if meta.is_dir() && canonical(folder).starts_with(canonical(path)) {
            return Ok(None);
        }
        Ok((meta.is_dir() || meta.is_file()).then(|| meta.is_dir()))
    }

    /// Returns the files below the folder with this ending, each with the names of the folders that lead to the file.
    /// Searches subfolders only if `nested` is set.
    pub(crate) fn files(
        &mut self,
        folder: &Path,
        ending: &str,
        nested: bool,
        draft: &mut Draft,
    ) -> Result<Vec<(Vec<String>, Item)>, String> {
        let mut files = Vec::new();
        let mut waiting: Vec<(Vec<String>, PathBuf)> = Vec::new();
        let mut place = (Vec::new(), folder.to_path_buf());
        loop {
            let items = match self.list(&place.1, draft) {
                Ok(items) => items,
                Err(why) if place.0.is_empty() => return Err(why),
                Err(why) => {
                    draft.fault(|| why);
                    Vec::new()
                }
            };
            for item in items {
                if !item.is_folder {
                    if ends_in(&item.name, ending) {
                        files.push((place.0.clone(), item));
                    }
                } else if nested && place.0.len() >= MAX_DEPTH {
                    draft.fault(|| format!("{} is nested too deeply", shown(&item.path)));
                } else if nested {
                    let mut parents = place.0.clone();
                    parents.push(item.name);
                    waiting.push((parents, item.path));
                }
            }
            match waiting.pop() {
                Some(next) => place = next,
                None => return Ok(files),
            }
        }
    }
}

/// Returns true if a file's name has an ending such as `.md`, ignoring case.
pub(crate) fn ends_in(name: &str, ending: &str) -> bool {
    let at = name.len().checked_sub(ending.len()).filter(|at| *at > 0);
    at.and_then(|at| name.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(ending))
}
