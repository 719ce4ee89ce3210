//! What happens in a life, chosen by the input: scans, uses, acts by hand, pruning, restarts, and a
//! clock that jumps.

use std::fmt::Debug;

use arbitrary::Unstructured;
use serde::Serialize;
use staleness_core::ids::{AgentId, Level, OpId, SessionId, SourceId, ToolKey, ToolName};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::{Act, ByHand, Resume, ScopeChoice, ToolListing, Use};
use staleness_core::scan::{Found, ProjectRef, Scan, SourceIndex, SourceReading};
use staleness_core::source::SourceState;
use staleness_core::store::StoreError;
use staleness_core::time::{DAY, HOUR, MINUTE};
use staleness_core::tool::{Hold, ToolKind};
use staleness_core::{BlockingRegistry, Timestamp};

use super::knowledge::{self, Deed, Happening};
use super::routes::{self, RouteDeed, RouteHappening};
use super::work::{self, WorkDeed, WorkHappening, agent};

const SERVERS: [&str; 4] = ["github", "my_server", "my", "claude.ai Mail"];
const NAMES: [&str; 12] = [
    "Bash",
    "/review",
    "mcp__github__search",
    "mcp__github__read",
    "mcp__github__*",
    "mcp__my_server__run",
    "mcp__my__server__run",
    "mcp__claude_ai_Mail__read",
    "mcp__unheard_of__x",
    "kit@market",
    "a%b_c*",
    "\u{1f680}'",
];
const ROOTS: [&str; 2] = ["/work/a", "/work/b_"];
const STEPS: [i64; 9] = [0, 1, MINUTE, 11 * MINUTE, HOUR, DAY, 40 * DAY, -HOUR, -5 * DAY];

/// What happens.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Scan(Scan),
    Preview(Scan),
    Late(Scan),
    Record(Vec<Use>),
    Quietly(Box<Use>),
    Hold(ByHand, Hold),
    Forget(ByHand),
    ForgetProject(ProjectRef, OpId, Timestamp),
    Told(ProjectRef, Option<SessionId>, Timestamp),
    Prune(Timestamp, bool),
    Knowledge(Box<Deed>),
    Work(Box<WorkDeed>),
    Routes(Box<RouteDeed>),
    Reopen,
}

/// A source of events: the same input, the same life.
#[derive(Debug)]
pub(crate) struct Life<'a> {
    input: Unstructured<'a>,
    now: Timestamp,
    ops: u8,
}

impl<'a> Life<'a> {
    pub(crate) fn new(input: Unstructured<'a>) -> Self {
        Self { input, now: Timestamp::from_millis(1_767_225_600_000), ops: 0 }
    }

