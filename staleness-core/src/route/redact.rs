//! Redaction: removes secrets from texts before anything is stored.
//!
//! In doubt, removes a word of a prompt, because that only costs one word of a query, but keeps a word of a note.

mod looks;

use std::borrow::Cow;

use crate::route::Prompted;
use crate::text::fold_query;
use looks::{
    Key, Look, Source, UNSURE, hook, in_token, is_link, is_pair, is_random, is_scheme, is_to,
    is_token, is_user, is_variable, key, quote,
};

/// The maximum length of a stored prompt, in characters.
pub(crate) const MAX_PROMPT_CHARS: usize = 256;

/// The maximum number of bytes of a prompt to read. Only a part of its beginning is stored.
const MAX_READ: usize = 16 * 1024;

/// The maximum number of words between `as` and a key: `as the root password`.
const BETWEEN: usize = 3;
/// The maximum number of words of a quoted secret in a note, not counting the first.
const QUOTED: usize = 8;

const REDACTED: &str = "[redacted]";

/// Replaces everything that looks like a secret: tokens with well-known prefixes, values after keys such as
/// `password`, user information in URLs, private keys, and long random strings. Collapses white space to
/// single spaces. Runs in linear time.
///
/// After `=` a value is one word, or everything up to its closing quotation mark. After `:` or `is` an unquoted value
/// is the rest of the line, because a password may be a sentence. After a bare key, such as `password` (with or without
/// `to` or a line break in between), the next word is a value if it is quoted or does not look like an ordinary word.
/// The word before `as the password` is a value under the same conditions.
pub(crate) fn redact(text: &str) -> String {
    words(text.split(['\n', '\r']), Source::Prompt).0.join(" ")
}

/// Removes secrets from a text with several lines, such as a note. Lines without a secret stay as they are.
///
/// Such a text is stored, and often mentions a `token` or a `pass`, so doubtful words stay. A value is one word or a
/// quoted text that looks like a password, or like a generated secret if its key names one. Without a key, only tokens
/// with known prefixes and random base64 count as secrets, not digests or ids.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    let (safe, ends) = words(text.split('\n'), Source::Note);
    let (mut shown, mut start, mut changed) = (Vec::new(), 0, false);
    for (line, end) in text.split('\n').zip(ends) {
        let kept = &safe[start..end];
        start = end;
        if line.split_whitespace().eq(kept.iter().map(AsRef::as_ref)) {
            shown.push(Cow::Borrowed(line));
        } else {
            changed = true;
            let indent = &line[..line.len() - line.trim_start().len()];
            shown.push(format!("{indent}{}", kept.join(" ")).into());
        }
    }
    if changed { shown.join("\n").into() } else { text.into() }
}

