//! The text on handoffs that an agent may take.

use staleness::registry::Resume;
use staleness::report::DeltaItem;
use staleness::work::{WorkKind, WorkStatus};
use staleness_core::report::DeltaState;

use super::work::{named, quoting};
use crate::model_text::{ModelName, ModelText, NameKind, Word};

/// Returns true if an item is a handoff.
pub(super) fn is_handoff(item: &DeltaItem) -> bool {
    item.subject.work_kind() == Some(WorkKind::Handoff)
}

/// Returns true if an item is an open handoff of somebody else that names no agent.
pub(super) fn is_for_anyone(item: &DeltaItem, resume: &Resume) -> bool {
    is_handoff(item)
        && item.recipient.is_none()
        && item.to == Some(DeltaState::Work(WorkStatus::Open))
        && !item.own
        && item.sender.as_deref() != Some(resume.agent.as_str())
}

/// Returns handoffs that the agent that reads this may take, with their senders and the command that accepts one, which is
/// in the title of several.
pub(super) fn offers(
    title: &'static str,
    items: &[&DeltaItem],
    by: &ModelText,
) -> (ModelText, Vec<ModelText>) {
    let offer = |item: &&DeltaItem| {
        let handoff = named(&item.subject);
        let from = match item.sender.as_deref() {
            Some(sender) => handoff.and(" from ").and(ModelName::new(NameKind::Agent, sender)),
            None => handoff,
        };
        quoting(from, &item.text, item.by_person)
    };
    let accept =
        |text: ModelText, id: ModelText| text.and(id).and(" --status accepted").and(by).and("`)");
    let mut all: Vec<ModelText> = items.iter().map(offer).collect();
    match (items, &mut all[..]) {
        ([item], [text]) => {
            if let Some(id) = Word::new(item.subject.id()) {
                let one = text.clone().and(" (accept it: `staleness work set ");
                *text = accept(one, ModelText::default().and(id));
            }
            (title.into(), all)
        }
        _ => {
            let several = ModelText::from(title).and(" (accept one: `staleness work set ");
            (accept(several, "ID".into()), all)
        }
    }
}
