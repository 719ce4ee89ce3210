//! An index of the things that exist in commits.
//!
//! Results are cached by tree and file id, so a folder or file shared by several commits is searched once. Contents of
//! the checked-out commit are known not to match, and cost nothing in older commits.

use std::ops::ControlFlow;
use std::sync::Arc;

use foldhash::{HashMap as Map, HashSet as Set};

use super::files::{Tools, WantedFile, read};
use super::found::{Found, Numbered, exists};
use crate::git::lines::may_be_text;
use crate::git::objects::{Object, Oid, Paths, Sort, TrackedKind, Wanted, entries};
use crate::git::process::GitError;
use crate::nature::is_document;
use crate::symbols::{Lexicon, Naming, WantedPath};

/// Maximum depth of folders to follow.
const MAX_DEPTH: usize = 128;
/// The longest path to follow, in bytes.
const MAX_PATH: usize = 4_096;
/// Cost of a folder, in files, and the number of path bytes that cost as much as another file.
const FOLDER_COST: usize = 10;
const PATH_BYTES: usize = 32;

/// A tree and the number of its path. The same tree may occur twice, once below a path that holds only
/// documents.
type Key = (Oid, u32);

/// An entry with a name that occurs in one of the wanted paths.
#[derive(Clone, Debug)]
struct Named {
    name: Box<[u8]>,
    kind: TrackedKind,
    key: Key,
}

#[derive(Clone, Debug, Default)]
struct Node {
    found: Found,
    named: Box<[Named]>,
}

/// Folders and files that are known to contain no wanted thing.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    folders: Set<Key>,
    files: Set<Oid>,
    paths: Paths,
}

impl Seen {
    /// Returns true if a file is known to contain no wanted thing.
    pub(crate) fn holds(&self, file: Oid) -> bool {
        self.files.contains(&file)
    }
}

/// A folder that has been listed but not searched yet.
struct Open {
    key: Key,
    folders: Vec<Key>,
    /// The files in it, with the owner of the names in each.
    files: Vec<WantedFile>,
    named: Vec<Named>,
    /// Things that the names of its entries denote.
    things: Vec<u32>,
    holes: bool,
}

impl Open {
    const fn new(key: Key, holes: bool) -> Self {
        Self { key, folders: vec![], files: vec![], named: vec![], things: vec![], holes }
    }
}

/// An index for one set of things.
#[derive(Debug)]
pub(crate) struct Index {
    lexicon: Arc<Lexicon>,
    names: Set<Box<[u8]>>,
    starts: Map<Box<[u8]>, Vec<(WantedPath, u32)>>,
    seen: Seen,
    roots: Map<Oid, Option<Key>>,
    nodes: Map<Key, Node>,
    /// The things found in each file, and the assumed owner of its names.
    files: Map<Oid, (Found, Naming)>,
    /// Files with unknown contents.
    pub(crate) unread: Set<Oid>,
    pub(crate) submodule: bool,
    /// True if some folder could not be listed.
    pub(crate) holes: bool,
    /// True if anything was omitted because the budget was used up.
    pub(crate) cut: bool,
}

impl Index {
    pub(crate) fn new(lexicon: Arc<Lexicon>, seen: Seen) -> Self {
        let mut names = Set::default();
        let mut starts: Map<_, Vec<_>> = Map::default();
        for (path, number) in lexicon.paths() {
            names.extend(path.parts.iter().cloned());
            starts.entry(path.parts[0].clone()).or_default().push((path.clone(), number));
        }
        Self {
            lexicon,
            names,
            starts,
            seen,
            roots: Map::default(),
            nodes: Map::default(),
            files: Map::default(),
            unread: Set::default(),
            submodule: false,
            holes: false,
            cut: false,
        }
    }

    /// Returns the contents that were already known.
    pub(crate) fn give_back(self) -> Seen {
        self.seen
    }

    /// Returns everything that was searched, so that an index of other things can skip it.
    pub(crate) fn into_seen(self) -> Seen {
        let mut seen = self.seen;
        seen.folders.extend(self.nodes.into_keys());
        seen.files.extend(self.files.into_keys());
        seen
    }