/// Returns the words of lines, with secrets removed, and the number of words up to the end of each line.
fn words<'t>(
    lines: impl Iterator<Item = &'t str>,
    source: Source,
) -> (Vec<Cow<'t, str>>, Vec<usize>) {
    let (mut safe, mut ends): (Vec<Cow<'_, str>>, Vec<usize>) = (Vec::new(), Vec::new());
    let is_note = source == Source::Note;
    let mut expected = Expected::Anything;
    for line in lines {
        let is_set = safe.last().is_some_and(|word| word.ends_with([':', '=']));
        let is_prose = line.trim().contains(char::is_whitespace) && !line.contains("-----END");
        expected = match expected {
            Expected::Rest => Expected::Anything,
            Expected::Likely(_) if is_note && !is_set => Expected::Anything,
            Expected::EndOfKey if is_note && is_prose => Expected::Anything,
            other => other,
        };
        let mut rest = line.split_whitespace();
        while let Some(word) = rest.next() {
            let (shown, next) = step(expected, word, source);
            safe.extend(shown);
            if let Expected::Likely(look) = next
                && !matches!(expected, Expected::Likely(_) if is_link(word) || is_to(word))
            {
                redact_before(&mut safe, look);
            }
            let closes = |mark| rest.clone().take(QUOTED).any(|word| word.contains(mark));
            expected = match next {
                Expected::Quote(mark) if is_note && !closes(mark) => Expected::Anything,
                next => next,
            };
        }
        ends.push(safe.len());
    }
    (safe, ends)
}

/// Redacts a value that precedes its key: `use VALUE as the password`.
fn redact_before(safe: &mut [Cow<'_, str>], look: Look) {
    let Some(before) = safe.len().checked_sub(1) else { return };
    let from = before.saturating_sub(BETWEEN + 1);
    let link = (from..before).rev().find(|at| is_link(&safe[*at]) || is_to(&safe[*at]));
    let value = link.and_then(|at| at.checked_sub(1)).and_then(|at| safe.get_mut(at));
    if let Some(value) = value.filter(|value| look.fits(value)) {
        *value = REDACTED.into();
    }
}

/// The role of the next word, as expected from the words before it.
#[derive(Clone, Copy)]
enum Expected {
    Anything,
    /// The value of a key, if the word has this look.
    Likely(Look),
    /// The value of a key in a prompt: one word, unless it is quoted.
    Word,
    /// The value of a key in a prompt, to the end of the line unless it is quoted.
    Line,
    /// The rest of a value, which is dropped.
    Rest,
    /// The rest of a quoted value.
    Quote(char),
    /// A pair `name:password` after an option such as `-u`.
    Pair,
    /// Words inside a private key.
    EndOfKey,
    /// The rest of a private key's end marker.
    Tail,
}

fn step(expected: Expected, word: &str, source: Source) -> (Option<Cow<'_, str>>, Expected) {
    let redacted = || Some(REDACTED.into());
    match expected {
        Expected::EndOfKey if word.contains("-----END") => (None, Expected::Tail),
        Expected::EndOfKey => (None, Expected::EndOfKey),
        Expected::Tail if word.contains("-----") => (None, Expected::Anything),
        Expected::Tail => (None, Expected::Tail),
        _ if word.contains("-----BEGIN") => {
            let ended = word.contains("-----END");
            (redacted(), if ended { Expected::Tail } else { Expected::EndOfKey })
        }
        Expected::Quote(mark) if word.contains(mark) => (None, Expected::Anything),
        Expected::Quote(_) | Expected::Rest => (None, expected),
        Expected::Word | Expected::Line if is_link(word) => (Some(word.into()), Expected::Line),
        Expected::Word | Expected::Line if is_scheme(word) => (Some(word.into()), expected),
        // Already redacted by `redact_before`.
        Expected::Word | Expected::Line | Expected::Likely(_) if word == REDACTED => {
            (redacted(), Expected::Anything)
        }
        Expected::Word => (redacted(), behind(word, Expected::Anything)),
        Expected::Line => (redacted(), behind(word, Expected::Rest)),
        Expected::Pair if is_pair(word, source) => (redacted(), Expected::Anything),
        Expected::Likely(Look::Odd(1)) if is_link(word) => (Some(word.into()), Expected::Line),
        Expected::Likely(_) if is_link(word) || is_to(word) => (Some(word.into()), expected),
        Expected::Likely(_) if source == Source::Note && is_scheme(word) => {
            (Some(word.into()), Expected::Likely(Look::Odd(UNSURE)))
        }
        Expected::Likely(_) if source == Source::Note && is_variable(word) => plain(word, source),
        Expected::Likely(look) if look.fits(word) || look.is_quoted(word) => {
            (redacted(), behind(word, Expected::Anything))
        }
        Expected::Anything | Expected::Likely(_) | Expected::Pair => plain(word, source),
    }
}

/// Returns the role of the word after the first one of a value: `Quote` inside an open quotation, otherwise `unquoted`.
fn behind(value: &str, unquoted: Expected) -> Expected {
    match quote(value) {
        Some(mark) if value[1..].contains(mark) => Expected::Anything,
        Some(mark) => Expected::Quote(mark),
        None => unquoted,
    }
}

/// Handles a word in an ordinary position. Returns the text to show and the role of the next word.
fn plain(word: &str, source: Source) -> (Option<Cow<'_, str>>, Expected) {
    let is_note = source == Source::Note;
    if is_scheme(word) && !is_note {
        return (Some(word.into()), Expected::Word);
    }
    if matches!(word, "-u" | "--user") {
        return (Some(word.into()), Expected::Pair);
    }
    // `mysql -pVALUE`. Digits alone are a port number.
    if let Some(value) = word.strip_prefix("-p")
        && value.starts_with(char::is_alphanumeric)
        && value.contains(char::is_alphabetic)
        && Key::Pass.look(source).fits(value)
    {
        return (Some(format!("-p{REDACTED}").into()), Expected::Anything);
    }
    let mut word = without_user(word, source);
    if let Some(at) = hook(&word, source) {
        word.replace_range(at.., REDACTED);
    }
    let url = word.find("://").or_else(|| word.find('?'));
    let (mut shown, mut done) = (String::with_capacity(word.len()), 0);
    for (at, link) in word.match_indices(['=', ':']) {
        if at < done || word[at..].starts_with("://") {
            continue;
        }
        let Some(key) = key(key_before(&word[done..at])) else { continue };
        // In a URL other parameters may follow, and in a note other fields. Elsewhere the rest of the word may belong
        // to this value.
        let value = &word[at + 1..];
        let in_url = link == "=" && url.is_some_and(|url| url < at);
        let end = match quote(value) {
            Some(mark) if is_note => value[1..].find(mark).map(|end| end + 2),
            _ => value.find(['&', '#']).filter(|_| in_url),
        };
        let is_empty = value.trim_matches(|c: char| !c.is_alphanumeric()).is_empty();
        let is_open = is_note && is_empty && key != Key::Pass;
        if !is_open && !key.takes(&value[..end.unwrap_or(value.len())], link, source) {
            continue;
        }
        push_once(&mut shown, &without_tokens(&word[done..at], source));
        shown.push_str(link);
        if is_empty {
            shown.push_str(value);
            // A quotation mark that opens the value also closes it.
            let quoted = value.chars().rev().find(|mark| matches!(mark, '"' | '\'' | '`'));
            let next = match quoted {
                _ if is_note => Expected::Likely(key.look(source)),
                Some(mark) => Expected::Quote(mark),
                None if link == ":" => Expected::Line,
                None => Expected::Word,
            };
            return (Some(shown.into()), next);
        }
        shown.push_str(REDACTED);
        match end {
            Some(end) => done = at + 1 + end,
            None => {
                let to_end = link == ":" && !is_note;
                let unquoted = if to_end { Expected::Rest } else { Expected::Anything };
                return (Some(shown.into()), behind(value, unquoted));
            }
        }
    }
    let rest = &word[done..];
    push_once(&mut shown, &without_tokens(rest, source));
    // `--password VALUE`, `the password is VALUE`.
    let is_option = rest.starts_with("--");
    let next = match key(rest) {
        Some(key) if is_option && !is_note && key != Key::Maybe => Expected::Word,
        Some(key) if !is_note || is_option || key.stands_alone(rest) => {
            Expected::Likely(key.look(source))
        }
        _ => Expected::Anything,
    };
    (Some(shown.into()), next)
}

/// Appends a text. Adjacent secrets are shown as one.
fn push_once(shown: &mut String, text: &str) {
    let more = text.strip_prefix(REDACTED).filter(|_| shown.ends_with(REDACTED));
    shown.push_str(more.unwrap_or(text));
}

/// Returns the name of the key at the end of a text, which is followed by `=` or `:`.
fn key_before(text: &str) -> &str {
    let text = text.trim_end_matches(['"', '\'', '`', ']', ')']);
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let from = text.char_indices().rev().take_while(|(_, c)| part(*c)).last();
    from.map_or("", |(at, _)| &text[at..])
}

/// Replaces the user information of a URL. In a note, a name without a password stays.
fn without_user(word: &str, source: Source) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..authority].rfind('@').filter(|at| is_user(&rest[..*at], source)) {
        Some(at) => format!("{scheme}://{REDACTED}{}", &rest[at..]),
        None => word.to_owned(),
    }
}

