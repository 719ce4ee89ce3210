//! A small world for tests: scans and uses over a store in memory, at times that the test sets.

pub(crate) mod items;
pub(crate) mod teaching;

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use staleness_core::ids::{
    AgentId, ClientId, Level, OpId, ProjectId, Scope, SessionId, SourceId, ToolKey, ToolName,
};
use staleness_core::journal::JournalEntry;
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::{
    Act, ByHand, FindTools, Learn, RecordReport, Resume, ScopeChoice, ToolListing, Use,
};
use staleness_core::report::{Delta, ScanReport, Suggestion, ToolReport};
use staleness_core::scan::{Found, ProjectRef, Scan, SourceIndex, SourceReading};
use staleness_core::source::SourceState;
use staleness_core::store::{
    Change, ChangeSet, Commit, Decision, Durability, Query, Refusal, Row, Selection, Step, View,
};
use staleness_core::tool::{Hold, Status, Tool, ToolKind};
use staleness_core::{MemoryStore, Policy, Registry, RegistryStore, StoreError, Timestamp, Wait};

/// The store in memory, with every commit and the selection of every view kept, and every decision asked for twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spy {
    inner: MemoryStore,
    commits: Arc<Mutex<Vec<Commit>>>,
    pub(crate) views: Arc<Mutex<Vec<Selection>>>,
    last_step: Arc<Mutex<Option<Arc<dyn Step>>>>,
    /// A route that somebody else learns just before the next commit.
    pub(crate) meanwhile: Arc<Mutex<Option<(ProjectRef, Learn)>>>,
}

/// Writes rows as they are.
#[derive(Debug)]
struct Put(ChangeSet);

impl Step for Put {
    fn selection(&self) -> Selection {
        self.0.locks()
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Ok(Decision::Write(self.0.clone()))
    }
}

#[derive(Debug)]
struct Twice(Arc<dyn Step>);

impl Step for Twice {
    fn selection(&self) -> Selection {
        self.0.selection()
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let first = self.0.decide(view);
        assert_eq!(first, self.0.decide(view), "a step must decide from what it saw alone");
        first
    }

    fn durability(&self) -> Durability {
        self.0.durability()
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl RegistryStore for Spy {
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        self.views.lock().unwrap().push(query.selection());
        self.inner.view(query).await
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        let learns = self.meanwhile.lock().unwrap().take();
        if let Some((project, learn)) = learns {
            let other = Registry::new(Arc::new(self.clone()), Policy::default());
            other.routes().learn(&project, learn).await.unwrap();
        }
        *self.last_step.lock().unwrap() = Some(Arc::clone(&step));
        let commit = self.inner.transact(Arc::new(Twice(step))).await?;
        assert_real(&commit);
        self.commits.lock().unwrap().push(commit.clone());
        Ok(commit)
    }

    async fn pages(
        &self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        self.inner.pages(selection, visit).await
    }

    async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        self.inner.backup(to).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.inner.check().await
    }
}

/// Asserts that every row that was written differs from what was seen.
fn assert_real(commit: &Commit) {
    macro_rules! real {
        ($($field:ident: $row:ty,)*) => {$(
            for change in &commit.changes.$field {
                if let Change::Put(row) = change {
                    let seen = commit.view.$field.get(Row::key(row));
                    assert_ne!(seen, Some(row), "written without a change");
                }
            }
        )*};
    }
    staleness_core::collections!(real);
}

/// A registry with a clock that the test moves, and one project that is meant unless another is
/// named.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) spy: Spy,
    pub(crate) registry: Registry,
    pub(crate) project: ProjectRef,
    clock: Cell<i64>,
    ops: Cell<u64>,
}

impl Default for World {
    fn default() -> Self {
        Self::with(Policy::default())
    }
}

impl World {
    /// A registry with the default policy, and its project.
    pub(crate) fn and_project() -> (Self, ProjectRef) {
        let world = Self::default();
        let project = world.project.clone();
        (world, project)
    }

