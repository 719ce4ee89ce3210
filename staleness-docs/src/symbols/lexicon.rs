//! A set of wanted words, and the lookup of text runs in it. A run consists of letters, digits, `_` and `-`.
//!
//! A table of word lengths by first byte rejects most runs before they are hashed.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::HashMap as Map;

use super::naming::{Naming, is_data};
use super::{defined, filed, items, offered};

/// Words and their numbers.
#[derive(Debug)]
struct Table {
    numbers: Map<Box<[u8]>, u32>,
    /// Bit set of word lengths for each first byte. Bit 63 stands for all longer lengths.
    lengths: Box<[u64; 256]>,
}

impl Default for Table {
    fn default() -> Self {
        Self { numbers: Map::default(), lengths: Box::new([0; 256]) }
    }
}

impl Table {
    fn add(&mut self, text: &[u8], next: &mut u32) -> u32 {
        let first = usize::from(text.first().copied().unwrap_or_default());
        self.lengths[first] |= 1 << text.len().min(63);
        *self.numbers.entry(text.into()).or_insert_with(|| take(next))
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

const fn take(next: &mut u32) -> u32 {
    *next += 1;
    *next - 1
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WantedPath {
    pub(crate) parts: Vec<Box<[u8]>>,
    /// True if the path starts at the root of the project. Otherwise it may match the end of any path.
    pub(crate) anchored: bool,
    /// True if only a folder matches.
    pub(crate) folder: bool,
}

impl WantedPath {
    /// Returns true if the path is a bare file name, which may be in any folder.
    pub(crate) fn is_bare(&self) -> bool {
        !self.anchored && !self.folder && self.parts.len() == 1
    }

    /// Returns the name under which a program may create the file or folder: a bare file name, or a complete path that
    /// is not the path of a source file. `None` for other paths.
    pub(super) fn filed_name(&self) -> Option<String> {
        let name = self.parts.last()?;
        let is_own = !name[1..].contains(&b'.') || is_data(name) || name.ends_with(b".md");
        let is_filed = self.is_bare() || self.parts.len() > 1 && is_own;
        let text = self.parts.iter().map(|part| String::from_utf8_lossy(part)).collect::<Vec<_>>();
        is_filed.then(|| text.join("/"))
    }
}

/// The things to find in files and folders, each with a number.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    identifiers: Table,
    /// Words that contain dashes.
    dashed: Table,
    /// Words that count only after a quotation mark.
    quoted: Table,
    flags: Table,
    /// Words that count only in certain roles. The value is an index into `roles`.
    placed: Table,
    roles: Vec<Roles>,
    /// Maps the number of each part to the other part of the pair and the number of the pair.
    pairs: Map<u32, Vec<(u32, u32)>>,
    /// File names and paths that count in string literals.
    files: Map<Box<[u8]>, u32>,
    filed: Table,
    paths: HashMap<WantedPath, u32>,
    /// Maps a bare file name to the number that means "two files have this name".
    shared: Map<Box<[u8]>, u32>,
    next: u32,
    /// True if the lexicon is for past commits.
    past: bool,
}

/// The role that a word must have in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// A definition of the name.
    Made,
    /// A definition of a function, type or other item with the name.
    Item,
    /// A definition of a function, type or other item outside tests.
    Head,
    /// Code that reads a variable of the name.
    Read,
    /// A field from which a library derives a flag of this name.
    Option,
    /// A part used to build longer names, such as `_LIB_DIR`.
    Part,
}

/// The lookups that remain for one text.
#[derive(Debug)]
pub(super) struct Looks {
    /// Number of enclosing lines that may still be read.
    pub(super) items: u32,
    /// Number of flags that may still be checked.
    pub(super) flags: u32,
}

/// The number of a word in each role. `None` if the role is not wanted.
type Roles = [Option<u32>; 6];

impl Lexicon {
    /// Creates a lexicon for past commits. It ignores names in foreign files, because they prove only that a project
    /// has a name now.
    pub(crate) fn of_past() -> Self {
        Self { past: true, ..Self::default() }
    }

    pub(crate) const fn is_of_past(&self) -> bool {
        self.past
    }

    /// Returns true if the lexicon considers names in a file with this owner.
    pub(super) const fn heeds(&self, naming: Naming) -> bool {
        !(matches!(naming, Naming::Foreign) && self.past)
    }

