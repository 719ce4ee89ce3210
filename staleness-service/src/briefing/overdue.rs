//! The text on overdue work: what it is, why, and what settles it.

use staleness::registry::Resume;
use staleness::report::DeltaSubject;
use staleness::work::{Overdue, Warning, WorkKind};

use super::work::{named, quoting};
use crate::model_text::{ModelName, ModelText, NameKind, overdue};

/// The heading of overdue items where the long one leaves no room for any of them.
pub(super) const SHORT: &str = "Overdue (`staleness stale` tells what settles each)";

/// The heading of overdue items, which are told once and then weekly, and whether it is a long one: to settle a plan drops
/// it, though it may be done, and what has expired may hold for longer.
pub(super) fn overdue_title(by: &ModelText, warnings: &[&Warning]) -> (ModelText, bool) {
    let has_plan = warnings.iter().any(|each| each.kind == WorkKind::Plan);
    let has_expired = warnings.iter().any(|each| each.flag.overdue == Overdue::Expired);
    let mut title = ModelText::from("Overdue (");
    if has_plan {
        let done = "a plan that is done: `staleness work set ID --status done";
        title = title.and(done).and(by);
        title.push("`, that goes on: `staleness work touch ID`; ");
    }
    title.push(if has_plan { "settle, which drops a plan: " } else { "settle: " });
    title = title.and("`staleness stale resolve ID").and(by).and("`");
    if has_expired {
        title.push("; still valid: `staleness work set ID --expires +30d");
        title = title.and(by).and("`");
    }
    (title.and(")"), has_plan || has_expired)
}

/// Returns the item that a warning is about.
pub(super) fn subject(warning: &Warning) -> DeltaSubject {
    DeltaSubject::Work(warning.kind, warning.id.clone())
}

/// Names an overdue item, with the reason, and of a handoff to another whom it is for.
pub(super) fn warning(warning: &Warning, resume: &Resume, quoted: bool) -> ModelText {
    let reason = overdue(warning);
    let text = named(&subject(warning)).and(" (").and(reason).and(")");
    let text = match warning.to.as_deref().filter(|to| *to != resume.agent.as_str()) {
        Some(other) => text.and(" for ").and(ModelName::new(NameKind::Agent, other)),
        None => text,
    };
    quoting(text, &warning.text, quoted && warning.by_person)
}
