//! The policy for documents: which are checked, and of which kind they are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::knowledge::ItemKind;
use crate::verdict::Level;

/// The documents to check, and their kinds. Patterns use the syntax of `.gitignore` and are relative to the
/// project's root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DocumentPolicy {
    /// Patterns of documents to skip.
    pub ignore: Vec<String>,
    /// The kinds of documents by pattern, for documents without a kind in their front matter. The longest
    /// matching pattern decides: see [`DocumentPolicy::kinds_in_order`].
    pub kinds: BTreeMap<String, ItemKind>,
    /// Patterns of documents that describe the past, such as changelogs, in addition to those recognised by
    /// name. A pattern with `!` in front excludes documents.
    pub history: Vec<String>,
    /// The level of a check that could not see everything, for example in a shallow or partial clone. The gap
    /// is always reported; `--fail-on` uses this level for it.
    pub blind: Level,
    /// The maximum size of a document, in bytes. A larger one is reported but not read.
    pub max_file_bytes: u64,
}

/// The upper bound of `documents.max_file_bytes`, in bytes, so that a project's policy file cannot cause
/// unbounded reads.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// The maximum length of a pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 512;
/// The maximum number of patterns in one list.
const MAX_PATTERNS: usize = 1_000;

impl Default for DocumentPolicy {
    fn default() -> Self {
        Self {
            ignore: Vec::new(),
            kinds: BTreeMap::new(),
            history: Vec::new(),
            blind: Level::Review,
            max_file_bytes: 4 * 1024 * 1024,
        }
    }
}

impl DocumentPolicy {
    /// Returns the kinds by pattern, shortest pattern first and then alphabetically. The last matching
    /// pattern decides.
    #[must_use]
    pub fn kinds_in_order(&self) -> Vec<(&str, ItemKind)> {
        let mut all: Vec<_> =
            self.kinds.iter().map(|(pattern, kind)| (pattern.as_str(), *kind)).collect();
        all.sort_by_key(|(pattern, _)| pattern.len());
        all
    }

    /// Appends errors in the values, as `key: reason`.
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
                    "documents.{name}: a pattern has 1 to {MAX_PATTERN_BYTES} bytes"
                ));
            }
        }
        if self.max_file_bytes == 0 || self.max_file_bytes > MAX_FILE_BYTES {
            faults.push(format!("documents.max_file_bytes: must be 1 to {MAX_FILE_BYTES}"));
        }
    }
}
