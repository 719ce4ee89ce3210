//! The policy of knowledge and documents.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};

use super::{Curve, Distance, ItemKind, SignalKind};
use crate::ids::{AgentId, ProjectId};

macro_rules! knowledge_policy {
    (
        shared { $($(#[$doc:meta])* $field:ident: $type:ty = $default:expr,)* }
        by_kind { $($(#[$kind_doc:meta])* $kind_field:ident: $kind_type:ty,)* }
    ) => {
        /// The policy of knowledge: how it ages, what evidence weighs, and when it is recalled.
        ///
        /// The fields are what every kind of item shares; `kind` holds what is different for one
        /// kind, first of all its curve; `project` (by id or root) and `agent` apply on top, to every
        /// kind. See [`KnowledgePolicy::rules`].
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct KnowledgePolicy {
            $($(#[$doc])* pub $field: $type,)*
            /// Overrides for one kind.
            #[serde(deserialize_with = "over_defaults")]
            pub kind: BTreeMap<ItemKind, KnowledgeOverride>,
            /// Overrides for one project, by id or root.
            pub project: BTreeMap<String, KnowledgeOverride>,
            /// Overrides for one agent.
            pub agent: BTreeMap<String, KnowledgeOverride>,
        }

        impl Default for KnowledgePolicy {
            fn default() -> Self {
                Self {
                    $($field: $default,)*
                    kind: kind_defaults(),
                    project: BTreeMap::new(),
                    agent: BTreeMap::new(),
                }
            }
        }

        /// A part of a [`KnowledgePolicy`] in which only what differs is set.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct KnowledgeOverride {
            $($(#[$kind_doc])* #[serde(skip_serializing_if = "Option::is_none")]
            pub $kind_field: Option<$kind_type>,)*
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")]
            pub $field: Option<$type>,)*
        }

        impl KnowledgeOverride {
            /// Returns the values that are set here, and those of `below` for the others.
            const fn over(self, below: Self) -> Self {
                Self {
                    $($kind_field: match self.$kind_field {
                        None => below.$kind_field,
                        set => set,
                    },)*
                    $($field: match self.$field {
                        None => below.$field,
                        set => set,
                    },)*
                }
            }
        }

        /// Everything that is decided for one kind of item: a [`KnowledgePolicy`] resolved.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct KnowledgeRules {
            $($(#[$kind_doc])* pub $kind_field: $kind_type,)*
            $($(#[$doc])* pub $field: $type,)*
        }

        impl KnowledgePolicy {
            const fn shared(&self) -> KnowledgeOverride {
                KnowledgeOverride {
                    $($kind_field: None,)*
                    $($field: Some(self.$field),)*
                }
            }
        }

        impl KnowledgeRules {
            fn of(set: KnowledgeOverride) -> Self {
                Self {
                    $($kind_field: set.$kind_field.unwrap_or_default(),)*
                    $($field: set.$field.unwrap_or_default(),)*
                }
            }
        }
    };
}

knowledge_policy! {
    shared {
        /// Freshness, 0..=1, from which an item is fresh.
        fresh_from: f64 = 0.7,
        /// Freshness, 0..=1, from which an item is to be reviewed; below it is stale.
        review_from: f64 = 0.4,
        /// Days after which a to-do that is still open is to be reviewed, whatever its freshness.
        todo_pending_days: u32 = 30,
        /// Recalls since its last edit from which on a to-do is not getting done.
        todo_recalls: u32 = 5,
        /// Weight, 0..=1, of: its date of expiry has passed.
        weight_expired: f64 = 1.0,
        /// Weight, 0..=1, of: another item stands for it.
        weight_superseded: f64 = 1.0,
        /// Weight, 0..=1, of: somebody said that it is wrong.
        weight_contradicted: f64 = 0.9,
        /// Weight, 0..=1, of: what it cites is gone.
        weight_source_missing: f64 = 0.8,
        /// Weight, 0..=1, of: it names what the project has no more.
        weight_reference_drift: f64 = 0.7,
        /// Weight, 0..=1, of: what it cites was changed.
        weight_source_changed: f64 = 0.6,
        /// Weight, 0..=1, of: it was written for an earlier version. Not for kinds with a
        /// `version_term`.
        weight_version_drift: f64 = 0.4,
        /// Weight, 0..=1, of: an item that it depends on was changed.
        weight_related_fresher: f64 = 0.3,
        /// Weight, 0..=1, of: an item that it depends on is stale.
        weight_related_stale: f64 = 0.3,
        /// Weight, 0..=1, of: a to-do that is read again and again.
        weight_recalled_without_progress: f64 = 0.2,
        /// Weight, 0..=1, of: a word that was true at a time. Not for kinds with a `marker_term`.
        weight_temporal_marker: f64 = 0.2,
        /// Weight, 0..=1, of: a link to something that never existed.
        weight_broken_link: f64 = 0.4,
        /// Strength, 0..=1, of a version that is patch releases behind.
        strength_patch: f64 = 0.25,
        /// Strength, 0..=1, of a version that is minor releases behind.
        strength_minor: f64 = 0.6,
        /// Strength, 0..=1, of a version that is major releases behind.
        strength_major: f64 = 1.0,
        /// Strength, 0..=1, of a word that was true at a time.
        strength_marker: f64 = 1.0,
    }
    by_kind {
        /// The curve by which its freshness falls with age.
        curve: Curve,
        /// The points, 0..=1, taken from the freshness when it was written for an earlier
        /// minor or major version; 0: the weight of version drift applies in its place.
        version_term: f64,
        /// The points, 0..=1, taken from the freshness when a word of it was true at a time;
        /// 0: the weight of temporal markers applies in its place.
        marker_term: f64,
        /// The closeness to a question, 0..=1, from which it is recalled.
        recall_from: f64,
    }
}

/// Returns the default values of a kind.
fn default_of(kind: ItemKind) -> KnowledgeOverride {
    let linear = |drop, days, floor| Curve::Linear { drop, days, floor };
    let (curve, version_term, marker_term, recall_from) = match kind {
        ItemKind::Knowledge => (linear(0.3, 90.0, 0.0), 0.4, 0.2, 0.7),
        ItemKind::Preference => (Curve::Constant, 0.0, 0.0, 0.3),
        ItemKind::Todo => (linear(0.5, 30.0, 0.3), 0.0, 0.0, 0.4),
        ItemKind::Reference => (linear(0.3, 180.0, 0.3), 0.2, 0.0, 0.8),
        ItemKind::Document => (Curve::Constant, 0.0, 0.0, 0.8),
    };
    KnowledgeOverride {
        curve: Some(curve),
        version_term: Some(version_term),
        marker_term: Some(marker_term),
        recall_from: Some(recall_from),
        strength_marker: (kind == ItemKind::Document).then_some(0.5),
        ..KnowledgeOverride::default()
    }
}

fn kind_defaults() -> BTreeMap<ItemKind, KnowledgeOverride> {
    ItemKind::ALL.into_iter().map(|kind| (kind, default_of(kind))).collect()
}

fn over_defaults<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<ItemKind, KnowledgeOverride>, D::Error> {
    let set = BTreeMap::<ItemKind, KnowledgeOverride>::deserialize(deserializer)?;
    let mut all = kind_defaults();
    for (kind, each) in set {
        all.insert(kind, each.over(default_of(kind)));
    }
    Ok(all)
}

impl KnowledgePolicy {
    /// The rules for a kind, in a project, for an agent. Later ones win.
    #[must_use]
    pub fn rules(
        &self,
        kind: ItemKind,
        project: Option<(&ProjectId, &str)>,
        agent: Option<&AgentId>,
    ) -> KnowledgeRules {
        let by_project = project.and_then(|(id, root)| {
            self.project.get(id.as_str()).or_else(|| self.project.get(root))
        });
        let by_agent = agent.and_then(|agent| self.agent.get(agent.as_str()));
        let set = [Some(&default_of(kind)), self.kind.get(&kind), by_project, by_agent]
            .into_iter()
            .flatten()
            .fold(self.shared(), |below, set| set.over(below));
        KnowledgeRules::of(set)
    }

    /// Appends what is wrong with the values, as `key: reason`.
    pub(crate) fn faults(&self, faults: &mut Vec<String>) {
        check("knowledge", &self.shared(), faults);
        for (kind, each) in &self.kind {
            check(&format!("knowledge.kind.{}", kind.as_str()), each, faults);
        }
        for (table, map) in [("project", &self.project), ("agent", &self.agent)] {
            for (name, each) in map {
                check(&format!("knowledge.{table}.{name}"), each, faults);
            }
        }
        self.threshold_faults(faults);
    }

    /// Thresholds that cross where several tables apply together.
    ///
    /// An agent's table meets every project's, but only the highest and the lowest threshold among
    /// those matter to it: as many tables as a file may name are checked in one pass.
    fn threshold_faults(&self, faults: &mut Vec<String>) {
        let base = ("knowledge".to_owned(), self.shared());
        let named = |table: &str, map: &BTreeMap<String, KnowledgeOverride>| -> Vec<Table> {
            map.iter().map(|(name, set)| (format!("knowledge.{table}.{name}"), *set)).collect()
        };
        let (projects, agents) = (named("project", &self.project), named("agent", &self.agent));
        let highest = extreme(&projects, |set| set.review_from);
        let lowest = extreme(&projects, |set| set.fresh_from.map(|value| -value));
        let met = [None, highest, lowest];
        let mut found = BTreeSet::new();
        for kind in ItemKind::ALL {
            let own = self.kind.get(&kind).copied();
            let own = own.map(|set| (format!("knowledge.kind.{}", kind.as_str()), set));
            let mut check = |project: Option<&Table>, agent: Option<&Table>| {
                let tables = [Some(&base), own.as_ref(), project, agent];
                found.extend(crossed(&tables));
            };
            check(None, None);
            projects.iter().for_each(|project| check(Some(project), None));
            for agent in &agents {
                met.iter().for_each(|project| check(*project, Some(agent)));
            }
        }
        faults.extend(found);
    }
}

/// A part of the policy, and where it is written.
type Table = (String, KnowledgeOverride);

/// The table in which a value is the largest.
fn extreme(tables: &[Table], of: impl Fn(&KnowledgeOverride) -> Option<f64>) -> Option<&Table> {
    let set = tables.iter().filter_map(|table| Some((of(&table.1)?, table)));
    set.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, table)| table)
}

/// Returns what is wrong if the thresholds cross; of several tables that set one, the last wins.
fn crossed(tables: &[Option<&Table>]) -> Option<String> {
    let last = |of: fn(&KnowledgeOverride) -> Option<f64>| {
        let set = |(at, table): (usize, &Option<&'_ Table>)| {
            let (key, set) = (*table)?;
            Some((at, key.as_str().to_owned(), of(set)?))
        };
        tables.iter().enumerate().rev().find_map(set)
    };
    let (fresh_at, fresh_key, fresh) = last(|set| set.fresh_from)?;
    let (review_at, review_key, review) = last(|set| set.review_from)?;
    let crosses = fresh < review;
    crosses.then(|| match fresh_at.cmp(&review_at) {
        Ordering::Equal => format!("{fresh_key}.fresh_from: must not be below review_from"),
        Ordering::Greater => {
            format!("{fresh_key}.fresh_from: {fresh} is below {review_key}.review_from, {review}")
        }
        Ordering::Less => {
            format!("{review_key}.review_from: {review} is above {fresh_key}.fresh_from, {fresh}")
        }
    })
}

fn check(key: &str, set: &KnowledgeOverride, faults: &mut Vec<String>) {
    if let Some(fault) = set.curve.as_ref().and_then(Curve::fault) {
        faults.push(format!("{key}.curve: {fault}"));
    }
    for (name, value) in [
        ("fresh_from", set.fresh_from),
        ("review_from", set.review_from),
        ("weight_expired", set.weight_expired),
        ("weight_superseded", set.weight_superseded),
        ("weight_contradicted", set.weight_contradicted),
        ("weight_source_missing", set.weight_source_missing),
        ("weight_reference_drift", set.weight_reference_drift),
        ("weight_source_changed", set.weight_source_changed),
        ("weight_version_drift", set.weight_version_drift),
        ("weight_related_fresher", set.weight_related_fresher),
        ("weight_related_stale", set.weight_related_stale),
        ("weight_recalled_without_progress", set.weight_recalled_without_progress),
        ("weight_temporal_marker", set.weight_temporal_marker),
        ("weight_broken_link", set.weight_broken_link),
        ("strength_patch", set.strength_patch),
        ("strength_minor", set.strength_minor),
        ("strength_major", set.strength_major),
        ("strength_marker", set.strength_marker),
        ("version_term", set.version_term),
        ("marker_term", set.marker_term),
        ("recall_from", set.recall_from),
    ] {
        if value.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
            faults.push(format!("{key}.{name}: must lie in 0..=1"));
        }
    }
    if set.todo_recalls == Some(0) {
        faults.push(format!("{key}.todo_recalls: must be at least 1"));
    }
}

impl KnowledgeRules {
    /// The weight of a sort of evidence, 0..=1.
    #[must_use]
    pub const fn weight(&self, kind: SignalKind) -> f64 {
        match kind {
            SignalKind::Expired => self.weight_expired,
            SignalKind::Superseded => self.weight_superseded,
            SignalKind::Contradicted => self.weight_contradicted,
            SignalKind::SourceMissing => self.weight_source_missing,
            SignalKind::ReferenceDrift => self.weight_reference_drift,
            SignalKind::SourceChanged => self.weight_source_changed,
            SignalKind::VersionDrift => self.weight_version_drift,
            SignalKind::RelatedFresher => self.weight_related_fresher,
            SignalKind::RelatedStale => self.weight_related_stale,
            SignalKind::RecalledWithoutProgress => self.weight_recalled_without_progress,
            SignalKind::TemporalMarker => self.weight_temporal_marker,
            SignalKind::FutureDate => 0.0,
            SignalKind::BrokenLink => self.weight_broken_link,
        }
    }

    /// The strength of being so far behind, 0..=1.
    #[must_use]
    pub const fn strength(&self, distance: Distance) -> f64 {
        match distance {
            Distance::Patch => self.strength_patch,
            Distance::Minor => self.strength_minor,
            Distance::Major => self.strength_major,
        }
    }
}
