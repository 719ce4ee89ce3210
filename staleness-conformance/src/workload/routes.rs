//! Events about routes, vectors and suggestions.

use staleness_core::ids::{ModelId, ProjectId};
use staleness_core::registry::{FindRoutes, FindTools, Learn};
use staleness_core::route::{
    Confidence, Precision, Prompted, Route, RouteKey, RouteVector, SuggestedTool, Vector,
};
use staleness_core::transfer::Record;
use staleness_core::{Registry, Timestamp, Wait};

use super::draw::Draw;
use super::{Event, said, verb};

const QUERIES: [&str; 8] = [
    "open issues",
    "Open  ISSUES",
    "review what is open",
    "read what is open",
    "run it\nall",
    "a%b_c \u{1f680}'",
    "search the mail for issues",
    " ",
];
/// Models, with their number of dimensions.
const MODELS: [(&str, usize); 2] = [("m", 3), ("m%", 2)];

impl Draw<'_> {
    fn query(&mut self) -> String {
        self.mostly_first(&QUERIES).to_owned()
    }

    fn signal(&mut self) -> f64 {
        self.one_of(&[1.0, 1.0, 1.0, 0.75, 0.75, 0.3, 0.05, 0.0, -1.0])
    }

    /// Returns a vector with one of a few directions, so that some vectors are equal. If `any` is set, it is sometimes
    /// invalid.
    fn vector(&mut self, any: bool) -> (ModelId, Vec<f64>) {
        let (model, dimensions) = self.one_of(&MODELS);
        let dimensions = dimensions + usize::from(any && self.below(12) == 11);
        let mut numbers: Vec<f64> = (0..dimensions).map(|_| self.below(3) as f64).collect();
        numbers[0] += self.below(2) as f64 * 0.01;
        (ModelId::new(model).expect("an id"), numbers)
    }

    fn route_key(&mut self) -> RouteKey {
        self.again(|made| &made.routes).unwrap_or_else(|| self.new_route_key())
    }

    fn new_route_key(&mut self) -> RouteKey {
        let (project, tool, query) = (self.project().id, self.tool(), self.query());
        RouteKey::of(&project, &tool, &Route::fold(&query))
    }

    fn learn(&mut self, at: Timestamp) -> Learn {
        let vector = self.perhaps(|draw| draw.vector(true));
        let (signal, query) = (self.signal(), self.query());
        Learn { signal, vector, ..Learn::new(self.op(), query, self.tool(), at) }
    }

    fn prompted(&mut self, at: Timestamp) -> Prompted {
        let query = Some(self.query()).filter(|_| self.below(4) < 3);
        let tools = (0..self.below(3)).map(|_| {
            let key = self.route_key();
            SuggestedTool { tool: key.tool, route: self.perhaps(|_| key.id) }
        });
        Prompted { at, query, tools: tools.collect(), taught: Vec::new() }
    }

    fn route(&mut self, at: Timestamp) -> Vec<Record> {
        let (project, tool, query) = (self.project().id, self.tool(), self.query());
        // The caller of this method has already compared the dimensions.
        let key = RouteKey::of(&project, &tool, &Route::fold(&query));
        let vector = self.perhaps(|draw| draw.vector(false)).and_then(|(model, numbers)| {
            let vector = Vector::new(&numbers, self.one_of(&Precision::ALL)).ok()?;
            Some(RouteVector { key: key.clone(), model, vector })
        });
        let route = Route {
            key,
            query,
            confidence: Confidence::new(self.signal().max(0.0)).expect("it lies in 0..=1"),
            uses: self.below(9) as u64,
            created_at: at.minus_days(3),
            last_used_at: at.minus_days(self.below(3) as i64),
            model: vector.as_ref().map(|row| row.model.clone()),
            ops: Vec::new(),
        };
        let vector = vector.map(|row| Record::Vector(Box::new(row)));
        std::iter::once(Record::Route(Box::new(route))).chain(vector).collect()
    }

    /// Returns an import of records that have no journal of their own.
    pub(super) fn imported(
        &mut self,
        name: &'static str,
        rows: Vec<Record>,
        at: Timestamp,
    ) -> Event {
        let it = (rows, self.act(at), self.below(3) == 2);
        Event::new(name, it, |registry, (rows, act, dry_run)| {
            let import = || {
                let mut importer = registry.admin().importer(dry_run).wait()?.by(act);
                rows.into_iter().try_for_each(|row| importer.put(row).wait())?;
                importer.finish().wait()
            };
            said(import())
        })
    }

    pub(super) fn route_event(&mut self, at: Timestamp) -> Event {
        match self.below(24) {
            0..11 => {
                let lesson = (self.project(), self.learn(at));
                let query = Route::fold(&lesson.1.query);
                let key = RouteKey::of(&lesson.0.id, &lesson.1.tool, &query);
                self.workload.made.routes.push(key);
                Event::new("routes.learn", lesson, |registry, (project, learn)| {
                    let preview =
                        said(registry.routes().preview_learn(&project, learn.clone()).wait());
                    format!("{preview}\n{}", said(registry.routes().learn(&project, learn).wait()))
                })
            }
            11 => verb!(routes().prune(
                &id = self.project().id,
                at = at,
                dry_run = self.below(3) == 2
            )),
            12 => verb!(routes().prune_all(at = at, dry_run = self.below(3) == 2)),
            13 => Event::new("routes.forget", self.route_key(), move |registry, key| {
                said(registry.routes().forget(&key.project, key.id, at).wait())
            }),
            14 => {
                let rows = self.some(3, |draw| draw.route(at)).concat();
                self.imported("routes.import", rows, at)
            }
            15..19 => {
                let noted = (self.session_key(), self.prompted(at), self.below(4) == 3);
                Event::new("sessions.note_prompt", noted, |registry, (key, prompted, only)| {
                    let noted = if only {
                        registry.sessions().note_suggested(key.clone(), prompted).wait()
                    } else {
                        registry.sessions().note_prompt(key.clone(), prompted).wait()
                    };
                    let known = registry.sessions().suggestions(&key).wait();
                    [said(noted), said(known)].join("\n")
                })
            }
            19 => Event::new(
                "sessions.forget_suggestions",
                self.session_key(),
                move |registry, key| {
                    let known = said(registry.sessions().suggestions(&key).wait());
                    let forgotten = registry.sessions().forget_suggestions(key, at).wait();
                    [known, said(forgotten)].join("\n")
                },
            ),
            20 => verb!(tools().suggest_for_prompt(
                &project = self.project(),
                &id = self.session(),
                &prompt = self.query(),
                at = at
            )),
            _ => {
                let vector = self.perhaps(|draw| draw.vector(true));
                let (query, session) = (self.query(), self.perhaps(Self::session));
                let asked = (self.project(), query, vector, session);
                Event::new(
                    "find_routes",
                    asked,
                    move |registry, (project, query, vector, session)| {
                        let limit = 5;
                        let (asked, meant) = (Some(query.clone()), vector.clone());
                        let tools = FindTools { query: asked, vector: meant, session, limit };
                        let routes = FindRoutes { query, vector, limit };
                        [
                            said(registry.routes().find(&project, routes, at).wait()),
                            said(registry.tools().suggest(&project, tools.clone(), at).wait()),
                            said(registry.tools().discover(&project, tools, at).wait()),
                        ]
                        .join("\n")
                    },
                )
            }
        }
    }
}

/// Returns a project's routes as text, with vectors in key order.
pub(super) fn seen(registry: &Registry, project: &ProjectId) -> String {
    let mut seen = vec![said(registry.routes().list(project).wait())];
    for (model, _) in MODELS {
        let model = ModelId::new(model).expect("an id");
        let vectors = registry.routes().vectors(project, &model).wait();
        seen.extend([said(registry.routes().dimensions(project, &model).wait()), said(vectors)]);
    }
    seen.join("\n")
}
