//! One MCP server in front of many: their tools as `server__tool`, what works first, what fails marked.
//!
//! `mcp-proxy CONFIG [STORE]` reads `{"mcpServers": {name: {command, args}}}` whenever tools are listed,
//! starts servers when they are needed, and again after they died. The registry does the rest: it ranks, marks, pins what
//! each server says of its tools, and withholds what changed for the worse. See [`Proxy::offered`] and [`Proxy::call`].

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ErrorData, Peer, RoleClient, RoleServer, ServerHandler, ServiceExt};
use serde::Deserialize;
use staleness::outcome::OutcomeKind;
use staleness::scan::ProjectRef;
use staleness_mcp::gateway::{Call, Gateway, View};
use tokio::process::Command;
use tokio::sync::Mutex;

/// Time until a list that could not be made is made again.
const AGAIN: Duration = Duration::from_secs(2);

/// The configuration.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    mcp_servers: BTreeMap<String, Entry>,
}

#[derive(Clone, Deserialize)]
struct Entry {
    command: String,
    #[serde(default)]
    args: Vec<String>,
}

/// A server behind the proxy.
struct Upstream {
    entry: Entry,
    /// While it runs.
    client: Option<RunningService<RoleClient, ()>>,
    /// The last list: all that is known of a server that is down.
    tools: Vec<Tool>,
}

impl Upstream {
    /// The server, started if it does not run.
    async fn client(
        &mut self,
    ) -> Result<&RunningService<RoleClient, ()>, Box<dyn Error + Send + Sync>> {
        let client = match self.client.take().filter(|client| !client.is_transport_closed()) {
            Some(client) => client,
            None => {
                let mut command = Command::new(&self.entry.command);
                command.args(&self.entry.args);
                ().serve(TokioChildProcess::new(command)?).await?
            }
        };
        Ok(self.client.insert(client))
    }
}

struct Proxy {
    config: PathBuf,
    project: ProjectRef,
    gateway: Gateway,
    upstream: Mutex<BTreeMap<String, Upstream>>,
    /// The list that the client has.
    told: Mutex<Vec<Tool>>,
}

impl Proxy {
    /// The tools of every configured server, ranked and marked.
    async fn offered(&self) -> Result<Vec<Tool>, Box<dyn Error + Send + Sync>> {
        let config: Config = serde_json::from_slice(&std::fs::read(&self.config)?)?;
        let names: Vec<&String> = config.mcp_servers.keys().collect();
        self.gateway.configured(&self.project, &names).await?;
        let mut upstream = self.upstream.lock().await;
        upstream.retain(|name, _| config.mcp_servers.contains_key(name));
        let mut offered = Vec::new();
        for (name, entry) in config.mcp_servers {
            let server = upstream.entry(name.clone()).or_insert_with(|| Upstream {
                entry,
                client: None,
                tools: Vec::new(),
            });
            // One that is down is no reason to forget its tools.
            if let Ok(client) = server.client().await
                && let Ok(tools) = client.list_all_tools().await
            {
                server.tools = tools;
            }
            let ranked = self.gateway.listed(&self.project, &name, server.tools.clone()).await?;
            offered.extend(View::default().offer(ranked).into_iter().map(|mut tool| {
                tool.name = format!("{name}__{}", tool.name).into();
                tool
            }));
        }
        Ok(offered)
    }

    /// Tells the client when it would be offered another list than it has, whoever found that out: another
    /// proxy, or a hook, of which the registry tells.
    async fn tell(&self, client: Peer<RoleServer>) {
        let mut seen = self.gateway.changed(None).await;
        loop {
            seen = self.gateway.changed(Some(seen)).await;
            let offered = loop {
                match self.offered().await {
                    Ok(offered) => break offered,
                    // A file that is being written, a store that is busy: the news are not forgotten.
                    Err(_) => tokio::time::sleep(AGAIN).await,
                }
            };
            let is_another = offered != *self.told.lock().await;
            if is_another && client.notify_tool_list_changed().await.is_err() {
                return;
            }
        }
    }

    /// Calls a tool of a server, and records how it ended.
    async fn call(&self, server: &str, request: CallToolRequestParams) -> CallToolResult {
        let tool = request.name.to_string();
        let began = Instant::now();
        let answered = {
            let mut upstream = self.upstream.lock().await;
            match upstream.get_mut(server) {
                None => Err(format!("no server is configured as {server}").into()),
                Some(upstream) => match upstream.client().await {
                    Ok(client) => client.call_tool(request).await.map_err(Into::into),
                    Err(error) => Err(error),
                },
            }
        };
        let failed = answered.as_ref().map_or(true, |result| result.is_error == Some(true));
        let outcome = if failed { OutcomeKind::Failure } else { OutcomeKind::Success };
        let call = Call::new(server, tool, outcome).took(began.elapsed());
        // What cannot be recorded is no reason to withhold an answer.
        let _ = self.gateway.called(&self.project, call).await;
        answered.unwrap_or_else(|error: Box<dyn Error + Send + Sync>| {
            CallToolResult::error(vec![ContentBlock::text(format!("{server}: {error}"))])
        })
    }
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
        let Some((server, tool)) = name.split_once("__") else {
            return Err(ErrorData::invalid_params(format!("unknown tool: {name}"), None));
        };
        request.name = tool.to_owned().into();
        Ok(self.call(server, request).await.into())
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
