//! What no record may hold.

use crate::ids::check_id;
use crate::knowledge::{Citation, Item};
use crate::refusal::Refusal;

/// The longest text of an item, in bytes.
pub const MAX_BODY_BYTES: usize = 1 << 20;

/// The most that all other fields of an item may hold together, in bytes.
pub const MAX_FIELDS_BYTES: usize = 256 << 10;

/// The longest reason that anybody may give, in bytes.
pub const MAX_REASON_BYTES: usize = 4 << 10;

/// Refuses an item that is too long, or that holds what nobody writes: a keyword, path or version
/// with a control character, lines that end before they begin.
///
/// # Errors
/// [`Refusal::Invalid`] with what is wrong.
pub fn check_item(item: &Item) -> Result<(), Refusal> {
    if item.body.len() > MAX_BODY_BYTES {
        return Err(Refusal::Invalid(format!(
            "the text is {} bytes long; at most {MAX_BODY_BYTES} are kept",
            item.body.len()
        )));
    }
    if item.body.contains('\0') {
        return Err(Refusal::Invalid("the text holds a NUL: it is no text".into()));
    }
    if item.body.trim().is_empty() && item.path.is_none() {
        return Err(Refusal::Invalid("the text is empty".into()));
    }
    for word in &item.keywords {
        check_id(word).map_err(|why| invalid("keyword", word, why))?;
    }
    for text in [&item.path, &item.version_context, &item.verified_commit].into_iter().flatten() {
        one_line(text)?;
    }
    item.citations.iter().try_for_each(check_citation)?;
    if let Some(contradiction) = &item.contradicted {
        check_id(&contradiction.by).map_err(|why| invalid("name", &contradiction.by, why))?;
        check_reason(&contradiction.reason)?;
    }
    let fields = fields(item);
    if fields > MAX_FIELDS_BYTES {
        return Err(Refusal::Invalid(format!(
            "keywords, citations and links take {fields} bytes; at most {MAX_FIELDS_BYTES} are kept"
        )));
    }
    Ok(())
}

/// Refuses no reason, and one that is too long.
pub(crate) fn check_reason(reason: &str) -> Result<(), Refusal> {
    if reason.trim().is_empty() {
        return Err(Refusal::Invalid("the reason is empty".into()));
    }
    if reason.len() > MAX_REASON_BYTES || reason.contains('\0') {
        return Err(Refusal::Invalid(format!(
            "a reason is a text of at most {MAX_REASON_BYTES} bytes"
        )));
    }
    Ok(())
}

fn check_citation(citation: &Citation) -> Result<(), Refusal> {
    if citation.path.is_empty() {
        return Err(Refusal::Invalid("a citation without a path".into()));
    }
    one_line(&citation.path)?;
    for text in [&citation.symbol, &citation.digest].into_iter().flatten() {
        one_line(text)?;
    }
    match citation.lines {
        Some(lines) if lines.first == 0 || lines.last < lines.first => Err(Refusal::Invalid(
            format!("lines {}-{} of {:?} are no range", lines.first, lines.last, citation.path),
        )),
        _ => Ok(()),
    }
}

fn one_line(text: &str) -> Result<(), Refusal> {
    if text.chars().any(char::is_control) {
        return Err(Refusal::Invalid(format!("{text:?} holds a control character")));
    }
    Ok(())
}

fn invalid(what: &str, text: &str, why: impl std::fmt::Display) -> Refusal {
    let start: String = text.chars().take(80).collect();
    Refusal::Invalid(format!("the {what} {start:?} {why}"))
}

/// The bytes of every text but the body, with 8 for each entry of a list.
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
