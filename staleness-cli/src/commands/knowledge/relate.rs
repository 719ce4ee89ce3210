//! `knowledge supersede`, `contradict` and `remove`.

use serde_json::json;
use staleness::registry::ScopeChoice;

use super::fields;
use super::world::World;
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
    let act = world.act(&[old, new], None);
    let registry = settings.open(Access::Write)?;
    registry.supersede_item(keys[0].clone(), keys[1].clone(), act)?;
    let told = world.told(&registry, &keys)?;
    if out.json {
        return out.json(&json!({ "item": told.first(), "by": told.get(1) }));
    }
    match told.first() {
        Some(first) if !out.quiet => out.text(&knowledge::noted(first, false, out)),
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
    let registry = settings.open(Access::Write)?;
    registry.contradict_item(key.clone(), by, reason, act)?;
    let told = world.told(&registry, &[key])?.pop();
    if out.json {
        return out.json(&json!({ "item": told }));
    }
    match told {
        Some(told) if !out.quiet => out.text(&knowledge::noted(&told, false, out)),
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
    if !yes {
        let message = format!("removing {} removes its text for good", quoted(id));
        return Err(CliError::invalid(message).hint("say --yes to do it"));
    }
    let key = target.item.key.clone();
    let told = world.told(&registry, std::slice::from_ref(&key))?.pop();
    let registry = settings.open(Access::Write)?;
    registry.remove_item(key, world.act(&[], None))?;
    if out.json {
        return out.json(&json!({ "item": told }));
    }
    if out.quiet { Ok(()) } else { out.text(&format!("removed {}\n", escape(id))) }
}
