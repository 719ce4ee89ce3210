//! Files that a walk skips because of `.ignore`, `.gitignore` and `.git/info/exclude`.
//!
//! These files are as untrusted as the project's documents, and are read with the same limits. The pattern crate
//! receives only lines, because its own reader would follow any link and read any amount.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, Match, Walk, WalkBuilder};

use super::file::key_of;
use crate::Note;
use crate::disk::{Fence, look, read_bytes, reason, shown};
use crate::project::ProjectPlace;

/// The largest pattern file to read, in bytes. Compiled patterns take about a hundred times this size.
const MAX_FILE_BYTES: u64 = 256 * 1024;
/// Maximum number of pattern bytes to read per walk.
const MAX_BYTES: u64 = 1024 * 1024;

/// Pattern files, highest precedence first. In any folder, a pattern in an earlier file takes precedence over a pattern
/// in a later file.
const FILES: [&str; 3] = [".ignore", ".gitignore", ".git/info/exclude"];

/// The patterns of the current folder and its parents during a walk.
#[derive(Debug)]
pub(crate) struct Ignored {
    place: ProjectPlace,
    fence: Fence,
    /// The folders from the start of the walk to the current one.
    folders: Vec<(PathBuf, [Gitignore; FILES.len()])>,
    /// Number of bytes that may still be read.
    left: u64,
    pub(crate) notes: Vec<Note>,
}

/// Walks down from a folder in the order of names, without following links. `enters` receives each file and folder with
/// its pattern match, and returns true if it should be visited.
pub(crate) fn walk(
    ignored: &Arc<Mutex<Ignored>>,
    start: &Path,
    enters: impl Fn(&DirEntry, Match<()>) -> bool + Send + Sync + 'static,
) -> Walk {
    let patterns = Arc::clone(ignored);
    WalkBuilder::new(start)
        .standard_filters(false)
        .follow_links(false)
        .sort_by_file_name(std::cmp::Ord::cmp)
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let mut patterns = patterns.lock().unwrap_or_else(PoisonError::into_inner);
            enters(entry, patterns.says(entry.path(), is_folder))
        })
        .build()
}

impl Ignored {
    /// Creates a matcher that has entered no folder.
    pub(crate) fn new(place: &ProjectPlace, fence: &Fence) -> Self {
        Self {
            place: place.clone(),
            fence: fence.clone(),
            folders: Vec::new(),
            left: MAX_BYTES,
            notes: Vec::new(),
        }
    }

    /// Matches a file or folder of the walk. The walk must be depth first, because the patterns of folders that it
    /// leaves are dropped.
    fn says(&mut self, path: &Path, is_folder: bool) -> Match<()> {
        let folder = path.parent().unwrap_or(path);
        while self.folders.last().is_some_and(|(last, _)| !folder.starts_with(last)) {
            self.folders.pop();
        }
        if self.folders.last().is_none_or(|(last, _)| last != folder) {
            let patterns = FILES.map(|name| self.read(folder, name));
            self.folders.push((folder.to_path_buf(), patterns));
        }
        for at in 0..FILES.len() {
            let inwards = self.folders.iter().rev();
            let said = inwards.map(|(_, patterns)| patterns[at].matched(path, is_folder));
            if let Some(said) = said.map(|said| said.map(|_| ())).find(|said| !said.is_none()) {
                return said;
            }
        }
        Match::None
    }

    /// Reads the patterns of one file. Returns no patterns if the file is missing or unusable.
    fn read(&mut self, folder: &Path, name: &str) -> Gitignore {
        // A linked work tree uses the exclude file of the main one.
        let is_linked = name.starts_with(".git/") && folder == self.place.folder;
        let path = if is_linked { &self.place.root } else { folder }.join(name);
        match self.text(&path) {
            Ok(None) => Gitignore::empty(),
            Ok(Some(text)) => patterns(folder, &text).unwrap_or_else(|| {
                self.unheeded(&path, "has patterns that are too large together");
                Gitignore::empty()
            }),
            Err(why) => {
                self.unheeded(&path, &why);
                Gitignore::empty()
            }
        }
    }

    /// Returns the text of a file, if it exists. Invalid UTF-8 is replaced.
    fn text(&mut self, path: &Path) -> Result<Option<String>, String> {
        let Some(meta) = look(path, Some(&self.fence))? else { return Ok(None) };
        if !meta.is_file() {
            return Err("is not a file".to_owned());
        }
        let limit = MAX_FILE_BYTES.min(self.left);
        let Some((bytes, _)) = read_bytes(path, limit).map_err(reason)? else {
            return Err(match limit {
                MAX_FILE_BYTES => format!("is larger than {MAX_FILE_BYTES} bytes"),
                _ => format!("brings the pattern files to more than {MAX_BYTES} bytes in total"),
            });
        };
        self.left -= bytes.len() as u64;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn unheeded(&mut self, path: &Path, why: &str) {
        let path = path.strip_prefix(&self.place.folder).map_or_else(|_| shown(path), key_of);
        let text = format!("{why}; its patterns are not used");
        self.notes.push(Note { path: Some(path), line: None, text });
    }
}

/// Compiles the patterns of a folder. Skips invalid lines, as git does.
pub(crate) fn patterns(folder: &Path, text: &str) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