/// Replaces each run of token characters that looks like a secret.
fn without_tokens(word: &str, source: Source) -> String {
    // Base64 keys contain slashes, so the whole word is checked first, before the parts of a path.
    let is_whole = !word.contains("://") && !word.contains(REDACTED);
    if is_whole && is_random(word.trim_matches(|c: char| !c.is_alphanumeric()), source) {
        return REDACTED.to_owned();
    }
    // In a note, the path of a URL may hold ids.
    let is_url = source == Source::Note && word.contains("://");
    let path = if is_url { word.find('?').unwrap_or(word.len()) } else { 0 };
    let mut shown = String::with_capacity(word.len());
    let mut rest = word;
    while !rest.is_empty() {
        let in_path = word.len() - rest.len() < path;
        let run = rest.find(|c| !in_token(c)).unwrap_or(rest.len());
        let (token, behind) = rest.split_at(run);
        let is_secret = is_token(token) || !in_path && is_random(token, source);
        shown.push_str(if is_secret { REDACTED } else { token });
        let apart = behind.find(in_token).unwrap_or(behind.len());
        shown.push_str(&behind[..apart]);
        rest = &behind[apart..];
    }
    shown
}

impl Prompted {
    /// Returns the beginning of a prompt, redacted, at most `MAX_PROMPT_CHARS` characters. `None` if no
    /// searchable text is left.
    pub fn text(text: &str) -> Option<String> {
        let end = text.len().min(MAX_READ);
        let end = (0..=end).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        // Drop a truncated word, which could be a secret that no rule recognises.
        let start = if end == text.len() {
            text
        } else {
            text[..end].rsplit_once(char::is_whitespace).map_or("", |cut| cut.0)
        };
        let safe = redact(start);
        // The word cut off here is dropped for the same reason.
        let kept: String = match safe.char_indices().nth(MAX_PROMPT_CHARS) {
            None => safe,
            Some((end, _)) => safe[..end].rsplit_once(' ').map_or(&safe[..end], |cut| cut.0).into(),
        };
        let said = kept.replace(REDACTED, " ");
        (!fold_query(&said).is_empty()).then_some(kept)
    }
}

#[cfg(test)]
mod tests;
