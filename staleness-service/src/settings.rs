//! Settings that everything needs: store, project, home, time and policy.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use staleness::ids::{AgentId, ClientId, ProjectId};
use staleness::scan::ProjectRef;
use staleness::store::StoreError;
use staleness::{Policy, Registry, StoreUrl, Timestamp, Wait, clock};
use staleness_docs::git::{LazyRepo, Limits, Program, Watchdog};
use staleness_docs::project::{ProjectPlace, discover};
use staleness_sources::clients;

use crate::config::{Configured, FILE_NAME, Layers, SET_VARIABLE};
use crate::error::{ErrorKind, MAX_SHOWN, ServiceError, brief, in_words, quoted};
pub use crate::shared::Access;
use crate::shared::{SharedStore, Waits};
use crate::spool::Spool;
use crate::when;
use crate::words::agent_name;

/// The variable that names the agent that asks.
const AGENT_VARIABLE: &str = "STALENESS_AGENT";

/// The options that a caller gave; those left out are looked up.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The URL of the registry [default: in the user's data folder].
    pub store: Option<String>,
    /// The project's folder, or one in it [default: as the environment says, else a fallback, else
    /// the current folder].
    pub project: Option<PathBuf>,
    /// The folder of user-level client files [default: the user's home].
    pub home: Option<PathBuf>,
    /// A policy file in place of the user's; it must exist.
    pub config: Option<PathBuf>,
    /// Policy values, each `KEY=VALUE`.
    pub set: Vec<String>,
    /// The agent that asks or acts [default: as the environment says].
    pub agent: Option<String>,
    /// The moment [default: the clock].
    pub now: Option<String>,
}

/// The project, the store, the moment and the policy under which something is done.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The URL of the registry.
    pub url: StoreUrl,
    /// The project's place.
    pub place: ProjectPlace,
    /// The project's identity.
    pub project: ProjectRef,
    /// The folder of user-level client files.
    pub home: PathBuf,
    /// That home is the user's own, not one that was named.
    pub own_home: bool,
    /// The agent that asks, where that is known: what the policy says of it holds.
    pub agent: Option<AgentId>,
    /// The client that it works in, where that is known: answers are about its tools and documents.
    pub client: Option<ClientId>,
    /// The moment.
    pub now: Timestamp,
    /// That moment was named; it is not the present.
    pub given_now: bool,
    /// The policy.
    pub configured: Configured,
    /// The error of the first layer of the policy that could not be read, if that was let pass: the
    /// policy is that of the other layers.
    pub policy_trouble: Option<ServiceError>,
    /// The sources of the policy.
    pub layers: Layers,
    /// The store, once somebody has opened it.
    pub store: SharedStore,
    /// True in a server, whose errors do not name the store.
    pub in_server: bool,
    /// Ends the work, and every git with it.
    pub watchdog: Watchdog,
    /// The project's repository, once somebody has asked for it.
    repo: Arc<OnceLock<Mutex<LazyRepo>>>,
}

impl Settings {
    /// Puts the settings together. `fallback` is the folder to take when neither an option nor the
    /// environment names the project; a hook knows one. `lenient`: a layer of the policy that
    /// cannot be read is left out.
    ///
    /// # Errors
    /// When an option makes no sense, the project is no folder, or, unless `lenient`, a layer of the
    /// policy cannot be read.
    pub fn new(
        options: impl Into<Options>,
        fallback: Option<&Path>,
        lenient: bool,
    ) -> Result<Self, ServiceError> {
        let options = &options.into();
        let clock = clock::now();
        let now = match &options.now {
            Some(text) => when::parse(text, clock)?,
            None => clock,
        };
        let home = match &options.home {
            Some(home) => home.clone(),
            None => user_home()?,
        };
        let own_home = options.home.is_none();
        let start = project_folder(options, fallback)?;
        let place = discover(&start, true);
        let layers = layers(options, &place.folder);
        let (configured, policy_trouble) =
            if lenient { layers.read_what_can_be_read() } else { (layers.read()?, None) };
        let place = if configured.policy.projects.share_worktrees {
            place
        } else {
            discover(&start, false)
        };
        let project = place.project_ref();
        let url = store_url(options)?;
        let agent = agent(options, lenient)?.map(|agent| agent_behind(&configured.policy, agent));
        Ok(Self {
            store: SharedStore::new(url.clone()),
            client: agent.as_ref().and_then(client_of),
            in_server: false,
            url,
            place,
            project,
            home,
            own_home,
            agent,
            now,
            given_now: options.now.is_some(),
            configured,
            policy_trouble,
            layers,
            watchdog: Watchdog::default(),
            repo: Arc::default(),
        })
    }

    /// The project's repository, under the watchdog. It is opened once, by the first question, for these
    /// settings and all clones of them.
    pub(crate) fn repo(&self) -> MutexGuard<'_, LazyRepo> {
        let repo = self.repo.get_or_init(|| {
            let program = Program::of_environment();
            let program = program.map(|it| it.with_watchdog(self.watchdog.clone()));
            Mutex::new(LazyRepo::new(program, &self.place.folder, Limits::default()))
        });
        repo.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the registry.
    pub fn open(&self, access: Access) -> Result<Registry, ServiceError> {
        self.open_within(access, Duration::from_secs(5))
    }

