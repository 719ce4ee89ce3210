//! Texts as people type them.

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
