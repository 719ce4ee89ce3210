//! The policy for knowledge and documents.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};

use super::{Curve, Distance, ItemKind, SignalKind};
use crate::ids::Caller;
use crate::thresholds::check_share;

macro_rules! knowledge_policy {
    (
        shared { $($(#[$doc:meta])* $field:ident: $type:ty = $default:expr,)* }
        by_kind { $($(#[$kind_doc:meta])* $kind_field:ident: $kind_type:ty,)* }
    ) => {
        /// The policy for knowledge: ageing, weights of evidence, and recall.
        ///
        /// The fields apply to every kind of item. `kind` overrides them for one kind and sets its curve.
        /// `project` (by id or root) and then `agent` override the result for every kind. See
        /// [`KnowledgePolicy::rules`].
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct KnowledgePolicy {
            $($(#[$doc])* pub $field: $type,)*
            /// Overrides for one kind of item.
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

        /// Overrides for a [`KnowledgePolicy`]. Fields that are `None` keep the value of the policy.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct KnowledgeOverride {
            $($(#[$kind_doc])* #[serde(skip_serializing_if = "Option::is_none")]
            pub $kind_field: Option<$kind_type>,)*
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")]
            pub $field: Option<$type>,)*
        }

        impl KnowledgeOverride {
            /// Appends an error to `faults` for each share that is out of range.
            fn check_shares(&self, key: &str, faults: &mut Vec<String>) {
                $(if let Some(value) = &self.$field {
                    check_share(key, stringify!($field), value, faults);
                })*
                $(if let Some(value) = &self.$kind_field {
                    check_share(key, stringify!($kind_field), value, faults);
                })*
            }

            /// Combines two overrides: fields that are not set here come from `below`.
            fn over(self, below: Self) -> Self {
                Self {
                    $($kind_field: self.$kind_field.or(below.$kind_field),)*
                    $($field: self.$field.or(below.$field),)*
                }
            }
        }

        /// The [`KnowledgePolicy`] resolved for one kind of item.
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
        /// The freshness, 0..=1, from which an item is fresh.
        fresh_from: f64 = 0.7,
        /// The freshness, 0..=1, from which an item needs a review. Below it, the item is stale.
        review_from: f64 = 0.4,
        /// The number of days after which an open to-do needs a review, regardless of its freshness.
        todo_pending_days: u32 = 30,
        /// The number of recalls since the last edit from which a to-do counts as not making progress.
        todo_recalls: u32 = 5,
        /// The weight, 0..=1, of a passed expiry date.
        weight_expired: f64 = 1.0,
        /// The weight, 0..=1, of a replacement by another item.
        weight_superseded: f64 = 1.0,
        /// The weight, 0..=1, of a statement that the item is wrong.
        weight_contradicted: f64 = 0.9,
        /// The weight, 0..=1, of a missing cited source.
        weight_source_missing: f64 = 0.8,
        /// The weight, 0..=1, of a name that no longer exists in the project.
        weight_reference_drift: f64 = 0.7,
        /// The weight, 0..=1, of a changed cited source.
        weight_source_changed: f64 = 0.6,
        /// The weight, 0..=1, of an earlier version. Not used for kinds with a `version_term`.
        weight_version_drift: f64 = 0.4,
        /// The weight, 0..=1, of a change to an item on which this one depends.
        weight_related_fresher: f64 = 0.3,
        /// The weight, 0..=1, of a stale item on which this one depends.
        weight_related_stale: f64 = 0.3,
        /// The weight, 0..=1, of a to-do that is recalled repeatedly.
        weight_recalled_without_progress: f64 = 0.2,
        /// The weight, 0..=1, of a temporal word. Not used for kinds with a `marker_term`.
        weight_temporal_marker: f64 = 0.2,
        /// The weight, 0..=1, of a link to something that never existed.
        weight_broken_link: f64 = 0.4,
        /// The strength, 0..=1, of a missing code name or flag without any other evidence.
        strength_alone: f64 = 0.5,
        /// The strength, 0..=1, of being behind by patch releases.
        strength_patch: f64 = 0.25,
        /// The strength, 0..=1, of being behind by minor releases.
        strength_minor: f64 = 0.6,
        /// The strength, 0..=1, of being behind by major releases.
        strength_major: f64 = 1.0,
        /// The strength, 0..=1, of a temporal word.
        strength_marker: f64 = 1.0,
    }
    by_kind {
        /// The curve by which freshness falls with age.
        curve: Curve,
        /// The points, 0..=1, taken off the freshness of an item written for an earlier minor or major
        /// version. If 0, the weight of version drift applies instead.
        version_term: f64,
        /// The points, 0..=1, taken off the freshness of an item with a temporal word. If 0, the weight of
        /// temporal markers applies instead.
        marker_term: f64,
        /// The minimum closeness to a question, 0..=1, at which an item is recalled.
        recall_from: f64,
    }
}

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
    /// Returns the rules for a kind and a caller. Overrides by kind, by project and by agent apply in this order; later
    /// ones win.
    pub fn rules(&self, kind: ItemKind, caller: Caller<'_>) -> KnowledgeRules {
        let [by_project, by_agent] = caller.entries(&self.project, &self.agent);
        let set = [Some(&default_of(kind)), self.kind.get(&kind), by_project, by_agent]
            .into_iter()
            .flatten()
            .fold(self.shared(), |below, set| set.over(below));
        KnowledgeRules::of(set)
    }

    /// Appends errors in the values to `faults`, as `key: reason`.
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

    /// Appends an error for each pair of thresholds that cross when several tables apply together.
    ///
    /// An agent's table can combine with any project's, but only the projects with the highest `review_from` and the
    /// lowest `fresh_from` matter. One pass over the tables is therefore enough.
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

type Table = (String, KnowledgeOverride);

/// Returns the table with the largest value.
fn extreme(tables: &[Table], of: impl Fn(&KnowledgeOverride) -> Option<f64>) -> Option<&Table> {
    let set = tables.iter().filter_map(|table| Some((of(&table.1)?, table)));
    set.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, table)| table)
}

/// Returns an error message if the thresholds cross. `tables` are in the order in which they apply: the last one that
/// sets a threshold wins.
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
    set.check_shares(key, faults);
    if set.todo_recalls == Some(0) {
        faults.push(format!("{key}.todo_recalls: must be at least 1"));
    }
}

impl KnowledgeRules {
    /// Returns the weight of a kind of evidence, 0..=1.
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

    /// Returns the strength, 0..=1, of being behind by this distance.
    pub const fn strength(&self, distance: Distance) -> f64 {
        match distance {
            Distance::Patch => self.strength_patch,
            Distance::Minor => self.strength_minor,
            Distance::Major => self.strength_major,
        }
    }
}