    pub(crate) fn with(policy: Policy) -> Self {
        let spy = Spy::default();
        let registry = Registry::new(Arc::new(spy.clone()), policy);
        Self {
            spy,
            registry,
            project: ProjectRef::of_root("/p"),
            clock: Cell::new(1_000 * Timestamp::DAY),
            ops: Cell::new(0),
        }
    }

    /// Returns this world as a client sees it.
    pub(crate) fn seen_by(&self, client: &str) -> Self {
        Self {
            spy: self.spy.clone(),
            registry: self.registry.clone().seen_by(Some(ClientId::new(client).unwrap())),
            project: self.project.clone(),
            clock: self.clock.clone(),
            ops: self.ops.clone(),
        }
    }

    /// Creates a registry that keeps raw outcomes for a number of days, and at least the newest ones.
    pub(crate) fn keeping(keep_days: u32, keep_newest: u64) -> Self {
        let mut policy = Policy::default();
        (policy.outcomes.keep_days, policy.outcomes.keep_newest) = (keep_days, keep_newest);
        Self::with(policy)
    }

    /// Writes rows as they are.
    pub(crate) fn put(&self, changes: ChangeSet) {
        self.spy.transact(Arc::new(Put(changes))).wait().unwrap();
    }

    // Time and ids.

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.get())
    }

    /// Moves the clock, backwards too.
    pub(crate) fn pass(&self, millis: i64) {
        self.clock.set(self.clock.get() + millis);
    }

    /// Passes days, with a use of another tool on each.
    pub(crate) fn work(&self, days: i64) {
        for _ in 0..days {
            self.pass(Timestamp::DAY);
            self.uses("busy", "S");
        }
    }

    pub(crate) fn op(&self) -> OpId {
        self.ops.set(self.ops.get() + 1);
        OpId::new(format!("op-{}", self.ops.get())).unwrap()
    }

    // Scans.

    /// Returns a scan of `project` that read these sources now.
    pub(crate) fn scan_of(&self, project: &ProjectRef, sources: Vec<SourceReading>) -> Scan {
        Scan {
            project: project.clone(),
            sources,
            indexes: Vec::new(),
            read_under: self.registry.tools().readings(&project.id).wait().unwrap(),
            at: self.now(),
            session: None,
            client: None,
        }
    }

    pub(crate) fn scan(&self, sources: Vec<SourceReading>) -> ScanReport {
        self.scan_in(&self.project, sources)
    }

    pub(crate) fn scan_in(&self, project: &ProjectRef, sources: Vec<SourceReading>) -> ScanReport {
        self.pass(Timestamp::SECOND);
        self.registry.tools().apply_scan(self.scan_of(project, sources)).wait().unwrap()
    }

    // Uses.

    pub(crate) fn a_use(&self, name: &str, outcome: OutcomeKind) -> Use {
        Use::new(self.op(), tool_name(name), outcome, self.now(), self.project.clone())
    }

    /// Records one use per letter (`S`, `F`, `I`), a second apart; the last report.
    pub(crate) fn uses(&self, name: &str, letters: &str) -> RecordReport {
        self.uses_in(&self.project, name, letters)
    }

    pub(crate) fn uses_in(&self, project: &ProjectRef, name: &str, letters: &str) -> RecordReport {
        let mut last = None;
        for letter in letters.chars() {
            self.pass(Timestamp::SECOND);
            let mut used = self.a_use(name, outcome(letter));
            used.project = project.clone();
            last = Some(self.registry.tools().record(used).wait().unwrap());
        }
        last.expect("at least one letter")
    }

    // Searches.

    pub(crate) fn discover(&self, query: &str, limit: usize) -> Vec<Suggestion> {
        let find = FindTools::by_words(query, limit);
        self.registry.tools().discover(&self.project, find, self.now()).wait().unwrap().tools
    }

    pub(crate) fn suggest(&self, find: FindTools) -> Vec<Suggestion> {
        self.registry.tools().suggest(&self.project, find, self.now()).wait().unwrap().tools
    }

    pub(crate) fn list(&self, project: &ProjectRef) -> Vec<ToolReport> {
        let listing = ToolListing::default();
        self.registry.tools().list(project, listing, self.now()).wait().unwrap()
    }

    // By hand.

    pub(crate) fn by_hand(&self, name: &str) -> ByHand {
        ByHand {
            act: Act::new(self.op(), self.now()),
            name: tool_name(name),
            scope: ScopeChoice::Either,
            project: self.project.clone(),
        }
    }

    pub(crate) fn hold(&self, name: &str, hold: Hold) -> ToolReport {
        self.pass(Timestamp::SECOND);
        self.registry.tools().set_hold(self.by_hand(name), hold).wait().unwrap()
    }

    // What is stored.

    pub(crate) fn everything(&self) -> View {
        let mut all = View::default();
        let mut visit = |page| {
            all.merge(page);
            ControlFlow::Continue(())
        };
        self.registry.admin().pages(&Selection::everything(), &mut visit).wait().unwrap();
        all
    }

    pub(crate) fn find(&self, key: &ToolKey) -> Option<Tool> {
        self.everything().tools.remove(key)
    }

    /// The global tool, else the project's.
    pub(crate) fn tool(&self, name: &str) -> Tool {
        self.find(&ToolKey::global(tool_name(name)))
            .or_else(|| self.find(&ToolKey::project(self.project.id.clone(), tool_name(name))))
            .unwrap_or_else(|| panic!("{name} is not known"))
    }

    pub(crate) fn status(&self, name: &str) -> Status {
        self.tool(name).status()
    }

    /// `present` or `absent`, and the cause.
    pub(crate) fn presence(&self, name: &str) -> &'static str {
        self.tool(name).presence.cause.as_str()
    }

    pub(crate) fn report(&self, name: &str) -> ToolReport {
        self.report_in(&self.project, name)
    }

    pub(crate) fn report_in(&self, project: &ProjectRef, name: &str) -> ToolReport {
        let key =
            self.registry.tools().find_key(&project.id, name, ScopeChoice::Either).wait().unwrap();
        self.registry.tools().show(project, &[key], self.now()).wait().unwrap()
    }

    /// The journal of a name, in whatever scope, as `action from to cause`, oldest first.
    pub(crate) fn history(&self, name: &str) -> Vec<String> {
        let line = |entry: &JournalEntry| {
            let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
            let (from, to) = (word(&entry.from), word(&entry.to));
            format!("{} {from} {to} {}", entry.action.as_str(), entry.cause)
        };
        let all = self.everything().journal;
        all.values().filter(|entry| entry.subject.id == name).map(line).collect()
    }

    pub(crate) fn last_commit(&self) -> Commit {
        self.spy.commits.lock().unwrap().last().cloned().expect("a commit")
    }

    pub(crate) fn last_step(&self) -> Arc<dyn Step> {
        self.spy.last_step.lock().unwrap().clone().expect("a step")
    }

    pub(crate) fn commits(&self) -> Vec<Commit> {
        self.spy.commits.lock().unwrap().clone()
    }

    // Telling.

    /// A session start of `project`: what it is told, and that it was.
    pub(crate) fn told(&self, project: &ProjectRef, session_id: &str) -> Delta {
        self.pass(Timestamp::SECOND);
        let session = session(session_id);
        let (resume, delta) = self.looked(project, &session);
        let sessions = self.registry.sessions();
        sessions.mark_resumed(&project.id, &resume, &delta, self.now()).wait().unwrap();
        delta
    }

    /// As [`World::told`], cut off before the telling is marked as done.
    pub(crate) fn looked(&self, project: &ProjectRef, session: &SessionId) -> (Resume, Delta) {
        let agent = AgentId::new("agent").unwrap();
        self.registry.sessions().start(&project.id, &agent, session, self.now()).wait().unwrap();
        let resume = Resume { session: Some(session.clone()), ..Resume::new(agent) };
        let delta =
            self.registry.sessions().resume(project, resume.clone(), self.now()).wait().unwrap();
        (resume, delta)
    }
}

