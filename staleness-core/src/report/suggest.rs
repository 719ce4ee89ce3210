//! Suggesting and discovering tools: by what worked, and by words.

use serde::Serialize;

use super::words::{Token, Words, question};
use super::{Context, RankedTool, ToolReport, rank};
use crate::ids::{SessionId, ToolKey};
use crate::names;
use crate::tool::{Hold, Status, Tool, ToolKind};
use crate::verdict::round;

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
/// last and marked; a question without words asks for the ranking. Never built-ins, this program's
/// own, names that cannot be called, ignored ones, or what was used last in the same session: the
/// tool, and the skill, command or agent that it ran.
#[must_use]
pub fn suggest(
    context: &Context<'_>,
    query: Option<&str>,
    session: Option<&SessionId>,
    limit: usize,
) -> Vec<Suggestion> {
    let last = last_used(context, session);
    // A question without words is none.
    let asked = query.map(question).filter(|asked| !asked.is_empty());
    let asked = asked.as_deref();
    let callable = |tool: &&Tool| {
        tool.kind != ToolKind::Builtin
            && !names::is_server_entry(tool.key.name.as_str())
            && tool.kind != ToolKind::Plugin
            && !context.is_silent(tool)
            && !is_server_held(context, tool)
            && !last.contains(&&tool.key)
    };
    let tools: Vec<&Tool> = context.visible().filter(callable).collect();
    let active = tools.iter().copied().filter(|tool| context.status(tool) == Status::Active);
    let found = find(context, active, asked, limit);
    if !found.is_empty() {
        return found;
    }
    let trial = tools.into_iter().filter(|tool| {
        tool.hold == Hold::None
            && tool.presence.is_present()
            && tool.health.is_on_probation(context.now(), &context.tool_policy(tool))
    });
    find(context, trial, asked, limit)
        .into_iter()
        .map(|each| Suggestion {
            reason: format!("on probation: {}", each.reason),
            mark: Some("[probation]"),
            ..each
        })
        .collect()
}

/// Searches everything that the project sees, and marks what cannot be relied on. A question without
/// words finds nothing.
#[must_use]
pub fn discover(context: &Context<'_>, query: &str, limit: usize) -> Vec<Suggestion> {
    let tools: Vec<&Tool> = context.visible().filter(|tool| !context.is_ignored(tool)).collect();
    find(context, tools.into_iter(), Some(&question(query)), limit)
}

/// Whether a person demoted or ignored the server that provides the tool.
fn is_server_held(context: &Context<'_>, tool: &Tool) -> bool {
    let entry = context.provider(&tool.key).and_then(|key| context.view().tools.get(key));
    entry.is_some_and(|entry| matches!(entry.hold, Hold::Demoted | Hold::Ignored))
}

/// What a session used last, among the project's looked-at outcomes.
fn last_used<'a>(context: &Context<'a>, session: Option<&SessionId>) -> Vec<&'a ToolKey> {
    let window = context.policy().ranking.window;
    let mut outcomes = context.view().last_of_project(context.project(), window);
    session
        .and_then(|session| outcomes.find(|outcome| outcome.session.as_ref() == Some(session)))
        .map_or_else(Vec::new, |last| last.credits.iter().chain([&last.tool]).collect())
}

fn find<'a>(
    context: &Context<'a>,
    tools: impl Iterator<Item = &'a Tool>,
    asked: Option<&[Token]>,
    limit: usize,
) -> Vec<Suggestion> {
    let ranked = rank(context, tools, usize::MAX);
    let mut scored: Vec<Scored<'_>> = match asked {
        None => ranked
            .into_iter()
            .map(|each| Scored { score: each.score, words: None, met: Vec::new(), each })
            .collect(),
        Some(asked) => by_words(asked, ranked),
    };
    // A stable sort: equal scores stay in the order of the ranking.
    scored.sort_by(|a, b| b.score.total_cmp(&a.score));
    scored.truncate(limit);
    scored
        .into_iter()
        .map(|Scored { score, words, met, each }| Suggestion {
            tool: ToolReport::new(context, each.tool),
            score,
            reason: reason(&each, &met),
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
fn by_words<'a>(asked: &[Token], ranked: Vec<RankedTool<'a>>) -> Vec<Scored<'a>> {
    let fits: Vec<Vec<f64>> = ranked
        .iter()
        .map(|each| {
            let tool = each.tool;
            let words = Words::new(tool.key.name.as_str(), tool.description.as_deref());
            asked.iter().map(|token| words.meets_token(token)).collect()
        })
        .collect();
    let weights: Vec<f64> = (0..asked.len())
        .map(|at| {
            let holding = fits.iter().filter(|fits| fits[at] > 0.0).count();
            (1.0 + fits.len() as f64 / (1.0 + holding as f64)).ln()
        })
        .collect();
    let whole: f64 = weights.iter().sum();
    ranked
        .into_iter()
        .zip(fits)
        .filter(|(_, fits)| fits.iter().any(|fit| *fit > 0.0))
        .map(|(each, fits)| {
            let met = asked.iter().zip(&fits).filter(|(_, fit)| **fit > 0.0);
            let met = met.map(|(token, _)| token.as_str().to_owned()).collect();
            let sum: f64 = fits.iter().zip(&weights).map(|(fit, weight)| fit * weight).sum();
            let words = round(sum / whole);
            Scored {
                score: round(words * (0.75 + 0.25 * each.score)),
                words: Some(words),
                met,
                each,
            }
        })
        .collect()
}

/// A ranked tool with how well it fits.
struct Scored<'a> {
    score: f64,
    words: Option<f64>,
    met: Vec<String>,
    each: RankedTool<'a>,
}

fn reason(each: &RankedTool<'_>, met: &[String]) -> String {
    let mut parts = Vec::new();
    if !met.is_empty() {
        parts.push(format!("matches {}", met.join(", ")));
    }
    if each.successes > 0 {
        let times =
            if each.successes == 1 { "once".into() } else { format!("{} times", each.successes) };
        parts.push(format!("worked {times} here lately"));
    } else if each.uses > 0 {
        parts.push("used before, not here lately".into());
    } else {
        parts.push("never used yet".into());
    }
    parts.join("; ")
}
