//! Finds suspicious text in definitions: orders to the model, new addresses, hidden characters. The lists cover attacks
//! that were observed in practice and do not judge meaning. They are matched in linear time. Real servers ask to be
//! called before other tools, so this alone does not count as an order.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::canonical::hex;
use crate::text::is_unsafe;

/// A suspicious part of a definition. Addresses sort last, because there may be many.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// Words that give the model an order.
    Order(String),
    /// Invisible characters.
    Hidden,
    /// The digest of a text that contains an order or hidden characters. Accepting one text does not accept
    /// another.
    Text(String),
    /// A word that mixes Latin letters with similar letters of another script.
    Mixed(String),
    /// An address: its host, and the complete address without user and query. Also a comment: its opening mark, and its
    /// digest. Also, twice, a word that is suspicious only if it is new: `.env`, or the full name of a tool, which a
    /// server cannot know for its own tools.
    Address(String, String),
}

/// The maximum number of findings stored. A definition with more is suspicious for that reason.
const MAX_FINDINGS: usize = 64;

/// The description of a definition with more than [`MAX_FINDINGS`] findings.
pub(super) const MANY: &str = "names more addresses than a tool should";

/// The prefix of the full name of a tool.
pub(super) const TOOL: &str = "mcp__";

pub(super) const COMMENT: &str = "<!--";

/// The description of a definition with an HTML comment.
pub(super) const NOT_SHOWN: &str = "contains a comment that is not shown";

/// The name of a file that usually contains secrets.
pub(super) const ENV: &str = ".env";

/// The maximum number of characters of an address or a word to compare.
const MAX_CHARS: usize = 200;

/// Orders, each as words that follow each other within [`WINDOW`] words. `|` separates alternatives. A word after `+`
/// must follow directly.
const ORDERS: [(&str, &[&str]); 13] = [
    (
        "tells the model to ignore its instructions",
        &[
            "ignore|disregard|forget|override",
            "previous|prior|earlier|above|other|all|system|existing",
            "instruction|instructions|rules|prompt|prompts|guidelines",
        ],
    ),
    (
        "tells the model to hide something from the user",
        &[
            "not|never|dont|avoid",
            "tell|telling|mention|mentioning|inform|informing|reveal|notify|show|alert",
            "user|users|human",
        ],
    ),
    (
        "tells the model to hide something from the user",
        &["without", "telling|informing|asking|notifying|mentioning|alerting", "user|users|human"],
    ),
    (
        "tells the model to keep a secret",
        &[
            "never|dont",
            "+tell|mention|inform|notify|say",
            "+this|that|these|it|anyone|anybody|anything",
        ],
    ),
    (
        "tells the model to keep a secret",
        &[
            "do|must|should|shall",
            "+not",
            "+tell|mention|inform|notify|say",
            "+this|that|these|it|anyone|anybody|anything",
        ],
    ),
    (
        "tells the model to keep a secret",
        &[
            "not|never|dont",
            "+reveal|disclose|mention|discuss|repeat",
            "+this|these|that|those|the|any",
            "instruction|instructions|directive|directives|rule|rules|step|steps|note",
        ],
    ),
    (
        "asks for the conversation",
        &[
            "send|forward|pass|attach|append|upload|post|copy|paste|email|share|submit",
            "whole|entire|full|complete|previous|prior",
            "+conversation|conversations|chat|chats|dialogue",
        ],
    ),
    (
        "asks for the conversation",
        &[
            "and|also|always|must|should|please",
            "+include|provide|add|put",
            "whole|entire|full|complete|previous|prior",
            "+conversation|conversations|chat|chats|dialogue",
        ],
    ),
    (
        "asks for the conversation",
        &[
            "send|forward|pass|attach|append|upload|post|copy|paste|email|share|submit",
            "+the|our|your|all",
            "+conversation|chat|dialogue",
            "+history|log|so|with|context",
        ],
    ),
    ("mentions the system prompt", &["system", "prompt"]),
    ("mentions secret files", &["ssh", "id_rsa|id_ed25519|authorized_keys|key|keys"]),
    ("mentions secret files", &["aws", "credentials"]),
    (
        "tells the model to call other tools first",
        &["before", "using|calling|any", "tool|tools", "read|call|send|fetch|run|forward|upload"],
    ),
];

/// The words that turn a mention of `.env` into an order.
const READS_ENV: [&str; 2] = ["send|pass|content|contents", "env"];

/// The maximum number of words, after the first one, over which an order may spread.
const WINDOW: usize = 7;

/// The description of text that imitates another speaker.
const POSES: &str = "poses as the system";

