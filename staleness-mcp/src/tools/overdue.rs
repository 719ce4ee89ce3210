//! `list_stale` and `settle_work`: list everything that needs attention, and resolve overdue work.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use staleness::Wait;
use staleness::ids::ClientId;
use staleness::knowledge::ItemKind;
use staleness::registry::ScopeChoice;
use staleness::report::HealthState;
use staleness::verdict::{Ground, NextAction, SignalKind};
use staleness::work::WorkKind;
use staleness_service::knowledge::World;
use staleness_service::model_text::{ModelName, ModelText, NameKind, ask, called_by, state};
use staleness_service::remembered::Remembered;
use staleness_service::review::{Entry, Subject, at_hand};
use staleness_service::settings::Access;
use staleness_service::words::need;
use staleness_service::{ErrorKind, ServiceError, work};

use super::verdict;
use crate::answer::{Answer, Rows};
use crate::call::Call;
use crate::spec::{About, Effect, Spec};
use crate::text::{Text, audience, line};

pub(super) fn specs() -> Vec<Spec> {
    vec![
        Spec::new(
            About {
                name: "list_stale",
                title: "List what cannot be trusted",
                search_hint: "what is outdated here: tools, documents, knowledge, overdue work",
                description: "Call before you rely on documents, notes, plans or tools here. Lists \
                              what cannot be trusted, worst first, with the next step. \
                              Documents are as of the last check.",
                effect: Effect::Reads,
                next: "call it without arguments",
            },
            list,
        )
        .always_loaded(),
        Spec::new(
            About {
                name: "settle_work",
                title: "End overdue work",
                search_hint: "drop a plan, close a handoff, resolve a trap that is overdue",
                description: "Call when overdue work in list_stale is no longer needed. \
                              Drops a plan, closes a handoff, resolves a trap or constraint, \
                              rejects a candidate, archives a note. work_item reopen undoes it.",
                effect: Effect::Settles,
                next: "call list_stale with kind work for the ids",
            },
            settle,
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
    /// Only this kind
    kind: Option<Kind>,
    /// Maximum; default 15
    limit: Option<u32>,
}

fn kind_of(subject: &Subject) -> Kind {
    match subject {
        Subject::Tool { .. } => Kind::Tool,
        Subject::Block { .. } => Kind::Document,
        Subject::Item { .. } => Kind::Knowledge,
        Subject::Work { .. } => Kind::Work,
    }
}

/// The end of a sentence if the last check was of another commit.
const ELSEWHERE: &str = ", but documents were checked at another commit; call check_documents";

/// Returns a sentence with the number of entries that need attention. It also says if documents were checked at another
/// commit or, if there are no entries, not at all.
pub(crate) fn head(count: usize, remembered: &Remembered) -> Text {
    match count {
        0 if remembered.checked_at.is_none() => {
            Text::new("no known problems here; no document was checked yet")
        }
        0 if !remembered.elsewhere.is_empty() => Text::new("nothing found here").and(ELSEWHERE),
        0 => Text::new("no known problems here"),
        count => {
            let text = Text::new(count).and(" ").and(need(count)).and(" attention");
            text.and(if remembered.elsewhere.is_empty() { "" } else { ELSEWHERE })
        }
    }
}

/// Returns the name, id or location of an entry.
pub(crate) fn name(client: Option<&ClientId>, each: &Entry) -> ModelName {
    match kind_of(&each.subject) {
        Kind::Tool => ModelName::tool(client, &each.id),
        Kind::Document => ModelName::path(NameKind::Document, &each.id),
        Kind::Knowledge => ModelName::path(NameKind::Knowledge, &each.id),
        Kind::Work => ModelName::new(NameKind::Work, &each.id),
    }
}

/// The next step for an item that cites a file that is not there.
pub(super) const NO_FILE: &str = "if the file is gone for good, and not on another branch, save_knowledge under the same id with another cite";

/// Returns the next step for an agent.
fn next(each: &Entry) -> ModelText {
    if let Subject::Tool { remedy: Some(remedy), health, .. } = each.subject
        && health != HealthState::Demoted
    {
        return ModelText::from("do not call it; ").and(ask(remedy));
    }
    if let Subject::Item { path: None, .. } = each.subject
        && each.verdict.rests_on(SignalKind::Contradicted)
    {
        return ModelText::from(match ItemKind::from_word(each.kind) {
            Some(ItemKind::Preference) => "ask the user whether it is still true",
            _ => "save what is true now with save_knowledge and supersedes",
        });
    }
    if let (Subject::Item { path: None, cite, .. }, NextAction::Update) =
        (&each.subject, each.verdict.action)
        && each.verdict.rests_on(SignalKind::SourceMissing)
    {
        let cited =
            cite.iter().map(|cited| ModelText::from(ModelName::path(NameKind::Document, cited)));
        let cited = ModelText::join(cited, ", ");
        return match cited.is_empty() {
            true => NO_FILE.into(),
            false => ModelText::from("save_knowledge under the same id with cite ").and(cited),
        };
    }
    ModelText::from(match (&each.subject, each.verdict.action) {
        (Subject::Tool { .. }, _) if each.verdict.rests_on(Ground::DefinitionWithheld) => {
            "do not call it; ask the user to run `staleness tools diff` and decide"
        }
        (Subject::Tool { .. }, NextAction::Verify)
            if each.verdict.rests_on(Ground::DefinitionChanged) =>
        {
            "ask the user to run `staleness tools diff` and decide"
        }
        (Subject::Tool { .. }, NextAction::Drop) => "do not call it; use suggest_tool",
        (Subject::Tool { .. }, NextAction::Verify) => {
            "try it; call record_outcome if no hook records it"
        }
        (Subject::Tool { health: HealthState::Demoted, .. }, _) => {
            "a person demoted it: ask the user before you call it"
        }
        (Subject::Tool { health: HealthState::DemotedByAgent, .. }, _) => {
            "an agent demoted it: use another, or if it works again ask the user to run \
             `staleness tools restore NAME`"
        }
        (Subject::Tool { health: HealthState::Probation, .. }, _) => {
            "use another; if none fits, it may be tried again"
        }
        (Subject::Tool { .. }, _) => "use another, or retry after a repair",
        (Subject::Block { .. }, _) => "correct the file, then verify_knowledge with this id",
        (Subject::Item { path: Some(_), .. }, NextAction::Update | NextAction::Drop) => {
            "correct or delete the file"
        }
        (Subject::Item { .. }, NextAction::Complete) => "verify_knowledge with still=done",
        (Subject::Item { .. }, NextAction::Reschedule) => {
            "verify_knowledge with still=done if it is done, else ask the user"
        }
        (Subject::Item { .. }, NextAction::Update) => "save_knowledge under the same id",
        (Subject::Item { .. }, NextAction::Drop) if each.verdict.rests_on(SignalKind::Expired) => {
            "verify_knowledge with still=holds and expires=+30d or none, or with still=done"
        }
        (Subject::Item { .. }, NextAction::Drop) => "verify_knowledge with still=wrong",
        (Subject::Item { .. }, _) => "compare it with the code, then call verify_knowledge",
        (Subject::Work { .. }, _) => next_of_work(each),
    })
}

/// Returns the next step for abandoned work.
pub(super) const fn given_up(is_others: bool) -> &'static str {
    match is_others {
        true => "work_item release",
        false => "work_item claim if you take it over, else work_item release",
    }
}

/// Returns the next step for overdue work, by kind.
fn next_of_work(each: &Entry) -> &'static str {
    let is_expired = each.verdict.rests_on(SignalKind::Expired);
    let (is_others, by_person) = match each.subject {
        Subject::Work { is_addressed, by_person } => (is_addressed == Some(false), by_person),
        _ => (false, false),
    };
    if each.verdict.rests_on(Ground::Abandoned) {
        return given_up(is_others);
    }
    let kind = WorkKind::from_word(each.kind);
    kind.map_or("settle_work", |kind| settled_by(kind, is_expired, is_others, by_person))
}

