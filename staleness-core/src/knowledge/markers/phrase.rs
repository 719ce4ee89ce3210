//! Words for plans and for the present.

use super::MarkerSort;
use super::lists::{
    ARTICLES, LEADING, NOW_SO, ONE_DAY, RELEASES, ROUTINE, RUNNING, TO_COME, WE_NOW,
};
use super::neighbours::{Place, is_one_of};

/// Matches `planned`, `upcoming`, `TODO`, `will be`, `current`, `currently`, `now`, `latest`.
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
            Some((from, next)) => is_one_of(next, ROUTINE) && !is_to_come(place, from, next),
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
            .is_some_and(|(the, at)| is_one_of(the, "the") && is_one_of(at, "at"));
        let runs = |next: &str| is_one_of(next, RUNNING) || plural(next);
        present(!at_the && !next().is_some_and(runs))
    } else if is("now") {
        present(if word.starts_with('N') && place.begins_sentence() {
            next().is_some_and(|next| is_one_of(next, NOW_SO))
        } else {
            let is_ours = || next().is_some_and(|next| is_one_of(next, WE_NOW));
            !place.follows(LEADING) || place.follows("we") && is_ours()
        })
    } else {
        None
    }
}

/// Returns true if a word of [`ROUTINE`] describes a plan in this place: `will be removed in the next release`,
/// `support for it will be added.`
fn is_to_come(place: &Place<'_>, from: usize, word: &str) -> bool {
    let (is_added, end) = (is_one_of(word, "added"), from + word.len());
    if !is_added && !is_one_of(word, "removed") {
        return false;
    }
    let Some((at, next)) = place.word_after(end) else {
        // At the end of a sentence, `will be removed` usually describes the action of a program.
        return is_added && place.byte(end) == b'.' && place.byte(end + 1).is_ascii_whitespace();
    };
    if !is_one_of(next, "in") {
        let ends = || !place.byte(at + next.len()).is_ascii_whitespace();
        return is_one_of(next, ONE_DAY) || is_one_of(next, "later") && ends();
    }
    let mut when = place.word_after(at + next.len());
    if let Some((at, article)) = when.filter(|(_, word)| is_one_of(word, "a an the")) {
        when = place.word_after(at + article.len());
    }
    when.is_some_and(|(at, when)| {
        let behind = || place.word_after(at + when.len()).map(|(_, word)| word);
        let release = || behind().is_some_and(|word| is_one_of(word, RELEASES));
        let number = || behind().is_some_and(starts_with_digit);
        is_one_of(when, "future")
            || is_one_of(when, TO_COME) && release()
            || is_one_of(when, RELEASES) && number()
            || is_release(place, at, when)
    })
}

fn starts_with_digit(word: &str) -> bool {
    word.trim_start_matches(['v', 'V']).starts_with(|c: char| c.is_ascii_digit())
}

/// Returns true if a word is a release number, the beginning of one, or a year: `v2`, `2.0`, `2027`.
fn is_release(place: &Place<'_>, at: usize, word: &str) -> bool {
    let end = at + word.len();
    let goes_on = place.byte(end) == b'.' && place.byte(end + 1).is_ascii_digit();
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    starts_with_digit(word) && (word.starts_with(['v', 'V']) || goes_on || is_year)
}

/// Returns true if a word is the plural of a word in [`RUNNING`].
fn plural(word: &str) -> bool {
    let one = |end| word.strip_suffix(end).is_some_and(|one| is_one_of(one, RUNNING));
    one("s") || one("es")
}
