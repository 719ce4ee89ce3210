//! Limits on the contents of items and reasons.

use crate::ids::IdError;
use crate::knowledge::{Citation, Item};
use crate::refusal::Refusal;

impl Item {
    /// Checks that an item may be stored: sizes, no blank text without a file, no control characters in
    /// keywords, paths or versions, and valid line ranges.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`] or [`Refusal::Invalid`] with the reason.
    pub fn check(&self) -> Result<(), Refusal> {
        Refusal::check_size("text", self.body.len(), Self::MAX_BODY_BYTES)?;
        if self.body.contains('\0') {
            return Err(Refusal::Invalid("the text contains a NUL character".into()));
        }
        if self.body.trim().is_empty() && self.path.is_none() {
            return Err(Refusal::Invalid("the text is empty".into()));
        }
        for word in &self.keywords {
            IdError::check(word).map_err(|why| invalid("keyword", word, why))?;
        }
        for text in [&self.path, &self.version_context, &self.verified_commit].into_iter().flatten()
        {
            one_line(text)?;
        }
        self.citations.iter().try_for_each(check_citation)?;
        if let Some(contradiction) = &self.contradicted {
            IdError::check(&contradiction.by)
                .map_err(|why| invalid("name", &contradiction.by, why))?;
            check_reason(&contradiction.reason)?;
        }
        let bytes = fields(self);
        Refusal::check_size("list of keywords, citations and links", bytes, Self::MAX_FIELDS_BYTES)
    }
}

/// Refuses a blank reason, and one that is too long.
pub(crate) fn check_reason(reason: &str) -> Result<(), Refusal> {
    if reason.trim().is_empty() {
        return Err(Refusal::Invalid("the reason is empty".into()));
    }
    if reason.contains('\0') {
        return Err(Refusal::Invalid("the reason contains a NUL character".into()));
    }
    Refusal::check_size("reason", reason.len(), Item::MAX_REASON_BYTES)
}

fn check_citation(citation: &Citation) -> Result<(), Refusal> {
    if citation.path.is_empty() {
        return Err(Refusal::Invalid("a citation needs a path".into()));
    }
    one_line(&citation.path)?;
    for text in [&citation.symbol, &citation.digest].into_iter().flatten() {
        one_line(text)?;
    }
    match citation.lines {
        Some(lines) if lines.first == 0 || lines.last < lines.first => Err(Refusal::Invalid(
            format!("lines {}-{} of {:?} are not a range", lines.first, lines.last, citation.path),
        )),
        _ => Ok(()),
    }
}

fn one_line(text: &str) -> Result<(), Refusal> {
    if text.chars().any(char::is_control) {
        return Err(Refusal::Invalid(format!("{text:?} contains a control character")));
    }
    Ok(())
}

fn invalid(what: &str, text: &str, why: impl std::fmt::Display) -> Refusal {
    let start: String = text.chars().take(80).collect();
    Refusal::Invalid(format!("the {what} {start:?} {why}"))
}

/// Returns the bytes of all texts except the body, plus at least 8 for each entry of a list.
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
