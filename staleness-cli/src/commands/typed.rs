//! What people type: texts, ids made of texts.

use std::io::Read;

use crate::error::{CliError, ErrorKind};

/// A text, or what stdin holds, without the line ends behind it.
pub(super) fn text(given: &str, most: usize) -> Result<String, CliError> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut text = Vec::new();
    std::io::stdin()
        .lock()
        .take(most as u64 + 2)
        .read_to_end(&mut text)
        .map_err(|error| CliError::new(ErrorKind::Io, format!("reading stdin: {error}")))?;
    if text.len() > most + 1 {
        let message = format!("stdin holds more than the {most} bytes that are kept");
        return Err(CliError::invalid(message).hint("keep long texts in a file, and cite it"));
    }
    let text = String::from_utf8(text)
        .map_err(|_| CliError::invalid("stdin is not UTF-8 text").hint("convert it first"))?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

/// An id that says what a text is about: its first words, at most so many characters of them, and six
/// digits of a hash of `kind`, the text and `salt`.
pub(super) fn id_of(kind: &str, text: &str, salt: &str, most: usize) -> String {
    let line = text.lines().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or("");
    let mut slug = String::new();
    for word in staleness::report::terms(line) {
        let word: String = word.chars().take(most).collect();
        if slug.chars().count() + 1 + word.chars().count() > most && !slug.is_empty() {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word);
    }
    let hashed = format!("{kind}\n{text}{salt}");
    let digits = format!("{:032x}", staleness::ids::stable_hash(hashed.as_bytes()));
    let slug = if slug.is_empty() { kind } else { &slug };
    format!("{slug}-{}", &digits[..6])
}
