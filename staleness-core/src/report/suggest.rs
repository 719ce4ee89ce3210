//! Suggesting and discovering tools: by what worked, and by words.

use std::collections::HashMap;

use serde::Serialize;

use super::words::{Words, question};
use super::{Context, RankedTool, ToolReport, rank};
use crate::ids::SessionId;
use crate::names;
use crate::tool::{Hold, Status, Tool, ToolKind};
use crate::verdict::round;

/// The server under which this program offers itself; its tools are never suggested.
const OWN_SERVER: &str = "staleness";

/// A tool that was found for a caller.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// The tool.
    #[serde(flatten)]
    pub tool: ToolReport,
    /// How well it fits, 0..=1.
    pub score: f64,
    /// Why it is here.
    pub reason: String,
    /// `[stale]` or `[demoted]`, where it is not active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<&'static str>,
    /// The parts of the score, for `--explain`: share of successes, and how well the words fit.
    pub parts: ScoreParts,
}

/// The parts of a score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoreParts {
    /// The ranking score.
    pub usage: f64,
    /// How well the words fit, where there was a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<f64>,
}

/// Offers tools to use: active ones, and where none fits, failing ones whose cool-down has passed,
/// last and marked. Never built-ins, this program's own, names that cannot be called, ignored ones,
/// or what was used last in the same session.
#[must_use]
pub fn suggest(
    context: &Context<'_>,
    query: Option<&str>,
    session: Option<&SessionId>,
    limit: usize,
) -> Vec<Suggestion> {
    let last = last_used(context, session);
    let callable = |tool: &&Tool| {
        tool.kind != ToolKind::Builtin
            && !names::is_server_entry(tool.key.name.as_str())
            && tool.kind != ToolKind::Plugin
            && !is_own(tool)
            && !context.is_ignored(tool)
            && last.as_ref() != Some(&tool.key)
    };
    let tools: Vec<&Tool> = context.visible().filter(callable).collect();
    let active = tools.iter().copied().filter(|tool| context.status(tool) == Status::Active);
    let found = find(context, active, query, limit);
    if !found.is_empty() {
        return found;
    }
    let trial = tools.into_iter().filter(|tool| {
        tool.hold == Hold::None
            && tool.presence.is_present()
            && tool.health.is_on_probation(context.now(), &context.tool_policy(tool))
    });
    find(context, trial, query, limit)
        .into_iter()
        .map(|each| Suggestion {
            reason: format!("on probation: {}", each.reason),
            mark: Some("[probation]"),
            ..each
        })
        .collect()
}

/// Searches everything that the project sees, and marks what cannot be relied on.
#[must_use]
pub fn discover(context: &Context<'_>, query: &str, limit: usize) -> Vec<Suggestion> {
    let tools: Vec<&Tool> = context.visible().filter(|tool| !context.is_ignored(tool)).collect();
    find(context, tools.into_iter(), Some(query), limit)
}

fn is_own(tool: &Tool) -> bool {
    let own = |server: &str| server == OWN_SERVER || server.ends_with("_staleness");
    tool.server.as_ref().is_some_and(|server| own(server.as_str()))
}

/// The tool used last in a session, among the project's looked-at outcomes.
fn last_used(context: &Context<'_>, session: Option<&SessionId>) -> Option<crate::ids::ToolKey> {
    let session = session?;
    let window = context.policy().ranking.window;
    let mut outcomes = context.view().last_of_project(context.project(), window);
    outcomes.find(|outcome| outcome.session.as_ref() == Some(session)).map(|o| o.tool.clone())
}

fn find<'a>(
    context: &Context<'a>,
    tools: impl Iterator<Item = &'a Tool>,
    query: Option<&str>,
    limit: usize,
) -> Vec<Suggestion> {
    let ranked = rank(context, tools, usize::MAX);
    let asked = query.map(question);
    let mut scored: Vec<(f64, Option<f64>, Vec<String>, RankedTool<'_>)> = match &asked {
        None => ranked.into_iter().map(|each| (each.score, None, Vec::new(), each)).collect(),
        Some(asked) => by_words(asked, ranked),
    };
    // A stable sort: equal scores stay in the order of the ranking.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.truncate(limit);
    scored
        .into_iter()
        .map(|(score, words, met, each)| Suggestion {
            tool: ToolReport::new(context, each.tool),
            score,
            reason: reason(&each, &met, context.policy().ranking.window),
            mark: match each.status {
                Status::Active => None,
                Status::Stale => Some("[stale]"),
                Status::Demoted => Some("[demoted]"),
            },
            parts: ScoreParts { usage: each.score, words },
        })
        .collect()
}

/// Scores by words: each word of the question weighs by how rare it is among the tools, and what
/// worked before lifts a fitting tool by up to a quarter.
fn by_words<'a>(
    asked: &[String],
    ranked: Vec<RankedTool<'a>>,
) -> Vec<(f64, Option<f64>, Vec<String>, RankedTool<'a>)> {
    let words: Vec<Words> = ranked
        .iter()
        .map(|each| Words::new(each.tool.key.name.as_str(), each.tool.description.as_deref()))
        .collect();
    let weights: HashMap<&str, f64> = asked
        .iter()
        .map(|term| {
            let holding = words.iter().filter(|words| words.meets(term) > 0.0).count();
            let rarity = (1.0 + words.len() as f64 / (1.0 + holding as f64)).ln();
            (term.as_str(), rarity)
        })
        .collect();
    let whole: f64 = weights.values().sum();
    ranked
        .into_iter()
        .zip(words)
        .filter_map(|(each, words)| {
            let mut met = Vec::new();
            let mut sum = 0.0;
            for term in asked {
                let fit = words.meets(term);
                if fit > 0.0 {
                    met.push(term.clone());
                    sum += fit * weights[term.as_str()];
                }
            }
            let fit = round(sum / whole);
            let score = round(fit * (0.75 + 0.25 * each.score));
            (fit > 0.0).then_some((score, Some(fit), met, each))
        })
        .collect()
}

fn reason(each: &RankedTool<'_>, met: &[String], window: u32) -> String {
    let mut parts = Vec::new();
    if !met.is_empty() {
        parts.push(format!("matches {}", met.join(", ")));
    }
    if each.successes > 0 {
        parts.push(format!("worked {} times in the last {window} uses here", each.successes));
    } else if each.uses > 0 {
        parts.push(format!("used {} times", each.uses));
    } else {
        parts.push("never used yet".into());
    }
    parts.join("; ")
}
