//! Compact forms of verdicts and tools.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::Value;
use staleness::ids::ClientId;
use staleness::report::{StatusWord, Suggestion, ToolReport};
use staleness::verdict::{Level, NextAction, Verdict};
use staleness_service::model_text::{ModelName, called_by};

use crate::text::{Fraction, Message, Quoted, Reason, Text, line};
use crate::words::for_model;

/// Maximum number of reasons per row.
const MAX_REASONS: usize = 3;

/// A verdict without weights.
#[derive(Serialize, JsonSchema)]
pub(super) struct Brief {
    #[schemars(schema_with = "levels")]
    level: &'static str,
    freshness: Option<f64>,
    #[schemars(schema_with = "actions")]
    action: NextAction,
    reasons: Vec<String>,
}

pub(super) fn brief(verdict: &Verdict) -> Brief {
    Brief {
        level: verdict.word(),
        freshness: verdict.score(),
        action: verdict.action,
        reasons: reasons(verdict),
    }
}

pub(super) fn levels(_: &mut SchemaGenerator) -> Schema {
    let mut words = Level::ALL.map(Level::as_str).to_vec();
    words.extend(["unknown", "off", "other_client", "replaced", "invented"]);
    json_schema!({ "enum": words })
}

fn actions(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": NextAction::ALL.map(NextAction::as_str) })
}

pub(super) fn statuses(_: &mut SchemaGenerator) -> Schema {
    let mut words = StatusWord::ALL.map(StatusWord::as_str).to_vec();
    words.push("unknown");
    json_schema!({ "enum": words })
}

pub(super) fn reasons(verdict: &Verdict) -> Vec<String> {
    let reason = |signal: &staleness::verdict::Signal| match &signal.note {
        Some(note) => line(&format!("{}: {note}", for_model(&signal.reason))),
        None => Reason(&signal.reason).text(),
    };
    let mut reasons: Vec<String> = verdict.signals.iter().take(MAX_REASONS).map(reason).collect();
    if verdict.signals.len() > MAX_REASONS {
        reasons.push(format!("and {} more", verdict.signals.len() - MAX_REASONS));
    }
    reasons
}

/// Formats a verdict: `stale 0.20, drop: "removed from config"`, `unknown: "not used yet"`.
pub(super) fn words(verdict: &Verdict) -> Text {
    let mut text = Text::new(verdict.word());
    if let Some(score) = verdict.score() {
        text = text.and(" ").and(Fraction(score)).and(", ").and(verdict.action.as_str());
    }
    let why = reasons(verdict);
    if why.is_empty() {
        return text;
    }
    let why = why.iter().map(|reason| Text::new(Message(reason)));
    text.and(": ").and(Text::join(why, "; "))
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Found {
    name: String,
    #[schemars(schema_with = "statuses")]
    status: &'static str,
    mark: Option<&'static str>,
    score: f64,
    reason: String,
    description: Option<String>,
    verdict: Brief,
}

pub(super) fn suggestion(client: Option<&ClientId>, each: &Suggestion) -> (Found, Text) {
    let tool = &each.tool;
    let row = Found {
        name: called_by(client, tool.key.name.as_str()),
        status: tool.status_word.as_str(),
        mark: each.mark,
        score: each.score,
        reason: Reason(&each.reason).text(),
        description: tool.description.as_deref().map(line),
        verdict: brief(&tool.verdict),
    };
    let mut text = Text::new(ModelName::tool(client, tool.key.name.as_str()));
    if let Some(mark) = each.mark {
        text = text.and(" ").and(mark);
    }
    if let Some(description) = &tool.description {
        text = text.and(": ").and(Quoted(description));
    }
    (row, text.and(" (").and(Reason(&each.reason)).and(")"))
}

/// Suggests the tool that an invented name may mean.
pub(super) fn did_you_mean(near: &str) -> Text {
    Text::new("; did you mean ").and(ModelName::tool(None, near)).and("?")
}

/// Converts a report on a tool to JSON, under the name that the client's model uses.
pub(super) fn tool(client: Option<&ClientId>, tool: &ToolReport) -> Value {
    let mut value = serde_json::to_value(tool).unwrap_or_default();
    value["name"] = called_by(client, tool.key.name.as_str()).into();
    if let Some(text) = tool.description.as_deref() {
        value["description"] = line(text).into();
    }
    let signals = value.pointer_mut("/verdict/signals").and_then(Value::as_array_mut);
    for (signal, each) in signals.into_iter().flatten().zip(&tool.verdict.signals) {
        signal["reason"] = for_model(&each.reason).into();
    }
    if let Value::Array(sources) = &mut value["sources"] {
        sources.truncate(5);
    }
    value
}
