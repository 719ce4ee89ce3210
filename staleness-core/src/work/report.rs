//! Reports of overdue work.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{Claim, Flag, NoteType, Overdue, Work, WorkKind, WorkPolicy, WorkStep};
use crate::ids::{WorkId, WorkKey};
use crate::time::Timestamp;
use crate::verdict::{Ground, Level, NextAction, Signal, SignalKind, Verdict, round};

/// The maximum length of a text in a warning, in characters.
const MAX_TEXT: usize = 80;

/// A warning about an overdue item. [`WorkKind::resolved`] returns the state that settles the item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Warning {
    /// The scope and id of the item.
    #[serde(flatten, serialize_with = "WorkKey::as_fields")]
    pub key: WorkKey,
    /// The kind of work.
    pub kind: WorkKind,
    /// The sender of a handoff.
    #[serde(skip)]
    pub from: Option<String>,
    /// The agent to which a handoff is addressed.
    #[serde(skip)]
    pub to: Option<String>,
    /// The level of the item's verdict.
    pub level: Level,
    /// The beginning of the item's text on one line, at most 80 characters.
    pub text: String,
    /// True if a person typed the text on this machine.
    #[serde(skip)]
    pub by_person: bool,
    /// The reason why the item is overdue, and the time for which it has been.
    #[serde(flatten)]
    pub flag: Flag,
    /// The time at which the item became overdue.
    #[serde(skip)]
    pub since: Timestamp,
    /// The claim of an abandoned item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The last step taken on an abandoned item, with the beginning of its text on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_step: Option<WorkStep>,
    /// A fresh item that still refers to this one, which raises its freshness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub softened_by: Option<WorkId>,
    /// An open item that waits for this one. `None` also if this was not looked up.
    #[serde(skip)]
    pub awaited_by: Option<WorkId>,
    /// An open item for which this one waits. `None` also if this was not looked up.
    #[serde(skip)]
    pub waits_for: Option<WorkId>,
}

impl Warning {
    /// Returns warnings about the overdue items in `work`, which must contain all items visible in one project. The
    /// oldest come first, and equally old ones are sorted by kind and key. `policy` returns the thresholds for an item.
    ///
    /// A flagged item gets a higher freshness if an open item that is not flagged refers to it. The running time is
    /// linear, except for sorting the warnings.
    pub fn all<'a, P: Borrow<WorkPolicy>>(
        work: impl IntoIterator<Item = &'a Work> + Clone,
        now: Timestamp,
        policy: impl Fn(&Work) -> P,
    ) -> Vec<Self> {
        let fresh = referred(work.clone(), now, &policy);
        let mut flagged: Vec<(&Work, Flag)> = work
            .into_iter()
            .filter_map(|each| Some((each, each.flag(now, policy(each).borrow())?)))
            .collect();
        flagged.sort_unstable_by(|(a, fa), (b, fb)| {
            fb.age_days.cmp(&fa.age_days).then_with(|| (a.kind, &a.key).cmp(&(b.kind, &b.key)))
        });
        let warning = |(work, flag): (&Work, Flag)| {
            let softened_by = fresh.get(work.key.id.as_str()).map(|by| (*by).clone());
            let rules = policy(work);
            Self {
                level: Level::of(freshness(rules.borrow(), softened_by.is_some())),
                key: work.key.clone(),
                kind: work.kind,
                from: work.from.clone(),
                to: work.to.clone(),
                text: beginning(&work.text),
                by_person: work.by_person,
                flag,
                since: work.overdue_at(rules.borrow()).map_or(now, |at| at.max(work.updated_at)),
                claim: work.claim.clone(),
                last_step: work
                    .steps
                    .last()
                    .filter(|_| work.claim.is_some())
                    .map(|step| WorkStep { text: beginning(&step.text), at: step.at }),
                softened_by,
                awaited_by: None,
                waits_for: None,
            }
        };
        flagged.into_iter().map(warning).collect()
    }

    /// Returns the reason in words, with the items that refer to this one or wait for it.
    pub fn reason(&self) -> String {
        let waits = self.waits_for.as_ref().map(|of| format!("; it waits for {of}"));
        let awaited = || self.awaited_by.as_ref().map(|by| format!("; {by} waits for it"));
        let also = waits.or_else(awaited).unwrap_or_default();
        reason(self.flag, self.softened_by.as_ref()) + &also
    }

    /// Returns true if the warning is due at `now` for an agent that received its last report at `told`: once when the
    /// item becomes overdue, and once a week after that.
    pub(crate) fn is_due(&self, told: Option<Timestamp>, now: Timestamp) -> bool {
        is_due(self.since, told, now)
    }
}

