//! `badge`: the result of a check as an image, or as JSON for services that draw badges.

use serde_json::json;
use staleness::verdict::Level;

use super::{Checked, check};
use crate::args::CheckArgs;
use crate::error::CliError;
use crate::output::Output;
use crate::settings::Settings;

const LABEL: &str = "docs";
/// Width of a character in the image, in pixels. Each text is stretched to this width per character.
const CHARACTER: usize = 7;

pub(crate) fn run(settings: &Settings, out: &Output) -> Result<(), CliError> {
    let (message, color) = message_of(&check(settings, &CheckArgs::default(), None, false, out)?);
    if out.json {
        // https://shields.io/badges/endpoint-badge
        return out.json(&json!({
            "schemaVersion": 1, "label": LABEL, "message": message, "color": color,
        }));
    }
    out.text(&image(&message, color))
}

/// Returns the text of the badge and its colour.
fn message_of(checked: &Checked) -> (String, &'static str) {
    let report = &checked.report;
    let has_gaps = !report.blind.is_empty() || !report.skipped.is_empty();
    let count = |level| checked.found.groups.iter().filter(|it| it.worst.0 == level).count();
    match (count(Level::Stale), count(Level::Review)) {
        (0, 0) if has_gaps => ("not fully read".to_owned(), "#6b6b6b"),
        (0, 0) if report.counts.documents == 0 => ("none".to_owned(), "#6b6b6b"),
        // Without a commit, it is unknown which names were removed.
        (0, 0) if report.head.is_none() => ("no history".to_owned(), "#6b6b6b"),
        (0, 0) => ("up to date".to_owned(), "#3a7d1e"),
        (0, review) => (format!("{review} to review"), "#9a6700"),
        (stale, _) => (format!("{stale} stale"), "#b62324"),
    }
}

fn image(message: &str, color: &str) -> String {
    let [label, width] = [LABEL, message].map(|text| text.len() * CHARACTER + 10);
    let whole = label + width;
    let text = |text: &str, left: usize| {
        let length = text.len() * CHARACTER;
        let left = left + 5;
        format!("<text x=\"{left}\" y=\"14\" textLength=\"{length}\">{text}</text>")
    };
    let texts = text(LABEL, 0) + &text(message, label);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"20\" role=\"img\" \
         aria-label=\"{LABEL}: {message}\"><title>{LABEL}: {message}</title>\
         <clipPath id=\"r\"><rect width=\"{whole}\" height=\"20\" rx=\"3\"/></clipPath>\
         <g clip-path=\"url(#r)\"><rect width=\"{label}\" height=\"20\" fill=\"#444\"/>\
         <rect x=\"{label}\" width=\"{width}\" height=\"20\" fill=\"{color}\"/></g>\
         <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">{texts}</g></svg>\n"
    )
}
