//! Limits on the contents of work items.

use super::{Claim, Overdue, Warning, Work, WorkKind, WorkStatus};
use crate::ids::WorkKey;
use crate::refusal::{Invalid, Refusal};
use crate::time::Timestamp;

impl Work {
    /// Checks that a work item may be stored: no blank or oversized texts, valid names, and states of the item's kind.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`] or [`Refusal::Invalid`] with the reason.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.key.id.as_str().starts_with(WorkKey::GLOBAL) {
            return Err(Invalid::PrintedId { id: self.key.id.clone() }.into());
        }
        Invalid::check_text("text", &self.text)?;
        Refusal::check_size("text", self.text.len(), Self::MAX_TEXT_BYTES)?;
        let (kind, status) = (self.kind.as_str(), self.status.as_str());
        for state in [Some(self.status), self.before].into_iter().flatten() {
            if !self.kind.states().contains(&state) {
                let (status, states) = (state.as_str(), self.kind.listed_states());
                return Err(Invalid::NotOfKind { kind, status, states }.into());
            }
        }
        if let Some(before) = self.before.filter(|it| self.status.is_open() || !it.is_open()) {
            return Err(Invalid::StateBefore { kind, status, before: before.as_str() }.into());
        }
        match &self.claim {
            Some(_) if !(self.status.is_open() && self.kind.is_task()) => {
                return Err(Invalid::ClaimOf { kind, status }.into());
            }
            Some(claim) if claim.until <= claim.at => return Err(Invalid::ClaimOrder.into()),
            Some(claim) if claim.until.millis_since(claim.at) > Claim::MAX_MILLIS => {
                return Err(Invalid::ClaimTime.into());
            }
            _ => {}
        }
        self.names().try_for_each(|name| Invalid::check_name("name", name))?;
        self.steps.iter().try_for_each(|step| Invalid::check_text("step", &step.text))?;
        let fields = self.names().map(|name| 8 + name.len()).sum::<usize>()
            + self.steps.iter().map(|step| 16 + step.text.len()).sum::<usize>();
        Refusal::check_size("list of steps, names and references", fields, Self::MAX_FIELDS_BYTES)
    }
}

impl Work {
    /// Returns true if an agent may move the item to the state `to` or, if `to` is `None`, change its text. Agents
    /// carry out the plans and answer the handoffs that a person typed. Until these expire, only a person decides
    /// whether they, or a rule that a person typed, still apply.
    pub fn agents_may(&self, to: Option<WorkStatus>, at: Timestamp) -> bool {
        let is_lapsed = self.status.is_open() && self.expires_at.is_some_and(|end| end <= at);
        let ends_lapsed = |to: WorkStatus| is_lapsed && !to.is_open();
        let carries_on = |to: WorkStatus| self.kind.is_task() && to != WorkStatus::Dropped;
        !self.by_person || to.is_some_and(|to| ends_lapsed(to) || carries_on(to))
    }

    /// Returns the names of agents and people in the item, and the ids of other items.
    fn names(&self) -> impl Iterator<Item = &String> {
        let parties = [&self.author, &self.from, &self.to].into_iter().flatten();
        parties.chain(&self.refs).chain(&self.after)
    }
}

impl Warning {
    /// Returns true if only a person can settle the item: see [`Work::agents_may`].
    pub fn is_for_person(&self) -> bool {
        self.by_person && self.kind != WorkKind::Handoff && self.flag.overdue != Overdue::Expired
    }
}
