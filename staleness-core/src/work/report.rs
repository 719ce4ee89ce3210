//! Reports of overdue work.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{Flag, NoteType, Overdue, Work, WorkKind, WorkPolicy};
use crate::text::counted;
use crate::time::Timestamp;
use crate::verdict::{Ground, Level, NextAction, Signal, SignalKind, Verdict, round};

/// The maximum length of a text in a warning, in characters.
const MAX_TEXT: usize = 80;

/// A warning about one overdue item.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Warning {
    /// The id of the item.
    pub id: String,
    /// The kind of work.
    pub kind: WorkKind,
    /// The sender of a handoff.
    #[serde(skip)]
    pub from: Option<String>,
    /// The agent that should take over a handoff.
    #[serde(skip)]
    pub to: Option<String>,
    /// The level of its verdict.
    pub level: Level,
    /// The beginning of its text on one line, at most 80 characters.
    pub text: String,
    /// True if a person typed that text at this machine.
    #[serde(skip)]
    pub by_person: bool,
    /// Whole days that it is overdue by its kind's count: for expiries since then.
    pub age_days: i64,
    /// When it became overdue.
    #[serde(skip)]
    pub since: Timestamp,
    /// The reason why it is overdue.
    pub reason: String,
    /// A command that resolves it, ready to paste.
    pub suggested_action: String,
    /// A fresh item that still refers to it, which raises its freshness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub softened_by: Option<String>,
}

impl Warning {
    /// Returns true if the warning is due at `now` for an agent that was last told at `told`: once when the
    /// item becomes overdue, then once a week.
    pub(crate) fn is_due(&self, told: Option<Timestamp>, now: Timestamp) -> bool {
        is_due(self.since, told, now)
    }
}

/// Returns true if something that holds since `since` is to be reported at `now` to an agent that was last
/// told at `told`: once, then once a week.
pub(crate) fn is_due(since: Timestamp, told: Option<Timestamp>, now: Timestamp) -> bool {
    let weeks = |at: Timestamp| at.days_since(since) / 7;
    told.is_none_or(|told| told < since || weeks(told) < weeks(now))
}

/// The number of overdue items of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FlaggedCounts {
    /// Plans.
    pub plans: usize,
    /// Traps.
    pub traps: usize,
    /// Constraints.
    pub constraints: usize,
    /// Handoffs.
    pub handoffs: usize,
    /// Candidates.
    pub candidates: usize,
    /// Notes.
    pub notes: usize,
    /// The total.
    pub total: usize,
}

/// A report of all overdue items.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StaleReport {
    /// The warnings, by age, oldest first, then by kind and key.
    pub warnings: Vec<Warning>,
    /// The number of overdue items of each kind.
    pub counts: FlaggedCounts,
    /// The counts in one line, such as `3 plans, 1 expired trap`; `nothing overdue` if there are none.
    pub summary: String,
}

impl StaleReport {
    /// Reports the overdue items among `work`, which must be all items visible in one project. `policy`
    /// returns the thresholds for an item, `command` the command that resolves it.
    ///
    /// A flagged item is softened if an open item that is not flagged refers to it. Runs in linear time,
    /// except for sorting the warnings.
    #[must_use]
    pub fn of<'a, P: Borrow<WorkPolicy>>(
        work: impl IntoIterator<Item = &'a Work> + Clone,
        now: Timestamp,
        policy: impl Fn(&Work) -> P,
        command: impl Fn(&Work) -> String,
    ) -> Self {
        let fresh = referred(work.clone(), now, &policy);
        let mut flagged: Vec<(&Work, Flag)> = work
            .into_iter()
            .filter_map(|each| Some((each, each.flag(now, policy(each).borrow())?)))
            .collect();
        flagged.sort_unstable_by(|(a, fa), (b, fb)| {
            fb.age_days.cmp(&fa.age_days).then_with(|| (a.kind, &a.key).cmp(&(b.kind, &b.key)))
        });
        let mut report = Self::default();
        report.warnings.reserve_exact(flagged.len());
        let mut expired = BTreeMap::<WorkKind, usize>::new();
        for (work, flag) in flagged {
            report.counts.add(work.kind);
            *expired.entry(work.kind).or_default() += usize::from(flag.overdue == Overdue::Expired);
            let softened_by = fresh.get(work.key.id.as_str()).map(|by| (*by).to_owned());
            let rules = policy(work);
            let freshness = freshness(rules.borrow(), softened_by.is_some());
            report.warnings.push(Warning {
                level: Level::of(freshness),
                id: work.key.id.to_string(),
                kind: work.kind,
                from: work.from.clone(),
                to: work.to.clone(),
                text: beginning(&work.text),
                by_person: work.by_person,
                age_days: flag.age_days,
                since: work.overdue_at(rules.borrow()).map_or(now, |at| at.max(work.updated_at)),
                reason: match &softened_by {
                    Some(by) => format!("{}; {by} still refers to it", flag.reason()),
                    None => flag.reason(),
                },
                suggested_action: command(work),
                softened_by,
            });
        }
        report.summary = report.counts.summary(&expired);
        report
    }
}