    /// Returns the things in a searched commit, or `None` if the project's folder does not exist in it.
    pub(crate) fn found(&self, commit: Oid) -> Option<Found> {
        let key = (*self.roots.get(&commit)?)?;
        Some(self.node(key).map(|node| node.found.clone()).unwrap_or_default())
    }

    /// Returns true if a word exists in a searched commit, or `None` if this is unknown.
    pub(crate) fn has(&self, word: &Numbered, commit: Oid) -> Option<bool> {
        let found = self.found(commit)?;
        if exists(word, &found) { Some(true) } else { (!found.holes).then_some(false) }
    }

    /// Returns the result for a folder, or `None` if it is known to contain nothing.
    fn node(&self, key: Key) -> Option<&Node> {
        self.nodes.get(&key)
    }

    fn is_known(&self, key: Key) -> bool {
        self.seen.folders.contains(&key) || self.nodes.contains_key(&key)
    }

    /// Searches the trees of these commits.
    pub(crate) fn look(
        &mut self,
        commits: &[Oid],
        tools: &mut Tools<'_, '_>,
    ) -> Result<(), GitError> {
        let mut levels = vec![self.roots(commits, tools)?];
        while let Some(level) = levels.last()
            && !level.is_empty()
        {
            let mut next: Vec<Key> = Vec::new();
            let mut listed = Set::default();
            for key in level.iter().flat_map(|open| &open.folders) {
                if !self.is_known(*key) && listed.insert(*key) {
                    next.push(*key);
                }
            }
            let opened = self.folders(&next, tools)?;
            levels.push(opened);
        }
        self.read(&levels, tools)?;
        for open in levels.into_iter().rev().flatten() {
            let node = self.close(open);
            self.nodes.insert(node.0, node.1);
        }
        Ok(())
    }

    fn roots(&mut self, commits: &[Oid], tools: &mut Tools<'_, '_>) -> Result<Vec<Open>, GitError> {
        let mut asked: Vec<Oid> =
            commits.iter().copied().filter(|commit| !self.roots.contains_key(commit)).collect();
        asked.sort_unstable();
        asked.dedup();
        let folder = tools.place.within();
        let wanted: Vec<Wanted> =
            asked.iter().map(|commit| Wanted::Tree(*commit, folder.to_owned())).collect();
        let mut opened = Vec::new();
        let mut listed = Set::default();
        let visits = &mut tools.visits;
        tools.objects.each(&wanted, &mut |at, object| {
            let root = match object {
                Object::Found(id, Sort::Tree, bytes) => {
                    let key = (id, 0);
                    if !self.is_known(key) && listed.insert(key) {
                        opened.push(self.open(key, bytes, visits));
                    }
                    Some(key)
                }
                _ => None,
            };
            self.roots.insert(asked[at], root);
            ControlFlow::Continue(())
        })?;
        Ok(opened)
    }