/// The speakers of a conversation, and the first words that address a model after such a header.
const SPEAKERS: [&str; 4] = ["system", "system message", "assistant", "developer"];
const ADDRESSED: [&str; 6] = ["you", "ignore", "disregard", "forget", "obey", "follow"];

/// Phrases that imitate another speaker, or name places where secrets are stored.
const MARKS: [(&str, &str); 13] = [
    (POSES, "<important>"),
    (POSES, "<system>"),
    (POSES, "<|im_start|>"),
    (POSES, "[system]"),
    (POSES, "<secret>"),
    (POSES, "<|system|>"),
    (POSES, "<<sys>>"),
    (POSES, "[inst]"),
    (POSES, "### instruction:"),
    (POSES, "### system:"),
    ("mentions secret files", "~/.ssh"),
    ("mentions secret files", "mcp.json"),
    ("mentions secret files", "/etc/passwd"),
];

/// File extensions that are not the end of a host name.
const FILES: [&str; 10] = ["js", "ts", "jsx", "json", "txt", "csv", "html", "yaml", "toml", "xml"];

/// Characters that are used as an apostrophe.
const APOSTROPHES: [char; 6] = ['\u{2019}', '\u{2018}', '\u{2bc}', '\u{ff07}', '\u{b4}', '`'];

/// Letters of other scripts that look like Latin ones.
const ALIKE: &str = "аеорсухіјѕԁԛԝһӏАВЕКМНОРСТУХІЈЅοναριΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";

/// Returns the findings in the name of a tool and in the parts of its definition.
pub(super) fn findings<'v>(
    name: Option<&str>,
    parts: impl Iterator<Item = &'v Value>,
) -> BTreeSet<Finding> {
    let mut found = Findings(BTreeSet::new());
    found.in_text(name.unwrap_or_default(), true);
    parts.for_each(|value| found.in_value(value));
    bounded(found.0)
}

/// Limits findings to the maximum number. If there were more, one of them says so.
pub(super) fn bounded(mut found: BTreeSet<Finding>) -> BTreeSet<Finding> {
    if found.len() > MAX_FINDINGS {
        while found.len() >= MAX_FINDINGS {
            found.pop_last();
        }
        found.insert(Finding::Order(MANY.to_owned()));
    }
    found
}

impl Finding {
    /// Returns true if the name of a tool or parameter is suspicious.
    pub fn is_in_name(name: &str) -> bool {
        let found = findings(Some(name), std::iter::empty());
        found.iter().any(|each| !matches!(each, Self::Address(..)))
    }

    /// Returns true if the finding is an address or the name of a tool. Icons contain addresses too.
    pub(super) fn is_address(&self) -> bool {
        matches!(self, Self::Address(host, _) if ![COMMENT, ENV].contains(&host.as_str()))
    }

    /// Returns true if the finding says that there were too many findings.
    pub(super) fn is_many(&self) -> bool {
        matches!(self, Self::Order(what) if what == MANY)
    }
}

/// Returns this program's description of an order that was stored as text.
pub(super) fn words_of(order: &str) -> &'static str {
    let all = ORDERS.iter().map(|(what, _)| *what).chain(MARKS.iter().map(|(what, _)| *what));
    all.chain([MANY, NOT_SHOWN]).find(|what| *what == order).unwrap_or("contains suspicious text")
}

/// The first findings, including one more than the maximum if there are more.
struct Findings(BTreeSet<Finding>);

impl Findings {
    fn add(&mut self, finding: Finding) {
        self.0.insert(finding);
        if self.0.len() > MAX_FINDINGS + 1 {
            self.0.pop_last();
        }
    }

