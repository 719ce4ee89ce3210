//! Suggesting and discovering tools: by what worked, by words, and where there are vectors by meaning.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{Context, QueryVector, RankedTool, ToolReport, rank};
use crate::ids::{ProjectId, SessionId, ToolKey, ToolName};
use crate::names;
use crate::route::{Confidence, RouteBrief, RouteId, RouteKey, SuggestedTool};
use crate::search::{Match, Meaning, Question, SearchIndex, is_cold};
use crate::store::View;
use crate::tool::{Hold, Status, Tool, ToolKind};
use crate::verdict::round;

/// What a tool that fits keeps of its score without a success here lately.
const LEAST_LIFT: f64 = 0.75;
/// Scores that are nearer than this may be equal once rounded.
const SLACK: f64 = 1e-8;

/// What is asked: words, and what a model made of them.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The words.
    pub question: &'a Question,
    /// An index of what the project sees and of what was learned in it: see [`search_index`].
    pub index: &'a SearchIndex,
    /// The vector, compared with those of the project's routes in the view.
    pub vector: Option<QueryVector<'a>>,
}

/// A tool that was found for a caller.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// The tool.
    #[serde(flatten)]
    pub tool: ToolReport,
    /// The key by which the registry knows it.
    #[serde(skip)]
    pub key: ToolKey,
    /// How well it fits, 0..=1.
    pub score: f64,
    /// Why it is here.
    pub reason: String,
    /// `[stale]` or `[demoted]`, where it is not active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<&'static str>,
    /// The parts of the score, for `--explain`.
    pub parts: ScoreParts,
}

impl From<&Suggestion> for SuggestedTool {
    fn from(found: &Suggestion) -> Self {
        // A query that is hardly like the question did not lead to the tool.
        let led = found.parts.route.as_ref().filter(|route| !is_cold(route.closeness));
        Self { tool: found.key.name.clone(), route: led.map(|route| route.id) }
    }
}

/// The parts of a score: with a question `(0.6 × words + 0.4 × learned) × (0.75 + 0.25 × usage)`, so
/// that what worked before lifts a fitting tool by up to a quarter; without one the usage alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreParts {
    /// The ranking score.
    pub usage: f64,
    /// How well the words fit, 0..=1, where there was a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<f64>,
    /// Of `words`, what words gave that usually led to the tool or its server, where there was a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub habit: Option<f64>,
    /// What stands for what was learned, 0..=1, where there was a question: see [`SearchIndex::find`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<f64>,
    /// The learned query that is closest, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<TaughtBy>,
}

/// The learned query by which a tool was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaughtBy {
    /// The route.
    pub id: RouteId,
    /// The query as it was first given.
    pub query: String,
    /// How close it is to the question, 0..=1: by words and by meaning, blended.
    pub closeness: f64,
    /// How close it is by words, 0..=1.
    pub by_words: f64,
    /// The cosine of the vectors, where both have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_meaning: Option<f64>,
    /// How sure the route is, 0..=1.
    pub confidence: Confidence,
}

/// Offers tools to use: active ones, and where none fits, failing ones whose cool-down has passed,
/// last and marked; without a question in the order of the ranking. Never built-ins, this program's
/// own, names that cannot be called, ignored ones, or what was used last in the same session: the
/// tool, and the skill, command or agent that it ran.
#[must_use]
pub fn suggest(
    context: &Context<'_>,
    asked: Option<Asked<'_>>,
    session: Option<&SessionId>,
    limit: usize,
) -> Vec<Suggestion> {
    let window = context.policy().ranking.window;
    let last = last_used(context.view(), context.project(), window, session);
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

/// Searches everything that the project sees, and marks what cannot be relied on.
#[must_use]
pub fn discover(context: &Context<'_>, asked: Asked<'_>, limit: usize) -> Vec<Suggestion> {
    let tools = context.visible().filter(|tool| !context.is_ignored(tool));
    find(context, tools, Some(asked), limit)
}

/// An index of what the project sees and of what was learned in it, for one question.
#[must_use]
pub fn search_index(context: &Context<'_>, asked: &Question) -> SearchIndex {
    let view = context.view();
    let of_project = view.routes.values().filter(|route| route.key.project == *context.project());
    let mut index = SearchIndex::over(asked, of_project.map(RouteBrief::from).collect());
    for tool in context.visible() {
        index.put_brief(&tool.into());
    }
    index
}

/// Whether a person demoted or ignored the server that provides the tool.
fn is_server_held(context: &Context<'_>, tool: &Tool) -> bool {
    let entry = context.provider(&tool.key).and_then(|key| context.view().tools.get(key));
    entry.is_some_and(|entry| matches!(entry.hold, Hold::Demoted | Hold::Ignored))
}

/// What a session used last, among the project's looked-at outcomes.
pub(crate) fn last_used<'a>(
    view: &'a View,
    project: &'a ProjectId,
    window: u32,
    session: Option<&SessionId>,
) -> Vec<&'a ToolKey> {
    let mut outcomes = view.last_of_project(project, window);
    session
        .and_then(|session| outcomes.find(|outcome| outcome.session.as_ref() == Some(session)))
        .map_or_else(Vec::new, |last| last.credits.iter().chain([&last.tool]).collect())
}

