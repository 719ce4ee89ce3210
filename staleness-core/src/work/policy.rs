//! The thresholds of work items.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Aging, Work, WorkKind};
use crate::ids::ProjectId;
use crate::time::Timestamp;

macro_rules! work_policy {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $default:expr,)*) => {
        /// After how long a work item is flagged, and what that means for its verdict.
        ///
        /// `kind`, `project` (by id or root) and `agent` (who wrote the item) hold what is different
        /// there; they apply in that order. See [`WorkPolicy::rules`].
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct WorkPolicy {
            $($(#[$doc])* pub $field: $type,)*
            /// Overrides for the items of one kind.
            pub kind: BTreeMap<WorkKind, WorkOverride>,
            /// Overrides for one project, by its id or root.
            pub project: BTreeMap<String, WorkOverride>,
            /// Overrides for the items that one agent wrote.
            pub agent: BTreeMap<String, WorkOverride>,
        }

        impl Default for WorkPolicy {
            fn default() -> Self {
                Self {
                    $($field: $default,)*
                    kind: BTreeMap::new(),
                    project: BTreeMap::new(),
                    agent: BTreeMap::new(),
                }
            }
        }

        /// A [`WorkPolicy`] in which only the fields that differ are set.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct WorkOverride {
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)*
        }

        impl WorkOverride {
            /// Sets the fields that differ.
            pub fn apply(&self, policy: &mut WorkPolicy) {
                $(if let Some(value) = self.$field { policy.$field = value; })*
            }
        }
    };
}

work_policy! {
    /// Days without activity after which a plan in progress is flagged.
    in_progress_days: u32 = 7,
    /// Days without activity after which a plan that is to do or blocked is flagged.
    waiting_days: u32 = 30,
    /// Days after which an unanswered handoff is flagged.
    handoff_days: u32 = 14,
    /// Days after which an unanswered candidate of a person is flagged.
    candidate_days: u32 = 21,
    /// Days after which an unanswered candidate of a program is flagged.
    generated_candidate_days: u32 = 30,
    /// Days without activity after which an observation that has no date of expiry is flagged.
    observation_days: u32 = 30,
    /// Freshness of a flagged item.
    freshness_flagged: f64 = 0.3,
    /// Freshness of a flagged item that fresh work still refers to.
    freshness_softened: f64 = 0.5,
}

impl WorkPolicy {
    /// The thresholds that hold for a kind, in a project, for what an agent wrote.
    #[must_use]
    pub fn rules(
        &self,
        kind: WorkKind,
        project: Option<(&ProjectId, &str)>,
        agent: Option<&str>,
    ) -> Cow<'_, Self> {
        let by_project = project.and_then(|(id, root)| {
            self.project.get(id.as_str()).or_else(|| self.project.get(root))
        });
        let by_agent = agent.and_then(|agent| self.agent.get(agent));
        let mut rules = Cow::Borrowed(self);
        for each in [self.kind.get(&kind), by_project, by_agent].into_iter().flatten() {
            each.apply(rules.to_mut());
        }
        rules
    }

    /// Days after which what ages in a way is overdue; `None` for what expires.
    #[must_use]
    pub const fn days(&self, aging: Aging) -> Option<u32> {
        Some(match aging {
            Aging::InProgress => self.in_progress_days,
            Aging::Waiting => self.waiting_days,
            Aging::Expiring => return None,
            Aging::Unanswered => self.handoff_days,
            Aging::Proposed => self.candidate_days,
            Aging::Generated => self.generated_candidate_days,
            Aging::Observed => self.observation_days,
        })
    }

    /// The latest time since which anything that ages in a way can be overdue at `now` in a project,
    /// whoever wrote it. What is older need not be overdue; what is younger is not.
    pub(crate) fn latest(
        &self,
        aging: Aging,
        project: (&ProjectId, &str),
        now: Timestamp,
    ) -> Timestamp {
        let Some(kind) = aging.kind() else { return now };
        let by_anybody = self.rules(kind, Some(project), None).days(aging);
        let by_agents = self.agent.values().filter_map(|each| each.days(aging));
        match by_agents.chain(by_anybody).min() {
            // An age in the future is 0.
            Some(0) => Timestamp::MAX,
            days => now.minus_days(days.map_or(0, i64::from)),
        }
    }

    /// Appends each value out of bounds to `faults`, as `key: reason`.
    pub(crate) fn faults(&self, faults: &mut Vec<String>) {
        let mut check = |key: &str, flagged: Option<f64>, softened: Option<f64>| {
            for (name, value) in [("freshness_flagged", flagged), ("freshness_softened", softened)]
            {
                if value.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
                    faults.push(format!("{key}.{name}: must lie in 0..=1"));
                }
            }
        };
        check("work", Some(self.freshness_flagged), Some(self.freshness_softened));
        let kinds = self.kind.iter().map(|(kind, each)| (format!("kind.{kind}"), each));
        let projects = self.project.iter().map(|(name, each)| (format!("project.{name}"), each));
        let agents = self.agent.iter().map(|(name, each)| (format!("agent.{name}"), each));
        for (name, each) in kinds.chain(projects).chain(agents) {
            let key = format!("work.{name}");
            check(&key, each.freshness_flagged, each.freshness_softened);
        }
    }
}

impl WorkOverride {
    /// The threshold of what ages in a way, where it is another.
    const fn days(&self, aging: Aging) -> Option<u32> {
        match aging {
            Aging::InProgress => self.in_progress_days,
            Aging::Waiting => self.waiting_days,
            Aging::Expiring => None,
            Aging::Unanswered => self.handoff_days,
            Aging::Proposed => self.candidate_days,
            Aging::Generated => self.generated_candidate_days,
            Aging::Observed => self.observation_days,
        }
    }
}

/// The thresholds that hold in one project, for every kind and for whoever wrote an item: an item is
/// looked up, and nothing is copied for it.
#[derive(Debug)]
pub(crate) struct Rules<'p> {
    by_anybody: [Cow<'p, WorkPolicy>; WorkKind::ALL.len()],
    by_agent: BTreeMap<&'p str, [Cow<'p, WorkPolicy>; WorkKind::ALL.len()]>,
}

impl<'p> Rules<'p> {
    pub(crate) fn new(policy: &'p WorkPolicy, project: (&ProjectId, &str)) -> Self {
        let by = |agent| WorkKind::ALL.map(|kind| policy.rules(kind, Some(project), agent));
        let agents = policy.agent.keys().map(String::as_str);
        Self { by_anybody: by(None), by_agent: agents.map(|each| (each, by(Some(each)))).collect() }
    }

    /// Those for an item.
    pub(crate) fn of(&self, work: &Work) -> &WorkPolicy {
        let by_agent = work.author.as_deref().and_then(|author| self.by_agent.get(author));
        // Kinds are listed in the order of their numbers.
        &by_agent.unwrap_or(&self.by_anybody)[work.kind as usize]
    }
}
