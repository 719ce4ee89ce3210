//! `knowledge verify`, `set`, `done`, `supersede`, `contradict` and `remove`: what became of items.

use serde_json::json;
use staleness::registry::ScopeChoice;
use staleness::report::KnowledgeReport;
use staleness_service::citations;
use staleness_service::knowledge::{self as service, World};

use super::fields;
use crate::args::knowledge_args::{ActArgs, FieldArgs};
use crate::commands::tools::choice;
use crate::error::{CliError, ErrorKind};
use crate::output::{Output, escape, knowledge};

pub(super) fn verify(
    world: &World<'_>,
    args: &ActArgs,
    reason: Option<&str>,
    out: &Output,
) -> Result<(), CliError> {
    let reason = reason.map(str::trim).filter(|text| !text.is_empty());
    print(world, &service::verify(world, &args.ids, choice(args.scope.scope), reason)?, out)
}

pub(super) fn set(
    world: &World<'_>,
    args: &ActArgs,
    named: &FieldArgs,
    out: &Output,
) -> Result<(), CliError> {
    let settings = world.settings;
    let mut patch = fields::patch(named, settings.now)?;
    patch.citations = fields::citations(named, |text| citations::cite(settings, text))?;
    let told = service::set(world, &args.ids, choice(args.scope.scope), &patch);
    let told = told.map_err(|error| match error.kind {
        ErrorKind::Usage => error.hint("see `staleness knowledge set --help`"),
        _ => error,
    })?;
    print(world, &told, out)
}

pub(super) fn done(
    world: &World<'_>,
    args: &ActArgs,
    done: bool,
    out: &Output,
) -> Result<(), CliError> {
    print(world, &service::done(world, &args.ids, choice(args.scope.scope), done)?, out)
}

/// The items as they stand: the first as `item`, all of them as `items`.
fn print(world: &World<'_>, told: &[KnowledgeReport], out: &Output) -> Result<(), CliError> {
    if out.json {
        return out.json(&json!({ "item": told.first(), "items": told }));
    }
    if out.quiet {
        return Ok(());
    }
    let text: String = told.iter().map(|each| knowledge::noted(each, world.dry_run, out)).collect();
    out.text(&text)
}

pub(super) fn supersede(
    world: &World<'_>,
    old: &str,
    by: &str,
    scope: ScopeChoice,
    out: &Output,
) -> Result<(), CliError> {
    let told = service::supersede(world, old, by, scope)?;
    if out.json {
        return out.json(&json!({ "item": told.first(), "by": told.get(1) }));
    }
    noted(world, told.first(), out)
}

pub(super) fn contradict(
    world: &World<'_>,
    id: &str,
    by: &str,
    reason: &str,
    scope: ScopeChoice,
    out: &Output,
) -> Result<(), CliError> {
    let told = service::contradict(world, id, by, reason, scope)?;
    if out.json {
        return out.json(&json!({ "item": told }));
    }
    noted(world, told.as_ref(), out)
}

fn noted(world: &World<'_>, told: Option<&KnowledgeReport>, out: &Output) -> Result<(), CliError> {
    match told {
        Some(told) if !out.quiet => out.text(&knowledge::noted(told, world.dry_run, out)),
        _ => Ok(()),
    }
}

pub(super) fn remove(
    world: &World<'_>,
    id: &str,
    yes: bool,
    scope: ScopeChoice,
    out: &Output,
) -> Result<(), CliError> {
    let told = service::remove(world, id, yes, scope)?;
    if out.json {
        return out.json(&json!({ "item": told }));
    }
    let done = if world.dry_run { "would be removed: " } else { "removed " };
    if out.quiet { Ok(()) } else { out.text(&format!("{done}{}\n", escape(id))) }
}
