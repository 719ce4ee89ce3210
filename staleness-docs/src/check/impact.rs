//! Finds documents that name symbols or files changed by a diff.

use std::collections::{BTreeMap, HashMap, HashSet};

use staleness_core::knowledge::WordKind;

use super::commands::parts;
use super::doc::Doc;
use super::questions::{Existing, held, places_of, word_of};
use super::{Cancelled, Check, commit_text};
use crate::commands::{Call, TargetKind};
use crate::draft::names::{NameId, NameSort};
use crate::draft::place::Lines;
use crate::draft::{headings, target};
use crate::git::{ChangedFile, Oid, Part, Since};
use crate::nature::is_document;
use crate::paths;
use crate::report::{Impact, Touched, TouchedName, WHOLE};
use crate::symbols::{Wanted, Word, is_of_others};

/// Maximum number of bytes of changed files to compare.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Maximum numbers of names to report per document and in total.
const MAX_NAMES: usize = 100;
const MAX_ALL: usize = 10_000;

/// The names of the differing parts of a file: its headings, or its targets of one kind.
type Parts = HashSet<String>;

/// The changed files with their old and new contents. Each is read once.
struct Changes<'s> {
    files: &'s [ChangedFile],
    texts: Vec<[Vec<u8>; 2]>,
    /// Indices of files by their current and old paths.
    paths: HashMap<&'s str, usize>,
    /// The only file in which the target of a word differs. `None` if there are several.
    words: HashMap<Word, Option<usize>>,
    headings: HashMap<usize, Parts>,
    targets: HashMap<(usize, TargetKind), Parts>,
}

impl Changes<'_> {
    /// Returns the changed file at a path. A document counts only if it was added, removed or renamed.
    fn of_path(&self, path: &str) -> Option<usize> {
        let at = *self.paths.get(path)?;
        let file = &self.files[at];
        let is_moved = file.old.is_none() || file.new.is_none() || file.was.is_some();
        (is_moved || !is_document(path)).then_some(at)
    }

    /// Returns the changed document in which a heading or its section differs.
    fn of_heading(&mut self, path: &str, fragment: &str) -> Option<usize> {
        let at = *self.paths.get(path)?;
        let key = headings::key(&headings::of_fragment(fragment)?);
        let texts = &self.texts[at];
        let read = || differing(texts, |text| headings::parts(path, text));
        self.headings.entry(at).or_insert_with(read).contains(&key).then_some(at)
    }

    /// Returns the first of these manifests that defines a command's target differently.
    fn of_call(&mut self, call: &Call, manifests: &[String]) -> Option<usize> {
        manifests.iter().find_map(|path| {
            let at = *self.paths.get(path.as_str())?;
            let texts = &self.texts[at];
            let read = || differing(texts, |text| parts(call.kind, path, text));
            let targets = self.targets.entry((at, call.kind)).or_insert_with(read);
            targets.contains(&call.target).then_some(at)
        })
    }
}

/// Returns the names of the parts that differ between two versions of a file.
fn differing(texts: &[Vec<u8>; 2], read: impl Fn(&[u8]) -> Vec<Part>) -> Parts {
    let [old, new] = texts.each_ref().map(|text| {
        let mut all = HashMap::<_, Vec<_>>::new();
        for part in read(text) {
            all.entry(part.name).or_default().push(part.digest);
        }
        all
    });
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    names.filter(|name| old.get(*name) != new.get(*name)).cloned().collect()
}

