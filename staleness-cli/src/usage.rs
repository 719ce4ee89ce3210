//! What clap refuses, as one line.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind as ClapKind};

use crate::args::Cli;
use crate::error::{CliError, ErrorKind, MAX_SHOWN};

/// The error on one line: what is wrong, and clap's tip or where the help is.
pub(crate) fn one_line(error: &clap::Error, args: &[OsString]) -> CliError {
    let (command, path) = addressed(args);
    let help = format!("see `{path} --help`");
    if matches!(
        error.kind(),
        ClapKind::DisplayHelpOnMissingArgumentOrSubcommand | ClapKind::MissingSubcommand
    ) {
        let names: Vec<&str> = command
            .get_subcommands()
            .map(clap::Command::get_name)
            .filter(|name| *name != "help")
            .collect();
        let message = format!("`{path}` wants a command: {}", names.join(", "));
        return CliError::new(ErrorKind::Usage, message).hint(help);
    }
    let text = error.to_string();
    // The paragraphs are: what is wrong, tips, the usage.
    let mut paragraphs = text.split("\n\n");
    let what = joined(paragraphs.next().unwrap_or_default());
    let what = what.trim_start_matches("error: ");
    let tips: Vec<String> = paragraphs
        .filter_map(|paragraph| Some(joined(paragraph.trim().strip_prefix("tip: ")?)))
        .collect();
    let hint = if tips.is_empty() { help } else { tips.join("; ") };
    CliError::new(kind(error), shortened(what)).hint(hint)
}

/// A value that is missing is a matter of usage; one that is wrong was refused.
fn kind(error: &clap::Error) -> ErrorKind {
    let empty =
        |value: &ContextValue| matches!(value, ContextValue::String(text) if text.is_empty());
    match error.kind() {
        ClapKind::InvalidValue if error.get(ContextKind::InvalidValue).is_none_or(empty) => {
            ErrorKind::Usage
        }
        ClapKind::InvalidValue | ClapKind::ValueValidation | ClapKind::InvalidUtf8 => {
            ErrorKind::Invalid
        }
        _ => ErrorKind::Usage,
    }
}

/// The command that the arguments lead to, and how it is called.
fn addressed(args: &[OsString]) -> (clap::Command, String) {
    let mut command = Cli::command();
    let mut path = String::from("staleness");
    for arg in args.iter().skip(1).filter_map(|arg| arg.to_str()) {
        if let Some(next) = command.find_subcommand(arg).cloned() {
            path.push(' ');
            path.push_str(next.get_name());
            command = next;
        }
    }
    (command, path)
}

fn joined(paragraph: &str) -> String {
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Clap repeats what was typed, however long that is.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(4 * MAX_SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
