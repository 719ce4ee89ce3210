//! What happens to routes, their vectors and suggestions. Values follow from the seeds, over few queries and
//! directions, so that much of it means the same.

use staleness_core::ids::{ModelId, OpId, ProjectId, SessionId, ToolName};
use staleness_core::registry::{FindRoutes, FindTools, Learn, ToldRoute};
use staleness_core::route::{
    Confidence, Precision, Prompted, Route, RouteKey, SuggestedTool, Vector, fold_query,
};
use staleness_core::scan::ProjectRef;
use staleness_core::session::SessionKey;
use staleness_core::{BlockingRegistry, Timestamp};

use super::life::{json, said};

const QUERIES: [&str; 6] =
    ["open issues", "Open  ISSUES", "read what is open", "a%b_c \u{1f680}'", "run it\nall", " "];
const MODELS: [(&str, usize); 2] = [("m", 3), ("m%", 2)];
const SIGNALS: [f64; 6] = [1.0, 0.75, 0.3, 0.05, 0.0, -1.0];

/// What happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum RouteHappening {
    Learn,
    Embed,
    Use,
    Prune,
    PruneAll,
    Forget,
    Import,
    Prompt,
    End,
    Suggest,
    Find,
}

impl RouteHappening {
    /// Learning is most of it.
    pub(super) const ALL: [Self; 14] = [
        Self::Learn,
        Self::Learn,
        Self::Embed,
        Self::Embed,
        Self::Use,
        Self::Prune,
        Self::PruneAll,
        Self::Forget,
        Self::Import,
        Self::Prompt,
        Self::Prompt,
        Self::End,
        Self::Suggest,
        Self::Find,
    ];
}

/// Something that happens, with the seeds of what it happens to.
#[derive(Clone, Debug)]
pub(crate) struct RouteDeed {
    pub(super) what: RouteHappening,
    pub(super) project: ProjectRef,
    pub(super) tool: ToolName,
    pub(super) session: Option<SessionId>,
    pub(super) op: OpId,
    pub(super) at: Timestamp,
    pub(super) seeds: (u32, u32),
}

/// One of a few, by a seed; the rest of the seed.
fn pick<T: Copy>(all: &[T], seed: &mut u32) -> T {
    let count = all.len() as u32;
    let one = all[(*seed % count) as usize];
    *seed /= count;
    one
}

impl RouteDeed {
    /// Does it, and what the registry reports of it.
    pub(super) fn carry_out(&self, registry: &BlockingRegistry) -> String {
        let (project, at) = (&self.project.id, self.at);
        let (mut first, mut second) = self.seeds;
        let query = pick(&QUERIES, &mut first);
        let key = RouteKey::of(project, &self.tool, &fold_query(query));
        let id = self.session.clone().unwrap_or_else(|| SessionId::new("s").expect("an id"));
        let session = SessionKey { project: project.clone(), id };
        let dry_run = first % 3 == 2;
        match self.what {
            RouteHappening::Learn | RouteHappening::Embed => {
                let embeds = matches!(self.what, RouteHappening::Embed);
                let learn = Learn {
                    signal: pick(&SIGNALS, &mut first),
                    vector: embeds.then(|| vector(&mut second, true)),
                    ..Learn::new(self.op.clone(), query, self.tool.clone(), at)
                };
                let preview = said(registry.preview_learn(&self.project, learn.clone()));
                format!("{preview}\n{}", said(registry.learn_route(&self.project, learn)))
            }
            RouteHappening::Use => said(registry.use_routes(vec![key.clone(), key], &self.op, at)),
            RouteHappening::Prune => json(registry.prune_routes(project, at, dry_run)),
            RouteHappening::PruneAll => json(registry.prune_all_routes(at, dry_run)),
            RouteHappening::Forget => said(registry.forget_route(project, key.id, at)),
            RouteHappening::Import => {
                let confidence = Confidence::new(pick(&SIGNALS, &mut first).max(0.0));
                let (model, numbers) = vector(&mut second, false);
                let precision = pick(&Precision::ALL, &mut second);
                let route = Route {
                    key,
                    query: query.to_owned(),
                    confidence: confidence.expect("it lies in 0..=1"),
                    uses: u64::from(second),
                    created_at: at.minus_days(3),
                    last_used_at: at.minus_days(1),
                    model: None,
                    ops: Vec::new(),
                };
                let vector = Vector::new(&numbers, precision).ok().map(|vector| (model, vector));
                said(registry.import_routes(vec![ToldRoute { route, vector }], dry_run))
            }
            RouteHappening::Prompt => {
                let route = (second % 2 == 0).then_some(key.id);
                let suggested = SuggestedTool { tool: self.tool.clone(), route };
                let tools = if dry_run { Vec::new() } else { vec![suggested] };
                let query = (second % 5 > 0).then(|| query.to_owned());
                let prompted = Prompted { at, query, tools, taught: Vec::new() };
                let noted = said(registry.note_prompt(session.clone(), prompted));
                format!("{noted}\n{}", said(registry.suggestions(&session)))
            }
            RouteHappening::End => {
                let known = said(registry.suggestions(&session));
                format!("{known}\n{}", said(registry.forget_suggestions(session, at)))
            }
            RouteHappening::Suggest => {
                said(registry.suggest_for_prompt(&self.project, &session.id, query, at))
            }
            RouteHappening::Find => {
                let vector = (first % 2 == 0).then(|| vector(&mut second, true));
                let (asked, limit) = (query.to_owned(), 3);
                let tools = FindTools {
                    query: Some(asked.clone()),
                    vector: vector.clone(),
                    session: self.session.clone(),
                    limit,
                };
                let routes = FindRoutes { query: asked, vector, limit };
                let routes = json(registry.find_routes(&self.project, routes, at));
                let offered = said(registry.suggest_tools(&self.project, tools.clone(), at));
                let all = said(registry.discover_tools(&self.project, tools, at));
                format!("{routes}\n{offered}\n{all}")
            }
        }
    }
}

/// One of a few directions, at times none, and where `any` at times of another number of dimensions than
/// the model's others.
fn vector(seed: &mut u32, any: bool) -> (ModelId, Vec<f64>) {
    let (model, dimensions) = pick(&MODELS, seed);
    let odd = any && pick(&[false, false, false, false, false, true], seed);
    let numbers = (0..dimensions + usize::from(odd)).map(|_| pick(&[0.0, 1.0, 1.01], seed));
    (ModelId::new(model).expect("an id"), numbers.collect())
}

/// What is known of the routes of a project: vectors in the order of their keys.
pub(super) fn look(registry: &BlockingRegistry, project: &ProjectId) -> String {
    let mut seen = vec![said(registry.routes(project))];
    for (model, _) in MODELS {
        let model = ModelId::new(model).expect("an id");
        seen.push(said(registry.route_vectors(project, &model)));
    }
    seen.join("\n")
}
