//! Merges two rows of one item. Older data never overwrites newer data.

use std::collections::BTreeSet;

use crate::knowledge::{Citation, Contradiction, Item, ItemKind};
use crate::registry::knowledge::same_place;
use crate::time::Timestamp;

/// Merges a known row with an incoming one.
///
/// - The text and other editable fields come from the row that was edited last. If both were edited at the same time,
///   they come from the known row.
/// - A verification belongs to the verified text. If both rows have the same text, the later verification wins, with
///   its digests of citations.
/// - A contradiction stays unless the text was verified after it.
/// - The item is done if the row edited last says so, or if the other row was marked as done after that edit.
/// - The larger value of each counter wins.
/// - If one row is of a file and the other is not, they are different texts with the same id. The known row stays, with
///   the merged counters and contradictions.
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

/// Returns the citations of the row that was edited last, with the digests of the later verification.
fn citations(last: &Item, verified: &Item) -> BTreeSet<Citation> {
    // A file holds the citations of its items; their rows hold only verified digests.
    if last.path.is_some() {
        return verified.citations.clone();
    }
    let seen = |citation: &Citation| {
        let there = verified.citations.iter().find(|other| same_place(other, citation));
        there.unwrap_or(citation).clone()
    };
    last.citations.iter().map(seen).collect()
}

/// Returns the contradiction that still applies. One that occurs only in rows with this verification was made after the
/// verification, whatever the clocks say.
fn contradicted(known: &Item, row: &Item, verified: Option<Timestamp>) -> Option<Contradiction> {
    let both = [known, row];
    let was_said_before = |said: &Contradiction| {
        both.iter()
            .any(|item| item.contradicted.as_ref() == Some(said) && item.verified_at != verified)
    };
    let stands = |said: &&Contradiction| {
        verified.is_none_or(|verified| verified <= said.at) || !was_said_before(said)
    };
    // Of two contradictions with the same time, the known row's wins.
    let said = both.iter().filter_map(|item| item.contradicted.as_ref());
    said.rev().filter(stands).max_by_key(|said| said.at).cloned()
}

fn count(all: &mut Item, other: &Item) {
    all.recalls = all.recalls.max(other.recalls);
    // Counters since the last edit are comparable only for the same edit.
    if all.updated_at == other.updated_at {
        all.recalls_since_edit = all.recalls_since_edit.max(other.recalls_since_edit);
    }
    all.verifications = all.verifications.max(other.verifications);
    if other.recalled_at > all.recalled_at {
        all.recalled_at = other.recalled_at;
        all.recall_op.clone_from(&other.recall_op);
    }
}

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