impl Check<'_> {
    /// Finds names in documents whose targets differ since a revision.
    pub(super) fn impact(&mut self, docs: &[Doc], since: &Since) -> Result<Impact, Cancelled> {
        let mut changes = self.changes(&since.files)?;
        let edited: HashSet<&str> = since.files.iter().map(|file| &*file.path).collect();
        let mut impact = Impact {
            from: commit_text(&since.commit),
            to: self.past.head().filter(|_| self.past.committed().is_none()),
            files: since.files.len(),
            touched: Vec::new(),
        };
        since.gaps.iter().for_each(|gap| self.skip(WHOLE, gap.clone()));
        let mut calls = HashMap::new();
        let (mut left, mut is_cut) = (MAX_ALL, false);
        for doc in docs {
            let mut found: BTreeMap<usize, (NameId, usize)> = BTreeMap::new();
            let (mut seen, mut more) = (HashSet::new(), 0);
            for mention in &doc.draft.mentions {
                if !seen.insert(mention.name) {
                    continue;
                }
                let at = self.change_of(&mut changes, doc, mention.name, &mut calls);
                let Some(at) = at else { continue };
                if found.len() < MAX_NAMES.min(left) {
                    found.insert(mention.at, (mention.name, at));
                } else {
                    more += 1;
                }
            }
            let path = doc.key.path.clone();
            if more > 0 && left < MAX_NAMES {
                is_cut = true;
            } else if more > 0 {
                self.skip(&path, format!("mentions too many changed names: {more} were left out"));
            }
            if found.is_empty() {
                continue;
            }
            match self.text(&path, &doc.file.path, doc.file.inside) {
                Ok(read) => {
                    let mut lines = Lines::new(&read.text);
                    left -= found.len();
                    let names = found.into_iter().map(|(at, (name, file))| TouchedName {
                        line: lines.line(at),
                        name: self.names.get(name).1.to_owned(),
                        file: since.files[file].path.clone(),
                    });
                    let (names, edited) = (names.collect(), edited.contains(&*path));
                    impact.touched.push(Touched { path, edited, names });
                }
                Err(reason) => self.skip(&path, reason),
            }
        }
        impact.touched.sort_by(|a, b| a.path.cmp(&b.path));
        if is_cut {
            let reason =
                format!("mentions more than {MAX_ALL} changed names: the rest were left out");
            self.skip(WHOLE, reason);
        }
        Ok(impact)
    }

    fn changes<'s>(&mut self, files: &'s [ChangedFile]) -> Result<Changes<'s>, Cancelled> {
        let versions: Vec<Option<Oid>> =
            files.iter().flat_map(|file| [file.old, file.new]).collect();
        let ids: Vec<Oid> = versions.iter().copied().flatten().collect();
        let read = self.past.ask(Vec::new(), |repo, _| repo.history.texts(&ids, MAX_BYTES))?;
        let (mut read, mut left_out) = (read.into_iter(), 0);
        let mut text = |id: Option<Oid>| match id {
            Some(_) => read.next().flatten(),
            None => Some(Vec::new()),
        };
        let mut texts = Vec::with_capacity(files.len());
        for file in files {
            let both = [text(file.old), text(file.new)];
            left_out += both.iter().filter(|text| text.is_none()).count();
            // Without both versions, every part of a file would seem to differ.
            let [old, new] = both;
            texts.push(old.zip(new).map_or_else(Default::default, <[_; 2]>::from));
        }
        if left_out > 0 {
            let reason = format!(
                "has changed files that are too large: {left_out} versions were not compared"
            );
            self.skip(WHOLE, reason);
        }
        let mut paths = HashMap::new();
        for (at, file) in files.iter().enumerate() {
            paths.insert(&*file.path, at);
            if let Some(was) = &file.was {
                paths.entry(was).or_insert(at);
            }
        }
        let words = self.names.iter().filter_map(|(_, sort, text)| word_of(sort, text));
        let all: HashSet<Word> = words.map(Word::in_code).collect();
        let wanted = Wanted::of(all.iter());
        let mut words: HashMap<Word, Option<usize>> = HashMap::new();
        for (at, (file, [before, after])) in files.iter().zip(&texts).enumerate() {
            if is_document(&file.path) || is_of_others(&file.path) {
                continue;
            }
            for word in wanted.differing(before, after) {
                words.entry(word.clone()).and_modify(|one| *one = None).or_insert(Some(at));
            }
        }
        let (headings, targets) = (HashMap::new(), HashMap::new());
        Ok(Changes { files, texts, paths, words, headings, targets })
    }

    /// Returns the changed file that a name in a document refers to.
    fn change_of(
        &mut self,
        changes: &mut Changes<'_>,
        doc: &Doc,
        name: NameId,
        calls: &mut HashMap<(String, NameId), Option<usize>>,
    ) -> Option<usize> {
        let (sort, text) = self.names.get(name);
        match sort {
            NameSort::Link => {
                let own = self.own_path(text);
                let text = own.as_deref().unwrap_or(text);
                let (path, fragment) = text.split_once('#').unwrap_or((text, ""));
                if path.is_empty() {
                    return changes.of_heading(&doc.key.path, fragment);
                }
                let folder = if own.is_some() { "" } else { doc.folder() };
                let all = places_of(folder, &target::of_link(text)?.path).ok()?;
                let (paths, _) = held(all, |path| self.existing(path) != Existing::No);
                paths.iter().find_map(|path| {
                    changes.of_path(path).or_else(|| changes.of_heading(path, fragment))
                })
            }
            NameSort::Import => changes.of_path(&paths::resolve(doc.folder(), text).ok()?),
            NameSort::Word(WordKind::Path) => {
                let all = paths::either(doc.folder(), &target::of_path(text)?.path);
                let change = |path: &String| changes.of_path(path);
                // Few paths changed, so check the other paths only if one of these did.
                all.iter().find_map(change)?;
                let (paths, _) = held(all, |path| self.existing(path) != Existing::No);
                paths.iter().find_map(change)
            }
            NameSort::Word(WordKind::Command) => {
                let key = (doc.folder().to_owned(), name);
                if let Some(known) = calls.get(&key) {
                    return *known;
                }
                let call = Call::parse(text)?;
                let own = self.past.manifests_of(doc.folder(), &call);
                let found = own.and_then(|own| changes.of_call(&call, &own));
                calls.insert(key, found);
                found
            }
            NameSort::Word(WordKind::Flag | WordKind::Identifier) => {
                changes.words.get(&word_of(sort, text)?.in_code()).copied().flatten()
            }
        }
    }
}
