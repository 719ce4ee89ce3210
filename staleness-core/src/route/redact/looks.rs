//! Patterns of secrets, and names of keys whose values are secrets.

/// Prefixes of tokens of well-known services.
const PREFIXES: [&str; 38] = [
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
    "xoxc-",
    "xoxd-",
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
    "hvs.",
    "hvb.",
    "hvr.",
];

/// The minimum length of a token after its prefix, in bytes.
const PREFIXED: usize = 8;

/// Words in the name of a key whose value is a secret, in any spelling of the name.
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

/// Words that mark a key only as a whole part of its name: `DB_PASS`, `signing-key`.
const SECRET_PARTS: [&str; 4] = ["pass", "pw", "key", "auth"];

/// Parts of webhook URLs. The text after them works like a password.
const HOOKS: [&str; 3] = ["hooks.slack.com/", "/webhooks/", "webhook.office.com/"];

/// The length, in characters, from which any word after a key counts as a secret.
const LONG: usize = 20;
/// The minimum length of a secret after `key`, a word with many other meanings.
const UNSURE: usize = 8;
/// The minimum length of a secret after a bare `pass`.
const PASS: usize = 4;

/// Words that end in `key` but do not name a secret.
const NO_SECRETS: [&str; 13] = [
    "donkey",
    "foreignkey",
    "groupkey",
    "hockey",
    "hotkey",
    "jockey",
    "lackey",
    "monkey",
    "partitionkey",
    "primarykey",
    "sortkey",
    "turkey",
    "whiskey",
];

/// The minimum length of a random run with mixed case.
const RANDOM: usize = 20;
/// The minimum length of a random run of hexadecimal digits or of a single case. Such runs also occur in
/// ordinary words.
const RANDOM_HEX: usize = 32;
/// The minimum number of changes between digits and other characters in a random run.
const CHANGES: usize = 3;

/// The certainty with which a key's name marks its value as a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Its value is a secret.
    Sure,
    /// A value after `=` or `:` is a secret; one after the bare word may be: `pass`.
    Pass,
    /// Its value may be a secret: `key`.
    Maybe,
}

impl Key {
    /// Returns the minimum length, in characters, of a secret after the key.
    pub(super) const fn least(self) -> usize {
        match self {
            Self::Sure => 1,
            Self::Pass => PASS,
            Self::Maybe => UNSURE,
        }
    }
}

/// Returns the certainty with which this key's value is a secret. `None` if the name is not a key.
pub(super) fn key(name: &str) -> Option<Key> {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let parts = || name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    let has_part = |part: &str| SECRET_PARTS.iter().any(|word| part.eq_ignore_ascii_case(word));
    match plain.as_str() {
        "key" => return Some(Key::Maybe),
        "pass" => return Some(Key::Pass),
        _ => {}
    }
    let is_sure = SECRET_WORDS.iter().any(|word| plain.contains(word))
        || parts().count() > 1 && parts().any(has_part)
        || plain.ends_with("key") && !NO_SECRETS.contains(&plain.as_str())
        || plain == "pw";
    is_sure.then_some(Key::Sure)
}

/// Returns true if a word looks like a chosen secret rather than an ordinary word: it has at least `least`
/// characters, and it contains a digit, a capital after a small letter or a sign such as `@`, or is very long.
pub(super) fn is_chosen(word: &str, least: usize) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let length = word.chars().count();
    let signs = |c: char| matches!(c, '!' | '@' | '#' | '$' | '%' | '^' | '&' | '*' | '+' | '~');
    let behind = word.chars().skip(1);
    let mut humps = word.chars().zip(behind);
    length >= least
        && (length >= LONG
            || word.contains(|c: char| c.is_numeric() || signs(c))
            || humps.any(|(one, next)| one.is_lowercase() && next.is_uppercase()))
}

/// Returns the opening quotation mark of a word, if there is one.
pub(super) fn quote(word: &str) -> Option<char> {
    word.chars().next().filter(|mark| matches!(mark, '"' | '\'' | '`'))
}

pub(super) fn is_link(word: &str) -> bool {
    matches!(word, "=" | ":" | "=>" | ":=") || word.trim_end_matches(':').eq_ignore_ascii_case("is")
}

/// Returns true if the word may stand between a key and its value: `to` or `as`.
pub(super) fn is_to(word: &str) -> bool {
    ["to", "as"].iter().any(|to| word.eq_ignore_ascii_case(to))
}

/// Returns true for an authorization scheme, whose credentials are the next word.
pub(super) fn is_scheme(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    ["bearer", "basic", "digest"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Returns the byte at which the secret part of a webhook URL begins, if there is one.
pub(super) fn hook(word: &str) -> Option<usize> {
    let behind = HOOKS.iter().filter_map(|hook| word.find(hook).map(|at| at + hook.len()));
    behind.min().filter(|at| is_chosen(&word[*at..], UNSURE))
}

pub(super) const fn in_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '~')
}

pub(super) fn is_token(run: &str) -> bool {
    let prefixed = PREFIXES.iter().any(|prefix| {
        run.strip_prefix(prefix).is_some_and(|rest| {
            rest.len() >= PREFIXED && rest.bytes().any(|byte| byte.is_ascii_digit())
        })
    });
    prefixed || is_random(run)
}

/// Returns true if a run looks randomly generated: many hexadecimal digits, or letters of both cases with
/// digits throughout.
pub(super) fn is_random(run: &str) -> bool {
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
    // A run with letters of a single case must be longer and change more often.
    if letters + digits >= RANDOM_HEX && letters + digits == run.len() && changes >= 2 * CHANGES {
        return true;
    }
    letters + digits >= RANDOM
        && changes >= CHANGES
        && run.bytes().any(|byte| byte.is_ascii_lowercase())
        && run.bytes().any(|byte| byte.is_ascii_uppercase())
}
