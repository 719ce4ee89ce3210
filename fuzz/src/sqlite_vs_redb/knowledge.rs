//! What happens to items of knowledge and documents. Their values are drawn by the generators of
//! the conformance suite, over few keys.

use std::collections::BTreeSet;

use proptest::strategy::BoxedStrategy;
use staleness_conformance::arbitrary::{self, Reach};
use staleness_core::ids::{ItemKey, ProjectId, Scope};
use staleness_core::knowledge::{Document, Item};
use staleness_core::registry::{Act, ItemPatch, Verification};
use staleness_core::scan::ProjectRef;
use staleness_core::{BlockingRegistry, Timestamp};

use super::life::{json, said};
use crate::seeded::value;

thread_local! {
    static ITEMS: BoxedStrategy<Item> = arbitrary::item(Reach::Pool);
    static DOCUMENTS: BoxedStrategy<Document> = arbitrary::document(Reach::Pool);
}

/// What happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Happening {
    Add,
    Edit,
    Verify,
    Done,
    Supersede,
    Contradict,
    Remove,
    Recall,
    Check,
    ForgetAll,
}

impl Happening {
    pub(super) const ALL: [Self; 10] = [
        Self::Add,
        Self::Edit,
        Self::Verify,
        Self::Done,
        Self::Supersede,
        Self::Contradict,
        Self::Remove,
        Self::Recall,
        Self::Check,
        Self::ForgetAll,
    ];
}

/// Something that happens, with the seeds of what it happens to.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    pub(super) what: Happening,
    pub(super) project: ProjectRef,
    pub(super) act: Act,
    pub(super) at: Timestamp,
    pub(super) seeds: (u32, u32),
}

impl Deed {
    /// Does it, and what the registry reports of it.
    pub(super) fn carry_out(&self, registry: &BlockingRegistry) -> String {
        let (item, other) = (self.item(self.seeds.0), self.item(self.seeds.1));
        let (key, act) = (item.key.clone(), self.act.clone());
        let keys = vec![key.clone(), other.key.clone()];
        match self.what {
            Happening::Add => said(registry.add_item(item, act)),
            Happening::Edit => {
                let patch = ItemPatch {
                    kind: Some(other.kind),
                    body: Some(other.body),
                    keywords: Some(other.keywords),
                    due: Some(other.due),
                    citations: Some(other.citations),
                    related: Some(other.related),
                    ..ItemPatch::default()
                };
                said(registry.edit_items(vec![key], patch, act))
            }
            Happening::Verify => {
                let commit = other.verified_commit;
                let citations = other.citations;
                let seen = Verification { key, commit, citations, moved: Vec::new() };
                said(registry.verify_items(vec![seen], act))
            }
            Happening::Done => said(registry.done_items(keys, act)),
            Happening::Supersede => said(registry.supersede_item(key, other.key, act)),
            Happening::Contradict => {
                said(registry.contradict_item(key, "somebody".into(), other.body, act))
            }
            Happening::Remove => said(registry.remove_item(key, act)),
            Happening::Recall => said(registry.count_recalls(keys, act)),
            Happening::Check => {
                let all = [self.document(self.seeds.0), self.document(self.seeds.1)];
                let mut paths = BTreeSet::new();
                let known = all.into_iter().filter(|row| paths.insert(row.key.path.clone()));
                let known: Vec<Document> = known.collect();
                let every = self.seeds.0.is_multiple_of(2).then_some(paths);
                json(registry.put_documents(&self.project.id, known, every, self.at))
            }
            Happening::ForgetAll => {
                let op = self.act.op.clone();
                json(registry.forget_project_and_knowledge(self.project.id.clone(), op, self.at))
            }
        }
    }

    fn item(&self, seed: u32) -> Item {
        let mut item = ITEMS.with(|items| value(items, seed));
        let scope = match item.key.scope {
            Scope::Global => Scope::Global,
            Scope::Project(_) => Scope::Project(self.project.id.clone()),
        };
        item.key = ItemKey { scope, id: item.key.id };
        item
    }

    fn document(&self, seed: u32) -> Document {
        let mut row = DOCUMENTS.with(|documents| value(documents, seed));
        row.key.project = self.project.id.clone();
        row
    }
}

/// What a caller can ask for in a project.
pub(super) fn look(registry: &BlockingRegistry, project: &ProjectId) -> String {
    [
        said(registry.items(project)),
        said(registry.documents(project)),
        said(registry.loaded_documents(project)),
    ]
    .join("\n")
}