    /// As it goes on from here, by other choices.
    pub(crate) fn with<'b>(&self, input: Unstructured<'b>) -> Life<'b> {
        Life { input, now: self.now, ops: self.ops }
    }

    /// The next event, as long as there is input.
    pub(crate) fn next(&mut self) -> Option<Event> {
        if self.input.is_empty() {
            return None;
        }
        let at = self.tick();
        Some(match self.below(42) {
            0..4 => Event::Scan(self.scan(at)),
            4 => Event::Preview(self.scan(at)),
            5 => Event::Late(self.scan(at)),
            6..9 => {
                let uses = 1 + self.below(4);
                Event::Record((0..uses).map(|_| self.used(at)).collect())
            }
            9 => Event::Quietly(Box::new(self.used(at))),
            10 => Event::Hold(self.by_hand(at), self.one_of(&Hold::ALL)),
            11 => Event::Forget(self.by_hand(at)),
            12 => Event::ForgetProject(self.project(), self.op(), at),
            13 => Event::Told(self.project(), self.session(), at),
            14 => Event::Prune(at, self.one_of(&[false, false, true])),
            15 => Event::Reopen,
            16..25 => Event::Knowledge(Box::new(self.deed(at))),
            25..33 => Event::Work(Box::new(self.work_deed(at))),
            _ => Event::Routes(Box::new(self.route_deed(at))),
        })
    }

    /// A number below `end`; 0 once there is no input left.
    fn below(&mut self, end: u8) -> u8 {
        self.input.int_in_range(0..=end - 1).unwrap_or(0)
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[usize::from(self.below(all.len() as u8))].clone()
    }

    fn maybe(&mut self) -> bool {
        self.below(2) == 1
    }

    fn project(&mut self) -> ProjectRef {
        ProjectRef::of_root(self.one_of(&ROOTS))
    }

    fn session(&mut self) -> Option<SessionId> {
        self.one_of(&[None, Some("s1"), Some("s_")]).map(|id| SessionId::new(id).expect("an id"))
    }

    fn name(&mut self) -> ToolName {
        ToolName::new(self.one_of(&NAMES)).expect("a name")
    }

    /// A new one, or one that was given before.
    fn op(&mut self) -> OpId {
        self.ops = self.ops.saturating_add(1);
        let number = match self.below(8) {
            0 => self.below(self.ops),
            _ => self.ops,
        };
        OpId::new(format!("op{number}")).expect("an id")
    }

    fn tick(&mut self) -> Timestamp {
        self.now = self.now.plus_millis(self.one_of(&STEPS));
        self.now
    }

    fn used(&mut self, at: Timestamp) -> Use {
        let kinds = [
            OutcomeKind::Failure,
            OutcomeKind::Failure,
            OutcomeKind::Success,
            OutcomeKind::Interrupted,
        ];
        let (name, kind) = (self.name(), self.one_of(&kinds));
        let mut used = Use::new(self.op(), name, kind, at, self.project());
        let more = self.below(64);
        used.session = if more & 1 == 1 { self.session() } else { None };
        used.agent = (more & 2 == 2).then(|| AgentId::new("agent").expect("an id"));
        used.duration_ms = (more & 4 == 4).then(|| u64::from(self.below(255)));
        used.server = (more & 8 == 8).then(|| self.one_of(&SERVERS).to_owned());
        if more & 16 == 16 {
            used.mentions = vec![self.name(), self.name()];
        }
        used.kind = (more & 32 == 32).then_some(ToolKind::Builtin);
        used
    }

    fn by_hand(&mut self, at: Timestamp) -> ByHand {
        ByHand {
            op: self.op(),
            name: self.name(),
            scope: self.one_of(&[ScopeChoice::Either, ScopeChoice::Global, ScopeChoice::Project]),
            project: self.project(),
            at,
            note: self.maybe().then(|| "why\nnot".to_owned()),
            session: self.session(),
            actor: None,
        }
    }

    fn deed(&mut self, at: Timestamp) -> Deed {
        Deed {
            what: self.one_of(&Happening::ALL),
            project: self.project(),
            act: Act { session: self.session(), ..Act::new(self.op(), at) },
            at,
            seeds: (u32::from(self.below(32)), u32::from(self.below(255))),
        }
    }

    fn work_deed(&mut self, at: Timestamp) -> WorkDeed {
        WorkDeed {
            what: self.one_of(&WorkHappening::ALL),
            project: self.project(),
            act: Act { session: self.session(), ..Act::new(self.op(), at) },
            session: self.session(),
            at,
            seeds: (u32::from(self.below(32)), u32::from(self.below(255))),
        }
    }

    fn route_deed(&mut self, at: Timestamp) -> RouteDeed {
        RouteDeed {
            what: self.one_of(&RouteHappening::ALL),
            project: self.project(),
            tool: self.name(),
            session: self.session(),
            op: self.op(),
            at,
            seeds: (u32::from(self.below(255)), u32::from(self.below(255))),
        }
    }

    fn scan(&mut self, at: Timestamp) -> Scan {
        let project = self.project();
        let which = self.below(32);
        let mut sources = Vec::new();
        if which & 1 == 0 {
            sources.push(self.reading(None, Level::User, "mcp"));
        }
        if which & 2 == 0 {
            sources.push(self.reading(Some(&project), Level::Project, "mcp"));
        }
        if which & 4 == 4 {
            sources.push(self.reading(None, Level::Live, "tools"));
        }
        if which & 8 == 8 {
            sources.push(self.reading(None, Level::User, "plugin:kit@market/mcp"));
        }
        let index = SourceIndex {
            client: "client".into(),
            level: Level::User,
            project: None,
            part_prefix: "plugin:".into(),
        };
        Scan {
            project,
            sources,
            indexes: if which & 16 == 16 { vec![index] } else { Vec::new() },
            read_under: Default::default(),
            at,
            session: self.session(),
            client: None,
        }
    }

    fn reading(&mut self, project: Option<&ProjectRef>, level: Level, part: &str) -> SourceReading {
        let states =
            [SourceState::Read, SourceState::Partial, SourceState::Missing, SourceState::Failed];
        let state = self.one_of(&states);
        let (listed, off) = (self.below(64), self.below(64));
        let mut all: Vec<Option<Found>> = if level == Level::Live {
            ["search", "read"].map(|tool| Found::server_tool("github", tool)).into()
        } else {
            SERVERS.map(Found::server).into()
        };
        let review = Found::new(ToolName::new("/review").expect("a name"), ToolKind::SlashCommand);
        all.push(Some(review.described(Some("Reads it all"))));
        let kit = ToolName::new("kit@market").expect("a name");
        if part.starts_with("plugin:") {
            all.iter_mut().flatten().for_each(|each| each.plugin = Some(kit.clone()));
        } else {
            all.push(Some(Found::new(kit, ToolKind::Plugin)));
        }
        let mut found = Vec::new();
        for (bit, each) in all.into_iter().enumerate() {
            if listed >> bit & 1 == 1
                && !matches!(state, SourceState::Missing | SourceState::Failed)
            {
                found.extend(each.map(|each| Found { disabled: off >> bit & 1 == 1, ..each }));
            }
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
            root_is_there: off & 1 == 0,
            error: None,
            found,
        }
    }

    /// A little of what can be seen; asking for everything each time would take most of the time.
    pub(super) fn glance(&self, registry: &BlockingRegistry) -> String {
        let project = ProjectRef::of_root(ROOTS[usize::from(self.ops) % ROOTS.len()]);
        let listed = json(registry.list(&project, ToolListing::default(), self.now));
        format!("{} {listed}", said(registry.revision()))
    }

    /// What a caller can ask for.
    pub(crate) fn look(&self, registry: &BlockingRegistry) -> String {
        let mut seen = vec![said(registry.projects()), said(registry.sources())];
        for root in ROOTS {
            let project = ProjectRef::of_root(root);
            let all = ToolListing { all_projects: true, ..ToolListing::default() };
            seen.push(json(registry.list(&project, all, self.now)));
            seen.push(json(registry.rank(&project, 5, self.now)));
            seen.push(json(registry.suggest(&project, Some("review"), None, 5, self.now)));
            seen.push(work::look(registry, &project, self.now));
            seen.push(routes::look(registry, &project.id));
            let name = ToolName::new(NAMES[usize::from(self.ops) % NAMES.len()]).expect("a name");
            let keys = [ToolKey::project(project.id.clone(), name.clone()), ToolKey::global(name)];
            seen.push(json(registry.history(&keys, 50)));
            seen.push(json(registry.show(&project, &keys, self.now)));
            seen.push(knowledge::look(registry, &project.id));
        }
        seen.join("\n")
    }
}