    /// Opens the registry to note something that belongs to this project, which is known from then on.
    pub fn open_here(&self) -> Result<Registry, ServiceError> {
        let registry = self.open(Access::Write)?;
        registry.admin().see_project(&self.project, self.now).wait()?;
        Ok(registry)
    }

    /// Opens the registry; a step waits for its turn no longer than `busy_timeout`.
    pub fn open_within(
        &self,
        access: Access,
        busy_timeout: Duration,
    ) -> Result<Registry, ServiceError> {
        let waits = Waits { step: busy_timeout, total: None };
        self.open_store(access, waits, busy_timeout).map_err(|error| self.opening(error))
    }

    /// Opens the registry for a hook, whose agent waits: as the policy says for a store in a file, and for at most
    /// two seconds a step for one on a server.
    pub fn open_for_hook(&self, access: Access) -> Result<Registry, StoreError> {
        let wait = Duration::from_millis(self.configured.policy.hooks.lock_wait_ms.into());
        let waits = match self.url.path() {
            Some(_) => Waits { step: wait, total: Some(wait) },
            None => Waits { step: SERVER_WAIT, total: None },
        };
        self.open_store(access, waits, HOOK_SPOOL)
    }

    /// Opens the registry, and to write records what waits in the spool, for as long as `spool_time`.
    fn open_store(
        &self,
        access: Access,
        waits: Waits,
        spool_time: Duration,
    ) -> Result<Registry, StoreError> {
        let registry = self.store.registry(&self.configured.policy, access, waits)?;
        if access == Access::Write
            && let Some(spool) = Spool::of(&self.url)
        {
            let begun = Instant::now();
            let mut registry_of = |project: &ProjectId| self.registry_of(&registry, project);
            // What cannot be recorded now waits for the next process.
            let _ = spool.drain(&mut registry_of, &mut || begun.elapsed() < spool_time);
        }
        Ok(registry.seen_by(self.client.clone()))
    }

    /// Says which agent asks, and in which client: the one that is given, else the one whose name the agent has.
    pub fn set_agent(&mut self, agent: AgentId, client: Option<ClientId>) {
        self.client = client.or_else(|| client_of(&agent));
        self.agent = Some(agent);
    }

    /// Returns the agent behind a name, by the policy and the names of clients, in whatever case it is written.
    #[must_use]
    pub fn agent_behind(&self, name: AgentId) -> AgentId {
        agent_behind(&self.configured.policy, name)
    }

    /// The agents whose names the clients and the policy tell.
    #[must_use]
    pub fn known_agents(&self) -> BTreeSet<String> {
        let policy = &self.configured.policy;
        let clients = clients::NAMES.iter().map(ToString::to_string);
        clients.chain(policy.agents.values().chain(policy.agent.keys()).cloned()).collect()
    }

    /// Returns true if a name is one of theirs.
    #[must_use]
    pub fn knows_agent(&self, name: &str) -> bool {
        let agent = AgentId::new(name).map(|name| self.agent_behind(name));
        agent.is_ok_and(|agent| self.known_agents().contains(agent.as_str()))
    }

    /// Returns true if the store is a file of this machine: what it holds of a person was typed here. On a server it
    /// may have been typed at another one.
    #[must_use]
    pub fn is_of_this_machine(&self) -> bool {
        self.url.path().is_some()
    }

    /// Returns whom an answer is for: the client of the agent that asks, else any client.
    #[must_use]
    pub fn audience(&self) -> &str {
        self.client.as_ref().map_or("any client", ClientId::as_str)
    }

    /// The client in which an agent works: that of the one that asks, or the one whose name it has.
    #[must_use]
    pub fn client_of(&self, agent: &AgentId) -> Option<ClientId> {
        if self.agent.as_ref() == Some(agent) { self.client.clone() } else { client_of(agent) }
    }

    /// The registry under the policy of another project. What the policy file of this project says does not
    /// concern others.
    fn registry_of(&self, registry: &Registry, project: &ProjectId) -> Registry {
        if *project == self.project.id {
            return registry.clone();
        }
        let layers = Layers { project: None, ..self.layers.clone() };
        let policy = layers.read_what_can_be_read().0.policy;
        Registry::new(Arc::clone(registry.store()), policy)
    }

    /// Says which store could not be opened.
    #[must_use]
    pub fn opening(&self, error: StoreError) -> ServiceError {
        if self.in_server {
            return error.into();
        }
        let kind = match &error {
            // What is refused is the URL: nothing was reached yet.
            StoreError::Unsupported(_) => Some(ErrorKind::NotOffered),
            StoreError::Io { source, .. } if source.kind() == std::io::ErrorKind::InvalidInput => {
                Some(ErrorKind::Invalid)
            }
            _ => None,
        };
        let mut error = ServiceError::from(error);
        error.kind = kind.unwrap_or(error.kind);
        error.message = format!("{}: {}", self.url, error.message);
        error
    }
}

