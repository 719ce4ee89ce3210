//! `knowledge verify`, `set` and `done`: what becomes of items.

use std::collections::BTreeSet;

use serde_json::json;
use staleness::knowledge::{Citation, Item, ItemKind};
use staleness::registry::{ItemPatch, ScopeChoice, Verification};
use staleness::report::KnowledgeReport;

use super::world::{Pretended, Target, World, keys};
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
    let registry = world.to_act()?;
    let rows = registry.verify_items(verifications, world.act(&targets, reason))?;
    world.seen(&registry)?;
    let pretended = Pretended { rows, files: Vec::new() };
    print(world, &world.told_as(&registry, &keys(&targets), pretended)?)
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
    let mut pretended = Pretended::default();
    let as_edited = |file: &Target| patch.applied_to(&file.item);
    pretended.files.extend(files.iter().map(as_edited));
    if !rows.is_empty() {
        let registry = world.to_act()?;
        let concerned = [&rows[..], &superseded].concat();
        pretended.rows = registry.edit_items(keys(&rows), patch, world.act(&concerned, None))?;
        world.seen(&registry)?;
    }
    finish(world, &targets, &edits, pretended)
}

/// Saves the files that are changed, and tells how the items stand.
fn finish(
    world: &World<'_>,
    targets: &[Target],
    edits: &[filed::Edit],
    pretended: Pretended,
) -> Result<(), CliError> {
    let registry = world.settings.open(Access::Look)?;
    if world.dry_run {
        return print(world, &world.told_as(&registry, &keys(targets), pretended)?);
    }
    edits.iter().try_for_each(filed::Edit::save)?;
    let fresh = world.anew();
    if !edits.is_empty() {
        fresh.report()?;
    }
    print(world, &fresh.told(&registry, &keys(targets))?)
}

/// Says that to-dos are done, or not done after all: of the store's own items there, of others in
/// their files.
pub(super) fn done(world: &World<'_>, args: &ActArgs, done: bool) -> Result<(), CliError> {
    let settings = world.settings;
    let registry = settings.open(Access::Look)?;
    let targets = world.targets(&registry, &args.ids, choice(args.scope.scope))?;
    if let Some(other) = targets.iter().find(|each| each.item.kind != ItemKind::Todo) {
        let (id, kind) = (other.item.key.id.as_str(), other.item.kind.as_str());
        let what = if done { "done" } else { "reopened" };
        let message =
            format!("{} is of the kind {kind}, and only a to-do can be {what}", quoted(id));
        let hint = "say that it no longer holds with `knowledge supersede` or `contradict`";
        return Err(CliError::invalid(message).hint(hint));
    }
    let (files, rows): (Vec<Target>, Vec<_>) = targets.iter().cloned().partition(|each| each.filed);
    let edits = filed::done(settings, &files, done)?;
    let mut pretended = Pretended::default();
    let done_at = done.then_some(settings.now);
    pretended.files.extend(files.into_iter().map(|file| Item { done_at, ..file.item }));
    if !rows.is_empty() {
        let (registry, keys, act) = (world.to_act()?, keys(&rows), world.act(&rows, None));
        pretended.rows = match done {
            true => registry.done_items(keys, act)?,
            false => registry.reopen_items(keys, act)?,
        };
        world.seen(&registry)?;
    }
    finish(world, &targets, &edits, pretended)
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
    let text: String = told.iter().map(|each| knowledge::noted(each, world.dry_run, out)).collect();
    out.text(&text)
}
