//! `discover_tools`, `suggest_tool`, `tool_status` and `record_outcome`.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use staleness::ids::{OpId, SessionId};
use staleness::outcome::OutcomeKind;
use staleness::registry::{FindTools, FoundTools, ScopeChoice, Use};
use staleness::report::HealthState;
use staleness::tool::Status;
use staleness::{Wait, clock};
use staleness_service::links::are_of_both_scopes;
use staleness_service::model_text::{ModelName, NameKind, called_by, cause};
use staleness_service::settings::{Access, Settings};
use staleness_service::tools::{NamedTool, Unused};
use staleness_service::words::optional;
use staleness_service::{ServiceError, embedder, suggested, tools};

use super::verdict;
use crate::answer::{Answer, Rows};
use crate::call::Call;
use crate::spec::{About, Effect, Spec};
use crate::text::{Quoted, Reason, Text, audience};

/// Number of matches to find beyond the limit, so that an answer can say how many more there are.
const BEYOND: usize = 100;

const SEARCH: &str = "call discover_tools with words for what the tool does";

pub(super) fn specs() -> Vec<Spec> {
    vec![
        Spec::new(
            About {
                name: "discover_tools",
                title: "Search all known tools",
                search_hint: "search known tools including stale, removed and failing ones",
                description: "Call when suggest_tool finds nothing, or to learn what happened to a \
                              tool. Searches all known tools, and marks stale and demoted ones. It \
                              loads no tool; your client's own search does that.",
                effect: Effect::Reads,
                next: "say in a few words what the tool should do",
            },
            discover,
        ),
        Spec::new(
            About {
                name: "suggest_tool",
                title: "Suggest a working tool",
                search_hint: "which tool works here for a task, or instead of a failing one",
                description: "Call when several tools could do a job, or one has failed. Returns \
                              working tools, most successful in this project first.",
                effect: Effect::Adds,
                next: SEARCH,
            },
            suggest,
        ),
        Spec::new(
            About {
                name: "tool_status",
                title: "Check one tool",
                search_hint: "can this tool be trusted, why does it fail",
                description: "Call before relying on a tool that failed or was reported stale. \
                              Says if it can be trusted, why, and what to do.",
                effect: Effect::Reads,
                next: SEARCH,
            },
            status,
        ),
        Spec::new(
            About {
                name: "record_outcome",
                title: "Report a tool call's result",
                search_hint: "report success or failure of a tool call",
                description: "Call after using a tool, only if no hooks are installed. Reports how \
                              the call ended.",
                effect: Effect::Adds,
                next: "give the name by which the tool is called, and an outcome",
            },
            record,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Discover {
    /// The tool's task, in a few words
    query: String,
    /// Maximum; default 8
    limit: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct Tools {
    r#for: String,
    tools: Vec<verdict::Found>,
    more: usize,
    note: Option<String>,
}

fn discover(call: &Call<'_>, asked: Discover) -> Result<Answer<Tools>, ServiceError> {
    let settings = &call.settings;
    let limit = asked.limit.map_or(8, |limit| limit as usize);
    let registry = settings.open(Access::Look)?;
    let (vector, note) = embedder::for_search(settings, &registry, Some(&asked.query))?;
    let find = FindTools { vector, ..FindTools::by_words(asked.query, limit + BEYOND) };
    let FoundTools { tools: found, note: unlike } =
        registry.tools().discover(&settings.project, find, settings.now).wait()?;
    let rows = Rows::fit(&found, limit, |each| verdict::suggestion(settings.client.as_ref(), each));
    let head = if found.is_empty() { "no known tool matches" } else { "" };
    Ok(told(settings, rows, head, "raise `limit`, or use more words", note.or(unlike)))
}

/// Builds the answer that lists the tools. `note` says why vectors were not compared.
fn told(
    settings: &Settings,
    rows: Rows<verdict::Found>,
    head: &'static str,
    how: &'static str,
    note: Option<String>,
) -> Answer<Tools> {
    let mut text = rows.text(Text::new(head), Text::new(how)).and(audience(settings));
    let note = note.as_deref().map(|note| Reason(note).text());
    if let Some(note) = &note {
        text = text.and("\n").and(Quoted(note));
    }
    let r#for = settings.audience().to_owned();
    Answer::new(text, Tools { r#for, tools: rows.items, more: rows.more, note })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Suggest {
    /// Your task, in a few words
    query: Option<String>,
    /// Omit the tool that this session used last
    session: Option<String>,
    /// Maximum; default 3
    limit: Option<u32>,
}

fn suggest(call: &Call<'_>, asked: Suggest) -> Result<Answer<Tools>, ServiceError> {
    let settings = &call.settings;
    let session = optional::<SessionId>("session", asked.session.as_ref())?;
    let limit = asked.limit.map_or(3, |limit| limit as usize);
    let registry = settings.open(Access::Look)?;
    let (vector, note) = embedder::for_search(settings, &registry, asked.query.as_deref())?;
    let (query, of) = (asked.query.clone(), session.clone());
    let find = FindTools { query: asked.query, vector, session, limit: limit + BEYOND };
    let FoundTools { tools: found, note: unlike } =
        registry.tools().suggest(&settings.project, find, settings.now).wait()?;
    let rows = Rows::fit(&found, limit, |each| verdict::suggestion(settings.client.as_ref(), each));
    // A failure to record the suggestion does not fail the call.
    if let Some(session) = of {
        let told = &found[..rows.items.len()];
        let _ = suggested::note(settings, &session, query.as_deref(), told);
    }
    let none = "no working tool fits; discover_tools also searches stale and demoted tools";
    let head = if found.is_empty() { none } else { "" };
    Ok(told(settings, rows, head, "raise `limit`", note.or(unlike)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToolStatus {
    /// The tool as it is called, such as mcp__github__search
    name: String,
    /// Number of recent changes to include
    history: Option<u32>,
}

/// A report on a tool.
#[derive(Serialize)]
#[serde(transparent)]
struct Known(Value);

impl JsonSchema for Known {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Known".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "properties": {
                "for": { "type": "string" },
                "name": { "type": "string" },
                "kind": { "type": "string" },
                "status": verdict::statuses(generator),
                "ignored": { "type": "boolean" },
                "outcomes": { "type": "string" },
                "verdict": { "type": "object" },
                "did_you_mean": { "type": "string" },
                "history": { "type": "array", "items": { "type": "object" } },
            }
        })
    }
}

fn status(call: &Call<'_>, asked: ToolStatus) -> Result<Answer<Known>, ServiceError> {
    let settings = &call.settings;
    let registry = settings.open(Access::Look)?;
    let key = match tools::resolve(&registry, settings, &asked.name, ScopeChoice::Either)? {
        NamedTool::Known(key) => key,
        NamedTool::Unused(unused) => return Ok(not_used_yet(settings, &unused)),
    };
    let mut report = registry
        .tools()
        .show(&settings.project, std::slice::from_ref(&key), settings.now)
        .wait()?;
    let trial = match report.health.state {
        HealthState::Probation => ", on probation",
        _ => "",
    };
    let mut text =
        Text::new(ModelName::tool(settings.client.as_ref(), report.key.name.as_str())).and(" is ");
    if report.ignored {
        text = text.and("ignored by the user: do not call it; ");
    }
    let status = report.status_word.as_str();
    if status != report.verdict.word() {
        text = text.and(status).and(trial).and("; ");
    }
    text = text.and(verdict::words(&report.verdict));
    // An agent or a repository may have written the reason, so it is not passed on.
    report.held_because = None;
    let mut data = verdict::tool(settings.client.as_ref(), &report);
    data["for"] = settings.audience().into();
    if report.ignored {
        data["ignored"] = true.into();
    }
    if let Some(near) = tools::did_you_mean(&registry, settings, &report) {
        text = text.and(verdict::did_you_mean(&near));
        data["did_you_mean"] = near.into();
    }
    if let Some(limit) = asked.history.filter(|limit| *limit > 0) {
        let keys = ScopeChoice::Either.keys(&settings.project.id, &key.name);
        let history = registry.tools().history(&keys, limit.min(100)).wait()?;
        let mut entries = history.entries;
        entries.iter_mut().for_each(|each| each.note = None);
        let of_both = are_of_both_scopes(entries.iter().map(|entry| ("", entry)));
        let rows = Rows::fit(&entries, entries.len(), |each| {
            let row = serde_json::to_value(each).unwrap_or_default();
            let scope = if of_both { each.scope.word() } else { "" };
            let text = Text::new(each.at).and(" ").and(scope).and(if of_both { " " } else { "" });
            let action = each.action.as_str();
            let text = if each.clients.is_empty() {
                let to = each.to.as_deref().and_then(Status::from_word);
                text.and(to.map_or(action, Status::as_str))
            } else {
                let of =
                    each.clients.iter().map(|name| ModelName::new(NameKind::Agent, name.as_str()));
                text.and(action).and(" for ").and(Text::join(of.map(Text::new), ", "))
            };
            let by = each.actor.as_ref().filter(|_| each.cause == "by_hand");
            let by = by.map(|agent| cause(&format!("{action} by {agent}")));
            (row, text.and(": ").and(by.unwrap_or_else(|| cause(&each.cause))))
        });
        text = rows.text(text, Text::new("ask for fewer"));
        data["history"] = rows.items.into();
        if let Some(until) = history.pruned_until {
            text = text.and("\nchanges up to ").and(until).and(" were pruned");
            data["pruned_until"] = json!(until);
        }
    }
    Ok(Answer::new(text.and(audience(settings)), Known(data)))
}

/// Returns the answer about a tool that was never used. Only its server is known.
fn not_used_yet(settings: &Settings, unused: &Unused) -> Answer<Known> {
    let client = settings.client.as_ref();
    let mut text =
        Text::new(ModelName::tool(client, unused.name.as_str())).and(" is not used yet: ");
    text = text.and(Reason(&unused.reason()));
    text.push(match unused.is_offered() {
        true => "; call it if your client lists it",
        false => "; do not call it",
    });
    Answer::new(text.and(audience(settings)), Known(unused.data(settings, client)))
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Success,
    Failure,
    Interrupted,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Record {
    /// The tool as it was called
    name: String,
    /// The call's outcome; interrupted: stopped or denied by the user
    outcome: Outcome,
    /// Unique id of the call, so it counts once
    id: Option<String>,
    /// Id of the session it happened in
    session: Option<String>,
    /// Milliseconds the call took
    duration_ms: Option<u64>,
    /// The tool is new: unlisted, or named like a known one
    #[serde(default)]
    new: bool,
}

/// A tool after a recorded call.
#[derive(Serialize, JsonSchema)]
struct Recorded {
    name: String,
    #[schemars(schema_with = "verdict::statuses")]
    status: &'static str,
    outcomes: String,
    #[schemars(with = "Vec<serde_json::Map<String, Value>>")]
    changed: Vec<Value>,
    duplicate: bool,
    offline: bool,
    verdict: verdict::Brief,
    did_you_mean: Option<String>,
}

fn record(call: &Call<'_>, asked: Record) -> Result<Answer<Recorded>, ServiceError> {
    let settings = &call.settings;
    let kind = match asked.outcome {
        Outcome::Success => OutcomeKind::Success,
        Outcome::Failure => OutcomeKind::Failure,
        Outcome::Interrupted => OutcomeKind::Interrupted,
    };
    let op = optional::<OpId>("id", asked.id.as_ref())?.unwrap_or_else(clock::fresh_op);
    let registry = settings.open(Access::Write)?;
    let tool = tools::reported(&registry, settings, &asked.name, asked.new)?;
    let mut used = Use::new(op, tool, kind, settings.now, settings.project.clone());
    used.session = optional::<SessionId>("session", asked.session.as_ref())?;
    used.agent = call.agent.clone();
    used.client.clone_from(&settings.client);
    used.duration_ms = asked.duration_ms;
    let report = registry.tools().record(used).wait()?;
    let mut text =
        Text::new(ModelName::tool(settings.client.as_ref(), report.tool.key.name.as_str()))
            .and(" is ");
    text.push(report.tool.status_word.as_str());
    for change in &report.changed {
        let to = change.to.map_or("gone", Status::as_str);
        text = text.and("; now ").and(to).and(": ").and(cause(&change.cause));
    }
    if report.duplicate {
        text.push("; this use was already recorded");
    }
    if report.offline {
        text.push("; most servers are failing at once, so this machine is treated as offline");
    }
    let near = tools::did_you_mean(&registry, settings, &report.tool);
    if let Some(near) = &near {
        text.push(verdict::did_you_mean(near));
    }
    let changed = report.changed.iter().map(|each| serde_json::to_value(each).unwrap_or_default());
    let data = Recorded {
        changed: changed.collect(),
        verdict: verdict::brief(&report.tool.verdict),
        name: called_by(settings.client.as_ref(), report.tool.key.name.as_str()),
        status: report.tool.status_word.as_str(),
        outcomes: report.tool.outcomes,
        duplicate: report.duplicate,
        offline: report.offline,
        did_you_mean: near,
    };
    Ok(Answer::new(text, data))
}
