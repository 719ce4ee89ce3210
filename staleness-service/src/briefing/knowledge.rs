//! The text at a session start on the items of the store that must not be relied on: kinds, ids and our own sentences,
//! by what the store itself tells of them.

use std::cmp::Ordering;

use staleness::knowledge::Item;

use super::section;
use crate::model_text::{ModelName, ModelText, NameKind};

/// Items that are named; more are counted.
const NAMED: usize = 5;

/// A stale item of the store.
#[derive(Clone, Debug)]
pub(crate) struct Doubtful {
    pub(crate) item: Item,
    pub(crate) freshness: f64,
}

impl Doubtful {
    pub(crate) fn worst_first(&self, other: &Self) -> Ordering {
        (self.freshness.total_cmp(&other.freshness))
            .then_with(|| self.item.anchored_at().cmp(&other.item.anchored_at()))
            .then_with(|| self.item.key.cmp(&other.item.key))
    }
}

/// The text for an agent, at most `budget` characters; `None` when there is nothing to say.
pub(crate) fn text(items: &[Doubtful], budget: usize) -> Option<ModelText> {
    let mut text = ModelText::from(
        "Knowledge status from `staleness` (`staleness knowledge show ID` for one):",
    );
    let name = |each: &Doubtful| {
        let id = ModelName::path(NameKind::Knowledge, each.item.key.id.as_str());
        ModelText::from(each.item.kind.as_str()).and(" ").and(id)
    };
    let named: Vec<ModelText> = items.iter().take(NAMED).map(name).collect();
    let title = "Do not rely on these without looking";
    let said = !named.is_empty()
        && section(&mut text, title, (&named, items.len() - named.len()), budget, 0).is_some();
    said.then_some(text)
}