/// Returns true if there is nothing to say of tools.
pub(crate) fn is_silent(delta: &Delta) -> bool {
    delta.tools.is_empty() && delta.failing.is_empty()
}

/// The tools that changed as `name from to cause`.
pub(crate) fn changes(delta: &Delta) -> Vec<String> {
    let word = |status: Option<Status>| status.map_or("-", Status::as_str);
    let tools = delta.tools.iter().map(|each| (each, word(each.from), each.to.as_str()));
    tools.map(|(each, from, to)| format!("{} {from} {to} {}", each.name, each.cause)).collect()
}

pub(crate) fn names(tools: &[ToolReport]) -> Vec<&str> {
    tools.iter().map(|tool| tool.key.name.as_str()).collect()
}

pub(crate) fn sources(tool: &ToolReport) -> Vec<String> {
    tool.sources.iter().map(ToString::to_string).collect()
}

pub(crate) fn outcome(letter: char) -> OutcomeKind {
    match letter {
        'S' => OutcomeKind::Success,
        'F' => OutcomeKind::Failure,
        'I' => OutcomeKind::Interrupted,
        'U' => OutcomeKind::Unknown,
        other => panic!("{other} is no outcome"),
    }
}

pub(crate) fn tool_name(name: &str) -> ToolName {
    ToolName::new(name).unwrap()
}

