//! Learns a route: reads, changes and writes it in one commit.

use std::sync::Arc;

use super::teach::{Taught, learnable, same_query};
use super::{check_dimensions, dimensions_in};
use crate::ids::{ModelId, OpId, ToolKey, ToolName};
use crate::policy::Policy;
use crate::registry::seen::see;
use crate::route::{Confidence, Route, RouteKey, RouteVector, Vector};
use crate::scan::ProjectRef;
use crate::store::{
    Change, Commit, Conflict, Decision, Draft, Durability, Invalid, ProjectFilter, Refusal,
    RouteFilter, Selection, Step, ToolFilter, VectorFilter, View,
};
use crate::time::Timestamp;
use crate::tool::{Hold, Tool};

/// A lesson: how well a tool answered a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Learn {
    /// The id of the lesson. Repeating it has no further effect while it is among the last [`Route::MAX_OPS`] ops of
    /// the route.
    pub op: OpId,
    /// The query.
    pub query: String,
    /// The name of the tool.
    pub tool: ToolName,
    /// The signal, from 0 (the tool failed) to 1 (it was exactly right).
    pub signal: f64,
    /// The time of the lesson.
    pub at: Timestamp,
    /// The query's vector and the model that made it. The vector need not be normalised.
    pub vector: Option<(ModelId, Vec<f64>)>,
}

impl Learn {
    /// Creates a lesson that `tool` was exactly right for `query`.
    pub fn new(op: OpId, query: impl Into<String>, tool: ToolName, at: Timestamp) -> Self {
        Self { op, query: query.into(), tool, signal: 1.0, at, vector: None }
    }

    pub(super) fn step(
        self,
        project: &ProjectRef,
        policy: &Arc<Policy>,
    ) -> Result<LearnRoute, Refusal> {
        let folded = learnable(&self.query)?;
        let number = || self.signal.to_string();
        let signal = Confidence::new(self.signal)
            .ok_or_else(|| Invalid::NoShare { what: "signal", number: number() })?;
        let precision = policy.routes.precision;
        let embed = |(model, numbers): (ModelId, Vec<f64>)| {
            let vector = Vector::new(&numbers, precision);
            vector.map(|vector| (model, vector)).map_err(Invalid::Vector)
        };
        Ok(LearnRoute {
            key: RouteKey::of(&project.id, &self.tool, &folded),
            project: project.clone(),
            query: self.query.trim().to_owned(),
            folded,
            signal,
            op: Route::op(&self.op),
            at: self.at,
            vector: self.vector.map(embed).transpose()?,
            policy: Arc::clone(policy),
        })
    }
}

#[derive(Debug)]
pub(super) struct LearnRoute {
    key: RouteKey,
    project: ProjectRef,
    query: String,
    folded: String,
    signal: Confidence,
    op: u64,
    at: Timestamp,
    vector: Option<(ModelId, Vector)>,
    policy: Arc<Policy>,
}

impl LearnRoute {
    /// Returns the route that learned, as it is after the commit: that of the query, or the one into which it was
    /// merged.
    pub(super) fn learned(&self, commit: &Commit) -> Option<Route> {
        let changes = &commit.changes.routes;
        let is_same = |row: &&Route| !changes.iter().any(|change| *change.key() == row.key);
        let same = commit.view.routes.values().filter(is_same);
        let learned = changes.iter().filter_map(Change::put).chain(same).filter(|row| {
            (&row.key.project, &row.key.tool) == (&self.key.project, &self.key.tool)
                && row.remembers(self.op)
        });
        learned.min_by_key(|row| row.key != self.key).cloned()
    }

    /// Returns the next selection: the number of routes, if a route is to be created.
    fn more(&self, view: &View) -> Selection {
        if !view.routes.contains_key(&self.key) && self.creates() {
            return Selection::new().count_routes(self.project.id.clone());
        }
        Selection::new()
    }

    fn creates(&self) -> bool {
        self.signal.get() >= self.policy.routes.min_signal
    }

    fn others<'v>(&'v self, view: &'v View) -> impl Iterator<Item = &'v Route> + 'v {
        view.routes.values().filter(|route| {
            route.key.project == self.key.project
                && route.key.tool == self.key.tool
                && route.key.id != self.key.id
        })
    }

    /// Returns the tool's other routes whose queries have the same meaning.
    fn alike(&self, view: &View) -> Vec<Route> {
        let Some((model, vector)) = &self.vector else { return Vec::new() };
        let same = |route: &&Route| {
            route.model.as_ref() == Some(model)
                && view
                    .vectors
                    .get(&route.key)
                    .filter(|known| known.model == *model)
                    .and_then(|known| known.vector.cosine(vector))
                    .is_some_and(|cosine| cosine >= self.policy.routes.same_cosine)
        };
        self.others(view).filter(same).cloned().collect()
    }

    /// Returns true if one of the affected routes has already learned this op.
    fn knows(&self, view: &View) -> bool {
        let alike = self.alike(view);
        view.routes.get(&self.key).into_iter().chain(&alike).any(|route| route.remembers(self.op))
    }

    fn check_dimensions(&self, view: &View) -> Result<(), Invalid> {
        let Some((model, vector)) = &self.vector else { return Ok(()) };
        let (known, own) = (dimensions_in(view, &self.project.id, model), vector.dimensions());
        check_dimensions(model, known.unwrap_or(own), own)
    }
}

