//! Patterns of secrets, and the names of keys whose values are secrets.

/// Prefixes of the tokens of well-known services.
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

/// A token has at least so many characters behind its prefix.
const PREFIXED: usize = 8;

/// Words in the name of a key whose value is a secret, however the name is spelled.
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

/// Parts of webhook URLs; the text behind them is as good as a password.
const HOOKS: [&str; 3] = ["hooks.slack.com/", "/webhooks/", "webhook.office.com/"];

/// The length, in characters, from which a word is taken for a secret whatever it holds.
const LONG: usize = 20;
/// A word behind `key`, which says so many other things, has at least so many.
const UNSURE: usize = 8;
/// A word behind a bare `pass`.
const PASS: usize = 4;

/// Words that end as the names of keys do, and name none that is a secret.
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

/// A run of this many characters may be a random one.
const RANDOM: usize = 20;
/// As [`RANDOM`], for hexadecimal digits or letters of one case, which words are made of, too.
const RANDOM_HEX: usize = 32;
/// The least number of changes between digits and other characters in a random run.
const CHANGES: usize = 3;

/// The certainty with which a name says that its value is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// It is a secret.
    Sure,
    /// It is one behind `=` and its like, and may be one behind the bare word: `pass`.
    Pass,
    /// It may be one: `key`.
    Maybe,
}

impl Key {
    /// Returns the least length, in characters, of a word behind the key that can be a secret.
    pub(super) const fn least(self) -> usize {
        match self {
            Self::Sure => 1,
            Self::Pass => PASS,
            Self::Maybe => UNSURE,
        }
    }
}

/// Returns the certainty that the value of a name is a secret; `None` for any other name.
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

/// Returns true if a word was chosen as a secret rather than written as a word of a sentence: it has a digit, a
/// capital behind a small letter, or a sign such as `@` within, or it is very long.
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

/// Returns the quotation mark with which a word begins, if it does.
pub(super) fn quote(word: &str) -> Option<char> {
    word.chars().next().filter(|mark| matches!(mark, '"' | '\'' | '`'))
}

pub(super) fn is_link(word: &str) -> bool {
    matches!(word, "=" | ":" | "=>" | ":=") || word.trim_end_matches(':').eq_ignore_ascii_case("is")
}

/// Returns true if a word may stand between a key and its value, or a value and its key, without telling that
/// there is one.
pub(super) fn is_to(word: &str) -> bool {
    ["to", "as"].iter().any(|to| word.eq_ignore_ascii_case(to))
}

/// A scheme of authorization, whose credentials are the next word.
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

/// Returns true if a run looks as if nobody had thought of it: many hexadecimal digits, or letters of both
/// cases with digits all over.
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
    // In small letters alone it takes more to tell.
    if letters + digits >= RANDOM_HEX && letters + digits == run.len() && changes >= 2 * CHANGES {
        return true;
    }
    letters + digits >= RANDOM
        && changes >= CHANGES
        && run.bytes().any(|byte| byte.is_ascii_lowercase())
        && run.bytes().any(|byte| byte.is_ascii_uppercase())
}
