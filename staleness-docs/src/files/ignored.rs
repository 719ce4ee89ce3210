//! Files that a walk leaves out because of `.ignore`, `.gitignore` and `.git/info/exclude`.
//!
//! They come with the project, so they are read as its documents are, and the crate that knows what
//! patterns mean is handed lines: by itself it opens whatever a link leads to, and reads all of it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, Match, Walk, WalkBuilder};

use super::discover::key_of;
use crate::Note;
use crate::disk::{Fence, look, read_bytes, reason, shown};
use crate::project::ProjectPlace;

/// The largest file of patterns that is read, in bytes. Made ready, patterns take some hundred times
/// the room.
const MAX_FILE_BYTES: u64 = 256 * 1024;
/// Most bytes of such files that one walk reads.
const MAX_BYTES: u64 = 1024 * 1024;

/// Files with patterns, heaviest first. A pattern of the first counts for more than one of the next, in
/// whatever folders they are.
const FILES: [&str; 3] = [".ignore", ".gitignore", ".git/info/exclude"];

/// The patterns of the folders that lead to where a walk is.
#[derive(Debug)]
pub(crate) struct Ignored {
    place: ProjectPlace,
    fence: Fence,
    /// From the folder where the walk began inwards.
    folders: Vec<(PathBuf, [Gitignore; FILES.len()])>,
    /// Bytes that may still be read.
    left: u64,
    pub(crate) notes: Vec<Note>,
}

/// Returns a walk from a folder down, in the order of names, that follows no link. `enters` gets each file and folder
/// with what the patterns say of it, and tells if it is walked.
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
    /// No folder was entered yet.
    pub(crate) fn new(place: &ProjectPlace, fence: &Fence) -> Self {
        Self {
            place: place.clone(),
            fence: fence.clone(),
            folders: Vec::new(),
            left: MAX_BYTES,
            notes: Vec::new(),
        }
    }

    /// Matches a file or folder that the walk comes to. The walk must go in depth: folders that it has
    /// left are forgotten.
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

    /// The patterns of one file; none where it is not there or cannot be used.
    fn read(&mut self, folder: &Path, name: &str) -> Gitignore {
        // A linked work tree has those of its main work tree.
        let is_linked = name.starts_with(".git/") && folder == self.place.folder;
        let path = if is_linked { &self.place.root } else { folder }.join(name);
        match self.text(&path) {
            Ok(None) => Gitignore::empty(),
            Ok(Some(text)) => patterns(folder, &text).unwrap_or_else(|| {
                self.unheeded(&path, "holds patterns that are too large together");
                Gitignore::empty()
            }),
            Err(why) => {
                self.unheeded(&path, &why);
                Gitignore::empty()
            }
        }
    }

    /// The text of a file, if there is one; what is not UTF-8 in it is replaced.
    fn text(&mut self, path: &Path) -> Result<Option<String>, String> {
        let Some(meta) = look(path, Some(&self.fence))? else { return Ok(None) };
        if !meta.is_file() {
            return Err("is not a file".to_owned());
        }
        let limit = MAX_FILE_BYTES.min(self.left);
        let bytes = read_bytes(path, limit, meta.len()).map_err(reason)?;
        let Some(bytes) = bytes else {
            return Err(match limit {
                MAX_FILE_BYTES => format!("is larger than {MAX_FILE_BYTES} bytes"),
                _ => format!("is one of those that are larger than {MAX_BYTES} bytes together"),
            });
        };
        self.left -= bytes.len() as u64;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn unheeded(&mut self, path: &Path, why: &str) {
        let path = path.strip_prefix(&self.place.folder).map_or_else(|_| shown(path), key_of);
        let text = format!("{why}; its patterns are not heeded");
        self.notes.push(Note { path: Some(path), line: None, text });
    }
}

/// The patterns of a folder, made ready. Lines that are none are passed over, as git does.
pub(crate) fn patterns(folder: &Path, text: &str) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
