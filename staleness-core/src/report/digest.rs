//! A digest of what is there now, for an agent that meets the project for the first time.

use std::cmp::Reverse;

use super::delta::DeltaItem;
use crate::ids::AgentId;
use crate::work::{NoteType, Work, WorkKind, WorkStatus, beginning};

/// Items of a digest.
pub(crate) const DIGEST_ITEMS: usize = 12;
/// Handoffs among them.
pub(crate) const DIGEST_HANDOFFS: usize = 3;

/// A digest of the open work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// The items that an agent should know of first.
    pub items: Vec<DeltaItem>,
    /// The number of items left out.
    pub more: usize,
}

impl Digest {
    /// The open work that an agent should know of first, at most `DIGEST_ITEMS`.
    ///
    /// Handoffs come first, those to the agent before others, at most `DIGEST_HANDOFFS`; then what is
    /// in progress, what bites, what is blocked, to do, proposed, decided and observed; of each the
    /// latest.
    #[must_use]
    pub fn of<'a>(work: impl IntoIterator<Item = &'a Work>, agent: &AgentId) -> Self {
        let mut open: Vec<(u8, bool, &Work)> = work
            .into_iter()
            .filter_map(|work| {
                let to_other = work.kind == WorkKind::Handoff
                    && work.to.as_deref().is_some_and(|to| to != agent.as_str());
                Some((urgency(work)?, to_other, work))
            })
            .collect();
        open.sort_by_key(|(urgency, to_other, work)| {
            (*urgency, *to_other, Reverse(work.updated_at), &work.key)
        });
        let all = open.len();
        let mut handoffs = 0;
        open.retain(|(_, _, work)| {
            handoffs += usize::from(work.kind == WorkKind::Handoff);
            work.kind != WorkKind::Handoff || handoffs <= DIGEST_HANDOFFS
        });
        open.truncate(DIGEST_ITEMS);
        let more = all - open.len();
        let items = open
            .into_iter()
            .map(|(_, _, work)| DeltaItem {
                id: work.key.id.to_string(),
                kind: work.kind.as_str(),
                action: "there",
                from: None,
                to: Some(work.status.as_str().to_owned()),
                sender: work.from.clone().filter(|_| work.kind == WorkKind::Handoff),
                recipient: work.to.clone().filter(|_| work.kind == WorkKind::Handoff),
                text: beginning(&work.text),
                by_person: work.by_person,
                at: work.updated_at,
                own: work.author.as_deref() == Some(agent.as_str()),
            })
            .collect();
        Self { items, more }
    }
}

/// The place of a work item in a digest; `None` for what has ended and for marks of sessions.
const fn urgency(work: &Work) -> Option<u8> {
    Some(match (work.kind, work.status) {
        (WorkKind::Handoff, WorkStatus::Open) => 0,
        (WorkKind::Plan, WorkStatus::InProgress) => 1,
        (WorkKind::Trap | WorkKind::Constraint, WorkStatus::Active) => 2,
        (WorkKind::Plan, WorkStatus::Blocked) => 3,
        (WorkKind::Plan, WorkStatus::Todo) => 4,
        (WorkKind::Candidate, WorkStatus::Pending) => 5,
        (WorkKind::Decision, WorkStatus::Made) => 6,
        (WorkKind::Note, WorkStatus::Visible) if matches!(work.note, NoteType::Observation) => 7,
        _ => return None,
    })
}
