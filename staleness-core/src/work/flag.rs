//! Overdue work items, and the reasons.

use super::{NoteType, Work, WorkKind, WorkPolicy, WorkStatus};
use crate::text::{days, wording};
use crate::time::Timestamp;

/// A reason for which an item is overdue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overdue {
    /// It is in progress, and nothing happened.
    NoProgress,
    /// It waits, and nothing happened.
    NotBegun,
    /// It is blocked, and nothing happened.
    StillBlocked,
    /// Its date of expiry has passed.
    Expired,
    /// It was neither accepted nor closed.
    Unanswered,
    /// It was neither accepted nor rejected.
    Undecided,
    /// It was observed long ago.
    OldObservation,
}

/// An overdue item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The reason for which it is overdue.
    pub overdue: Overdue,
    /// Whole days: since its last activity, its creation or its expiry, whichever the kind counts.
    pub age_days: i64,
}

impl Flag {
    /// A sentence of our own that says so.
    #[must_use]
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
                format!("observed {days} ago, without a date of expiry")
            }
        }
    }
}

/// In which way an item ages: which of its times counts, and which threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aging {
    /// Work in progress, since its last activity.
    InProgress,
    /// Work that waits or is blocked, since its last activity.
    Waiting,
    /// An item with a date of expiry, from then on.
    Expiring,
    /// A handoff without an answer, since it was written.
    Unanswered,
    /// A person's proposal without an answer, since it was written.
    Proposed,
    /// A program's proposal without an answer, since it was written.
    Generated,
    /// An observation without a date of expiry, since its last activity.
    Observed,
}

wording! { Aging {
    InProgress = "in_progress", Waiting = "waiting", Expiring = "expiring",
    Unanswered = "unanswered", Proposed = "proposed", Generated = "generated",
    Observed = "observed",
} }

impl Aging {
    /// The kind of what ages in this way; `None` for what expires, whatever it is.
    pub(crate) const fn kind(self) -> Option<WorkKind> {
        match self {
            Self::InProgress | Self::Waiting => Some(WorkKind::Plan),
            Self::Expiring => None,
            Self::Unanswered => Some(WorkKind::Handoff),
            Self::Proposed | Self::Generated => Some(WorkKind::Candidate),
            Self::Observed => Some(WorkKind::Note),
        }
    }
}

impl Work {
    /// In which way it ages, and since when. What has ended, a decision, the notes that mark a session,
    /// and what would only age by a date that it does not have, never do.
    ///
    /// Stores index it: see `store::WorkFilter::Aging`. A change of this table is a new format
    /// for them.
    #[must_use]
    pub fn aging(&self) -> Option<(Aging, Timestamp)> {
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

    /// Returns when the item became, or becomes, overdue.
    pub(crate) fn overdue_at(&self, policy: &WorkPolicy) -> Option<Timestamp> {
        let (aging, since) = self.aging()?;
        let days = i64::from(policy.days(aging).unwrap_or(0));
        Some(since.plus_millis(days * Timestamp::DAY))
    }

    /// Says what the item is overdue for, if it is.
    ///
    /// A threshold of N days fires when N whole days have elapsed. A date of expiry fires at once, and
    /// where an observation has one its age does not matter. What has ended, a decision, and the notes
    /// that mark a session are never flagged. An age in the future is 0.
    #[must_use]
    pub fn flag(&self, now: Timestamp, policy: &WorkPolicy) -> Option<Flag> {
        let (aging, since) = self.aging()?;
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
        };
        fires.then_some(Flag { overdue, age_days })
    }
}