impl Step for LearnRoute {
    fn selection(&self) -> Selection {
        let [own, global] = ToolKey::both(&self.project.id, &self.key.tool);
        let selection = Selection::new()
            .lock(ProjectFilter::Id(self.project.id.clone()))
            .peek(ToolFilter::Key(own))
            .peek(ToolFilter::Key(global));
        match &self.vector {
            None => selection.lock(RouteFilter::Key(self.key.clone())),
            Some((model, _)) => {
                let (project, tool) = (self.project.id.clone(), self.key.tool.clone());
                // The vectors of the tool's routes are adjacent, so they are read as one range.
                selection
                    .lock(RouteFilter::Tool(project.clone(), tool.clone()))
                    .lock(VectorFilter::Tool(project.clone(), tool))
                    .peek(VectorFilter::First(project, model.clone()))
            }
        }
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let Some(tool) = view.resolve(&self.project.id, &self.key.tool) else {
            return Err(Refusal::Unknown { what: "tool", id: self.key.tool.to_string() });
        };
        self.check_dimensions(view)?;
        if let Err(gone) = is_there(tool) {
            // Repeating a lesson is allowed even if the tool is absent now.
            let known = self.knows(view).then(|| Draft::new(view, self.at).finish());
            return known.map(Decision::Write).ok_or_else(|| gone.into());
        }
        let more = self.more(view);
        if view.looks <= 1 && more != Selection::new() {
            return Ok(Decision::Need(more));
        }
        let mut draft = Draft::new(view, self.at);
        let own = view.routes.get(&self.key);
        if let Some(own) = own {
            same_query(own, &self.folded)?;
        }
        let alike = self.alike(view);
        if own.into_iter().chain(&alike).any(|route| route.remembers(self.op)) {
            return Ok(Decision::Write(draft.finish()));
        }
        let eldest = alike.iter().chain(own).min_by_key(|route| (route.created_at, route.key.id));
        let known = match (eldest, own) {
            // Merge into the older route with the same meaning.
            (Some(eldest), _) if eldest.key != self.key => {
                let mut eldest = eldest.clone();
                if let Some(own) = own {
                    eldest.absorb(own);
                    draft.delete_route(&own.key);
                }
                Some(eldest)
            }
            (_, Some(own)) => {
                let mut own = own.clone();
                for younger in &alike {
                    own.absorb(younger);
                    draft.delete_route(&younger.key);
                }
                Some(own)
            }
            (_, None) => None,
        };
        let taught = Taught {
            project: &self.project.id,
            tool: &self.key.tool,
            query: &self.query,
            signal: self.signal,
            op: self.op,
            at: self.at,
        };
        if let Some(route) = taught.route(known, &self.policy.routes) {
            self.put(&mut draft, route);
            see(&mut draft, &self.project, self.at);
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

impl LearnRoute {
    /// Writes a route, and the vector of the query if the route has the same query.
    fn put(&self, draft: &mut Draft<'_>, mut route: Route) {
        if let Some((model, vector)) = &self.vector
            && route.key == self.key
        {
            route.model = Some(model.clone());
            draft.put(RouteVector {
                key: route.key.clone(),
                model: model.clone(),
                vector: vector.clone(),
            });
        }
        draft.put(route);
    }
}

/// Refuses to learn a route to an absent tool, unless a person pinned it. A failing tool may be learned, because a
/// success can restore it.
fn is_there(tool: &Tool) -> Result<(), Conflict> {
    if tool.presence.is_present() || tool.hold == Hold::Pinned {
        return Ok(());
    }
    let name = tool.key.name.clone();
    Err(match tool.is_withheld() {
        true => Conflict::Withheld { tool: name },
        false => Conflict::Gone { tool: name, since: tool.presence.since },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Revision;
    use crate::store::Pick;
    use crate::tool::{PresenceCause, ToolKind};

    /// The vectors of all routes of a tool are one range of the first read, for any number of routes.
    #[test]
    fn learning_with_a_vector_asks_for_vectors_once() {
        let name = ToolName::new("t").expect("a name");
        let project = ProjectRef::of_root("/p");
        let op = OpId::new("op").expect("an id");
        let model = ModelId::new("m").expect("an id");
        let learn = Learn {
            vector: Some((model.clone(), vec![1.0, 0.0])),
            ..Learn::new(op, "new", name.clone(), Timestamp::default())
        };
        let step = learn.step(&project, &Arc::new(Policy::default())).expect("it can be learned");
        let first = step.selection();
        let of_tool = VectorFilter::Tool(project.id.clone(), name.clone());
        assert!(first.vectors.iter().any(|pick| pick.filter == of_tool));
        let keyed = |pick: &Pick<VectorFilter>| matches!(pick.filter, VectorFilter::Key(_));
        assert!(!first.vectors.iter().any(keyed));

        let mut view = View { revision: Revision(0), looks: 1, ..View::default() };
        let key = crate::ids::ToolKey::global(name.clone());
        let at = Timestamp::default();
        view.tools.insert(key.clone(), Tool::new(key, ToolKind::Skill, PresenceCause::Used, at));
        for number in 0..50 {
            let query = format!("query {number}");
            let key = RouteKey::of(&project.id, &name, &query);
            let route = Route {
                key: key.clone(),
                query,
                confidence: Confidence::ONE,
                uses: 1,
                created_at: at,
                last_used_at: at,
                model: Some(model.clone()),
                ops: Vec::new(),
            };
            view.routes.insert(key, route);
        }
        match step.decide(&view) {
            Ok(Decision::Need(more)) => {
                assert_eq!(more, Selection::new().count_routes(project.id.clone()));
            }
            other => panic!("{other:?}"),
        }
    }
}
