//! Documents superseded by another file, according to the front matter of that file.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use staleness_core::ids::ItemId;
use staleness_core::knowledge::{Block, Document, Evidence, Fact};

use super::{Check, doc};
use crate::disk::exists;
use crate::front::Fields;
use crate::{Note, Report};

/// Maximum number of claims to read. No person writes this many by hand.
const MAX_CLAIMS: usize = 200_000;
/// Maximum number of superseding documents to report per document.
const MAX_TOLD: usize = 16;

/// The claims and ids of documents that are not items.
#[derive(Debug, Default)]
pub(super) struct Standing {
    /// The path of each document that sets an id.
    ids: HashMap<ItemId, String>,
    /// The documents that supersede others.
    claimants: Vec<Claimant>,
    /// Superseded ids, each with the index of the claimant.
    claims: Vec<(ItemId, usize)>,
    /// True if there were more claims than [`MAX_CLAIMS`].
    cut: bool,
    /// Files of the user that are outside the project.
    pub(super) outside: HashSet<String>,
}

#[derive(Debug)]
struct Claimant {
    path: String,
    id: ItemId,
}

impl Standing {
    /// Records the id and the claims of a document.
    pub(super) fn take(&mut self, path: &str, fields: &mut Fields) {
        if let Some(id) = &fields.id {
            self.ids.entry(id.clone()).or_insert_with(|| path.to_owned());
        }
        let claims = std::mem::take(&mut fields.supersedes);
        if claims.is_empty() {
            return;
        }
        let room = MAX_CLAIMS - self.claims.len();
        self.cut |= claims.len() > room;
        let by = self.claimants.len();
        self.claims.extend(claims.into_iter().take(room).map(|old| (old, by)));
        let id = fields.id.clone().unwrap_or_else(|| doc::id_of(path));
        self.claimants.push(Claimant { path: path.to_owned(), id });
    }

    /// Returns true if one file may supersede another. Files of the project may not supersede files of the
    /// user.
    fn may_speak(&self, by: &str, of: &str) -> bool {
        let is_users = |path: &str| path.starts_with("~/") || Path::new(path).is_absolute();
        let by_user = || self.outside.contains(by) || is_users(by);
        by != of && (!self.outside.contains(of) || by_user())
    }
}

/// The first superseding files for each document or item, by index.
type Superseders<T> = BTreeMap<usize, BTreeSet<T>>;

fn tell<T: Ord>(told: &mut Superseders<T>, of: usize, by: T) {
    let all = told.entry(of).or_default();
    all.insert(by);
    if all.len() > MAX_TOLD {
        all.pop_last();
    }
}

/// The documents and items that a claim may refer to. `read` maps a path to the index of the document and of its item.
#[derive(Debug, Default)]
struct Targets<'a> {
    read: HashMap<&'a str, (usize, Option<usize>)>,
    items: HashMap<&'a ItemId, &'a str>,
    history: HashSet<&'a str>,
}

impl<'a> Targets<'a> {
    fn new(report: &'a Report, documents: &'a [Document]) -> Self {
        let history = report.history.iter().map(String::as_str).collect();
        let mut all = Self { history, ..Self::default() };
        for (at, document) in documents.iter().enumerate() {
            all.read.insert(&document.key.path, (at, None));
        }
        for (at, item) in report.items.iter().enumerate() {
            let path = item.path.as_deref().unwrap_or_default();
            if let Some((_, item)) = all.read.get_mut(path) {
                *item = Some(at);
            }
            all.items.entry(&item.key.id).or_insert(path);
        }
        all
    }

    fn item_at(&self, path: &str) -> Option<&'a str> {
        let (path, (_, item)) = self.read.get_key_value(path)?;
        item.is_some().then_some(*path)
    }

    /// Returns the paths to which an id or a path refers: a document that is not an item, and an item. History
    /// documents do not count.
    fn named(&self, ids: &'a HashMap<ItemId, String>, old: &ItemId) -> [Option<&'a str>; 2] {
        let plain = |path: &str| {
            let (path, (_, item)) = self.read.get_key_value(path)?;
            (item.is_none() && !self.history.contains(path)).then_some(*path)
        };
        let by_id = || plain(ids.get(old)?);
        [plain(old.as_str()).or_else(by_id), self.items.get(old).copied()]
    }
}

