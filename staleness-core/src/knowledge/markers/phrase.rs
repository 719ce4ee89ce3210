//! Words of planning and of the present.

use super::MarkerSort;
use super::lists::{ARTICLES, LEADING, NOW_SO, ROUTINE, RUNNING};
use super::neighbours::{Place, is_one_of};

/// `planned`, `upcoming`, `TODO`, `will be`, `current`, `currently`, `now`, `latest`.
pub(super) fn word(place: &Place<'_>) -> Option<(usize, MarkerSort)> {
    let end = place.letters_end();
    if !place.ends(end) {
        return None;
    }
    let word = &place.text[place.at..end];
    let is = |other: &str| word.eq_ignore_ascii_case(other);
    let next = || place.word_after(end).map(|(_, next)| next);
    let plan = |end| Some((end, MarkerSort::Plan));
    let present = |fits: bool| fits.then_some((end, MarkerSort::Present));
    if matches!(word, "TODO" | "TBD") || is("planned") || is("upcoming") {
        plan(end)
    } else if is("will") {
        let (from, be) = place.word_after(end)?;
        let end = from + be.len();
        let routine = || match place.word_after(end) {
            Some((_, next)) => is_one_of(next, ROUTINE),
            None => true,
        };
        if be.eq_ignore_ascii_case("be") && place.ends(end) && !routine() {
            plan(end)
        } else {
            None
        }
    } else if is("currently") {
        present(!place.follows(ARTICLES))
    } else if is("current") {
        present(next().is_some_and(|next| !is_one_of(next, RUNNING) && !plural(next)))
    } else if is("latest") {
        let at_the = place
            .word_before(place.at)
            .and_then(|(from, the)| Some((the, place.word_before(from)?.1)))
            .is_some_and(|(the, at)| is_one_of(the, &["the"]) && is_one_of(at, &["at"]));
        let runs = |next: &str| is_one_of(next, RUNNING) || plural(next);
        present(!at_the && !next().is_some_and(runs))
    } else if is("now") {
        present(if word.starts_with('N') && place.begins_sentence() {
            next().is_some_and(|next| is_one_of(next, NOW_SO))
        } else {
            !place.follows(LEADING)
        })
    } else {
        None
    }
}

/// Whether a word is the plural of something that runs.
fn plural(word: &str) -> bool {
    let one = |end| word.strip_suffix(end).is_some_and(|one| is_one_of(one, RUNNING));
    one("s") || one("es")
}
