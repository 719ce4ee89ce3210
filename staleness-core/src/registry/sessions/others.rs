//! Handoffs between two other agents, which do not concern the requesting agent.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::AgentId;
use crate::store::View;
use crate::time::Timestamp;
use crate::work::{Warning, Work, WorkKind};

/// The agents known in a project, other than the requesting one.
pub(super) struct Others<'a> {
    agent: &'a AgentId,
    named: &'a BTreeSet<String>,
    /// The start of each agent's first session.
    came: BTreeMap<&'a str, Timestamp>,
}

impl<'a> Others<'a> {
    /// Collects the agents in `named`, and the agents with sessions in the view.
    pub(super) fn new(agent: &'a AgentId, named: &'a BTreeSet<String>, view: &'a View) -> Self {
        let mut came = BTreeMap::new();
        for session in view.sessions.values() {
            let first = came.entry(session.agent.as_str()).or_insert(session.started_at);
            *first = session.started_at.min(*first);
        }
        Self { agent, named, came }
    }

    /// Returns true if a handoff is between two other agents. A handoff to an agent that was unknown at `then` counts
    /// as one to everyone.
    pub(super) fn hold(&self, from: Option<&str>, to: Option<&str>, then: Timestamp) -> bool {
        let is_known = |to: &str| {
            self.named.contains(to) || self.came.get(to).is_some_and(|came| *came <= then)
        };
        let to = to.filter(|to| *to != self.agent.as_str());
        to.is_some_and(is_known) && from != Some(self.agent.as_str())
    }

    /// Returns true if a work item is a handoff between two other agents, or an expired handoff from another agent
    /// without a recipient.
    pub(super) fn have(&self, work: &Work, now: Timestamp) -> bool {
        let is_own = |party: &Option<String>| party.as_deref() == Some(self.agent.as_str());
        work.kind == WorkKind::Handoff
            && (self.hold(work.from.as_deref(), work.to.as_deref(), Timestamp::MAX)
                || work.is_expired_handoff(now) && !is_own(&work.from) && !is_own(&work.to))
    }

    /// Returns true if an overdue item is a handoff between two other agents, known or not, and its last claim is not
    /// this agent's.
    pub(super) fn is_between_them(&self, overdue: &Warning) -> bool {
        let is_other = |party: &Option<String>| {
            party.as_deref().is_some_and(|party| party != self.agent.as_str())
        };
        let parties = [&overdue.from, &overdue.to];
        overdue.kind == WorkKind::Handoff
            && overdue.claim.as_ref().is_none_or(|claim| claim.agent != *self.agent)
            && parties.into_iter().all(is_other)
    }

    /// Returns true if the sessions must be read to decide whether the recipients of handoffs in the view are known
    /// agents.
    pub(super) fn depend_on_sessions(&self, view: &View) -> bool {
        let mut to = view.work.values().filter(|work| work.kind == WorkKind::Handoff);
        to.any(|work| {
            work.to
                .as_deref()
                .is_some_and(|to| to != self.agent.as_str() && !self.named.contains(to))
        })
    }
}
