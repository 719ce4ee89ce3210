//! `knowledge`: manages items of knowledge and shows their verdicts.

mod fields;

use serde_json::json;
use staleness::ids::ItemKey;
use staleness::report::KnowledgeReport;
use staleness::verdict::{Level, SignalKind};
use staleness_core::journal::Subject;
use staleness_service::Listener;
use staleness_service::documents::named_version;
use staleness_service::knowledge::{self as service, NewItem, World};
use staleness_service::{citations, words};

use super::shell::{again, quoted};
use crate::args::KnowledgeCommand;
use crate::args::documents_args::VersionArgs;
use crate::args::knowledge_args::{ActArgs, DoArgs, FieldArgs, KnowledgeListArgs};
use crate::commands::links::last_change;
use crate::commands::tools::choice;
use crate::error::{CliError, ErrorKind};
use crate::output::{Output, Screen, escape, knowledge};
use crate::settings::{Access, Settings};
use staleness_service::words::word;

pub(crate) fn run(
    settings: &Settings,
    command: Option<&KnowledgeCommand>,
    bare: &KnowledgeListArgs,
    out: &Output,
) -> Result<(), CliError> {
    use KnowledgeCommand as Is;
    let screen = &Screen::new(out, "checked");
    match command {
        None => list(&of(settings, screen, &bare.project)?, bare, out),
        Some(Is::List(args)) => list(&of(settings, screen, &args.project)?, args, out),
        Some(Is::Add { id, global, fields, how, project }) => {
            add(&acting(settings, screen, project, how)?, id.as_deref(), *global, fields, out)
        }
        Some(Is::Show { id, scope, project }) => {
            let told = service::show(&of(settings, screen, project)?, id, choice(scope.scope))?;
            if out.json {
                return out.json(&told);
            }
            let scope = told.scope.clone();
            let of = Subject::item(&ItemKey { scope, id: words::id("id", told.id.as_str())? });
            let last = last_change(&settings.open(Access::Look)?, of)?;
            out.text(&knowledge::show(&told, last, out))
        }
        Some(Is::Recall { query, limit, peek, project }) => {
            let told = service::recall(&of(settings, screen, project)?, query, *limit, *peek)?.told;
            let (items, none) = (json!({ "items": told }), (told.is_empty(), "no item matches\n"));
            out.list(&items, none, || knowledge::recalled(&told, out))
        }
        Some(Is::Verify { act, reason }) => {
            let world = acting(settings, screen, &act.project, &act.how)?;
            let reason = reason.as_deref().map(str::trim).filter(|text| !text.is_empty());
            let told = service::verify(&world, &act.ids, choice(act.scope.scope), reason)?;
            print(&world, &told, out)?;
            for each in told.iter().filter(|told| told.verdict.rests_on(SignalKind::Expired)) {
                let keep = format!("staleness knowledge set --expires none {}", quoted(&each.id));
                let keep = again(settings, &keep);
                out.warn(&format!("it has expired; `{}` keeps it", escape(&keep)));
            }
            Ok(())
        }
        Some(Is::Set { act, fields }) => {
            set(&acting(settings, screen, &act.project, &act.how)?, act, fields, out)
        }
        Some(command @ (Is::Done(act) | Is::Reopen(act))) => {
            let world = acting(settings, screen, &act.project, &act.how)?;
            let is_done = matches!(command, Is::Done(_));
            let told = service::done(&world, &act.ids, choice(act.scope.scope), is_done)?;
            print(&world, &told, out)
        }
        Some(Is::Supersede { old, by, how, scope, project }) => {
            let world = acting(settings, screen, project, how)?;
            let told = service::supersede(&world, old, by, choice(scope.scope))?;
            let value = json!({ "item": told.first(), "by": told.get(1) });
            out.done(&value, || noted(&world, told.first(), out))
        }
        Some(Is::Contradict { id, by, reason, how, scope, project }) => {
            let world = acting(settings, screen, project, how)?;
            let told = service::contradict(&world, id, by, reason, choice(scope.scope))?;
            out.done(&json!({ "item": told }), || noted(&world, told.as_ref(), out))
        }
        Some(Is::Remove { id, yes, how, scope, project }) => {
            let world = acting(settings, screen, project, how)?;
            let told = service::remove(&world, id, *yes, choice(scope.scope))?;
            let done = if world.dry_run { "would be removed: " } else { "removed " };
            out.done(&json!({ "item": told }), || format!("{done}{}\n", escape(id)))
        }
    }
}

