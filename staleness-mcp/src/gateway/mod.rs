//! A gateway's view: live tool lists, ranked and marked by what is known of each tool, and the ends of
//! calls recorded.
//!
//! A gateway stands between a model and MCP servers. It asks [`Gateway::listed`] with each
//! `tools/list` result that it passes on, tells [`Gateway::called`] how each call ended, and
//! [`Gateway::configured`] which servers its own configuration names. From that the registry knows
//! which tools fail, which are gone, and which came back.
//!
//! ```
//! use staleness_mcp::gateway::{Call, Gateway, View};
//! use staleness_mcp::rmcp::model::{JsonObject, Tool};
//! use staleness::outcome::OutcomeKind;
//! use staleness::scan::ProjectRef;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let gateway = Gateway::new("memory:".parse()?, Default::default());
//! let project = ProjectRef::of_root("/home/me/project");
//! let live = vec![Tool::new("search", "Finds issues", JsonObject::new())];
//! for _ in 0..3 {
//!     gateway.called(&project, Call::new("github", "search", OutcomeKind::Failure)).await?;
//! }
//! let ranked = gateway.listed(&project, "github", live).await?;
//! let offered = View::default().offer(ranked);
//! assert!(offered[0].description.as_deref().unwrap().starts_with("[demoted: 3 of the last 3"));
//! # Ok(())
//! # }
//! ```

mod meter;

use std::collections::HashMap;
use std::fmt;

use rmcp::model::Tool;
use serde_json::Value;
use staleness::ids::{ClientId, Level, OpId, ServerKey, SessionId, SourceId, ToolName};
use staleness::journal::Revision;
use staleness::outcome::OutcomeKind;
use staleness::registry::{RecordReport, ScoredTool, Use};
use staleness::report::{HealthState, ScanReport, ToolReport};
use staleness::scan::{Found, ProjectRef, SourceReading};
use staleness::source::SourceState;
use staleness::store::{Refusal, StoreError};
use staleness::tool::Status;
use staleness::verdict::Ground;
use staleness::{Policy, Registry, RegistryError, StoreUrl, Wait, clock};
use staleness_service::model_text::{ModelName, ModelText, cause};
use staleness_service::settings::Access;
use staleness_service::{SharedStore, Waits, scan};
use staleness_sources::live;

use crate::follow::Follower;

/// The client of the source that names a gateway's servers.
const CLIENT: &str = "gateway";
/// Path of a live list.
const PATH: &str = "tools/list";

/// Why a gateway was not answered.
#[derive(Debug)]
#[non_exhaustive]
pub enum GatewayError {
    /// The registry.
    Registry(RegistryError),
    /// The name of a server or tool, or a tool list, makes no sense.
    Invalid(String),
}

impl fmt::Display for GatewayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registry(error) => error.fmt(f),
            Self::Invalid(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for GatewayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Registry(error) => error.source(),
            Self::Invalid(_) => None,
        }
    }
}

impl From<StoreError> for GatewayError {
    fn from(error: StoreError) -> Self {
        Self::Registry(error.into())
    }
}

impl From<RegistryError> for GatewayError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

/// The treatment of a tool that cannot be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubtful {
    /// Its description begins with what is known of it.
    Mark,
    /// It is not offered. One that failed is offered again, marked, when its cool-down has passed:
    /// else it could never earn a success.
    Drop,
}

/// The treatment of stale and of failing tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Those that their server, or the configuration, no longer lists. One that its server changed so that a person has
    /// to accept it is never offered.
    pub stale: Doubtful,
    /// Those that fail.
    pub demoted: Doubtful,
}

impl Default for View {
    fn default() -> Self {
        Self { stale: Doubtful::Drop, demoted: Doubtful::Mark }
    }
}

/// A tool of a live list, with what is known of it.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// As its server lists it.
    pub tool: Tool,
    /// The registry's report on it.
    pub report: ToolReport,
    /// The ranking score.
    pub score: f64,
}

impl View {
    /// The tools to offer, in the order in which they are ranked.
    #[must_use]
    pub fn offer(&self, ranked: Vec<Ranked>) -> Vec<Tool> {
        ranked.into_iter().filter_map(|each| self.tool(each)).collect()
    }

