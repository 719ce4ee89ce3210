//! Two rows of one item as one: nothing newer is overwritten by what is older.

use std::collections::BTreeSet;

use crate::knowledge::{Citation, Contradiction, Item, ItemKind};
use crate::registry::knowledge::same_place;
use crate::time::Timestamp;

/// Merges a row that is known with one that comes.
///
/// - The text and the other fields that a person edits are those of the row that was edited last; of
///   two that were edited at the same time those that are known.
/// - A verification goes with the text that was verified: the later one stays, where both speak of the
///   same text. The digests of citations come from it.
/// - What was said against it stays until somebody verified this text after that.
/// - It is done if the row says so that was edited last, or the other one since then.
/// - Of each counter the larger stays.
/// - Where one lives in a file and the other in the store, they are two texts under one id: the one
///   that is known stays, with the counters and what was said against either.
pub(super) fn merged(known: &Item, row: &Item) -> Item {
    if known.path.is_some() != row.path.is_some() {
        let mut all = known.clone();
        all.contradicted = contradicted(known, row, known.verified_at);
        count(&mut all, row);
        return all;
    }
    let (last, other) = if row.updated_at > known.updated_at { (row, known) } else { (known, row) };
    let same_text = (&last.body, last.kind, &last.path) == (&other.body, other.kind, &other.path);
    let verified = if same_text && other.verified_at > last.verified_at { other } else { last };
    let mut all = last.clone();
    all.verified_at = verified.verified_at;
    all.verified_commit.clone_from(&verified.verified_commit);
    if !std::ptr::eq(last, verified) {
        all.citations = citations(last, verified);
    }
    all.contradicted = contradicted(known, row, all.verified_at);
    let done_since = other.done_at.filter(|at| *at > last.updated_at);
    all.done_at = last.done_at.or(done_since.filter(|_| last.kind == ItemKind::Todo));
    count(&mut all, other);
    all
}

/// Returns the citations of the last row, with the digests of its verification.
fn citations(last: &Item, verified: &Item) -> BTreeSet<Citation> {
    // The row of an item that lives in a file cites nothing by itself: the file does.
    if last.path.is_some() {
        return verified.citations.clone();
    }
    let seen = |citation: &Citation| {
        let there = verified.citations.iter().find(|other| same_place(other, citation));
        there.unwrap_or(citation).clone()
    };
    last.citations.iter().map(seen).collect()
}

/// Returns the contradiction that stands. One that only rows with this verification hold was said after it, whatever
/// the clocks said.
fn contradicted(known: &Item, row: &Item, verified: Option<Timestamp>) -> Option<Contradiction> {
    let both = [known, row];
    let was_said_before = |said: &Contradiction| {
        both.iter()
            .any(|item| item.contradicted.as_ref() == Some(said) && item.verified_at != verified)
    };
    let stands = |said: &&Contradiction| {
        verified.is_none_or(|verified| verified <= said.at) || !was_said_before(said)
    };
    // The known one of two at the same time.
    let said = both.iter().filter_map(|item| item.contradicted.as_ref());
    said.rev().filter(stands).max_by_key(|said| said.at).cloned()
}

/// The larger of each counter.
fn count(all: &mut Item, other: &Item) {
    all.recalls = all.recalls.max(other.recalls);
    // A counter since the last edit is one of the same edit, or another one.
    if all.updated_at == other.updated_at {
        all.recalls_since_edit = all.recalls_since_edit.max(other.recalls_since_edit);
    }
    all.verifications = all.verifications.max(other.verifications);
    if other.recalled_at > all.recalled_at {
        all.recalled_at = other.recalled_at;
        all.recall_op.clone_from(&other.recall_op);
    }
}

/// An item without its counters: what somebody wrote or said.
pub(super) fn uncounted(item: &Item) -> Item {
    Item {
        recalls: 0,
        recalls_since_edit: 0,
        verifications: 0,
        recalled_at: None,
        recall_op: None,
        ..item.clone()
    }
}
