//! `work add`: adds a work item.

use serde_json::json;
use staleness::ids::WorkId;
use staleness::registry::ScopeChoice;
use staleness::store::{Refusal, StoreError};
use staleness::work::{NoteType, Work, WorkKind};
use staleness::{RegistryError, Wait};

use staleness_service::words::{id, word};
use staleness_service::work::{id_for, key, others, party, refuse_other_name};

use super::{act, find, kind, state, told, warn_of_stranger};
use crate::args::work_args::WorkAddArgs;
use crate::commands::typed;
use crate::error::CliError;
use crate::output::{Output, work};
use crate::settings::{Access, Settings};
use staleness_service::when;

pub(super) fn run(settings: &Settings, args: &WorkAddArgs, out: &Output) -> Result<(), CliError> {
    let item = item(settings, args)?;
    if item.expires_at.is_some_and(|at| at <= item.created_at) {
        out.warn("warning: the item has already expired, so it counts as overdue");
    }
    if args.dry_run {
        return preview(settings, item, args.global, out);
    }
    let act = act(settings);
    let registry = settings.open(Access::Write)?;
    let item = registry.work().add(item, act).wait()?;
    // A global item does not belong to this project, so the project is not registered.
    if !args.global {
        registry.admin().see_project(&settings.project, settings.now).wait()?;
    }
    let for_all = warn_of_stranger(settings, &registry, item.to.as_deref(), out)?;
    let told = told(&registry, settings, item)?;
    out.done(&json!({ "item": told }), || {
        work::noted(&told, false, out) + &work::reach(&told, for_all, out)
    })
}

fn preview(settings: &Settings, item: Work, global: bool, out: &Output) -> Result<(), CliError> {
    item.check().map_err(StoreError::from)?;
    let registry = settings.open(Access::Look)?;
    let scope = if global { ScopeChoice::Global } else { ScopeChoice::Project };
    match registry.work().get(&settings.project.id, &item.key.id, scope).wait() {
        Err(RegistryError::Rejected(Refusal::Unknown { .. })) => {}
        Err(error) => return Err(error.into()),
        Ok(there) => {
            let id = there.key.id.to_string();
            return Err(Refusal::Taken { what: "work item", id }.into());
        }
    }
    let scope = if global { ScopeChoice::Global } else { ScopeChoice::Either };
    for id in &item.after {
        find(&registry, settings, id, scope)?;
    }
    let for_all = warn_of_stranger(settings, &registry, item.to.as_deref(), out)?;
    let told = told(&registry, settings, item)?;
    out.done(&json!({ "item": told }), || {
        work::noted(&told, true, out) + &work::reach(&told, for_all, out)
    })
}

fn item(settings: &Settings, args: &WorkAddArgs) -> Result<Work, CliError> {
    let now = settings.now;
    let Some(kind) = kind(Some(&args.kind))? else {
        return Err(CliError::invalid("no kind given"));
    };
    let text = typed::text(&args.text, Work::MAX_TEXT_BYTES)?;
    if text.trim().is_empty() {
        return Err(CliError::invalid("the text is missing").hint("give a text, or - for stdin"));
    }
    let note = note(args.note.as_deref(), kind)?;
    let id: WorkId = match &args.id {
        Some(text) => id("id", text)?,
        None => id_for(kind, &text, settings)?,
    };
    let mut item = Work::new(key(settings, args.global, id), kind, text, now);
    if let Some(status) = &args.status {
        item.status = state(Some(kind), status)?;
    }
    for name in [&args.author, &args.from].into_iter().flatten() {
        refuse_other_name(settings, &act(settings), name)?;
    }
    let named = |name: &Option<String>| name.clone().map(|name| party(settings, name));
    item.by_person = !args.generated
        && typed::by_person(settings, &args.text, &[args.author.as_deref(), args.from.as_deref()]);
    let agent = settings.agent.as_ref().map(ToString::to_string);
    item.from = named(&args.from).or(agent.clone().filter(|_| kind == WorkKind::Handoff));
    item.author = named(&args.author).or(agent);
    item.to = named(&args.to);
    item.generated = args.generated;
    item.note = note;
    item.expires_at =
        args.expires.as_deref().map(|text| when::parse_for("--expires", text, now)).transpose()?;
    item.refs = others(args.refs.clone());
    item.after = others(args.after.clone());
    Ok(item)
}

fn note(text: Option<&str>, kind: WorkKind) -> Result<NoteType, CliError> {
    let note = word(text, "type of a note", NoteType::from_word, || {
        NoteType::ALL.map(NoteType::as_str).join(", ")
    })?;
    if note.is_some() && kind != WorkKind::Note {
        return Err(CliError::invalid(format!("a {kind} has no type"))
            .hint("--type is only for notes; leave it out here"));
    }
    Ok(note.unwrap_or_default())
}
