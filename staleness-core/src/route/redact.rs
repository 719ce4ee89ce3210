//! Secrets out of texts, before anything of them is kept.
//!
//! It errs on the side of taking out too much: a word that is lost here costs one word of a query.

use super::query::fold_query;

/// The longest text of a prompt that is kept, in characters.
pub const MAX_PROMPT_CHARS: usize = 256;

/// How much of a prompt is looked at, in bytes: what is kept is a small part of its beginning.
const MAX_READ: usize = 16 * 1024;

/// What stands in place of a secret.
const REDACTED: &str = "[redacted]";

/// How the tokens of well-known services begin.
const PREFIXES: [&str; 33] = [
    "sk-",
    "sk_",
    "pk_",
    "rk_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxa-",
    "xoxb-",
    "xoxe-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "eyJ",
    "npm_",
    "pypi-",
    "dop_v1_",
    "hf_",
    "SG.",
    "shpat_",
    "lin_api_",
    "dckr_pat_",
    "whsec_",
    "AGE-SECRET-KEY-",
];

/// A token has at least so many characters behind its prefix.
const PREFIXED: usize = 8;

/// What the name of a key holds whose value is a secret, however it is spelled.
const SECRET_WORDS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "authorization",
    "credential",
    "privatekey",
    "cookie",
];

/// Parts of such names that say it only as a whole part: `DB_PASS`, `signing-key`.
const SECRET_PARTS: [&str; 4] = ["pass", "pw", "key", "auth"];

/// A run of this many characters may be a random one.
const RANDOM: usize = 20;
/// The same of hexadecimal digits, which words are made of, too.
const RANDOM_HEX: usize = 32;
/// How often a random run changes between digits and other characters, at least.
const CHANGES: usize = 3;

/// A text in which what looks like a secret is replaced: tokens with well-known beginnings, values
/// behind keys such as `password`, user information in URLs, private keys, and long random strings.
/// White space becomes single spaces. Takes time in proportion to the length of the text.
///
/// A value ends with its word behind `=`, with its quotation mark where it has one, and else, behind
/// `:` and `is`, with its line: passwords may be sentences.
#[must_use]
pub fn redact(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut expected = Expected::Anything;
    for line in text.split(['\n', '\r']) {
        if !matches!(expected, Expected::EndOfKey | Expected::Tail | Expected::Quote(_)) {
            expected = Expected::Anything;
        }
        for word in line.split_whitespace() {
            let (shown, next) = step(expected, word);
            if let Some(shown) = shown {
                if !safe.is_empty() {
                    safe.push(' ');
                }
                safe.push_str(&shown);
            }
            expected = next;
        }
    }
    safe
}

/// What the word before asks for.
#[derive(Clone, Copy)]
enum Expected {
    Anything,
    /// `is` or `=` between a key and its value.
    Link,
    /// The value of a key: one word, unless it is quoted.
    Word,
    /// The value of a key, to the end of the line unless it is quoted.
    Line,
    /// The rest of a value, which is not shown.
    Rest,
    /// The rest of a quoted value.
    Quote(char),
    /// A name with a password behind it.
    Pair,
    /// Anything within a private key.
    EndOfKey,
    /// The rest of the line that ends it.
    Tail,
}

