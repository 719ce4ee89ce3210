//! `knowledge`: what somebody wrote down, and whether it still holds.

mod add;
mod change;
mod fields;
mod filed;
mod look;
mod recall;
mod relate;
mod world;

use crate::args::KnowledgeCommand;
use crate::args::documents_args::VersionArgs;
use crate::args::knowledge_args::{ActArgs, KnowledgeListArgs};
use crate::commands::documents;
use crate::commands::tools::choice;
use crate::error::CliError;
use crate::output::Output;
use crate::settings::Settings;

pub(crate) use look::everything;
pub(crate) use world::World;

pub(crate) fn run(
    settings: &Settings,
    command: Option<&KnowledgeCommand>,
    bare: &KnowledgeListArgs,
    out: &Output,
) -> Result<(), CliError> {
    use KnowledgeCommand as Is;
    match command {
        None => look::list(&of(settings, &bare.project, out)?, bare),
        Some(Is::List(args)) => look::list(&of(settings, &args.project, out)?, args),
        Some(Is::Add { id, global, fields, how, project }) => {
            let add = add::Add { id: id.as_deref(), global: *global, fields };
            let world = of(settings, project, out)?;
            add::run(&world.done_as(how)?, &add)
        }
        Some(Is::Show { id, scope, project }) => {
            let world = of(settings, project, out)?;
            look::show(&world, id, choice(scope.scope))
        }
        Some(Is::Recall { query, limit, peek, project }) => {
            recall::run(&of(settings, project, out)?, query, *limit, *peek)
        }
        Some(Is::Verify { act, reason }) => {
            change::verify(&of_act(settings, act, out)?, act, reason.as_deref())
        }
        Some(Is::Set { act, fields }) => change::set(&of_act(settings, act, out)?, act, fields),
        Some(Is::Done(act)) => change::done(&of_act(settings, act, out)?, act, true),
        Some(Is::Reopen(act)) => change::done(&of_act(settings, act, out)?, act, false),
        Some(Is::Supersede { old, by, how, scope, project }) => {
            let world = of(settings, project, out)?.done_as(how)?;
            relate::supersede(&world, old, by, choice(scope.scope))
        }
        Some(Is::Contradict { id, by, reason, how, scope, project }) => {
            let world = of(settings, project, out)?.done_as(how)?;
            relate::contradict(&world, id, by, reason, choice(scope.scope))
        }
        Some(Is::Remove { id, yes, how, scope, project }) => {
            let world = of(settings, project, out)?.done_as(how)?;
            relate::remove(&world, id, *yes, choice(scope.scope))
        }
    }
}

fn of<'a>(
    settings: &'a Settings,
    version: &'a VersionArgs,
    out: &'a Output,
) -> Result<World<'a>, CliError> {
    Ok(World::new(settings, documents::named_version(version)?, out))
}

fn of_act<'a>(
    settings: &'a Settings,
    act: &'a ActArgs,
    out: &'a Output,
) -> Result<World<'a>, CliError> {
    of(settings, &act.project, out)?.done_as(&act.how)
}
