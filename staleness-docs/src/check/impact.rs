//! Documents that name something that a diff changes.

use std::collections::{BTreeMap, HashMap, HashSet};

use staleness_core::knowledge::WordKind;

use super::commands::Manifests;
use super::doc::Doc;
use super::questions::word_of;
use super::{Check, commit_text};
use crate::commands::{self, Call};
use crate::draft::names::{NameId, NameSort};
use crate::draft::place::Lines;
use crate::draft::{headings, target};
use crate::files::file;
use crate::git::{ChangedFile, Since, differs, forms, is_of_others};
use crate::nature::is_document;
use crate::paths;
use crate::report::{Impact, Touched, TouchedName};

/// Most bytes of changed files that are compared.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Most changed files in which one word is looked for: one that stands in more is no name of one thing.
const MAX_HOMES: usize = 16;
/// Most names that are told of one document, and of all.
const MAX_NAMES: usize = 100;
const MAX_ALL: usize = 10_000;

/// The changed files, and what they held before and after.
struct Changes<'s> {
    files: &'s [ChangedFile],
    texts: Vec<[Vec<u8>; 2]>,
    /// Files by their paths, and by those that they had.
    paths: HashMap<&'s str, usize>,
    /// Files of the project's code in which a word stands, before or after.
    homes: HashMap<Vec<u8>, Vec<usize>>,
}

impl Changes<'_> {
    /// The changed file of a path. Of a document only that it came, went or was renamed counts.
    fn of_path(&self, path: &str) -> Option<usize> {
        let at = *self.paths.get(path)?;
        let file = &self.files[at];
        let is_moved = file.old.is_none() || file.new.is_none() || file.was.is_some();
        (is_moved || !is_document(path)).then_some(at)
    }

    /// The one changed file that defines or offers what a word names, and does so differently.
    fn of_word(&self, word: &crate::git::Word) -> Option<usize> {
        let mut found = keys(word).into_iter().filter_map(|key| self.homes.get(&key)).flatten();
        let is_other = |at: &&usize| {
            let [before, after] = &self.texts[**at];
            differs(word, before, after)
        };
        let first = found.by_ref().find(is_other)?;
        found.filter(is_other).all(|other| other == first).then_some(*first)
    }

    /// Returns true if the section under a heading, or its name, is another one in a changed document.
    fn of_heading(&self, path: &str, fragment: &str) -> Option<usize> {
        let at = *self.paths.get(path)?;
        let key = headings::key(&headings::of_fragment(fragment)?);
        let [old, new] = self.texts[at].each_ref().map(|text| {
            let parts = headings::parts(path, text).into_iter();
            parts.filter(|part| part.name == key).map(|part| part.digest).collect::<Vec<_>>()
        });
        (old != new).then_some(at)
    }

    /// The changed manifest, among these, that defines a command's target differently.
    fn of_call(&self, call: &Call, manifests: &[String]) -> Option<usize> {
        manifests.iter().find_map(|path| {
            let at = *self.paths.get(path.as_str())?;
            let [old, new] = self.texts[at].each_ref().map(|text| {
                let targets = commands::read(call.kind, path, std::str::from_utf8(text).ok()?)?;
                targets.all.get(&(call.kind, call.target.clone())).copied()
            });
            (old != new).then_some(at)
        })
    }
}

/// The runs of letters by which a word is found in code.
fn keys(word: &crate::git::Word) -> Vec<Vec<u8>> {
    match word.kind {
        WordKind::Flag => forms(&word.text).map(String::into_bytes).into(),
        _ => {
            let mut parts = word.text.split(|c: char| !c.is_alphanumeric() && c != '_');
            parts.rfind(|part| !part.is_empty()).map(Into::into).into_iter().collect()
        }
    }
}

