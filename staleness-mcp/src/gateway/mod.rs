//! Support for gateways: ranks and marks live tool lists, and records the outcomes of calls.
//!
//! A gateway forwards calls between a model and MCP servers. It passes each `tools/list` result to
//! [`Gateway::listed`], the outcome of each call to [`Gateway::called`], and the servers in its own configuration to
//! [`Gateway::configured`]. From these the registry finds the tools that fail, disappeared or returned.
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
/// The path under which a live list is recorded.
const PATH: &str = "tools/list";

/// The reason why a method of a gateway failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GatewayError {
    /// An error of the registry.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The name of a server or tool, or a tool list, is invalid.
    #[error("{0}")]
    Invalid(String),
}

impl From<StoreError> for GatewayError {
    fn from(error: StoreError) -> Self {
        Self::Registry(error.into())
    }
}

/// The treatment of tools that cannot be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubtful {
    /// The tool is offered with its status at the beginning of its description.
    Mark,
    /// The tool is not offered. A failing tool is offered again, marked, after its cool-down, because it could
    /// otherwise never succeed.
    Drop,
}

/// The treatment of stale and of failing tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The treatment of tools that their server or the configuration no longer lists. A tool whose change awaits a
    /// person's decision is never offered.
    pub stale: Doubtful,
    /// The treatment of failing tools.
    pub demoted: Doubtful,
}

impl Default for View {
    fn default() -> Self {
        Self { stale: Doubtful::Drop, demoted: Doubtful::Mark }
    }
}

/// A tool of a live list, with its report.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The tool as listed by its server.
    pub tool: Tool,
    /// The registry's report on the tool.
    pub report: ToolReport,
    /// The ranking score.
    pub score: f64,
}

impl View {
    /// Returns the tools to offer, in ranking order.
    pub fn offer(&self, ranked: Vec<Ranked>) -> Vec<Tool> {
        ranked.into_iter().filter_map(|each| self.tool(each)).collect()
    }

    fn tool(&self, each: Ranked) -> Option<Tool> {
        // A person must review a changed definition first, regardless of other settings.
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

/// Returns true if the tool's definition has an unaccepted change.
fn has_changed(report: &ToolReport) -> bool {
    report.verdict.rests_on(Ground::DefinitionChanged)
}

/// Returns the tool with its status at the beginning of its description.
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

/// A finished call of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    /// The server, in the spelling of the gateway's configuration.
    pub server: String,
    /// The tool, as its server lists it.
    pub tool: String,
    /// The outcome. An answer with `isError`, or no answer, is a failure.
    pub outcome: OutcomeKind,
    /// The duration, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The id of this call. Recording it again has no effect.
    pub id: Option<OpId>,
    /// The session in which the call happened.
    pub session: Option<SessionId>,
}

impl Call {
    /// Creates a call without optional fields.
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

/// A registry for a gateway: one store with many projects. Cheap to clone. Its methods need a tokio runtime, but
/// never block its threads.
#[derive(Clone, Debug)]
pub struct Gateway {
    store: SharedStore,
    policy: Policy,
}

impl Gateway {
    /// Creates a gateway for the registry at a URL, with a policy. The store is opened when first needed.
    pub fn new(url: StoreUrl, policy: Policy) -> Self {
        Self { store: SharedStore::new(url), policy }
    }

    /// Records the servers in the gateway's own configuration. Tools of a server that is no longer configured become
    /// absent, and return together with the server.
    ///
    /// # Errors
    /// If a name cannot be stored, or the store fails.
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

    /// Records the complete live list of a server's tools, and returns it in ranking order. For a server that did not
    /// answer, call [`Gateway::unlisted`] instead. Definitions are pinned when first seen, and compared from then on.
    /// Tools that the server no longer lists become absent. Ignored tools are omitted.
    ///
    /// If the server's name cannot be stored, or the store fails.
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

    /// Records that a server did not list its tools, with the reason. No tool becomes absent. Returns the server's
    /// last list, ranked like [`Gateway::listed`]. The reason is stored and shown, so it must not contain a
    /// secret.
    ///
    /// # Errors
    /// If the store fails.
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

    /// Like [`Gateway::listed`], for JSON: a `tools/list` result, a response that contains it, or the bare list. If the
    /// list continues on another page, or a tool in it cannot be read, no tool becomes absent.
    /// [`raw_list`](crate::probe::raw_list) requests such JSON from a server; the SDK's own list fails if one tool is
    /// malformed.
    ///
    /// # Errors
    /// If the text is not a tool list; otherwise as for [`Gateway::listed`].
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
        // An unreadable tool does not affect others, and is not passed on.
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

    /// Records the outcome of a call.
    ///
    /// # Errors
    /// If a name cannot be stored, or the store fails.
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
        // A failure recorded with a client would make an unlisted name look invented by a model.
        used.client = ClientId::new(CLIENT).ok().filter(|_| call.outcome == OutcomeKind::Success);
        self.run(move |registry| {
            let report = registry.tools().record(used).wait()?;
            meter::called(&call.server, call.duration_ms, &report);
            Ok(report)
        })
        .await
    }

    /// Waits until a commit of any process changes the registry's revision from `seen`, and returns the new one.
    /// Returns at once if `seen` is `None`. A changed status may change the list to offer: call
    /// [`Gateway::listed`] again, and notify clients whose list changed.
    ///
    /// The store is polled every two seconds. The future may be dropped at any time.
    pub async fn changed(&self, seen: Option<Revision>) -> Revision {
        Follower::new(self.store.clone(), seen).next().await
    }

    /// Returns the report on one tool.
    ///
    /// # Errors
    /// If the tool is unknown, or the store fails.
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

    /// Returns the reason to refuse a call of a tool, in words for a model: its changed definition awaits a person's
    /// decision. `None` if the tool may be called or is unknown. Call this before each call.
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
                    " was not called: its server changed it, and a person must accept the change first. Ask the user to \
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

/// Returns the name in the registry of a server's tool. `None` if a part of it is no valid name.
fn name(server: &str, tool: &str) -> Option<ToolName> {
    let (server, tool) = (ServerKey::of(server)?, ServerKey::of(tool)?);
    ToolName::new(format!("mcp__{server}__{tool}")).ok()
}

/// Returns the live tools in the registry's ranking order. Tools that it does not know are left out.
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