    /// Adds an identifier or a name with dashes.
    pub(crate) fn identifier(&mut self, text: &[u8]) -> u32 {
        let table = if text.contains(&b'-') { &mut self.dashed } else { &mut self.identifiers };
        // All tables use the same counter, so each thing has a unique number.
        table.add(text, &mut self.next)
    }

    /// Adds a name that counts only if a quotation mark precedes it.
    pub(crate) fn quoted(&mut self, text: &[u8]) -> u32 {
        self.quoted.add(text, &mut self.next)
    }

    /// Adds a flag with its dashes.
    pub(crate) fn flag(&mut self, text: &[u8]) -> u32 {
        self.flags.add(text, &mut self.next)
    }

    /// Adds a file name or a path that counts in string literals.
    pub(crate) fn filed(&mut self, name: &[u8]) -> u32 {
        self.filed.add(filed::run_of(name), &mut 0);
        *self.files.entry(name.into()).or_insert_with(|| take(&mut self.next))
    }

    pub(crate) fn placed(&mut self, text: &[u8], role: Role) -> u32 {
        let mut at = u32::try_from(self.roles.len()).unwrap_or(u32::MAX);
        let at = self.placed.add(text, &mut at) as usize;
        if at == self.roles.len() {
            self.roles.push(Roles::default());
        }
        *self.roles[at][role as usize].get_or_insert_with(|| take(&mut self.next))
    }

    /// Adds a name in two parts. Both parts must occur in the same file.
    pub(crate) fn both(&mut self, first: &[u8], last: &[u8]) -> u32 {
        let (first, last) = (self.placed(first, Role::Part), self.placed(last, Role::Part));
        let pairs = self.pairs.entry(first).or_default();
        if let Some((_, number)) = pairs.iter().find(|(other, _)| *other == last) {
            return *number;
        }
        pairs.push((last, take(&mut self.next)));
        self.next - 1
    }

    pub(crate) fn path(&mut self, path: WantedPath) -> u32 {
        *self.paths.entry(path).or_insert_with(|| take(&mut self.next))
    }

    /// Adds the number that means "two files have this name", if the path is a bare file name. Returns `None` for other
    /// paths.
    pub(crate) fn shared(&mut self, path: &WantedPath) -> Option<u32> {
        let name = path.parts.first().filter(|_| path.is_bare())?;
        if let Some(known) = self.share(name) {
            return Some(known);
        }
        let twice = take(&mut self.next);
        self.shared.insert(name.clone(), twice);
        Some(twice)
    }