    fn tool(&self, each: Ranked) -> Option<Tool> {
        // What its server changed is for a person to read first, whatever else is offered.
        if each.report.is_withheld() {
            return None;
        }
        let on_trial = each.report.health.state == HealthState::Probation;
        let doubtful = match each.report.status {
            Status::Active if has_changed(&each.report) => return Some(marked(each)),
            Status::Active => return Some(each.tool),
            Status::Stale => self.stale,
            Status::Demoted => self.demoted,
        };
        match doubtful {
            Doubtful::Drop if !on_trial => None,
            Doubtful::Drop | Doubtful::Mark => Some(marked(each)),
        }
    }
}

/// Returns true if the tool's server changed it, and nobody accepted that yet.
fn has_changed(report: &ToolReport) -> bool {
    report.verdict.rests_on(Ground::DefinitionChanged)
}

/// The tool with what is known of it before its description.
fn marked(each: Ranked) -> Tool {
    let mark = match (each.report.status, &each.report.health.cause) {
        (Status::Active, _) => ModelText::from("changed by its server, and not accepted yet"),
        (status, Some(failing)) => ModelText::from(status.as_str()).and(": ").and(cause(failing)),
        (status, None) => {
            let why = cause(each.report.presence.cause.as_str());
            ModelText::from(status.as_str()).and(": ").and(why)
        }
    };
    let mark = ModelText::from("[").and(mark).and("]");
    let mut tool = each.tool;
    tool.description = Some(match tool.description {
        Some(text) => format!("{mark} {text}").into(),
        None => mark.to_string().into(),
    });
    tool
}

/// A call of a tool that has ended.
#[derive(Clone, Debug)]
pub struct Call {
    /// The server, as the gateway's configuration spells it.
    pub server: String,
    /// The tool, as its server lists it.
    pub tool: String,
    /// The outcome. An answer with `isError` is a failure, and so is no answer at all.
    pub outcome: OutcomeKind,
    /// The duration, in milliseconds.
    pub duration_ms: Option<u64>,
    /// An id of this call: recorded again, it changes nothing.
    pub id: Option<OpId>,
    /// The session in which it happened.
    pub session: Option<SessionId>,
}

impl Call {
    /// A call without what may be left out.
    pub fn new(server: impl Into<String>, tool: impl Into<String>, outcome: OutcomeKind) -> Self {
        let (server, tool) = (server.into(), tool.into());
        Self { server, tool, outcome, duration_ms: None, id: None, session: None }
    }

    /// Sets the duration, in whole milliseconds.
    #[must_use]
    pub fn took(mut self, duration: std::time::Duration) -> Self {
        self.duration_ms = u64::try_from(duration.as_millis()).ok();
        self
    }
}

/// A registry as a gateway uses it: many projects, one store. Cheap to clone. Its work never runs on
/// the threads of the runtime; a runtime must be there.
#[derive(Clone, Debug)]
pub struct Gateway {
    store: SharedStore,
    policy: Policy,
}

impl Gateway {
    /// A gateway's view of the registry at a URL, under a policy. The store is opened when it is
    /// first needed.
    #[must_use]
    pub fn new(url: StoreUrl, policy: Policy) -> Self {
        Self { store: SharedStore::new(url), policy }
    }

    /// Notes the servers that the gateway's own configuration names now. One that is no longer among
    /// them takes its tools with it; when it returns, exactly those return.
    ///
    /// # Errors
    /// When a name cannot be stored, or what the store reports.
    pub async fn configured(
        &self,
        project: &ProjectRef,
        servers: &[impl AsRef<str> + Sync],
    ) -> Result<ScanReport, GatewayError> {
        let found = |server: &str| {
            Found::server(server)
                .ok_or_else(|| GatewayError::Invalid("a server's name cannot be used".into()))
        };
        let found = servers.iter().map(|server| found(server.as_ref()));
        let reading = SourceReading {
            id: SourceId {
                project: Some(project.id.clone()),
                client: CLIENT.into(),
                level: Level::Project,
                part: "servers".into(),
            },
            path: project.root.clone(),
            state: SourceState::Read,
            root_is_there: true,
            error: None,
            found: found.collect::<Result<_, _>>()?,
        };
        let project = project.clone();
        self.run(move |registry| Ok(scan::note(registry, &project, &reading, clock::now())?)).await
    }

