//! Directives in comments of documents. Authors control the check with them.
//!
//! ```text
//! <!-- staleness: ignore -->                                  the next element: paragraph, list, table, heading …
//! <!-- staleness: ignore reference_drift: old name, on purpose -->    only these signals; the rest is the reason
//! <!-- staleness: ignore-section -->                          to the end of this section
//! <!-- staleness: ignore-file -->                             the whole document
//! <!-- staleness: verified 2026-10-01 -->                     the next element; before the first block: the document
//! ```
//!
//! Within a paragraph, an item or a row, a directive applies to that block.

use std::collections::BTreeSet;

use staleness_core::time::Timestamp;
use staleness_core::verdict::SignalKind;

use crate::date;

/// The scope of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The next element, or the block that contains the directive.
    Element,
    /// Up to the next heading of the same or a higher level.
    Section,
    File,
}

/// The signals that a directive suppresses.
pub(crate) type Kinds = BTreeSet<SignalKind>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Directive {
    Ignore(Reach, Kinds),
    Verified(Timestamp),
}

/// Finds the directives in a piece of HTML, each with the offset of its comment. A malformed directive is an
/// error with the reason.
pub(crate) fn find(html: &str) -> Vec<(usize, Result<Directive, String>)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = html[from..].find("<!--") {
        let start = from + at;
        let inner = start + 4;
        let end = html[inner..].find("-->").map_or(html.len(), |at| inner + at);
        if let Some(text) = html[inner..end].trim().strip_prefix("staleness:") {
            found.push((start, parse(text.trim())));
        }
        from = end;
    }
    found
}

fn parse(text: &str) -> Result<Directive, String> {
    let (verb, rest) = match text.find(|c: char| c.is_whitespace() || c == ':') {
        Some(at) => (&text[..at], text[at..].trim_start()),
        None => (text, ""),
    };
    let reach = match verb {
        "ignore" => Reach::Element,
        "ignore-section" => Reach::Section,
        "ignore-file" => Reach::File,
        "verified" => {
            let day = rest.split(" -- ").next().unwrap_or_default().trim();
            return date::parse(day)
                .map(Directive::Verified)
                .ok_or_else(|| "`verified` needs a date such as 2026-10-01".to_owned());
        }
        _ => {
            return Err("has an unknown name; use ignore, ignore-section, ignore-file or verified"
                .to_owned());
        }
    };
    kinds(rest).map(|kinds| Directive::Ignore(reach, kinds))
}

/// Parses signals separated by commas or spaces, up to a colon or ` -- `. An empty list means all signals.
fn kinds(text: &str) -> Result<Kinds, String> {
    let list = text.split(" -- ").next().unwrap_or_default();
    let list = if list.starts_with("-- ") { "" } else { list };
    let list = list.split(':').next().unwrap_or_default();
    let kinds = list
        .split([',', ' ', '\t', '\n', '\r'])
        .filter(|word| !word.is_empty())
        .map(|word| {
            SignalKind::ALL
                .into_iter()
                .find(|kind| kind.as_str() == word)
                .ok_or_else(|| "names an unknown signal; put a colon before a reason".into())
        })
        .collect::<Result<Kinds, String>>()?;
    Ok(if kinds.is_empty() { SignalKind::ALL.into() } else { kinds })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(comment: &str) -> Option<Result<Directive, String>> {
        find(comment).pop().map(|(_, found)| found)
    }

    #[test]
    fn every_form_is_read() {
        let all = Kinds::from(SignalKind::ALL);
        let two = Kinds::from([SignalKind::ReferenceDrift, SignalKind::TemporalMarker]);
        for (text, expected) in [
            ("ignore", Directive::Ignore(Reach::Element, all.clone())),
            ("ignore: an old name", Directive::Ignore(Reach::Element, all.clone())),
            ("ignore -- an old name", Directive::Ignore(Reach::Element, all.clone())),
            (
                "ignore reference_drift, temporal_marker: on purpose",
                Directive::Ignore(Reach::Element, two.clone()),
            ),
            (
                "ignore-section temporal_marker reference_drift",
                Directive::Ignore(Reach::Section, two),
            ),
            ("ignore-file", Directive::Ignore(Reach::File, all)),
        ] {
            assert_eq!(one(&format!("<!-- staleness: {text} -->")), Some(Ok(expected)), "{text}");
        }
        let day = "2026-10-01T00:00:00Z".parse().unwrap();
        assert_eq!(
            one("<!--staleness: verified 2026-10-01-->"),
            Some(Ok(Directive::Verified(day)))
        );
    }

    #[test]
    fn what_is_no_directive_says_so() {
        for text in ["", "skip", "verified soon", "ignore drift", "verified"] {
            assert!(one(&format!("<!-- staleness: {text} -->")).unwrap().is_err(), "{text}");
        }
        assert!(one("<!-- ignore -->").is_none());
        assert!(one("<b>staleness: ignore</b>").is_none());
        assert_eq!(find("<!-- staleness: ignore --> <!-- staleness: ignore").len(), 2);
    }
}
