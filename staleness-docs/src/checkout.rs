//! Reads the checked-out commit of a work tree without running git, and decides what remains valid of an earlier check
//! of another commit.

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use staleness_core::knowledge::{Cited, Document, Fact, WordKind};

use crate::disk::{exists, read_small};
use crate::paths;
use crate::project::{checked, pointer};

/// The largest list of packed references to read, in bytes.
const MAX_PACKED: u64 = 16 * 1024 * 1024;
/// Number of bytes to read from the end of the log of the head. This covers a few hundred moves.
const MAX_LOG: u64 = 64 * 1024;
/// Longest chain of references to follow, as in git.
const MAX_REFERENCES: usize = 5;

/// A work tree with its checked-out commit.
#[derive(Debug)]
pub struct Checkout {
    folder: PathBuf,
    /// The git directory of this work tree.
    git: Option<PathBuf>,
    head: OnceCell<Option<String>>,
    /// The moves of the head, oldest first.
    moves: OnceCell<String>,
}

impl Checkout {
    /// Creates the checkout of a folder that contains `.git`. Reads only the location of its git directory.
    pub fn of(folder: &Path) -> Self {
        let git = folder.join(".git");
        let git = match pointer(&git) {
            Some(line) => line
                .strip_prefix("gitdir:")
                .and_then(|to| checked(to.trim()))
                .map(|to| folder.join(to)),
            None => git.is_dir().then_some(git),
        };
        let (head, moves) = (OnceCell::new(), OnceCell::new());
        Self { folder: folder.to_owned(), git, head, moves }
    }

    /// Returns true if a document was checked at another commit than the checked-out one. False if either commit is
    /// unknown.
    pub fn is_elsewhere(&self, document: &Document) -> bool {
        let head = self.head.get_or_init(|| head(self.git.as_deref()?)).as_ref();
        document.head.as_ref().is_some_and(|at| head.is_some_and(|head| head != at))
    }

    /// Drops the evidence of a check at another commit that does not apply here: missing paths that exist and, unless
    /// this work tree came from that commit, all evidence that depends on a commit and that the files do not confirm.
    pub fn retain(&self, document: &mut Document) {
        let Some(at) = document.head.as_ref().filter(|_| self.is_elsewhere(document)) else {
            return;
        };
        let is_ours = self.came_from(at);
        let key = &document.key.path;
        document.found.retain_mut(|block| {
            let was_empty = block.evidence.is_empty();
            block.evidence.retain(|each| self.holds(key, &each.fact, is_ours));
            was_empty || !block.evidence.is_empty()
        });
    }

    fn holds(&self, key: &str, fact: &Fact, is_ours: bool) -> bool {
        let (Fact::SourceMissing { .. } | Fact::BrokenLink { .. } | Fact::ReferenceDrift { .. }) =
            fact
        else {
            return is_ours || !matches!(fact, Fact::SourceChanged { .. });
        };
        // A part may be missing from a file that exists.
        let is_part = match fact {
            Fact::SourceMissing { gone: Cited::Heading, .. } => true,
            Fact::SourceMissing { gone, renamed_to: None, .. } | Fact::BrokenLink { gone, .. } => {
                *gone != Cited::Path
            }
            _ => false,
        };
        match is_there(&self.folder, key, fact) {
            Some(true) if !is_part => false,
            Some(false) => {
                is_ours || fact.renamed_to().is_none_or(|new| is_in(&self.folder, "", new))
            }
            _ => is_ours,
        }
    }

    /// Returns true if the log of the head shows that the checked-out commit was made by committing on top of another.
    fn came_from(&self, commit: &str) -> bool {
        let moves = self.moves.get_or_init(|| {
            let log = self.git.as_ref().map(|git| git.join("logs/HEAD"));
            log.and_then(|log| end_of(&log)).unwrap_or_default()
        });
        let Some(Some(mut current)) = self.head.get().map(Option::as_deref) else { return false };
        for line in moves.lines().rev() {
            if current == commit {
                break;
            }
            let (ids, what) = line.split_once('\t').unwrap_or((line, ""));
            let mut ids = ids.split(' ');
            let (old, new) = (ids.next().unwrap_or_default(), ids.next().unwrap_or_default());
            if new == current && !what.starts_with("checkout:") && !what.starts_with("reset:") {
                current = old;
            }
        }
        current == commit
    }
}

/// Returns true if a path that a fact reports as gone exists. `None` if the fact is not about a path.
pub(crate) fn is_there(folder: &Path, key: &str, fact: &Fact) -> Option<bool> {
    match fact {
        Fact::SourceMissing { citation, .. } | Fact::BrokenLink { citation, .. } => {
            Some(is_in(folder, "", &citation.path))
        }
        // The path may be relative to the document, or to a folder above it.
        Fact::ReferenceDrift { word, sort: WordKind::Path, .. } => {
            let ends = key.match_indices('/').map(|(at, _)| at);
            Some(ends.chain([0]).any(|end| is_in(folder, &key[..end], word)))
        }
        _ => None,
    }
}

fn is_in(root: &Path, folder: &str, path: &str) -> bool {
    paths::resolve(folder, path).is_ok_and(|path| exists(root, &path))
}

/// Returns the id of the commit that a git directory has checked out.
fn head(git: &Path) -> Option<String> {
    let common = match pointer(&git.join("commondir")) {
        Some(to) => git.join(checked(&to)?),
        None => git.to_path_buf(),
    };
    let mut text = pointer(&git.join("HEAD"))?;
    for _ in 0..MAX_REFERENCES {
        let Some(name) = text.strip_prefix("ref:").map(str::trim) else {
            return is_id(&text).then_some(text);
        };
        if !name.starts_with("refs/") || name.split('/').any(|part| part.starts_with('.')) {
            return None;
        }
        let loose = [git.join(name), common.join(name)];
        text = match loose.iter().find_map(|place| pointer(place)) {
            Some(text) => text,
            None => packed(&common, name)?,
        };
    }
    None
}

fn packed(common: &Path, name: &str) -> Option<String> {
    let all = read_small(&common.join("packed-refs"), MAX_PACKED)?;
    let mut lines = all.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, of)| *of == name).map(|(id, _)| id.to_owned())
}

fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the last whole lines of a file.
fn end_of(path: &Path) -> Option<String> {
    // Opening anything other than a file might block.
    let length = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
    let mut file = File::open(path).ok()?;
    let begin = length.saturating_sub(MAX_LOG);
    file.seek(SeekFrom::Start(begin)).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_LOG).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let cut = if begin > 0 { text.find('\n')? + 1 } else { 0 };
    Some(text[cut..].to_owned())
}
