//! Version numbers.

use super::lists::{BEFORE_PLACE, BEFORE_VERSION, STATES, TELLING_WHEN};
use super::neighbours::{Place, is_one_of};

/// Returns the end of a version number: `v1.2`, `1.2.3`, `2.4.0-rc1`, `version 1.2`. `None` for IP addresses,
/// sections, prices and decimals.
pub(super) fn version(place: &Place<'_>) -> Option<usize> {
    let named = place.byte(place.at).eq_ignore_ascii_case(&b'v');
    let mut end = place.at + usize::from(named);
    let mut parts = 0;
    loop {
        let to = place.digits_end(end);
        if to == end || to - end > 5 || parts == 4 {
            return None;
        }
        (end, parts) = (to, parts + 1);
        if place.byte(end) != b'.' || !place.byte(end + 1).is_ascii_digit() {
            break;
        }
        end += 1;
    }
    // For example `2.4.0-rc1` or `1.0.0+build.5`.
    if matches!(place.byte(end), b'-' | b'+') && place.byte(end + 1).is_ascii_alphanumeric() {
        let suffix = place.bytes()[end + 1..].iter().take(24);
        let in_suffix = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
        let length = suffix.take_while(in_suffix).count();
        let text = &place.text[end..=end + length];
        end += text.trim_end_matches(['.', '-']).len();
    }
    let prefix = place.before();
    if !place.ends(end) || place.byte(end) == b'%' || matches!(prefix, b'"' | b'\'' | b'[') {
        return None;
    }
    let is_version = match (named, parts) {
        (true, 2..=4) => true,
        (false, 2) => place.follows(BEFORE_VERSION) && !is_licence(place),
        (false, 3) => !place.follows(BEFORE_PLACE) && !is_numbering(place, end),
        _ => false,
    };
    (is_version && !tells_when(place)).then_some(end)
}

/// Returns true if the version says when something was added or removed, which does not become outdated: `since 1.7.0`,
/// `before version 2.1`, `was added in Rust 1.56`.
fn tells_when(place: &Place<'_>) -> bool {
    let mut at = place.at;
    let mut before = place.word_before(at);
    if let Some((from, word)) = before
        && is_one_of(word, BEFORE_VERSION)
        && !is_one_of(word, TELLING_WHEN)
    {
        at = from;
        before = place.word_before(at);
    }
    let Some((from, word)) = before else { return false };
    if is_one_of(word, TELLING_WHEN) {
        return true;
    }
    let done = |word: &str| word.len() > 4 && word.ends_with("ed") || is_one_of(word, "new");
    is_one_of(word, "in with from by")
        && place.word_before(from).is_some_and(|(_, word)| done(word) && !is_one_of(word, STATES))
}

/// Returns true if the version is that of a licence, which does not become outdated: `Apache License, Version 2.0`.
fn is_licence(place: &Place<'_>) -> bool {
    let near = &place.bytes()[place.at.saturating_sub(40)..place.at];
    let holds = |word: &[u8]| near.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    holds(b"license") || holds(b"licence") || holds(b"covenant") || holds(b"gpl")
}

/// Returns true if numbers at the beginning of a text are a section number: `1.2.3 How to`.
fn is_numbering(place: &Place<'_>, end: usize) -> bool {
    place.text[..place.at].bytes().rev().take(16).all(|b| b.is_ascii_whitespace() || b == b'#')
        && place.at < 16
        && place.word_after(end).is_some()
}
