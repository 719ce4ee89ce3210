//! The policy of documents: which are checked, and as what.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::knowledge::ItemKind;
use crate::verdict::Level;

/// The documents that are checked, and their kinds. Patterns have the syntax of `.gitignore` and are
/// relative to the project's root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DocumentPolicy {
    /// Documents that are not checked.
    pub ignore: Vec<String>,
    /// The kinds of documents by pattern, unless their front matter names one. The longest pattern
    /// that fits decides: see [`DocumentPolicy::kinds_in_order`].
    pub kinds: BTreeMap<String, ItemKind>,
    /// Documents that speak of what is gone on purpose, beside those that are recognised by their
    /// names. `!` before a pattern takes a document out.
    pub history: Vec<String>,
    /// The level of a check that could not look at everything: of a shallow or partial clone, for example.
    /// It is told always, and `--fail-on` counts it as this.
    pub blind: Level,
    /// A larger document is reported and not read, in bytes.
    pub max_file_bytes: u64,
}

/// The largest `documents.max_file_bytes`: a project's file must not make a program read without
/// bounds.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// The longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 512;
/// Patterns in one list.
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
    /// The kinds by pattern, in an order in which the last one that fits decides: the shortest
    /// pattern first, equal lengths by their text.
    #[must_use]
    pub fn kinds_in_order(&self) -> Vec<(&str, ItemKind)> {
        let mut all: Vec<_> =
            self.kinds.iter().map(|(pattern, kind)| (pattern.as_str(), *kind)).collect();
        all.sort_by_key(|(pattern, _)| pattern.len());
        all
    }

    /// Appends what is wrong with the values, as `key: reason`.
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
            faults.push(format!("documents.max_file_bytes: must lie in 1..={MAX_FILE_BYTES}"));
        }
    }
}
