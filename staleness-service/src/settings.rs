//! Settings that all commands need: store, project, home, time and policy.

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
use crate::words::id;

/// The environment variable that names the calling agent.
const AGENT_VARIABLE: &str = "STALENESS_AGENT";

/// Options given by the caller. Options that are not given have defaults.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The URL of the registry [default: in the user's data folder].
    pub store: Option<String>,
    /// The project's folder or a folder inside it [default: from the environment, else a fallback, else the
    /// current folder].
    pub project: Option<PathBuf>,
    /// The folder with user-level client files [default: the user's home].
    pub home: Option<PathBuf>,
    /// A policy file to use instead of the user's. It must exist.
    pub config: Option<PathBuf>,
    /// Policy values as `KEY=VALUE`.
    pub set: Vec<String>,
    /// The agent that asks or acts [default: from the environment].
    pub agent: Option<String>,
    /// The time to use as the current time [default: the clock].
    pub now: Option<String>,
}

/// The resolved project, store, time and policy.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The URL of the registry.
    pub url: StoreUrl,
    /// The options, with their values, that a suggested command must repeat. Values from the environment are omitted.
    pub given: Vec<(&'static str, String)>,
    /// The project's folders.
    pub place: ProjectPlace,
    /// The project's id and root.
    pub project: ProjectRef,
    /// The folder with user-level client files.
    pub home: PathBuf,
    /// True if `home` is the user's own home and was not given as an option.
    pub own_home: bool,
    /// The calling agent, if known. The policy's values for this agent apply.
    pub agent: Option<AgentId>,
    /// The client in which the agent works, if known. Answers then cover this client's tools and documents.
    pub client: Option<ClientId>,
    /// The time to use as the current time.
    pub now: Timestamp,
    /// True if `now` was given as an option.
    pub given_now: bool,
    /// The policy and the sources of its values.
    pub configured: Configured,
    /// The first error in a policy layer, if errors were tolerated. The policy then contains the other layers.
    pub policy_trouble: Option<ServiceError>,
    /// The files and variables from which the policy was read.
    pub layers: Layers,
    /// The store, opened when first used.
    pub store: SharedStore,
    /// True in a server. Errors of a server do not contain the store's location.
    pub in_server: bool,
    /// True if the caller may write only records of this project, not global ones.
    pub confined: bool,
    /// Cancels the work and kills running git processes.
    pub watchdog: Watchdog,
    /// The project's repository, opened when first used.
    repo: Arc<OnceLock<Mutex<LazyRepo>>>,
}

impl Settings {
    /// Returns the folder of a client from an environment variable. The variable counts only for the user's own home.
    pub fn folder(&self, variable: &str) -> Option<PathBuf> {
        let dir = std::env::var_os(variable).filter(|dir| !dir.is_empty() && self.own_home);
        dir.map(PathBuf::from)
    }

    /// Resolves the settings. `fallback` is the project's folder if neither an option nor the environment
    /// names it, for example from a hook's payload. If `lenient` is set, invalid policy layers are skipped.
    ///
    /// # Errors
    /// If an option is invalid, the project is not a folder or, unless `lenient`, a policy layer is invalid.
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
            confined: false,
            given: given(options),
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

    /// Locks the project's repository. It is opened at the first call, and shared by all clones of these
    /// settings. The watchdog applies to its git processes.
    pub(crate) fn repo(&self) -> MutexGuard<'_, LazyRepo> {
        let repo = self.repo.get_or_init(|| {
            let program = Program::of_environment();
            let program = program.map(|it| it.with_watchdog(self.watchdog.clone()));
            Mutex::new(LazyRepo::new(program, &self.place.folder, Limits::default()))
        });
        repo.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the registry. A step waits at most 5 seconds for the lock.
    pub fn open(&self, access: Access) -> Result<Registry, ServiceError> {
        self.open_within(access, Duration::from_secs(5))
    }

    /// Opens the registry for writing and records the project in it.
    pub fn open_here(&self) -> Result<Registry, ServiceError> {
        let registry = self.open(Access::Write)?;
        registry.admin().see_project(&self.project, self.now).wait()?;
        Ok(registry)
    }

    /// Opens the registry. A step waits at most `busy_timeout` for the lock.
    pub fn open_within(
        &self,
        access: Access,
        busy_timeout: Duration,
    ) -> Result<Registry, ServiceError> {
        let waits = Waits { step: busy_timeout, total: None };
        self.open_store(access, waits, busy_timeout).map_err(|error| self.opening(error))
    }

