//! The server: a store, its projects, and the tools.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{CallToolResult, JsonObject, Tool};
use serde_json::Value;
use staleness::Wait;
use staleness::ids::{AgentId, ProjectId, SessionId};
use staleness::session::SessionKey;
use staleness_docs::git::Watchdog;
use staleness_service::config::{Layers, default_policy};
use staleness_service::scan::apply;
use staleness_service::settings::{Access, Options, Settings, client_of};
use staleness_service::{ServiceError, SharedStore, Silent};

use crate::answer::{Answer, refused};
use crate::call::{Call, Caller, Projects};
use crate::spec::{Run, Spec};
use crate::tools;
use crate::turns::Turns;

/// An MCP server for one store and any number of projects. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Inner>,
    options: Arc<Options>,
    /// The only project that calls may use, if restricted.
    only: Option<ProjectId>,
    /// True if calls must not change global records.
    confined: bool,
    /// Limits concurrent blocking work. The remaining threads are for input and output.
    turns: Arc<Turns>,
}

/// The state shared by a server and its restricted copies.
struct Inner {
    store: SharedStore,
    tools: Vec<Tool>,
    specs: BTreeMap<Cow<'static, str>, Spec>,
    scanned: Mutex<Scanned>,
}

/// The time of the last scan of the configuration, by project.
#[derive(Default)]
struct Scanned(BTreeMap<ProjectId, Instant>);

impl Scanned {
    /// Returns true at the first call for a project and then at most once every [`SCAN_EVERY`]. Records the scan.
    fn is_due(&mut self, project: &ProjectId, now: Instant) -> bool {
        self.0.retain(|_, at| now.duration_since(*at) < SCAN_EVERY);
        let is_due = !self.0.contains_key(project) && self.0.len() < MAX_SCANNED;
        if is_due {
            self.0.insert(project.clone(), now);
        }
        is_due
    }
}

/// Minimum time between two scans of one project that are started by calls. A scan takes a few milliseconds if nothing
/// changed.
const SCAN_EVERY: Duration = Duration::from_secs(15);

/// Maximum number of projects whose last scan is remembered. Calls do not scan further ones.
const MAX_SCANNED: usize = 64;

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("store", self.shared.store.url()).finish_non_exhaustive()
    }
}

impl Server {
    /// Creates a server. The project in `options` is used for calls without a project.
    ///
    /// # Errors
    /// If an option is invalid.
    pub fn new(options: Options) -> Result<Self, ServiceError> {
        let settings = Settings::new(options.clone(), None, true)?;
        // The user's own settings must be valid. Errors in a project's file are reported later.
        Layers { project: None, ..settings.layers.clone() }.read()?;
        let specs = tools::all();
        let tools = specs.iter().map(|spec| spec.tool.clone()).collect();
        let shared = Inner {
            store: SharedStore::new(settings.url),
            tools,
            specs: specs.into_iter().map(|spec| (spec.tool.name.clone(), spec)).collect(),
            scanned: Mutex::default(),
        };
        // A later change of the current folder must not change the project.
        let project = options.project.or(Some(settings.place.folder));
        let options = Arc::new(Options { project, ..options });
        Ok(Self {
            shared: Arc::new(shared),
            options,
            only: None,
            confined: false,
            turns: Arc::default(),
        })
    }

    /// Returns this server for callers that may use only the project of one folder. They may change global records only
    /// if `writes_global`. Unless `is_alone`, they take at most half of the turns.
    #[cfg(feature = "http")]
    pub(crate) fn confined_to(
        &self,
        folder: &Path,
        writes_global: bool,
        is_alone: bool,
    ) -> Result<Self, ServiceError> {
        let project = Some(folder.to_path_buf());
        // Callers must not see the files of the user who runs the server, and must not be able to create a home folder.
        let top = folder.ancestors().last().unwrap_or(folder);
        let home = Some(top.join(format!("no-home-{}", staleness::clock::fresh_op())));
        let options = Options { project, home, ..(*self.options).clone() };
        let project = Settings::new(options.clone(), None, true)?.project;
        if Path::new(&project.root) != folder {
            let why = format!("the folder is in the project {:?}; use that one", project.root);
            return Err(ServiceError::invalid(why));
        }
        let turns = if is_alone { Arc::clone(&self.turns) } else { Arc::new(self.turns.part()) };
        let (options, only) = (Arc::new(options), Some(project.id));
        Ok(Self { options, only, confined: !writes_global, turns, ..self.clone() })
    }

    /// Returns the tools, as in `tools/list`.
    pub fn tools(&self) -> &[Tool] {
        &self.shared.tools
    }

    pub(crate) fn store(&self) -> &SharedStore {
        &self.shared.store
    }

