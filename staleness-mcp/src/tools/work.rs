//! `work_item`: plans, traps, constraints, handoffs, candidates, notes and decisions.

use std::sync::PoisonError;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use staleness::ids::{AgentId, WorkKey};
use staleness::registry::{ScopeChoice, WorkListing, WorkPatch};
use staleness::report::WorkReport;
use staleness::verdict::Level;
use staleness::work::{Work, WorkKind, WorkStatus};
use staleness::{Registry, Timestamp, Wait};
use staleness_service::model_text::{ModelName, NameKind};
use staleness_service::settings::Access;
use staleness_service::{ErrorKind, ServiceError, awaited, escape_lines, when, words, work};

use super::verdict;
use crate::answer::{Answer, MAX_NAMED, Rows};
use crate::call::Call;
use crate::spec::{About, Effect, Spec};
use crate::text::{Quoted, Text, cut, line};

/// Maximum length of an item's text, in characters.
const MAX_TEXT: usize = 1_200;
/// Maximum number of steps to show per item. The last ones are shown.
const MAX_STEPS: usize = 10;

pub(super) fn specs() -> Vec<Spec> {
    vec![Spec::new(
        About {
            name: "work_item",
            title: "Plans and other work",
            search_hint: "write, update or claim a plan or handoff",
            description: "Call to record work that others need to know about; claim it before you \
                          begin. add needs kind and text, step needs id and text, list and ready \
                          need nothing, others need id.",
            effect: Effect::Rewrites,
            next: "call work_item with action list for the ids, or ready for what is free",
        },
        run,
    )]
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Add,
    List,
    Show,
    Update,
    Step,
    Touch,
    Reopen,
    Claim,
    Release,
    Ready,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WorkItem {
    /// touch: still relevant; reopen: undo its end
    action: Action,
    /// Item's id
    id: Option<String>,
    /// Kind of a new item, or to list
    #[serde(default)]
    #[schemars(schema_with = "kinds")]
    kind: Option<WorkKind>,
    /// Text of an item or step
    text: Option<String>,
    #[serde(default)]
    #[schemars(schema_with = "states")]
    status: Option<String>,
    /// Receiver of a handoff
    to: Option<String>,
    /// Expiry: 2026-12-24 or +3d
    expires: Option<String>,
    /// Ids it refers to
    refs: Option<Vec<String>>,
    /// Ids it waits for
    after: Option<Vec<String>>,
    /// Session id
    session: Option<String>,
    /// Duration of the claim: 30m
    r#for: Option<String>,
    /// Maximum; default 20
    limit: Option<u32>,
}

fn kinds(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": WorkKind::ALL.map(WorkKind::as_str) })
}

/// Returns the schema of a state, listing the states of each kind.
fn states(_: &mut SchemaGenerator) -> Schema {
    let of_kind = |kind: WorkKind| {
        let states: Vec<&str> = kind.states().iter().map(|state| state.as_str()).collect();
        format!("{kind}: {}", states.join(", "))
    };
    let states: Vec<String> = WorkKind::ALL.into_iter().map(of_kind).collect();
    json_schema!({ "type": "string", "description": format!("State. {}", states.join("; ")) })
}

/// The requested items, or the changed item.
#[derive(Default, Serialize, JsonSchema)]
struct Told {
    items: Option<Vec<Row>>,
    more: Option<usize>,
    item: Option<Shown>,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    id: String,
    #[schemars(with = "String")]
    kind: WorkKind,
    #[schemars(with = "String")]
    status: WorkStatus,
    text: String,
    to: Option<String>,
    claimed_by: Option<String>,
    #[schemars(with = "String")]
    updated_at: Timestamp,
    #[schemars(schema_with = "verdict::levels")]
    level: Level,
}

/// All data of one item.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown(Value);

impl JsonSchema for Shown {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Shown".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "id": { "type": "string" },
                "kind": { "type": "string" },
                "status": { "type": "string" },
                "text": { "type": "string" },
                "verdict": generator.subschema_for::<verdict::Brief>(),
            }
        })
    }
}

