//! The context of a verdict: all that it depends on beside the item and the evidence.

use super::{Distance, ItemKind, KnowledgePolicy, KnowledgeRules, SignalKind, Version};
use crate::ids::{AgentId, ProjectId};
use crate::time::Timestamp;
use crate::verdict::{Level, round};

/// The moment, the version of the project, and the rules for every kind: made once, used for every
/// item.
#[derive(Clone, Debug)]
pub struct Context {
    now: Timestamp,
    version: Option<(String, Version)>,
    rules: [Resolved; ItemKind::ALL.len()],
}

/// The rules for one kind, with the weights in the order of the kinds of signals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolved {
    pub(super) rules: KnowledgeRules,
    pub(super) weights: [f64; SignalKind::ALL.len()],
}

impl Context {
    /// As of `now`, by the rules that hold in a project (id and root) and for an agent.
    #[must_use]
    pub fn new(
        now: Timestamp,
        policy: &KnowledgePolicy,
        project: Option<(&ProjectId, &str)>,
        agent: Option<&AgentId>,
    ) -> Self {
        let resolve = |kind| {
            let rules = policy.rules(kind, project, agent);
            Resolved { rules, weights: SignalKind::ALL.map(|kind| rules.weight(kind)) }
        };
        Self { now, version: None, rules: ItemKind::ALL.map(resolve) }
    }

    /// Sets the version of the project; one that cannot be parsed counts as unknown.
    #[must_use]
    pub fn at_version(mut self, version: Option<&str>) -> Self {
        self.version = version.and_then(|text| Some((text.trim().into(), Version::parse(text)?)));
        self
    }

    /// The moment of the verdict.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// The version of the project, as it was given.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_ref().map(|(text, _)| text.as_str())
    }

    /// The rules for a kind.
    #[must_use]
    pub const fn rules(&self, kind: ItemKind) -> &KnowledgeRules {
        &self.resolved(kind).rules
    }

    /// The level of a freshness, under the rules for a kind.
    #[must_use]
    pub fn level(&self, kind: ItemKind, freshness: f64) -> Level {
        let rules = self.rules(kind);
        Level::between(round(freshness), rules.fresh_from, rules.review_from)
    }

    pub(super) const fn resolved(&self, kind: ItemKind) -> &Resolved {
        &self.rules[kind as usize]
    }

    /// Returns the distance by which the version `written_for` is behind the project's; `None` if
    /// it is not behind, or if either is unknown.
    #[must_use]
    pub fn behind(&self, written_for: &str) -> Option<Distance> {
        self.version.as_ref().and_then(|(_, now)| Version::parse(written_for)?.behind(now))
    }
}
