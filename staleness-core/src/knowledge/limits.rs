//! Limits on the contents of items and reasons.

use crate::knowledge::{Citation, Item, Lines};
use crate::refusal::{Invalid, Refusal};

impl Item {
    /// Checks that an item may be stored: sizes, a text that is not blank unless it is in a file, no control characters
    /// in keywords, paths or versions, and valid line ranges.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`] or [`Refusal::Invalid`] with the reason.
    pub fn check(&self) -> Result<(), Refusal> {
        Refusal::check_size("text", self.body.len(), Self::MAX_BODY_BYTES)?;
        if !self.body.trim().is_empty() || self.path.is_none() {
            Invalid::check_text("text", &self.body)?;
        }
        self.keywords.iter().try_for_each(|word| Invalid::check_name("keyword", word))?;
        for text in [&self.path, &self.version_context, &self.verified_commit].into_iter().flatten()
        {
            one_line(text)?;
        }
        self.citations.iter().try_for_each(check_citation)?;
        if let Some(contradiction) = &self.contradicted {
            Invalid::check_name("name", &contradiction.by)?;
            check_reason(&contradiction.reason)?;
        }
        let bytes = fields(self);
        Refusal::check_size("list of keywords, citations and links", bytes, Self::MAX_FIELDS_BYTES)
    }
}

/// Refuses a reason that is blank or too long.
pub(crate) fn check_reason(reason: &str) -> Result<(), Refusal> {
    Invalid::check_text("reason", reason)?;
    Refusal::check_size("reason", reason.len(), Item::MAX_REASON_BYTES)
}

fn check_citation(citation: &Citation) -> Result<(), Invalid> {
    if citation.path.is_empty() {
        return Err(Invalid::NoPath);
    }
    one_line(&citation.path)?;
    for text in [&citation.symbol, &citation.digest].into_iter().flatten() {
        one_line(text)?;
    }
    match citation.lines {
        Some(Lines { first, last }) if first == 0 || last < first => {
            Err(Invalid::Lines { first, last, path: citation.path.clone() })
        }
        _ => Ok(()),
    }
}

fn one_line(text: &str) -> Result<(), Invalid> {
    match text.chars().any(char::is_control) {
        true => Err(Invalid::Control { text: text.into() }),
        false => Ok(()),
    }
}

/// Returns the size of all texts except the body, in bytes, plus at least 8 for each entry of a list.
fn fields(item: &Item) -> usize {
    let maybe = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let ids = item.supersedes.iter().chain(&item.superseded_by).chain(&item.related);
    let citations = item
        .citations
        .iter()
        .map(|each| 32 + each.path.len() + maybe(&each.symbol) + maybe(&each.digest));
    item.keywords.iter().map(|word| 8 + word.len()).sum::<usize>()
        + ids.map(|id| 8 + id.as_str().len()).sum::<usize>()
        + citations.sum::<usize>()
        + maybe(&item.path)
        + maybe(&item.version_context)
        + maybe(&item.verified_commit)
}
