//! `discover_tools`, `suggest_tool`, `tool_status` and `record_outcome`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use staleness::ids::{OpId, SessionId};
use staleness::outcome::OutcomeKind;
use staleness::registry::{FindTools, FoundTools, ScopeChoice, Use};
use staleness::report::HealthState;
use staleness::tool::Status;
use staleness::{Wait, clock};
use staleness_service::model_text::{ModelName, cause};
use staleness_service::settings::Access;
use staleness_service::words::{optional, tool_name};
use staleness_service::{ServiceError, embedder, suggested, tools};

use super::verdict;
use crate::answer::{Answer, Rows};
use crate::call::Call;
use crate::spec::{Effect, Spec};
use crate::text::{Quoted, Text, line};

/// Found beyond what is told, so that an answer can say how many more there are.
const BEYOND: usize = 100;

const SEARCH: &str = "call discover_tools with words of what the tool does";

pub(super) fn specs() -> Vec<Spec> {
    vec![
        Spec::new(
            "discover_tools",
            "Search every known tool by words; stale and demoted ones are marked.",
            Effect::Reads,
            "say in a few words what the tool should do",
            discover,
        ),
        Spec::new(
            "suggest_tool",
            "Which tool to use now: working ones only, best first.",
            Effect::Adds,
            SEARCH,
            suggest,
        ),
        Spec::new(
            "tool_status",
            "Can this tool be trusted, why, and what to do about it.",
            Effect::Reads,
            SEARCH,
            status,
        ),
        Spec::new(
            "record_outcome",
            "Record how a tool call ended, where no hook does. The same id counts once.",
            Effect::Adds,
            "name the tool as it is called, and an outcome",
            record,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Discover {
    query: String,
    limit: Option<u32>,
}

fn discover(call: &Call<'_>, asked: Discover) -> Result<Answer, ServiceError> {
    let settings = &call.settings;
    let limit = asked.limit.map_or(8, |limit| limit as usize);
    let registry = settings.open(Access::Look)?;
    let (vector, note) = embedder::for_search(settings, &registry, Some(&asked.query))?;
    let find = FindTools { vector, ..FindTools::by_words(asked.query, limit + BEYOND) };
    let FoundTools { tools: found, note: unlike } =
        registry.tools().discover(&settings.project, find, settings.now).wait()?;
    let rows = Rows::fit(&found, limit, verdict::suggestion);
    let head = if found.is_empty() { "no known tool matches" } else { "" };
    Ok(told(&rows, head, "ask for a higher limit, or with more words", note.or(unlike)))
}

/// The tools, and what could not be compared.
fn told(rows: &Rows, head: &'static str, how: &'static str, note: Option<String>) -> Answer {
    let mut text = rows.text(Text::new(head), Text::new(how));
    let mut data = json!({ "tools": rows.items, "more": rows.more });
    if let Some(note) = note.as_deref().map(line) {
        text = text.and("\n").and(Quoted(&note));
        data["note"] = note.into();
    }
    Answer::new(text, data)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Suggest {
    /// What for.
    query: Option<String>,
    /// Leaves out what this session used last, and notes what was suggested to it.
    session: Option<String>,
    limit: Option<u32>,
}

fn suggest(call: &Call<'_>, asked: Suggest) -> Result<Answer, ServiceError> {
    let settings = &call.settings;
    let session = optional::<SessionId>("session", asked.session.as_ref())?;
    let limit = asked.limit.map_or(3, |limit| limit as usize);
    let registry = settings.open(Access::Look)?;
    let (vector, note) = embedder::for_search(settings, &registry, asked.query.as_deref())?;
    let (query, of) = (asked.query.clone(), session.clone());
    let find = FindTools { query: asked.query, vector, session, limit: limit + BEYOND };
    let FoundTools { tools: found, note: unlike } =
        registry.tools().suggest(&settings.project, find, settings.now).wait()?;
    let rows = Rows::fit(&found, limit, verdict::suggestion);
    // What cannot be noted is suggested all the same.
    if let Some(session) = of {
        let told = &found[..rows.items.len()];
        let _ = suggested::note(settings, &session, query.as_deref(), told);
    }
    let none = "no working tool fits; discover_tools also finds those that are stale or demoted";
    let head = if found.is_empty() { none } else { "" };
    Ok(told(&rows, head, "ask for a higher limit", note.or(unlike)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToolStatus {
    name: String,
    /// So many of its last changes.
    history: Option<u32>,
}

fn status(call: &Call<'_>, asked: ToolStatus) -> Result<Answer, ServiceError> {
    let settings = &call.settings;
    let registry = settings.open(Access::Look)?;
    let key = tools::find(&registry, settings, &asked.name, ScopeChoice::Either)?;
    let report = registry
        .tools()
        .show(&settings.project, std::slice::from_ref(&key), settings.now)
        .wait()?;
    let status = report.status.as_str();
    let trial = match report.health.state {
        HealthState::Probation => ", on probation",
        _ => "",
    };
    let mut text = Text::new(ModelName::tool(&report.name)).and(" is ").and(status).and(trial);
    text = text.and("; ").and(verdict::words(&report.verdict));
    let mut data = verdict::tool(&report);
    if let Some(limit) = asked.history.filter(|limit| *limit > 0) {
        let history = registry.tools().history(&[key], limit.min(100)).wait()?;
        let entries = history.entries;
        let rows = Rows::fit(&entries, entries.len(), |each| {
            let to = each.to.as_deref().and_then(Status::from_word);
            let row = serde_json::to_value(each).unwrap_or_default();
            let text = Text::new(each.at).and(" ").and(to.map_or(each.action, Status::as_str));
            (row, text.and(": ").and(cause(&each.cause)))
        });
        text = rows.text(text, Text::new("ask for fewer"));
        data["history"] = rows.items.into();
        if let Some(until) = history.pruned_until {
            text = text.and("\nchanges up to ").and(until).and(" are no longer kept");
            data["pruned_until"] = json!(until);
        }
    }
    Ok(Answer::new(text, data))
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
    name: String,
    outcome: Outcome,
    /// Of this call.
    id: Option<String>,
    session: Option<String>,
    duration_ms: Option<u64>,
}

fn record(call: &Call<'_>, asked: Record) -> Result<Answer, ServiceError> {
    let settings = &call.settings;
    let kind = match asked.outcome {
        Outcome::Success => OutcomeKind::Success,
        Outcome::Failure => OutcomeKind::Failure,
        Outcome::Interrupted => OutcomeKind::Interrupted,
    };
    let op = optional::<OpId>("id", asked.id.as_ref())?.unwrap_or_else(clock::fresh_op);
    let tool = tool_name(&asked.name)?;
    let mut used = Use::new(op, tool, kind, settings.now, settings.project.clone());
    used.session = optional::<SessionId>("session", asked.session.as_ref())?;
    used.agent = call.agent.clone();
    used.duration_ms = asked.duration_ms;
    let report = settings.open(Access::Write)?.tools().record(used).wait()?;
    let mut text = Text::new(ModelName::tool(&report.tool.name)).and(" is ");
    text.push(report.tool.status.as_str());
    for change in &report.changed {
        let to = change.to.as_deref().and_then(Status::from_word).map_or("gone", Status::as_str);
        text = text.and("; now ").and(to).and(": ").and(cause(&change.cause));
    }
    if report.duplicate {
        text.push("; this use was recorded before");
    }
    if report.offline {
        text.push("; most servers fail at once, put down to the machine being offline");
    }
    let data = json!({
        "name": report.tool.name,
        "status": report.tool.status,
        "outcomes": report.tool.outcomes,
        "changed": report.changed,
        "duplicate": report.duplicate,
        "offline": report.offline,
        "verdict": verdict::brief(&report.tool.verdict),
    });
    Ok(Answer::new(text, data))
}
