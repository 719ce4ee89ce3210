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

/// What a key is called whose value is a secret.
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

/// A run of this many characters may be a random one.
const RANDOM: usize = 20;
/// The same of hexadecimal digits, which words are made of, too.
const RANDOM_HEX: usize = 32;
/// How often a random run changes between digits and other characters, at least.
const CHANGES: usize = 3;

/// A text in which what looks like a secret is replaced: tokens with well-known beginnings, values
/// behind keys such as `password`, user information in URLs, private keys, and long random strings.
/// White space becomes single spaces. Takes time in proportion to the length of the text.
#[must_use]
pub fn redact(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut expected = Expected::Anything;
    for word in text.split_whitespace() {
        let (shown, next) = match expected {
            Expected::EndOfKey if word.contains("-----END") => (None, Expected::Tail),
            Expected::EndOfKey => (None, Expected::EndOfKey),
            Expected::Tail if word.ends_with("-----") => (None, Expected::Anything),
            Expected::Tail => (None, Expected::Tail),
            Expected::Value if is_link(word) => (Some(word.to_owned()), Expected::Value),
            Expected::Value if is_scheme(word) => (Some(word.to_owned()), Expected::Value),
            Expected::Value => (Some(REDACTED.to_owned()), Expected::Anything),
            Expected::Link if is_link(word) => (Some(word.to_owned()), Expected::Value),
            Expected::Anything | Expected::Link => plain(word),
        };
        if let Some(shown) = shown {
            if !safe.is_empty() {
                safe.push(' ');
            }
            safe.push_str(&shown);
        }
        expected = next;
    }
    safe
}

/// What the word before asks for.
#[derive(Clone, Copy)]
enum Expected {
    Anything,
    /// `is` or `=` between a key and its value.
    Link,
    /// The value of a key.
    Value,
    /// Anything within a private key.
    EndOfKey,
    /// The rest of the line that ends it.
    Tail,
}

fn is_link(word: &str) -> bool {
    matches!(word, "=" | ":" | "=>" | ":=") || word.eq_ignore_ascii_case("is")
}

