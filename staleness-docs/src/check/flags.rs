//! Tells flags of other programs, by the places of a flag in its document.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use staleness_core::knowledge::WordKind;

use super::Check;
use super::manifests::Manifests;
use super::open::Open;
use crate::commands::{caller, own_from};
use crate::git::{Trace, Word};
use crate::nature::is_markdown;

/// The longest document to search for the other places of a flag, in bytes.
const MAX_READ: usize = 256 * 1024;
/// Maximum number of lines of one command.
const MAX_LINES: usize = 40;
/// Number of listed flags that code lacks from which on the listed flags are of another program.
const MANY: usize = 5;
/// Maximum number of shipped documents to read, and their largest size in bytes.
const MAX_SHIPPED: usize = 500;
const MAX_SHIPPED_BYTES: usize = 1 << 20;
/// Folders with documents that a project ships for agents, which take flags from them.
const SHIPPED: [&str; 5] = ["agents", "commands", "plugins", "skills", "src"];

/// What is known of the flags of a project, found when first needed.
#[derive(Debug, Default)]
pub(super) struct Flags {
    programs: OnceCell<HashSet<String>>,
    shipped: OnceCell<HashSet<String>>,
    /// Numbers of listed flags that code never had, by document.
    listed: HashMap<usize, usize>,
}

impl Flags {
    /// Counts a flag of a list that code never had.
    pub(super) fn count(
        &mut self,
        document: usize,
        open: &Open<'_>,
        block: Option<usize>,
        trace: &Trace,
    ) {
        if matches!(trace, Trace::Never) && is_listed(open, block) {
            *self.listed.entry(document).or_default() += 1;
        }
    }
}

impl Check<'_> {
    /// Returns true if the flag at an offset in a document is one of another program.
    pub(super) fn is_foreign_flag(
        &mut self,
        flags: &Flags,
        (document, open, block): (usize, &Open<'_>, Option<usize>),
        word: &Word,
        at: usize,
    ) -> bool {
        if word.kind != WordKind::Flag || open.text.len() > MAX_READ {
            return false;
        }
        if is_listed(open, block) && flags.listed.get(&document).is_some_and(|never| *never >= MANY)
        {
            return true;
        }
        let programs = flags.programs.get_or_init(|| self.programs(&mut Manifests::default()));
        let uses = uses(&open.text, &word.text);
        let is_foreign = |command: &Vec<&str>| {
            own_from(command).is_none()
                || caller(command).is_some_and(|caller| !self.is_own_caller(programs, caller))
        };
        match uses.iter().find(|(place, _)| *place == at) {
            Some((_, command)) if !command.is_empty() => return is_foreign(command),
            _ => {}
        }
        let mut commands = uses.iter().map(|(_, command)| command).filter(|it| !it.is_empty());
        let is_of_others = commands.clone().next().is_some() && commands.all(is_foreign);
        is_of_others || flags.shipped.get_or_init(|| self.shipped_flags()).contains(&word.text)
    }

    /// Returns true if the project has a program, module or script of this name.
    fn is_own_caller(&self, programs: &HashSet<String>, caller: &str) -> bool {
        // Agents' commands begin with `/`; a path is that of a script.
        if let Some((folder, _)) = caller.split_once('/') {
            return !folder.is_empty();
        }
        let plain = |name: &str| name.to_ascii_lowercase().replace('_', "-");
        let name = plain(caller.split('.').next().unwrap_or(caller));
        programs.iter().any(|program| plain(program) == name)
            || self.is_own_program(&name)
            || self.tree().has_code(|own| plain(own) == name)
    }

    /// Returns the flags that documents name which the project ships: commands and skills of agents.
    fn shipped_flags(&mut self) -> HashSet<String> {
        let Some(head) = self.past.head_commit().map(|head| head.id) else { return HashSet::new() };
        let is_shipped = |path: &&str| {
            is_markdown(path) && path.rsplit('/').skip(1).any(|folder| SHIPPED.contains(&folder))
        };
        let tracked = self.past.tracked().into_iter().flat_map(|tracked| tracked.iter());
        let paths: Vec<String> = tracked
            .map(|(path, _)| path)
            .filter(is_shipped)
            .take(MAX_SHIPPED)
            .map(str::to_owned)
            .collect();
        let mut all = HashSet::new();
        for path in paths {
            let text = self.past.look_up(|repo| repo.text_at(head, &path)).unwrap_or_default();
            let words = text.get(..MAX_SHIPPED_BYTES).unwrap_or(&text);
            let words = words.split(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)));
            all.extend(words.filter(|word| word.starts_with("--")).map(str::to_owned));
        }
        all
    }
}

/// Returns true if a block begins with a flag, as rows and items of a list of flags do.
fn is_listed(open: &Open<'_>, block: Option<usize>) -> bool {
    let range = block.and_then(|at| open.doc.draft.blocks.get(at)).map(|it| it.range.clone());
    let text = range.and_then(|range| open.text.get(range)).unwrap_or_default();
    let begin = text.trim_start_matches(['|', '*', '+', '`', ' ']);
    let begin = begin.strip_prefix("- ").unwrap_or(begin).trim_start_matches(['*', '`', ' ']);
    begin.starts_with("--")
}

/// Returns the offsets of a flag in a document, each with the words of the command that it ends. There are none if it
/// stands alone.
fn uses<'a>(text: &'a str, flag: &str) -> Vec<(usize, Vec<&'a str>)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let (mut all, mut fence) = (Vec::new(), None::<&str>);
    let (mut start, mut begin, mut lines) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        let plain = line.trim_start_matches(['>', ' ', '\t']);
        match fence {
            Some(mark) if plain.starts_with(mark) => fence = None,
            None => fence = ["```", "~~~"].into_iter().find(|mark| plain.starts_with(mark)),
            _ => {}
        }
        // A command may go on over several lines.
        if lines == 0 || lines > MAX_LINES {
            (begin, lines) = (start, 0);
        }
        for (at, _) in line.match_indices(flag) {
            let end = at + flag.len();
            if line[end..].starts_with(is_word) || line[..at].ends_with(is_word) {
                continue;
            }
            let before = &text[begin..start + end];
            let command = if fence.is_some() { before } else { span(before) };
            all.push((start + at, words(command)));
        }
        lines = if line.trim_end().ends_with('\\') { lines + 1 } else { 0 };
        start += line.len();
    }
    all
}

/// Returns the text of the code span that is open at the end of a text.
fn span(text: &str) -> &str {
    let marks = text.bytes().zip(text.bytes().skip(1).chain([b' ']));
    let ends = marks.filter(|(byte, next)| *byte == b'`' && *next != b'`').count();
    if ends % 2 == 0 { "" } else { text.rsplit('`').next().unwrap_or_default() }
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
            let all = uses(text, "--fast").into_iter();
            all.map(|(_, words)| words.join(" ")).collect::<Vec<_>>()
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
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }
}
