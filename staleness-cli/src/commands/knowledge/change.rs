//! `knowledge verify`, `set`, `done`, `supersede`, `contradict` and `remove`: change items.

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

/// Prints the changed items. JSON has the first as `item` and all as `items`.
fn print(world: &World<'_>, told: &[KnowledgeReport], out: &Output) -> Result<(), CliError> {
    let noted = |each| knowledge::noted(each, world.dry_run, out);
    let value = json!({ "item": told.first(), "items": told });
    out.done(&value, || told.iter().map(noted).collect())
}

pub(super) fn supersede(
    world: &World<'_>,
    old: &str,
    by: &str,
    scope: ScopeChoice,
    out: &Output,
) -> Result<(), CliError> {
    let told = service::supersede(world, old, by, scope)?;
    let value = json!({ "item": told.first(), "by": told.get(1) });
    out.done(&value, || noted(world, told.first(), out))
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
    out.done(&json!({ "item": told }), || noted(world, told.as_ref(), out))
}

fn noted(world: &World<'_>, told: Option<&KnowledgeReport>, out: &Output) -> String {
    told.map(|told| knowledge::noted(told, world.dry_run, out)).unwrap_or_default()
}

pub(super) fn remove(
    world: &World<'_>,
    id: &str,
    yes: bool,
    scope: ScopeChoice,
    out: &Output,
) -> Result<(), CliError> {
    let told = service::remove(world, id, yes, scope)?;
    let done = if world.dry_run { "would be removed: " } else { "removed " };
    out.done(&json!({ "item": told }), || format!("{done}{}\n", escape(id)))
}
