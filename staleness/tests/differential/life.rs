//! A random life: events drawn from a seed, and what can be seen after each.

use std::fmt::Debug;

use serde::Serialize;
use staleness::ids::{AgentId, Level, OpId, SessionId, SourceId, ToolKey, ToolName};
use staleness::outcome::OutcomeKind;
use staleness::registry::{ByHand, Resume, ScopeChoice, ToolListing, Use};
use staleness::scan::{Found, ProjectRef, Scan, SourceReading};
use staleness::source::SourceState;
use staleness::store::StoreError;
use staleness::time::{DAY, HOUR, MINUTE};
use staleness::tool::{Hold, ToolKind};
use staleness::{BlockingRegistry, Timestamp};

use crate::items::ItemEvent;
use crate::routes::{self, RouteEvent};
use crate::work::WorkEvent;

const SERVERS: [&str; 4] = ["github", "my_server", "my", "claude.ai Mail"];
/// The names of tools in a life.
pub(crate) const NAMES: [&str; 10] = [
    "Bash",
    "/review",
    "mcp__github__search",
    "mcp__github__*",
    "mcp__my_server__run",
    "mcp__my__server__run",
    "mcp__claude_ai_Mail__read",
    "mcp__unheard_of__x",
    "a%b_c*",
    "\u{1f680}",
];
/// The projects of a life.
pub(crate) const ROOTS: [&str; 2] = ["/work/a", "/work/b"];

/// What happens.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Scan(Scan),
    Preview(Scan),
    Record(Vec<Use>),
    Hold(ByHand, Hold),
    Forget(ByHand),
    ForgetProject(ProjectRef, OpId, Timestamp),
    Told(ProjectRef, Option<SessionId>, Timestamp),
    Prune(Timestamp, bool),
    Items(ItemEvent),
    Work(WorkEvent),
    Routes(RouteEvent),
    Reopen,
}

/// A source of events. Deterministic: the same seed, the same life.
#[derive(Debug)]
pub(crate) struct Life {
    state: u64,
    now: Timestamp,
    ops: u64,
}

impl Life {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed, now: "2026-01-01T00:00:00Z".parse().unwrap(), ops: 0 }
    }

    /// SplitMix64 (<https://prng.di.unimi.it/splitmix64.c>).
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.draw() % end
    }

    pub(crate) fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        let at = self.below(all.len() as u64) as usize;
        all[at].clone()
    }

    pub(crate) fn project(&mut self) -> ProjectRef {
        ProjectRef::of_root(self.one_of(&ROOTS))
    }

    fn session(&mut self) -> Option<SessionId> {
        self.one_of(&[None, Some("s1"), Some("s2")]).map(|id| SessionId::new(id).unwrap())
    }

    /// Mostly a new one, at times one that was given before.
    pub(crate) fn op(&mut self) -> OpId {
        self.ops += 1;
        let number = if self.below(8) == 0 { self.below(self.ops) } else { self.ops };
        OpId::new(format!("op{number}")).unwrap()
    }

    /// Time passes; at times it jumps, in either direction.
    fn tick(&mut self) -> Timestamp {
        let step = match self.below(12) {
            0 => 40 * DAY,
            1 => -(5 * DAY),
            2 => -HOUR,
            3 => 0,
            4..6 => DAY,
            _ => MINUTE,
        };
        self.now = self.now.plus_millis(step);
        self.now
    }

    /// The next event.
    pub(crate) fn next(&mut self) -> Event {
        let at = self.tick();
        match self.below(52) {
            40.. => Event::Routes(self.route_event(at)),
            30.. => Event::Work(self.work_event(at)),
            0..4 => Event::Scan(self.scan(at)),
            4 => Event::Preview(self.scan(at)),
            5..12 => {
                let uses = 1 + self.below(4);
                Event::Record((0..uses).map(|_| self.used(at)).collect())
            }
            12 | 13 => Event::Hold(self.by_hand(at), self.one_of(&Hold::ALL)),
            14 => Event::Forget(self.by_hand(at)),
            15 if self.below(3) == 0 => Event::ForgetProject(self.project(), self.op(), at),
            15 | 16 => Event::Told(self.project(), self.session(), at),
            17 => Event::Prune(at, self.below(3) == 0),
            18 | 19 => Event::Reopen,
            _ => Event::Items(self.item_event(at)),
        }
    }

    fn used(&mut self, at: Timestamp) -> Use {
        let tool = ToolName::new(self.one_of(&NAMES)).unwrap();
        let outcome = self.one_of(&[
            OutcomeKind::Failure,
            OutcomeKind::Failure,
            OutcomeKind::Success,
            OutcomeKind::Interrupted,
        ]);
        let mut used = Use::new(self.op(), tool, outcome, at, self.project());
        used.session = self.session();
        used.agent = (self.below(2) == 0).then(|| AgentId::new("agent").unwrap());
        used.duration_ms = (self.below(2) == 0).then(|| self.below(5_000));
        if self.below(4) == 0 {
            used.mentions = vec![ToolName::new(self.one_of(&NAMES)).unwrap()];
        }
        used
    }

    fn by_hand(&mut self, at: Timestamp) -> ByHand {
        ByHand {
            op: self.op(),
            name: ToolName::new(self.one_of(&NAMES)).unwrap(),
            scope: self.one_of(&[ScopeChoice::Either, ScopeChoice::Global, ScopeChoice::Project]),
            project: self.project(),
            at,
            note: self.one_of(&[None, Some("why\nnot".to_owned())]),
            session: self.session(),
            actor: None,
        }
    }

    fn scan(&mut self, at: Timestamp) -> Scan {
        let project = self.project();
        let user = self.reading(None, Level::User, "mcp");
        let own = self.reading(Some(&project), Level::Project, "mcp");
        let live = self.reading(None, Level::Live, "tools");
        let sources = [user, own, live].into_iter().filter(|_| self.below(4) > 0).collect();
        Scan {
            project,
            sources,
            indexes: Vec::new(),
            read_under: Default::default(),
            at,
            session: self.session(),
            client: None,
        }
    }

    fn reading(&mut self, project: Option<&ProjectRef>, level: Level, part: &str) -> SourceReading {
        let mut found: Vec<Found> = Vec::new();
        for server in SERVERS {
            if level != Level::Live && self.below(3) > 0 {
                found.extend(Found::server(server));
            }
        }
        if level == Level::Live {
            for tool in ["search", "read"] {
                if self.below(2) == 0 {
                    found.extend(Found::server_tool("github", tool));
                }
            }
        } else if self.below(2) == 0 {
            let name = ToolName::new("/review").unwrap();
            found.push(Found::new(name, ToolKind::SlashCommand).described(Some("Reads it all")));
        }
        for each in &mut found {
            each.disabled = self.below(6) == 0;
        }
        let state = match self.below(8) {
            0 => SourceState::Failed,
            1 => SourceState::Partial,
            2 => SourceState::Missing,
            _ => SourceState::Read,
        };
        if matches!(state, SourceState::Failed | SourceState::Missing) {
            found.clear();
        }
        SourceReading {
            id: SourceId {
                project: project.map(|project| project.id.clone()),
                client: "client".into(),
                level,
                part: part.into(),
            },
            path: format!("/home/{part}.json"),
            state,
            root_is_there: self.below(4) > 0,
            error: None,
            found,
        }
    }

    /// What a caller can ask for in some projects, with the histories of some names.
    pub(crate) fn look(
        &self,
        registry: &BlockingRegistry,
        roots: &[&str],
        names: &[&str],
    ) -> String {
        let mut seen =
            vec![said(registry.projects()), said(registry.sources()), said(registry.revision())];
        for root in roots {
            let project = ProjectRef::of_root(*root);
            let all = ToolListing { all_projects: true, ..ToolListing::default() };
            seen.push(json(registry.list(&project, all, self.now)));
            seen.push(json(registry.rank(&project, 5, self.now)));
            seen.push(json(registry.suggest(&project, Some("review"), None, 5, self.now)));
            seen.push(json(registry.resume(&project, Resume::new(agent()), self.now)));
            seen.push(said(registry.sessions(&project.id)));
            seen.push(said(registry.items(&project.id)));
            seen.push(json(registry.stale_report(&project, self.now)));
            seen.push(routes::look(registry, &project.id));
            for name in names {
                let name = ToolName::new(name).unwrap();
                let keys =
                    [ToolKey::project(project.id.clone(), name.clone()), ToolKey::global(name)];
                seen.push(json(registry.history(&keys, 50)));
            }
        }
        seen.join("\n")
    }
}