fn step(expected: Expected, word: &str) -> (Option<String>, Expected) {
    let redacted = || Some(REDACTED.to_owned());
    match expected {
        Expected::EndOfKey if word.contains("-----END") => (None, Expected::Tail),
        Expected::EndOfKey => (None, Expected::EndOfKey),
        Expected::Tail if word.ends_with("-----") => (None, Expected::Anything),
        Expected::Tail => (None, Expected::Tail),
        _ if word.contains("-----BEGIN") => {
            let ended = word.contains("-----END");
            (redacted(), if ended { Expected::Tail } else { Expected::EndOfKey })
        }
        Expected::Quote(mark) if word.contains(mark) => (None, Expected::Anything),
        Expected::Quote(_) | Expected::Rest => (None, expected),
        Expected::Word | Expected::Line if is_link(word) => (Some(word.to_owned()), Expected::Line),
        Expected::Word | Expected::Line if is_scheme(word) => (Some(word.to_owned()), expected),
        // Taken out before.
        Expected::Word | Expected::Line if word == REDACTED => (redacted(), Expected::Anything),
        Expected::Word => (redacted(), behind(word, Expected::Anything)),
        Expected::Line => (redacted(), behind(word, Expected::Rest)),
        Expected::Pair if word.contains(':') => (redacted(), Expected::Anything),
        Expected::Link if is_link(word) => (Some(word.to_owned()), Expected::Line),
        Expected::Anything | Expected::Link | Expected::Pair => plain(word),
    }
}

/// What follows the first word of a value: the rest of what is quoted, or `unquoted`.
fn behind(value: &str, unquoted: Expected) -> Expected {
    match value.chars().next().filter(|mark| matches!(mark, '"' | '\'' | '`')) {
        Some(mark) if value[1..].contains(mark) => Expected::Anything,
        Some(mark) => Expected::Quote(mark),
        None => unquoted,
    }
}

fn is_link(word: &str) -> bool {
    matches!(word, "=" | ":" | "=>" | ":=") || word.trim_end_matches(':').eq_ignore_ascii_case("is")
}

/// A scheme of authorization, whose credentials are the next word.
fn is_scheme(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    ["bearer", "basic", "digest"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// A word that no other asked for, as it is shown, and what it asks of the next.
fn plain(word: &str) -> (Option<String>, Expected) {
    if is_scheme(word) {
        return (Some(word.to_owned()), Expected::Word);
    }
    if matches!(word, "-u" | "--user") {
        return (Some(word.to_owned()), Expected::Pair);
    }
    let word = without_user(word);
    let (mut shown, mut done) = (String::with_capacity(word.len()), 0);
    for (at, link) in word.match_indices(['=', ':']) {
        if at < done || word[at..].starts_with("://") || !is_secret_key(key_before(&word[done..at]))
        {
            continue;
        }
        push_once(&mut shown, &without_tokens(&word[done..at]));
        shown.push_str(link);
        let value = &word[at + 1..];
        let unquoted = if link == ":" { Expected::Rest } else { Expected::Anything };
        if value.trim_matches(|c: char| !c.is_alphanumeric()).is_empty() {
            shown.push_str(value);
            let next = if link == ":" { Expected::Line } else { Expected::Word };
            // A quotation mark that begins the value ends it too.
            let quoted = value.chars().rev().find(|mark| matches!(mark, '"' | '\'' | '`'));
            return (Some(shown), quoted.map_or(next, Expected::Quote));
        }
        shown.push_str(REDACTED);
        // In a URL other values follow; elsewhere the rest of the word may belong to this one.
        let before = &word[..at];
        let in_url = link == "=" && (before.contains("://") || before.contains('?'));
        match value.find(['&', '#']).filter(|_| in_url) {
            Some(end) => done = at + 1 + end,
            None => return (Some(shown), behind(value, unquoted)),
        }
    }
    let rest = &word[done..];
    push_once(&mut shown, &without_tokens(rest));
    // `--password VALUE`, `the password is VALUE`.
    let next = match is_secret_key(rest) {
        true if rest.starts_with("--") => Expected::Word,
        true => Expected::Link,
        false => Expected::Anything,
    };
    (Some(shown), next)
}

/// Adds a text; two secrets side by side are shown as one.
fn push_once(shown: &mut String, text: &str) {
    let more = text.strip_prefix(REDACTED).filter(|_| shown.ends_with(REDACTED));
    shown.push_str(more.unwrap_or(text));
}

/// The name at the end of a text: what stands before `=` or `:`.
fn key_before(text: &str) -> &str {
    let text = text.trim_end_matches(['"', '\'', '`', ']', ')']);
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let from = text.char_indices().rev().take_while(|(_, c)| part(*c)).last();
    from.map_or("", |(at, _)| &text[at..])
}

/// A URL without the user information in it.
fn without_user(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..authority].rfind('@') {
        Some(at) => format!("{scheme}://{REDACTED}{}", &rest[at..]),
        None => word.to_owned(),
    }
}

/// Whether a key is one of those whose values are secrets, however it is spelled.
fn is_secret_key(key: &str) -> bool {
    let plain: String =
        key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let parts = || key.split(['-', '_', '.']).filter(|part| !part.is_empty());
    let has_part = |part: &str| SECRET_PARTS.iter().any(|word| part.eq_ignore_ascii_case(word));
    SECRET_WORDS.iter().any(|word| plain.contains(word))
        || parts().count() > 1 && parts().any(has_part)
        || plain == "pass"
}

/// A word in which each run of token characters that looks like a secret is replaced.
fn without_tokens(word: &str) -> String {
    // Keys in base 64 hold slashes, which parts of a path are told apart by otherwise.
    if !word.contains("://") && is_random(word.trim_matches(|c: char| !c.is_alphanumeric())) {
        return REDACTED.to_owned();
    }
    let mut shown = String::with_capacity(word.len());
    let mut rest = word;
    while !rest.is_empty() {
        let run = rest.find(|c| !in_token(c)).unwrap_or(rest.len());
        let (token, behind) = rest.split_at(run);
        shown.push_str(if is_token(token) { REDACTED } else { token });
        let apart = behind.find(in_token).unwrap_or(behind.len());
        shown.push_str(&behind[..apart]);
        rest = &behind[apart..];
    }
    shown
}

const fn in_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '~')
}