fn agent_behind(policy: &Policy, name: AgentId) -> AgentId {
    let agent = policy.agent_behind(name);
    // By the policy a client's agent may have another name.
    let client = clients::named(agent.as_str()).and_then(|client| AgentId::new(client).ok());
    client.map_or(agent, |client| policy.agent_behind(client))
}

/// The client that an agent's name is, if it is one.
#[must_use]
pub fn client_of(agent: &AgentId) -> Option<ClientId> {
    let is_client = clients::NAMES.contains(&agent.as_str());
    is_client.then(|| ClientId::new(agent.as_str()).ok()).flatten()
}

/// The time in which a hook records what the spool holds; what is left waits for the next one.
const HOOK_SPOOL: Duration = Duration::from_millis(100);

/// A hook waits no longer than this for a step on a server.
const SERVER_WAIT: Duration = Duration::from_secs(2);

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The agent that an option or the environment names.
fn agent(options: &Options, lenient: bool) -> Result<Option<AgentId>, ServiceError> {
    if let Some(name) = options.agent.as_deref() {
        return agent_name(name).map(Some);
    }
    let Some(name) = variable(AGENT_VARIABLE) else { return Ok(None) };
    match AgentId::new(name.to_string_lossy()) {
        Ok(agent) => Ok(Some(agent)),
        Err(_) if lenient => Ok(None),
        Err(why) => Err(ServiceError::invalid(format!("{AGENT_VARIABLE}: the agent's name {why}"))
            .hint("set it to a name such as codex, or unset it")),
    }
}

/// The user's home folder.
fn user_home() -> Result<PathBuf, ServiceError> {
    std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
        ServiceError::new(ErrorKind::Invalid, "no home folder is known")
            .hint("set HOME, or name it with --home")
    })
}

fn project_folder(options: &Options, fallback: Option<&Path>) -> Result<PathBuf, ServiceError> {
    let named = options
        .project
        .clone()
        .or_else(|| variable("STALENESS_PROJECT").map(PathBuf::from))
        .or_else(|| variable("CLAUDE_PROJECT_DIR").map(PathBuf::from));
    // An agent may have removed the folder that it is in; the repository above it is still there.
    if named.is_none()
        && let Some(gone) = fallback.filter(|folder| !folder.is_dir())
    {
        let folder = discover(gone, false).folder;
        if folder.is_dir() {
            return Ok(folder);
        }
    }
    let folder = match named.or_else(|| fallback.map(Path::to_path_buf)) {
        Some(folder) => folder,
        None => std::env::current_dir().map_err(|error| {
            ServiceError::new(ErrorKind::Io, format!("the current folder: {}", in_words(&error)))
                .hint("name the project with --project")
        })?,
    };
    if folder.is_dir() {
        Ok(folder)
    } else {
        Err(ServiceError::invalid(format!("project {}: not a folder", brief(&folder)))
            .hint("name an existing folder with --project"))
    }
}

/// Parses the URL of a registry; `name` is the option or variable that it stands in, for the error.
///
/// # Errors
/// When the text is no URL; no password is told.
pub fn named_url(name: &str, text: &str) -> Result<StoreUrl, ServiceError> {
    text.parse().map_err(|error| {
        let shown = staleness::StoreUrl::without_password(text);
        let refused = ServiceError::invalid(format!("{name} {}: {error}", quoted(&shown)));
        // A bare path is what one types first.
        let path = !text.contains(':') && text.len() <= MAX_SHOWN && shown == text;
        match text.strip_prefix("~/") {
            _ if !path || text.is_empty() => refused,
            // Of `sqlite:~` a shell makes no home folder.
            Some(below) => refused.hint(format!("try sqlite:$HOME/{below}")),
            None => refused.hint(format!("try sqlite:{text}")),
        }
    })
}

/// Returns the URL of the registry: as named, else in the user's data folder.
///
/// # Errors
/// When the URL is none, or no home is known.
pub fn store_url(options: &Options) -> Result<StoreUrl, ServiceError> {
    if let Some(text) = &options.store {
        return named_url("--store", text);
    }
    let data = match variable("XDG_DATA_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute()) {
        Some(dir) => dir,
        None => user_home()?.join(".local").join("share"),
    };
    let folder = data.join("staleness");
    // What this build holds: SQLite before redb, and without either nothing is kept.
    Ok(if cfg!(feature = "sqlite") {
        StoreUrl::Sqlite(folder.join("registry.db"))
    } else if cfg!(feature = "redb") {
        StoreUrl::Redb(folder.join("registry.redb"))
    } else {
        StoreUrl::Memory
    })
}

fn layers(options: &Options, project: &Path) -> Layers {
    let user = match &options.config {
        Some(file) => Some((file.clone(), true)),
        None => variable("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .filter(|dir| dir.is_absolute())
            .or_else(|| Some(user_home().ok()?.join(".config")))
            .map(|dir| (dir.join("staleness").join(FILE_NAME), false)),
    };
    let environment = variable(SET_VARIABLE).map(|text| text.to_string_lossy().into_owned());
    Layers { user, project: Some(project.join(FILE_NAME)), environment, flags: options.set.clone() }
}
