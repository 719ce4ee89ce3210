//! Documents that another file stands for, because its front matter says so.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use staleness_core::ids::ItemId;
use staleness_core::knowledge::{Block, Document, Evidence, Fact};

use super::{Check, doc};
use crate::documents::Note;
use crate::documents::front::Fields;

/// The most claims of documents that are taken in; so many nobody writes by hand.
const MAX_CLAIMS: usize = 200_000;
/// How many of those that stand for one document are told: one is enough.
const MAX_TOLD: usize = 16;

/// What plain documents say of themselves and of others.
#[derive(Debug, Default)]
pub(super) struct Standing {
    /// The path of each document that gives itself an id.
    ids: HashMap<ItemId, String>,
    /// The documents that stand for others.
    claimants: Vec<Claimant>,
    /// What is superseded, and the place among the claimants of who says so.
    claims: Vec<(ItemId, usize)>,
    /// Whether there were more claims.
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

    /// Whether a file may speak of another one. What somebody else wrote says nothing of the files of
    /// the user.
    fn may_speak(&self, by: &str, of: &str) -> bool {
        let is_users = |path: &str| path.starts_with("~/") || Path::new(path).is_absolute();
        let by_user = || self.outside.contains(by) || is_users(by);
        by != of && (!self.outside.contains(of) || by_user())
    }
}

/// What stands for each of some files, the first ones alone.
type Told<T> = BTreeMap<usize, BTreeSet<T>>;

fn tell<T: Ord>(told: &mut Told<T>, of: usize, by: T) {
    let all = told.entry(of).or_default();
    all.insert(by);
    if all.len() > MAX_TOLD {
        all.pop_last();
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
        for (at, by) in self.items_superseded(&standing) {
            self.report.items[at].superseded_by.extend(by);
        }
        for (at, by) in self.documents_superseded(&standing, documents) {
            add(&mut documents[at], by);
        }
    }

    /// The items that a document stands for. Of what items say the items themselves are told.
    fn items_superseded(&self, standing: &Standing) -> Told<ItemId> {
        let mut told = Told::new();
        let mut items: HashMap<&ItemId, (usize, &str)> = HashMap::new();
        for (at, item) in self.report.items.iter().enumerate() {
            items.entry(&item.key.id).or_insert((at, item.path.as_deref().unwrap_or_default()));
        }
        for (old, by) in &standing.claims {
            let by = &standing.claimants[*by];
            if let Some((at, path)) = items.get(old)
                && standing.may_speak(&by.path, path)
            {
                tell(&mut told, *at, by.id.clone());
            }
        }
        told
    }

    /// The documents that another one stands for, or an item.
    fn documents_superseded(&self, standing: &Standing, documents: &[Document]) -> Told<String> {
        let mut told = Told::new();
        let items = &self.report.items;
        let read: HashMap<&str, usize> =
            documents.iter().enumerate().map(|(at, each)| (&*each.key.path, at)).collect();
        // Some are about what is gone, and items have a kind of their own.
        let mut plain = read.clone();
        let aside =
            self.report.history.iter().chain(items.iter().filter_map(|it| it.path.as_ref()));
        for path in aside {
            plain.remove(&**path);
        }
        let find = |old: &ItemId| {
            let by_id = || plain.get_key_value(standing.ids.get(old)?.as_str());
            plain.get_key_value(old.as_str()).or_else(by_id)
        };
        let mut claim = |old: &ItemId, by: &str| {
            if let Some((path, at)) = find(old)
                && standing.may_speak(by, path)
            {
                tell(&mut told, *at, by.to_owned());
            }
        };
        for (old, by) in &standing.claims {
            claim(old, &standing.claimants[*by].path);
        }
        for item in items {
            let path = item.path.as_deref().unwrap_or_default();
            item.supersedes.iter().for_each(|old| claim(old, path));
        }
        // Who asks for some documents does not hear what those say that are not read now: that stays.
        for known in self.options.known.iter().filter(|_| !self.options.paths.is_empty()) {
            let Some(at) = plain.get(&*known.key.path) else { continue };
            for each in known.found.iter().flat_map(|block| &block.evidence) {
                if let Fact::Superseded { by } = &each.fact
                    && !read.contains_key(&**by)
                    && standing.may_speak(by, &known.key.path)
                    && self.is_on_disk(by)
                {
                    tell(&mut told, *at, by.clone());
                }
            }
        }
        told
    }

    /// Whether a file is there of which only the path is known.
    fn is_on_disk(&self, path: &str) -> bool {
        let path = match (path.strip_prefix("~/"), self.options.home) {
            (Some(below), Some(home)) => home.join(below),
            (Some(_), None) => return true,
            (None, _) => self.place.folder.join(path),
        };
        path.symlink_metadata().is_ok()
    }
}

/// Adds what stands for it to a document.
fn add(document: &mut Document, by: BTreeSet<String>) {
    let fact = |by| Evidence { fact: Fact::Superseded { by }, line: Some(1), column: Some(1) };
    let evidence = by.into_iter().map(fact);
    if let Some(front) = document.found.first_mut().filter(|block| block.digest == 0) {
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
    document.blocks += 1;
}