/// A scheme of authorization, whose credentials are the next word.
fn is_scheme(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    ["bearer", "basic", "digest"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// A word that no other asked for, as it is shown, and what it asks of the next.
fn plain(word: &str) -> (Option<String>, Expected) {
    if word.contains("-----BEGIN") {
        let next = if word.contains("-----END") { Expected::Tail } else { Expected::EndOfKey };
        return (Some(REDACTED.to_owned()), next);
    }
    if is_scheme(word) {
        return (Some(word.to_owned()), Expected::Value);
    }
    let word = without_user(word);
    let in_url = word.contains('?');
    // `key=value`, several of them in a URL.
    let mut shown = String::with_capacity(word.len());
    let mut next = Expected::Anything;
    for part in word.split_inclusive(['&', ';', ',', '?']) {
        let cut = part.find(['=', ':']).filter(|at| !part[*at..].starts_with("://"));
        match cut.filter(|at| is_secret_key(&part[..*at])) {
            Some(at) if part[at + 1..].trim_matches(|c: char| !c.is_alphanumeric()).is_empty() => {
                shown.push_str(part);
                next = Expected::Value;
            }
            Some(at) => {
                shown.push_str(&part[..=at]);
                shown.push_str(REDACTED);
                next = Expected::Anything;
                // Elsewhere than in a URL the rest of the word may be the rest of the value.
                if !(in_url && part.ends_with('&')) {
                    break;
                }
                shown.push('&');
            }
            None => {
                shown.push_str(&without_tokens(part));
                // `--password VALUE`, `the password is VALUE`.
                next = match is_secret_key(part) {
                    true if part.starts_with("--") => Expected::Value,
                    true => Expected::Link,
                    false => Expected::Anything,
                };
            }
        }
    }
    (Some(shown), next)
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
    SECRET_WORDS.iter().any(|word| plain.ends_with(word) || plain.ends_with(&format!("{word}s")))
}

/// A word in which each run of token characters that looks like a secret is replaced.
fn without_tokens(word: &str) -> String {
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
    letters + digits >= RANDOM
        && changes >= CHANGES
        && run.bytes().any(|byte| byte.is_ascii_lowercase())
        && run.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// What may be kept of a prompt: its beginning without secrets, at most [`MAX_PROMPT_CHARS`] long.
/// `None` where nothing is left that could be searched for.
#[must_use]
pub fn prompt_text(text: &str) -> Option<String> {
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_READ);
    let start = &text[..end.unwrap_or(text.len())];
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
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_stay() {
        for (text, safe) in [
            ("use sk-ant-api03-Zx81kQ0p for this", "use [redacted] for this"),
            ("token ghp_16C7e42F292c6912E7710c838347Ae178B4a", "token [redacted]"),
            ("AKIAIOSFODNN7EXAMPLE is the key", "[redacted] is the key"),
            ("(\"AIzaSyD4x9-1234567\")", "(\"[redacted]\")"),
            ("password=hunter2 and go", "password=[redacted] and go"),
            ("my PASSWORD: hunter2, please", "my PASSWORD: [redacted] please"),
            ("the password is hunter2 there", "the password is [redacted] there"),
            ("curl --api-key abc https://x.y", "curl --api-key [redacted] https://x.y"),
            ("API_TOKEN=abc", "API_TOKEN=[redacted]"),
            ("password=a,b&c;d", "password=[redacted]"),
            ("\"client_secret\": \"abc\"", "\"client_secret\": [redacted]"),
            ("Authorization: Bearer abc.def", "Authorization: Bearer [redacted]"),
            ("postgres://me:pw@host/db", "postgres://[redacted]@host/db"),
            ("https://x.y/?a=1&token=abc&b=2", "https://x.y/?a=1&token=[redacted]&b=2"),
            ("d41d8cd98f00b204e9800998ecf8427e", "[redacted]"),
            ("x Zm9vYmFy9QkL2mN8pR4sT6 y", "x [redacted] y"),
            (
                "a -----BEGIN RSA PRIVATE KEY----- MII x -----END RSA PRIVATE KEY----- b",
                "a [redacted] b",
            ),
            ("a -----BEGIN PRIVATE KEY----- MII x", "a [redacted]"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J", "[redacted]"),
        ] {
            assert_eq!(redact(text), safe, "{text}");
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "list the open issues of org/repo",
            "why does src/router/handlers/index.ts:42 fail?",
            "the token expired, refresh it",
            "mcp__github__search_issues_v2 finds nothing",
            "getUserByOAuth2TokenHandler",
            "version 1.2.3-rc1 of 2026-11-22T10:00:00Z",
            "https://example.org/path?page=2",
            "key: value",
            "caf\u{e9} \u{65e5}\u{672c}\u{8a9e}",
        ] {
            assert_eq!(redact(text), text, "{text}");
        }
    }

    #[test]
    fn of_a_prompt_a_bounded_beginning_is_kept() {
        let long = "find the failing test ".repeat(100_000);
        let kept = prompt_text(&long).expect("there is something to keep");
        assert!(kept.chars().count() <= MAX_PROMPT_CHARS, "{}", kept.len());
        assert!(long.starts_with(&kept));
        // What would be cut in the middle, where no rule knows it any more, is left out.
        let secret = format!("{} {}", "x".repeat(250), "ghp_16C7e42F292c6912E7710c838347Ae178B4a");
        assert_eq!(prompt_text(&secret), Some("x".repeat(250)));
        for text in ["", " \n", "\u{200b}", "password=hunter2 "] {
            assert_ne!(prompt_text(text).as_deref(), Some(text), "{text:?}");
        }
        assert_eq!(prompt_text(" \u{200b} "), None);
        assert_eq!(prompt_text("sk-ant-api03-Zx81kQ0p"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_bounded_and_redacting_again_changes_nothing(text in "\\PC{0,200}") {
            let once = redact(&text);
            proptest::prop_assert_eq!(redact(&once), once.clone());
            if let Some(kept) = prompt_text(&text) {
                proptest::prop_assert!(kept.chars().count() <= MAX_PROMPT_CHARS);
            }
        }
    }
}
