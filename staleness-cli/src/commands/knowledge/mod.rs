//! `knowledge`: manages written-down knowledge and its verdicts.

mod add;
mod change;
mod fields;
mod look;
mod recall;

use staleness_service::Listener;
use staleness_service::documents::named_version;
use staleness_service::knowledge::World;

use crate::args::KnowledgeCommand;
use crate::args::documents_args::VersionArgs;
use crate::args::knowledge_args::{ActArgs, DoArgs, KnowledgeListArgs};
use crate::commands::tools::choice;
use crate::error::CliError;
use crate::output::{Output, Screen};
use crate::settings::Settings;

pub(crate) fn run(
    settings: &Settings,
    command: Option<&KnowledgeCommand>,
    bare: &KnowledgeListArgs,
    out: &Output,
) -> Result<(), CliError> {
    use KnowledgeCommand as Is;
    let screen = &Screen::new(out, "checked");
    match command {
        None => look::list(&of(settings, &bare.project, screen)?, bare, out),
        Some(Is::List(args)) => look::list(&of(settings, &args.project, screen)?, args, out),
        Some(Is::Add { id, global, fields, how, project }) => {
            let add = add::Add { id: id.as_deref(), global: *global, fields };
            let world = of(settings, project, screen)?;
            add::run(&done_as(world, how)?, &add, out)
        }
        Some(Is::Show { id, scope, project }) => {
            let world = of(settings, project, screen)?;
            look::show(&world, id, choice(scope.scope), out)
        }
        Some(Is::Recall { query, limit, peek, project }) => {
            recall::run(&of(settings, project, screen)?, query, *limit, *peek, out)
        }
        Some(Is::Verify { act, reason }) => {
            change::verify(&of_act(settings, act, screen)?, act, reason.as_deref(), out)
        }
        Some(Is::Set { act, fields }) => {
            change::set(&of_act(settings, act, screen)?, act, fields, out)
        }
        Some(Is::Done(act)) => change::done(&of_act(settings, act, screen)?, act, true, out),
        Some(Is::Reopen(act)) => change::done(&of_act(settings, act, screen)?, act, false, out),
        Some(Is::Supersede { old, by, how, scope, project }) => {
            let world = done_as(of(settings, project, screen)?, how)?;
            change::supersede(&world, old, by, choice(scope.scope), out)
        }
        Some(Is::Contradict { id, by, reason, how, scope, project }) => {
            let world = done_as(of(settings, project, screen)?, how)?;
            change::contradict(&world, id, by, reason, choice(scope.scope), out)
        }
        Some(Is::Remove { id, yes, how, scope, project }) => {
            let world = done_as(of(settings, project, screen)?, how)?;
            change::remove(&world, id, *yes, choice(scope.scope), out)
        }
    }
}

fn of<'a>(
    settings: &'a Settings,
    version: &'a VersionArgs,
    listener: &'a dyn Listener,
) -> Result<World<'a>, CliError> {
    Ok(World::new(settings, named_version(version.current.as_deref())?, listener))
}

fn of_act<'a>(
    settings: &'a Settings,
    act: &'a ActArgs,
    listener: &'a dyn Listener,
) -> Result<World<'a>, CliError> {
    done_as(of(settings, &act.project, listener)?, &act.how)
}

fn done_as<'a>(world: World<'a>, how: &DoArgs) -> Result<World<'a>, CliError> {
    let agent = world.settings.agent.clone();
    Ok(world.done_by(agent, how.dry_run))
}