/// Returns the reason in words, with the item that still refers to the overdue one.
fn reason(flag: Flag, softened_by: Option<&WorkId>) -> String {
    let also = softened_by.map(|by| format!("; {by} still refers to it"));
    flag.reason() + &also.unwrap_or_default()
}

/// Returns true if a condition that began at `since` is due at `now` for an agent that received its last report at
/// `told`: once, and once a week after that.
pub(crate) fn is_due(since: Timestamp, told: Option<Timestamp>, now: Timestamp) -> bool {
    let weeks = |at: Timestamp| at.days_since(since) / 7;
    told.is_none_or(|told| told < since || weeks(told) < weeks(now))
}

impl Work {
    /// Judges how far the item can still be relied on. `softened_by` is the id of a fresh item that refers to this one.
    pub fn judge(
        &self,
        now: Timestamp,
        policy: &WorkPolicy,
        softened_by: Option<&WorkId>,
    ) -> Verdict {
        let Some(flag) = self.flag(now, policy) else { return Verdict::fresh() };
        let reason = reason(flag, softened_by);
        let kind = match flag.overdue {
            Overdue::Expired => Ground::Evidence(SignalKind::Expired),
            Overdue::Unanswered | Overdue::Undecided => Ground::Unanswered,
            Overdue::OldObservation => Ground::Old,
            Overdue::Abandoned => Ground::Abandoned,
            Overdue::NoProgress | Overdue::NotBegun | Overdue::StillBlocked => Ground::Inactive,
        };
        let action = match self.kind {
            WorkKind::Plan => NextAction::Update,
            WorkKind::Handoff | WorkKind::Candidate => NextAction::Verify,
            _ => NextAction::Drop,
        };
        let freshness = freshness(policy, softened_by.is_some());
        Verdict {
            level: Level::of(freshness),
            freshness,
            signals: vec![Signal::new(kind, 1.0, round(1.0 - freshness), reason)],
            action,
        }
    }
}

/// Returns true if an open item is fresh enough to raise the freshness of the flagged items to which it refers.
/// Decisions and session notes are never overdue, so the age limit of observations applies to them.
fn keeps_alive(work: &Work, now: Timestamp, policy: &WorkPolicy) -> bool {
    let lasting = work.kind == WorkKind::Decision || work.note != NoteType::Observation;
    let recent = || now.days_since(work.updated_at) < i64::from(policy.observation_days);
    work.flag(now, policy).is_none() && (!lasting || recent())
}

/// Returns each id to which fresh, open work refers, with the smallest id of the items that refer to it.
pub(crate) fn referred<'a, P: Borrow<WorkPolicy>>(
    work: impl IntoIterator<Item = &'a Work>,
    now: Timestamp,
    policy: impl Fn(&Work) -> P,
) -> BTreeMap<&'a str, &'a WorkId> {
    let mut fresh: BTreeMap<&str, &WorkId> = BTreeMap::new();
    for each in work {
        if !each.refs.is_empty()
            && each.status.is_open()
            && keeps_alive(each, now, policy(each).borrow())
        {
            for id in &each.refs {
                let by = fresh.entry(id).or_insert(&each.key.id);
                *by = (*by).min(&each.key.id);
            }
        }
    }
    fresh
}

fn freshness(policy: &WorkPolicy, softened: bool) -> f64 {
    round(if softened { policy.freshness_softened } else { policy.freshness_flagged })
}

/// Returns the beginning of a text on one line, at most 80 characters. Does not read the rest of a long text.
pub(crate) fn beginning(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(4 * MAX_TEXT));
    // The position at which the line is truncated if it turns out to be too long.
    let (mut length, mut cut) = (0, 0);
    for word in text.split_whitespace() {
        let space = (length > 0).then_some(' ');
        for letter in space.into_iter().chain(word.chars()) {
            if length == MAX_TEXT {
                line.truncate(cut);
                line.push('…');
                return line;
            }
            line.push(letter);
            length += 1;
            if length == MAX_TEXT - 1 {
                cut = line.len();
            }
        }
    }
    line
}