impl Event {
    pub(crate) const fn is_reopening(&self) -> bool {
        matches!(self, Self::Reopen)
    }

    /// Does it, and what the registry reports of it.
    pub(crate) fn carry_out(&self, registry: &BlockingRegistry) -> String {
        let read = |scan: &Scan| {
            let read_under = registry.readings(&scan.project.id).unwrap();
            Scan { read_under, ..scan.clone() }
        };
        match self {
            Self::Scan(scan) => json(registry.apply_scan(read(scan))),
            Self::Preview(scan) => {
                json(registry.preview_scan(read(scan)).map(|(report, _)| report))
            }
            Self::Record(uses) => json(registry.record_all(uses.clone())),
            Self::Hold(by_hand, hold) => json(registry.set_hold(by_hand.clone(), *hold)),
            Self::Forget(by_hand) => json(registry.forget(by_hand.clone())),
            Self::ForgetProject(project, op, at) => {
                json(registry.forget_project(project.id.clone(), op.clone(), *at))
            }
            Self::Told(project, session, at) => {
                let resume = Resume { session: session.clone(), ..Resume::new(agent()) };
                let started = session
                    .as_ref()
                    .map(|id| said(registry.start_session(&project.id, &resume.agent, id, *at)));
                let delta = registry.resume(project, resume.clone(), *at);
                let marked = delta
                    .as_ref()
                    .ok()
                    .map(|delta| json(registry.mark_resumed(&project.id, &resume, delta, *at)));
                format!("{started:?} {} {marked:?}", json(delta))
            }
            Self::Prune(at, dry_run) => json(registry.prune_outcomes(*at, *dry_run)),
            Self::Items(event) => event.carry_out(registry),
            Self::Work(event) => event.carry_out(registry),
            Self::Routes(event) => event.carry_out(registry),
            Self::Reopen => String::new(),
        }
    }
}

/// Who is told.
fn agent() -> AgentId {
    AgentId::new("agent").expect("a name")
}

pub(crate) fn json<T: Serialize>(answer: Result<T, StoreError>) -> String {
    match answer {
        Ok(value) => serde_json::to_string(&value).unwrap(),
        Err(error) => error.to_string(),
    }
}

pub(crate) fn said<T: Debug>(answer: Result<T, StoreError>) -> String {
    answer.map_or_else(|error| error.to_string(), |value| format!("{value:?}"))
}
