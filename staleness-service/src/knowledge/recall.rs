//! What is known about a question. Agents wait for it: git is asked for what the few items cite and
//! name that were found, and for nothing else.

use std::collections::BTreeSet;

use staleness::ids::ItemId;
use staleness::knowledge::{Item, RecallIndex, Recalled, recall as find};
use staleness::report::RecallReport;

use super::world::{Target, World, looked_up};
use crate::documents;
use crate::error::ServiceError;
use crate::settings::Access;

/// The items that fit a question best, at most `limit`, what cannot be relied on marked. With `peek`
/// it does not count as a recall.
///
/// # Errors
/// When the question is empty, or what the store reports.
pub fn recall(
    world: &World<'_>,
    query: &str,
    limit: usize,
    peek: bool,
) -> Result<Vec<RecallReport>, ServiceError> {
    let settings = world.settings;
    if query.trim().is_empty() {
        return Err(ServiceError::invalid("the query is empty").hint("say what about, in words"));
    }
    let registry = settings.open(Access::Look)?;
    let context = world.context();
    let (items, report) = world.items_at_hand(&registry)?;
    let all: Vec<&Item> = items.iter().collect();
    let found = find(&RecallIndex::for_question(&all, query), &all, query, &[], &context, limit);
    let mut concerned = concerned(&all, &found);
    documents::date(settings, &report.documents, &mut concerned, world.listener)?;
    let known = looked_up(settings, concerned, &report, &context);
    let told: Vec<RecallReport> = found
        .iter()
        .filter_map(|each| Some((known.iter().find(|one| one.item.key == all[each.at].key)?, each)))
        .map(|(known, each)| RecallReport::new(known.told(&context), each.score))
        .collect();
    if !peek && !found.is_empty() {
        let targets: Vec<Target> = found
            .iter()
            // Not `all`: the disk dates a file anew whenever it is checked out, its history does not.
            .filter_map(|each| known.iter().find(|one| one.item.key == all[each.at].key))
            .map(|one| Target { filed: one.item.path.is_some(), item: one.item.clone() })
            .collect();
        let keys = targets.iter().map(|target| target.item.key.clone()).collect();
        // A recall that cannot be counted is still an answer.
        let counted = settings
            .open_here()
            .and_then(|registry| Ok(registry.count_recalls(keys, world.act(&targets, None))?));
        if let Err(error) = counted {
            world.listener.note(&format!("{}; the recall is not counted", error.message));
        }
    }
    Ok(told)
}

/// The items that were found, and those that their verdicts depend on: what they are related to, and
/// what stands for them.
fn concerned(all: &[&Item], found: &[Recalled]) -> Vec<Item> {
    let ids: BTreeSet<&ItemId> = found.iter().map(|each| &all[each.at].key.id).collect();
    let related: BTreeSet<&ItemId> = found.iter().flat_map(|each| &all[each.at].related).collect();
    let concerns = |item: &&&Item| {
        ids.contains(&item.key.id)
            || related.contains(&item.key.id)
            || item.supersedes.iter().any(|id| ids.contains(id))
    };
    all.iter().filter(concerns).map(|item| (*item).clone()).collect()
}
