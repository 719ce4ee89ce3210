//! One MCP server in front of many. Their tools are named `server__tool`; working ones come first, failing
//! ones are marked.
//!
//! `mcp-proxy CONFIG [STORE]` reads `{"mcpServers": {name: {command, args}}}` whenever tools are listed, and
//! starts servers when needed, also after they died. The registry ranks and marks tools, pins their
//! definitions, and withholds tools that changed for the worse: they are neither listed nor called.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::{ErrorData, Peer, RoleClient, RoleServer, ServerHandler, ServiceExt};
use serde::Deserialize;
use staleness::outcome::OutcomeKind;
use staleness::scan::ProjectRef;
use staleness_mcp::gateway::{Call, Gateway, GatewayError, Ranked, View};
use staleness_mcp::probe::{messages, raw_list};
use tokio::process::{Child, Command};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// Time in which a server must start, and list its tools.
const PATIENCE: Duration = Duration::from_secs(20);
/// Maximum duration of a call.
const LONGEST: Duration = Duration::from_secs(300);
/// Time to wait before retrying a failed list.
const AGAIN: Duration = Duration::from_secs(2);

type Fault = Box<dyn Error + Send + Sync>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    mcp_servers: BTreeMap<String, Entry>,
}

#[derive(Clone, PartialEq, Deserialize)]
struct Entry {
    command: String,
    #[serde(default)]
    args: Vec<String>,
}

/// A server behind the proxy.
struct Upstream {
    entry: Entry,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    /// The program and the connection, while the server runs.
    client: Option<(Child, RunningService<RoleClient, ()>)>,
    /// The last list of tools, kept while the server is down.
    tools: Vec<Tool>,
}

impl Upstream {
    /// Returns the connection, starting the server if needed.
    async fn peer(&self) -> Result<Peer<RoleClient>, Fault> {
        let mut running = self.running.lock().await;
        let client = running.client.take().filter(|(_, client)| !client.is_transport_closed());
        let client = match client {
            Some(client) => client,
            None => {
                let mut command = Command::new(&self.entry.command);
                command.args(&self.entry.args).kill_on_drop(true);
                let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
                let pipes = child.stdout.take().zip(child.stdin.take());
                let (read, write) = pipes.ok_or("its pipes are gone")?;
                (child, timeout(PATIENCE, ().serve(messages(read, write))).await??)
            }
        };
        Ok(running.client.insert(client).1.peer().clone())
    }

    /// Asks a server for its tools. Returns the reason if it does not list them. Calls do not wait for it.
    async fn list(&self) -> Result<String, &'static str> {
        let peer = self.peer().await.map_err(|_| "cannot be started")?;
        let listed = timeout(PATIENCE, raw_list(&peer)).await;
        listed.unwrap_or(Err("does not list its tools in time"))
    }
}

struct Proxy {
    config: PathBuf,
    project: ProjectRef,
    gateway: Gateway,
    upstream: Mutex<BTreeMap<String, Arc<Upstream>>>,
    told: Mutex<Vec<Tool>>,
}

impl Proxy {
    /// Returns the tools of all configured servers, ranked and marked.
    async fn offered(&self) -> Result<Vec<Tool>, Fault> {
        let config: Config = serde_json::from_slice(&std::fs::read(&self.config)?)?;
        let names: Vec<&String> = config.mcp_servers.keys().collect();
        self.gateway.configured(&self.project, &names).await?;
        let mut upstream = self.upstream.lock().await;
        upstream.retain(|name, server| config.mcp_servers.get(name) == Some(&server.entry));
        // All are asked at once, so that one that does not answer holds up no other.
        let mut asked = Vec::new();
        for (name, entry) in config.mcp_servers {
            let new = || Arc::new(Upstream { entry, running: Mutex::default() });
            let server = Arc::clone(upstream.entry(name.clone()).or_insert_with(new));
            asked.push(tokio::spawn(async move {
                let listed = server.list().await;
                (name, server, listed)
            }));
        }
        drop(upstream);
        let mut offered = Vec::new();
        for answer in asked {
            let (name, server, listed) = answer.await?;
            let mut running = server.running.lock().await;
            let ranked = self.ranked(&name, listed, &running.tools).await?;
            running.tools = ranked.iter().map(|each| each.tool.clone()).collect();
            offered.extend(View::default().offer(ranked).into_iter().map(|mut tool| {
                tool.name = format!("{name}__{}", tool.name).into();
                (name.clone(), tool)
            }));
        }
        // `a` may have a tool `b__x` where `a__b` has `x`.
        let upstream = self.upstream.lock().await;
        offered.retain(|(name, tool)| server_of(&upstream, &tool.name) == Some(name));
        Ok(offered.into_iter().map(|(_, tool)| tool).collect())
    }

