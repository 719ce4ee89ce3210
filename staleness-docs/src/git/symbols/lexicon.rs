//! Many words at once, and what a run of letters, digits, `_` and `-` is among them.
//!
//! A table of the lengths that occur behind each first byte turns most runs away before anything is
//! hashed.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::HashMap as Map;

use super::naming::{Naming, is_data};
use super::{defined, filed, items, offered};

/// Words, each with a number.
#[derive(Debug)]
struct Table {
    numbers: Map<Box<[u8]>, u32>,
    /// For every first byte the lengths that occur, 63 standing for all that are longer.
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

/// The next free number.
const fn take(next: &mut u32) -> u32 {
    *next += 1;
    *next - 1
}

/// A path that is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WantedPath {
    pub(crate) parts: Vec<Box<[u8]>>,
    /// True if it begins at the root of the project; else any path may end so.
    pub(crate) anchored: bool,
    /// True if it must be a folder.
    pub(crate) folder: bool,
}

impl WantedPath {
    /// Returns true if it is the name of a file, in any folder.
    pub(crate) fn is_bare(&self) -> bool {
        !self.anchored && !self.folder && self.parts.len() == 1
    }
}

/// The words that are looked for in files and folders: every single thing has a number.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    identifiers: Table,
    /// Words with dashes in them.
    dashed: Table,
    /// Words that count behind a quotation mark only.
    quoted: Table,
    flags: Table,
    /// Words that count in some places only, by their place in `roles`.
    placed: Table,
    roles: Vec<Roles>,
    /// For the number of a part the other part, and the number of both together.
    pairs: Map<u32, Vec<(u32, u32)>>,
    /// Names of files that count between quotation marks, and a word of each.
    files: Map<Box<[u8]>, u32>,
    filed: Table,
    paths: HashMap<WantedPath, u32>,
    /// For the name of a file that is looked for in any folder, that two files bear it.
    shared: Map<Box<[u8]>, u32>,
    /// Those numbers by the number of the path.
    twice: Map<u32, u32>,
    next: u32,
    /// True if it is asked what the project had, and not what it has.
    past: bool,
}

/// Role of a word in some places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// A definition of that name.
    Made,
    /// A definition of a function, a type or another item of that name.
    Item,
    /// A read of a variable of that name.
    Read,
    /// A field that a library makes a flag of.
    Option,
    /// A part of longer names that are put together, such as `_LIB_DIR`.
    Part,
}

/// Searches that are left for one text.
#[derive(Debug)]
pub(super) struct Looks {
    /// Searches for the line that encloses another.
    pub(super) items: u32,
    /// Searches for the offer of a flag.
    pub(super) flags: u32,
}

/// The number of a word in each role.
type Roles = [Option<u32>; 5];

impl Lexicon {
    /// A lexicon of the past. There a name in a file of others says nothing, while a project *has* a name
    /// wherever it stands.
    pub(crate) fn of_past() -> Self {
        Self { past: true, ..Self::default() }
    }

    /// Returns true if a file says anything, by who names things in it.
    pub(super) const fn heeds(&self, naming: Naming) -> bool {
        !(matches!(naming, Naming::Foreign) && self.past)
    }

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

    /// The name of a file between quotation marks.
    pub(crate) fn filed(&mut self, name: &[u8]) -> u32 {
        self.filed.add(filed::run_of(name), &mut 0);
        *self.files.entry(name.into()).or_insert_with(|| take(&mut self.next))
    }

    /// A word in a role.
    pub(crate) fn placed(&mut self, text: &[u8], role: Role) -> u32 {
        let mut at = u32::try_from(self.roles.len()).unwrap_or(u32::MAX);
        let at = self.placed.add(text, &mut at) as usize;
        if at == self.roles.len() {
            self.roles.push(Roles::default());
        }
        *self.roles[at][role as usize].get_or_insert_with(|| take(&mut self.next))
    }

    /// Two parts of a longer name in one file.
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

    /// That two files bear the name that is looked for as this path, if it is one of a file alone.
    pub(crate) fn shared(&mut self, path: &WantedPath) -> Option<u32> {
        let name = path.parts.first().filter(|_| path.is_bare())?;
        if let Some(known) = self.share(name) {
            return Some(known);
        }
        let one = self.path(path.clone());
        let twice = take(&mut self.next);
        self.shared.insert(name.clone(), twice);
        self.twice.insert(one, twice);
        Some(twice)
    }

