//! Verdicts and tools, as short as an answer allows.

use serde_json::{Value, json};
use staleness::report::{Suggestion, ToolReport};
use staleness::verdict::Verdict;
use staleness_service::model_text::ModelName;

use crate::text::{Fraction, Quoted, Text, line};

/// Reasons that are told of one thing.
const MAX_REASONS: usize = 3;

/// A verdict without what only weighs it.
pub(super) fn brief(verdict: &Verdict) -> Value {
    json!({
        "level": verdict.level,
        "freshness": verdict.freshness,
        "action": verdict.action,
        "reasons": reasons(verdict),
    })
}

pub(super) fn reasons(verdict: &Verdict) -> Vec<String> {
    let reason = |signal: &staleness::verdict::Signal| match &signal.note {
        Some(note) => line(&format!("{}: {note}", signal.reason)),
        None => line(&signal.reason),
    };
    let mut reasons: Vec<String> = verdict.signals.iter().take(MAX_REASONS).map(reason).collect();
    if verdict.signals.len() > MAX_REASONS {
        reasons.push(format!("and {} more", verdict.signals.len() - MAX_REASONS));
    }
    reasons
}

/// `stale 0.20, drop: "removed from config"`.
pub(super) fn words(verdict: &Verdict) -> Text {
    let text = Text::new(verdict.level.as_str()).and(" ").and(Fraction(verdict.freshness));
    let text = text.and(", ").and(verdict.action.as_str());
    let why = reasons(verdict);
    if why.is_empty() {
        return text;
    }
    let why = why.iter().map(|reason| Text::new(Quoted(reason)));
    text.and(": ").and(Text::join(why, "; "))
}

/// A tool that was found.
pub(super) fn suggestion(each: &Suggestion) -> (Value, Text) {
    let tool = &each.tool;
    let description = tool.description.as_deref().map(line);
    let row = json!({
        "name": tool.name,
        "status": tool.status,
        "mark": each.mark,
        "score": each.score,
        "reason": line(&each.reason),
        "description": description,
        "verdict": brief(&tool.verdict),
    });
    let mut text = Text::new(ModelName::tool(&tool.name));
    if let Some(mark) = each.mark {
        text = text.and(" ").and(mark);
    }
    if let Some(description) = &tool.description {
        text = text.and(": ").and(Quoted(description));
    }
    (without_nothing(row), text.and(" (").and(Quoted(&each.reason)).and(")"))
}

/// Everything that is known of a tool.
pub(super) fn tool(tool: &ToolReport) -> Value {
    let mut value = serde_json::to_value(tool).unwrap_or_default();
    if let Some(text) = tool.description.as_deref() {
        value["description"] = line(text).into();
    }
    if let Value::Array(sources) = &mut value["sources"] {
        sources.truncate(5);
    }
    value
}

/// An object without the fields that say nothing.
pub(super) fn without_nothing(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, value| !value.is_null());
    }
    value
}