fn run(call: &Call<'_>, asked: WorkItem) -> Result<Answer<Told>, ServiceError> {
    type Change<'c> = &'c dyn Fn(&Registry, WorkKey) -> Result<Work, ServiceError>;
    let settings = &call.settings;
    let act = || work::act(settings, call.agent.clone());
    let by_id = |what: &'static str, change: Change<'_>| {
        let item = find(call, &asked)?;
        tell(call, what, change(&settings.open(Access::Write)?, item.key)?)
    };
    match asked.action {
        Action::List => list(call, &asked),
        Action::Add => add(call, asked),
        Action::Show => {
            let item = find(call, &asked)?;
            let registry = settings.open(Access::Look)?;
            let waiting = awaited::waiting_for(settings, &registry, &item.key)?;
            let mut answer = tell(call, "", item)?;
            for id in waiting.iter().take(MAX_NAMED) {
                let name = ModelName::new(NameKind::Work, id.as_str());
                answer.text = answer.text.and("; ").and(name).and(" waits for it");
            }
            if let Some(more) = waiting.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
                answer.text = answer.text.and(", and ").and(more).and(" more");
            }
            Ok(answer)
        }
        Action::Update => {
            let item = find(call, &asked)?;
            let status = asked.status.as_deref();
            let patch = WorkPatch {
                status: status.map(|text| work::state(Some(item.kind), text)).transpose()?,
                text: asked.text,
                by_person: false,
                expires_at: expires(call, asked.expires.as_deref())?.map(Some),
                to: asked.to.map(|to| Some(work::party(settings, to))),
                refs: asked.refs.map(work::others),
                after: asked.after.map(work::others),
            };
            if patch == WorkPatch::default() {
                return Err(ServiceError::invalid("no change was given")
                    .hint("give status, text, to, expires, refs or after"));
            }
            let to = patch.to.clone().flatten();
            let item = work::set(settings, item, patch, act())?;
            with_stranger(call, to.as_deref(), tell(call, "changed ", item)?)
        }
        Action::Step => {
            let item = find(call, &asked)?;
            tell(call, "added a step to ", work::step(settings, item, text(asked.text)?, act())?)
        }
        Action::Touch => {
            by_id("touched ", &|all, key| Ok(all.work().touch(key, settings.now).wait()?))
        }
        Action::Reopen => {
            tell(call, "reopened ", work::reopen(settings, find(call, &asked)?, act())?)
        }
        Action::Claim => {
            let claiming = work::Claiming {
                agent: call.agent.as_ref(),
                session: asked.session.as_deref(),
                otherwise: Some(&call.session),
                lasts: asked.r#for.as_deref(),
            };
            let id = needed(&asked)?;
            let (item, is_renewed) = work::claim(settings, id, ScopeChoice::Either, claiming)?;
            if item.claim.as_ref().and_then(|claim| claim.session.as_ref()) == Some(&call.session) {
                let mut projects = call.claimed_in.lock().unwrap_or_else(PoisonError::into_inner);
                projects.insert(settings.project.id.clone());
            }
            let registry = settings.open(Access::Look)?;
            let waits_for = registry.work().waits_for(&settings.project.id, &item).wait()?;
            let what = if is_renewed { "renewed the claim on " } else { "claimed " };
            let answer = tell(call, what, item)?;
            let text = match waits_for.first() {
                Some(id) => {
                    let name = ModelName::new(NameKind::Work, id.as_str());
                    answer.text.and("; it is still waiting for ").and(name)
                }
                None => answer.text,
            };
            Ok(Answer { text, ..answer })
        }
        Action::Release => {
            by_id("released ", &|all, key| {
                // Only a person, who acts without an agent, can release any claim.
                if call.agent.is_none() {
                    return Err(ServiceError::new(ErrorKind::Usage, "no agent given")
                        .hint("ask the user to run `staleness work release ID`"));
                }
                Ok(all.work().release(key, act()).wait()?)
            })
        }
        Action::Ready => {
            let (registry, agent) = (settings.open(Access::Look)?, call.agent.as_ref());
            let items = registry.work().ready(&settings.project.id, agent, settings.now).wait()?;
            rows(call, &asked, &registry, items, "nothing is ready")
        }
    }
}

fn text(text: Option<String>) -> Result<String, ServiceError> {
    let text = text.filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| ServiceError::invalid("`text` is required").hint("give the text to record"))
}

