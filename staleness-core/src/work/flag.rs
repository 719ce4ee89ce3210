//! Which work item is overdue, and why.

use super::{NoteType, Work, WorkKind, WorkPolicy, WorkStatus};
use crate::time::Timestamp;

/// What an item is overdue for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Overdue {
    /// Somebody works on it, and nothing happened.
    NoProgress,
    /// It waits, and nothing happened.
    NotBegun,
    /// It is blocked, and nothing happened.
    StillBlocked,
    /// Its date of expiry has passed.
    Expired,
    /// Nobody took or closed it.
    Unanswered,
    /// Nobody accepted or rejected it.
    Undecided,
    /// It was observed long ago.
    OldObservation,
}

/// An overdue item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// What it is overdue for.
    pub overdue: Overdue,
    /// Whole days: since its last activity, its creation or its expiry, whichever the kind counts.
    pub age_days: i64,
}

impl Flag {
    /// A sentence of our own that says so.
    #[must_use]
    pub fn reason(self) -> String {
        let days = match self.age_days {
            1 => "1 day".to_owned(),
            days => format!("{days} days"),
        };
        match (self.overdue, self.age_days) {
            (Overdue::NoProgress, _) => format!("in progress, without activity for {days}"),
            (Overdue::NotBegun, _) => format!("to do, without activity for {days}"),
            (Overdue::StillBlocked, _) => format!("blocked, without activity for {days}"),
            (Overdue::Expired, 0) => "expired today".to_owned(),
            (Overdue::Expired, _) => format!("expired {days} ago"),
            (Overdue::Unanswered, _) => format!("open for {days}, neither accepted nor closed"),
            (Overdue::Undecided, _) => format!("pending for {days}, neither accepted nor rejected"),
            (Overdue::OldObservation, _) => {
                format!("observed {days} ago, without a date of expiry")
            }
        }
    }
}

/// Whether an item is overdue.
///
/// A threshold of N days fires when N whole days have elapsed. A date of expiry fires at once, and
/// where an observation has one its age does not matter. What has ended, a decision, and the notes
/// that mark a session are never flagged. An age in the future is 0.
#[must_use]
pub fn flag(work: &Work, now: Timestamp, policy: &WorkPolicy) -> Option<Flag> {
    let idle = || now.days_since(work.updated_at);
    let old = || now.days_since(work.created_at);
    let expired = || {
        let at = work.expires_at.filter(|at| now >= *at)?;
        Some(Flag { overdue: Overdue::Expired, age_days: now.days_since(at) })
    };
    let after = |days: u32, age_days: i64, overdue: Overdue| {
        (age_days >= i64::from(days)).then_some(Flag { overdue, age_days })
    };
    match (work.kind, work.status) {
        (WorkKind::Plan, WorkStatus::InProgress) => {
            after(policy.in_progress_days, idle(), Overdue::NoProgress)
        }
        (WorkKind::Plan, WorkStatus::Todo) => after(policy.waiting_days, idle(), Overdue::NotBegun),
        (WorkKind::Plan, WorkStatus::Blocked) => {
            after(policy.waiting_days, idle(), Overdue::StillBlocked)
        }
        (WorkKind::Trap | WorkKind::Constraint, WorkStatus::Active) => expired(),
        (WorkKind::Handoff, WorkStatus::Open) => {
            after(policy.handoff_days, old(), Overdue::Unanswered)
        }
        (WorkKind::Candidate, WorkStatus::Pending) => {
            let days = if work.generated {
                policy.generated_candidate_days
            } else {
                policy.candidate_days
            };
            after(days, old(), Overdue::Undecided)
        }
        (WorkKind::Note, WorkStatus::Visible) if work.note == NoteType::Observation => {
            match work.expires_at {
                Some(_) => expired(),
                None => after(policy.observation_days, idle(), Overdue::OldObservation),
            }
        }
        _ => None,
    }
}
