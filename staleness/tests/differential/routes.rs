//! What happens to routes, their vectors and suggestions in a life.

use staleness::ids::{ModelId, OpId, ProjectId, SessionId, ToolName};
use staleness::registry::{FindRoutes, FindTools, Learn, ToldRoute};
use staleness::route::{
    Confidence, Precision, Prompted, Route, RouteId, RouteKey, SuggestedTool, Vector, fold_query,
};
use staleness::scan::ProjectRef;
use staleness::session::SessionKey;
use staleness::{BlockingRegistry, Timestamp};

use crate::life::{Life, NAMES, json, said};

const QUERIES: [&str; 7] = [
    "open issues",
    "Open  ISSUES",
    "review what is open",
    "run it\nall",
    "a%b_c \u{1f680}",
    "search the mail for issues",
    " ",
];
/// Models, with how many dimensions they have.
const MODELS: [(&str, usize); 2] = [("m", 3), ("m%", 2)];

/// Something that somebody does with routes.
#[derive(Clone, Debug)]
pub(crate) enum RouteEvent {
    Learn(ProjectRef, Learn),
    Use(Vec<RouteKey>, OpId, Timestamp),
    Prune(ProjectId, Timestamp, bool),
    PruneAll(Timestamp, bool),
    Forget(ProjectId, RouteId, Timestamp),
    Import(Vec<ToldRoute>, bool),
    Prompt(SessionKey, Prompted),
    End(SessionKey, Timestamp),
    Suggest(ProjectRef, SessionId, String, Timestamp),
    Find(ProjectRef, FindRoutes, FindTools, Timestamp),
}

impl Life {
    fn query(&mut self) -> String {
        self.one_of(&QUERIES).to_owned()
    }

    fn tool(&mut self) -> ToolName {
        ToolName::new(self.one_of(&NAMES)).unwrap()
    }

    fn signal(&mut self) -> f64 {
        self.one_of(&[1.0, 1.0, 0.75, 0.3, 0.05, 0.0, -1.0])
    }

    /// Few directions, so that some mean the same; at times one that fits nowhere.
    fn vector(&mut self) -> Option<(ModelId, Vec<f64>)> {
        if self.below(2) == 0 {
            return None;
        }
        let (model, dimensions) = self.one_of(&MODELS);
        let dimensions = if self.below(12) == 0 { dimensions + 1 } else { dimensions };
        let mut numbers: Vec<f64> = (0..dimensions).map(|_| self.below(3) as f64).collect();
        numbers[0] += self.below(2) as f64 * 0.01;
        Some((ModelId::new(model).unwrap(), numbers))
    }

    fn route_key(&mut self) -> RouteKey {
        let (project, tool, query) = (self.project().id, self.tool(), self.query());
        RouteKey::of(&project, &tool, &fold_query(&query))
    }

    fn session_key(&mut self) -> SessionKey {
        let id = SessionId::new(self.one_of(&["s1", "s2"])).unwrap();
        SessionKey { project: self.project().id, id }
    }

    fn learn(&mut self, at: Timestamp) -> Learn {
        let (signal, vector) = (self.signal(), self.vector());
        Learn { signal, vector, ..Learn::new(self.op(), self.query(), self.tool(), at) }
    }

    fn prompted(&mut self, at: Timestamp) -> Prompted {
        let query = Some(self.query()).filter(|_| self.below(4) > 0);
        let tools = (0..self.below(3)).map(|_| {
            let key = self.route_key();
            SuggestedTool { tool: key.tool, route: (self.below(2) == 0).then_some(key.id) }
        });
        Prompted { at, query, tools: tools.collect(), taught: Vec::new() }
    }

    fn told_route(&mut self, at: Timestamp) -> ToldRoute {
        let (project, tool, query) = (self.project().id, self.tool(), self.query());
        // Whoever hands them in has compared their dimensions.
        let sound = |(model, numbers): &(ModelId, Vec<f64>)| {
            MODELS.contains(&(model.as_str(), numbers.len()))
        };
        let vector = self.vector().filter(sound).and_then(|(model, numbers)| {
            let vector = Vector::new(&numbers, self.one_of(&Precision::ALL));
            Some((model, vector.ok()?))
        });
        let route = Route {
            key: RouteKey::of(&project, &tool, &fold_query(&query)),
            query,
            confidence: Confidence::new(self.signal().max(0.0)).unwrap(),
            uses: self.below(9),
            created_at: at.minus_days(3),
            last_used_at: at.minus_days(self.below(3) as i64),
            model: None,
            ops: Vec::new(),
        };
        ToldRoute { route, vector }
    }

