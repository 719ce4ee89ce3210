//! What happens to items of knowledge and documents in a life.

use std::collections::BTreeSet;

use staleness::ids::{DocumentKey, ItemId, ItemKey, ProjectId, Scope};
use staleness::knowledge::{Block, Citation, Document, Fact, Item, ItemKind};
use staleness::registry::{Act, FileItem, ItemPatch, ScopeChoice, Verification};
use staleness::{BlockingRegistry, Timestamp};

use crate::life::{Life, said};

const IDS: [&str; 5] = ["deploy", "a_b", "a%b", "\u{1f680}", "it's"];
const PATHS: [&str; 4] = ["AGENTS.md", "docs/a.md", "docs/b.md", "~/.client/memory.md"];

/// Something that somebody does with items or documents.
#[derive(Clone, Debug)]
pub(crate) enum ItemEvent {
    Add(Box<Item>, Act),
    Edit(Vec<ItemKey>, ItemPatch, Act),
    Verify(Vec<Verification>, Act),
    Done(Vec<ItemKey>, Act),
    Supersede(ItemKey, ItemKey, Act),
    Contradict(ItemKey, Act),
    Remove(ItemKey, Act),
    Recall(Vec<ItemKey>, Act),
    Check(ProjectId, Vec<Document>, Option<BTreeSet<String>>, Timestamp),
    Ask(ProjectId, ItemId),
}

impl Life {
    fn item_id(&mut self) -> ItemId {
        ItemId::new(self.one_of(&IDS)).unwrap()
    }

    fn item_key(&mut self) -> ItemKey {
        let scope = match self.below(3) {
            0 => Scope::Global,
            _ => Scope::Project(self.project().id),
        };
        ItemKey { scope, id: self.item_id() }
    }

    fn item_keys(&mut self) -> Vec<ItemKey> {
        (0..=self.below(2)).map(|_| self.item_key()).collect()
    }

    fn ids(&mut self) -> BTreeSet<ItemId> {
        (0..self.below(3)).map(|_| self.item_id()).collect()
    }

    fn citations(&mut self) -> BTreeSet<Citation> {
        let digest = self.one_of(&[None, Some("0f".to_owned()), Some("f0".to_owned())]);
        let cited =
            Citation { digest, ..Citation::of_path(self.one_of(&["src/a.rs", "src/b.rs"])) };
        (0..self.below(2)).map(|_| cited.clone()).collect()
    }

    fn act(&mut self, at: Timestamp) -> Act {
        let mut act = Act::new(self.op(), at);
        act.note = self.one_of(&[None, Some("why\nnot".to_owned())]);
        if self.below(4) == 0 {
            let file = FileItem {
                path: "docs/item.md".into(),
                kind: self.one_of(&ItemKind::ALL),
                added_at: at.minus_days(3),
                updated_at: at.minus_days(self.below(3) as i64),
                recalls: self.below(9),
                recalled_at: (self.below(2) == 0).then(|| at.minus_days(1)),
            };
            act.files.insert(self.item_key(), file);
        }
        act
    }

    fn item(&mut self, at: Timestamp) -> Item {
        let (key, kind) = (self.item_key(), self.one_of(&ItemKind::ALL));
        Item {
            keywords: [self.one_of(&["tool", "release"]).to_owned()].into(),
            citations: self.citations(),
            supersedes: if self.below(2) == 0 { self.ids() } else { BTreeSet::new() },
            related: self.ids(),
            due: (self.below(2) == 0).then_some(at),
            ..Item::new(key, kind, self.one_of(&["It is so.", "\"quoted\"\n- list", ""]), at)
        }
    }

    fn patch(&mut self) -> ItemPatch {
        ItemPatch {
            kind: self.one_of(&[None, None, Some(ItemKind::Todo)]),
            body: self.one_of(&[None, Some("It is otherwise.".to_owned())]),
            version_context: self.one_of(&[None, Some(None), Some(Some("1.0".to_owned()))]),
            citations: (self.below(2) == 0).then(|| self.citations()),
            supersedes: (self.below(2) == 0).then(|| self.ids()),
            ..ItemPatch::default()
        }
    }

