use std::path::{Path, PathBuf};

use staleness_core::knowledge::Document;
use staleness_core::policy::DocumentPolicy;
use staleness_core::time::Timestamp;

/// The documents to check, and the rules and limits of the check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckOptions<'a> {
    /// Time of the check.
    pub now: Timestamp,
    /// Files and folders to check, absolute or relative to the project's folder. Empty means the tracked
    /// documents, and the memory and instruction files of the clients.
    pub paths: &'a [PathBuf],
    /// The text of the single document in [`CheckOptions::paths`], if it differs from the text on disk.
    pub unsaved: Option<&'a str>,
    /// The user's home folder. Without it, files of the user are omitted.
    pub home: Option<&'a Path>,
    /// Folder of Claude Code, if it is not `.claude` in the home folder.
    pub claude_config_dir: Option<&'a Path>,
    /// The names that a client's settings give to instruction files. They matter for the question which files that
    /// client loads: Gemini CLI loads these files instead of `GEMINI.md`. In a folder without `AGENTS.md`, Codex CLI
    /// loads the first of them.
    pub instruction_names: &'a [String],
    /// Rules for documents. Invalid patterns are reported and otherwise ignored.
    pub policy: DocumentPolicy,
    /// Version of the project, if it differs from the declared version.
    pub current_version: Option<&'a str>,
    /// Documents of the last check. Results that still apply are reused.
    pub known: &'a [Document],
    /// Revision to compare with. If set, the report also lists the findings since that revision: missing words and
    /// citations, and edited blocks.
    pub since: Option<&'a str>,
    /// Also report the documents that name symbols or files changed since [`CheckOptions::since`].
    pub impact: bool,
    /// Approximate memory for documents and their questions, in bytes. The history is read once for each
    /// batch of this size. Without git, documents are processed one by one.
    pub held_bytes: usize,
}

/// Default of [`CheckOptions::held_bytes`]. Nearly no project needs more.
const HELD_BYTES: usize = 128 * 1024 * 1024;

impl<'a> CheckOptions<'a> {
    /// Returns options to check the whole project by the default rules.
    pub fn new(now: Timestamp) -> Self {
        Self {
            now,
            paths: &[],
            unsaved: None,
            home: None,
            claude_config_dir: None,
            instruction_names: &[],
            policy: DocumentPolicy::default(),
            current_version: None,
            known: &[],
            since: None,
            impact: false,
            held_bytes: HELD_BYTES,
        }
    }
}
