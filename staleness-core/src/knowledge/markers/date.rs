//! Dates: days, months, quarters and years.

use super::lists::{
    AFTER_YEAR, BEFORE_MONTH, BEFORE_QUARTER, BEFORE_WORDLIKE_MONTH, BEFORE_YEAR,
    BEFORE_YEAR_OR_NUMBER, NO_YEAR_NOUNS, NOTHING_ELSE,
};
use super::neighbours::{Place, is_one_of};

const FULL: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Matches the name of a month next to a day, a year or a word that shows a date: `March 2024`, `12 March`, `Dec 5,
/// 2024`, `in May`. Does not match `may`, `march` or `May I`.
pub(super) fn month(place: &Place<'_>) -> Option<usize> {
    // A quick check, because most words begin with a small letter.
    if !place.byte(place.at).is_ascii_uppercase() {
        return None;
    }
    let end = place.letters_end();
    let name = &place.text[place.at..end];
    let full = FULL.contains(&name);
    let short = name == "Sept" || FULL.iter().any(|full| name.len() == 3 && full.starts_with(name));
    if !(full || short) {
        return None;
    }
    let dotted = if !full && place.byte(end) == b'.' { end + 1 } else { end };
    if let Some(to) = day_and_year(place, dotted) {
        return Some(to);
    }
    if !full || !place.ends(end) {
        return None;
    }
    let day_before = place.word_before(place.at).is_some_and(|(_, word)| is_day(word));
    let context =
        if matches!(name, "May" | "March") { BEFORE_WORDLIKE_MONTH } else { BEFORE_MONTH };
    (day_before || is_one_of(name, NOTHING_ELSE) || place.follows(context)).then_some(end)
}

/// Returns the end of `2024`, `5`, `5th` or `5, 2024` after a month. A day must not be part of a longer number.
fn day_and_year(place: &Place<'_>, end: usize) -> Option<usize> {
    let (from, word) = place.word_after(end)?;
    let to = from + word.len();
    if is_year(word) && place.ends(to) {
        return Some(to);
    }
    if !(is_day(word) && place.ends(to)) || place.byte(to) == b'%' {
        return None;
    }
    let comma = to + usize::from(place.byte(to) == b',');
    match place.word_after(comma) {
        Some((from, year)) if is_year(year) && place.ends(from + year.len()) => {
            Some(from + year.len())
        }
        // `May 5 of them` is ambiguous; `March 12` and `June 3rd` are dates.
        _ => (place.letters_end() - place.at > 3).then_some(to),
    }
}

/// Returns true for `5`, `05`, `21st`.
fn is_day(word: &str) -> bool {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = &word[digits.len()..];
    digits.len() <= 2
        && matches!(suffix, "" | "st" | "nd" | "rd" | "th")
        && digits.parse().is_ok_and(|day: u8| (1..=31).contains(&day))
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year: u16| (1990..2100).contains(&year))
}

/// Matches an unambiguous year or date: `2024-05-17`, `2025 Q3`, `since 2023`, `in 2024,`. Does not match
/// ports, amounts or copyright years.
pub(super) fn year(place: &Place<'_>) -> Option<usize> {
    let end = place.digits_end(place.at);
    let year = &place.text[place.at..end];
    if !is_year(year) {
        return None;
    }
    let quarter = end + usize::from(matches!(place.byte(end), b' ' | b'-' | b'/'));
    if place.byte(quarter) == b'Q'
        && matches!(place.byte(quarter + 1), b'1'..=b'4')
        && place.ends(quarter + 2)
    {
        return Some(quarter + 2);
    }
    if place.byte(end) == b'-' {
        return iso_date(place, end);
    }
    if !place.ends(end) || matches!(place.byte(end), b'%' | b',') && place.byte(end + 1) != b' ' {
        return None;
    }
    let next = place.word_after(end).map(|(_, word)| word);
    if place.follows(BEFORE_YEAR) {
        return (!next.is_some_and(|word| is_one_of(word, NO_YEAR_NOUNS))).then_some(end);
    }
    if place.follows(BEFORE_YEAR_OR_NUMBER) {
        let goes_on = next.is_none_or(|word| is_one_of(word, AFTER_YEAR));
        let is_round = matches!(year, "2000" | "2048");
        return (goes_on && !is_round).then_some(end);
    }
    // For example `the 2024 roadmap`.
    let named = next.is_some_and(|word| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && !is_one_of(word, NO_YEAR_NOUNS)
            && !is_one_of(word, AFTER_YEAR)
    });
    (named && place.follows("the our") && year != "2000" && year != "2048").then_some(end)
}

/// Matches `2024-05` or `2024-05-17`.
fn iso_date(place: &Place<'_>, dash: usize) -> Option<usize> {
    let two = |from: usize, most: u8| {
        let to = place.digits_end(from);
        let number = place.text.get(from..to)?;
        let fits = number.len() == 2 && number.parse().is_ok_and(|n| (1..=most).contains(&n));
        fits.then_some(to)
    };
    let month = two(dash + 1, 12)?;
    let end = if place.byte(month) == b'-' { two(month + 1, 31)? } else { month };
    place.ends(end).then_some(end)
}

/// Matches `Q3 2025`, `Q3/2025`, `by Q4`.
pub(super) fn quarter(place: &Place<'_>) -> Option<usize> {
    let end = place.at + 2;
    let of = match place.word_after(end) {
        Some((from, "of")) => from + 2,
        _ => end,
    };
    if let Some((from, year)) = place.word_after(of)
        && is_year(year)
        && place.ends(from + 4)
    {
        return Some(from + 4);
    }
    let to = place.digits_end(end + 1);
    if matches!(place.byte(end), b'/' | b'-')
        && place.text.get(end + 1..to).is_some_and(is_year)
        && place.ends(to)
    {
        return Some(to);
    }
    (place.ends(end) && place.follows(BEFORE_QUARTER)).then_some(end)
}

/// Matches the noun in `next quarter`, `this month`, `last year`.
pub(super) fn period(place: &Place<'_>) -> Option<usize> {
    let end = place.letters_end();
    let word = &place.text[place.at..end];
    (is_one_of(word, "month quarter year")
        && place.ends(end)
        && place.follows("next this last coming"))
    .then_some(end)
}