    pub(crate) fn route_event(&mut self, at: Timestamp) -> RouteEvent {
        match self.below(24) {
            0..9 => RouteEvent::Learn(self.project(), self.learn(at)),
            9 | 10 => {
                let keys = (0..=self.below(3)).map(|_| self.route_key()).collect();
                RouteEvent::Use(keys, self.op(), at)
            }
            11 => RouteEvent::Prune(self.project().id, at, self.below(3) == 0),
            12 => RouteEvent::PruneAll(at, self.below(3) == 0),
            13 => {
                let key = self.route_key();
                RouteEvent::Forget(key.project, key.id, at)
            }
            14 => {
                let many = self.below(4);
                let routes = (0..many).map(|_| self.told_route(at)).collect();
                RouteEvent::Import(routes, self.below(4) == 0)
            }
            15..19 => RouteEvent::Prompt(self.session_key(), self.prompted(at)),
            19 => RouteEvent::End(self.session_key(), at),
            20 => {
                let session = self.session_key().id;
                RouteEvent::Suggest(self.project(), session, self.query(), at)
            }
            _ => {
                let (query, vector, limit) = (self.query(), self.vector(), 5);
                let session = Some(self.session_key().id).filter(|_| self.below(2) == 0);
                let (asked, meant) = (Some(query.clone()), vector.clone());
                let tools = FindTools { query: asked, vector: meant, session, limit };
                RouteEvent::Find(self.project(), FindRoutes { query, vector, limit }, tools, at)
            }
        }
    }
}

impl RouteEvent {
    /// Does it, and what the registry answers.
    pub(crate) fn carry_out(&self, registry: &BlockingRegistry) -> String {
        match self.clone() {
            Self::Learn(project, learn) => {
                let preview = said(registry.preview_learn(&project, learn.clone()));
                format!("{preview}\n{}", said(registry.learn_route(&project, learn)))
            }
            Self::Use(keys, op, at) => said(registry.use_routes(keys, &op, at)),
            Self::Prune(project, at, dry) => json(registry.prune_routes(&project, at, dry)),
            Self::PruneAll(at, dry) => json(registry.prune_all_routes(at, dry)),
            Self::Forget(project, id, at) => {
                let near = said(registry.nearest_route(&project, &id.to_string()));
                format!("{near}\n{}", said(registry.forget_route(&project, id, at)))
            }
            Self::Import(routes, dry) => said(registry.import_routes(routes, dry)),
            Self::Prompt(key, prompted) => {
                let noted = said(registry.note_prompt(key.clone(), prompted));
                format!("{noted}\n{}", said(registry.suggestions(&key)))
            }
            Self::End(key, at) => {
                let known = said(registry.suggestions(&key));
                format!("{known}\n{}", said(registry.forget_suggestions(key, at)))
            }
            Self::Suggest(project, session, prompt, at) => {
                said(registry.suggest_for_prompt(&project, &session, &prompt, at))
            }
            Self::Find(project, routes, tools, at) => {
                let routes = json(registry.find_routes(&project, routes, at));
                let offered = said(registry.suggest_tools(&project, tools.clone(), at));
                let all = said(registry.discover_tools(&project, tools, at));
                format!("{routes}\n{offered}\n{all}")
            }
        }
    }
}

/// What is known of the routes of a project: vectors in the order of their keys.
pub(crate) fn look(registry: &BlockingRegistry, project: &ProjectId) -> String {
    let mut seen = vec![said(registry.routes(project))];
    for (model, _) in MODELS {
        let model = ModelId::new(model).unwrap();
        seen.push(said(registry.dimensions_of(project, &model)));
        seen.push(said(registry.route_vectors(project, &model)));
    }
    seen.join("\n")
}