    /// Opens the registry for a hook, while an agent waits. The policy limits the wait for a file's lock. For a server,
    /// each step waits at most two seconds.
    pub fn open_for_hook(&self, access: Access) -> Result<Registry, StoreError> {
        let wait = Duration::from_millis(self.configured.policy.hooks.lock_wait_ms.into());
        let waits = match self.url.path() {
            Some(_) => Waits { step: wait, total: Some(wait) },
            None => Waits { step: SERVER_WAIT, total: None },
        };
        self.open_store(access, waits, HOOK_SPOOL)
    }

    /// Opens the registry. For writing, also records entries from the spool, for up to `spool_time`.
    ///
    /// # Errors
    /// Errors of the store, also those that keep entries in the spool.
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
            let drained = spool.drain(&mut registry_of, &mut || begun.elapsed() < spool_time);
            // The caller must not write before the entries in the spool, so the errors that keep them there end the
            // call.
            match drained.map_err(StoreError::from) {
                Err(error) if error.is_retryable() => return Err(StoreError::Busy),
                Err(error) if Spool::keeps(&error) => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        let own = self.confined.then(|| self.project.id.clone());
        Ok(registry.seen_by(self.client.clone()).confined_to(own))
    }

    /// Sets the calling agent and its client. If `client` is `None`, uses the client with the agent's name.
    pub fn set_agent(&mut self, agent: AgentId, client: Option<ClientId>) {
        self.client = client.or_else(|| client_of(&agent));
        self.agent = Some(agent);
    }

    /// Resolves an agent's name by the policy and the clients' names, ignoring case.
    pub fn agent_behind(&self, name: AgentId) -> AgentId {
        agent_behind(&self.configured.policy, name)
    }

    /// Returns the names of agents that are known from clients and the policy.
    pub fn known_agents(&self) -> BTreeSet<String> {
        let policy = &self.configured.policy;
        let clients = clients::NAMES.iter().map(ToString::to_string);
        clients.chain(policy.agents.values().chain(policy.agent.keys()).cloned()).collect()
    }

    /// Returns the names of agents that are known from clients, the policy or sessions of the project.
    pub(crate) fn agents_here(
        &self,
        registry: &Registry,
    ) -> Result<BTreeSet<String>, ServiceError> {
        let sessions = registry.sessions().list(&self.project.id).wait()?.into_iter();
        let agents = sessions.map(|session| session.agent.to_string());
        Ok(self.known_agents().into_iter().chain(agents).collect())
    }

    /// Returns true if the name belongs to a known agent.
    pub fn knows_agent(&self, name: &str) -> bool {
        let agent = AgentId::new(name).map(|name| self.agent_behind(name));
        agent.is_ok_and(|agent| self.known_agents().contains(agent.as_str()))
    }

    /// Returns true if the store is a file on this machine, so that text marked as typed by a person was typed here.
    /// Text on a server may come from another machine.
    pub fn is_of_this_machine(&self) -> bool {
        self.url.path().is_some()
    }

    /// Returns the value of an option that other commands also need.
    pub(crate) fn given(&self, option: &str) -> Option<&str> {
        let mut given = self.given.iter();
        given.find(|(name, _)| *name == option).map(|(_, value)| value.as_str())
    }

    /// Returns the client that an answer is for, or `any client`.
    pub fn audience(&self) -> &str {
        self.client.as_ref().map_or("any client", ClientId::as_str)
    }

    /// Returns the client in which an agent works, if known: for the calling agent its client, else the
    /// client with the agent's name.
    pub fn client_of(&self, agent: &AgentId) -> Option<ClientId> {
        if self.agent.as_ref() == Some(agent) { self.client.clone() } else { client_of(agent) }
    }

    /// Returns the registry with the policy for another project, to which this project's policy file does not apply.
    fn registry_of(&self, registry: &Registry, project: &ProjectId) -> Registry {
        if *project == self.project.id {
            return registry.clone();
        }
        let layers = Layers { project: None, ..self.layers.clone() };
        let policy = layers.read_what_can_be_read().0.policy;
        Registry::new(Arc::clone(registry.store()), policy)
    }

    /// Returns true if a caller without a name may be an agent: it uses the server, or an environment in which agents
    /// work.
    pub(crate) fn may_run_for_agent(&self) -> bool {
        self.in_server || clients::may_run_for_agent()
    }

    /// Returns true if an agent is the caller, or may be.
    pub fn may_be_agent(&self) -> bool {
        self.agent.is_some() || self.may_run_for_agent()
    }

