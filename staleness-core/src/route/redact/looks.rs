//! Patterns of secrets, and names of keys whose values are secrets.

/// Prefixes of tokens of well-known services.
const PREFIXES: &str = "\
    sk- sk_ pk_ rk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xoxa- xoxb- xoxc- xoxd- xoxe- xoxp- xoxr- \
    xoxs- xapp- AKIA ASIA AIza ya29. eyJ npm_ pypi- dop_v1_ hf_ SG. shpat_ lin_api_ dckr_pat_ whsec_ AGE- \
    SECRET-KEY- hvs. hvb. hvr.";

/// The minimum length of a token after its prefix, in bytes.
const PREFIXED: usize = 8;

/// Words at the end of the name of a key whose value is a password, in any spelling of the name.
const PASSWORDS: [&str; 4] = ["password", "passwd", "passphrase", "pwd"];

/// Words in the name of a key whose value is another secret, usually a generated one.
const SECRET_WORDS: [&str; 8] = [
    "secret",
    "token",
    "apikey",
    "accesskey",
    "authorization",
    "credential",
    "privatekey",
    "cookie",
];

/// Words that mark a key only if they are a whole part of its name: `DB_PASS`, `signing-key`.
const PASSWORD_PARTS: [&str; 2] = ["pass", "pw"];
const SECRET_PARTS: [&str; 2] = ["key", "auth"];

/// Parts of webhook URLs. The text after them is as secret as a password.
const HOOKS: [&str; 3] = ["hooks.slack.com/", "/webhooks/", "webhook.office.com/"];

/// The length, in characters, from which any word after a key in a prompt counts as a secret.
const LONG: usize = 20;
/// The minimum length of a secret after `key`, which has many other meanings.
pub(super) const UNSURE: usize = 8;
/// The minimum length of a secret after a bare `pass`, or attached to an option, as in `-pVALUE`.
pub(super) const SHORT: usize = 4;

/// Words that end in `key` but do not name a secret.
const NO_SECRETS: &str = "\
    donkey foreignkey groupkey hockey hotkey jockey lackey monkey partitionkey primarykey sortkey turkey \
    whiskey";

/// The minimum length of a random run with mixed case.
const RANDOM: usize = 20;
/// The minimum length of a random run of hexadecimal digits or of a single case. Shorter ones occur in ordinary words.
const RANDOM_HEX: usize = 32;
/// The minimum number of changes between digits and other characters in a random run.
const CHANGES: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A prompt: a doubtful word counts as a secret.
    Prompt,
    /// A text that is stored: a doubtful word does not count as a secret.
    Note,
}

/// The certainty with which a key's name marks its value as a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Password,
    /// The value is another secret.
    Sure,
    /// `pass`: a value after `=`, or in a prompt after `:`, is a password. A value after the bare word may be one.
    Pass,
    /// A name with a part that means a password, such as `DB_PASS`, or a different kind of pass, such as `post-pass`.
    Part,
    /// `key`: the value may be a secret.
    Maybe,
}

impl Key {
    /// Returns the look by which a value of this key is recognised as a secret.
    pub(super) const fn look(self, source: Source) -> Look {
        match (source, self) {
            (Source::Prompt, Self::Password | Self::Part | Self::Sure) => Look::Odd(1),
            (Source::Prompt, Self::Pass) => Look::Odd(SHORT),
            (Source::Prompt, Self::Maybe) => Look::Odd(UNSURE),
            (Source::Note, Self::Password | Self::Part | Self::Pass) => Look::Password,
            (Source::Note, Self::Sure | Self::Maybe) => Look::Generated,
        }
    }

    /// Returns true if a text directly after the key and `=` or `:` is a secret value.
    pub(super) fn takes(self, value: &str, link: &str, source: Source) -> bool {
        let look = self.look(source);
        match source {
            Source::Prompt => self != Self::Maybe || look.fits(value),
            Source::Note if is_variable(value) => false,
            // Ordinary text such as `tests pass: 3a`, or `auth.rs:286`, which is a place in a file.
            Source::Note
                if link == ":" && (self == Self::Pass || !value.contains(char::is_alphabetic)) =>
            {
                false
            }
            Source::Note => {
                let is_set = link == "=" && self == Self::Password && value.len() >= SHORT;
                is_set || look.fits(value) || look.is_quoted(value)
            }
        }
    }

    /// Returns true if a secret in a note may follow this key without `=` or `:`.
    pub(super) fn stands_alone(self, word: &str) -> bool {
        let name = word.trim_matches(['*', '`', '"', '\'']);
        let in_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        !matches!(self, Self::Pass | Self::Part) && name.chars().all(in_name)
    }
}

/// Returns the certainty with which the value of this key is a secret. `None` if the name is not that of a key.
pub(super) fn key(name: &str) -> Option<Key> {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let has = |words: &[&str]| words.iter().any(|word| plain.contains(word));
    let parts = || name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    let has_part = |words: &[&str]| {
        let is_one = |part: &str| words.iter().any(|word| part.eq_ignore_ascii_case(word));
        parts().count() > 1 && parts().any(is_one)
    };
    match plain.as_str() {
        "key" => Some(Key::Maybe),
        "pass" => Some(Key::Pass),
        "pw" => Some(Key::Password),
        _ if PASSWORDS.iter().any(|word| plain.ends_with(word)) => Some(Key::Password),
        _ if has_part(&PASSWORD_PARTS) => Some(Key::Part),
        _ if has(&PASSWORDS) || has(&SECRET_WORDS) || has_part(&SECRET_PARTS) => Some(Key::Sure),
        _ if !plain.ends_with("key") => None,
        _ => NO_SECRETS.split_whitespace().all(|word| word != plain).then_some(Key::Sure),
    }
}

