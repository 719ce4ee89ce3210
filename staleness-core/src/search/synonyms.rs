//! Synonyms: other words that a tool may use with the same meaning.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use foldhash::HashMap;

use super::stem::stem;

/// Weight of a synonym. The word itself weighs 1.
const SYNONYM: f64 = 0.7;

/// Words that people and tool descriptions use interchangeably: first verbs, then nouns. A word in several
/// groups has the synonyms of each. Only everyday words are listed; special terms are learned from use.
const GROUPS: &[&[&str]] = &[
    &["list", "show", "view", "see", "display", "browse", "enumerate"],
    &["read", "get", "fetch", "retrieve", "open", "load", "view", "content"],
    &["find", "search", "lookup", "query", "locate", "seek", "look"],
    &["create", "make", "add", "new", "insert", "build", "generate", "write"],
    &["write", "compose", "draft"],
    &["delete", "remove", "erase", "drop", "destroy", "discard", "clear", "purge", "trash", "rid"],
    &["update", "edit", "change", "modify", "alter", "set", "adjust", "rewrite", "fix"],
    &["rename", "move"],
    &["send", "post", "publish", "message", "share"],
    &["reply", "respond", "answer"],
    &["run", "execute", "launch", "start", "invoke", "trigger"],
    &["stop", "kill", "cancel", "abort", "terminate", "end", "halt"],
    &["download", "save", "pull"],
    &["upload", "attach", "push"],
    &["copy", "duplicate", "clone", "fork"],
    &["convert", "transform", "export", "translate"],
    &["compare", "diff", "difference"],
    &["merge", "combine", "join"],
    &["close", "finish", "complete", "resolve"],
    &["schedule", "book", "plan"],
    &["click", "press", "tap"],
    &["type", "fill", "enter"],
    &["price", "cost", "quote"],
    &["picture", "image", "photo", "screenshot"],
    &["person", "user", "people", "member", "contact"],
    &["folder", "directory"],
    &["file", "document"],
    &["page", "site", "website", "web", "url", "link"],
    &["repo", "repository"],
    &["bug", "issue", "ticket", "problem", "error"],
    &["comment", "note", "remark"],
    &["email", "mail", "message", "inbox"],
    &["channel", "room", "chat"],
    &["event", "meeting", "appointment", "calendar"],
    &["task", "todo"],
    &["job", "task"],
    &["weather", "forecast", "temperature"],
    &["directions", "route"],
    &["sheet", "spreadsheet"],
    &["row", "record", "entry"],
    &["db", "database"],
    &["chart", "graph", "plot"],
    &["text", "words"],
    &["history", "past", "previous"],
    &["latest", "recent", "newest", "last"],
    &["summary", "overview"],
    &["big", "large"],
    &["count", "number", "many"],
    &["pod", "container"],
    &["paper", "article", "publication"],
    &["video", "clip"],
    &["song", "track", "music"],
    &["customer", "client"],
    &["invoice", "bill"],
    &["payment", "charge"],
    &["label", "tag"],
    &["team", "group"],
    &["status", "state"],
    &["detail", "information", "info"],
];

/// Returns the stems of words that a stem may also mean, with their weights, 0..=1: its synonyms, and the
/// form without `s` if it may be a plural (`apis`, `menus`, but also `analysis`, `status`).
pub(super) fn alike(word: &str) -> impl Iterator<Item = (&str, f64)> {
    let singular =
        word.strip_suffix('s').filter(|rest| rest.len() > 2 && rest.ends_with(['i', 'u']));
    let synonyms = synonyms().get(word).map_or(&[][..], Vec::as_slice);
    let synonyms = synonyms.iter().map(|synonym| (*synonym, SYNONYM));
    singular.map(|word| (stem(word), 1.0)).into_iter().chain(synonyms)
}

/// Returns the stems of the synonyms of each stem, in order.
fn synonyms() -> &'static HashMap<&'static str, Vec<&'static str>> {
    static ALL: OnceLock<HashMap<&str, Vec<&str>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: HashMap<&str, BTreeSet<&str>> = HashMap::default();
        for group in GROUPS {
            let stems: Vec<&str> = group.iter().map(|word| stem(word)).collect();
            for word in &stems {
                all.entry(word).or_default().extend(stems.iter().filter(|other| *other != word));
            }
        }
        all.into_iter().map(|(word, others)| (word, others.into_iter().collect())).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike_of(word: &str) -> Vec<&str> {
        alike(stem(word)).map(|(other, _)| other).collect()
    }

    #[test]
    fn synonyms_go_both_ways_and_hold_no_word_itself() {
        for (word, others) in synonyms() {
            assert!(!others.contains(word), "{word}");
            assert!(others.iter().all(|other| synonyms()[other].contains(word)), "{word}");
        }
        assert!(alike_of("erasing").contains(&"delet") && alike_of("deletes").contains(&"eras"));
        assert!(alike_of("message").contains(&"mail") && alike_of("message").contains(&"post"));
        assert_eq!(alike_of("zebra"), [""; 0]);
    }

    #[test]
    fn a_plural_that_may_be_none_stands_for_both() {
        for (plural, singular) in
            [("apis", "api"), ("menus", "menu"), ("wikis", "wiki"), ("emojis", "emoji")]
        {
            assert_eq!(alike_of(plural), [stem(singular)]);
        }
        assert_eq!(alike_of("bus"), [""; 0]);
    }
}
