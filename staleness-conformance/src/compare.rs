//! Compares views and commits, with readable differences.

use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};

use staleness_core::store::{Commit, Row, View};

/// Describes the first differences between two views, one per line. Empty if they are equal.
pub(crate) fn differences(found: &View, expected: &View) -> String {
    let mut text = String::new();
    one(&mut text, "revision", &found.revision, &expected.revision);
    one(&mut text, "floor", &found.floor, &expected.floor);
    one(&mut text, "route count", &found.route_count, &expected.route_count);
    one(&mut text, "looks", &found.looks, &expected.looks);
    macro_rules! compare {
        ($($field:ident: $row:ty,)*) => {
            $(rows(&mut text, <$row as Row>::NAME, &found.$field, &expected.$field);)*
        };
    }
    staleness_core::collections!(compare);
    rows(&mut text, "outcome", &found.outcomes, &expected.outcomes);
    rows(&mut text, "journal entry", &found.journal, &expected.journal);
    if text.is_empty() && found != expected {
        text.push_str("the views differ in a field that the suite does not know\n");
    }
    text
}

/// Describes the differences between two commits. See [`differences`].
pub(crate) fn commit_differences(found: &Commit, expected: &Commit) -> String {
    let mut text = String::new();
    one(&mut text, "revision of the commit", &found.revision, &expected.revision);
    one(&mut text, "changes", &found.changes, &expected.changes);
    text.push_str(&differences(&found.view, &expected.view));
    text
}

/// Panics with the differences if the views are not equal.
#[track_caller]
pub(crate) fn assert_same(found: &View, expected: &View) {
    let text = differences(found, expected);
    assert!(text.is_empty(), "the view is not as expected:\n{text}");
}

fn one<T: Debug + PartialEq>(text: &mut String, what: &str, found: &T, expected: &T) {
    if found != expected {
        let _ = writeln!(text, "{what}: found {found:?}\n  expected {expected:?}");
    }
}

fn rows<K: Debug + Ord, R: Debug + PartialEq>(
    text: &mut String,
    what: &str,
    found: &BTreeMap<K, R>,
    expected: &BTreeMap<K, R>,
) {
    const SHOWN: usize = 3;
    let missing = expected
        .iter()
        .filter(|(key, _)| !found.contains_key(key))
        .map(|(key, row)| format!("{what} {key:?} is missing: {row:?}"));
    let surplus = found
        .iter()
        .filter(|(key, _)| !expected.contains_key(key))
        .map(|(key, row)| format!("{what} {key:?} is there and should not be: {row:?}"));
    let changed = found.iter().filter_map(|(key, row)| {
        let wanted = expected.get(key).filter(|wanted| *wanted != row)?;
        Some(format!("{what} {key:?}: found {row:?}\n  expected {wanted:?}"))
    });
    let all: Vec<String> = missing.chain(surplus).chain(changed).collect();
    for line in all.iter().take(SHOWN) {
        let _ = writeln!(text, "{line}");
    }
    if all.len() > SHOWN {
        let _ = writeln!(text, "and {} more of these", all.len() - SHOWN);
    }
}
