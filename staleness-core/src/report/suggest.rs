//! Suggestion and discovery of tools: by past success, by words and, if there are vectors, by meaning.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{Catalog, Context, RankedTool, ToolReport, rank};
use crate::ids::{ProjectId, SessionId, ToolKey, ToolName};
use crate::outcome::Mark;
use crate::route::{Confidence, RouteId, SuggestedTool};
use crate::search::{Match, Scores, is_cold};
use crate::store::View;
use crate::text::days;
use crate::tool::{Hold, Status, Tool, ToolKind};
use crate::verdict::round;

/// The factor for a matching tool without a recent success in the project. The factor for constant success is 1.
const LEAST_LIFT: f64 = 0.75;
/// The difference of scores that may be due to rounding.
const SLACK: f64 = 1e-8;

/// A suggested tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// The suggested tool, with its verdict.
    #[serde(flatten)]
    pub tool: ToolReport,
    /// The score, 0..=1: see [`ScoreParts`].
    pub score: f64,
    /// The reason for the suggestion.
    pub reason: String,
    /// `[stale]`, `[off]`, `[demoted]`, `[probation]` for a failing tool to retry, `[changed]` if its definition has an
    /// unaccepted change, or `[no answer]` if its server did not answer the last request for its tools. `None` for a
    /// reliable tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<&'static str>,
    /// The parts of the score, for `--explain`.
    pub parts: ScoreParts,
}

impl From<&Suggestion> for SuggestedTool {
    fn from(found: &Suggestion) -> Self {
        // A learned query that hardly resembles the question did not lead to the tool.
        let led = found.parts.route.as_ref().filter(|route| !is_cold(route.closeness));
        Self { tool: found.tool.key.name.clone(), route: led.map(|route| route.id) }
    }
}

/// The parts of a score. With a question: `(words + learned × (1 − words)) × (0.75 + 0.25 × usage)`, so past
/// success contributes up to a quarter. Without a question: only `usage`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreParts {
    /// The ranking score, 0..=1.
    pub usage: f64,
    /// The match between the tool's text and the question, 0..=1. `None` without a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<f64>,
    /// The part of `words` due to words that usually led to the tool or its server. `None` without a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub habit: Option<f64>,
    /// The part learned from routes, 0..=1. `None` without a question. See
    /// [`SearchIndex::find`](crate::search::SearchIndex::find).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<f64>,
    /// The closest learned query, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<TaughtBy>,
}

/// The learned query through which a tool was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaughtBy {
    /// The id of the learned route.
    pub id: RouteId,
    /// The query as it was first given.
    pub query: String,
    /// The closeness to the question, 0..=1: by words and by meaning combined.
    pub closeness: f64,
    /// The closeness by words alone, 0..=1.
    pub by_words: f64,
    /// The cosine of the two vectors, if both exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_meaning: Option<f64>,
    /// The confidence of the route, 0..=1.
    pub confidence: Confidence,
}

/// Suggests tools in ranking order: active ones, or if there are none, failing ones after their cool-down, which are
/// marked. Never suggests built-ins, this program's own tools, names that cannot be called, tools that are ignored or
/// withheld (even if pinned), or what the session used last: a tool, and the skill, command or agent that it ran.
pub(crate) fn suggest(
    context: &Context<'_>,
    session: Option<&SessionId>,
    limit: usize,
) -> Vec<Suggestion> {
    let window = context.policy().ranking.window;
    let last = last_used(context.view(), context.project(), window, session);
    let callable = |tool: &&Tool| {
        tool.kind != ToolKind::Builtin
            && !tool.key.name.is_server_entry()
            && tool.kind != ToolKind::Plugin
            && !tool.is_withheld()
            && !context.is_silent(tool)
            && context.is_told_of(tool)
            && !is_server_held(context, tool)
            && !last.contains(&&tool.key)
    };
    let tools: Vec<&Tool> = context.visible().filter(callable).collect();
    let active = tools.iter().copied().filter(|tool| context.status(tool) == Status::Active);
    let told = |ranked: Vec<RankedTool<'_>>| -> Vec<Suggestion> {
        ranked.into_iter().map(|each| suggestion(context, each.score, &each, None, None)).collect()
    };
    let found = told(rank(context, active, limit));
    if !found.is_empty() {
        return found;
    }
    let trial = tools.into_iter().filter(|tool| may_be_tried(context, tool));
    told(rank(context, trial, limit)).into_iter().map(on_probation).collect()
}

/// Returns true if a failing tool may be retried because its cool-down has passed.
pub(crate) fn may_be_tried(context: &Context<'_>, tool: &Tool) -> bool {
    tool.hold == Hold::None
        && tool.presence.is_present()
        && !is_server_held(context, tool)
        && tool.health.is_on_probation(context.now(), &tool.ring, &context.tool_policy(tool))
}

pub(crate) fn on_probation(found: Suggestion) -> Suggestion {
    let reason = format!("on probation: {}", found.reason);
    Suggestion { reason, mark: Some("[probation]"), ..found }
}

fn is_server_held(context: &Context<'_>, tool: &Tool) -> bool {
    matches!(context.server_hold(tool), Hold::Demoted | Hold::Ignored)
}

/// Returns the tool that a session used last, and the tools credited with that use, from the last `window` outcomes.
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

