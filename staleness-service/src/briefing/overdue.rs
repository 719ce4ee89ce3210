//! The text about overdue work: the items, the reasons, and the commands that resolve them.

use staleness::registry::Resume;
use staleness::report::DeltaSubject;
use staleness::work::{Overdue, Warning, WorkKind};

use super::work::{named, quoting};
use crate::model_text::{ModelName, ModelText, NameKind, overdue};

/// The heading of overdue items to use if the long heading leaves no room for any item.
pub(super) const SHORT: &str = "Overdue (`staleness stale` shows how to settle each)";

/// Returns the heading of overdue items, and true if it is a long one. Items are reported once and then weekly. A long
/// heading explains that resolving a plan drops it even if it is done, that the user should be asked about items they
/// typed, and that an expired item may be extended.
pub(super) fn overdue_title(by: &ModelText, warnings: &[&Warning]) -> (ModelText, bool) {
    let has_plan = warnings.iter().any(|each| each.kind == WorkKind::Plan);
    let expires = |each: &Warning| each.flag.overdue == Overdue::Expired;
    let has_theirs =
        warnings.iter().any(|each| each.is_for_person() || each.by_person && expires(each));
    let has_expired = warnings.iter().any(|each| !each.by_person && expires(each));
    let mut title = ModelText::from("Overdue (");
    if has_plan {
        let done = "a plan that is done: `staleness work set ID --status done";
        title = title.and(done).and(by);
        title.push("`; if it continues: `staleness work touch ID`; ");
    }
    if warnings.iter().all(|each| each.is_for_person()) {
        title.push(if has_plan { "else ask the user)" } else { "ask the user)" });
        return (title, has_plan);
    }
    title.push(if has_plan { "settle, which drops a plan" } else { "settle" });
    title.push(if has_theirs { " (ask the user about theirs): " } else { ": " });
    title = title.and("`staleness stale resolve ID").and(by).and("`");
    if has_expired {
        title.push("; still valid: `staleness work set ID --expires +30d");
        title = title.and(by).and("`");
    }
    (title.and(")"), has_plan || has_theirs || has_expired)
}

pub(super) fn subject(warning: &Warning) -> DeltaSubject {
    DeltaSubject::Work(warning.kind, warning.key.clone())
}

/// Describes an overdue item with the reason and, for a handoff to another agent, the recipient.
pub(super) fn warning(warning: &Warning, resume: &Resume, quoted: bool) -> ModelText {
    let reason = overdue(warning);
    let text = named(&subject(warning)).and(" (").and(reason).and(")");
    let text = match warning.to.as_deref().filter(|to| *to != resume.agent.as_str()) {
        Some(other) => text.and(" for ").and(ModelName::new(NameKind::Agent, other)),
        None => text,
    };
    quoting(text, &warning.text, quoted && warning.by_person)
}
