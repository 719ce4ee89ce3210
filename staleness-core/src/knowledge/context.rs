//! The context of a verdict: everything except the item and its evidence.

use super::{Distance, ItemKind, KnowledgePolicy, KnowledgeRules, Version};
use crate::ids::Caller;
use crate::time::Timestamp;
use crate::verdict::{Level, round};

/// The time, the project's version and the rules for every kind. Meant to be created once and used for all items.
#[derive(Clone, Debug)]
pub struct Context {
    now: Timestamp,
    version: Option<(String, Version)>,
    rules: [KnowledgeRules; ItemKind::ALL.len()],
}

impl Context {
    /// Creates a context as of `now`, with the rules for a caller.
    pub fn new(now: Timestamp, policy: &KnowledgePolicy, caller: Caller<'_>) -> Self {
        let rules = ItemKind::ALL.map(|kind| policy.rules(kind, caller));
        Self { now, version: None, rules }
    }

    /// Sets the project's version. A version that cannot be parsed counts as unknown.
    #[must_use]
    pub fn at_version(mut self, version: Option<&str>) -> Self {
        self.version = version.and_then(|text| Some((text.trim().into(), Version::parse(text)?)));
        self
    }

    /// Returns the time of the verdict.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns the project's version as given. `None` if unknown.
    pub fn version(&self) -> Option<&str> {
        self.version.as_ref().map(|(text, _)| text.as_str())
    }

    /// Returns the rules for a kind.
    pub const fn rules(&self, kind: ItemKind) -> &KnowledgeRules {
        &self.rules[kind as usize]
    }

    /// Returns the level of a freshness under the rules for a kind.
    pub fn level(&self, kind: ItemKind, freshness: f64) -> Level {
        let rules = self.rules(kind);
        Level::between(round(freshness), rules.fresh_from, rules.review_from)
    }

    /// Returns the distance by which the version `written_for` is behind the project's. `None` if it is not behind, or
    /// if either version is unknown.
    pub fn behind(&self, written_for: &str) -> Option<Distance> {
        self.version.as_ref().and_then(|(_, now)| Version::parse(written_for)?.behind(now))
    }
}
