//! Recalls items for a question. Agents wait for the answer, so git is only run for the items that were found:
//! their citations, their names and their files.

use std::collections::{BTreeMap, BTreeSet};

use staleness::Wait;
use staleness::ids::{ItemId, ItemKey, Scope};
use staleness::knowledge::Item;
use staleness_core::knowledge::RecallIndex;
use staleness_core::report::RecallReport;

use super::world::{Target, World, looked_up};
use crate::documents;
use crate::error::ServiceError;
use crate::items::joined;
use crate::settings::Access;

/// The items found for a question.
#[derive(Clone, Debug, Default)]
pub struct Recall {
    /// The best matches, with verdicts.
    pub told: Vec<RecallReport>,
    /// Number of further matches beyond the limit.
    pub more: usize,
}

/// Returns up to `limit` items that match a question best. Counts as a recall unless `peek` is set.
///
/// # Errors
/// If the question is empty, or the store fails.
pub fn recall(
    world: &World<'_>,
    query: &str,
    limit: usize,
    peek: bool,
) -> Result<Recall, ServiceError> {
    let settings = world.settings;
    if query.trim().is_empty() {
        return Err(ServiceError::invalid("the query is empty").hint("describe what you look for"));
    }
    let registry = settings.open(Access::Look)?;
    let context = world.context();
    let rows = registry.knowledge().rows(&settings.project.id).wait()?;
    let of_files = rows.iter().filter(|row| row.path.is_some());
    let filed: BTreeMap<ItemKey, Item> =
        of_files.map(|row| (row.key.clone(), row.clone())).collect();
    let at_hand = documents::at_hand(settings, &registry)?;
    let all = joined(documents::there(settings, rows, &at_hand.items), at_hand.items);
    let items: Vec<&Item> = all.iter().collect();
    let index = RecallIndex::for_question(&items, query);
    let mut found = index.recall(&items, query, &[], &context, usize::MAX);
    let more = found.len().saturating_sub(limit);
    found.truncate(limit);
    if found.is_empty() {
        return Ok(Recall { told: Vec::new(), more });
    }
    let places: Vec<usize> = found.iter().map(|each| each.at).collect();
    let mut concerned = concerned(&items, &places);
    let report = world.check_files(&mut concerned, &filed, peek)?;
    let known = looked_up(settings, concerned, &report, &context);
    let key = |at: usize| -> &ItemKey { &items[at].key };
    let told: Vec<RecallReport> = found
        .iter()
        .filter_map(|each| Some((known.iter().find(|one| one.item.key == *key(each.at))?, each)))
        .map(|(known, each)| RecallReport::new(known.told(&context), each.score))
        .collect();
    if !peek {
        let targets: Vec<Target> = found
            .iter()
            // Uses dates from the git history, because a checkout gives files new dates on disk.
            .filter_map(|each| known.iter().find(|one| one.item.key == *key(each.at)))
            .map(|one| Target { filed: one.item.path.is_some(), item: one.item.clone() })
            .collect();
        let may_count = |key: &ItemKey| !settings.confined || key.scope != Scope::Global;
        let keys = targets.iter().map(|target| target.item.key.clone());
        let keys = keys.filter(may_count).collect();
        // If the recall cannot be counted, the answer is still returned.
        let counted = settings.open_here().and_then(|registry| {
            Ok(registry.knowledge().count_recalls(keys, world.act(&targets, None)).wait()?)
        });
        if let Err(error) = counted {
            world.listener.note(&format!("{}; the recall is not counted", error.message));
        }
    }
    Ok(Recall { told, more })
}

/// Returns the items at `places` and the items on which their verdicts depend: related and superseding ones.
fn concerned(items: &[&Item], places: &[usize]) -> Vec<Item> {
    let found: Vec<&Item> = places.iter().map(|at| items[*at]).collect();
    let ids: BTreeSet<&ItemId> = found.iter().map(|item| &item.key.id).collect();
    let related: BTreeSet<&ItemId> = found.iter().flat_map(|item| &item.related).collect();
    let concerns = |item: &&&Item| {
        ids.contains(&item.key.id)
            || related.contains(&item.key.id)
            || item.supersedes.iter().any(|id| ids.contains(id))
    };
    items.iter().filter(concerns).map(|item| (*item).clone()).collect()
}
