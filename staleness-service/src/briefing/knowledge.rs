//! The text at a session start on the items of the store that must not be relied on: kinds, ids and our own sentences,
//! by what the store itself tells of them.

use std::cmp::Ordering;

use staleness::Timestamp;
use staleness::knowledge::Item;

use super::{TAIL, section};
use crate::model_text::{ModelName, ModelText, NameKind};

/// Items that are named; more are counted.
const NAMED: usize = 5;

/// A stale item of the store.
#[derive(Clone, Debug)]
pub(crate) struct Doubtful {
    pub(crate) item: Item,
    pub(crate) freshness: f64,
    /// When it became stale.
    pub(crate) since: Timestamp,
}

impl Doubtful {
    fn name(&self) -> ModelText {
        let id = ModelName::path(NameKind::Knowledge, self.item.key.id.as_str());
        ModelText::from(self.item.kind.as_str()).and(" ").and(id)
    }

    pub(crate) fn worst_first(&self, other: &Self) -> Ordering {
        (self.freshness.total_cmp(&other.freshness))
            .then_with(|| self.item.anchored_at().cmp(&other.item.anchored_at()))
            .then_with(|| self.item.key.cmp(&other.item.key))
    }
}

/// The text for an agent, at most `budget` characters; `None` when there is nothing to say. `by` is the option that
/// names the agent in commands.
pub(crate) fn text(
    items: &[Doubtful],
    by: &ModelText,
    now: Timestamp,
    budget: usize,
) -> Option<ModelText> {
    let head = ModelText::from(
        "Knowledge status from `staleness` (`staleness knowledge show ID` for one):",
    );
    let is_expired = |each: &&Doubtful| each.item.expires_at.is_some_and(|at| at <= now);
    let (expired, others): (Vec<&Doubtful>, Vec<_>) = items.iter().partition(is_expired);
    let mut text = head.clone();
    for (title, holds, items) in [
        ("Expired", "set --expires none ID", expired),
        ("Do not rely on these without looking", "verify ID", others),
    ] {
        let named: Vec<ModelText> = items.iter().take(NAMED).map(|each| each.name()).collect();
        if named.is_empty() {
            continue;
        }
        let command = |verb| ModelText::from("`staleness knowledge ").and(verb).and(by).and("`");
        let whole = ModelText::from(title).and(" (still true: ").and(command(holds));
        let whole = whole.and(", else ").and(command("remove --yes ID")).and(")");
        let fits = text.chars() + whole.chars() + named[0].chars() + 2 * TAIL <= budget;
        let short = || ModelText::from(title).and(" (see `staleness review`)");
        let title = if fits { whole } else { short() };
        let _ = section(&mut text, &title, (&named, items.len() - named.len()), budget, 0);
    }
    (text != head).then_some(text)
}
