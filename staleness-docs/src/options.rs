//! Options of a check.

use std::path::{Path, PathBuf};

use staleness_core::knowledge::Document;
use staleness_core::policy::DocumentPolicy;
use staleness_core::time::Timestamp;

/// Documents to check, and the moment of the check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckOptions<'a> {
    /// The moment of the check.
    pub now: Timestamp,
    /// Files and folders, absolute or relative to the project's folder. Empty: the tracked
    /// documents, and the memory and instruction files of the clients.
    pub paths: &'a [PathBuf],
    /// The user's home folder; without it files of the user are left out.
    pub home: Option<&'a Path>,
    /// Folder of Claude Code, if not `.claude` of the home folder.
    pub claude_config_dir: Option<&'a Path>,
    /// Rules for documents. A pattern that cannot be read is reported and ignored.
    pub policy: DocumentPolicy,
    /// The version of the project, if not the one that it declares.
    pub current_version: Option<&'a str>,
    /// Documents as they were checked before. One that still holds is taken over.
    pub known: &'a [Document],
    /// Tell beside everything what is new since this revision: words and citations that went missing,
    /// and blocks that were edited, in later commits.
    pub since: Option<&'a str>,
    /// Tell which documents name something that changed since then.
    pub impact: bool,
    /// About how many bytes are held of documents at once: their texts, and the questions about them. The
    /// history is walked through once for each lot of so many. Without git one document is held.
    pub held_bytes: usize,
}

/// More than hardly any project needs.
const HELD_BYTES: usize = 128 * 1024 * 1024;

impl<'a> CheckOptions<'a> {
    /// Everything in the project, by the default rules.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self {
            now,
            paths: &[],
            home: None,
            claude_config_dir: None,
            policy: DocumentPolicy::default(),
            current_version: None,
            known: &[],
            since: None,
            impact: false,
            held_bytes: HELD_BYTES,
        }
    }
}