fn find<'a>(
    context: &Context<'a>,
    tools: impl Iterator<Item = &'a Tool>,
    asked: Option<Asked<'_>>,
    limit: usize,
) -> Vec<Suggestion> {
    let scored = match asked {
        None => {
            let ranked = rank(context, tools, limit);
            ranked.into_iter().map(|each| (each.score, None, each)).collect()
        }
        Some(asked) => by_question(context, tools, asked, limit),
    };
    scored
        .into_iter()
        .map(|(score, found, each)| Suggestion {
            tool: ToolReport::new(context, each.tool),
            key: each.tool.key.clone(),
            score,
            reason: reason(&each, found.as_ref()),
            mark: match each.status {
                Status::Active => None,
                Status::Stale => Some("[stale]"),
                Status::Demoted => Some("[demoted]"),
            },
            parts: ScoreParts {
                usage: each.score,
                words: found.as_ref().map(|found| found.words),
                habit: found.as_ref().map(|found| found.habit),
                learned: found.as_ref().map(|found| found.learned),
                route: found.as_ref().and_then(|found| taught_by(context, found)),
            },
        })
        .collect()
}

/// A score, what was found, and its rank.
type Scored<'a> = (f64, Option<Match>, RankedTool<'a>);

/// Scores by a question; what worked before lifts a fitting tool by up to a quarter.
fn by_question<'a>(
    context: &Context<'a>,
    tools: impl Iterator<Item = &'a Tool>,
    asked: Asked<'_>,
    limit: usize,
) -> Vec<Scored<'a>> {
    let tools: Vec<&Tool> = tools.collect();
    let wanted: HashSet<&ToolName> = tools.iter().map(|tool| &tool.key.name).collect();
    let wanted = |name: &ToolName| wanted.contains(name);
    let mut meaning = Meaning::default();
    if let Some(vector) = asked.vector {
        let vectors = &context.view().vectors;
        meaning.routes = vector.near(vectors, context.project());
    }
    let scores = asked.index.scores(asked.question, &meaning, wanted);
    let fitting = worth_ranking(scores.fitting().collect(), limit);
    let found: HashMap<&ToolName, (f64, u32)> =
        fitting.into_iter().map(|(name, score, place)| (name, (score, place))).collect();
    let fitting = tools.into_iter().filter(|tool| found.contains_key(&tool.key.name));
    let mut scored: Vec<(f64, RankedTool<'a>)> = rank(context, fitting, usize::MAX)
        .into_iter()
        .map(|each| {
            let (score, _) = found[&each.tool.key.name];
            (round(score * lift(each.score)), each)
        })
        .collect();
    // A stable sort: equal scores stay in the order of the ranking.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.truncate(limit);
    let explained = |(whole, each): (f64, RankedTool<'a>)| {
        let (score, place) = found[&each.tool.key.name];
        (whole, scores.matched(place, score), each)
    };
    scored.into_iter().map(explained).collect()
}

/// By how much what worked before lifts a tool that fits.
pub(super) fn lift(usage: f64) -> f64 {
    LEAST_LIFT + (1.0 - LEAST_LIFT) * usage
}

/// Of tools that fit, those that can be among the best `limit` once usage has lifted them.
pub(super) fn worth_ranking(
    mut fitting: Vec<(&ToolName, f64, u32)>,
    limit: usize,
) -> Vec<(&ToolName, f64, u32)> {
    let Some(last) = limit.checked_sub(1).filter(|last| *last < fitting.len()) else {
        return fitting;
    };
    let (_, (_, least, _), _) = fitting.select_nth_unstable_by(last, |a, b| b.1.total_cmp(&a.1));
    // The best `limit` score at least this. What is that close may be equal once rounded.
    let bar = *least * LEAST_LIFT - SLACK;
    fitting.retain(|(_, score, _)| *score >= bar);
    fitting
}

/// The learned query that led to a tool.
fn taught_by(context: &Context<'_>, found: &Match) -> Option<TaughtBy> {
    let best = found.route?;
    let key =
        RouteKey { project: context.project().clone(), tool: found.tool.clone(), id: best.id };
    let route = context.view().routes.get(&key)?;
    Some(TaughtBy {
        id: best.id,
        query: route.query.clone(),
        closeness: best.closeness,
        by_words: best.words,
        by_meaning: best.meaning,
        confidence: best.confidence,
    })
}

fn reason(each: &RankedTool<'_>, found: Option<&Match>) -> String {
    let mut parts = Vec::new();
    if let Some(found) = found.filter(|found| !found.met.is_empty()) {
        parts.push(format!("matches {}", found.met.join(", ")));
    }
    if found.and_then(|found| found.route).is_some_and(|route| !is_cold(route.closeness)) {
        parts.push("answered something like it".into());
    }
    if each.successes > 0 {
        let times =
            if each.successes == 1 { "once".into() } else { format!("{} times", each.successes) };
        parts.push(format!("worked {times} here lately"));
    } else if each.uses > 0 {
        parts.push("used before, without success here lately".into());
    } else {
        parts.push("never used yet".into());
    }
    parts.join("; ")
}
