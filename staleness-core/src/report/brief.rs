//! Which of very many tools fit a question, by their briefs alone.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::context::{Ignored, is_own};
use super::suggest::{lift, worth_ranking};
use super::{Context, rank};
use crate::ids::{ProjectId, Scope, ToolKey, ToolName};
use crate::names;
use crate::policy::Policy;
use crate::route::{RouteId, SuggestedTool};
use crate::search::{Meaning, Question, SearchIndex, is_cold};
use crate::store::View;
use crate::tool::{Hold, Status, ToolBrief, ToolBriefs, ToolKind};
use crate::verdict::round;

/// A tool that fits a question.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    /// The tool.
    pub(crate) key: ToolKey,
    /// How well it fits, 0..=1: see [`SearchIndex::find`].
    pub(crate) score: f64,
    /// The learned query that is closest, where it led here.
    pub(crate) route: Option<RouteId>,
}

/// The tools of a project and the global ones, by whether they are global.
type Both<'a> = [&'a ToolBriefs; 2];

/// Names that a project and the global tools both have, and whether the global one is meant: it alone is
/// there. So a project sees one tool for each name: as [`Context::visible`](super::Context::visible).
struct Twins<'a>(HashMap<&'a str, bool, RandomState>);

impl<'a> Twins<'a> {
    fn of([own, global]: Both<'a>) -> Self {
        let (few, many) = if own.len() < global.len() { (own, global) } else { (global, own) };
        if few.is_empty() {
            return Self(HashMap::default());
        }
        let few: HashMap<&str, ToolBrief<'_>, RandomState> =
            few.iter().map(|brief| (brief.name, brief)).collect();
        let twin = |one: ToolBrief<'a>| {
            let other = few.get(one.name)?;
            let (own, global) =
                if own.len() < global.len() { (other, &one) } else { (&one, other) };
            Some((one.name, !own.present && global.present))
        };
        Self(many.iter().filter_map(twin).collect())
    }

    /// Whether a name means this tool.
    fn means(&self, is_global: bool, name: &str) -> bool {
        self.0.is_empty() || self.0.get(name).is_none_or(|global| *global == is_global)
    }
}

/// The tools that a person demoted or ignored the server of: by whether its entry is global and its key,
/// whether the entry is there and whether it is held.
struct Held<'a>(HashMap<(bool, &'a str), (bool, bool)>);

impl<'a> Held<'a> {
    fn of(both: Both<'a>) -> Self {
        let mut servers = Vec::new();
        for (is_global, briefs) in [false, true].into_iter().zip(both) {
            let entries = briefs.iter().filter(|brief| brief.kind == ToolKind::McpServer);
            servers.extend(entries.filter_map(|entry| Some(((is_global, entry.server?), entry))));
        }
        servers.sort_unstable_by_key(|(_, entry)| entry.name);
        let mut entries = HashMap::new();
        for (server, brief) in servers {
            let is_held = matches!(brief.hold, Hold::Demoted | Hold::Ignored);
            let entry = entries.entry(server).or_insert((brief.present, is_held));
            if !entry.0 {
                *entry = (brief.present, is_held);
            }
        }
        Self(entries)
    }

    /// Whether the entry that provides a tool is held: the project's before the global one, and one that
    /// is there before one that is gone.
    fn holds(&self, is_global: bool, brief: &ToolBrief<'_>) -> bool {
        let Some(server) = brief.server.filter(|_| brief.kind == ToolKind::McpTool) else {
            return false;
        };
        let own = self.0.get(&(is_global, server));
        let global = self.0.get(&(true, server));
        let there = own.into_iter().chain(global).find(|(present, _)| *present);
        there.or(own).or(global).is_some_and(|(_, is_held)| *is_held)
    }
}

/// Of the tools that may be suggested unasked, those that fit a question so well that they are named
/// (`Scores::sure`, with `least`) and can be among the best `limit` once usage has
/// lifted them; not those in `but`. The view holds the briefs
/// of the project and the global ones, and those of the project's routes.
pub(crate) fn fitting_briefs(
    view: &View,
    policy: &Policy,
    project: &ProjectId,
    asked: &Question,
    but: &HashSet<&ToolKey>,
    least: f64,
    limit: usize,
) -> Vec<Fit> {
    if asked.is_talk() {
        return Vec::new();
    }
    let none = ToolBriefs::default();
    let scopes = [Scope::Project(project.clone()), Scope::Global];
    let both = [0, 1].map(|at| view.briefs.get(&scopes[at]).unwrap_or(&none));
    let learned = view.route_briefs.get(project).map(|all| all.iter().collect());
    let mut index = SearchIndex::over(asked, learned.unwrap_or_default());
    let tools = both[0].len() + both[1].len();
    index.expect(tools);
    let mut by_place: Vec<Option<(bool, u32)>> = Vec::with_capacity(tools);
    let twins = Twins::of(both);
    for (is_global, briefs) in [false, true].into_iter().zip(both) {
        for (at, brief) in (0..).zip(briefs.iter()) {
            if !twins.means(is_global, brief.name) {
                continue;
            }
            if let Some(place) = index.put_brief(&brief) {
                let place = place as usize;
                by_place.resize(by_place.len().max(place + 1), None);
                by_place[place] = Some((is_global, at));
            }
        }
    }
    let (ignored, held) = (Ignored::of(policy), Held::of(both));
    let may = |is_global: bool, brief: &ToolBrief<'_>| {
        let scope = &scopes[usize::from(is_global)];
        brief.status() == Status::Active
            && !matches!(brief.kind, ToolKind::Builtin | ToolKind::Plugin)
            && !names::is_server_entry(brief.name)
            && brief.hold != Hold::Ignored
            && !ignored.holds(brief.name, brief.server)
            && !is_own(brief)
            && !held.holds(is_global, brief)
            && !but.iter().any(|key| key.name.as_str() == brief.name && key.scope == *scope)
    };
    let at = |place: u32| {
        let (is_global, at) = (*by_place.get(place as usize)?)?;
        Some((is_global, both[usize::from(is_global)].get(at as usize)?))
    };
    let wanted = |place| at(place).is_some_and(|(is_global, brief)| may(is_global, &brief));
    let scores = index.scores_at(asked, &Meaning::default(), wanted);
    let fitting = scores.sure(least).collect();
    let fit = |(name, score, place): (&ToolName, f64, u32)| {
        let scope = scopes[usize::from(at(place)?.0)].clone();
        let led = scores.route(place).filter(|route| !is_cold(route.closeness));
        let route = led.map(|route| route.id);
        Some(Fit { key: ToolKey { scope, name: name.clone() }, score, route })
    };
    worth_ranking(fitting, limit).into_iter().filter_map(fit).collect()
}

/// Of tools that fit, the best `limit` that are active, lifted by what worked before: as
/// [`suggest`](super::suggest()) orders them. The view holds them whole.
pub(crate) fn best_of(context: &Context<'_>, fits: &[Fit], limit: usize) -> Vec<SuggestedTool> {
    let by_key: HashMap<&ToolKey, &Fit> = fits.iter().map(|fit| (&fit.key, fit)).collect();
    let tools = fits.iter().filter_map(|fit| context.view().tools.get(&fit.key));
    let mut scored: Vec<(f64, &Fit)> = rank(context, tools, usize::MAX)
        .into_iter()
        // What was active in brief may have been put aside since.
        .filter(|each| each.status == Status::Active && each.tool.hold != Hold::Ignored)
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