impl Work {
    /// Judges how far the item can still be relied on. `softened_by` is the id of a fresh item that refers to it.
    #[must_use]
    pub fn judge(&self, now: Timestamp, policy: &WorkPolicy, softened_by: Option<&str>) -> Verdict {
        let Some(flag) = self.flag(now, policy) else { return Verdict::fresh() };
        let reason = match softened_by {
            Some(by) => format!("{}; {by} still refers to it", flag.reason()),
            None => flag.reason(),
        };
        let kind = match flag.overdue {
            Overdue::Expired => Ground::Evidence(SignalKind::Expired),
            Overdue::Unanswered | Overdue::Undecided => Ground::Unanswered,
            Overdue::OldObservation => Ground::Old,
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

/// Returns true if an open item is fresh enough to soften the flags of items that it refers to. Decisions and
/// session notes are never overdue, so for them the age limit of observations applies.
fn keeps_alive(work: &Work, now: Timestamp, policy: &WorkPolicy) -> bool {
    let lasting = work.kind == WorkKind::Decision || work.note != NoteType::Observation;
    let recent = || now.days_since(work.updated_at) < i64::from(policy.observation_days);
    work.flag(now, policy).is_none() && (!lasting || recent())
}

/// Returns each id that fresh, open work refers to, with the smallest id of the referring items.
pub(crate) fn referred<'a, P: Borrow<WorkPolicy>>(
    work: impl IntoIterator<Item = &'a Work>,
    now: Timestamp,
    policy: impl Fn(&Work) -> P,
) -> BTreeMap<&'a str, &'a str> {
    let mut fresh: BTreeMap<&str, &str> = BTreeMap::new();
    for each in work {
        if !each.refs.is_empty()
            && each.status.is_open()
            && keeps_alive(each, now, policy(each).borrow())
        {
            for id in &each.refs {
                let by = fresh.entry(id).or_insert(each.key.id.as_str());
                *by = (*by).min(each.key.id.as_str());
            }
        }
    }
    fresh
}

/// Returns the freshness of an overdue item.
fn freshness(policy: &WorkPolicy, softened: bool) -> f64 {
    round(if softened { policy.freshness_softened } else { policy.freshness_flagged })
}

impl FlaggedCounts {
    fn of(&mut self, kind: WorkKind) -> Option<&mut usize> {
        Some(match kind {
            WorkKind::Plan => &mut self.plans,
            WorkKind::Trap => &mut self.traps,
            WorkKind::Constraint => &mut self.constraints,
            WorkKind::Handoff => &mut self.handoffs,
            WorkKind::Candidate => &mut self.candidates,
            WorkKind::Note => &mut self.notes,
            WorkKind::Decision => return None,
        })
    }

    fn add(&mut self, kind: WorkKind) {
        if let Some(count) = self.of(kind) {
            *count += 1;
            self.total += 1;
        }
    }

    fn summary(mut self, expired: &BTreeMap<WorkKind, usize>) -> String {
        let mut parts = Vec::new();
        for kind in WorkKind::ALL {
            let Some(count) = self.of(kind).map(|count| *count).filter(|count| *count > 0) else {
                continue;
            };
            let all_expired = expired.get(&kind) == Some(&count);
            let word = if all_expired { "expired " } else { "" };
            parts.push(counted(count, &format!("{word}{kind}"), &format!("{word}{kind}s")));
        }
        if parts.is_empty() { "nothing overdue".into() } else { parts.join(", ") }
    }
}

/// Returns the beginning of a text on one line, at most 80 characters. Reads no more than that.
pub(crate) fn beginning(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(4 * MAX_TEXT));
    // `cut` is where the line is truncated if it turns out too long.
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