    /// Returns the number that means "two files have this name", if that number is wanted.
    pub(crate) fn share(&self, name: &[u8]) -> Option<u32> {
        self.shared.get(name).copied()
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = (&WantedPath, u32)> {
        self.paths.iter().map(|(path, number)| (path, *number))
    }

    pub(crate) const fn len(&self) -> usize {
        self.next as usize
    }

    /// Returns true if any of the things requires reading files.
    pub(crate) fn has_words(&self) -> bool {
        self.next as usize > self.paths.len() + self.shared.len()
    }

    /// Finds the things that a file or folder name represents: `router` for `router.rs` and `04_router`.
    pub(crate) fn named(&self, name: &[u8], found: &mut Vec<u32>) {
        let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default();
        let digits = stem.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let plain = stem[digits..]
            .split_first()
            .filter(|it| (1..=2).contains(&digits) && b"-_".contains(it.0));
        let names = [Some(stem), plain.map(|(_, plain)| plain)].into_iter().flatten();
        found.extend(names.filter_map(|name| self.identifiers.get(name)));
        // The name of a data file is not the name of an item.
        if let Some(at) = self.placed.get(stem).filter(|_| !is_data(name)) {
            let roles = &self.roles[at as usize];
            let named = [Role::Made, Role::Item, Role::Head];
            found.extend(named.iter().filter_map(|role| roles[*role as usize]));
        }
    }

    /// Returns true if the lexicon may contain a text run, in any context.
    #[inline]
    pub(super) fn may_be(&self, run: &[u8], dashes: bool) -> bool {
        if self.filed.get(run).is_some() {
            return true;
        }
        if dashes {
            let (begin, end) = without_dashes(run);
            let name = &run[begin..end];
            return [(&self.flags, &run[..end]), (&self.quoted, name), (&self.dashed, name)]
                .iter()
                .any(|(table, text)| table.get(text).is_some())
                || name.split(|byte| *byte == b'-').any(|it| self.identifiers.get(it).is_some());
        }
        [&self.identifiers, &self.placed, &self.quoted].iter().any(|it| it.get(run).is_some())
    }

    /// Finds the things that a text run represents in its context.
    pub(super) fn judge(
        &self,
        text: &[u8],
        run: &Range<usize>,
        naming: Naming,
        looks: &mut Looks,
        found: &mut Vec<u32>,
    ) {
        let quoted = run.start > 0 && matches!(text[run.start - 1], b'"' | b'\'' | b'`');
        let counts = || {
            naming != Naming::Test && is_name(text, run) && !offered::is_comment(text, run.start)
        };
        let quoted = quoted && (!self.past || counts());
        let word = &text[run.clone()];
        if self.filed.get(word).is_some()
            && let Some(name) = filed::name_at(text, run)
        {
            let name = name.strip_suffix(b"/").unwrap_or(name);
            // Tests, settings and comments mention paths that no program creates.
            if !name.contains(&b'/')
                || naming == Naming::Code && !offered::is_comment(text, run.start)
            {
                found.extend(self.files.get(name));
            }
        }
        if word.contains(&b'-') {
            let mut spelled = || {
                !self.past
                    || naming == Naming::Code && offered::is_offered(text, run, &mut looks.flags)
            };
            self.run(word, &mut spelled, quoted, found);
            return;
        }
        if quoted && (!self.past || !offered::is_of_call(text, run.start - 1)) {
            found.extend(self.quoted.get(word));
        }
        found.extend(self.identifiers.get(word));
        if let Some(roles) = self.placed.get(word) {
            let roles = &self.roles[roles as usize];
            self.place(roles, text, run, naming, &mut looks.items, found);
        }
    }

    /// Adds the number of each pair whose two parts were found.
    pub(super) fn complete(&self, found: &mut Vec<u32>) {
        if !self.pairs.is_empty() {
            found.sort_unstable();
            found.dedup();
            let pairs = found.iter().filter_map(|first| self.pairs.get(first)).flatten();
            let both = pairs.filter(|(last, _)| found.binary_search(last).is_ok());
            let both: Vec<u32> = both.map(|(_, number)| *number).collect();
            found.extend(both);
        }
    }

    /// Checks a word that counts only in certain roles.
    fn place(
        &self,
        roles: &Roles,
        text: &[u8],
        word: &Range<usize>,
        naming: Naming,
        looks: &mut u32,
        found: &mut Vec<u32>,
    ) {
        let mut check = |role: Role, fits: &mut dyn FnMut() -> bool| {
            if let Some(number) = roles[role as usize]
                && !found.contains(&number)
                && fits()
            {
                found.push(number);
            }
        };
        check(Role::Made, &mut || defined::makes(text, word, looks));
        check(Role::Item, &mut || naming != Naming::Data && items::makes(text, word, looks));
        check(Role::Head, &mut || naming == Naming::Code && items::makes(text, word, looks));
        check(Role::Read, &mut || defined::reads(text, word));
        check(Role::Option, &mut || defined::declares_option(text, word));
        check(Role::Part, &mut || defined::is_part(text, word));
    }

    /// Checks a run that contains dashes.
    fn run(
        &self,
        run: &[u8],
        spelled: &mut dyn FnMut() -> bool,
        quoted: bool,
        found: &mut Vec<u32>,
    ) {
        let (begin, end) = without_dashes(run);
        let name = &run[begin..end];
        if matches!(begin, 1 | 2)
            && let Some(flag) = self.flags.get(&run[..end])
            && !(self.past && found.contains(&flag))
            && spelled()
        {
            found.push(flag);
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

/// Returns true if the quoted text that begins here is a name, not a path or a sentence. The quotation ends after the
/// run, or continues like an option name (`"dry-run|n"`, `"output=s"`).
fn is_name(text: &[u8], run: &Range<usize>) -> bool {
    let quote = text[run.start - 1];
    let next = text.get(run.end).copied();
    next.is_some_and(|next| next == quote || b"|=,:<[ ".contains(&next))
}

/// Returns the start and end of a run, without the dashes at its ends.
fn without_dashes(run: &[u8]) -> (usize, usize) {
    let end = run.iter().rposition(|byte| *byte != b'-').map_or(0, |last| last + 1);
    let begin = run.iter().position(|byte| *byte != b'-').unwrap_or(end);
    (begin, end)
}

#[cfg(test)]
mod tests;
