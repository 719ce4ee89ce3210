//! Describes each piece of evidence in words that a person can act on.

use std::fmt::Write as _;

use super::{Cited, Evidence, Fact};
use crate::text::days as days_in_words;
use crate::time::Timestamp;

/// The maximum length of a name, path or word in a sentence, in characters.
const SHOWN_CHARS: usize = 120;
/// The length of a shortened commit id, in characters.
const COMMIT_CHARS: usize = 7;

/// The data that a description needs in addition to the fact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) now: Timestamp,
    /// True if the item was verified, false if only its time of writing is known.
    pub(super) verified: bool,
}

/// Describes evidence in one line without control characters. The line contains only names, paths and this program's
/// own words.
pub(super) fn sentence(evidence: &Evidence, anchor: &Anchor) -> String {
    let mut text = of_fact(&evidence.fact, anchor);
    if let Some(near) = &evidence.near {
        let _ = write!(text, "; the nearest is {}", shown(near));
    }
    text
}

fn of_fact(fact: &Fact, anchor: &Anchor) -> String {
    let made = if anchor.verified { "verified" } else { "written" };
    match fact {
        Fact::Expired { at } => {
            let ago = days(anchor.now.days_since(*at));
            format!("expired {ago} ago, on {}", at.date())
        }
        Fact::Superseded { by } => format!("superseded by {}", shown(by)),
        Fact::Contradicted { by, .. } => format!("{} marked it as wrong", shown(by)),
        Fact::SourceMissing { citation, gone, renamed_to, commit } => {
            let path = shown(&citation.path);
            if let Some(new) = renamed_to {
                return match gone {
                    Cited::Heading => {
                        now(&shown(&citation.to_string()), &format!("#{new}"), commit)
                    }
                    _ => now(&path, new, commit),
                };
            }
            let by = commit_of("removed in", commit);
            match (gone, &citation.lines, &citation.symbol) {
                (Cited::Lines, Some(lines), _) => format!("{path} has no line {lines}{by}"),
                (Cited::Symbol, _, Some(symbol)) => {
                    format!("{path} no longer has {}{by}", shown(symbol))
                }
                (Cited::Heading, ..) => {
                    format!("the heading {} no longer exists{by}", shown(&citation.to_string()))
                }
                // Without a commit it is unknown whether the path ever existed.
                _ if commit.is_none() => format!("{path} does not exist"),
                _ => format!("{path} no longer exists{by}"),
            }
        }
        Fact::ReferenceDrift { word, renamed_to, commit, at, .. } => match renamed_to {
            Some(new) => now(&shown(word), new, commit),
            None => gone_word(word, commit, *at),
        },
        Fact::SourceChanged { citation, commit, days_after } => {
            let cited = shown(&citation.to_string());
            match (commit, days_after) {
                (Some(commit), Some(0)) => {
                    format!("{cited} was changed in {}, after this was {made}", short(commit))
                }
                (Some(commit), Some(after)) => {
                    let after = days(*after);
                    format!(
                        "{cited} was changed in {}, {after} after this was {made}",
                        short(commit)
                    )
                }
                (Some(commit), None) => {
                    format!("{cited} was changed in {} after this was {made}", short(commit))
                }
                (None, _) => format!("{cited} has changed since this was {made}"),
            }
        }
        Fact::VersionDrift { written_for, project_at, .. } => {
            format!("written for {}, project is at {}", shown(written_for), shown(project_at))
        }
        Fact::RelatedFresher { id } => {
            format!("depends on {}, which changed after this was {made}", shown(id))
        }
        Fact::RelatedStale { id } => format!("depends on {}, which is stale", shown(id)),
        Fact::RecalledWithoutProgress { recalls } => {
            format!("recalled {recalls} times since its last edit, and still open")
        }
        Fact::TemporalMarker { word } => {
            format!("says \"{}\": check if that is still true", shown(word))
        }
        Fact::FutureDate { at } => format!("its date, {}, is in the future", at.date()),
        Fact::BrokenLink { citation, commit: Some(commit), .. } => {
            let (path, commit) = (shown(&citation.to_string()), short(commit));
            format!("{path} was already gone when this was last edited (removed in {commit})")
        }
        Fact::BrokenLink { citation, gone, .. } => {
            let what = if *gone == Cited::Heading { "the heading " } else { "" };
            format!("{what}{} never existed", shown(&citation.to_string()))
        }
    }
}

/// Says that a name has a new name. `commit` removed the old name; of several renames it is the first.
fn now(name: &str, new: &str, commit: &Option<String>) -> String {
    format!("{name} is now {}{}", shown(new), commit_of("renamed in", commit))
}

/// Says that a name no longer exists, with the commit that removed it and its date if known.
fn gone_word(word: &str, commit: &Option<String>, at: Option<Timestamp>) -> String {
    let mut text = format!("{} no longer exists in the project", shown(word));
    if let Some(commit) = commit {
        let _ = write!(text, " (removed in {}", short(commit));
        if let Some(at) = at {
            let _ = write!(text, " on {}", at.date());
        }
        text.push(')');
    }
    text
}

/// Returns a text on one line, without control characters and shortened to [`SHOWN_CHARS`].
fn shown(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(SHOWN_CHARS));
    for (at, c) in text.chars().enumerate() {
        if at == SHOWN_CHARS {
            line.push('…');
            break;
        }
        line.push(if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c });
    }
    line
}

fn short(commit: &str) -> String {
    commit.chars().filter(char::is_ascii_alphanumeric).take(COMMIT_CHARS).collect()
}

/// Returns ` (removed in 1f3c9a2)` if the commit is known, otherwise an empty text.
fn commit_of(verb: &str, commit: &Option<String>) -> String {
    let mut text = String::new();
    if let Some(commit) = commit {
        let _ = write!(text, " ({verb} {})", short(commit));
    }
    text
}

fn days(days: i64) -> String {
    match days {
        0 => "less than a day".into(),
        days => days_in_words(days),
    }
}