    fn in_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.in_text(text, false),
            Value::Array(list) => list.iter().for_each(|value| self.in_value(value)),
            Value::Object(map) => {
                for (key, value) in map {
                    self.in_text(key, true);
                    // `$schema` is the URL of the schema language.
                    if key != "$schema" {
                        self.in_value(value);
                    }
                }
            }
            _ => {}
        }
    }

    /// Searches a text. In a name, `_` separates words; in other texts it counts as a letter.
    fn in_text(&mut self, text: &str, is_name: bool) {
        addresses(text).chain(bare(text)).chain(words(text)).for_each(|each| self.add(each));
        let lower = text.to_lowercase().replace(APOSTROPHES, "'").replace("n't", " not");
        let words: Vec<&str> = lower
            .split(|c: char| !c.is_alphanumeric() && (is_name || c != '_'))
            .filter(|w| !w.is_empty())
            .collect();
        let marks = MARKS.iter().filter(|(_, mark)| lower.contains(mark)).map(|(what, _)| *what);
        let orders = SPLIT.iter().filter(|(_, order)| gives(&words, order)).map(|(what, _)| *what);
        let reads_env = names_env(text) && gives(&words, &split(&READS_ENV));
        let secret = reads_env.then_some("mentions secret files");
        let comment = has_odd_comment(&lower).then_some(NOT_SHOWN);
        let header = has_header(&lower).then_some(POSES);
        let orders = marks.chain(orders).chain(header).chain(secret).chain(comment);
        let orders = orders.map(|what| Finding::Order(what.to_owned()));
        let found: Vec<_> = orders.chain(hides(text).then_some(Finding::Hidden)).collect();
        if !found.is_empty() {
            self.add(Finding::Text(hex(&Sha256::digest(text))));
        }
        found.into_iter().for_each(|each| self.add(each));
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| is_mixed(word)) {
            self.add(Finding::Mixed(cut(word).to_owned()));
        }
    }
}

/// Returns the full names of tools (`mcp__x__y`), the comments and `.env` in a text.
fn words(text: &str) -> impl Iterator<Item = Finding> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !"_-".contains(c));
    let is_full = |word: &&str| word.strip_prefix(TOOL).is_some_and(|rest| rest.contains("__"));
    let words = words.filter(is_full).map(cut).chain(names_env(text).then_some(ENV));
    let digest = |comment: &str| hex(&Sha256::digest(comment));
    let comments = comments(text).map(move |each| Finding::Address(COMMENT.into(), digest(each)));
    words.map(|word| Finding::Address(word.into(), word.into())).chain(comments)
}

fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.split(COMMENT).skip(1).filter_map(|part| part.split("-->").next())
}

/// Returns true if a text has a comment of more than three words, which is more than a typical example of a comment
/// has.
fn has_odd_comment(text: &str) -> bool {
    let is_odd = |comment: &str| comment.split_whitespace().nth(3).is_some();
    comments(text).any(is_odd)
}

fn names_env(text: &str) -> bool {
    let mut words = text.split(ends).map(|word| word.trim_end_matches(['.', ':', '!', '?']));
    words.any(|word| word == ENV || word.ends_with("/.env"))
}

