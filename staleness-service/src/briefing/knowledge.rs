//! The text at a session start about stored items that must not be relied on: kinds, ids and this program's own
//! sentences, using only data from the store.

use std::cell::LazyCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use staleness::Timestamp;
use staleness::ids::AgentId;
use staleness::knowledge::{Context, Fact, Item, ItemKind};
use staleness::report::DeltaSubject;
use staleness::verdict::Level;
use staleness_core::knowledge::SignalSet;

use super::{Said, TAIL, count, section};
use crate::items::Known;
use crate::model_text::{ModelName, ModelText, NameKind};

/// Maximum number of items to name. Further ones are only counted.
const NAMED: usize = 5;

/// A stored item that is stale, or a to-do that is due.
#[derive(Clone, Debug)]
pub(crate) struct Doubtful {
    pub(crate) item: Item,
    pub(crate) freshness: f64,
}

impl Doubtful {
    /// Returns the stale stored items and the to-dos that are due, worst first. `is_told` receives an item and the time
    /// at which it became stale or due, and selects what to report.
    pub(crate) fn among(
        all: Vec<Known>,
        context: &Context,
        is_told: impl Fn(&Item, Timestamp) -> bool,
    ) -> Vec<Self> {
        let by_id: LazyCell<BTreeMap<&str, &Known>, _> =
            LazyCell::new(|| all.iter().map(|each| (each.item.key.id.as_str(), each)).collect());
        let of_itself = |each: &Known| {
            let is_own = |fact: &Fact| {
                !matches!(fact, Fact::RelatedFresher { .. } | Fact::RelatedStale { .. })
            };
            let own = each.evidence.iter().filter(|one| is_own(&one.fact));
            each.item.stale_since(SignalSet::of(own), context)
        };
        // An item may have become stale because of a change in an item on which it depends.
        let followed = |fact: &Fact| match fact {
            Fact::RelatedFresher { id } => {
                by_id.get(id.as_str()).map(|other| other.item.updated_at)
            }
            Fact::RelatedStale { id } => by_id.get(id.as_str()).and_then(|other| of_itself(other)),
            _ => None,
        };
        let since = |each: &Known| {
            of_itself(each).or_else(|| {
                let begin = each.item.stale_since(SignalSet::of(&each.evidence), context)?;
                let followed = each.evidence.iter().filter_map(|one| followed(&one.fact));
                Some(followed.fold(begin, Timestamp::max))
            })
        };
        let told = |each: &Known| {
            // A superseded item is covered by its replacement, and a document is reported separately.
            if each.item.path.is_some() || !each.item.superseded_by.is_empty() {
                return None;
            }
            let (freshness, level) = each.item.score(&each.evidence, context);
            let since = match level {
                Level::Fresh => None,
                Level::Review => each.item.due.filter(|due| *due <= context.now()),
                Level::Stale => since(each),
            };
            since.is_some_and(|since| is_told(&each.item, since)).then_some(freshness)
        };
        let told: Vec<Option<f64>> = all.iter().map(told).collect();
        let of = |(each, told): (Known, Option<f64>)| {
            told.map(|freshness| Self { item: each.item, freshness })
        };
        let mut doubtful: Vec<Self> = all.into_iter().zip(told).filter_map(of).collect();
        doubtful.sort_by(Self::worst_first);
        doubtful
    }

    fn name(&self, agent: &AgentId) -> ModelText {
        let id = ModelName::path(NameKind::Knowledge, self.item.key.id.as_str());
        let name = ModelText::from(self.item.kind.as_str()).and(" ").and(id);
        match &self.item.contradicted {
            Some(said) if said.by == agent.as_str() => name.and(" by this agent"),
            Some(said) => name.and(" by ").and(ModelName::new(NameKind::Agent, &said.by)),
            None => name,
        }
    }

    /// Returns the index of the item's section in the text.
    fn section(&self, now: Timestamp) -> usize {
        match &self.item {
            item if item.kind == ItemKind::Preference => 4,
            item if item.contradicted.is_some() => 0,
            item if item.expires_at.is_some_and(|at| at <= now) => 1,
            item if item.due.is_some_and(|at| at <= now) => 2,
            _ => 3,
        }
    }

    fn worst_first(&self, other: &Self) -> Ordering {
        (self.freshness.total_cmp(&other.freshness))
            .then_with(|| self.item.anchored_at().cmp(&other.item.anchored_at()))
            .then_with(|| self.item.key.cmp(&other.item.key))
    }
}

const TITLES: [&str; 5] =
    ["Marked as wrong", "Expired", "Due", "Do not rely on these without checking", "Doubted"];

/// The advice for a preference, which only a person can end.
const ASK: &str = "ask the user whether it is still true";

/// The commands, or over MCP the tools, that show an item and resolve it.
pub(crate) struct Remedies {
    show: ModelText,
    /// The commands or tools that resolve the items of each section.
    settle: [ModelText; 5],
    list: &'static str,
}

