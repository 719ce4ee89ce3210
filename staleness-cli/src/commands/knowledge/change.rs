//! `knowledge verify`, `set` and `done`: what becomes of items.

use std::collections::BTreeSet;

use serde_json::json;
use staleness::knowledge::{Citation, ItemKind};
use staleness::registry::{ItemPatch, ScopeChoice, Verification};
use staleness::report::KnowledgeReport;

use super::world::{Target, World, keys};
use super::{fields, filed};
use crate::args::knowledge_args::{ActArgs, FieldArgs};
use crate::commands::citations;
use crate::commands::tools::choice;
use crate::error::{CliError, ErrorKind, quoted};
use crate::output::knowledge;
use crate::settings::Access;

/// Says that items hold now: as of the commit that is checked out, and of what they cite there.
pub(super) fn verify(
    world: &World<'_>,
    args: &ActArgs,
    reason: Option<&str>,
) -> Result<(), CliError> {
    let registry = world.settings.open(Access::Look)?;
    let targets = world.targets(&registry, &args.ids, choice(args.scope.scope))?;
    let commit = citations::head(world.settings);
    let seen = |target: &Target| Verification {
        key: target.item.key.clone(),
        commit: commit.clone(),
        citations: target
            .item
            .citations
            .iter()
            .map(|citation| citations::seen(world.settings, citation))
            .collect::<BTreeSet<Citation>>(),
    };
    let verifications = targets.iter().map(seen).collect();
    let reason = reason.map(str::trim).filter(|text| !text.is_empty());
    let registry = world.settings.open(Access::Write)?;
    registry.verify_items(verifications, world.act(&targets, reason))?;
    print(world, &world.told(&registry, &keys(&targets))?)
}

/// Changes fields: of the store's own items there, of others in their files.
pub(super) fn set(world: &World<'_>, args: &ActArgs, named: &FieldArgs) -> Result<(), CliError> {
    let settings = world.settings;
    let mut patch = fields::patch(named, settings.now)?;
    patch.citations = fields::citations(named, |text| citations::cite(settings, text))?;
    if patch == ItemPatch::default() {
        return Err(CliError::new(ErrorKind::Usage, "nothing is named that could be changed")
            .hint("see `staleness knowledge set --help`"));
    }
    let registry = settings.open(Access::Look)?;
    let targets = world.targets(&registry, &args.ids, choice(args.scope.scope))?;
    for id in patch.related.iter().flatten() {
        world.target(&registry, id, ScopeChoice::Either)?;
    }
    let superseded = patch.supersedes.iter().flatten();
    let superseded = superseded
        .map(|id| world.target(&registry, id, ScopeChoice::Either))
        .collect::<Result<Vec<Target>, CliError>>()?;
    let (files, rows): (Vec<Target>, Vec<_>) = targets.iter().cloned().partition(|each| each.filed);
    // What can be refused is found out before anything is written.
    let edits = filed::edits(settings, &files, &patch)?;
    if !rows.is_empty() {
        let registry = settings.open(Access::Write)?;
        let concerned = [&rows[..], &superseded].concat();
        registry.edit_items(keys(&rows), patch, world.act(&concerned, None))?;
    }
    edits.iter().try_for_each(filed::Edit::save)?;
    let fresh = World::new(settings, args.project.current.as_deref(), world.out);
    if !files.is_empty() {
        fresh.report()?;
    }
    let registry = settings.open(Access::Look)?;
    print(world, &fresh.told(&registry, &keys(&targets))?)
}

/// Says that to-dos are done: of the store's own items there, of others in their files.
pub(super) fn done(world: &World<'_>, args: &ActArgs) -> Result<(), CliError> {
    let settings = world.settings;
    let registry = settings.open(Access::Look)?;
    let targets = world.targets(&registry, &args.ids, choice(args.scope.scope))?;
    if let Some(other) = targets.iter().find(|each| each.item.kind != ItemKind::Todo) {
        let (id, kind) = (other.item.key.id.as_str(), other.item.kind.as_str());
        let message = format!("{} is of the kind {kind}, and only a to-do can be done", quoted(id));
        let hint = "say that it no longer holds with `knowledge supersede` or `contradict`";
        return Err(CliError::invalid(message).hint(hint));
    }
    let (files, rows): (Vec<Target>, Vec<_>) = targets.iter().cloned().partition(|each| each.filed);
    let edits = filed::done(settings, &files)?;
    if !rows.is_empty() {
        let registry = settings.open(Access::Write)?;
        registry.done_items(keys(&rows), world.act(&rows, None))?;
    }
    edits.iter().try_for_each(filed::Edit::save)?;
    let fresh = World::new(settings, args.project.current.as_deref(), world.out);
    if !files.is_empty() {
        fresh.report()?;
    }
    let registry = settings.open(Access::Look)?;
    print(world, &fresh.told(&registry, &keys(&targets))?)
}

/// The items as they stand: the first as `item`, all of them as `items`.
fn print(world: &World<'_>, told: &[KnowledgeReport]) -> Result<(), CliError> {
    let out = world.out;
    if out.json {
        return out.json(&json!({ "item": told.first(), "items": told }));
    }
    if out.quiet {
        return Ok(());
    }
    let text: String = told.iter().map(|each| knowledge::noted(each, false, out)).collect();
    out.text(&text)
}
