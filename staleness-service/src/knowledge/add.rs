//! Adds knowledge items.

use std::path::Path;

use staleness::ids::{ItemId, ItemKey, Scope};
use staleness::knowledge::{Item, ItemKind};
use staleness::registry::{Act, ItemPatch, ScopeChoice};
use staleness::report::KnowledgeReport;
use staleness::store::Refusal;
use staleness::{Registry, RegistryError, Timestamp, Wait};

use super::id_for;
use super::relate::refuse_preference;
use super::world::{Pretended, Target, World};
use crate::error::{ErrorKind, ServiceError, brief, quoted};
use crate::settings::Access;

/// A knowledge item to add.
#[derive(Clone, Debug, Default)]
pub struct NewItem {
    /// The id [default: derived from the first words].
    pub id: Option<ItemId>,
    /// True for a global item, which applies to all projects.
    pub global: bool,
    /// The fields, including text and citations.
    pub fields: ItemPatch,
}

/// Adds an item and returns the report on it.
///
/// # Errors
/// If a field is invalid, an item to which it refers is unknown, a file contains an item with this id, an agent
/// supersedes a person's preference, or the store rejects the item.
pub fn add(world: &World<'_>, mut new: NewItem) -> Result<KnowledgeReport, ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let targets = |scope| -> Result<Vec<Target>, ServiceError> {
        let ids = new.fields.supersedes.iter().flatten();
        let others = ids.filter(|id| Some(*id) != new.id.as_ref());
        others.map(|id| world.target(&registry, id, scope)).collect()
    };
    let mut replaced = targets(if new.global { ScopeChoice::Global } else { ScopeChoice::Either })?;
    // An item that replaces a global item is global, too, and replaces only global items.
    let is_global = |old: &Target| old.item.key.scope == Scope::Global;
    let global = new.global || replaced.iter().any(is_global);
    if !replaced.iter().all(is_global) && global {
        replaced = targets(ScopeChoice::Global)?;
    }
    new.global = global;
    // A derived id cannot clash with the id of a file.
    let is_named = new.id.is_some() && !global;
    let item = item(world, new)?;
    if is_named {
        refuse_that_of_a_file(world, &item.key)?;
    }
    let registry = world.to_act()?;
    for id in item.related.iter().filter(|id| **id != item.key.id) {
        world.target(&registry, id, ScopeChoice::Either)?;
    }
    let act = world.act(&replaced, None);
    replaced
        .iter()
        .try_for_each(|old| refuse_preference(world.settings, &registry, &old.item, &act))?;
    if !global {
        refuse_hiding(world, &registry, &item, &act)?;
    }
    let item = registry.knowledge().add(item, act).wait()?;
    // A global item does not show that this project is in use.
    if !global {
        world.seen(&registry)?;
    }
    let (key, pretended) = (item.key.clone(), Pretended { rows: vec![item], files: Vec::new() });
    let told = world.told_as(&registry, &[key], pretended)?.pop();
    told.ok_or_else(|| ServiceError::new(ErrorKind::Unknown, "the item no longer exists"))
}

/// Rejects an id that an item in a file has. The new item would be hidden, because the file takes precedence.
fn refuse_that_of_a_file(world: &World<'_>, key: &ItemKey) -> Result<(), ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let mut files = world.files_at_hand(&registry)?.iter();
    let Some(file) = files.find(|file| file.key == *key) else { return Ok(()) };
    let (id, path) = (quoted(key.id.as_str()), file.path.as_deref().unwrap_or_default());
    let message = format!("the item {id} already exists in {}", brief(Path::new(path)));
    Err(ServiceError::invalid(message).hint("change it there, or choose another id"))
}

/// Rejects an agent's item that would hide a person's preference for all projects.
fn refuse_hiding(
    world: &World<'_>,
    registry: &Registry,
    item: &Item,
    act: &Act,
) -> Result<(), ServiceError> {
    let (id, project) = (&item.key.id, &world.settings.project.id);
    match registry.knowledge().get(project, id, ScopeChoice::Global).wait() {
        Ok(there) if refuse_preference(world.settings, registry, &there, act).is_err() => {
            let taken = RegistryError::from(Refusal::Taken { what: "item", id: id.to_string() });
            Err(ServiceError::from(taken).hint("it is the user's preference for all projects"))
        }
        _ => Ok(()),
    }
}

/// Rejects an expiry date for a preference, because it would have no effect.
pub(super) fn refuse_expiry(
    kind: ItemKind,
    expires_at: Option<Timestamp>,
) -> Result<(), ServiceError> {
    if kind != ItemKind::Preference || expires_at.is_none() {
        return Ok(());
    }
    let hint = "leave out the expiry, or choose another kind";
    Err(ServiceError::invalid("a preference does not expire").hint(hint))
}

fn item(world: &World<'_>, new: NewItem) -> Result<Item, ServiceError> {
    let settings = world.settings;
    let NewItem { id, global, fields: patch } = new;
    let body = patch.body.filter(|body| !body.trim().is_empty());
    let body = body.ok_or_else(|| ServiceError::invalid("the text is missing"))?;
    let kind = patch.kind.unwrap_or(ItemKind::Knowledge);
    let expires_at = patch.expires_at.flatten();
    refuse_expiry(kind, expires_at)?;
    let id = match id {
        Some(id) => id,
        None => id_for(kind, &body)?,
    };
    let scope = if global { Scope::Global } else { Scope::Project(settings.project.id.clone()) };
    let mut item = Item::new(ItemKey { scope, id }, kind, body, settings.now);
    item.keywords = patch.keywords.unwrap_or_default();
    item.evergreen = patch.evergreen.unwrap_or(false);
    item.due = patch.due.flatten();
    item.expires_at = expires_at;
    item.supersedes = patch.supersedes.unwrap_or_default();
    item.related = patch.related.unwrap_or_default();
    item.citations = patch.citations.unwrap_or_default();
    item.version_context = match patch.version_context {
        Some(version) => version,
        // A global item was not written for one project's version.
        None if global => None,
        None if matches!(kind, ItemKind::Knowledge | ItemKind::Reference) => world.version(),
        None => None,
    };
    Ok(item)
}
