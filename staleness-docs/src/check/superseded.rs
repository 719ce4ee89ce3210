//! Documents that another file stands for, because its front matter says so.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use staleness_core::ids::ItemId;
use staleness_core::knowledge::{Block, Document, Evidence, Fact};

use super::{Check, doc};
use crate::front::Fields;
use crate::{Note, Report};

/// The most claims of documents that are taken in; so many nobody writes by hand.
const MAX_CLAIMS: usize = 200_000;
/// Most documents that are named as standing for another one: one is enough.
const MAX_TOLD: usize = 16;

/// Claims and ids of plain documents.
#[derive(Debug, Default)]
pub(super) struct Standing {
    /// The path of each document that gives itself an id.
    ids: HashMap<ItemId, String>,
    /// The documents that stand for others.
    claimants: Vec<Claimant>,
    /// Superseded ids, each with the place of its claimant.
    claims: Vec<(ItemId, usize)>,
    /// True if there were more claims.
    cut: bool,
    /// The files that were read and are the user's, not the project's.
    pub(super) outside: HashSet<String>,
}

#[derive(Debug)]
struct Claimant {
    path: String,
    id: ItemId,
}

impl Standing {
    /// Takes in what a document says.
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

    /// Returns true if a file may speak of another one. What somebody else wrote says nothing of the files of
    /// the user.
    fn may_speak(&self, by: &str, of: &str) -> bool {
        let is_users = |path: &str| path.starts_with("~/") || Path::new(path).is_absolute();
        let by_user = || self.outside.contains(by) || is_users(by);
        by != of && (!self.outside.contains(of) || by_user())
    }
}

/// For each of some files those that stand for it, the first ones alone.
type Told<T> = BTreeMap<usize, BTreeSet<T>>;

fn tell<T: Ord>(told: &mut Told<T>, of: usize, by: T) {
    let all = told.entry(of).or_default();
    all.insert(by);
    if all.len() > MAX_TOLD {
        all.pop_last();
    }
}

/// Possible targets of a claim: the place of a document by its path, and that of the item that it is.
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

    /// The paths of what an id or a path names: a document that is no item, and an item. What is
    /// about things that are gone is not meant.
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
    /// Adds to each document, and to each item, what stands for it.
    pub(super) fn add_superseded(&mut self, documents: &mut [Document]) {
        let standing = std::mem::take(&mut self.standing);
        if standing.cut {
            let text = format!(
                "documents stand for others more than {MAX_CLAIMS} times; the rest was left out"
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

    /// Returns the documents that stand for others, and those that stand for items. Claims of an item
    /// about another one count for the file alone: the items themselves say them.
    fn told_superseded(
        &self,
        standing: &Standing,
        documents: &[Document],
    ) -> (Told<String>, Told<ItemId>) {
        let (mut told, mut told_items) = (Told::new(), Told::new());
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
            // A document knows of others by their paths, whatever they are.
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
        // Who asks for some documents does not hear what those say that are not read now: that stays.
        for known in self.options.known.iter().filter(|_| !self.options.paths.is_empty()) {
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

    /// Returns true if a file is there of which only the path is known.
    fn is_on_disk(&self, path: &str) -> bool {
        let path = match (path.strip_prefix("~/"), self.options.home) {
            (Some(below), Some(home)) => home.join(below),
            (Some(_), None) => return true,
            (None, _) => self.place.folder.join(path),
        };
        path.symlink_metadata().is_ok()
    }
}

/// Adds what stands for it to a document. An item is judged as a whole: its blocks are one.
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