    pub(crate) fn spec(&self, name: &str) -> Option<&Spec> {
        self.shared.specs.get(name)
    }

    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Returns the settings for a call, read again because files may change. The client's own name takes
    /// precedence over the agent in the environment.
    pub(crate) fn settings(
        &self,
        project: Option<String>,
        agent: Option<AgentId>,
    ) -> Result<Settings, ServiceError> {
        let mut options = (*self.options).clone();
        if let Some(project) = project {
            if self.only.is_some() && !options.project.as_deref().is_some_and(holds(&project)) {
                return Err(not_this_project());
            }
            options.project = Some(project.into());
        }
        let mut settings = Settings::new(options, None, true)?;
        // A folder inside the project may belong to a separate project.
        if self.only.as_ref().is_some_and(|only| *only != settings.project.id) {
            return Err(not_this_project());
        }
        if let Some(name) = agent {
            // The client is identified by its own name, even if the user gave it an alias.
            let client = client_of(&default_policy().agent_behind(name.clone()));
            settings.set_agent(settings.agent_behind(name), client);
        }
        settings.store = self.shared.store.clone();
        (settings.in_server, settings.confined) = (true, self.confined);
        Ok(settings)
    }

    /// Calls a tool by name, without a client. Blocks. An error of the tool is part of the result.
    ///
    /// Returns `None` if there is no such tool.
    pub fn call(&self, name: &str, arguments: JsonObject) -> Option<CallToolResult> {
        let spec = self.shared.specs.get(name)?;
        let caller = Caller::fresh();
        let done = self.run(&*spec.run, arguments, caller, &Silent, Watchdog::default());
        let mut answer = match done {
            Ok(answer) => answer,
            Err(error) => return Some(refused(&error, spec.next)),
        };
        if let Some(delivered) = answer.delivered.take() {
            delivered();
        }
        Some(answer.into_result())
    }

    pub(crate) fn run(
        &self,
        run: &Run,
        mut arguments: JsonObject,
        Caller { agent, session, claimed_in }: Caller,
        listener: &dyn staleness_service::Listener,
        watchdog: Watchdog,
    ) -> Result<Answer, ServiceError> {
        let project = match arguments.remove("project") {
            None | Some(Value::Null) => None,
            Some(Value::String(folder)) => Some(folder),
            Some(_) => {
                return Err(ServiceError::invalid("`project` must be a string")
                    .hint("give the path of a folder, or leave it out"));
            }
        };
        let mut settings = self.settings(project, agent.clone()).map_err(|mut error| {
            if error.message.starts_with("project ") {
                error.hint = Some("give the path of an existing folder, or leave it out".into());
            }
            error
        })?;
        settings.watchdog = watchdog;
        // A client without a name stays anonymous, even if the environment names one.
        let agent = settings.agent.clone().filter(|_| agent.is_some());
        // An agent on another machine has its own configuration.
        if agent.is_some() && settings.client.is_some() && self.only.is_none() {
            self.scan(&settings);
        }
        renew(&settings, &session, &claimed_in);
        run(&Call { settings, agent, session, claimed_in, listener }, arguments)
    }

    /// Scans the configuration if a scan is due, because the client may have no hook that scans. A failed scan does not
    /// fail the call, and is not retried before the next one is due.
    fn scan(&self, settings: &Settings) {
        let scanned = || self.shared.scanned.lock().unwrap_or_else(PoisonError::into_inner);
        if !scanned().is_due(&settings.project.id, Instant::now()) {
            return;
        }
        if let Ok(registry) = settings.open_for_hook(Access::Write) {
            drop(apply(&registry, settings, &[], None));
        }
    }
}

/// Renews the claims of a connection, as hooks renew those of a session. A failure does not fail the call.
fn renew(settings: &Settings, session: &SessionId, claimed_in: &Projects) {
    let projects = claimed_in.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let registry = (!projects.is_empty()).then(|| settings.open_for_hook(Access::Write));
    let Some(Ok(registry)) = registry else { return };
    for project in projects {
        let key = SessionKey { project, id: session.clone() };
        drop(registry.sessions().renew_claims(&key, settings.now).wait());
    }
}

/// Returns a predicate that is true if the folder at `named` is inside another folder after resolving links.
fn holds(named: &str) -> impl FnOnce(&Path) -> bool {
    move |folder| Path::new(named).canonicalize().is_ok_and(|named| named.starts_with(folder))
}

fn not_this_project() -> ServiceError {
    ServiceError::invalid("your token is for another project").hint("leave `project` out")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_scanned_every_15_seconds_and_only_so_many_of_them() {
        let mut scanned = Scanned::default();
        let project = |at: usize| ProjectId::of_root(&format!("/{at}"));
        let (begin, second) = (Instant::now(), Duration::from_secs(1));
        for (after, is_due) in [(0, true), (0, false), (14, false), (15, true), (29, false)] {
            assert_eq!(scanned.is_due(&project(0), begin + after * second), is_due, "{after}");
        }
        let now = begin + 29 * second;
        for at in 1..64 {
            assert!(scanned.is_due(&project(at), now), "{at}");
        }
        assert!(!scanned.is_due(&project(64), now));
        assert!(scanned.is_due(&project(64), now + second), "one of them is due again");
        assert!(!scanned.is_due(&project(0), now + second), "and lost its place");
    }
}