fn expires(
    call: &Call<'_>,
    text: Option<&str>,
) -> Result<Option<staleness::Timestamp>, ServiceError> {
    text.map(|text| when::parse_for("expires", text, call.settings.now)).transpose()
}

fn find(call: &Call<'_>, asked: &WorkItem) -> Result<Work, ServiceError> {
    let id = needed(asked)?;
    work::find(&call.settings.open(Access::Look)?, &call.settings, id, ScopeChoice::Either)
}

fn needed(asked: &WorkItem) -> Result<&str, ServiceError> {
    asked.id.as_deref().ok_or_else(|| ServiceError::invalid("`id` is required"))
}

fn add(call: &Call<'_>, asked: WorkItem) -> Result<Answer<Told>, ServiceError> {
    let settings = &call.settings;
    let Some(kind) = asked.kind else {
        return Err(ServiceError::invalid("`kind` is required")
            .hint("give plan, trap, constraint, handoff, candidate, note or decision"));
    };
    let expires_at = expires(call, asked.expires.as_deref())?;
    let text = text(asked.text)?;
    let id = match asked.id.as_deref() {
        Some(id) => words::id("id", id)?,
        None => work::id_for(kind, &text, settings)?,
    };
    let mut item = Work::new(work::key(settings, false, id), kind, text, settings.now);
    if let Some(status) = asked.status.as_deref() {
        item.status = work::state(Some(kind), status)?;
    }
    item.author = call.agent.as_ref().map(ToString::to_string);
    item.from = item.author.clone().filter(|_| kind == WorkKind::Handoff);
    item.to = asked.to.map(|to| work::party(settings, to));
    // A candidate from a model counts as generated, not as written by a person.
    item.generated = kind == WorkKind::Candidate;
    item.expires_at = expires_at;
    item.refs = work::others(asked.refs.unwrap_or_default());
    item.after = work::others(asked.after.unwrap_or_default());
    let registry = settings.open_here()?;
    let to = item.to.clone();
    let item = registry.work().add(item, work::act(settings, call.agent.clone())).wait()?;
    with_stranger(call, to.as_deref(), tell(call, "added ", item)?)
}

/// Adds a note to an answer if the receiving agent is unknown.
fn with_stranger(
    call: &Call<'_>,
    to: Option<&str>,
    answer: Answer<Told>,
) -> Result<Answer<Told>, ServiceError> {
    let Some(to) = to else { return Ok(answer) };
    let registry = call.settings.open(Access::Look)?;
    let Some(stranger) = work::stranger(&call.settings, &registry, to)? else { return Ok(answer) };
    let named = |name: &str| ModelName::new(NameKind::Agent, name);
    let mut text = answer.text.and("; unknown agent");
    if named(to).is_shown() {
        text = text.and(" ").and(named(to));
    }
    if let Some(near) = &stranger.near {
        text = text.and(": did you mean ").and(named(near)).and("?");
    }
    Ok(Answer { text, ..answer })
}

fn list(call: &Call<'_>, asked: &WorkItem) -> Result<Answer<Told>, ServiceError> {
    let settings = &call.settings;
    let kind = asked.kind;
    let status = asked.status.as_deref().map(|text| work::state(kind, text)).transpose()?;
    let registry = settings.open(Access::Look)?;
    let listing = WorkListing { kind, status, open: status.is_none() };
    let mut items = registry.work().list(&settings.project.id, listing).wait()?;
    // Archived items are kept, but listed only if a status is given.
    items.retain(|item| status.is_some() || item.status != WorkStatus::Archived);
    rows(call, asked, &registry, items, "no work items")
}

