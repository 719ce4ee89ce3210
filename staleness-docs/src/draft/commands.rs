//! Finds commands in code spans and in fenced shell blocks.

use staleness_core::knowledge::WordKind;

use super::{target, words};
use crate::commands::{self, Language, Shell};

/// The longest code span to parse as a command, in bytes.
const MAX_SPAN_BYTES: usize = 240;
/// More programs whose use marks a fenced block without a language as shell.
const USUAL: [&str; 8] = ["gmake", "mkdir", "poe", "prek", "pushd", "source", "task", "touch"];

/// A callback for a name. Receives the shape, the name, and the text that contains it.
type NameVisitor<'f, 'a> = dyn FnMut(WordKind, &str, &'a str) + 'f;

pub(super) fn in_span<'a>(code: &'a str, shell: &mut Shell<'a>, found: &mut NameVisitor<'_, 'a>) {
    if code.len() <= MAX_SPAN_BYTES && code.trim_ascii().contains(' ') {
        read(&[code], Language::Shell, shell, &mut |words, folder| calls(words, folder, found));
    }
}

/// Finds the commands in a fenced block, the flags of the project's programs, and scripts that are run by their path.
pub(super) fn in_fence<'a>(
    lines: &[&'a str],
    language: Language,
    shell: &mut Shell<'a>,
    found: &mut NameVisitor<'_, 'a>,
) {
    read(lines, language, shell, &mut |words, folder| {
        calls(words, folder, found);
        if let Some(own) = commands::own_from(words) {
            for word in words[own..].iter().filter(|word| word.starts_with("--")) {
                words::flag(word, &mut |(shape, name)| found(shape, name, name));
            }
        }
        // Below another folder, the path of the script means a different file.
        if let Some(script) = commands::script(words).filter(|_| folder == Some(""))
            && target::of_word(script).is_some()
        {
            found(WordKind::Path, script, script);
        }
    });
}

fn read<'a>(
    lines: &[&'a str],
    language: Language,
    shell: &mut Shell<'a>,
    found: &mut dyn FnMut(&[&'a str], Option<&str>),
) {
    let is_program =
        |word: &str| commands::is_foreign(word) || USUAL.contains(&word) || word.starts_with("./");
    shell.restart();
    commands::lines(lines, language, &is_program, &mut |line| shell.line(line, found));
}

fn calls<'a>(words: &[&'a str], folder: Option<&str>, found: &mut NameVisitor<'_, 'a>) {
    commands::calls(words, folder, &mut |call, place| {
        found(WordKind::Command, &call.written(folder.unwrap_or_default()), place);
    });
}