/// Returns the next step for overdue work of this kind: how to settle it.
pub(super) const fn settled_by(
    kind: WorkKind,
    is_expired: bool,
    is_others: bool,
    by_person: bool,
) -> &'static str {
    match kind {
        _ if is_expired && by_person => "ask the user whether it is still valid, else settle_work",
        WorkKind::Plan if by_person => {
            "work_item step if it continues, update with status=done if it is done, else ask the user"
        }
        _ if is_expired => "work_item update with expires=+30d if still valid, else settle_work",
        WorkKind::Handoff if is_others => "settle_work if it needs no answer",
        WorkKind::Handoff => "work_item claim if you take it, else settle_work",
        _ if by_person => "ask the user whether it is still valid",
        WorkKind::Plan => {
            "work_item step if it continues, update with status=done if it is done, else settle_work, which drops it"
        }
        WorkKind::Candidate => {
            "work_item update with status=accepted if it is wanted, else settle_work"
        }
        _ => "work_item touch if still valid, else settle_work",
    }
}

#[derive(Serialize, JsonSchema)]
struct Row {
    kind: &'static str,
    id: String,
    title: String,
    verdict: verdict::Brief,
    next: String,
}

#[derive(Serialize, JsonSchema)]
struct Counts {
    tools: usize,
    documents: usize,
    knowledge: usize,
    work: usize,
    total: usize,
}

/// Everything that needs attention.
#[derive(Serialize, JsonSchema)]
struct Stale {
    r#for: String,
    items: Vec<Row>,
    more: usize,
    counts: Counts,
}