/// Returns the best `limit` of the matching tools that `keep` accepts, weighted by past success. The context's view
/// must contain all matching tools.
pub(crate) fn best(
    context: &Context<'_>,
    catalog: &Catalog,
    scores: &Scores<'_>,
    fits: &[Fit<'_>],
    limit: usize,
    keep: impl Fn(&RankedTool<'_>) -> bool,
) -> Vec<Suggestion> {
    let by_key: HashMap<ToolKey, &Fit<'_>> =
        fits.iter().filter_map(|fit| Some((catalog.key(fit.2)?, fit))).collect();
    let tools = by_key.keys().filter_map(|key| context.view().tools.get(key));
    let mut scored: Vec<(f64, RankedTool<'_>)> = rank(context, tools, usize::MAX)
        .into_iter()
        // The tool may have been demoted or ignored since it was matched.
        .filter(|each| keep(each) && context.is_told_of(each.tool))
        .map(|each| (round(by_key[&each.tool.key].1 * lift(each.score)), each))
        .collect();
    // The sort is stable, so equal scores stay in ranking order.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.truncate(limit);
    let told = |(whole, each): (f64, RankedTool<'_>)| {
        let (_, score, place) = by_key[&each.tool.key];
        let found = scores.matched(*place, *score);
        let taught_by = found.as_ref().and_then(|found| taught_by(catalog, found));
        suggestion(context, whole, &each, found.as_ref(), taught_by)
    };
    scored.into_iter().map(told).collect()
}

fn suggestion(
    context: &Context<'_>,
    score: f64,
    each: &RankedTool<'_>,
    found: Option<&Match>,
    route: Option<TaughtBy>,
) -> Suggestion {
    let tool = ToolReport::new(context, each.tool);
    Suggestion {
        score,
        reason: reason(context, each, found),
        mark: match each.status {
            Status::Active if each.tool.is_unaccepted() => Some("[changed]"),
            Status::Active if context.trouble(each.tool).is_some() => Some("[no answer]"),
            Status::Active => None,
            _ if tool.is_off() => Some("[off]"),
            Status::Stale => Some("[stale]"),
            Status::Demoted => Some("[demoted]"),
        },
        parts: ScoreParts {
            usage: each.score,
            words: found.map(|found| found.words),
            habit: found.map(|found| found.habit),
            learned: found.map(|found| found.learned),
            route,
        },
        tool,
    }
}

/// Returns the factor for past success, from [`LEAST_LIFT`] to 1.
fn lift(usage: f64) -> f64 {
    LEAST_LIFT + (1.0 - LEAST_LIFT) * usage
}

/// A matching tool with its score and its index in the catalog.
pub(crate) type Fit<'a> = (&'a ToolName, f64, u32);

/// Drops the matching tools that cannot be among the best `limit` after weighting by past success. Only server entries
/// and tools with recent successes in the view can move up.
pub(crate) fn worth_ranking<'a>(
    catalog: &Catalog,
    view: &View,
    window: u32,
    mut fitting: Vec<Fit<'a>>,
    limit: usize,
) -> Vec<Fit<'a>> {
    let Some(last) = limit.checked_sub(1).filter(|last| *last < fitting.len()) else {
        return fitting;
    };
    let outcomes = view.last_of_project(catalog.project(), window);
    let worked: HashSet<&ToolName> = outcomes
        .filter(|outcome| outcome.mark == Mark::Success)
        .flat_map(|outcome| outcome.credits.iter().chain([&outcome.tool]))
        .map(|key| &key.name)
        .collect();
    let may_be_lifted =
        |name: &ToolName| worked.contains(name) || !worked.is_empty() && name.is_server_entry();
    let (_, (_, least, _), _) = fitting.select_nth_unstable_by(last, |a, b| b.1.total_cmp(&a.1));
    // Even without past success, the best `limit` tools score at least this. The slack allows for rounding.
    let bar = *least * LEAST_LIFT - SLACK;
    fitting.retain(|(name, score, _)| {
        *score >= bar && (may_be_lifted(name) || score * LEAST_LIFT >= bar)
    });
    fitting
}

/// Returns the learned query that led to a tool. `None` if there is none.
fn taught_by(catalog: &Catalog, found: &Match) -> Option<TaughtBy> {
    let best = found.route?;
    Some(TaughtBy {
        id: best.id,
        query: catalog.index().query(best.id)?.to_owned(),
        closeness: best.closeness,
        by_words: best.words,
        by_meaning: best.meaning,
        confidence: best.confidence,
    })
}

fn reason(context: &Context<'_>, each: &RankedTool<'_>, found: Option<&Match>) -> String {
    let mut parts = Vec::new();
    if let Some(found) = found.filter(|found| !found.met.is_empty()) {
        parts.push(format!("matches {}", found.met.join(", ")));
    }
    if found.and_then(|found| found.route).is_some_and(|route| !is_cold(route.closeness)) {
        parts.push("answered a similar query".into());
    }
    if each.successes > 0 {
        let times =
            if each.successes == 1 { "once".into() } else { format!("{} times", each.successes) };
        let idle = each.tool.last_used_at.map_or(0, |at| context.now().days_since(at));
        parts.push(if idle < i64::from(context.tool_policy(each.tool).unseen_days) {
            format!("worked {times} here recently")
        } else {
            format!("worked {times} here, last used {} ago", days(idle))
        });
    } else if each.uses > 0 {
        parts.push("has not worked here recently".into());
    } else {
        parts.push("not used yet".into());
    }
    parts.join("; ")
}