    /// Returns the tools of a server's list, or of its last one if it has none that can be read.
    async fn ranked(
        &self,
        name: &str,
        listed: Result<String, &str>,
        last: &[Tool],
    ) -> Result<Vec<Ranked>, GatewayError> {
        let why = match listed {
            Ok(text) => match self.gateway.listed_json(&self.project, name, &text).await {
                Err(GatewayError::Invalid(_)) => "lists no tool that can be read",
                ranked => return ranked,
            },
            Err(why) => why,
        };
        self.gateway.unlisted(&self.project, name, last.to_vec(), why).await
    }

    /// Notifies the client when its list of tools is outdated. The cause may be another proxy or a hook,
    /// which the registry reports.
    async fn tell(&self, client: Peer<RoleServer>) {
        let mut seen = self.gateway.changed(None).await;
        loop {
            seen = self.gateway.changed(Some(seen)).await;
            let offered = loop {
                match self.offered().await {
                    Ok(offered) => break offered,
                    // A file being written or a busy store: try again, so that the change is not missed.
                    Err(_) => tokio::time::sleep(AGAIN).await,
                }
            };
            let is_another = offered != *self.told.lock().await;
            if is_another && client.notify_tool_list_changed().await.is_err() {
                return;
            }
        }
    }

    /// Calls a server's tool, and records the outcome. A tool that is withheld is refused.
    async fn call(&self, server: &str, request: CallToolRequestParams) -> CallToolResult {
        let tool = request.name.to_string();
        let refused = |why| CallToolResult::error(vec![ContentBlock::text(why)]);
        match self.gateway.withheld(&self.project, server, &tool).await {
            Ok(None) => {}
            Ok(Some(why)) => return refused(why.to_string()),
            Err(error) => return refused(error.to_string()),
        }
        let began = Instant::now();
        let answered = timeout(LONGEST, self.answer(server, request)).await;
        let answered = answered.unwrap_or_else(|late| Err(late.into()));
        let failed = answered.as_ref().map_or(true, |result| result.is_error == Some(true));
        let outcome = if failed { OutcomeKind::Failure } else { OutcomeKind::Success };
        let call = Call::new(server, tool, outcome).took(began.elapsed());
        // A failure to record does not affect the answer.
        let _ = self.gateway.called(&self.project, call).await;
        answered.unwrap_or_else(|error| refused(format!("{server}: {error}")))
    }

    async fn answer(
        &self,
        server: &str,
        request: CallToolRequestParams,
    ) -> Result<CallToolResult, Fault> {
        let upstream = self.upstream.lock().await.get(server).cloned();
        let upstream = upstream.ok_or("this server is not configured any more")?;
        Ok(upstream.peer().await?.call_tool(request).await?)
    }
}

/// Returns the server whose name and `__` begin the name of a tool, the longest one.
fn server_of<'s, T>(servers: &'s BTreeMap<String, T>, tool: &str) -> Option<&'s String> {
    let is_own =
        |name: &&String| tool.strip_prefix(*name).is_some_and(|rest| rest.starts_with("__"));
    servers.keys().filter(is_own).max_by_key(|name| name.len())
}

impl ServerHandler for Proxy {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("mcp-proxy", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let offered = self.offered().await;
        let offered =
            offered.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        self.told.lock().await.clone_from(&offered);
        Ok(ListToolsResult::with_all_items(offered))
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        let Some(server) = server_of(&*self.upstream.lock().await, &name).cloned() else {
            return Err(ErrorData::invalid_params(format!("unknown tool: {name}"), None));
        };
        request.name = name[server.len() + 2..].to_owned().into();
        Ok(self.call(&server, request).await.into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let config = args.next().ok_or("usage: mcp-proxy CONFIG [STORE]")?;
    let store = args.next().unwrap_or_else(|| "sqlite:mcp-proxy.db".into());
    let config = Path::new(&config).canonicalize()?;
    let folder = config.parent().unwrap_or(Path::new("/"));
    let proxy = Proxy {
        project: ProjectRef::of_root(folder.display().to_string()),
        gateway: Gateway::new(store.parse()?, staleness::Policy::default()),
        upstream: Mutex::default(),
        told: Mutex::default(),
        config,
    };
    let proxy = Arc::new(proxy);
    let running = Arc::clone(&proxy).serve(rmcp::transport::stdio()).await?;
    let client = running.peer().clone();
    let telling = tokio::spawn(async move { proxy.tell(client).await });
    running.waiting().await?;
    telling.abort();
    Ok(())
}
