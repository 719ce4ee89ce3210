//! The text about handoffs that an agent may accept.

use staleness::registry::Resume;
use staleness::report::DeltaItem;
use staleness::work::{WorkKind, WorkStatus};

use super::claims::in_session;
use super::work::{named, quoting};
use crate::model_text::{ModelName, ModelText, NameKind, Word};

pub(super) fn is_handoff(item: &DeltaItem) -> bool {
    item.subject.work_kind() == Some(WorkKind::Handoff)
}

/// Returns true if an item is an open handoff from another agent, without a recipient and without a claim.
pub(super) fn is_for_anyone(item: &DeltaItem, resume: &Resume) -> bool {
    is_handoff(item)
        && item.recipient.is_none()
        && item.status == Some(WorkStatus::Open)
        && item.claim.is_none()
        && !item.own
        && item.sender.as_deref() != Some(resume.agent.as_str())
}

/// Returns handoffs that the requesting agent may take, with their senders and the command that claims one. If there
/// are several, the command is in the title. A handoff that waits for another item names that item instead. Handoffs
/// are claimed rather than accepted, because one accepted at once would be lost if its session ended.
pub(super) fn offers(
    title: &'static str,
    items: &[&DeltaItem],
    resume: &Resume,
    by: &ModelText,
) -> (ModelText, Vec<ModelText>) {
    let offer = |item: &&DeltaItem| {
        let handoff = named(&item.subject);
        let from = match item.sender.as_deref() {
            Some(sender) => handoff.and(" from ").and(ModelName::new(NameKind::Agent, sender)),
            None => handoff,
        };
        let from = match &item.waits_for {
            Some(id) => {
                from.and(" (waits for ").and(ModelName::new(NameKind::Work, id.as_str())).and(")")
            }
            None => from,
        };
        quoting(from, &item.text, item.by_person)
    };
    let take = |text: ModelText, id: &ModelText| {
        in_session(text.and(": `staleness work claim ").and(id).and(by), resume).and(")")
    };
    let mut all: Vec<ModelText> = items.iter().map(offer).collect();
    match (items, &mut all[..]) {
        _ if items.iter().all(|item| item.waits_for.is_some()) => (title.into(), all),
        ([item], [text]) => {
            if let Some(id) = Word::new(item.subject.id()) {
                let is_global = item.subject.name() != item.subject.id();
                let scope = if is_global { " --scope global" } else { "" };
                *text =
                    take(text.clone().and(" (take it"), &ModelText::default().and(id).and(scope));
            }
            (title.into(), all)
        }
        _ => (take(ModelText::from(title).and(" (take one"), &"ID".into()), all),
    }
}