impl Remedies {
    /// Returns the commands. `by` is the option that names the agent.
    pub(crate) fn commands(by: &ModelText) -> Self {
        let command = |verb| ModelText::from("`staleness knowledge ").and(verb).and(by).and("`");
        let replace = command("add --supersedes ID --body TEXT");
        let either = |before: &'static str, keep, end: &ModelText| {
            ModelText::from(before).and(command(keep)).and(", else ").and(end)
        };
        let done = command("done ID");
        Self {
            show: " (`staleness knowledge show ID` for one)".into(),
            settle: [
                ModelText::from("settle: ").and(&replace),
                either("still true: ", "set --expires none ID", &done),
                ModelText::from("done: ").and(&done).and(", else ask the user"),
                either("still true: ", "verify ID", &replace),
                ASK.into(),
            ],
            list: "`staleness review`",
        }
    }

    /// Returns the tools of the MCP server.
    pub(crate) fn tools() -> Self {
        let settle = [
            "settle: `save_knowledge` with what is true now, and `supersedes`",
            "still true: `verify_knowledge` with a later `expires`, else `verify_knowledge` with `still=done`",
            "done: `verify_knowledge` with `still=done`, else ask the user",
            "still true: `verify_knowledge`, else `save_knowledge` with what is true now, and `supersedes`",
            ASK,
        ];
        Self {
            show: ModelText::default(),
            settle: settle.map(ModelText::from),
            list: "`list_stale`",
        }
    }

    fn head(&self) -> ModelText {
        ModelText::from("Knowledge status from `staleness`").and(&self.show).and(":")
    }

    fn short(&self, at: usize) -> ModelText {
        ModelText::from(TITLES[at]).and(" (see ").and(self.list).and(")")
    }

    /// Returns the minimum room, in characters, of a text that follows others: its heading, and the number of items in
    /// each section. 0 if there are no items.
    pub(crate) fn least(&self, items: &[Doubtful], now: Timestamp) -> usize {
        let sections = by_section(items, now);
        let counts: usize = sections.iter().map(|each| self.count(each)).sum();
        if sections.is_empty() { 0 } else { 1 + self.head().chars() + counts }
    }

    fn count(&self, (at, items): &(usize, Vec<&Doubtful>)) -> usize {
        count(self.short(*at), items.len()).chars()
    }
}

/// Returns the nonempty sections, each with its index.
fn by_section(items: &[Doubtful], now: Timestamp) -> Vec<(usize, Vec<&Doubtful>)> {
    let of = |at| (at, items.iter().filter(|each| each.section(now) == at).collect());
    (0..TITLES.len()).map(of).filter(|(_, items): &(_, Vec<_>)| !items.is_empty()).collect()
}

/// Returns the text for an agent, at most `budget` characters. Adds the items that it names to `told`.
pub(crate) fn text(
    items: &[Doubtful],
    remedies: &Remedies,
    (agent, now): (&AgentId, Timestamp),
    budget: usize,
    told: &mut BTreeSet<DeltaSubject>,
) -> Said {
    let mut text = remedies.head();
    let head = text.chars();
    let (sections, mut whole) = (by_section(items, now), true);
    for (place, (at, items)) in sections.iter().enumerate() {
        let named: Vec<ModelText> = items.iter().take(NAMED).map(|each| each.name(agent)).collect();
        let long = ModelText::from(TITLES[*at]).and(" (").and(&remedies.settle[*at]).and(")");
        let later = sections[place + 1..].iter().map(|each| remedies.count(each)).sum();
        let fits = text.chars() + long.chars() + named[0].chars() + 2 * TAIL + later <= budget;
        let title = if fits { long } else { remedies.short(*at) };
        let left = section(
            &mut text,
            (&title, &title),
            (&named, items.len() - named.len()),
            budget,
            later,
        );
        whole &= left.is_some();
        let shown = left.map_or(0, |left| items.len() - left);
        let ids = items.iter().take(shown).map(|each| each.item.key.id.clone());
        told.extend(ids.map(DeltaSubject::Knowledge));
    }
    Said { text: (text.chars() > head).then_some(text), whole }
}

#[cfg(test)]
mod tests {
    use staleness_core::ids::{ItemId, ItemKey, Scope};

    use super::*;

    #[test]
    fn what_settles_an_item_is_told_where_there_is_room() {
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let doubtful = |id: &str, expires_at: Option<Timestamp>| {
            let key = ItemKey { scope: Scope::Global, id: ItemId::new(id).unwrap() };
            let item = Item::new(key, ItemKind::Knowledge, "The port is 8080", now);
            let item = Item { expires_at, ..item };
            Doubtful { item, freshness: 0.0 }
        };
        let items = [doubtful("port", Some(now)), doubtful("host", None)];
        let by = ModelText::from(" --agent codex");
        let agent = AgentId::new("codex").unwrap();
        for (remedies, keep, list, narrow) in [
            (Remedies::tools(), "`verify_knowledge` with a later `expires`", "`list_stale`", 180),
            (
                Remedies::commands(&by),
                "`staleness knowledge set --expires none ID --agent codex`",
                "`staleness review`",
                240,
            ),
        ] {
            let told = |budget| {
                let told = text(&items, &remedies, (&agent, now), budget, &mut BTreeSet::new());
                assert_eq!(told.whole, told.text.is_some());
                told.text.map(|told| told.to_string())
            };
            let whole = told(700).unwrap();
            let expired = format!("\n- Expired (still true: {keep}, else ");
            assert!(whole.contains(&expired) && !whole.contains(list), "{whole}");
            assert_eq!(whole.contains("`staleness "), list != "`list_stale`", "{whole}");
            let short = told(narrow).unwrap();
            let lines = format!(
                "\n- Expired (see {list}): knowledge `port`\n- Do not rely on these without checking (see {list}): \
                 knowledge `host`"
            );
            assert!(short.ends_with(&lines) && short.chars().count() <= narrow, "{short}");
            let least = told(remedies.least(&items, now)).unwrap();
            assert!(least.contains(&format!("Expired (see {list}): 1 more\n- Do not")), "{least}");
            assert_eq!(told(40), None);
        }
    }
}
