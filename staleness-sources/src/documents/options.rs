//! What a check is asked to do.

use std::path::{Path, PathBuf};

use staleness_core::knowledge::{Document, ItemKind};
use staleness_core::time::Timestamp;

/// The largest document that is read unless the rules say otherwise, in bytes.
pub const MAX_DOCUMENT_BYTES: u64 = 4 * 1024 * 1024;

/// Files that match a pattern are items of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindRule {
    /// A pattern in the syntax of `.gitignore`, relative to the project's root.
    pub pattern: String,
    /// The kind of the items.
    pub kind: ItemKind,
}

/// How documents are treated. Patterns have the syntax of `.gitignore` and are relative to the
/// project's root; one that cannot be read is reported and ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Documents that are left out altogether.
    pub ignore: Vec<String>,
    /// Kinds by path, for files that say none themselves; the last match wins.
    pub kinds: Vec<KindRule>,
    /// Documents that speak of what is gone on purpose, beside those that are recognised. A pattern
    /// with `!` before it takes a document out.
    pub history: Vec<String>,
    /// The largest file that is read, in bytes.
    pub max_bytes: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            ignore: Vec::new(),
            kinds: Vec::new(),
            history: Vec::new(),
            max_bytes: MAX_DOCUMENT_BYTES,
        }
    }
}

/// What to check, and as of when.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckOptions<'a> {
    /// The moment of the check.
    pub now: Timestamp,
    /// Files and folders, absolute or relative to the project's folder. Empty: the tracked Markdown
    /// files, and the memory and instruction files of the clients.
    pub paths: &'a [PathBuf],
    /// The user's home folder; without it files of the user are left out.
    pub home: Option<&'a Path>,
    /// Where Claude Code keeps its files, if not in `.claude` of the home folder.
    pub claude_config_dir: Option<&'a Path>,
    /// How documents are treated.
    pub rules: Rules,
    /// The version of the project, if not the one that it declares.
    pub current_version: Option<&'a str>,
    /// Documents as they were checked before. One that still holds is taken over.
    pub known: &'a [Document],
    /// Report only what is new since this revision: words and citations that went missing, and
    /// blocks that were edited, in later commits.
    pub since: Option<&'a str>,
}

impl<'a> CheckOptions<'a> {
    /// Everything in the project, by the default rules.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self {
            now,
            paths: &[],
            home: None,
            claude_config_dir: None,
            rules: Rules::default(),
            current_version: None,
            known: &[],
            since: None,
        }
    }
}
