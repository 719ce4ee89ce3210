//! `knowledge recall`: what is known about a question. Never asks git: agents wait for it.

use serde_json::json;
use staleness::knowledge::{Item, RecallIndex, recall};
use staleness::report::RecallReport;

use super::world::{Target, World};
use crate::commands::items::Known;
use crate::error::CliError;
use crate::output::knowledge;
use crate::settings::Access;

pub(super) fn run(
    world: &World<'_>,
    query: &str,
    limit: usize,
    peek: bool,
) -> Result<(), CliError> {
    let (settings, out) = (world.settings, world.out);
    if query.trim().is_empty() {
        return Err(CliError::invalid("the query is empty").hint("say what about, in words"));
    }
    let registry = settings.open(Access::Look)?;
    let context = world.context();
    let known: Vec<Known> = world.at_hand(&registry, &context)?;
    let items: Vec<&Item> = known.iter().map(|each| &each.item).collect();
    let found = recall(&RecallIndex::new(&items), &items, query, &[], &context, limit);
    let told: Vec<RecallReport> = found
        .iter()
        .map(|each| RecallReport::new(known[each.at].told(&context), each.score))
        .collect();
    if !peek && !found.is_empty() {
        let targets: Vec<Target> = found
            .iter()
            .map(|each| known[each.at].item.clone())
            .map(|item| Target { filed: item.path.is_some(), item })
            .collect();
        let keys = targets.iter().map(|target| target.item.key.clone()).collect();
        // A recall that cannot be counted is still an answer.
        let counted = settings
            .open(Access::Write)
            .and_then(|registry| Ok(registry.count_recalls(keys, world.act(&targets, None))?));
        if let Err(error) = counted {
            out.note(&format!("{}; the recall is not counted", error.message));
        }
    }
    if out.json {
        return out.json(&json!({ "items": told }));
    }
    if told.is_empty() {
        return if out.quiet { Ok(()) } else { out.text("nothing is known about that\n") };
    }
    out.text(&knowledge::recalled(&told, out))
}