    fn folders(&mut self, keys: &[Key], tools: &mut Tools<'_, '_>) -> Result<Vec<Open>, GitError> {
        let wanted: Vec<Wanted> = keys.iter().map(|(id, _)| Wanted::Object(*id)).collect();
        let mut opened = Vec::with_capacity(keys.len());
        let (watch, visits) = (&mut *tools.watch, &mut tools.visits);
        let mut ended = Ok(());
        tools.objects.each(&wanted, &mut |at, object| {
            opened.push(match object {
                Object::Found(_, Sort::Tree, bytes) => self.open(keys[at], bytes, visits),
                _ => {
                    self.holes = true;
                    Open::new(keys[at], true)
                }
            });
            if at % 1024 == 1023 {
                ended = watch(at, None);
            }
            if ended.is_err() || *visits == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        ended?;
        let rest = &keys[opened.len()..];
        self.cut |= !rest.is_empty();
        opened.extend(rest.iter().map(|key| Open::new(*key, true)));
        Ok(opened)
    }

    fn open(&mut self, key: Key, tree: &[u8], visits: &mut u64) -> Open {
        let (path, depth) = self.seen.paths.get(key.1).clone();
        let mut open = Open::new(key, false);
        let mut name = path.clone();
        for entry in entries(tree, key.0.as_bytes().len()) {
            let mut below = (entry.id, 0);
            let length = path.len() + entry.name.len();
            let folder = entry.kind == TrackedKind::Folder;
            let cost = if folder { FOLDER_COST + length / PATH_BYTES } else { 1 } as u64;
            if *visits < cost || folder && (depth >= MAX_DEPTH || length > MAX_PATH) {
                (open.holes, self.cut) = (true, true);
                if *visits < cost {
                    *visits = 0;
                    break;
                }
                continue;
            }
            *visits -= cost;
            match entry.kind {
                TrackedKind::Folder => {
                    below.1 = self.seen.paths.below(key.1, entry.name);
                    open.folders.push(below);
                    self.lexicon.named(entry.name, &mut open.things);
                }
                TrackedKind::File if self.lexicon.has_words() && may_be_text(entry.name) => {
                    let before = open.things.len();
                    self.lexicon.named(entry.name, &mut open.things);
                    // Most files are the same as in the checked-out commit.
                    if before < open.things.len() || !self.seen.files.contains(&entry.id) {
                        name.truncate(path.len());
                        name.push_str(&String::from_utf8_lossy(entry.name));
                        if is_document(&name) {
                            open.things.truncate(before);
                        } else {
                            open.files.push((entry.id, Naming::of(&name)));
                        }
                    }
                }
                TrackedKind::Submodule => self.submodule = true,
                _ => {}
            }
            if self.names.contains(entry.name) {
                open.named.push(Named { name: entry.name.into(), kind: entry.kind, key: below });
            }
        }
        open
    }

    /// Searches the files that are not known yet.
    fn read(&mut self, levels: &[Vec<Open>], tools: &mut Tools<'_, '_>) -> Result<(), GitError> {
        let mut wanted: Vec<WantedFile> = Vec::new();
        let mut listed: Map<Oid, usize> = Map::default();
        for (id, naming) in levels.iter().flatten().flat_map(|open| &open.files) {
            let known = self.files.get(id).is_some_and(|(_, known)| known <= naming);
            if known || self.seen.files.contains(id) {
                continue;
            }
            let at = *listed.entry(*id).or_insert(wanted.len());
            // A file that is the project's own in one place counts as its own everywhere.
            match wanted.get_mut(at) {
                Some((_, known)) => *known = (*known).min(*naming),
                None => wanted.push((*id, *naming)),
            }
        }
        let (files, unread) = (&mut self.files, &mut self.unread);
        let mut found = |at: usize, found: Found| {
            let (id, naming): WantedFile = wanted[at];
            if found.unread {
                unread.insert(id);
            }
            files.insert(id, (found, naming));
        };
        self.cut |= read(&wanted, &self.lexicon, tools, &mut found)?;
        Ok(())
    }

    /// Merges the results for a folder.
    fn close(&self, open: Open) -> (Key, Node) {
        let mut things = open.things;
        let mut holes = open.holes;
        for key in &open.folders {
            if let Some(node) = self.node(*key) {
                things.extend_from_slice(&node.found.things);
                holes |= node.found.holes;
            }
        }
        for (id, _) in &open.files {
            match self.files.get(id) {
                Some((file, _)) => {
                    things.extend_from_slice(&file.things);
                    holes |= file.holes;
                }
                None => holes |= !self.seen.files.contains(id),
            }
        }
        for named in &open.named {
            for (path, number) in self.starts.get(&named.name).into_iter().flatten() {
                if (!path.anchored || open.key.1 == 0) && self.resolves(path, named) {
                    things.push(*number);
                }
            }
        }
        self.lexicon.count(&mut things);
        let mut named = open.named.into_boxed_slice();
        // Git sorts folders as if their names ended in `/`.
        named.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        (open.key, Node { found: Found::of(&mut things, holes), named })
    }

    /// Returns true if the path exists, starting from the entry that matches its first part.
    fn resolves(&self, path: &WantedPath, first: &Named) -> bool {
        let mut at = first;
        for part in &path.parts[1..] {
            match at.kind {
                // The contents of a submodule are unknown.
                TrackedKind::Submodule => return true,
                TrackedKind::Folder => {}
                TrackedKind::File | TrackedKind::Link => return false,
            }
            let next = self
                .node(at.key)
                .map(|node| (node, node.named.binary_search_by(|it| it.name.cmp(part))));
            match next {
                Some((node, Ok(found))) => at = &node.named[found],
                _ => return false,
            }
        }
        !path.folder || matches!(at.kind, TrackedKind::Folder | TrackedKind::Submodule)
    }
}