fn list(call: &Call<'_>, asked: ListStale) -> Result<Answer<Stale>, ServiceError> {
    let settings = &call.settings;
    let (mut entries, remembered) = at_hand(&World::new(settings, None, call.listener))?;
    entries.retain(|each| asked.kind.is_none_or(|kind| kind == kind_of(&each.subject)));
    // An agent knows a tool only by its name, so several entries of one tool become one row.
    let mut tools = BTreeSet::new();
    entries.retain(|each| kind_of(&each.subject) != Kind::Tool || tools.insert(each.id.clone()));
    let count = |kind: Kind| entries.iter().filter(|each| kind_of(&each.subject) == kind).count();
    let counts = Counts {
        tools: count(Kind::Tool),
        documents: count(Kind::Document),
        knowledge: count(Kind::Knowledge),
        work: count(Kind::Work),
        total: entries.len(),
    };
    let limit = asked.limit.map_or(15, |limit| limit as usize);
    let client = settings.client.as_ref();
    let rows = Rows::fit(&entries, limit, |each| {
        let row = Row {
            kind: each.kind,
            id: match kind_of(&each.subject) {
                Kind::Tool => called_by(client, &each.id),
                _ => each.id.clone(),
            },
            title: line(&each.title),
            verdict: verdict::brief(&each.verdict),
            next: next(each).to_string(),
        };
        let text = Text::new("- ").and(each.kind).and(" ").and(name(client, each)).and(": ");
        (row, text.and(verdict::words(&each.verdict)).and(". Next: ").and(next(each)))
    });
    let head = match (entries.len(), asked.kind) {
        (0, Some(_)) => Text::new("nothing of this kind needs attention"),
        (count, _) => head(count, &remembered),
    };
    let text = rows.text(head, Text::new("give a kind, or settle these first"));
    let r#for = settings.audience().to_owned();
    let stale = Stale { r#for, items: rows.items, more: rows.more, counts };
    Ok(Answer::new(text.and(audience(settings)), stale))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SettleWork {
    /// Id of the work item
    id: String,
    /// Why it is no longer needed
    reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Settled {
    id: String,
    kind: &'static str,
    from: String,
    to: String,
}

fn settle(call: &Call<'_>, asked: SettleWork) -> Result<Answer<Settled>, ServiceError> {
    let settings = &call.settings;
    let note = asked.reason.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let act = staleness::registry::Act { note, ..work::act(settings, call.agent.clone()) };
    let done = work::resolve(settings, &asked.id, ScopeChoice::Either, act);
    let (done, may_reopen) = done.map_err(|error| elsewhere(call, &asked.id, error))?;
    let name = done.key.to_string();
    let text = Text::new(ModelName::new(NameKind::Work, &name))
        .and(" went from ")
        .and(state(&done.from).unwrap_or("?"));
    let text = text.and(" to ").and(state(&done.to).unwrap_or("?"));
    let text = text.and(if may_reopen { "; work_item with action reopen undoes it" } else { "" });
    let (id, kind) = (name, done.kind.as_str());
    Ok(Answer::new(text, Settled { id, kind, from: done.from, to: done.to }))
}

/// Adds a hint to the error if the id is not that of overdue work: the call to make instead.
fn elsewhere(call: &Call<'_>, id: &str, error: ServiceError) -> ServiceError {
    match error.kind {
        ErrorKind::Unknown => {}
        ErrorKind::Invalid if error.hint.is_none() => {
            return error.hint("call work_item with action update and the status that ends it");
        }
        _ => return error,
    }
    let settings = &call.settings;
    let Ok(registry) = settings.open(Access::Look) else { return error };
    let project = &settings.project.id;
    let documents = registry.documents().list(project).wait().unwrap_or_default();
    if staleness_service::documents::named(&documents, id).is_some() {
        return error.hint("it is a document: correct the file, then call verify_knowledge");
    }
    let item = staleness_service::words::id("id", id);
    if item
        .is_ok_and(|id| registry.knowledge().get(project, &id, ScopeChoice::Either).wait().is_ok())
    {
        return error.hint("it is an item of knowledge: call verify_knowledge or save_knowledge");
    }
    if let Ok(key) = registry.tools().find_key(project, id, ScopeChoice::Either).wait() {
        let shown = registry.tools().show(&settings.project, &[key], settings.now).wait();
        let is_by_agent = shown.is_ok_and(|tool| tool.health.state == HealthState::DemotedByAgent);
        return error.hint(match is_by_agent {
            true => {
                "it is a tool that an agent demoted: if it works again, ask the user to restore it"
            }
            false => {
                "it is a tool: it recovers after one success; otherwise a person must restore it"
            }
        });
    }
    error
}

#[cfg(test)]
mod tests {
    use staleness::verdict::{Level, Signal, Verdict};

    use super::*;

    #[test]
    fn an_agent_is_never_told_to_try_what_waits_for_a_person() {
        for (kind, action, step) in [
            (Ground::Unseen, NextAction::Verify, "try it;"),
            (Ground::DefinitionChanged, NextAction::Verify, "`staleness tools diff`"),
            (Ground::DefinitionWithheld, NextAction::Verify, "do not call it; ask the user to run"),
        ] {
            let signals = vec![Signal::new(kind, 1.0, 0.5, String::new())];
            let verdict = Verdict { level: Level::Review, freshness: 0.5, signals, action };
            let (health, scope) = (HealthState::Healthy, "global");
            let subject = Subject::Tool { remedy: None, health, scope };
            let (id, title) = (String::new(), String::new());
            let entry = Entry { kind: "tool", id, title, verdict, since: None, subject };
            assert!(next(&entry).as_str().contains(step), "{kind:?}: {}", next(&entry));
        }
    }
}
