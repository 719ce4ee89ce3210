//! `list_stale` and `resolve_stale`: what cannot be trusted here, and settling what is overdue.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use staleness::Wait;
use staleness::registry::ScopeChoice;
use staleness::verdict::NextAction;
use staleness_service::knowledge::World;
use staleness_service::model_text::{ModelName, NameKind, state};
use staleness_service::review::{Entry, Subject, at_hand};
use staleness_service::settings::Access;
use staleness_service::{ErrorKind, ServiceError, work};

use super::verdict;
use crate::answer::{Answer, Rows};
use crate::call::Call;
use crate::spec::{Effect, Spec};
use crate::text::{Text, line};

pub(super) fn specs() -> Vec<Spec> {
    vec![
        Spec::new(
            "list_stale",
            "Everything here that cannot be trusted, worst first: tools, documents (as last checked), \
             knowledge, overdue work; with what to do about each.",
            Effect::Reads,
            "call it without arguments",
            list,
        ),
        Spec::new(
            "resolve_stale",
            "Settle an overdue work item: drop a plan, close a handoff, resolve an expired trap. \
             work_item reopen takes it back.",
            Effect::Settles,
            "call list_stale with kind work for the ids",
            resolve,
        ),
    ]
}

#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Tool,
    Document,
    Knowledge,
    Work,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListStale {
    kind: Option<Kind>,
    limit: Option<u32>,
}

fn kind_of(subject: &Subject) -> Kind {
    match subject {
        Subject::Tool => Kind::Tool,
        Subject::Block { .. } => Kind::Document,
        Subject::Item { .. } => Kind::Knowledge,
        Subject::Work => Kind::Work,
    }
}

/// Says how many things cannot be trusted.
pub(crate) fn head(count: usize) -> Text {
    match count {
        0 => Text::new("nothing here is known to be stale"),
        count => Text::new(count).and(" cannot be trusted blindly"),
    }
}

/// The name, id or place of a thing.
pub(crate) fn name(each: &Entry) -> ModelName {
    match kind_of(&each.subject) {
        Kind::Tool => ModelName::tool(&each.id),
        Kind::Document => ModelName::path(NameKind::Document, &each.id),
        Kind::Knowledge => ModelName::path(NameKind::Knowledge, &each.id),
        Kind::Work => ModelName::new(NameKind::Work, &each.id),
    }
}

/// What to do about it, from here.
fn next(each: &Entry) -> &'static str {
    match (&each.subject, each.verdict.action) {
        (Subject::Tool, NextAction::Drop) => "do not call it; use suggest_tool",
        (Subject::Tool, NextAction::Verify) => "try it; record_outcome where no hook does",
        (Subject::Tool, _) => "use another, or try it when it is repaired",
        (Subject::Block { .. }, _) => "correct the file",
        (Subject::Item { path: Some(_), .. }, NextAction::Update | NextAction::Drop) => {
            "correct or delete the file"
        }
        (Subject::Item { .. }, NextAction::Complete) => "verify_knowledge with still done",
        (Subject::Item { .. }, NextAction::Update) => "save_knowledge under the same id",
        (Subject::Item { .. }, NextAction::Drop) => "verify_knowledge with still wrong",
        (Subject::Item { .. }, _) => "verify_knowledge, if it still holds",
        (Subject::Work, _) => "resolve_stale, or work_item step if it goes on",
    }
}

fn list(call: &Call<'_>, asked: ListStale) -> Result<Answer, ServiceError> {
    let settings = &call.settings;
    let mut entries = at_hand(&World::new(settings, None, call.listener))?;
    entries.retain(|each| asked.kind.is_none_or(|kind| kind == kind_of(&each.subject)));
    let count = |kind: Kind| entries.iter().filter(|each| kind_of(&each.subject) == kind).count();
    let counts = json!({
        "tools": count(Kind::Tool),
        "documents": count(Kind::Document),
        "knowledge": count(Kind::Knowledge),
        "work": count(Kind::Work),
        "total": entries.len(),
    });
    let limit = asked.limit.map_or(15, |limit| limit as usize);
    let rows = Rows::fit(&entries, limit, |each| {
        let row = json!({
            "kind": each.kind,
            "id": each.id,
            "title": line(&each.title),
            "verdict": verdict::brief(&each.verdict),
            "next": next(each),
        });
        let text = Text::new("- ").and(each.kind).and(" ").and(name(each)).and(": ");
        (row, text.and(verdict::words(&each.verdict)).and(". Next: ").and(next(each)))
    });
    let text = rows.text(head(entries.len()), Text::new("name a kind, or settle these first"));
    Ok(Answer::new(text, json!({ "items": rows.items, "more": rows.more, "counts": counts })))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResolveStale {
    id: String,
    reason: Option<String>,
}

fn resolve(call: &Call<'_>, asked: ResolveStale) -> Result<Answer, ServiceError> {
    let settings = &call.settings;
    let note = asked.reason.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let act = staleness::registry::Act { note, ..work::act(settings, call.agent.clone()) };
    let done = work::resolve(settings, &asked.id, ScopeChoice::Either, act);
    let done = done.map_err(|error| elsewhere(call, &asked.id, error))?;
    let name = ModelName::new(NameKind::Work, done.id.as_str());
    let text = Text::new(name).and(" went from ").and(state(&done.from).unwrap_or("?"));
    let text = text.and(" to ").and(state(&done.to).unwrap_or("?"));
    let text = text.and("; work_item with action reopen takes it back");
    Ok(Answer::new(text, serde_json::to_value(&done).unwrap_or_default()))
}

/// An id that is no work item's may be that of something else: then what settles that is said.
fn elsewhere(call: &Call<'_>, id: &str, error: ServiceError) -> ServiceError {
    if error.kind != ErrorKind::Unknown {
        return error;
    }
    let settings = &call.settings;
    let Ok(registry) = settings.open(Access::Look) else { return error };
    let project = &settings.project.id;
    let item = staleness_service::knowledge::item_id(id);
    if item
        .is_ok_and(|id| registry.knowledge().get(project, &id, ScopeChoice::Either).wait().is_ok())
    {
        return error.hint("it is an item of knowledge: call verify_knowledge or save_knowledge");
    }
    if registry.tools().find_key(project, id, ScopeChoice::Either).wait().is_ok() {
        return error.hint("it is a tool: a success restores it, and people decide the rest");
    }
    error
}
