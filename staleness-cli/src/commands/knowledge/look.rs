//! `knowledge show` and `list`: items with everything that speaks against them.

use serde_json::json;
use staleness::registry::ScopeChoice;
use staleness::report::KnowledgeReport;
use staleness::verdict::Level;

use super::fields;
use super::world::World;
use crate::args::knowledge_args::KnowledgeListArgs;
use crate::commands::word;
use crate::error::{CliError, ErrorKind};
use crate::output::knowledge;
use crate::settings::Access;

/// Every item that the project sees, in the order of ids.
pub(crate) fn everything(world: &World<'_>) -> Result<Vec<KnowledgeReport>, CliError> {
    let registry = world.settings.open(Access::Look)?;
    let known = world.everything(&registry)?;
    let context = world.context();
    let mut told: Vec<KnowledgeReport> = known.iter().map(|each| each.told(&context)).collect();
    told.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.scope.cmp(b.scope)));
    Ok(told)
}

pub(super) fn list(world: &World<'_>, args: &KnowledgeListArgs) -> Result<(), CliError> {
    let out = world.out;
    let kind = fields::kind(args.kind.as_deref())?;
    let from_word = |word: &str| Level::ALL.into_iter().find(|level| level.as_str() == word);
    let words = || Level::ALL.map(Level::as_str).join(", ");
    let level = word(args.level.as_deref(), "level", from_word, words)?;
    let mut told = everything(world)?;
    told.retain(|each| kind.is_none_or(|kind| each.kind == kind));
    told.retain(|each| level.is_none_or(|level| each.verdict.level == level));
    if out.json {
        return out.json(&json!({ "items": told }));
    }
    if told.is_empty() && !out.quiet {
        return out.text(if kind.is_some() || level.is_some() {
            "no item is of that kind and level\n"
        } else {
            "nothing is written down here; begin with `staleness knowledge add --body TEXT`\n"
        });
    }
    out.text(&knowledge::list(&told, world.settings.now, out))
}

pub(super) fn show(world: &World<'_>, id: &str, scope: ScopeChoice) -> Result<(), CliError> {
    let (settings, out) = (world.settings, world.out);
    let registry = settings.open(Access::Look)?;
    let target = world.target(&registry, &fields::id(id)?, scope)?;
    // What the item depends on may live in a file, and be stale for what was found there.
    if !target.item.related.is_empty() || !target.item.superseded_by.is_empty() {
        world.report()?;
    } else {
        world.look_at_hand(&registry)?;
    }
    let told = world.told(&registry, &[target.item.key])?.pop();
    let told = told.ok_or_else(|| CliError::new(ErrorKind::Unknown, "the item is gone already"))?;
    if out.json { out.json(&told) } else { out.text(&knowledge::show(&told, out)) }
}