impl Check<'_> {
    /// Adds the superseding files to each document and item.
    pub(super) fn add_superseded(&mut self, documents: &mut [Document]) {
        let standing = std::mem::take(&mut self.standing);
        if standing.cut {
            let text = format!(
                "documents replace others more than {MAX_CLAIMS} times; the rest were left out"
            );
            self.report.notes.push(Note { path: None, line: None, text });
        }
        let (told, items) = self.told_superseded(&standing, documents);
        let are_items: HashSet<&str> =
            self.report.items.iter().filter_map(|item| item.path.as_deref()).collect();
        for (at, by) in told {
            let is_item = are_items.contains(&*documents[at].key.path);
            add(&mut documents[at], by, is_item);
        }
        for (at, by) in items {
            self.report.items[at].superseded_by.extend(by);
        }
    }

    /// Returns the superseding files of documents and of items. A claim of one item about another counts only for the
    /// file, because the item itself already records it.
    fn told_superseded(
        &self,
        standing: &Standing,
        documents: &[Document],
    ) -> (Superseders<String>, Superseders<ItemId>) {
        let (mut told, mut told_items) = (Superseders::new(), Superseders::new());
        let targets = Targets::new(&self.report, documents);
        let mut claim = |of: &str, by: &str, id: Option<&dyn Fn() -> ItemId>| {
            let Some((at, item)) = targets.read.get(of) else { return };
            if standing.may_speak(by, of) {
                tell(&mut told, *at, by.to_owned());
                if let (Some(item), Some(id)) = (item, id) {
                    tell(&mut told_items, *item, id());
                }
            }
        };
        for (old, by) in &standing.claims {
            let by = &standing.claimants[*by];
            // A document may refer to other documents by path, even to items.
            let [plain, item] = targets.named(&standing.ids, old);
            for of in [plain, item.or_else(|| targets.item_at(old.as_str()))].into_iter().flatten()
            {
                claim(of, &by.path, Some(&|| by.id.clone()));
            }
        }
        for item in &self.report.items {
            let path = item.path.as_deref().unwrap_or_default();
            for old in &item.supersedes {
                for of in targets.named(&standing.ids, old).into_iter().flatten() {
                    claim(of, path, None);
                }
            }
        }
        // If only some documents are read, earlier claims of the others remain.
        let may_stay = !self.options.paths.is_empty() && !self.past.is_there();
        for known in self.options.known.iter().filter(|_| may_stay) {
            let of = &*known.key.path;
            let Some((_, item)) = targets.read.get(of) else { continue };
            if item.is_none() && targets.history.contains(of) {
                continue;
            }
            for each in known.found.iter().flat_map(|block| &block.evidence) {
                if let Fact::Superseded { by } = &each.fact
                    && !targets.read.contains_key(&**by)
                    && self.is_on_disk(by)
                {
                    claim(of, by, Some(&|| doc::id_of(by)));
                }
            }
        }
        (told, told_items)
    }

    fn is_on_disk(&self, path: &str) -> bool {
        match (path.strip_prefix("~/"), self.options.home) {
            (Some(below), Some(home)) => exists(home, below),
            (Some(_), None) => true,
            (None, _) => exists(&self.place.folder, path),
        }
    }
}

/// Adds evidence of superseding files to a document. An item is a single block.
fn add(document: &mut Document, by: BTreeSet<String>, is_item: bool) {
    let fact =
        |by| Evidence { fact: Fact::Superseded { by }, line: Some(1), column: Some(1), near: None };
    let evidence = by.into_iter().map(fact);
    if let Some(front) = document.found.first_mut().filter(|block| is_item || block.digest == 0) {
        front.evidence.extend(evidence);
        return;
    }
    let block = Block {
        line: 1,
        last_line: 1,
        title: document.key.path.clone(),
        digest: 0,
        anchored_at: None,
        anchor: None,
        evidence: evidence.collect(),
    };
    document.found.insert(0, block);
    document.blocks += u32::from(!is_item);
}
