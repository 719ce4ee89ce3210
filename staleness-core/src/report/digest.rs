//! Digests: the current open work, for an agent that is new to a project.

use std::cmp::Reverse;

use super::delta::{DeltaItem, DeltaState, DeltaSubject};
use crate::ids::AgentId;
use crate::work::{NoteType, Work, WorkKind, WorkStatus, beginning};

pub(crate) const DIGEST_ITEMS: usize = 12;
/// The maximum number of handoffs among the items of a digest.
pub(crate) const DIGEST_HANDOFFS: usize = 3;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Digest {
    /// The items that an agent should know about first.
    pub items: Vec<DeltaItem>,
    /// The subjects of the omitted items.
    pub cut: Vec<DeltaSubject>,
}

impl Digest {
    /// Returns the open work that an agent should know about first, at most `DIGEST_ITEMS`.
    ///
    /// The order is: handoffs, at most `DIGEST_HANDOFFS`, those to the agent first; plans in progress; traps and
    /// constraints; blocked plans; plans to do; candidates; decisions; notes. Within each group, items typed by a
    /// person come first, and newer items before older ones.
    pub(crate) fn of<'a>(work: impl IntoIterator<Item = &'a Work>, agent: &AgentId) -> Self {
        let mut open: Vec<(u8, bool, &Work)> = work
            .into_iter()
            .filter_map(|work| {
                let to_other = work.kind == WorkKind::Handoff
                    && work.to.as_deref().is_some_and(|to| to != agent.as_str());
                Some((urgency(work)?, to_other, work))
            })
            .collect();
        open.sort_by_key(|(urgency, to_other, work)| {
            (*urgency, *to_other, !work.by_person, Reverse(work.updated_at), &work.key)
        });
        let (mut handoffs, mut digest) = (0, Self::default());
        for (_, _, work) in open {
            let is_handoff = work.kind == WorkKind::Handoff;
            handoffs += usize::from(is_handoff);
            if digest.items.len() == DIGEST_ITEMS || is_handoff && handoffs > DIGEST_HANDOFFS {
                digest.cut.push(DeltaSubject::Work(work.kind, work.key.clone()));
            } else {
                digest.items.push(DeltaItem::standing(work, agent));
            }
        }
        digest
    }
}

impl DeltaItem {
    /// Returns the entry for a work item as it is, without a change.
    pub fn standing(work: &Work, agent: &AgentId) -> Self {
        let is_handoff = work.kind == WorkKind::Handoff;
        Self {
            subject: DeltaSubject::Work(work.kind, work.key.clone()),
            action: None,
            last: None,
            from: None,
            to: Some(DeltaState::Work(work.status)),
            status: Some(work.status),
            by: None,
            actor: None,
            sender: work.from.clone().filter(|_| is_handoff),
            recipient: work.to.clone().filter(|_| is_handoff),
            text: beginning(&work.text),
            by_person: work.by_person,
            author: work.author.clone(),
            waits_for: None,
            freed: false,
            claim: work.claim.clone(),
            claim_end: None,
            at: work.updated_at,
            own: work.author.as_deref() == Some(agent.as_str()),
        }
    }
}

/// Returns the rank of a work item in a digest, 0 for the most urgent. `None` for items that have ended or that a
/// digest never contains.
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
