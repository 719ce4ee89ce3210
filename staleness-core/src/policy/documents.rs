//! The policy for documents: the documents to check, and their kinds.

use std::collections::BTreeMap;

use crate::knowledge::ItemKind;
use crate::thresholds::thresholds;
use crate::verdict::Level;

thresholds! {
    /// The documents to check, and their kinds. Patterns use the syntax of `.gitignore` and are relative to the
    /// project's root.
    DocumentPolicy {
        /// Patterns of documents to skip.
        ignore: Vec<String> = Vec::new(),
        /// The kinds of documents by pattern, for documents without a kind in their front matter. The longest
        /// matching pattern decides: see [`DocumentPolicy::kinds_in_order`].
        kinds: BTreeMap<String, ItemKind> = BTreeMap::new(),
        /// Patterns of documents that describe the past, such as changelogs, in addition to those recognised by
        /// name. A pattern that starts with `!` excludes documents.
        history: Vec<String> = Vec::new(),
        /// The level of a check that could not read everything, for example in a shallow or partial clone. The gap is
        /// always reported; `--fail-on` uses this level for it.
        blind: Level = Level::Review,
        /// The maximum size of a document, in bytes. A larger one is reported but not read.
        max_file_bytes: u64 = 4 * 1024 * 1024,
    }
}

/// The upper bound of `documents.max_file_bytes`, in bytes, so that a project's policy file cannot cause
/// unbounded reads.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;
const MAX_PATTERN_BYTES: usize = 512;
/// The maximum number of patterns in one list.
const MAX_PATTERNS: usize = 1_000;

impl DocumentPolicy {
    /// Returns the kinds by pattern, the shortest pattern first and patterns of equal length in alphabetical order. The
    /// last matching pattern decides.
    pub fn kinds_in_order(&self) -> Vec<(&str, ItemKind)> {
        let mut all: Vec<_> =
            self.kinds.iter().map(|(pattern, kind)| (pattern.as_str(), *kind)).collect();
        all.sort_by_key(|(pattern, _)| pattern.len());
        all
    }

    /// Appends errors in the values to `faults`, as `key: reason`.
    pub(super) fn faults(&self, faults: &mut Vec<String>) {
        let lists = [
            ("ignore", self.ignore.iter().collect::<Vec<_>>()),
            ("kinds", self.kinds.keys().collect()),
            ("history", self.history.iter().collect()),
        ];
        for (name, patterns) in lists {
            if patterns.len() > MAX_PATTERNS {
                faults.push(format!("documents.{name}: at most {MAX_PATTERNS} patterns"));
            }
            if patterns.iter().any(|each| each.trim().is_empty() || each.len() > MAX_PATTERN_BYTES)
            {
                faults.push(format!(
                    "documents.{name}: a pattern must be 1 to {MAX_PATTERN_BYTES} bytes long"
                ));
            }
        }
        if self.max_file_bytes == 0 || self.max_file_bytes > MAX_FILE_BYTES {
            faults.push(format!("documents.max_file_bytes: must be 1 to {MAX_FILE_BYTES}"));
        }
    }
}
