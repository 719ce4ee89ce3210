//! Texts that people enter.

use std::io::{BufRead, IsTerminal, Read, Write, stderr, stdin, stdout};

use crate::error::{CliError, ErrorKind, in_words};
use crate::output::Output;
use crate::settings::Settings;

/// Returns true if a person typed a text for a local store: at a terminal, not on behalf of an agent, and not
/// in an environment that a client creates for its agent.
pub(super) fn by_person(settings: &Settings, given: &str, names: &[Option<&str>]) -> bool {
    given != "-"
        && settings.is_of_this_machine()
        && !settings.may_be_agent()
        && !names.iter().flatten().any(|name| settings.knows_agent(name))
        && stdin().is_terminal()
        && stdout().is_terminal()
        && stderr().is_terminal()
}

/// Returns true if a person at a terminal can see a question and answer it.
pub(super) fn can_ask(out: &Output) -> bool {
    !out.json
        && [stdin().is_terminal(), stdout().is_terminal(), stderr().is_terminal()] == [true; 3]
}

/// Asks a question at the terminal. Any answer other than yes means no.
pub(super) fn is_agreed(question: &str) -> Result<bool, CliError> {
    let trouble = |error| CliError::invalid(format!("no answer: {}", in_words(&error)));
    write!(stderr(), "{question} [y/N] ").and_then(|()| stderr().flush()).map_err(trouble)?;
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer).map_err(trouble)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Returns the given text, or the text on stdin, without trailing line ends.
pub(super) fn text(given: &str, most: usize) -> Result<String, CliError> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut text = Vec::new();
    stdin()
        .lock()
        .take(most as u64 + 2)
        .read_to_end(&mut text)
        .map_err(|error| CliError::new(ErrorKind::Io, format!("cannot read stdin: {error}")))?;
    if text.len() > most + 1 {
        let message = format!("stdin has more than {most} bytes");
        return Err(CliError::invalid(message).hint("shorten it, or put the text in a file"));
    }
    let text = String::from_utf8(text)
        .map_err(|_| CliError::invalid("stdin is not UTF-8 text").hint("convert it first"))?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}
