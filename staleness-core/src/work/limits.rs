//! What no work item may hold.

use super::{Work, WorkStatus};
use crate::ids::check_id;
use crate::refusal::Refusal;

/// The longest text of a work item, in bytes.
pub const MAX_WORK_TEXT_BYTES: usize = 1 << 20;

/// The most that its steps, names and references may hold together, in bytes.
pub const MAX_WORK_FIELDS_BYTES: usize = 512 << 10;

/// Refuses a work item that is too long or empty, names that nobody has, and a state of another kind.
///
/// # Errors
/// [`Refusal::Invalid`] with what is wrong.
pub fn check_work(work: &Work) -> Result<(), Refusal> {
    check_text("text", &work.text)?;
    if work.text.len() > MAX_WORK_TEXT_BYTES {
        return Err(Refusal::Invalid(format!(
            "the text is {} bytes long; at most {MAX_WORK_TEXT_BYTES} are kept",
            work.text.len()
        )));
    }
    let kind = work.kind;
    let of_kind =
        |status: WorkStatus| kind.state_named(status.as_str()).map(drop).map_err(Refusal::Invalid);
    of_kind(work.status)?;
    if let Some(before) = work.before {
        of_kind(before)?;
        if work.status.is_open() || !before.is_open() {
            return Err(Refusal::Invalid(format!(
                "a {kind} that is {} was not {before} before it ended",
                work.status
            )));
        }
    }
    for name in [&work.author, &work.from, &work.to].into_iter().flatten().chain(&work.refs) {
        check_id(name).map_err(|why| {
            let start: String = name.chars().take(80).collect();
            Refusal::Invalid(format!("the name {start:?} {why}"))
        })?;
    }
    work.steps.iter().try_for_each(|step| check_text("step", &step.text))?;
    let names = [&work.author, &work.from, &work.to].into_iter().flatten().chain(&work.refs);
    let fields = names.map(|name| 8 + name.len()).sum::<usize>()
        + work.steps.iter().map(|step| 16 + step.text.len()).sum::<usize>();
    if fields > MAX_WORK_FIELDS_BYTES {
        return Err(Refusal::Invalid(format!(
            "its steps, names and references take {fields} bytes; at most {MAX_WORK_FIELDS_BYTES} \
             are kept"
        )));
    }
    Ok(())
}

fn check_text(what: &str, text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::Invalid(format!("the {what} is empty")));
    }
    if text.contains('\0') {
        return Err(Refusal::Invalid(format!("the {what} holds a NUL: it is no text")));
    }
    Ok(())
}
