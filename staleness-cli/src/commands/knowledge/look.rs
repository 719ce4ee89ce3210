//! `knowledge show` and `list`: print items with the evidence against them.

use serde_json::json;
use staleness::registry::ScopeChoice;
use staleness::verdict::Level;
use staleness_service::knowledge::{self as service, World};

use super::fields;
use crate::args::knowledge_args::KnowledgeListArgs;
use crate::commands::word;
use crate::error::CliError;
use crate::output::{Output, knowledge};

pub(super) fn list(
    world: &World<'_>,
    args: &KnowledgeListArgs,
    out: &Output,
) -> Result<(), CliError> {
    let kind = fields::kind(args.kind.as_deref())?;
    let from_word = |word: &str| Level::ALL.into_iter().find(|level| level.as_str() == word);
    let words = || Level::ALL.map(Level::as_str).join(", ");
    let level = word(args.level.as_deref(), "level", from_word, words)?;
    let mut told = service::everything(world)?;
    told.retain(|each| kind.is_none_or(|kind| each.kind == kind));
    told.retain(|each| level.is_none_or(|level| each.verdict.level == level));
    if out.json {
        return out.json(&json!({ "items": told }));
    }
    if told.is_empty() && !out.quiet {
        return out.text(if kind.is_some() || level.is_some() {
            "no item has that kind and level\n"
        } else {
            "no items yet; add one with `staleness knowledge add --body TEXT`\n"
        });
    }
    out.text(&knowledge::list(&told, world.settings.now, out))
}

pub(super) fn show(
    world: &World<'_>,
    id: &str,
    scope: ScopeChoice,
    out: &Output,
) -> Result<(), CliError> {
    let told = service::show(world, id, scope)?;
    if out.json { out.json(&told) } else { out.text(&knowledge::show(&told, out)) }
}