impl Event {
    /// Does it, and what the registry reports of it.
    pub(crate) fn carry_out(&self, registry: &BlockingRegistry) -> String {
        let read = |scan: &Scan| {
            let read_under = registry.readings(&scan.project.id)?;
            Ok(Scan { read_under, ..scan.clone() })
        };
        match self {
            Self::Scan(scan) => json(read(scan).and_then(|scan| registry.apply_scan(scan))),
            // What was read before somebody else's reading was applied.
            Self::Late(scan) => json(registry.apply_scan(scan.clone())),
            Self::Preview(scan) => {
                let preview = read(scan).and_then(|scan| registry.preview_scan(scan));
                json(preview.map(|(report, _)| report))
            }
            Self::Record(uses) => json(registry.record_all(uses.clone())),
            Self::Quietly(used) => json(registry.record_quietly(Use::clone(used))),
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
            Self::Knowledge(deed) => deed.carry_out(registry),
            Self::Work(deed) => deed.carry_out(registry),
            Self::Routes(deed) => deed.carry_out(registry),
            Self::Reopen => String::new(),
        }
    }
}

pub(super) fn json<T: Serialize>(answer: Result<T, StoreError>) -> String {
    match answer {
        Ok(value) => serde_json::to_string(&value).expect("a report is JSON"),
        Err(error) => one_line(&error),
    }
}

/// What an error says, which is one line.
pub(crate) fn one_line(error: &StoreError) -> String {
    let line = error.to_string();
    assert!(!line.contains(char::is_control), "{line:?}");
    line
}

pub(super) fn said<T: Debug>(answer: Result<T, StoreError>) -> String {
    answer.map_or_else(|error| one_line(&error), |value| format!("{value:?}"))
}
