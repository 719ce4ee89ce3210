//! What git writes, as it is read here, opened to the fuzz targets. No part of the API: it may
//! change or go with any release.

use staleness_core::knowledge::Lines;
use staleness_core::time::Timestamp;

use super::history::{header, parse};
use super::lines;
use super::objects::{self, EntryKind, Oid, entries};
use super::symbols::{Lexicon, Naming, Role, Scanner};

/// An entry of a tree: its name, whether it is a folder, and its id.
pub type Entry = (Vec<u8>, bool, Oid);

/// The entries of a tree whose ids have so many bytes.
#[must_use]
pub fn tree(bytes: &[u8], id_len: usize) -> Vec<Entry> {
    let entry = |entry: objects::Entry<'_>| {
        (entry.name.to_vec(), entry.kind == EntryKind::Folder, entry.id)
    };
    entries(bytes, id_len).map(entry).collect()
}

/// When a commit was made.
#[must_use]
pub fn committed_at(commit: &[u8]) -> Option<Timestamp> {
    objects::committed_at(commit)
}

/// The head of an object, as `cat-file --batch` writes it: its id and its size.
#[must_use]
pub fn object_header(line: &[u8]) -> Option<(Oid, u64)> {
    objects::header(line).map(|(id, _, size)| (id, size))
}

/// Returns true if `cat-file` says that an object is missing.
#[must_use]
pub fn is_missing(line: &[u8]) -> bool {
    objects::is_missing(line)
}

/// What `cat-file --batch-check` tells of an object: its packed size, and what it is packed upon.
#[must_use]
pub fn told(line: &[u8]) -> Option<(u64, Option<Oid>)> {
    objects::told(line).map(|told| (told.packed, told.base))
}

/// A line of changes: the ids before and after, and its letter.
#[must_use]
pub fn change(line: &[u8]) -> Option<(Oid, Oid, u8)> {
    parse(line).map(|change| (change.old, change.new, change.status))
}

/// The head of a commit's changes.
#[must_use]
pub fn commit_header(field: &[u8]) -> Option<(Oid, Timestamp)> {
    header(field).map(|commit| (commit.id, commit.at))
}

/// For each line of the new text the line of the old one that it was, counted from 0, and the lines
/// that changed, counted from 1.
#[must_use]
pub fn compared(old: &[u8], new: &[u8]) -> (Vec<Option<u32>>, Vec<Lines>) {
    let mut numbers = lines::Numbers::default();
    let (old, new) = (numbers.text(old), numbers.text(new));
    (new.origins(&old), new.changed(&old))
}

/// The lines of a text, without the white space at their ends.
#[must_use]
pub fn lines(text: &[u8]) -> Vec<&[u8]> {
    lines::split(text).map(<[u8]>::trim_ascii_end).collect()
}

/// Which of these words each text holds, as one scanner finds it that remembers the last text, and as
/// one finds it that never saw another. Of an odd number of words it is asked what the project had.
#[must_use]
pub fn scanned(words: &[&[u8]], texts: &[&[u8]], foreign: bool) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let past = words.len() % 2 == 1;
    let mut lexicon = if past { Lexicon::of_past() } else { Lexicon::default() };
    let naming = if foreign { Naming::Foreign } else { Naming::Code };
    for (at, word) in words.iter().enumerate().filter(|(_, word)| !word.is_empty()) {
        match at % 6 {
            0 => lexicon.identifier(word),
            1 => lexicon.flag(&[b"--", *word].concat()),
            2 => lexicon.quoted(word),
            4 => lexicon.filed(&[*word, b".rs"].concat()),
            3 => lexicon.placed(word, if at % 4 == 3 { Role::Made } else { Role::Item }),
            _ => lexicon.both(words[0], word),
        };
    }
    let mut scanner = Scanner::new(&lexicon);
    let mut once = |text: &&[u8]| {
        let mut found = Vec::new();
        scanner.scan(text, naming, &mut found);
        found
    };
    let remembered = texts.iter().map(&mut once).collect();
    let anew = texts.iter().map(|text| {
        let mut found = Vec::new();
        Scanner::new(&lexicon).scan(text, naming, &mut found);
        found
    });
    (remembered, anew.collect())
}