    /// Creates the error for a store that could not be opened.
    pub fn opening(&self, error: StoreError) -> ServiceError {
        if self.in_server {
            return error.into();
        }
        let kind = match &error {
            // The URL was rejected before the store was reached.
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
    // The policy may map a client's agent to another name.
    let client = clients::named(agent.as_str()).and_then(|client| AgentId::new(client).ok());
    client.map_or(agent, |client| policy.agent_behind(client))
}

/// Returns the options for the store, project, files and agent of a command. Omits an option that equals its
/// environment variable, and a URL with a password.
fn given(options: &Options) -> Vec<(&'static str, String)> {
    let path = |path: &Option<PathBuf>| path.as_deref().and_then(Path::to_str).map(str::to_owned);
    let is_secret = |url: &String| staleness::StoreUrl::without_password(url) != *url;
    let all = [
        ("--store", "STALENESS_STORE", options.store.clone().filter(|url| !is_secret(url))),
        ("--project", "STALENESS_PROJECT", path(&options.project)),
        ("--home", "STALENESS_HOME", path(&options.home)),
        ("--config", "STALENESS_CONFIG", path(&options.config)),
        ("--agent", AGENT_VARIABLE, options.agent.clone()),
    ];
    let is_set =
        |name, value: &str| variable(name).is_some_and(|set| set.to_string_lossy() == value);
    all.into_iter()
        .filter_map(|(option, name, value)| Some((option, value.filter(|it| !is_set(name, it))?)))
        .collect()
}

/// Returns the client with the same name as the agent, if there is one.
pub fn client_of(agent: &AgentId) -> Option<ClientId> {
    let is_client = clients::NAMES.contains(&agent.as_str());
    is_client.then(|| ClientId::new(agent.as_str()).ok()).flatten()
}

/// Maximum time that a hook spends on recording entries from the spool. The rest is left for the next
/// process.
const HOOK_SPOOL: Duration = Duration::from_millis(100);

/// Maximum time that a hook waits for a step on a server.
const SERVER_WAIT: Duration = Duration::from_secs(2);

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the agent named by an option or the environment. If `lenient`, an invalid name in the environment counts as
/// none.
fn agent(options: &Options, lenient: bool) -> Result<Option<AgentId>, ServiceError> {
    if let Some(name) = options.agent.as_deref() {
        return id("agent's name", name).map(Some);
    }
    let Some(name) = variable(AGENT_VARIABLE) else { return Ok(None) };
    match AgentId::new(name.to_string_lossy()) {
        Ok(agent) => Ok(Some(agent)),
        Err(_) if lenient => Ok(None),
        Err(why) => Err(ServiceError::invalid(format!("{AGENT_VARIABLE}: the agent's name {why}"))
            .hint("set it to a name such as codex, or unset it")),
    }
}

fn user_home() -> Result<PathBuf, ServiceError> {
    std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
        ServiceError::new(ErrorKind::Invalid, "the home folder is unknown")
            .hint("set HOME, or use --home")
    })
}

fn project_folder(options: &Options, fallback: Option<&Path>) -> Result<PathBuf, ServiceError> {
    let named = options
        .project
        .clone()
        .or_else(|| variable("STALENESS_PROJECT").map(PathBuf::from))
        .or_else(|| variable("CLAUDE_PROJECT_DIR").map(PathBuf::from));
    // An agent may have deleted its current folder. The repository above still exists.
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
            ServiceError::new(
                ErrorKind::Io,
                format!("the current folder cannot be found: {}", in_words(&error)),
            )
            .hint("set the project with --project")
        })?,
    };
    if folder.is_dir() {
        Ok(folder)
    } else {
        Err(ServiceError::invalid(format!("project {} is not a folder", brief(&folder)))
            .hint("choose an existing folder with --project"))
    }
}

/// Parses the URL of a registry. `name` is the option or variable that holds it, for the error.
///
/// # Errors
/// If the text is not a URL. The message contains no password.
pub fn named_url(name: &str, text: &str) -> Result<StoreUrl, ServiceError> {
    text.parse().map_err(|error| {
        let shown = staleness::StoreUrl::without_password(text);
        let refused = ServiceError::invalid(format!("{name} {}: {error}", quoted(&shown)));
        // People often type a bare path first.
        let path = !text.contains(':') && text.len() <= MAX_SHOWN && shown == text;
        match text.strip_prefix("~/") {
            _ if !path || text.is_empty() => refused,
            // A shell does not expand the `~` in `sqlite:~`.
            Some(below) => refused.hint(format!("try sqlite:$HOME/{below}")),
            None => refused.hint(format!("try sqlite:{text}")),
        }
    })
}

/// Returns the URL of the registry: the given one, else one in the user's data folder.
///
/// # Errors
/// If the URL is invalid, or the home folder is unknown.
pub fn store_url(options: &Options) -> Result<StoreUrl, ServiceError> {
    if let Some(text) = &options.store {
        return named_url("--store", text);
    }
    let data = match variable("XDG_DATA_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute()) {
        Some(dir) => dir,
        None => user_home()?.join(".local").join("share"),
    };
    let folder = data.join("staleness");
    // Prefers SQLite over redb. Without either, the registry is in memory and is lost on exit.
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
