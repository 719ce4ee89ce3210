//! Random workloads: registry operations selected by bytes, [`BYTES`] for each. The same bytes give the same
//! workload, for the case that compares every backend with the memory store, and for fuzzers.

mod compare;
mod draw;
mod items;
mod routes;
mod scans;
mod tools;
mod work;

use std::fmt::Debug;

use staleness_core::ids::{ItemKey, ToolKey, ToolName, WorkKey};
use staleness_core::registry::{FindTools, Resume, ToolListing, WorkListing};
use staleness_core::route::RouteKey;
use staleness_core::scan::ProjectRef;
use staleness_core::session::SessionKey;
use staleness_core::{Registry, RegistryError, Timestamp, Wait};

pub use compare::{Pace, Tally, compare, exported, registry};
use draw::{Draw, NAMES, ROOTS, agent};

/// Creates an event that calls a registry method with the named arguments (those after `&` by reference) and
/// returns its answer as text.
macro_rules! verb {
    ($of:ident().$verb:ident($($(& $(@ $none:tt)?)? $name:ident = $value:expr),+)) => {{
        let arguments = ($($value,)+);
        Event::new(concat!(stringify!($of), ".", stringify!($verb)), arguments, move |registry, ($($name,)+)| {
            said(registry.$of().$verb($($(& $($none)?)? $name),+).wait())
        })
    }};
}
use verb;

/// Number of bytes that select one event.
pub const BYTES: usize = 48;

type Run = Box<dyn Fn(&Registry) -> String>;

/// One operation of a caller.
pub struct Event {
    verb: &'static str,
    told: String,
    run: Option<Run>,
}

impl Event {
    /// Creates an event from a method's name, its arguments and a function.
    fn new<A: Debug + Clone + 'static>(
        verb: &'static str,
        arguments: A,
        run: impl Fn(&Registry, A) -> String + 'static,
    ) -> Self {
        let told = format!("{verb} {arguments:?}");
        Self { verb, told, run: Some(Box::new(move |registry| run(registry, arguments.clone()))) }
    }

    /// Returns the name of the method, or `reopen` if the store is closed and reopened.
    pub const fn verb(&self) -> &'static str {
        self.verb
    }

    /// Returns true if the event only closes and reopens the store.
    pub const fn reopens(&self) -> bool {
        self.run.is_none()
    }

    /// Runs the event and returns the registry's answer as text.
    pub fn run(&self, registry: &Registry) -> String {
        self.run.as_ref().map_or_else(String::new, |run| run(registry))
    }
}

impl Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.told)
    }
}

/// The state from which the next event is generated.
#[derive(Clone, Debug)]
pub struct Workload {
    now: Timestamp,
    ops: usize,
    made: Made,
}

/// The keys that events have tried to create.
#[derive(Clone, Debug, Default)]
struct Made {
    items: Vec<ItemKey>,
    work: Vec<WorkKey>,
    sessions: Vec<SessionKey>,
    routes: Vec<RouteKey>,
}

impl Default for Workload {
    fn default() -> Self {
        Self { now: Timestamp::from_millis(1_767_225_600_000), ops: 0, made: Made::default() }
    }
}

impl Workload {
    /// Returns the event selected by the bytes. Missing bytes count as 0.
    pub fn next(&mut self, bytes: &[u8]) -> Event {
        let mut draw = Draw::new(self, bytes);
        let at = draw.tick();
        match draw.below(50) {
            0..16 => draw.tool_event(at),
            16..26 => draw.item_event(at),
            26..34 => draw.work_event(at),
            34..38 => draw.session_event(at),
            38..48 => draw.route_event(at),
            _ => Event { verb: "reopen", told: "reopen".into(), run: None },
        }
    }

    /// Returns the parts visible to a caller, for one project and one name, which change with every event.
    fn glance(&self, registry: &Registry) -> String {
        let root = ROOTS[self.ops % ROOTS.len()];
        let name = NAMES[self.ops / 2 % NAMES.len()];
        format!("{}\n{}", self.seen(registry, &[root], &[name]), self.unexported(registry, &[root]))
    }

    /// Returns everything that a caller can see.
    pub fn look(&self, registry: &Registry) -> String {
        format!("{}\n{}", self.records(registry), self.unexported(registry, &ROOTS))
    }

    /// Returns everything that a caller can see of exported data.
    fn records(&self, registry: &Registry) -> String {
        self.seen(registry, &ROOTS, &NAMES)
    }

    fn seen(&self, registry: &Registry, roots: &[&str], names: &[&str]) -> String {
        let now = self.now;
        let delta = |project: &ProjectRef| {
            let mut delta =
                registry.sessions().resume(project, Resume::new(agent()), now).wait()?;
            delta.pruned_until = None;
            Ok(delta)
        };
        let mut seen = vec![
            said(registry.admin().projects().wait()),
            said(registry.admin().sources().wait()),
            said(registry.admin().revision().wait()),
        ];
        for root in roots {
            let project = ProjectRef::of_root(*root);
            let id = &project.id;
            let all = ToolListing { all_projects: true, ..ToolListing::default() };
            let work = registry.work().list(id, WorkListing::default()).wait();
            seen.extend([
                said(registry.tools().list(&project, all, now).wait()),
                said(registry.tools().list(&project, ToolListing::default(), now).wait()),
                said(registry.tools().rank(&project, 5, now).wait()),
                said(
                    registry
                        .tools()
                        .suggest(&project, FindTools::by_words("review", 5), now)
                        .wait(),
                ),
                said(registry.knowledge().list(id).wait()),
                said(work.and_then(|work| registry.work().reports(&project, work, now).wait())),
                said(registry.work().stale(&project, now).wait()),
                said(delta(&project)),
                said(registry.sessions().list(id).wait()),
                routes::seen(registry, id),
            ]);
            for name in names {
                let name = ToolName::new(name).expect("a name");
                let keys = [ToolKey::project(id.clone(), name.clone()), ToolKey::global(name)];
                seen.push(said(
                    registry.tools().history(&keys, 50).wait().map(|history| history.entries),
                ));
                seen.push(said(registry.tools().show(&project, &keys, now).wait()));
            }
        }
        seen.join("\n")
    }

    /// Returns data that is not exported: documents, and the time up to which the journal was pruned.
    fn unexported(&self, registry: &Registry, roots: &[&str]) -> String {
        let of = |root: &&str| {
            let project = ProjectRef::of_root(*root);
            let id = &project.id;
            let delta = registry.sessions().resume(&project, Resume::new(agent()), self.now).wait();
            [
                said(registry.documents().list(id).wait()),
                said(delta.map(|delta| delta.pruned_until)),
            ]
            .join("\n")
        };
        roots.iter().map(of).collect::<Vec<_>>().join("\n")
    }
}

/// Formats an answer of the registry as text.
fn said<T: Debug>(answer: Result<T, RegistryError>) -> String {
    answer.map_or_else(|error| one_line(&error), |value| format!("{value:?}"))
}

/// Returns the message of an error.
///
/// # Panics
/// If it is not one line.
pub fn one_line(error: &impl std::fmt::Display) -> String {
    let line = error.to_string();
    assert!(!line.contains(char::is_control), "{line:?}");
    line
}
