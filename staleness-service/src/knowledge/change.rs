//! Changes items: verifies them, sets fields, and marks to-dos as done.

use std::collections::BTreeSet;

use staleness::ids::Scope;
use staleness::knowledge::{Citation, Item, ItemKind};
use staleness::registry::{ItemPatch, ScopeChoice, Verification};
use staleness::report::KnowledgeReport;
use staleness::store::{Conflict, Refusal};
use staleness::{Registry, RegistryError, Wait};

use super::add::refuse_expiry;
use super::filed;
use super::relate::{refuse_persons, refuse_preference};
use super::world::{Pretended, Target, World, keys};
use crate::citations;
use crate::error::{ErrorKind, ServiceError, quoted};
use crate::settings::Access;
use crate::work::as_someone;

/// Verifies items: records that they are true at the checked-out commit, with the current digests of their
/// citations.
///
/// # Errors
/// If an id is unknown, or the store fails.
pub fn verify(
    world: &World<'_>,
    ids: &[String],
    scope: ScopeChoice,
    reason: Option<&str>,
) -> Result<Vec<KnowledgeReport>, ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let targets = world.targets(&registry, ids, scope)?;
    if targets.iter().any(|target| target.item.contradicted.is_some()) {
        as_someone(world.settings)?;
    }
    let commit = citations::head(world.settings);
    let seen = |target: &Target| {
        let seen = citations::seen(world.settings, &target.item);
        let (mut citations, mut moved) = (BTreeSet::new(), Vec::new());
        for (cited, now) in seen {
            // The old lines identify the citation, but the digest is that of the new lines.
            citations.insert(Citation { lines: cited.lines, ..now.clone() });
            moved.extend(
                now.lines.filter(|lines| cited.lines != Some(*lines)).map(|to| (cited, to)),
            );
        }
        Verification { key: target.item.key.clone(), commit: commit.clone(), citations, moved }
    };
    let verifications = targets.iter().map(seen).collect();
    let reason = reason.map(str::trim).filter(|text| !text.is_empty());
    let registry = world.to_act()?;
    let rows = registry.knowledge().verify(verifications, world.act(&targets, reason)).wait();
    let rows = rows.map_err(|error| match &error {
        RegistryError::Rejected(Refusal::Conflict(Conflict::Contradicted { .. })) => {
            ServiceError::from(error).hint("ask the user whether it is still true")
        }
        _ => error.into(),
    })?;
    world.seen(&registry)?;
    let pretended = Pretended { rows, files: Vec::new() };
    world.told_as(&registry, &keys(&targets), pretended)
}

/// Rejects an expiry date if one of the items cannot have one.
///
/// # Errors
/// If an item is a preference, or an id is unknown.
pub fn may_expire(world: &World<'_>, ids: &[String]) -> Result<(), ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let targets = world.targets(&registry, ids, ScopeChoice::Either)?;
    targets.iter().try_for_each(|each| refuse_expiry(each.item.kind, Some(world.settings.now)))
}

/// Sets fields of items. Stored items change in the store, and items in files change in their files.
///
/// # Errors
/// If the patch is empty, an id is unknown, an agent changes a person's preference or the kind of a person's item, a
/// file cannot be changed, or the store rejects the change. In all these cases nothing is changed.
pub fn set(
    world: &World<'_>,
    ids: &[String],
    scope: ScopeChoice,
    patch: &ItemPatch,
) -> Result<Vec<KnowledgeReport>, ServiceError> {
    let settings = world.settings;
    if *patch == ItemPatch::default() {
        return Err(ServiceError::new(ErrorKind::Usage, "no change was given"));
    }
    let registry = settings.open(Access::Look)?;
    let targets = world.targets(&registry, ids, scope)?;
    if patch.kind.is_some() || patch.expires_at.is_some() {
        let mut edited = targets.iter().map(|target| patch.applied_to(&target.item));
        edited.try_for_each(|item| refuse_expiry(item.kind, item.expires_at))?;
    }
    for id in patch.related.iter().flatten() {
        world.target(&registry, id, ScopeChoice::Either)?;
    }
    let superseded = superseded(world, &registry, &targets, patch)?;
    let (files, rows): (Vec<Target>, Vec<_>) = targets.iter().cloned().partition(|each| each.filed);
    let edits = filed::edits(settings, &files, patch)?;
    let as_edited = |file: &Target| patch.applied_to(&file.item);
    let as_edited = files.iter().map(as_edited).collect();
    let act = world.act(&[&rows[..], &superseded].concat(), None);
    superseded
        .iter()
        .try_for_each(|old| refuse_preference(world.settings, &registry, &old.item, &act))?;
    // Some kinds of items can be done, which hides their text. An agent must not give such a kind to a person's item.
    let refuse = if patch.kind.is_some() { refuse_persons } else { refuse_preference };
    rows.iter().try_for_each(|row| refuse(world.settings, &registry, &row.item, &act))?;
    let write = |registry: &Registry| {
        registry.knowledge().edit(keys(&rows), patch.clone(), act.clone()).wait()
    };
    finish(world, &targets, &edits, as_edited, (!rows.is_empty()).then_some(&write))
}