fn is_token(run: &str) -> bool {
    let prefixed = PREFIXES.iter().any(|prefix| {
        run.strip_prefix(prefix).is_some_and(|rest| {
            rest.len() >= PREFIXED && rest.bytes().any(|byte| byte.is_ascii_digit())
        })
    });
    prefixed || is_random(run)
}

/// Whether a run looks as if nobody had thought of it: many hexadecimal digits, or letters of both
/// cases with digits all over.
fn is_random(run: &str) -> bool {
    let letters = run.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    if letters == 0 || digits == 0 {
        return false;
    }
    if letters + digits >= RANDOM_HEX
        && run.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
    {
        return true;
    }
    let changes = run.as_bytes().windows(2);
    let changes = changes.filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
    // In small letters alone it takes more to tell.
    if letters + digits >= RANDOM_HEX && letters + digits == run.len() && changes >= 2 * CHANGES {
        return true;
    }
    letters + digits >= RANDOM
        && changes >= CHANGES
        && run.bytes().any(|byte| byte.is_ascii_lowercase())
        && run.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// What may be kept of a prompt: its beginning without secrets, at most [`MAX_PROMPT_CHARS`] long.
/// `None` where nothing is left that could be searched for.
#[must_use]
pub fn prompt_text(text: &str) -> Option<String> {
    let end = text.len().min(MAX_READ);
    let end = (0..=end).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    // A word that was cut is none that a rule would know.
    let start = if end == text.len() {
        text
    } else {
        text[..end].rsplit_once(char::is_whitespace).map_or("", |cut| cut.0)
    };
    let safe = redact(start);
    // A word that is cut is no secret any more that a rule would know: what is cut is left out.
    let kept: String = match safe.char_indices().nth(MAX_PROMPT_CHARS) {
        None => safe,
        Some((end, _)) => safe[..end].rsplit_once(' ').map_or(&safe[..end], |cut| cut.0).into(),
    };
    let said = kept.replace(REDACTED, " ");
    (!fold_query(&said).is_empty()).then_some(kept)
}

#[cfg(test)]
mod tests;
