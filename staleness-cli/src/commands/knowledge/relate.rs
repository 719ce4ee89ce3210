//! `knowledge supersede`, `contradict` and `remove`.

use serde_json::json;
use staleness::BlockingRegistry;
use staleness::registry::{ItemPatch, ScopeChoice};

use super::world::{Pretended, Target, World};
use super::{fields, filed};
use crate::error::{CliError, ErrorKind, quoted};
use crate::output::{escape, knowledge};
use crate::settings::Access;

/// Says that one item stands for another now.
pub(super) fn supersede(
    world: &World<'_>,
    old: &str,
    by: &str,
    scope: ScopeChoice,
) -> Result<(), CliError> {
    let (settings, out) = (world.settings, world.out);
    let registry = settings.open(Access::Look)?;
    let old = world.target(&registry, &fields::id(old)?, scope)?;
    let new = world.target(&registry, &fields::id(by)?, scope)?;
    let keys = [old.item.key.clone(), new.item.key.clone()];
    // An item in a file says there what it stands for: taking the line out takes it back.
    let mut supersedes = new.item.supersedes.clone();
    supersedes.insert(old.item.key.id.clone());
    let patch = ItemPatch { supersedes: Some(supersedes), ..ItemPatch::default() };
    let files: Vec<Target> = [&new].into_iter().filter(|new| new.filed).cloned().collect();
    let edits = filed::edits(settings, &files, &patch)?;
    let is_filed = old.filed || new.filed;
    let files = files.iter().map(|file| patch.applied_to(&file.item)).collect();
    let act = world.act(&[old, new], None);
    let write = |registry: &BlockingRegistry| {
        registry.supersede_item(keys[0].clone(), keys[1].clone(), act.clone())
    };
    // What the store refuses changes no file, and a file that cannot be saved nothing in the store.
    let (old, new) = write(&world.to_try()?)?;
    let registry = world.to_act()?;
    let told = if world.dry_run {
        let pretended = Pretended { rows: vec![old, new], files };
        world.told_as(&registry, &keys, pretended)?
    } else {
        edits.iter().try_for_each(filed::Edit::save)?;
        write(&registry)?;
        world.seen(&registry)?;
        let fresh = world.anew();
        if is_filed {
            fresh.report()?;
        }
        fresh.told(&registry, &keys)?
    };
    if out.json {
        return out.json(&json!({ "item": told.first(), "by": told.get(1) }));
    }
    match told.first() {
        Some(first) if !out.quiet => out.text(&knowledge::noted(first, world.dry_run, out)),
        _ => Ok(()),
    }
}

/// Says that an item is wrong.
pub(super) fn contradict(
    world: &World<'_>,
    id: &str,
    by: &str,
    reason: &str,
    scope: ScopeChoice,
) -> Result<(), CliError> {
    let (settings, out) = (world.settings, world.out);
    let registry = settings.open(Access::Look)?;
    let target = world.target(&registry, &fields::id(id)?, scope)?;
    let key = target.item.key.clone();
    let act = world.act(&[target], None);
    let (by, reason) = (by.trim().to_owned(), reason.trim().to_owned());
    let registry = world.to_act()?;
    let rows = vec![registry.contradict_item(key.clone(), by, reason, act)?];
    world.seen(&registry)?;
    let pretended = Pretended { rows, files: Vec::new() };
    let told = world.told_as(&registry, &[key], pretended)?.pop();
    if out.json {
        return out.json(&json!({ "item": told }));
    }
    match told {
        Some(told) if !out.quiet => out.text(&knowledge::noted(&told, world.dry_run, out)),
        _ => Ok(()),
    }
}

/// Removes an item of the store.
pub(super) fn remove(
    world: &World<'_>,
    id: &str,
    yes: bool,
    scope: ScopeChoice,
) -> Result<(), CliError> {
    let (settings, out) = (world.settings, world.out);
    let registry = settings.open(Access::Look)?;
    let target = world.target(&registry, &fields::id(id)?, scope)?;
    if target.filed {
        let path = target.item.path.as_deref().unwrap_or_default();
        let message = format!("{} lives in {path}", quoted(id));
        return Err(CliError::new(ErrorKind::Invalid, message).hint("delete the file"));
    }
    if !yes && !world.dry_run {
        let message = format!("removing {} removes its text for good", quoted(id));
        return Err(CliError::invalid(message).hint("say --yes to do it"));
    }
    let key = target.item.key.clone();
    let told = world.told(&registry, std::slice::from_ref(&key))?.pop();
    let registry = world.to_act()?;
    registry.remove_item(key, world.act(&[], None))?;
    if out.json {
        return out.json(&json!({ "item": told }));
    }
    let done = if world.dry_run { "would be removed: " } else { "removed " };
    if out.quiet { Ok(()) } else { out.text(&format!("{done}{}\n", escape(id))) }
}
