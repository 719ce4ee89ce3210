//! Finds the names whose definitions differ between two versions of a file.

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::HashMap as Map;
use staleness_core::knowledge::WordKind;

use super::defined::declares_option;
use super::extent::{definitions, item, last_part, split};
use super::meaning::Word;
use super::offered::is_offered;

/// Maximum number of occurrences of a flag to check per file.
const MAX_LOOKS: u32 = 500;
/// Maximum number of flags that may share one form in code.
const MAX_ALIKE: usize = 8;
/// Maximum number of times that the bytes of a file may be read to find the ends of its items.
const MAX_NESTED: usize = 32;
/// Minimum number of bytes that may be read to find the ends of items.
const MIN_ROOM: usize = 1 << 20;
/// Longest part of a line to compare, in bytes.
const MAX_LINE: usize = 4_096;

impl Word {
    /// Returns the word as written in definitions. For an identifier with several parts, this is only the last part.
    pub(crate) fn in_code(self) -> Self {
        let last = last_part(&self.text).filter(|_| self.kind == WordKind::Identifier);
        match last.map(str::to_owned) {
            Some(text) => Self { text, ..self },
            None => self,
        }
    }
}

/// Words by their forms in code. A file is read once for all of them.
#[derive(Debug, Default)]
pub(crate) struct Wanted<'w> {
    /// Flags by the text runs that represent them in code. True if the form is the flag as typed.
    flags: Map<Vec<u8>, Vec<(&'w Word, bool)>>,
    /// Words by the names of the items to which they refer.
    items: Map<&'w str, &'w Word>,
}

impl<'w> Wanted<'w> {
    pub(crate) fn of(words: impl Iterator<Item = &'w Word>) -> Self {
        let mut wanted = Self::default();
        for word in words {
            match word.kind {
                WordKind::Flag => {
                    let name = word.text.trim_start_matches('-');
                    let mut add = |form: &str, is_typed| {
                        let of = wanted.flags.entry(form.into()).or_default();
                        // Both forms may be equal.
                        if of.len() < MAX_ALIKE && !of.contains(&(word, is_typed)) {
                            of.push((word, is_typed));
                        }
                    };
                    add(&word.text, true);
                    add(name, false);
                    add(&name.replace('-', "_"), false);
                }
                WordKind::Identifier => {
                    if let Some(name) = last_part(&word.text) {
                        wanted.items.insert(name, word);
                    }
                }
                WordKind::Path | WordKind::Command => {}
            }
        }
        wanted
    }