/// Returns the items that the targets supersede after the patch, and those that they no longer supersede. Empty if the
/// patch does not set `supersedes`.
fn superseded(
    world: &World<'_>,
    registry: &Registry,
    targets: &[Target],
    patch: &ItemPatch,
) -> Result<Vec<Target>, ServiceError> {
    let Some(named) = &patch.supersedes else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for Target { item, .. } in targets {
        let is_global = item.key.scope == Scope::Global;
        let scope = if is_global { ScopeChoice::Global } else { ScopeChoice::Either };
        for id in named {
            all.push(world.target(registry, id, scope)?);
        }
        let freed = item.supersedes.iter().filter(|id| !named.contains(*id));
        all.extend(freed.filter_map(|id| world.target(registry, id, scope).ok()));
    }
    Ok(all)
}

/// A function that writes to the store and returns the rows that it wrote.
type Write<'a> = &'a dyn Fn(&Registry) -> Result<Vec<Item>, RegistryError>;

/// Saves the files, writes to the store, and returns the reports. Validates everything before it writes. The store
/// is written after the files, so a file that cannot be saved leaves the store unchanged.
fn finish(
    world: &World<'_>,
    targets: &[Target],
    edits: &[filed::Edit],
    as_edited: Vec<Item>,
    write: Option<Write<'_>>,
) -> Result<Vec<KnowledgeReport>, ServiceError> {
    let rows = match write {
        Some(write) => write(&world.to_try()?)?,
        None => Vec::new(),
    };
    if world.dry_run {
        let registry = world.settings.open(Access::Look)?;
        let pretended = Pretended { rows, files: as_edited };
        return world.told_as(&registry, &keys(targets), pretended);
    }
    let store = write.map(|write| Ok::<_, ServiceError>((write, world.to_act()?))).transpose()?;
    edits.iter().try_for_each(filed::Edit::save)?;
    if let Some((write, registry)) = store {
        write(&registry)?;
        world.seen(&registry)?;
    }
    let registry = world.settings.open(Access::Look)?;
    if !edits.iter().any(filed::Edit::changes) {
        // No file changed, so the documents already read are still current.
        return world.told(&registry, &keys(targets));
    }
    let fresh = world.anew();
    fresh.report()?;
    fresh.told(&registry, &keys(targets))
}

/// Marks to-dos, and expired items of the store, as done, or opens them again. Stored items change in the store, and
/// items in files change in their files.
///
/// # Errors
/// If an id is unknown or does not name such an item, a file cannot be changed, or the store rejects the change. In all
/// these cases nothing is changed.
pub fn done(
    world: &World<'_>,
    ids: &[String],
    scope: ScopeChoice,
    done: bool,
) -> Result<Vec<KnowledgeReport>, ServiceError> {
    let settings = world.settings;
    let registry = settings.open(Access::Look)?;
    let targets = world.targets(&registry, ids, scope)?;
    let may_be_done = |each: &Target| match each.filed {
        true => each.item.kind == ItemKind::Todo,
        false => each.item.may_be_done(settings.now),
    };
    if let Some(other) = targets.iter().find(|each| !may_be_done(each)) {
        let (id, kind) = (other.item.key.id.as_str(), other.item.kind.as_str());
        let what = if done { "done" } else { "reopened" };
        let message = format!(
            "{} is of kind {kind}; only a to-do or an expired item can be {what}",
            quoted(id)
        );
        let hint = "if it is no longer true, use `knowledge supersede` or `contradict`";
        return Err(ServiceError::invalid(message).hint(hint));
    }
    let (files, rows): (Vec<Target>, Vec<_>) = targets.iter().cloned().partition(|each| each.filed);
    let edits = filed::done(settings, &files, done)?;
    let done_at = done.then_some(settings.now);
    let as_edited = files.into_iter().map(|file| Item { done_at, ..file.item }).collect();
    let act = world.act(&rows, None);
    let write = |registry: &Registry| match done {
        true => registry.knowledge().done(keys(&rows), act.clone()).wait(),
        false => registry.knowledge().reopen(keys(&rows), act.clone()).wait(),
    };
    finish(world, &targets, &edits, as_edited, (!rows.is_empty()).then_some(&write))
}