/// Returns the answer that lists items, or `none` if there are none.
fn rows(
    call: &Call<'_>,
    asked: &WorkItem,
    registry: &Registry,
    items: Vec<Work>,
    none: &'static str,
) -> Result<Answer<Told>, ServiceError> {
    let settings = &call.settings;
    let mut told = registry.work().reports(&settings.project, items, settings.now).wait()?;
    awaited::note_waiting(settings, registry, &mut told)?;
    let limit = asked.limit.map_or(20, |limit| limit as usize);
    let rows = Rows::fit(&told, limit, |each| {
        let row = Row {
            id: each.key.to_string(),
            kind: each.kind,
            status: each.status,
            text: line(&each.text),
            to: each.to.clone(),
            claimed_by: holder(each).map(ToString::to_string),
            updated_at: each.updated_at,
            level: each.verdict.level,
        };
        let mut text = Text::new("- ").and(named(each)).and(" ").and(each.status.as_str());
        // The author of a text that a person typed is not named.
        if let Some(author) = each.author.as_deref().filter(|_| !each.by_person) {
            text = text.and(", by ").and(ModelName::new(NameKind::Agent, author));
        }
        if let Some(to) = &each.to {
            text = text.and(", for ").and(ModelName::new(NameKind::Agent, to));
        }
        if let Some(agent) = holder(each) {
            let agent = ModelName::new(NameKind::Agent, agent.as_str());
            text = text.and(", claimed by ").and(agent);
        }
        if let Some(id) = &each.waits_for {
            let name = ModelName::new(NameKind::Work, id.as_str());
            text = text.and(", waits for ").and(name);
        }
        text = text.and(": ").and(Quoted(&each.text));
        if each.verdict.level != Level::Fresh {
            text = text.and(" [").and(verdict::words(&each.verdict)).and("]");
        }
        (row, text)
    });
    let head = if told.is_empty() { none } else { "" };
    let text = rows.text(Text::new(head), Text::new("give a kind or status"));
    let told = Told { items: Some(rows.items), more: Some(rows.more), item: None };
    Ok(Answer::new(text, told))
}

/// Returns the agent that holds an item. The claim of an abandoned item does not count.
fn holder(told: &WorkReport) -> Option<&AgentId> {
    told.claim.as_ref().filter(|_| !told.abandoned).map(|claim| &claim.agent)
}

fn named(told: &WorkReport) -> Text {
    let id = ModelName::new(NameKind::Work, &told.key.to_string());
    Text::new(told.kind.as_str()).and(" ").and(id)
}

/// Returns the answer about one item. `what` says what was done to it.
fn tell(call: &Call<'_>, what: &'static str, item: Work) -> Result<Answer<Told>, ServiceError> {
    let registry = call.settings.open(Access::Look)?;
    let told = work::told(&registry, &call.settings, item)?;
    let text = Text::new(what).and(named(&told)).and(" (").and(told.status.as_str()).and("): ");
    let mut text = text.and(Quoted(&told.text)).and("; ").and(verdict::words(&told.verdict));
    if let Some(claim) = told.claim.as_ref().filter(|_| !told.abandoned) {
        let agent = ModelName::new(NameKind::Agent, claim.agent.as_str());
        text = text.and("; claimed by ").and(agent).and(" until ").and(claim.until);
        if claim.session.as_ref() == Some(&call.session) {
            text = text.and("; claim it again before then to keep it");
        }
        if told.kind == WorkKind::Handoff {
            text = text.and("; set its status to accepted when it is done");
        }
    }
    if what == "changed " && (told.kind, told.status) == (WorkKind::Handoff, WorkStatus::Accepted) {
        text = text.and("; this resolves it; there is nothing more to do");
    }
    Ok(Answer::new(text, Told { item: Some(Shown(brief(&told))), ..Told::default() }))
}

fn brief(told: &WorkReport) -> Value {
    let mut value = serde_json::to_value(told).unwrap_or_default();
    value["id"] = told.key.to_string().into();
    value["text"] = cut(&escape_lines(&told.text), MAX_TEXT).into();
    for (key, more, ids) in
        [("refs", "more_refs", &told.refs), ("after", "more_after", &told.after)]
    {
        if ids.len() > MAX_NAMED {
            value[key] = ids.iter().take(MAX_NAMED).map(|id| line(id)).collect();
            value[more] = (ids.len() - MAX_NAMED).into();
        }
    }
    value["verdict"] = serde_json::to_value(verdict::brief(&told.verdict)).unwrap_or_default();
    if let Value::Array(steps) = &mut value["steps"] {
        steps.drain(..steps.len().saturating_sub(MAX_STEPS));
        for step in steps.iter_mut() {
            let text = step["text"].as_str().map(line);
            step["text"] = text.into();
        }
    }
    value
}
