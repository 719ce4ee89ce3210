//! Limits on the contents of work items.

use super::{Claim, Work, WorkStatus};
use crate::ids::IdError;
use crate::refusal::Refusal;

impl Work {
    /// Checks that a work item may be stored: no blank or oversized texts, valid names, and states of its kind.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`] or [`Refusal::Invalid`] with the reason.
    pub fn check(&self) -> Result<(), Refusal> {
        check_text("text", &self.text)?;
        Refusal::check_size("text", self.text.len(), Self::MAX_TEXT_BYTES)?;
        let kind = self.kind;
        let of_kind = |status: WorkStatus| {
            kind.state_named(status.as_str()).map(drop).map_err(Refusal::Invalid)
        };
        of_kind(self.status)?;
        if let Some(before) = self.before {
            of_kind(before)?;
            if self.status.is_open() || !before.is_open() {
                return Err(Refusal::Invalid(format!(
                    "a {kind} that is {} was not {before} before it ended",
                    self.status
                )));
            }
        }
        if self.claim.is_some() && !(self.status.is_open() && kind.is_task()) {
            return Err(Refusal::Invalid(format!("a {kind} that is {} has no claim", self.status)));
        }
        if self.claim.as_ref().is_some_and(|claim| claim.until <= claim.at) {
            return Err(Refusal::Invalid("the claim ends before it begins".into()));
        }
        let most = Claim::MAX_MILLIS;
        if self.claim.as_ref().is_some_and(|claim| claim.until.millis_since(claim.at) > most) {
            return Err(Refusal::Invalid("a claim lasts at most 30 days".into()));
        }
        for name in self.names() {
            IdError::check(name).map_err(|why| {
                let start: String = name.chars().take(80).collect();
                Refusal::Invalid(format!("the name {start:?} {why}"))
            })?;
        }
        self.steps.iter().try_for_each(|step| check_text("step", &step.text))?;
        let fields = self.names().map(|name| 8 + name.len()).sum::<usize>()
            + self.steps.iter().map(|step| 16 + step.text.len()).sum::<usize>();
        Refusal::check_size("list of steps, names and references", fields, Self::MAX_FIELDS_BYTES)
    }
}

impl Work {
    /// Returns the names of others in the item.
    fn names(&self) -> impl Iterator<Item = &String> {
        let parties = [&self.author, &self.from, &self.to].into_iter().flatten();
        parties.chain(&self.refs).chain(&self.after)
    }
}

fn check_text(what: &str, text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::Invalid(format!("the {what} is empty")));
    }
    if text.contains('\0') {
        return Err(Refusal::Invalid(format!("the {what} contains a NUL character")));
    }
    Ok(())
}
