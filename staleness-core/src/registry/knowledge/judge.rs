//! The steps that verify, contradict, complete and reopen items.

use std::collections::BTreeSet;

use super::act::{Act, is_filed, state, touch};
use super::edit::same_place;
use crate::ids::ItemKey;
use crate::journal::Action;
use crate::knowledge::{Citation, Contradiction, Item, ItemKind, Lines};
use crate::store::{Decision, Draft, Refusal, Selection, Step, View};

/// A successful verification of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The verified item.
    pub key: ItemKey,
    /// The commit checked out at that time.
    pub commit: Option<String>,
    /// Its citations with the current digests. A missing source keeps its old digest, so it stays reported as
    /// missing. Citations that the item does not have are ignored, except for an item in a file, where the
    /// file decides.
    pub citations: BTreeSet<Citation>,
    /// The citations whose lines have moved, with their new lines. Lines stated in a file stay as they are.
    pub moved: Vec<(Citation, Lines)>,
}

/// Records that items are still valid.
#[derive(Debug)]
pub(super) struct VerifyItems {
    pub(super) verifications: Vec<Verification>,
    pub(super) act: Act,
}

impl VerifyItems {
    fn note(&self, item: &mut Item, seen: &Verification) {
        item.verified_at = Some(self.act.at);
        item.verified_commit.clone_from(&seen.commit);
        item.verifications = item.verifications.saturating_add(1);
        item.contradicted = None;
        // A missing source keeps its old digest, so that it is still known to have existed.
        let digest = |seen: &Citation| {
            let known = item.citations.iter().find(|known| same_place(seen, known));
            seen.digest.clone().or_else(|| known?.digest.clone())
        };
        let now = |seen: &Citation| Citation { digest: digest(seen), ..seen.clone() };
        let named = |known: &Citation| {
            let moved = seen.moved.iter().find(|(cited, _)| same_place(cited, known));
            Citation {
                lines: moved.map(|(_, lines)| *lines).or(known.lines),
                ..now(seen.citations.iter().find(|seen| same_place(seen, known)).unwrap_or(known))
            }
        };
        item.citations = if is_filed(item) {
            seen.citations.iter().map(now).collect()
        } else {
            item.citations.iter().map(named).collect()
        };
    }
}

impl Step for VerifyItems {
    fn selection(&self) -> Selection {
        self.act.selection(self.verifications.iter().map(|each| &each.key))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        self.act.once(view, |draft| {
            let mut noted = BTreeSet::new();
            for seen in self.verifications.iter().filter(|each| noted.insert(&each.key)) {
                self.act.row(draft, &seen.key)?;
                let from = draft.get::<Item>(&seen.key).map(state);
                draft.edit::<Item, _>(&seen.key, |item| self.note(item, seen));
                draft.get::<Item>(&seen.key).map_or(Ok(()), Item::check)?;
                self.act.tell(draft, &seen.key, Action::Verified, from, "by_hand");
            }
            Ok(())
        })
    }
}

/// Marks to-dos as done, or reopens them.
#[derive(Debug)]
pub(super) struct DoneItems {
    pub(super) keys: Vec<ItemKey>,
    pub(super) done: bool,
    pub(super) act: Act,
}

impl Step for DoneItems {
    fn selection(&self) -> Selection {
        self.act.selection(&self.keys)
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        self.act.once(view, |draft| {
            for key in &self.keys {
                self.act.row(draft, key)?;
                let Some(item) = draft.get::<Item>(key) else { continue };
                if item.kind != ItemKind::Todo {
                    return Err(Refusal::Conflict(format!(
                        "{:?} is of the kind {}; only a to-do can be done or reopened",
                        key.id.as_str(),
                        item.kind.as_str()
                    )));
                }
                if item.done_at.is_some() == self.done {
                    continue;
                }
                let from = state(item);
                let action = if self.done { Action::Done } else { Action::Reopened };
                draft.edit::<Item, _>(key, |item| {
                    item.done_at = self.done.then_some(self.act.at);
                    // A reopened to-do starts with a recall count of 0.
                    if !self.done {
                        touch(item, self.act.at);
                    }
                });
                self.act.tell(draft, key, action, Some(from), "by_hand");
            }
            Ok(())
        })
    }
}

/// Records a statement that an item is wrong. Earlier statements remain in the journal.
#[derive(Debug)]
pub(super) struct ContradictItem {
    pub(super) key: ItemKey,
    pub(super) by: String,
    pub(super) reason: String,
    pub(super) act: Act,
}

impl Step for ContradictItem {
    fn selection(&self) -> Selection {
        self.act.selection([&self.key])
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.act.at);
        if self.act.was_done(view) {
            return Ok(Decision::Write(draft.finish()));
        }
        self.act.row(&mut draft, &self.key)?;
        let said = |old: &Contradiction| (&old.by, &old.reason) == (&self.by, &self.reason);
        let Some(item) = draft.get::<Item>(&self.key) else {
            return Ok(Decision::Write(draft.finish()));
        };
        if item.contradicted.as_ref().is_some_and(said) {
            return Ok(Decision::Write(Draft::new(view, self.act.at).finish()));
        }
        let (from, by) = (state(item), self.by.clone());
        let said = Contradiction { by, reason: self.reason.clone(), at: self.act.at };
        draft.edit::<Item, _>(&self.key, |item| item.contradicted = Some(said));
        draft.get::<Item>(&self.key).map_or(Ok(()), Item::check)?;
        let act = Act { note: Some(self.reason.clone()), ..self.act.clone() };
        let cause = format!("contradicted by {}", self.by);
        act.tell(&mut draft, &self.key, Action::Contradicted, Some(from), cause);
        Ok(Decision::Write(draft.finish()))
    }
}
