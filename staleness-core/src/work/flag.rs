//! Flags overdue work items, with the reasons.

use serde::Serialize;

use super::{NoteType, Work, WorkKind, WorkPolicy, WorkStatus};
use crate::text::{days, wording};
use crate::time::Timestamp;

/// The reason why an item is overdue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overdue {
    /// In progress, without activity.
    NoProgress,
    /// To do, without activity.
    NotBegun,
    /// Blocked, without activity.
    StillBlocked,
    /// The expiry date has passed.
    Expired,
    /// A handoff that was neither accepted nor closed.
    Unanswered,
    /// A candidate that was neither accepted nor rejected.
    Undecided,
    /// An old observation without an expiry date.
    OldObservation,
    /// The claim on the item has expired.
    Abandoned,
}

/// A flag on an overdue item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Flag {
    /// The reason why the item is overdue.
    #[serde(skip)]
    pub overdue: Overdue,
    /// The number of whole days since the last activity, the creation or the expiry, depending on the kind: see
    /// [`Work::aging`].
    pub age_days: i64,
}

impl Flag {
    /// Returns the reason in words.
    pub fn reason(self) -> String {
        let days = days(self.age_days);
        match (self.overdue, self.age_days) {
            (Overdue::NoProgress, _) => format!("in progress, without activity for {days}"),
            (Overdue::NotBegun, _) => format!("to do, without activity for {days}"),
            (Overdue::StillBlocked, _) => format!("blocked, without activity for {days}"),
            (Overdue::Expired, 0) => "expired within the last day".to_owned(),
            (Overdue::Expired, _) => format!("expired {days} ago"),
            (Overdue::Unanswered, _) => format!("open for {days}, neither accepted nor closed"),
            (Overdue::Undecided, _) => format!("pending for {days}, neither accepted nor rejected"),
            (Overdue::OldObservation, _) => {
                format!("observed {days} ago, without an expiry date")
            }
            (Overdue::Abandoned, 0) => "abandoned within the last day".to_owned(),
            (Overdue::Abandoned, _) => format!("abandoned {days} ago"),
        }
    }
}

/// The way in which an item ages. It decides which time and which threshold apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aging {
    /// A plan in progress, since its last activity.
    InProgress,
    /// A plan that is to do or blocked, since its last activity.
    Waiting,
    /// An item with an expiry date, since that date.
    Expiring,
    /// An unanswered handoff, since it was written.
    Unanswered,
    /// An unanswered candidate by a person, since it was written.
    Proposed,
    /// An unanswered candidate by a program, since it was written.
    Generated,
    /// An observation without an expiry date, since its last activity.
    Observed,
    /// A claimed item, since the end of the claim. It does not age in any other way.
    Claimed,
}

wording! { Aging {
    InProgress = "in_progress", Waiting = "waiting", Expiring = "expiring",
    Unanswered = "unanswered", Proposed = "proposed", Generated = "generated",
    Observed = "observed", Claimed = "claimed",
} }

impl Aging {
    /// Returns the kind of work that ages in this way. `None` if several kinds do.
    pub(crate) const fn kind(self) -> Option<WorkKind> {
        match self {
            Self::InProgress | Self::Waiting => Some(WorkKind::Plan),
            Self::Expiring | Self::Claimed => None,
            Self::Unanswered => Some(WorkKind::Handoff),
            Self::Proposed | Self::Generated => Some(WorkKind::Candidate),
            Self::Observed => Some(WorkKind::Note),
        }
    }
}

impl Work {
    /// Returns the way in which the item ages, and the time since which it does. `None` for ended items, decisions,
    /// session notes, and traps and constraints without an expiry date.
    ///
    /// Stores index the result: see `store::WorkFilter::Aging`. Changing this table requires a new store format.
    pub fn aging(&self) -> Option<(Aging, Timestamp)> {
        if let Some(claim) = self.claim.as_ref().filter(|_| self.status.is_open()) {
            return Some((Aging::Claimed, claim.until));
        }
        Some(match (self.kind, self.status) {
            (WorkKind::Plan, WorkStatus::InProgress) => (Aging::InProgress, self.updated_at),
            (WorkKind::Plan, WorkStatus::Todo | WorkStatus::Blocked) => {
                (Aging::Waiting, self.updated_at)
            }
            (WorkKind::Trap | WorkKind::Constraint, WorkStatus::Active) => {
                (Aging::Expiring, self.expires_at?)
            }
            (WorkKind::Handoff, WorkStatus::Open) => (Aging::Unanswered, self.created_at),
            (WorkKind::Candidate, WorkStatus::Pending) if self.generated => {
                (Aging::Generated, self.created_at)
            }
            (WorkKind::Candidate, WorkStatus::Pending) => (Aging::Proposed, self.created_at),
            (WorkKind::Note, WorkStatus::Visible) if self.note == NoteType::Observation => {
                match self.expires_at {
                    Some(at) => (Aging::Expiring, at),
                    None => (Aging::Observed, self.updated_at),
                }
            }
            _ => return None,
        })
    }

    /// Returns the time, past or future, at which the item becomes overdue. `None` if it never does.
    pub(crate) fn overdue_at(&self, policy: &WorkPolicy) -> Option<Timestamp> {
        let (aging, since) = self.aging()?;
        let days = i64::from(policy.days(aging).unwrap_or(0));
        let at = since.plus_millis(days * Timestamp::DAY);
        Some(match (aging, self.expires_at) {
            (Aging::Unanswered, Some(end)) => at.min(end),
            (Aging::Waiting, Some(end)) if self.status == WorkStatus::Blocked => at.max(end),
            _ => at,
        })
    }

    /// Returns true if the item is an open handoff that nobody has claimed and whose expiry date has passed.
    pub fn is_expired_handoff(&self, now: Timestamp) -> bool {
        let is_open = self.aging().is_some_and(|(aging, _)| aging == Aging::Unanswered);
        is_open && self.expires_at.is_some_and(|at| now >= at)
    }

    /// Returns the flag if the item is overdue.
    ///
    /// A threshold of N days is reached when N whole days have elapsed. An expiry date takes effect at once. An
    /// observation with an expiry date does not age in any other way, and a blocked plan with one is not flagged before
    /// it. Ended items, decisions and session notes are never flagged. A time in the future counts as an age of 0.
    pub fn flag(&self, now: Timestamp, policy: &WorkPolicy) -> Option<Flag> {
        let (mut aging, mut since) = self.aging()?;
        if let Some(at) = self.expires_at.filter(|_| self.is_expired_handoff(now)) {
            (aging, since) = (Aging::Expiring, at);
        }
        let age_days = now.days_since(since);
        let fires = match policy.days(aging) {
            Some(days) => age_days >= i64::from(days),
            None => now >= since,
        };
        let overdue = match aging {
            Aging::InProgress => Overdue::NoProgress,
            Aging::Waiting if self.status == WorkStatus::Blocked => Overdue::StillBlocked,
            Aging::Waiting => Overdue::NotBegun,
            Aging::Expiring => Overdue::Expired,
            Aging::Unanswered => Overdue::Unanswered,
            Aging::Proposed | Aging::Generated => Overdue::Undecided,
            Aging::Observed => Overdue::OldObservation,
            Aging::Claimed => Overdue::Abandoned,
        };
        let is_deferred =
            overdue == Overdue::StillBlocked && self.expires_at.is_some_and(|until| now < until);
        (fires && !is_deferred).then_some(Flag { overdue, age_days })
    }
}