fn of<'a>(
    settings: &'a Settings,
    listener: &'a dyn Listener,
    version: &'a VersionArgs,
) -> Result<World<'a>, CliError> {
    Ok(World::new(settings, named_version(version.current.as_deref())?, listener))
}

fn acting<'a>(
    settings: &'a Settings,
    listener: &'a dyn Listener,
    version: &'a VersionArgs,
    how: &DoArgs,
) -> Result<World<'a>, CliError> {
    Ok(of(settings, listener, version)?.done_by(settings.agent.clone(), how.dry_run))
}

fn list(world: &World<'_>, args: &KnowledgeListArgs, out: &Output) -> Result<(), CliError> {
    let kind = fields::kind(args.kind.as_deref())?;
    let from_word = |word: &str| Level::ALL.into_iter().find(|level| level.as_str() == word);
    let words = || Level::ALL.map(Level::as_str).join(", ");
    let level = word(args.level.as_deref(), "level", from_word, words)?;
    let mut told = service::everything(world)?;
    told.retain(|each| kind.is_none_or(|kind| each.kind == kind));
    told.retain(|each| level.is_none_or(|level| each.verdict.level == level));
    let none = if kind.is_some() || level.is_some() {
        "no item has that kind and level\n"
    } else {
        "no items yet; add one with `staleness knowledge add --body TEXT`\n"
    };
    let items = json!({ "items": told });
    out.list(&items, (told.is_empty(), none), || knowledge::list(&told, world.settings.now, out))
}

fn add(
    world: &World<'_>,
    id: Option<&str>,
    global: bool,
    named: &FieldArgs,
    out: &Output,
) -> Result<(), CliError> {
    let mut fields = fields::patch(named, world.settings.now)?;
    if fields.body.as_deref().is_none_or(|body| body.trim().is_empty()) {
        let kind = if named.body.is_some() { ErrorKind::Invalid } else { ErrorKind::Usage };
        return Err(CliError::new(kind, "the text is missing")
            .hint("give it with --body TEXT, or --body - for stdin"));
    }
    fields.citations = fields::citations(named, |text| citations::cite(world.settings, text))?;
    let id = id.map(|text| words::id("id", text)).transpose()?;
    let told = service::add(world, NewItem { id, global, fields })?;
    out.done(&json!({ "item": told }), || knowledge::noted(&told, world.dry_run, out))
}

fn set(world: &World<'_>, act: &ActArgs, named: &FieldArgs, out: &Output) -> Result<(), CliError> {
    let mut patch = fields::patch(named, world.settings.now)?;
    if patch.body.as_deref().is_some_and(|body| body.trim().is_empty()) {
        return Err(CliError::invalid("the text is empty")
            .hint("give it with --body TEXT, or pipe it into --body -"));
    }
    patch.citations = fields::citations(named, |text| citations::cite(world.settings, text))?;
    let told = service::set(world, &act.ids, choice(act.scope.scope), &patch);
    let told = told.map_err(|error| match error.kind {
        ErrorKind::Usage => error.hint("see `staleness knowledge set --help`"),
        _ => error,
    })?;
    print(world, &told, out)
}

/// Prints the changed items. JSON has the first as `item` and all as `items`.
fn print(world: &World<'_>, told: &[KnowledgeReport], out: &Output) -> Result<(), CliError> {
    let value = json!({ "item": told.first(), "items": told });
    out.done(&value, || told.iter().map(|each| noted(world, Some(each), out)).collect())
}

fn noted(world: &World<'_>, told: Option<&KnowledgeReport>, out: &Output) -> String {
    told.map(|told| knowledge::noted(told, world.dry_run, out)).unwrap_or_default()
}