/// A step of an order: its alternatives, and true if it follows directly.
type Step = (Vec<&'static str>, bool);

/// The orders, split once because every word of every text is compared with them.
static SPLIT: LazyLock<Vec<(&str, Vec<Step>)>> =
    LazyLock::new(|| ORDERS.iter().map(|(what, order)| (*what, split(order))).collect());

fn split(order: &[&'static str]) -> Vec<Step> {
    let step = |step: &&'static str| {
        let (words, is_next) = step.strip_prefix('+').map_or((*step, false), |it| (it, true));
        (words.split('|').collect(), is_next)
    };
    order.iter().map(step).collect()
}

/// Returns true if the words of an order occur in sequence, close to each other.
fn gives(words: &[&str], order: &[Step]) -> bool {
    let Some(((first, _), rest)) = order.split_first() else { return false };
    words.iter().enumerate().filter(|(_, word)| first.contains(word)).any(|(at, _)| {
        let end = words.len().min(at + 1 + WINDOW);
        follows(&words[at + 1..end], rest)
    })
}

/// Returns true if the rest of an order occurs in these words.
fn follows(near: &[&str], order: &[Step]) -> bool {
    let Some(((wanted, is_next), rest)) = order.split_first() else { return true };
    let most = if *is_next { 1 } else { near.len() };
    let mut places = near.iter().take(most).enumerate();
    places.any(|(at, word)| wanted.contains(word) && follows(&near[at + 1..], rest))
}

/// Returns true if a line or sentence begins like the turn of another speaker and continues by addressing the model.
/// This distinguishes it from a list with a parameter named `system`.
fn has_header(lower: &str) -> bool {
    let is_mark = |c: char| c.is_whitespace() && c != '\n' || "#*_[]()<>|\"'".contains(c);
    lower.match_indices([':', '\u{ff1a}']).any(|(at, colon)| {
        let head = lower[..at].trim_end_matches(is_mark);
        let mut before = SPEAKERS.iter().filter_map(|each| head.strip_suffix(each));
        let begins = before.any(|it| {
            let it = it.trim_end_matches(is_mark);
            it.is_empty() || it.ends_with(['\n', '.', '!', '?'])
        });
        let mut after = lower[at + colon.len()..].split(|c: char| !c.is_alphanumeric());
        begins && after.find(|it| !it.is_empty()).is_some_and(|it| ADDRESSED.contains(&it))
    })
}

/// Returns true if a text contains invisible characters. A selector or joiner after a symbol is part of an emoji.
fn hides(text: &str) -> bool {
    let mut before = ' ';
    text.chars().any(|c| {
        let makes_emoji = matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
            && !before.is_alphabetic()
            && !before.is_whitespace();
        let hidden = is_unsafe(c) && !matches!(c, '\n' | '\r' | '\t') && !makes_emoji;
        before = c;
        hidden
    })
}

/// Returns true if a word mixes Latin letters with letters that look like them.
fn is_mixed(word: &str) -> bool {
    let is_alike = |c: char| {
        ALIKE.contains(c) || matches!(c, '\u{ff21}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d7ff}')
    };
    !word.is_ascii() && word.chars().any(is_alike) && word.chars().any(|c| c.is_ascii_alphabetic())
}

/// Returns true if an address ends at this character.
fn ends(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "\"'`<>()[]{},;|\\".contains(c)
}

/// Returns the addresses with a scheme in a text. Reads at most [`MAX_CHARS`] characters of each, so that the running
/// time is linear.
fn addresses(text: &str) -> impl Iterator<Item = Finding> {
    let (mut places, mut begin) = (text.match_indices("://"), 0);
    std::iter::from_fn(move || {
        let (at, mark) = places.next()?;
        let before = std::mem::replace(&mut begin, at + mark.len());
        let scheme = text[before..at].rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
        let rest = cut(&text[begin..]);
        let rest = rest[..rest.find(ends).unwrap_or(rest.len())].split(['?', '#']).next();
        Some((cut(scheme.unwrap_or_default()), rest.unwrap_or_default()))
    })
    .filter_map(|(scheme, rest)| {
        let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = place.rsplit('@').next().unwrap_or_default().to_lowercase();
        let (host, path) =
            (host.trim_end_matches('.'), path.trim_end_matches(['.', '/', ':', '!']));
        let whole = format!("{scheme}://{host}/{path}");
        (!scheme.is_empty() && !host.is_empty()).then(|| Finding::Address(host.to_owned(), whole))
    })
}

/// Returns the addresses without a scheme in a text: `www.a.example`, `//a.example`, `a.example/x`,
/// `a.example:80`, `x@a.example`, or an IPv4 address.
fn bare(text: &str) -> impl Iterator<Item = Finding> {
    // `addresses` handles text with a scheme.
    let words = text.split(ends).map(|word| match word.split_once("://") {
        Some((before, _)) => before.trim_end_matches(|c: char| c.is_ascii_alphanumeric()),
        None => word,
    });
    words.flat_map(|word| word.split(['?', '#', '=', '&'])).filter_map(|word| {
        let word = cut(word.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/'));
        let rest = word.strip_prefix("//").unwrap_or(word);
        let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
        let at = place.rsplit('@').next().unwrap_or_default();
        let mut pieces =
            at.split(':').map(|each| each.trim_end_matches(|c: char| !c.is_alphanumeric()));
        let host = pieces.find(|each| is_host(each))?.to_lowercase();
        let has_port = pieces.next().is_some_and(|port| port.parse::<u16>().is_ok());
        let is_address = rest.len() < word.len()
            || place.len() < rest.len()
            || at.len() < place.len()
            || has_port
            || host.starts_with("www.")
            || at.to_lowercase().starts_with("http")
            || is_numbers(&host);
        let path = path.trim_end_matches(|c: char| !c.is_alphanumeric());
        let whole = format!("//{host}/{path}");
        is_address.then_some(Finding::Address(host, whole))
    })
}

/// Returns true if a word may be a host name and is not a common file name.
fn is_host(word: &str) -> bool {
    let is_label = |each: &str| {
        !each.is_empty() && each.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
    };
    let is_top = |top: &str| {
        top.starts_with("xn--")
            || top.chars().count() > 1
                && top.chars().all(char::is_alphabetic)
                && !FILES.contains(&top)
    };
    let top = word.rsplit_once('.').map(|(_, top)| top.to_lowercase());
    word.split('.').all(is_label) && (top.is_some_and(|top| is_top(&top)) || is_numbers(word))
}

/// Returns true if a word is an IPv4 address.
fn is_numbers(word: &str) -> bool {
    word.parse::<std::net::Ipv4Addr>().is_ok()
}

/// Returns the beginning of a text, at most [`MAX_CHARS`] characters.
fn cut(text: &str) -> &str {
    text.char_indices().nth(MAX_CHARS).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests;
