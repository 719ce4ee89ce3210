//! `stale`: lists overdue work and settles it.

use staleness::Wait;
use std::path::Path;

use staleness::registry::ScopeChoice;
use staleness::work::{StaleReport, Work};
use staleness_service::work as service;

use super::import::work_in;
use super::shell::{again, quoted};
use super::tools::choice;
use super::work::act;
use crate::args::work_args::StaleListArgs;
use crate::args::{LevelArg, StaleCommand};
use crate::error::CliError;
use crate::output::{Output, escape, work};
use crate::settings::{Access, Settings};

/// Runs the command. Returns true if an item reaches the level to fail on.
pub(crate) fn run(
    settings: &Settings,
    command: Option<&StaleCommand>,
    listed: &StaleListArgs,
    out: &Output,
) -> Result<bool, CliError> {
    match command {
        None => list(settings, listed, out),
        Some(StaleCommand::List(args)) => list(settings, args, out),
        Some(StaleCommand::Resolve { id, scope }) => {
            resolve(settings, id, choice(scope.scope), out).map(|()| false)
        }
    }
}

fn list(settings: &Settings, args: &StaleListArgs, out: &Output) -> Result<bool, CliError> {
    let mut report = match &args.input {
        Some(file) => foreign(settings, file, out)?,
        None => {
            settings.open(Access::Look)?.work().stale(&settings.project, settings.now).wait()?
        }
    };
    for each in &mut report.warnings {
        each.suggested_action = again(settings, &each.suggested_action);
    }
    if out.json {
        out.json(&report)?;
    } else if !out.quiet || !report.warnings.is_empty() {
        out.text(&work::overdue(&report, out))?;
    }
    Ok(args.fail_on.is_some_and(|least| reaches(&report, least)))
}

/// Returns true if an item reaches a level.
pub(super) fn reaches(report: &StaleReport, least: LevelArg) -> bool {
    report.warnings.iter().any(|each| each.level >= least.into())
}

/// Returns the overdue items in a file of another system. Nothing is stored.
fn foreign(settings: &Settings, file: &Path, out: &Output) -> Result<StaleReport, CliError> {
    let items = work_in(settings, file, out)?;
    let policy = &settings.configured.policy.work;
    let rules = |item: &Work| {
        let author = settings.project.caller(item.author.as_deref());
        policy.rules(item.kind, author).into_owned()
    };
    // The item belongs to another system and must be settled there.
    let command = |item: &Work| match item.kind.resolved() {
        Some(to) => format!("# in its own system, mark it {to}"),
        None => String::new(),
    };
    Ok(StaleReport::of(items.iter(), settings.now, rules, command))
}

fn resolve(
    settings: &Settings,
    id: &str,
    scope: ScopeChoice,
    out: &Output,
) -> Result<(), CliError> {
    let done = service::resolve(settings, id, scope, act(settings))?;
    let back = format!("staleness work reopen {}", quoted(done.id.as_str()));
    let back = format!("to undo: `{}`", escape(&again(settings, &back)));
    let (id, from, to) = (out.paint.bold(&escape(done.id.as_str())), &done.from, &done.to);
    out.done(&done, || format!("{id}  {from} → {to}  {}\n", out.paint.dim(&back)))
}