impl Check<'_> {
    /// Finds the names in documents of what differs since a revision.
    pub(super) fn impact(&mut self, docs: &[Doc], since: &Since) -> Impact {
        let changes = self.changes(&since.files);
        let edited: HashSet<&str> = since.files.iter().map(|file| &*file.path).collect();
        let mut impact = Impact {
            from: commit_text(&since.commit),
            to: self.past.head().filter(|_| self.past.committed().is_none()),
            files: since.files.len(),
            touched: Vec::new(),
        };
        let (mut known, mut manifests) = (HashMap::new(), Manifests::default());
        let mut left = MAX_ALL;
        for doc in docs {
            let mut found: BTreeMap<usize, (NameId, usize)> = BTreeMap::new();
            let mut seen = HashSet::new();
            for mention in &doc.draft.mentions {
                if found.len() < MAX_NAMES.min(left) && seen.insert(mention.name) {
                    let at =
                        self.change_of(&changes, doc, mention.name, &mut known, &mut manifests);
                    found.extend(at.map(|at| (mention.at, (mention.name, at))));
                }
            }
            let fence = doc.file.inside.then_some(&self.fence);
            let read = file::read(&doc.file.path, self.options.policy.max_file_bytes, fence);
            let (Ok(read), false) = (read, found.is_empty()) else { continue };
            let mut lines = Lines::new(&read.text);
            left -= found.len();
            let names = found.into_iter().map(|(at, (name, file))| TouchedName {
                line: lines.line(at),
                name: self.names.get(name).1.to_owned(),
                file: since.files[file].path.clone(),
            });
            let (path, edited) = (doc.key.path.clone(), edited.contains(&*doc.key.path));
            impact.touched.push(Touched { path, edited, names: names.collect() });
        }
        impact.touched.sort_by(|a, b| a.path.cmp(&b.path));
        if left == 0 {
            self.report.notes.push(crate::Note {
                path: None,
                line: None,
                text: format!("more than {MAX_ALL} names are touched; the rest was left out"),
            });
        }
        impact
    }

    fn changes<'s>(&mut self, files: &'s [ChangedFile]) -> Changes<'s> {
        let mut left = MAX_BYTES;
        let texts: Vec<[Vec<u8>; 2]> = files
            .iter()
            .map(|file| {
                [file.old, file.new].map(|id| {
                    let text = id.and_then(|id| self.past.look_up(|repo| repo.text(id)));
                    let text = text.filter(|text| text.len() <= left).unwrap_or_default();
                    left -= text.len();
                    text
                })
            })
            .collect();
        let mut paths = HashMap::new();
        for (at, file) in files.iter().enumerate() {
            paths.insert(&*file.path, at);
            if let Some(was) = &file.was {
                paths.entry(was).or_insert(at);
            }
        }
        let ids = 0..NameId::try_from(self.names.len()).unwrap_or(NameId::MAX);
        let words = ids.filter_map(|id| {
            let (sort, text) = self.names.get(id);
            word_of(sort, text).filter(|word| word.kind != WordKind::Path)
        });
        let mut homes: HashMap<Vec<u8>, Vec<usize>> =
            words.flat_map(|word| keys(&word)).map(|key| (key, Vec::new())).collect();
        let apart = |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-');
        for (at, file) in files.iter().enumerate() {
            if is_document(&file.path) || is_of_others(&file.path) {
                continue;
            }
            for run in texts[at].iter().flat_map(|text| text.split(apart)) {
                for word in [run].into_iter().chain(run.split(|byte| *byte == b'-')) {
                    if let Some(homes) = homes.get_mut(word)
                        && homes.last() != Some(&at)
                    {
                        homes.push(at);
                    }
                }
            }
        }
        homes.retain(|_, homes| !homes.is_empty() && homes.len() <= MAX_HOMES);
        Changes { files, texts, paths, homes }
    }

    /// The changed file that a name in a document is about.
    fn change_of(
        &mut self,
        changes: &Changes<'_>,
        doc: &Doc,
        name: NameId,
        known: &mut HashMap<NameId, Option<usize>>,
        manifests: &mut Manifests,
    ) -> Option<usize> {
        let (sort, text) = self.names.get(name);
        let resolved = |path: &str| paths::resolve(doc.folder(), path).ok();
        match sort {
            NameSort::Link => {
                let own = self.own_path(text);
                let text = own.as_deref().unwrap_or(text);
                let (path, fragment) = text.split_once('#').unwrap_or((text, ""));
                if path.is_empty() {
                    return changes.of_heading(&doc.key.path, fragment);
                }
                let path = resolved(&target::of_link(text)?.path)?;
                changes.of_path(&path).or_else(|| changes.of_heading(&path, fragment))
            }
            NameSort::Import => changes.of_path(&resolved(text)?),
            NameSort::Word(WordKind::Path) => {
                let path = target::of_word(text)?.path;
                let own = [resolved(&path), paths::resolve("", &path).ok()];
                own.into_iter().flatten().find_map(|path| changes.of_path(&path))
            }
            NameSort::Word(WordKind::Command) => {
                let call = Call::parse(text)?;
                let own = self.manifests_of(manifests, doc.folder(), &call)?;
                changes.of_call(&call, &own)
            }
            NameSort::Word(WordKind::Flag | WordKind::Identifier) => *known
                .entry(name)
                .or_insert_with(|| word_of(sort, text).and_then(|word| changes.of_word(&word))),
        }
    }
}