    /// Returns the words whose item is defined differently in two versions of a file, or whose flag is defined on other
    /// lines. A missing item counts as different. Words defined by several lines of one version do not count.
    pub(crate) fn differing(&self, before: &[u8], after: &[u8]) -> HashSet<&'w Word> {
        let [old, new] = [before, after].map(|text| self.offers(text));
        let other = |flag: &&&'w Word| old.get(**flag) != new.get(**flag);
        let mut found: HashSet<&Word> =
            old.keys().chain(new.keys()).filter(other).copied().collect();
        let [old, new] = [before, after].map(|text| self.defined(text));
        let names: HashSet<&&str> = old.keys().chain(new.keys()).collect();
        let absent = Some(Vec::new());
        for name in names {
            let [old, new] = [&old, &new].map(|all| all.get(*name).unwrap_or(&absent).as_ref());
            if old.zip(new).is_some_and(|(old, new)| old != new) {
                found.insert(self.items[*name]);
            }
        }
        found
    }

    /// Returns the lines of each item, or `None` if several items have the name, or are nested too deeply.
    fn defined<'t>(&self, text: &'t [u8]) -> HashMap<&'w str, Option<Vec<&'t [u8]>>> {
        let lines: Vec<&[u8]> = split(text).collect();
        let places = definitions(&lines, |name| self.items.get_key_value(name).map(|(it, _)| *it));
        let mut room = text.len() * MAX_NESTED + MIN_ROOM;
        let mut item = |first| item(&lines, first, &mut room);
        places.into_iter().map(|(name, place)| (name, place.and_then(&mut item))).collect()
    }

    /// Returns the lines that define each flag.
    fn offers<'t>(&self, text: &'t [u8]) -> BTreeMap<&'w Word, Vec<&'t [u8]>> {
        let (mut found, mut looks) = (BTreeMap::<_, Vec<&[u8]>>::new(), HashMap::new());
        if self.flags.is_empty() {
            return found;
        }
        let joins = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let (mut start, mut line) = (0, 0);
        while let Some(from) = text[start..].iter().position(joins).map(|at| start + at) {
            let end = text[from..]
                .iter()
                .position(|byte| !joins(byte))
                .map_or(text.len(), |at| from + at);
            if let Some(at) = text[start..from].iter().rposition(|byte| *byte == b'\n') {
                line = start + at + 1;
            }
            start = end;
            let Some(flags) = self.flags.get(&text[from..end]) else { continue };
            for (flag, is_typed) in flags {
                let left = looks.entry(*flag).or_insert(MAX_LOOKS);
                let is_one = if *is_typed {
                    is_offered(text, &(from..end), left)
                } else {
                    declares_option(text, &(from..end))
                };
                if is_one {
                    let rest = &text[line..text.len().min(line + MAX_LINE)];
                    let rest = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
                    found.entry(*flag).or_default().push(rest.trim_ascii());
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_differs_where_its_lines_do() {
        let (kind, flag) = (WordKind::Identifier, WordKind::Flag);
        for (kind, text, before, after, is_other) in [
            (kind, "load_all", "fn load_all() {\n    a\n}\n", "fn load_all() {\n    b\n}\n", true),
            (kind, "load_all", "fn load_all() {}\n", "\nfn load_all() {}  \nfn b() {}\n", false),
            (kind, "load_all", "fn load_all() {}\n", "fn load() {\n    load_all()\n}\n", true),
            (kind, "MAX_SIZE", "const MAX_SIZE: u8 = 1;\n", "const MAX_SIZE: u8 = 2;\n", true),
            (kind, "load_all", "a(load_all);\n", "b(load_all);\n", false),
            (kind, "load", "fn load() {}\nfn load() {}\n", "fn load() { a }\n", false),
            (flag, "--fast", "a == \"--fast\"\n", "b == \"--fast\"\n", true),
            (flag, "--fast", "run([\"cargo\", \"--fast\"])\n", "\n", false),
            (flag, "--fast", "#[arg(long)]\nfast: bool,\n", "#[arg(long)]\nfaster: bool,\n", true),
            (flag, "--fast", "x(\"--fast-path\")\n", "\n", false),
        ] {
            let word = Word { kind, text: text.into() };
            let wanted = Wanted::of([&word].into_iter());
            let found = wanted.differing(before.as_bytes(), after.as_bytes());
            assert_eq!(found.contains(&word), is_other, "{text}: {before} {after}");
        }
    }

    #[test]
    fn words_for_one_name_are_one_and_hostile_code_is_read_in_bounds() {
        let word = |text: String| Word { kind: WordKind::Identifier, text };
        let all: HashSet<Word> = (0..9).map(|at| word(format!("m{at}::run()")).in_code()).collect();
        assert_eq!(all, [word("run".into())].into());
        // Each of these continues to the end of the file, and its name has many possible endings.
        let words: Vec<Word> = (0..5_000).map(|at| word(format!("f{at}"))).collect();
        let open: String = (0..5_000).map(|at| format!("fn f{at} {{ {at}\n")).collect();
        let long = format!("fn {}\n", "a-".repeat(1 << 16));
        let wanted = Wanted::of(words.iter());
        let before = format!("{long}{open}");
        assert!(wanted.differing(before.as_bytes(), long.as_bytes()).len() < 5_000);
    }

    #[test]
    fn one_reading_of_a_file_tells_of_every_word() {
        let text =
            |at: usize| format!("pub fn run_{at}() {{\n    {at}\n}}\na == \"--flag-{at}\"\n");
        let words: Vec<Word> = (0..40)
            .flat_map(|at| {
                let identifier = Word { kind: WordKind::Identifier, text: format!("run_{at}()") };
                [identifier, Word { kind: WordKind::Flag, text: format!("--flag-{at}") }]
            })
            .collect();
        let before: String = (0..40).map(text).collect();
        let after =
            before.replace("    7\n", "    8\n").replace("a == \"--flag-9\"", "b == \"--flag-9\"");
        let wanted = Wanted::of(words.iter());
        let mut found: Vec<&str> = wanted
            .differing(before.as_bytes(), after.as_bytes())
            .iter()
            .map(|it| &*it.text)
            .collect();
        found.sort_unstable();
        assert_eq!(found, ["--flag-9", "run_7()"]);
    }
}