    fn documents(&mut self, project: &ProjectId, at: Timestamp) -> Vec<Document> {
        let mut documents = Vec::new();
        for path in PATHS {
            if self.below(3) == 0 {
                continue;
            }
            let block = |line| Block {
                line,
                last_line: line,
                title: format!("Block {line}"),
                digest: u64::MAX - u64::from(line),
                anchored_at: Some(at),
                anchor: None,
                evidence: vec![Fact::TemporalMarker { word: "now".into() }.into()],
            };
            documents.push(Document {
                key: DocumentKey { project: project.clone(), path: path.into() },
                loaded: self.below(2) == 0,
                checked_at: at,
                head: self.one_of(&[None, Some("c0ffee".to_owned())]),
                digest: self.below(3).into(),
                blocks: 9,
                found: (0..self.below(3)).map(|line| block(line as u32)).collect(),
            });
        }
        documents
    }

    pub(crate) fn item_event(&mut self, at: Timestamp) -> ItemEvent {
        match self.below(14) {
            0..4 => ItemEvent::Add(Box::new(self.item(at)), self.act(at)),
            4 | 5 => ItemEvent::Edit(self.item_keys(), self.patch(), self.act(at)),
            6 => {
                let keys = self.item_keys();
                let commit = self.one_of(&[None, Some("c0ffee".to_owned())]);
                let citations = self.citations();
                let one = |key| Verification {
                    key,
                    commit: commit.clone(),
                    citations: citations.clone(),
                    moved: Vec::new(),
                };
                ItemEvent::Verify(keys.into_iter().map(one).collect(), self.act(at))
            }
            7 => ItemEvent::Done(self.item_keys(), self.act(at)),
            8 => ItemEvent::Supersede(self.item_key(), self.item_key(), self.act(at)),
            9 => ItemEvent::Contradict(self.item_key(), self.act(at)),
            10 if self.below(2) == 0 => ItemEvent::Remove(self.item_key(), self.act(at)),
            10 | 11 => ItemEvent::Recall(self.item_keys(), self.act(at)),
            12 => {
                let project = self.project().id;
                let documents = self.documents(&project, at);
                let paths = documents.iter().map(|row| row.key.path.clone()).collect();
                let paths = (self.below(2) == 0).then_some(paths);
                ItemEvent::Check(project, documents, paths, at)
            }
            _ => ItemEvent::Ask(self.project().id, self.item_id()),
        }
    }
}

impl ItemEvent {
    /// Does it, and what the registry answers.
    pub(crate) fn carry_out(&self, registry: &BlockingRegistry) -> String {
        match self.clone() {
            Self::Add(item, act) => said(registry.add_item(*item, act)),
            Self::Edit(keys, patch, act) => said(registry.edit_items(keys, patch, act)),
            Self::Verify(seen, act) => said(registry.verify_items(seen, act)),
            Self::Done(keys, act) => said(registry.done_items(keys, act)),
            Self::Supersede(old, new, act) => said(registry.supersede_item(old, new, act)),
            Self::Contradict(key, act) => {
                said(registry.contradict_item(key, "agent".into(), "no\nlonger".into(), act))
            }
            Self::Remove(key, act) => said(registry.remove_item(key, act)),
            Self::Recall(keys, act) => said(registry.count_recalls(keys, act)),
            Self::Check(project, documents, paths, at) => {
                let put = said(registry.put_documents(&project, documents, paths, at));
                let all = said(registry.documents(&project));
                let loaded = said(registry.loaded_documents(&project));
                let flagged = said(registry.flagged_documents(&project));
                format!("{put}\n{all}\n{loaded}\n{flagged}")
            }
            Self::Ask(project, id) => {
                let item = said(registry.item(&project, &id, ScopeChoice::Either));
                format!("{item}\n{}", said(registry.nearest_item(&project, "deplyo")))
            }
        }
    }
}
