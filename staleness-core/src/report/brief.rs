//! Which of very many tools fit a question, by their briefs alone.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::context::{Ignored, is_own};
use super::suggest::{lift, worth_ranking};
use super::{Context, rank};
use crate::ids::{ProjectId, Scope, ServerKey, ToolKey, ToolName};
use crate::names;
use crate::policy::Policy;
use crate::route::{RouteId, SuggestedTool};
use crate::search::{Learned, Meaning, Question, SearchIndex, origin};
use crate::store::View;
use crate::tool::{Hold, Status, ToolBrief, ToolKind};
use crate::verdict::round;

/// A tool that fits a question.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    /// The tool.
    pub(crate) key: ToolKey,
    /// How well it fits, 0..=1: see [`SearchIndex::find`].
    pub(crate) score: f64,
    /// The learned query that is closest.
    pub(crate) route: Option<RouteId>,
}

/// The tools that a project sees, of its own or global, one for each name: as
/// [`Context::visible`](super::Context::visible).
fn visible<'a>(view: &'a View, project: &'a Scope) -> Vec<(&'a Scope, &'a ToolBrief)> {
    let of = |scope: &Scope| view.briefs.get(scope).map_or(&[][..], Vec::as_slice);
    let (mut own, mut global) = (of(project), of(&Scope::Global));
    let mut all = Vec::with_capacity(own.len() + global.len());
    loop {
        let order = match (own.first(), global.first()) {
            (None, None) => return all,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => one.name.cmp(&other.name),
        };
        // The project's own is meant, unless only the global one is there.
        let is_global = order.is_gt() || order.is_eq() && !own[0].present && global[0].present;
        let meant = if is_global { (&Scope::Global, &global[0]) } else { (project, &own[0]) };
        all.push(meant);
        if order.is_le() {
            own = &own[1..];
        }
        if order.is_ge() {
            global = &global[1..];
        }
    }
}

/// The tools that a person demoted or ignored the server of.
struct Held<'a>(HashMap<(&'a Scope, &'a ServerKey), (bool, bool)>);

impl<'a> Held<'a> {
    fn of(view: &'a View) -> Self {
        let mut entries = HashMap::new();
        for (scope, briefs) in &view.briefs {
            for brief in briefs.iter().filter(|brief| brief.kind == ToolKind::McpServer) {
                let Some(server) = &brief.server else { continue };
                let is_held = matches!(brief.hold, Hold::Demoted | Hold::Ignored);
                let entry = entries.entry((scope, server)).or_insert((brief.present, is_held));
                if !entry.0 {
                    *entry = (brief.present, is_held);
                }
            }
        }
        Self(entries)
    }

    /// Whether the entry that provides a tool is held: the project's before the global one, and one that
    /// is there before one that is gone.
    fn holds(&self, scope: &Scope, brief: &ToolBrief) -> bool {
        let Some(server) = brief.server.as_ref().filter(|_| brief.kind == ToolKind::McpTool) else {
            return false;
        };
        let own = self.0.get(&(scope, server));
        let global = self.0.get(&(&Scope::Global, server));
        let there = own.into_iter().chain(global).find(|(present, _)| *present);
        there.or(own).or(global).is_some_and(|(_, is_held)| *is_held)
    }
}

/// Of the tools that may be suggested, those that fit a question at least as well as `least` says and can
/// be among the best `limit` once usage has lifted them; not those in `but`. The view holds the briefs
/// of the project and the global ones, and the project's routes.
pub(crate) fn fitting_briefs(
    view: &View,
    policy: &Policy,
    project: &ProjectId,
    asked: &Question,
    but: &HashSet<&ToolKey>,
    least: f64,
    limit: usize,
) -> Vec<Fit> {
    let of_project = view.routes.values().filter(|route| route.key.project == *project);
    let learned: Vec<Learned> = of_project.map(Learned::from).collect();
    let mut index = SearchIndex::for_question(asked, &learned);
    let own_scope = Scope::Project(project.clone());
    let visible = visible(view, &own_scope);
    let (ignored, held) = (Ignored::of(policy), Held::of(view));
    let mut callable: HashMap<&ToolName, &Scope, RandomState> = HashMap::default();
    for (scope, brief) in &visible {
        let (server, plugin) = (brief.server.as_ref(), brief.plugin.as_ref());
        let (from, own) = origin(&brief.name, server, plugin);
        index.put_words(&brief.name, from, own, brief.description.as_slice());
        let may = brief.status() == Status::Active
            && !matches!(brief.kind, ToolKind::Builtin | ToolKind::Plugin)
            && !names::is_server_entry(brief.name.as_str())
            && brief.hold != Hold::Ignored
            && !ignored.holds(&brief.name, server)
            && !is_own(&brief.name, brief.kind, server, plugin)
            && !held.holds(scope, brief);
        if may {
            callable.insert(&brief.name, *scope);
        }
    }
    for key in but {
        if callable.get(&key.name).is_some_and(|scope| **scope == key.scope) {
            callable.remove(&key.name);
        }
    }
    let scores = index.scores(asked, &Meaning::default(), |name| callable.contains_key(name));
    let fitting = scores.fitting().filter(|(_, score, _)| *score >= least).collect();
    let fit = |(name, score, place): (&ToolName, f64, u32)| Fit {
        key: ToolKey { scope: callable[name].clone(), name: name.clone() },
        score,
        route: scores.route(place).map(|route| route.id),
    };
    worth_ranking(fitting, limit).into_iter().map(fit).collect()
}

/// Of tools that fit, the best `limit` that are active, lifted by what worked before: as
/// [`suggest`](super::suggest()) orders them. The view holds them whole.
pub(crate) fn best_of(context: &Context<'_>, fits: &[Fit], limit: usize) -> Vec<SuggestedTool> {
    let by_key: HashMap<&ToolKey, &Fit> = fits.iter().map(|fit| (&fit.key, fit)).collect();
    let tools = fits.iter().filter_map(|fit| context.view().tools.get(&fit.key));
    let mut scored: Vec<(f64, &Fit)> = rank(context, tools, usize::MAX)
        .into_iter()
        .filter(|each| each.status == Status::Active)
        .map(|each| {
            let fit = by_key[&each.tool.key];
            (round(fit.score * lift(each.score)), fit)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let suggested =
        |(_, fit): (f64, &Fit)| SuggestedTool { tool: fit.key.name.clone(), route: fit.route };
    scored.into_iter().take(limit).map(suggested).collect()
}