    /// That two files bear this name, if that is asked.
    pub(crate) fn share(&self, name: &[u8]) -> Option<u32> {
        self.shared.get(name).copied()
    }

    /// Adds which names two files bear, of what each part of a folder holds.
    pub(crate) fn count(&self, things: &mut Vec<u32>) {
        if self.twice.is_empty() {
            return;
        }
        things.sort_unstable();
        let pairs = things.windows(2).filter(|pair| pair[0] == pair[1]);
        let twice: Vec<u32> = pairs.filter_map(|pair| self.twice.get(&pair[0])).copied().collect();
        things.extend(twice);
    }

    /// The paths with their numbers.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&WantedPath, u32)> {
        self.paths.iter().map(|(path, number)| (path, *number))
    }

    /// Returns the number of things: one more than the highest number.
    pub(crate) const fn len(&self) -> usize {
        self.next as usize
    }

    /// Returns true if there is anything to be found in the contents of files.
    pub(crate) fn has_words(&self) -> bool {
        self.next as usize > self.paths.len() + self.shared.len()
    }

    /// Finds what the name of a file or folder names: `router` is in `router.rs`.
    pub(crate) fn named(&self, name: &[u8], found: &mut Vec<u32>) {
        let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default();
        found.extend(self.identifiers.get(stem));
        // A file of data is called by what is in it, not by what the project makes.
        if let Some(at) = self.placed.get(stem).filter(|_| !is_data(name)) {
            let roles = &self.roles[at as usize];
            found.extend([Role::Made, Role::Item].iter().filter_map(|role| roles[*role as usize]));
        }
    }

    /// Returns true if a run of letters, digits, `_` and `-` may be a thing, wherever it stands.
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

    /// Finds what a run of a text is.
    pub(super) fn judge(
        &self,
        text: &[u8],
        run: &Range<usize>,
        naming: Naming,
        looks: &mut Looks,
        found: &mut Vec<u32>,
    ) {
        let quoted = run.start > 0 && matches!(text[run.start - 1], b'"' | b'\'' | b'`');
        let quoted = quoted && (!self.past || is_name(text, run));
        let word = &text[run.clone()];
        if self.filed.get(word).is_some() {
            found.extend(filed::name_at(text, run).and_then(|name| self.files.get(name)));
        }
        if word.contains(&b'-') {
            let mut spelled = || {
                !self.past
                    || naming == Naming::Code && offered::is_offered(text, run, &mut looks.flags)
            };
            self.run(word, &mut spelled, quoted, found);
            return;
        }
        if quoted {
            found.extend(self.quoted.get(word));
        }
        found.extend(self.identifiers.get(word));
        if let Some(roles) = self.placed.get(word) {
            let roles = &self.roles[roles as usize];
            self.place(roles, text, run, naming, &mut looks.items, found);
        }
    }

    /// Adds what is there when others are.
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

    /// A word that counts in some places only.
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
        check(Role::Read, &mut || defined::reads(text, word));
        check(Role::Option, &mut || defined::declares_option(text, word));
        check(Role::Part, &mut || defined::is_part(text, word));
    }

    /// A run that holds dashes.
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

/// Returns true if what begins behind a quotation mark is a name and no part of a path or a sentence: it ends there, or
/// goes on as the names of options do (`"dry-run|n"`, `"output=s"`).
fn is_name(text: &[u8], run: &Range<usize>) -> bool {
    let quote = text[run.start - 1];
    let next = text.get(run.end).copied();
    next.is_some_and(|next| next == quote || b"|=,:<[ ".contains(&next))
}

/// Returns the begin and end of a run without the dashes at its ends.
fn without_dashes(run: &[u8]) -> (usize, usize) {
    let end = run.iter().rposition(|byte| *byte != b'-').map_or(0, |last| last + 1);
    let begin = run.iter().position(|byte| *byte != b'-').unwrap_or(end);
    (begin, end)
}

#[cfg(test)]
mod tests;