    /// Takes a live list of a server's tools, all pages of it, and returns it ranked: what works first. For a server
    /// that did not answer, call [`Gateway::unlisted`] instead. Definitions are pinned when they are first seen, and
    /// compared ever after. Tools that the server no longer lists are noted as such; ignored ones are left out.
    ///
    /// # Errors
    /// When the server's name cannot be stored, or what the store reports.
    pub async fn listed(
        &self,
        project: &ProjectRef,
        server: &str,
        tools: Vec<Tool>,
    ) -> Result<Vec<Ranked>, GatewayError> {
        let text = serde_json::to_string(&tools)
            .map_err(|error| GatewayError::Invalid(error.to_string()))?;
        let reading = self.reading(project, server, &text)?;
        self.note(project, server, reading, tools).await
    }

    /// Notes that a server did not list its tools, and why: nothing is noted as gone. Returns its last list, ranked as
    /// by [`Gateway::listed`]. The reason is kept and shown, so no secret may be in it.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn unlisted(
        &self,
        project: &ProjectRef,
        server: &str,
        last: Vec<Tool>,
        why: &str,
    ) -> Result<Vec<Ranked>, GatewayError> {
        let reading = live::unheard(server, PATH, Some(&project.id), why);
        self.note(project, server, reading, last).await
    }

    fn reading(
        &self,
        project: &ProjectRef,
        server: &str,
        text: &str,
    ) -> Result<SourceReading, GatewayError> {
        live::tools_list(text, Some(server), PATH, Some(&project.id))
            .map_err(|error| GatewayError::Invalid(error.to_string()))
    }

    async fn note(
        &self,
        project: &ProjectRef,
        server: &str,
        reading: SourceReading,
        tools: Vec<Tool>,
    ) -> Result<Vec<Ranked>, GatewayError> {
        let (project, server) = (project.clone(), server.to_owned());
        self.run(move |registry| {
            let now = clock::now();
            let report = scan::note(registry, &project, &reading, now)?;
            meter::scanned(&report);
            let known = registry.tools().rank(&project, usize::MAX, now).wait()?;
            Ok(rank(&server, tools, known))
        })
        .await
    }

    /// As [`Gateway::listed`], for JSON: a `tools/list` result, a response around it, or the bare list. Of a page that
    /// names a next one, and of a list with a tool that cannot be read, nothing is noted as gone.
    /// [`raw_list`](crate::probe::raw_list) asks a server for such JSON; the SDK's own list fails if one tool is malformed.
    ///
    /// # Errors
    /// When the text is no such list; else as for [`Gateway::listed`].
    pub async fn listed_json(
        &self,
        project: &ProjectRef,
        server: &str,
        text: &str,
    ) -> Result<Vec<Ranked>, GatewayError> {
        let invalid = |error: serde_json::Error| {
            GatewayError::Invalid(format!("this is not a tool list: {error}"))
        };
        let text = live::repaired(text.as_bytes());
        let mut value: Value = serde_json::from_str(&text).map_err(invalid)?;
        if value.get("result").is_some_and(Value::is_object) {
            value = value["result"].take();
        }
        let value = match value.is_array() {
            true => value,
            false => value.get_mut("tools").map(Value::take).unwrap_or_default(),
        };
        let tools: Vec<Value> = serde_json::from_value(value).map_err(invalid)?;
        // One that cannot be read hides no other, and is not passed on.
        let (mut read, mut odd) = (Vec::new(), None);
        for tool in tools {
            match serde_json::from_value(tool) {
                Ok(tool) => read.push(tool),
                Err(error) => odd = Some(error),
            }
        }
        if let Some(error) = odd.filter(|_| read.is_empty()) {
            return Err(invalid(error));
        }
        let reading = self.reading(project, server, &text)?;
        self.note(project, server, reading, read).await
    }

    /// Records how a call ended.
    ///
    /// # Errors
    /// When a name cannot be stored, or what the store reports.
    pub async fn called(
        &self,
        project: &ProjectRef,
        call: Call,
    ) -> Result<RecordReport, GatewayError> {
        let name = name(&call.server, &call.tool)
            .ok_or_else(|| GatewayError::Invalid("the tool's name cannot be used".into()))?;
        let op = call.id.unwrap_or_else(clock::fresh_op);
        let mut used = Use::new(op, name, call.outcome, clock::now(), project.clone());
        used.duration_ms = call.duration_ms;
        used.session = call.session;
        used.server = Some(call.server.clone());
        // A failure with a client would make a name that no list has one that a model invented.
        used.client = ClientId::new(CLIENT).ok().filter(|_| call.outcome == OutcomeKind::Success);
        self.run(move |registry| {
            let report = registry.tools().record(used).wait()?;
            meter::called(&call.server, call.duration_ms, &report);
            Ok(report)
        })
        .await
    }

    /// Waits until the registry's revision is another than `seen`, by whoever's commit, and answers it; at
    /// once without one. A status that changed may have changed the list to offer: ask [`Gateway::listed`]
    /// then, and tell the clients where it did.
    ///
    /// A commit in Postgres is told as it happens; elsewhere, and while the server cannot be reached, the store
    /// is asked every two seconds. May be dropped while it waits.
    pub async fn changed(&self, seen: Option<Revision>) -> Revision {
        Follower::new(self.store.clone(), seen).next().await
    }

    /// Returns the report on one tool.
    ///
    /// # Errors
    /// When it is not known, or what the store reports.
    pub async fn status(
        &self,
        project: &ProjectRef,
        server: &str,
        tool: &str,
    ) -> Result<ToolReport, GatewayError> {
        let name = name(server, tool)
            .ok_or_else(|| GatewayError::Invalid("the tool's name cannot be used".into()))?;
        let project = project.clone();
        self.run(move |registry| {
            let either = staleness::registry::ScopeChoice::Either;
            let key = registry.tools().find_key(&project.id, name.as_str(), either).wait()?;
            Ok(registry.tools().show(&project, &[key], clock::now()).wait()?)
        })
        .await
    }

    /// Returns why a call of a tool is to be refused, in words for a model: a person has to accept first what its server
    /// changed. `None` if it may be called, or is not known. To ask before each call.
    ///
    /// # Errors
    /// As for [`Gateway::status`].
    pub async fn withheld(
        &self,
        project: &ProjectRef,
        server: &str,
        tool: &str,
    ) -> Result<Option<ModelText>, GatewayError> {
        match self.status(project, server, tool).await {
            Ok(report) if report.is_withheld() => Ok(Some(
                ModelText::from(ModelName::tool(None, report.key.name.as_str())).and(
                    " was not called: its server changed it, and a person has to accept that first. Ask the user to \
                     run `staleness tools diff` and `staleness tools accept` with its name",
                ),
            )),
            Ok(_) => Ok(None),
            Err(
                GatewayError::Registry(RegistryError::Rejected(Refusal::Unknown { .. }))
                | GatewayError::Invalid(_),
            ) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Registry) -> Result<T, GatewayError> + Send + 'static,
    ) -> Result<T, GatewayError> {
        let (store, policy) = (self.store.clone(), self.policy.clone());
        let done = tokio::task::spawn_blocking(move || {
            work(&store.registry(&policy, Access::Write, Waits::default())?)
        });
        done.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }
}

/// The name of a server's tool in the registry.
fn name(server: &str, tool: &str) -> Option<ToolName> {
    let (server, tool) = (ServerKey::of(server)?, ServerKey::of(tool)?);
    ToolName::new(format!("mcp__{server}__{tool}")).ok()
}

/// The live tools in the order in which the registry ranks them.
fn rank(server: &str, tools: Vec<Tool>, known: Vec<ScoredTool>) -> Vec<Ranked> {
    let mut live: HashMap<ToolName, Tool> = HashMap::with_capacity(tools.len());
    for tool in tools {
        if let Some(name) = name(server, &tool.name) {
            live.entry(name).or_insert(tool);
        }
    }
    let ranked = known.into_iter().filter_map(|each| {
        let tool = live.remove(&each.tool.key.name)?;
        Some(Ranked { tool, report: each.tool, score: each.score })
    });
    ranked.collect()
}
