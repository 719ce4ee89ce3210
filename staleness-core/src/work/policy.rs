//! Thresholds for work items.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Aging, Claim, Work, WorkKind};
use crate::ids::Caller;
use crate::thresholds::thresholds;
use crate::time::Timestamp;

thresholds! {
    /// The thresholds after which work items are flagged, and the freshness of flagged items.
    ///
    /// `kind`, `project` (by id or root) and `agent` (the item's author) hold overrides, applied in that
    /// order. See [`WorkPolicy::rules`].
    WorkPolicy {
        /// The number of days without activity after which a plan in progress is flagged.
        in_progress_days: u32 = 7,
        /// The number of days without activity after which a plan that is to do or blocked is flagged.
        waiting_days: u32 = 30,
        /// The number of days after which an unanswered handoff is flagged.
        handoff_days: u32 = 14,
        /// The number of days after which an unanswered candidate by a person is flagged.
        candidate_days: u32 = 21,
        /// The number of days after which an unanswered candidate by a program is flagged.
        generated_candidate_days: u32 = 30,
        /// The number of days without activity after which an observation without an expiry date is flagged.
        observation_days: u32 = 30,
        /// The number of minutes after which a claim expires without a renewal, unless the claim sets its own duration.
        claim_minutes: u32 = 30,
        /// The freshness of a flagged item.
        freshness_flagged: f64 = 0.3,
        /// The freshness of a flagged item to which fresh work still refers.
        freshness_softened: f64 = 0.5,
    }
    /// Overrides for a [`WorkPolicy`]. Fields that are `None` keep the value of the policy.
    or WorkOverride {
        /// Overrides for items of one kind.
        kind: BTreeMap<WorkKind, WorkOverride> = BTreeMap::new(),
        /// Overrides for one project, by id or root.
        project: BTreeMap<String, WorkOverride> = BTreeMap::new(),
        /// Overrides for items written by one agent.
        agent: BTreeMap<String, WorkOverride> = BTreeMap::new(),
    }
}

impl WorkPolicy {
    /// Returns the thresholds for a kind and a caller, whose agent is the item's author. Overrides by kind, by project
    /// and by agent apply in this order; later ones win.
    pub fn rules(&self, kind: WorkKind, caller: Caller<'_>) -> Cow<'_, Self> {
        let [by_project, by_agent] = caller.entries(&self.project, &self.agent);
        let mut rules = Cow::Borrowed(self);
        for each in [self.kind.get(&kind), by_project, by_agent].into_iter().flatten() {
            each.apply(rules.to_mut());
        }
        rules
    }

    /// Returns the number of days after which an item that ages in this way is overdue. `None` if it is overdue
    /// immediately.
    pub const fn days(&self, aging: Aging) -> Option<u32> {
        Some(match aging {
            Aging::InProgress => self.in_progress_days,
            Aging::Waiting => self.waiting_days,
            Aging::Expiring | Aging::Claimed => return None,
            Aging::Unanswered => self.handoff_days,
            Aging::Proposed => self.candidate_days,
            Aging::Generated => self.generated_candidate_days,
            Aging::Observed => self.observation_days,
        })
    }

    /// Returns an upper bound, in one project and for any author, of the time since which an overdue item ages in this
    /// way. Items that age since a later time are not overdue at `now`; others may be.
    pub(crate) fn latest(&self, aging: Aging, project: Caller<'_>, now: Timestamp) -> Timestamp {
        let Some(kind) = aging.kind() else { return now };
        // A handoff may expire at any time.
        if aging == Aging::Unanswered {
            return Timestamp::MAX;
        }
        let by_anybody = self.rules(kind, project).days(aging);
        let by_agents = self.agent.values().filter_map(|each| each.days(aging));
        match by_agents.chain(by_anybody).min() {
            // A time in the future counts as an age of 0.
            Some(0) => Timestamp::MAX,
            days => now.minus_days(days.map_or(0, i64::from)),
        }
    }

    /// Appends errors in the values to `faults`, as `key: reason`.
    pub(crate) fn faults(&self, faults: &mut Vec<String>) {
        let most = Claim::MAX_MILLIS / Timestamp::MINUTE;
        let check = |key: &str, minutes: u32, faults: &mut Vec<String>| {
            if !(1..=most).contains(&i64::from(minutes)) {
                faults.push(format!("{key}.claim_minutes: must be between 1 and {most}"));
            }
        };
        check("work", self.claim_minutes, faults);
        self.check_shares("work", faults);
        let kinds = self.kind.iter().map(|(kind, each)| (format!("kind.{kind}"), each));
        let projects = self.project.iter().map(|(name, each)| (format!("project.{name}"), each));
        let agents = self.agent.iter().map(|(name, each)| (format!("agent.{name}"), each));
        for (name, each) in kinds.chain(projects).chain(agents) {
            let key = format!("work.{name}");
            if let Some(minutes) = each.claim_minutes {
                check(&key, minutes, faults);
            }
            each.check_shares(&key, faults);
        }
    }
}

impl WorkOverride {
    /// Returns the overridden threshold for this way of ageing. `None` if it is not overridden.
    const fn days(&self, aging: Aging) -> Option<u32> {
        match aging {
            Aging::InProgress => self.in_progress_days,
            Aging::Waiting => self.waiting_days,
            Aging::Expiring | Aging::Claimed => None,
            Aging::Unanswered => self.handoff_days,
            Aging::Proposed => self.candidate_days,
            Aging::Generated => self.generated_candidate_days,
            Aging::Observed => self.observation_days,
        }
    }
}

/// The thresholds of one project for every kind and author, resolved in advance so that a lookup copies nothing.
#[derive(Debug)]
pub(crate) struct Rules<'p> {
    by_anybody: [Cow<'p, WorkPolicy>; WorkKind::ALL.len()],
    by_agent: BTreeMap<&'p str, [Cow<'p, WorkPolicy>; WorkKind::ALL.len()]>,
}

impl<'p> Rules<'p> {
    pub(crate) fn new(policy: &'p WorkPolicy, project: Caller<'_>) -> Self {
        let by = |agent| WorkKind::ALL.map(|kind| policy.rules(kind, Caller { agent, ..project }));
        let agents = policy.agent.keys().map(String::as_str);
        Self { by_anybody: by(None), by_agent: agents.map(|each| (each, by(Some(each)))).collect() }
    }

    pub(crate) fn of(&self, work: &Work) -> &WorkPolicy {
        let by_agent = work.author.as_deref().and_then(|author| self.by_agent.get(author));
        // The discriminant of a kind is its index in `ALL`.
        &by_agent.unwrap_or(&self.by_anybody)[work.kind as usize]
    }
}
