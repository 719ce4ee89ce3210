//! Documents that another file stands for, because its front matter says so.

use std::collections::{BTreeMap, BTreeSet};

use staleness_core::ids::ItemId;
use staleness_core::knowledge::{Block, Document, Evidence, Fact, Item};

use super::{Check, doc};
use crate::documents::front::Fields;

/// What plain documents say of themselves and of others.
#[derive(Debug, Default)]
pub(super) struct Standing {
    /// The path of each document that gives itself an id.
    ids: BTreeMap<ItemId, String>,
    /// What is superseded, and the path and the id of the document that says so.
    said: Vec<(ItemId, String, ItemId)>,
}

impl Standing {
    /// Takes in what a document says.
    pub(super) fn take(&mut self, path: &str, fields: &Fields) {
        if let Some(id) = &fields.id {
            self.ids.entry(id.clone()).or_insert_with(|| path.to_owned());
        }
        if !fields.supersedes.is_empty() {
            let id = fields.id.clone().unwrap_or_else(|| doc::id_of(path));
            let said = |old: &ItemId| (old.clone(), path.to_owned(), id.clone());
            self.said.extend(fields.supersedes.iter().map(said));
        }
    }
}

impl Check<'_> {
    /// Finds out what stands for what: for each document the ids of those that stand for it. Of items
    /// the items themselves are told.
    pub(super) fn superseded(&mut self) -> BTreeMap<String, BTreeSet<String>> {
        let Standing { ids, mut said } = std::mem::take(&mut self.standing);
        for (old, path, by) in &said {
            let is_it = |item: &&mut Item| {
                item.key.id == *old && item.path.as_deref() != Some(path.as_str())
            };
            if let Some(item) = self.report.items.iter_mut().find(is_it) {
                item.superseded_by.insert(by.clone());
            }
        }
        for item in &self.report.items {
            let path = item.path.clone().unwrap_or_default();
            let of = |old: &ItemId| (old.clone(), path.clone(), item.key.id.clone());
            said.extend(item.supersedes.iter().map(of));
        }
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (old, path, by) in said {
            let target = ids.get(&old).map_or(old.as_str(), String::as_str);
            if target != path {
                all.entry(target.to_owned()).or_default().insert(by.to_string());
            }
        }
        // Who asks for some documents does not hear what the others say: what they said stays.
        for known in self.options.known.iter().filter(|_| !self.options.paths.is_empty()) {
            let facts = known.found.iter().flat_map(|block| &block.evidence);
            for each in facts {
                if let Fact::Superseded { by } = &each.fact {
                    all.entry(known.key.path.clone()).or_default().insert(by.clone());
                }
            }
        }
        // These are about what is gone, and items have a kind of their own.
        self.report.history.iter().for_each(|path| drop(all.remove(path)));
        for path in self.report.items.iter().filter_map(|item| item.path.as_ref()) {
            all.remove(path);
        }
        all
    }

    /// Adds that to a document; `counted`: its blocks were counted with this one.
    pub(super) fn add_superseded(
        all: &BTreeMap<String, BTreeSet<String>>,
        document: &mut Document,
        counted: bool,
    ) {
        let Some(by) = all.get(&document.key.path) else { return };
        let evidence = |by: &String| Evidence {
            fact: Fact::Superseded { by: by.clone() },
            line: Some(1),
            column: Some(1),
        };
        let evidence: Vec<Evidence> = by.iter().map(evidence).collect();
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
            evidence,
        };
        document.found.insert(0, block);
        document.blocks += u32::from(!counted);
    }
}
