//! Formats clap's errors, each on one line.

use std::env::VarError;
use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind as ClapKind};

use crate::args::Cli;
use staleness_service::error::MAX_SHOWN;

use crate::error::{CliError, ErrorKind};

/// Returns the error on one line, with clap's tip as the hint, or else with the command that prints help.
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
        let message = format!("`{path}` needs a command: {}", names.join(", "));
        return CliError::new(ErrorKind::Usage, message).hint(help);
    }
    if error.kind() == ClapKind::InvalidUtf8
        && let Some(name) = garbled_variable()
    {
        return CliError::invalid(format!("the variable {name} is not UTF-8 text"))
            .hint("set it to UTF-8 text, or unset it");
    }
    let mut text = error.to_string();
    // An extra argument, or the value of another option, may be a URL with a password.
    let may_be_a_url = |word: &&str| {
        let word = word.to_ascii_lowercase();
        ["://", "@", "pass", "pwd"].iter().any(|part| word.contains(part))
            || word.starts_with("postgres")
    };
    let words = args.iter().filter_map(|word| word.to_str());
    let values = words.clone().filter_map(|word| word.split_once('=').map(|(_, value)| value));
    for word in words.chain(values).filter(may_be_a_url) {
        text = text.replace(word, &staleness::StoreUrl::without_password(word));
    }
    // The paragraphs contain the error, tips and the usage.
    let mut paragraphs = text.split("\n\n");
    let what = joined(paragraphs.next().unwrap_or_default());
    let what = what.trim_start_matches("error: ");
    let tips: Vec<String> = paragraphs
        .filter_map(|paragraph| Some(joined(paragraph.trim().strip_prefix("tip: ")?)))
        // An unknown option is almost never meant as a value.
        .filter(|tip| !tip.contains(" as a value, use "))
        .collect();
    let hint = if tips.is_empty() { help } else { tips.join("; ") };
    CliError::new(kind(error), shortened(what)).hint(hint)
}

/// Returns the name of an option's environment variable that is not valid UTF-8.
fn garbled_variable() -> Option<String> {
    let command = Cli::command();
    let mut names = command.get_arguments().filter_map(|arg| arg.get_env()?.to_str());
    let garbled = |name: &&str| matches!(std::env::var(name), Err(VarError::NotUnicode(_)));
    names.find(garbled).map(str::to_owned)
}

/// Returns the kind of an error: a missing value is a usage error, an invalid value is rejected input.
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

/// Returns true if the arguments call `hook`, which must never fail its caller.
pub(crate) fn calls_hook(args: &[OsString]) -> bool {
    addressed(args).0.get_name() == "hook"
}

/// Returns the command that the arguments select, and its full name.
fn addressed(args: &[OsString]) -> (clap::Command, String) {
    let mut command = Cli::command();
    command.build();
    let mut path = String::from("staleness");
    let mut words = args.iter().skip(1).map(|arg| arg.to_string_lossy());
    while let Some(word) = words.next() {
        if takes_value(&command, &word) {
            words.next();
        } else if let Some(next) = command.find_subcommand(word.as_ref()).cloned() {
            path.push(' ');
            path.push_str(next.get_name());
            command = next;
        }
    }
    (command, path)
}

/// Returns true if the next word is this option's value.
fn takes_value(command: &clap::Command, word: &str) -> bool {
    let Some(name) = word.strip_prefix("--") else { return false };
    let own = command.get_arguments().find(|arg| arg.get_long() == Some(name));
    own.is_some_and(|arg| arg.get_action().takes_values())
}

fn joined(paragraph: &str) -> String {
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Truncates a text, because clap repeats arguments of any length.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(4 * MAX_SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
