//! Events about knowledge items and documents.

use std::collections::BTreeSet;

use proptest::strategy::BoxedStrategy;
use staleness_core::ids::{ItemId, ItemKey, ProjectId, Scope};
use staleness_core::knowledge::{Citation, Document, Item, ItemKind};
use staleness_core::registry::{Act, FileItem, ItemPatch, ScopeChoice, Verification};
use staleness_core::{Timestamp, Wait};

use super::draw::Draw;
use super::{Event, said, verb};
use crate::arbitrary::{self, Reach};

const IDS: [&str; 5] = ["deploy", "a_b", "a%b", "\u{1f680}", "it's"];
const PATHS: [&str; 4] = ["AGENTS.md", "docs/a.md", "docs/b.md", "~/.client/memory.md"];

thread_local! {
    static ITEMS: BoxedStrategy<Item> = arbitrary::item(Reach::Pool);
    static DOCUMENTS: BoxedStrategy<Document> = arbitrary::document(Reach::Pool);
}

impl Draw<'_> {
    fn item_id(&mut self) -> ItemId {
        ItemId::new(self.mostly_first(&IDS)).expect("an id")
    }

    /// Returns global scope, or a project's.
    pub(super) fn scope(&mut self) -> Scope {
        if self.below(3) == 0 { Scope::Global } else { Scope::Project(self.project().id) }
    }

    fn item_key(&mut self) -> ItemKey {
        self.again(|made| &made.items).unwrap_or_else(|| self.new_item_key())
    }

    fn new_item_key(&mut self) -> ItemKey {
        ItemKey { scope: self.scope(), id: self.item_id() }
    }

    fn item_keys(&mut self) -> Vec<ItemKey> {
        self.some(3, Self::item_key)
    }

    fn item_ids(&mut self) -> BTreeSet<ItemId> {
        self.some(2, Self::item_id).into_iter().collect()
    }

    /// Returns an item with arbitrary fields. Most items are as old as the event and refer to each other.
    fn item(&mut self, at: Timestamp) -> Item {
        let any = ITEMS.with(|items| self.any(items));
        let key = self.new_item_key();
        if self.below(4) == 3 {
            return Item { key, ..any };
        }
        let body = self.one_of(&["It is so.", "It is otherwise.", "\"quoted\"\n- list"]);
        let digest = self.one_of(&[None, Some("0f".to_owned()), Some("f0".to_owned())]);
        let path = self.one_of(&["src/a.rs", "src/b.rs"]);
        Item {
            keywords: [self.one_of(&["tool", "release"]).to_owned()].into(),
            citations: self
                .perhaps(|_| Citation { digest, ..Citation::of_path(path) })
                .into_iter()
                .collect(),
            supersedes: self.perhaps(Self::item_ids).unwrap_or_default(),
            related: self.item_ids(),
            due: self.perhaps(|_| at),
            ..Item::new(key, any.kind, body, at)
        }
    }

    /// Returns an act in which some items are in files.
    fn act_on_items(&mut self, at: Timestamp) -> Act {
        let mut act = self.act(at);
        if self.below(4) == 3 {
            let file = FileItem {
                path: "docs/item.md".into(),
                kind: self.one_of(&ItemKind::ALL),
                added_at: at.minus_days(3),
                updated_at: at.minus_days(self.below(3) as i64),
                recalls: self.below(9) as u64,
                recalled_at: self.perhaps(|_| at.minus_days(1)),
            };
            act.files.insert(self.item_key(), file);
        }
        act
    }

    fn item_patch(&mut self, at: Timestamp) -> ItemPatch {
        let other = self.item(at);
        let fields = self.below(256);
        let has = |bit: u32| fields >> bit & 1 == 1;
        ItemPatch {
            kind: has(0).then_some(other.kind),
            body: has(1).then_some(other.body),
            keywords: has(2).then_some(other.keywords),
            version_context: has(3).then_some(other.version_context),
            due: has(4).then_some(other.due),
            citations: has(5).then_some(other.citations),
            supersedes: has(6).then_some(other.supersedes),
            related: has(7).then_some(other.related),
            ..ItemPatch::default()
        }
    }

    fn documents(&mut self, project: &ProjectId, at: Timestamp) -> Vec<Document> {
        let (which, recent) = (self.below(16), self.maybe());
        let listed = (0..).zip(PATHS).filter(|(bit, _)| which >> bit & 1 == 0);
        listed
            .map(|(_, path)| {
                let mut row = DOCUMENTS.with(|documents| self.any(documents));
                row.key.project = project.clone();
                row.key.path = path.into();
                row.checked_at = if recent { at } else { row.checked_at };
                row
            })
            .collect()
    }

    pub(super) fn item_event(&mut self, at: Timestamp) -> Event {
        match self.below(18) {
            0..6 => {
                let item = self.item(at);
                self.workload.made.items.push(item.key.clone());
                verb!(knowledge().add(item = item, act = self.act_on_items(at)))
            }
            6 | 7 => verb!(knowledge().edit(
                keys = self.item_keys(),
                patch = self.item_patch(at),
                act = self.act_on_items(at)
            )),
            8 => {
                let other = self.item(at);
                let (commit, citations) = (other.verified_commit, other.citations);
                let verified = |key| Verification {
                    key,
                    commit: commit.clone(),
                    citations: citations.clone(),
                    moved: Vec::new(),
                };
                let all: Vec<_> = self.item_keys().into_iter().map(verified).collect();
                verb!(knowledge().verify(all = all, act = self.act_on_items(at)))
            }
            9 if self.below(4) == 3 => {
                verb!(knowledge().reopen(keys = self.item_keys(), act = self.act_on_items(at)))
            }
            9 => verb!(knowledge().done(keys = self.item_keys(), act = self.act_on_items(at))),
            10 => verb!(knowledge().supersede(
                old = self.item_key(),
                new = self.item_key(),
                act = self.act_on_items(at)
            )),
            11 => verb!(knowledge().contradict(
                key = self.item_key(),
                by = "agent".to_owned(),
                reason = "no\nlonger".to_owned(),
                act = self.act_on_items(at)
            )),
            12 => verb!(knowledge().remove(key = self.item_key(), act = self.act_on_items(at))),
            13 | 14 => verb!(
                knowledge().count_recalls(keys = self.item_keys(), act = self.act_on_items(at))
            ),
            15 | 16 => {
                let id = self.project().id;
                let rows = self.documents(&id, at);
                let paths: BTreeSet<String> = rows.iter().map(|row| row.key.path.clone()).collect();
                let every = self.perhaps(|_| paths);
                verb!(documents().put(&id = id, rows = rows, every = every, at = at))
            }
            _ => Event::new(
                "knowledge.get",
                (self.project().id, self.item_id()),
                |registry, (of, id)| {
                    said(registry.knowledge().get(&of, &id, ScopeChoice::Either).wait())
                },
            ),
        }
    }
}
