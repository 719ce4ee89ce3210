//! Recognises flags of other programs by the other uses of the same flag in a document.

use std::collections::HashMap;

use staleness_core::knowledge::WordKind;

use super::Check;
use super::open::Open;
use crate::commands::{caller, own_from};
use crate::git::Word;

/// Maximum size of a document to search for other uses of a flag, in bytes.
const MAX_READ: usize = 256 * 1024;
/// Maximum size of a command up to a flag, in bytes. The program of a longer command is unknown.
const MAX_COMMAND: usize = 1024;
/// Maximum number of lines of one command.
const MAX_LINES: usize = 40;

/// The flags in the commands of a document.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// The offsets of flags in commands, with true for commands of other programs.
    places: HashMap<usize, bool>,
    /// The flags in commands, with true if only other programs use the flag.
    flags: HashMap<String, bool>,
}

impl Check<'_> {
    /// Returns true if the flag at an offset in a document belongs to another program.
    pub(super) fn is_foreign_flag(
        &mut self,
        uses: &mut HashMap<usize, Uses>,
        (document, open): (usize, &Open<'_>),
        word: &Word,
        at: usize,
    ) -> bool {
        if word.kind != WordKind::Flag || open.text.len() > MAX_READ {
            return false;
        }
        if self.callers.is_none() {
            let programs = self.programs();
            let names = programs.iter().map(String::as_str).chain(self.tree().code());
            self.callers = Some(names.map(plain).collect());
        }
        let uses = uses.entry(document).or_insert_with(|| self.uses(open));
        let is_foreign = uses.places.get(&at).or_else(|| uses.flags.get(&word.text));
        is_foreign == Some(&true)
    }

    fn uses(&self, open: &Open<'_>) -> Uses {
        let mut all = Uses::default();
        uses(&open.text, &mut |at, flag, command| {
            if command.is_empty() {
                return;
            }
            let is_foreign = own_from(&command).is_none()
                || caller(&command).is_some_and(|caller| !self.is_own_caller(caller));
            all.places.insert(at, is_foreign);
            match all.flags.get_mut(flag) {
                Some(foreign) => *foreign &= is_foreign,
                None => drop(all.flags.insert(flag.to_owned(), is_foreign)),
            }
        });
        all
    }

    /// Returns true if the project has a program, module or script of this name.
    fn is_own_caller(&self, caller: &str) -> bool {
        let name = match caller.rsplit_once('/') {
            // Commands of agents begin with `/`.
            Some(("", _)) => return false,
            Some((folder, _)) if !folder.starts_with('/') => return true,
            Some((_, name)) => name,
            None => caller,
        };
        let name = plain(name.split('.').next().unwrap_or(name));
        let is_caller = self.callers.as_ref().is_some_and(|callers| callers.contains(&name));
        is_caller || self.is_own_program(&name)
    }
}

/// Returns a name in the form used for comparison.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', "-")
}

/// Finds the flags of a document: the offset of each, the flag, and the words of the command up to the flag. The words
/// are empty if the flag is not part of a command.
fn uses<'a>(text: &'a str, found: &mut dyn FnMut(usize, &'a str, Vec<&'a str>)) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let (mut start, mut begin, mut lines, mut fence) = (0, 0, 0, None::<&str>);
    let bytes = text.as_bytes();
    // The start of the code span that is still open at offset `read`.
    let (mut span, mut read) = (None, 0);
    for line in text.split_inclusive('\n') {
        let plain = line.trim_start_matches(['>', ' ', '\t']);
        match fence {
            Some(mark) if plain.starts_with(mark) => fence = None,
            None => fence = ["```", "~~~"].into_iter().find(|mark| plain.starts_with(mark)),
            _ => {}
        }
        // A command may span several lines.
        if lines == 0 || lines > MAX_LINES {
            (begin, lines, span, read) = (start, 0, None, start);
        }
        for (at, _) in line.match_indices("--").filter(|(at, _)| !line[..*at].ends_with(is_word)) {
            let end = line[at..].find(|c| !is_word(c)).map_or(line.len(), |end| at + end);
            for tick in read..start + at {
                if matches!(bytes[tick..], [b'`', next, ..] if next != b'`') {
                    span = if span.is_none() { Some(tick + 1) } else { None };
                }
            }
            read = start + at;
            let from = if fence.is_some() { Some(begin) } else { span };
            let command = from.map(|from| &text[from..start + end]);
            let command = command.filter(|it| it.len() <= MAX_COMMAND).unwrap_or_default();
            found(start + at, &line[at..end], words(command));
        }
        lines = if line.trim_end().ends_with('\\') { lines + 1 } else { 0 };
        start += line.len();
    }
}

/// Returns the words of the last command in a text.
fn words(text: &str) -> Vec<&str> {
    let begins = |command: &&str| {
        command.trim_start().starts_with(|c: char| c.is_ascii_alphabetic() || "./".contains(c))
    };
    let ends = ["&&", ";", "| ", "$("].into_iter();
    let end = ends.filter_map(|end| Some(text.rfind(end)? + end.len())).max();
    let last = end.map(|end| &text[end..]).filter(begins).unwrap_or(text);
    let is_prompt = |word: &&str| matches!(*word, "$" | ">" | "%" | "#" | "❯");
    let words = last.split([' ', '\t', '\n', '\r', '\\']).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.skip_while(is_prompt).collect();
    if words.first().is_some_and(begins) { words } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_used_by_the_command_before_it() {
        let of = |text: &str| {
            let mut all = Vec::new();
            uses(text, &mut |_, flag, words| {
                all.extend((flag == "--fast").then(|| words.join(" ")));
            });
            all
        };
        for (text, expected) in [
            ("Use `shop a --fast` or `--fast`.", &["shop a --fast", ""][..]),
            ("Use ``shop --fast``, shop --fast, --faster.", &["shop --fast", ""]),
            (
                "```sh\n$ a; shop \\\n  x \\\n  --fast\n--fast\n```\n--fast",
                &["shop x --fast", "", ""],
            ),
            ("> ```\n> shop --fast", &["shop --fast"]),
            ("`shop [--slow | --fast]`", &["shop [--slow | --fast"]),
            ("`é` --fast and `é --fast`", &["", ""]),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
        // Long lines of prose are read in full, but long commands are not.
        let (prose, words) = ("é ".repeat(9_000), "x ".repeat(510));
        assert_eq!(of(&format!("{prose} ``x`` and `shop --fast`")), ["shop --fast"]);
        assert_eq!(of(&format!("`shop {words}--fast --fast`")).concat().len(), 0);
    }
}
