//! The steps that verify, contradict, complete and reopen items.

use std::collections::BTreeSet;

use super::act::{Act, is_filed, lock, state, touch};
use super::edit::same_place;
use crate::ids::ItemKey;
use crate::journal::{Action, Subject};
use crate::knowledge::{Citation, Contradiction, Item, Lines};
use crate::store::{Conflict, Draft, JournalFilter, Refusal, Step};
use crate::time::Timestamp;
use crate::work::beginning;

/// A successful verification of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The verified item.
    pub key: ItemKey,
    /// The commit that was checked out at the time of the verification.
    pub commit: Option<String>,
    /// The item's citations with the current digests. A citation of a missing source keeps its old digest, so that it
    /// stays reported as missing. Citations that the item does not have are ignored, unless the item is in a file: then
    /// these citations replace those of the row.
    pub citations: BTreeSet<Citation>,
    /// The citations whose lines have moved, with their new lines. Line numbers written in a file are not updated.
    pub moved: Vec<(Citation, Lines)>,
}

/// The number of an item's journal entries to search for the author of a contradiction.
const ENTRIES: u32 = 100;

/// Records that items are still valid.
pub(super) fn verify(verifications: Vec<Verification>, act: Act) -> impl Step {
    let keys = || verifications.iter().map(|each| &each.key);
    let selection = keys().fold(lock(keys()), |all, key| all.journal(history(key)));
    act.step(selection, move |draft, act| {
        let mut noted = BTreeSet::new();
        for seen in verifications.iter().filter(|each| noted.insert(&each.key)) {
            act.row(draft, &seen.key)?;
            may_lift(draft, &seen.key, act)?;
            let from = draft.get::<Item>(&seen.key).map(state);
            draft.edit::<Item, _>(&seen.key, |item| note(item, seen, act.at));
            draft.get::<Item>(&seen.key).map_or(Ok(()), Item::check)?;
            act.tell(draft, &seen.key, Action::Verified, from, "by_hand");
        }
        Ok(())
    })
}

fn history(key: &ItemKey) -> JournalFilter {
    JournalFilter::Subject { subject: Subject::item(key), limit: ENTRIES }
}

/// Refuses an agent that would withdraw a person's statement about an item.
fn may_lift(draft: &Draft<'_>, key: &ItemKey, act: &Act) -> Result<(), Refusal> {
    let Some(said) = said_by_person(draft, key, act) else { return Ok(()) };
    let (by, reason) = (said.by.clone(), beginning(&said.reason));
    Err(Conflict::Contradicted { id: key.id.clone(), by, at: said.at, reason }.into())
}

/// Returns the person's statement about an item on which an agent acts. `None` if a person acts or there is no such
/// statement. A statement whose journal entry was pruned counts as a person's.
fn said_by_person<'d>(draft: &'d Draft<'_>, key: &ItemKey, act: &Act) -> Option<&'d Contradiction> {
    let said = draft.get::<Item>(key)?.contradicted.as_ref()?;
    let agent = act.actor.as_ref()?;
    let by_agent = draft.view().agent_of(&Subject::item(key), Action::Contradicted, said.at);
    (said.by != agent.as_str() && by_agent.is_none()).then_some(said)
}

fn note(item: &mut Item, seen: &Verification, at: Timestamp) {
    item.verified_at = Some(at);
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

/// Restores an item to its state before a change, if it is still as the change left it.
pub(super) fn restore(left: Item, before: Option<Item>, act: Act) -> impl Step {
    act.step(lock([&left.key]), move |draft, act| {
        let key = &left.key;
        if draft.get::<Item>(key) != Some(&left) {
            return Err(Conflict::Changed { id: key.id.to_string() }.into());
        }
        match &before {
            Some(before) => draft.put(before.clone()),
            None => draft.delete::<Item>(key),
        }
        act.tell(draft, key, Action::Restored, Some(state(&left)), "by_hand");
        Ok(())
    })
}

/// Marks to-dos and expired items as done, or reopens them.
pub(super) fn set_done(keys: Vec<ItemKey>, done: bool, act: Act) -> impl Step {
    act.step(lock(&keys), move |draft, act| {
        for key in &keys {
            act.row(draft, key)?;
            let Some(item) = draft.get::<Item>(key) else { continue };
            if !item.may_be_done(act.at) {
                let kind = item.kind.as_str();
                return Err(Conflict::NotToDo { id: key.id.clone(), kind }.into());
            }
            if item.is_done() == done {
                continue;
            }
            let from = state(item);
            let action = if done { Action::Done } else { Action::Reopened };
            draft.edit::<Item, _>(key, |item| {
                item.done_at = done.then_some(act.at);
                // The recall count of a reopened to-do starts again at 0.
                if !done {
                    touch(item, act.at);
                }
            });
            act.tell(draft, key, action, Some(from), "by_hand");
        }
        Ok(())
    })
}

/// Records a statement that an item is wrong. Earlier statements remain in the journal. An agent's statement does
/// not replace a person's.
pub(super) fn contradict(key: ItemKey, by: String, reason: String, act: Act) -> impl Step {
    let act = Act { note: Some(reason.clone()), ..act };
    act.step(lock([&key]).journal(history(&key)), move |draft, act| {
        let known = draft.get::<Item>(&key).and_then(|item| item.contradicted.as_ref());
        if known.is_some_and(|known| (&known.by, &known.reason) == (&by, &reason)) {
            return Ok(());
        }
        act.row(draft, &key)?;
        let from = draft.get::<Item>(&key).map(state);
        let kept = said_by_person(draft, &key, act).cloned();
        let said = Contradiction { by: by.clone(), reason: reason.clone(), at: act.at };
        draft.edit::<Item, _>(&key, |item| item.contradicted = Some(said));
        draft.get::<Item>(&key).map_or(Ok(()), Item::check)?;
        if kept.is_some() {
            draft.edit::<Item, _>(&key, |item| item.contradicted = kept);
        }
        act.tell(draft, &key, Action::Contradicted, from, format!("contradicted by {by}"));
        Ok(())
    })
}
