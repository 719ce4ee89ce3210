//! Finding many words in a file at once.
//!
//! One pass cuts a file into runs of letters, digits, `_` and `-`, and looks each up. A table of the
//! lengths that occur behind each first byte turns most of them away before anything is hashed.

use std::collections::HashMap;

const WORD: u8 = 1;
const DASH: u8 = 2;
/// What each byte is: part of a word, a dash, or neither.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_' {
            class[byte] = WORD;
        }
        byte += 1;
    }
    class[b'-' as usize] = DASH;
    class
};

/// Words, each with a number.
#[derive(Debug)]
struct Table {
    numbers: HashMap<Box<[u8]>, u32>,
    /// For every first byte the lengths that occur, 63 standing for all that are longer.
    lengths: Box<[u64; 256]>,
}

impl Default for Table {
    fn default() -> Self {
        Self { numbers: HashMap::new(), lengths: Box::new([0; 256]) }
    }
}

impl Table {
    fn add(&mut self, text: &[u8], next: &mut u32) -> u32 {
        let first = usize::from(text.first().copied().unwrap_or_default());
        self.lengths[first] |= 1 << text.len().min(63);
        *self.numbers.entry(text.into()).or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }

    #[inline]
    fn get(&self, text: &[u8]) -> Option<u32> {
        let first = usize::from(*text.first()?);
        if self.lengths[first] & (1 << text.len().min(63)) == 0 {
            return None;
        }
        self.numbers.get(text).copied()
    }
}

/// A path that is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WantedPath {
    /// Its parts.
    pub(crate) parts: Vec<Box<[u8]>>,
    /// Whether it begins at the root of the project; else any path may end so.
    pub(crate) anchored: bool,
    /// Whether it must be a folder.
    pub(crate) folder: bool,
}

/// What is looked for in files and folders: every single thing has a number.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    identifiers: Table,
    /// Words with dashes in them.
    dashed: Table,
    /// Words that count behind a quotation mark only.
    quoted: Table,
    flags: Table,
    paths: HashMap<WantedPath, u32>,
    next: u32,
}

impl Lexicon {
    /// An identifier, or a name with dashes.
    pub(crate) fn identifier(&mut self, text: &[u8]) -> u32 {
        let table = if text.contains(&b'-') { &mut self.dashed } else { &mut self.identifiers };
        // Numbers are shared between the tables: each thing has one of its own.
        table.add(text, &mut self.next)
    }

    /// A name behind a quotation mark.
    pub(crate) fn quoted(&mut self, text: &[u8]) -> u32 {
        self.quoted.add(text, &mut self.next)
    }

    /// A flag, with its dashes.
    pub(crate) fn flag(&mut self, text: &[u8]) -> u32 {
        self.flags.add(text, &mut self.next)
    }

    /// A path.
    pub(crate) fn path(&mut self, path: WantedPath) -> u32 {
        let next = &mut self.next;
        *self.paths.entry(path).or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }

    /// The paths with their numbers.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&WantedPath, u32)> {
        self.paths.iter().map(|(path, number)| (path, *number))
    }

    /// Whether there is anything to be found in the contents of files.
    pub(crate) fn has_words(&self) -> bool {
        self.next as usize > self.paths.len()
    }

    /// Finds what a text holds, each thing as often as it occurs.
    pub(crate) fn scan(&self, text: &[u8], found: &mut Vec<u32>) {
        let mut at = 0;
        while at < text.len() {
            if CLASS[usize::from(text[at])] == 0 {
                at += 1;
                continue;
            }
            let start = at;
            let mut dashes = false;
            while at < text.len() && CLASS[usize::from(text[at])] != 0 {
                dashes |= text[at] == b'-';
                at += 1;
            }
            let run = &text[start..at];
            let quoted = start > 0 && matches!(text[start - 1], b'"' | b'\'' | b'`');
            if dashes {
                self.run(run, quoted, found);
            } else {
                if quoted {
                    found.extend(self.quoted.get(run));
                }
                found.extend(self.identifiers.get(run));
            }
        }
    }

    /// A run that holds dashes.
    fn run(&self, run: &[u8], quoted: bool, found: &mut Vec<u32>) {
        let end = run.iter().rposition(|byte| *byte != b'-').map_or(0, |last| last + 1);
        let begin = run.iter().position(|byte| *byte != b'-').unwrap_or(end);
        let name = &run[begin..end];
        if matches!(begin, 1 | 2) {
            found.extend(self.flags.get(&run[..end]));
        }
        if quoted && begin == 0 {
            found.extend(self.quoted.get(name));
        }
        found.extend(self.dashed.get(name));
        for part in name.split(|byte| *byte == b'-') {
            found.extend(self.identifiers.get(part));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(text: &str) -> Vec<&'static str> {
        let mut lexicon = Lexicon::default();
        let names = [
            lexicon.flag(b"--dry-run"),
            lexicon.quoted(b"dry-run"),
            lexicon.identifier(b"dry_run"),
            lexicon.identifier(b"run"),
            lexicon.identifier(b"dry-run"),
            lexicon.flag(b"-go-flag"),
        ];
        let words = ["--dry-run", "\"dry-run", "dry_run", "run", "dry-run", "-go-flag"];
        let mut found = Vec::new();
        lexicon.scan(text.as_bytes(), &mut found);
        found.sort_unstable();
        found.dedup();
        found.iter().map(|at| words[names.iter().position(|name| name == at).unwrap()]).collect()
    }

    #[test]
    fn a_word_is_found_as_a_whole_only() {
        assert_eq!(finds("let dry_run = 1;"), ["dry_run"]);
        assert_eq!(finds("dry_runs adry_run dry_run2 rerun"), [""; 0]);
        assert_eq!(finds("use --dry-run."), ["--dry-run", "run", "dry-run"]);
        assert_eq!(finds("--dry-run-x"), ["run"]);
        assert_eq!(finds("x--dry-run"), ["run"]);
        assert_eq!(finds("[--dry-run=yes]"), ["--dry-run", "run", "dry-run"]);
        assert_eq!(finds("long = \"dry-run\""), ["\"dry-run", "run", "dry-run"]);
        assert_eq!(finds("a 'dry-run|n!'"), ["\"dry-run", "run", "dry-run"]);
        assert_eq!(finds("(-go-flag)"), ["-go-flag"]);
        assert_eq!(finds("---- -- - _ \u{e9}run\u{e9}"), ["run"]);
        assert_eq!(finds(""), [""; 0]);
    }
}