/// The look of a word that is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// At least this number of characters, with a digit, a capital after a small letter or a sign such as `@`; or at
    /// least [`LONG`].
    Odd(usize),
    /// Chosen by a person: some characters with digits or signs, or a quoted text.
    Password,
    Generated,
}

impl Look {
    pub(super) fn fits(self, word: &str) -> bool {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let length = word.chars().count();
        let is_sign =
            |c: char| matches!(c, '!' | '@' | '#' | '$' | '%' | '^' | '&' | '*' | '+' | '~');
        let has_odd = word.contains(|c: char| c.is_numeric() || is_sign(c));
        let mut humps = word.chars().zip(word.chars().skip(1));
        let has_hump = humps.any(|(one, next)| one.is_lowercase() && next.is_uppercase());
        match self {
            Self::Odd(least) => length >= least && (length >= LONG || has_odd || has_hump),
            Self::Password => {
                let in_code = ['/', '(', ')', '[', ']', '{', '}', '<', '>', '`'];
                length >= SHORT && has_odd && !word.contains(in_code)
            }
            Self::Generated => {
                let end = word.find(|c| !in_token(c) && !matches!(c, '/' | '='));
                let word = &word[..end.unwrap_or(word.len())];
                let is_id = |part: &str| {
                    part.len() >= UNSURE
                        && part[..part.len() - 1].contains(char::is_numeric)
                        && part.contains(char::is_alphabetic)
                };
                is_mixed(word, 25) || word.split(|c: char| !c.is_ascii_alphanumeric()).any(is_id)
            }
        }
    }

    /// Returns true if a quoted text is a secret because of its quotation marks.
    pub(super) fn is_quoted(self, word: &str) -> bool {
        let Some(mark) = quote(word) else { return false };
        let is_short = || word[1..].find(mark).is_some_and(|end| end < SHORT);
        self == Self::Odd(1) || self == Self::Password && mark != '`' && !is_short()
    }
}

/// Returns true for a text that stands for a value: `$TOKEN`, `<password>`.
pub(super) fn is_variable(word: &str) -> bool {
    word.trim_start_matches(['"', '\'', '`']).starts_with(['$', '<', '{', '[', '%'])
}

/// Returns the opening quotation mark of a word, if there is one.
pub(super) fn quote(word: &str) -> Option<char> {
    word.chars().next().filter(|mark| matches!(mark, '"' | '\'' | '`'))
}

pub(super) fn is_link(word: &str) -> bool {
    matches!(word, "=" | ":" | "=>" | ":=") || word.trim_end_matches(':').eq_ignore_ascii_case("is")
}

/// Returns true for `to` and `as`, which may stand between a key and its value.
pub(super) fn is_to(word: &str) -> bool {
    ["to", "as"].iter().any(|to| word.eq_ignore_ascii_case(to))
}

/// Returns true for an authorization scheme, whose credentials are the next word.
pub(super) fn is_scheme(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    ["bearer", "basic", "digest"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Returns the byte at which the secret part of a webhook URL begins, if there is one.
pub(super) fn hook(word: &str, source: Source) -> Option<usize> {
    let behind = HOOKS.iter().filter_map(|hook| word.find(hook).map(|at| at + hook.len()));
    behind.min().filter(|at| Key::Maybe.look(source).fits(&word[*at..]))
}

/// Returns true for a pair `name:password`.
pub(super) fn is_pair(word: &str, source: Source) -> bool {
    let Some((name, password)) = word.split_once(':') else { return false };
    // `date -u +%H:%M` and `docker run -u 1000:1000` contain no password.
    !name.starts_with('+')
        && (source == Source::Prompt
            || name.contains(char::is_alphabetic) && Look::Password.fits(password))
}

/// Returns true if the user information of a URL is a secret.
pub(super) fn is_user(user: &str, source: Source) -> bool {
    source == Source::Prompt
        || match user.split_once(':') {
            Some((_, password)) => !is_variable(password),
            None => Look::Generated.fits(user),
        }
}

pub(super) const fn in_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '~')
}

/// Returns true for a token with a well-known prefix.
pub(super) fn is_token(run: &str) -> bool {
    PREFIXES.split_whitespace().any(|prefix| {
        run.strip_prefix(prefix).is_some_and(|rest| {
            rest.len() >= PREFIXED && rest.bytes().any(|byte| byte.is_ascii_digit())
        })
    })
}

/// Returns true for a long run of base64 in which the class of character (digit, small letter, capital) changes after
/// at least this percentage of the characters.
fn is_mixed(run: &str, percent: usize) -> bool {
    let run = run.trim_end_matches('=');
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 1,
        b'a'..=b'z' => 2,
        b'A'..=b'Z' => 4,
        b'-' | b'_' | b'+' | b'/' => 0,
        _ => 8,
    };
    let changes = run.as_bytes().windows(2).filter(|two| {
        let (one, next) = (class(two[0]), class(two[1]));
        one != next && one * next > 0
    });
    run.len() >= RANDOM
        && run.bytes().fold(0, |all, byte| all | class(byte)) == 7
        && changes.count() * 100 >= run.len() * percent
}

/// Returns true if a run of characters looks randomly generated: in a prompt, many hexadecimal digits or letters of
/// both cases mixed with digits; in a note, base64.
pub(super) fn is_random(run: &str, source: Source) -> bool {
    let letters = run.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    if source == Source::Note {
        // Names have few digits. `sha256-` begins a digest.
        return digits > 1
            && digits * 16 >= run.len()
            && !run.starts_with("sha")
            && is_mixed(run, 40);
    }
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
