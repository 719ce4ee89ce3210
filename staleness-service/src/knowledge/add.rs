//! Writing something down.

use staleness::Wait;
use std::path::Path;

use staleness::ids::{ItemId, ItemKey, Scope};
use staleness::knowledge::{Item, ItemKind};
use staleness::registry::{ItemPatch, ScopeChoice};
use staleness::report::KnowledgeReport;

use super::id_for;
use super::world::{Pretended, Target, World};
use crate::error::{ErrorKind, ServiceError, brief, quoted};
use crate::settings::Access;

/// Something that is to be written down.
#[derive(Clone, Debug, Default)]
pub struct NewItem {
    /// Its id [default: made of its first words].
    pub id: Option<ItemId>,
    /// For every project, not for this one alone.
    pub global: bool,
    /// Its fields, with a text; the citations are in it.
    pub fields: ItemPatch,
}

/// Writes it down, and tells how it stands.
///
/// # Errors
/// When a field makes no sense, an item that it names is unknown, a file holds an item of this id, or the
/// store refuses it.
pub fn add(world: &World<'_>, new: NewItem) -> Result<KnowledgeReport, ServiceError> {
    let global = new.global;
    // An id that is made of the text is the id of no file.
    let is_named = new.id.is_some() && !global;
    let item = item(world, new)?;
    if is_named {
        refuse_that_of_a_file(world, &item.key)?;
    }
    let registry = world.to_act()?;
    for id in item.related.iter().filter(|id| **id != item.key.id) {
        world.target(&registry, id, ScopeChoice::Either)?;
    }
    let mut targets: Vec<Target> = Vec::new();
    for id in item.supersedes.iter().filter(|id| **id != item.key.id) {
        targets.push(world.target(&registry, id, ScopeChoice::Either)?);
    }
    let item = registry.knowledge().add(item, world.act(&targets, None)).wait()?;
    // What holds everywhere says nothing of this project.
    if !global {
        world.seen(&registry)?;
    }
    let (key, pretended) = (item.key.clone(), Pretended { rows: vec![item], files: Vec::new() });
    let told = world.told_as(&registry, &[key], pretended)?.pop();
    told.ok_or_else(|| ServiceError::new(ErrorKind::Unknown, "the item is gone already"))
}

/// Refuses the id of an item that lives in a file: it would be hidden, and the file is the truth.
fn refuse_that_of_a_file(world: &World<'_>, key: &ItemKey) -> Result<(), ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let mut files = world.files_at_hand(&registry)?.iter();
    let Some(file) = files.find(|file| file.key == *key) else { return Ok(()) };
    let (id, path) = (quoted(key.id.as_str()), file.path.as_deref().unwrap_or_default());
    let message = format!("there is an item {id} already, in {}", brief(Path::new(path)));
    Err(ServiceError::invalid(message).hint("change it there, or choose another id"))
}

/// The item as it will be written down.
fn item(world: &World<'_>, new: NewItem) -> Result<Item, ServiceError> {
    let settings = world.settings;
    let NewItem { id, global, fields: patch } = new;
    let body = patch.body.filter(|body| !body.trim().is_empty());
    let body = body.ok_or_else(|| ServiceError::invalid("there is no text to write down"))?;
    let kind = patch.kind.unwrap_or(ItemKind::Knowledge);
    let id = match id {
        Some(id) => id,
        None => id_for(kind, &body)?,
    };
    let scope = if global { Scope::Global } else { Scope::Project(settings.project.id.clone()) };
    let mut item = Item::new(ItemKey { scope, id }, kind, body, settings.now);
    item.keywords = patch.keywords.unwrap_or_default();
    item.evergreen = patch.evergreen.unwrap_or(false);
    item.due = patch.due.flatten();
    item.expires_at = patch.expires_at.flatten();
    item.supersedes = patch.supersedes.unwrap_or_default();
    item.related = patch.related.unwrap_or_default();
    item.citations = patch.citations.unwrap_or_default();
    item.version_context = match patch.version_context {
        Some(version) => version,
        // What holds in every project was not written for the version of one.
        None if global => None,
        None if matches!(kind, ItemKind::Knowledge | ItemKind::Reference) => world.version(),
        None => None,
    };
    Ok(item)
}
