//! `knowledge add`: writes something down.

use serde_json::json;
use staleness::ids::{ItemId, ItemKey, Scope};
use staleness::knowledge::{Item, ItemKind};
use staleness::registry::ScopeChoice;

use super::fields;
use super::world::{Pretended, World};
use crate::args::knowledge_args::FieldArgs;
use crate::commands::citations;
use crate::error::{CliError, ErrorKind};
use crate::output::knowledge;

pub(super) struct Add<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) global: bool,
    pub(super) fields: &'a FieldArgs,
}

pub(super) fn run(world: &World<'_>, add: &Add<'_>) -> Result<(), CliError> {
    let out = world.out;
    let item = item(world, add)?;
    let registry = world.to_act()?;
    for id in item.related.iter().filter(|id| **id != item.key.id) {
        world.target(&registry, id, ScopeChoice::Either)?;
    }
    let mut targets = Vec::new();
    for id in item.supersedes.iter().filter(|id| **id != item.key.id) {
        targets.push(world.target(&registry, id, ScopeChoice::Either)?);
    }
    let item = registry.add_item(item, world.act(&targets, None))?;
    // What holds everywhere says nothing of this project.
    if !add.global {
        world.seen(&registry)?;
    }
    let (key, pretended) = (item.key.clone(), Pretended { rows: vec![item], files: Vec::new() });
    let told = world.told_as(&registry, &[key], pretended)?.pop();
    let told = told.ok_or_else(|| CliError::new(ErrorKind::Unknown, "the item is gone already"))?;
    if out.json {
        return out.json(&json!({ "item": told }));
    }
    if out.quiet { Ok(()) } else { out.text(&knowledge::noted(&told, world.dry_run, out)) }
}

/// The item as it will be written down.
fn item(world: &World<'_>, add: &Add<'_>) -> Result<Item, CliError> {
    let settings = world.settings;
    let patch = fields::patch(add.fields, settings.now)?;
    let body = patch.body.filter(|body| !body.trim().is_empty()).ok_or_else(|| {
        CliError::new(
            if add.fields.body.is_some() { ErrorKind::Invalid } else { ErrorKind::Usage },
            "there is no text to write down",
        )
        .hint("give it with --body TEXT, or --body - for stdin")
    })?;
    let kind = patch.kind.unwrap_or(ItemKind::Knowledge);
    let id: ItemId = match add.id {
        Some(text) => fields::id(text)?,
        None => fields::id_for(kind, &body)?,
    };
    let scope =
        if add.global { Scope::Global } else { Scope::Project(settings.project.id.clone()) };
    let cited = fields::citations(add.fields, |text| citations::cite(settings, text))?;
    let mut item = Item::new(ItemKey { scope, id }, kind, body, settings.now);
    item.keywords = patch.keywords.unwrap_or_default();
    item.evergreen = patch.evergreen.unwrap_or(false);
    item.due = patch.due.flatten();
    item.expires_at = patch.expires_at.flatten();
    item.supersedes = patch.supersedes.unwrap_or_default();
    item.related = patch.related.unwrap_or_default();
    item.citations = cited.unwrap_or_default();
    item.version_context = match patch.version_context {
        Some(version) => version,
        // What holds in every project was not written for the version of one.
        None if add.global => None,
        None if matches!(kind, ItemKind::Knowledge | ItemKind::Reference) => world.version(),
        None => None,
    };
    Ok(item)
}