pub(crate) fn session(id: &str) -> SessionId {
    SessionId::new(id).unwrap()
}

pub(crate) fn project_scope(project: &ProjectRef) -> Scope {
    Scope::Project(project.id.clone())
}

// Sources.

pub(crate) fn source(project: Option<&ProjectId>, level: Level, part: &str) -> SourceId {
    SourceId { project: project.cloned(), client: "client".into(), level, part: part.into() }
}

/// A source of the user, for every project.
pub(crate) fn user(part: &str) -> SourceId {
    source(None, Level::User, part)
}

/// A source in the project's folder.
pub(crate) fn own(project: &ProjectRef, part: &str) -> SourceId {
    source(Some(&project.id), Level::Project, part)
}

pub(crate) fn reading(id: SourceId, state: SourceState, found: Vec<Found>) -> SourceReading {
    let path = format!("/somewhere/{}", id.part);
    SourceReading { id, path, state, root_is_there: true, error: None, found }
}

pub(crate) fn read(id: SourceId, found: Vec<Found>) -> SourceReading {
    reading(id, SourceState::Read, found)
}

pub(crate) fn failed(id: SourceId) -> SourceReading {
    reading(id, SourceState::Failed, Vec::new())
}

pub(crate) fn missing(id: SourceId) -> SourceReading {
    reading(id, SourceState::Missing, Vec::new())
}

/// The index that names every plugin's sources of the user.
pub(crate) fn plugin_index() -> SourceIndex {
    SourceIndex {
        client: "client".into(),
        level: Level::User,
        project: None,
        part_prefix: "plugin:".into(),
    }
}

// What sources list.

pub(crate) fn server(name: &str) -> Found {
    Found::server(name).unwrap()
}

pub(crate) fn server_tool(server: &str, tool: &str) -> Found {
    Found::server_tool(server, tool).unwrap()
}

pub(crate) fn found(name: &str, kind: ToolKind) -> Found {
    Found::new(tool_name(name), kind)
}

pub(crate) fn command(name: &str) -> Found {
    found(name, ToolKind::SlashCommand)
}

pub(crate) fn skill(name: &str) -> Found {
    found(name, ToolKind::Skill)
}

pub(crate) fn off(found: Found) -> Found {
    found.switched_off(true)
}
