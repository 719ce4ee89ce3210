//! Asks configured servers for their tools as an MCP client, only when a person requests it.
//!
//! Servers are untrusted. Their time and output are limited, errors contain no text from a server, and its process
//! group is always killed. Processes that left the group with `setsid` are not tracked.

#[cfg(unix)]
mod group;
#[cfg(feature = "http")]
mod http;
mod interrupt;
mod read;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult};
use rmcp::service::{ClientInitializeError, RunningService};
use rmcp::transport::Transport;
use rmcp::{Peer, RoleClient, ServiceExt};
use serde_json::{Value, json};
use staleness_sources::clients::{Launch, Target};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::call::Ended;
use interrupt::Interrupt;
use read::{Faults, Lines};

/// Maximum number of servers to probe at the same time.
const AT_ONCE: usize = 4;
/// Maximum size of a message from a server, in bytes.
const MAX_LINE: usize = 8 * 1024 * 1024;
const TOO_MUCH: &str = "it sent too much: a message over 8 MiB, or over 32 MiB in total";
const NO_LIST: &str = "it does not list its tools";
const NO_LINES: &str = "its last line is not a complete JSON message";
const CLOSED: &str = "it closed the connection before it answered";
/// Time for a program to exit by itself, and again after it was asked to exit.
const GRACE: Duration = Duration::from_millis(150);

/// Limits for one server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum time for all answers.
    pub time: Duration,
    /// Maximum number of bytes received.
    pub bytes: u64,
    /// Maximum number of tools to read.
    pub tools: usize,
    /// Maximum number of pages of the list to request.
    pub pages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(20), bytes: 32 << 20, tools: 10_000, pages: 200 }
    }
}

/// The answer of a server: a `tools/list` result as JSON with the server's `instructions`, or the reason for the
/// failure in this program's words.
pub type Answer = Result<String, String>;

/// Probes several servers concurrently, and ends them. `heard` receives the index of each finished server. An interrupt
/// ends all of them; servers that had not finished have no answer.
///
/// # Errors
/// If no runtime can be created.
pub fn ask(
    servers: Vec<Launch>,
    limits: Limits,
    heard: &mut dyn FnMut(usize),
) -> std::io::Result<Vec<Option<Answer>>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answers = runtime.block_on(async {
        let mut answers: Vec<Option<Answer>> = servers.iter().map(|_| None).collect();
        let (turns, stop) = (Arc::new(Semaphore::new(AT_ONCE)), Ended::default());
        let mut asked = JoinSet::new();
        for (place, launch) in servers.into_iter().enumerate() {
            let (turns, stop) = (Arc::clone(&turns), stop.clone());
            asked.spawn(async move {
                let _turn = turns.acquire_owned().await;
                (place, ask_one(launch, limits, stop).await)
            });
        }
        let interrupt = Interrupt::new();
        loop {
            tokio::select! {
                done = asked.join_next() => match done {
                    None => break,
                    Some(Ok((place, answer))) => {
                        answers[place] = answer;
                        heard(place);
                    }
                    Some(Err(_)) => {}
                },
                () = interrupt.came(), if !stop.is_ended() => stop.end(),
            }
        }
        answers
    });
    runtime.shutdown_background();
    Ok(answers)
}

/// The reason why a server did not answer.
enum Trouble {
    /// The server closed the connection.
    Ended,
    /// The server exceeded a limit or violated the protocol.
    Words(&'static str),
}

/// Probes one server. Returns `None` after an interrupt.
async fn ask_one(launch: Launch, limits: Limits, stop: Ended) -> Option<Answer> {
    match launch.target {
        _ if stop.is_ended() => None,
        #[cfg(feature = "http")]
        Target::Http { url, headers } => tokio::select! {
            answer = http::ask(&url, &headers, limits) => Some(answer),
            () = stop.ended() => None,
        },
        #[cfg(not(feature = "http"))]
        Target::Http { .. } => unreachable(&launch.target).map(|why| Err(why.to_owned())),
        Target::Program { program, args, env } => {
            let mut child = match start(&program, &args, &env, &launch.folder) {
                Ok(child) => child,
                Err(why) => return Some(Err(format!("cannot be started: {why}"))),
            };
            let faults = Arc::new(Faults::default());
            let heard = hear(&mut child, limits, &faults);
            let answer = tokio::select! {
                answer = tokio::time::timeout(limits.time, heard) => Some(answer),
                () = stop.ended() => None,
            };
            let status = end(child).await;
            Some(match answer? {
                Ok(Ok(text)) => Ok(text),
                Ok(Err(Trouble::Words(what))) => Err(what.to_owned()),
                Ok(Err(Trouble::Ended)) => Err(ended(status)),
                Err(_) if faults.is_odd.load(Ordering::Relaxed) => {
                    Err(format!("{}: {NO_LINES}", no_answer(limits)))
                }
                Err(_) => Err(no_answer(limits)),
            })
        }
    }
}

/// Returns the reason why this build cannot probe the server. `None` if it can.
pub const fn unreachable(target: &Target) -> Option<&'static str> {
    match target {
        Target::Http { .. } if cfg!(not(feature = "http")) => Some(
            "this build cannot reach HTTP servers; install one that can with \
             `cargo install --path staleness-cli --locked --features http`",
        ),
        _ => None,
    }
}

fn no_answer(limits: Limits) -> String {
    format!("no answer within {} s", limits.time.as_secs())
}

/// Describes the exit status of a program.
fn ended(status: Option<ExitStatus>) -> String {
    match status.and_then(|status| status.code()) {
        Some(code) => {
            format!("it exited before it listed its tools, with exit code {code}")
        }
        None => "it exited before it listed its tools".to_owned(),
    }
}

/// Starts a program. Its standard error is discarded, because it may contain secrets.
fn start(
    program: &str,
    args: &[String],
    env: &BTreeMap<String, String>,
    folder: &Path,
) -> Result<Child, &'static str> {
    if !folder.is_dir() {
        return Err("its folder does not exist");
    }
    let mut command = Command::new(program);
    command.args(args).envs(env).current_dir(folder).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // In a group of its own, the program can be ended together with its child processes.
    #[cfg(unix)]
    command.process_group(0);
    command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => "there is no such program",
        ErrorKind::PermissionDenied => {
            "its program may not be run, or its folder may not be entered"
        }
        ErrorKind::InvalidInput => "its command contains invalid characters",
        _ => "the system cannot start its program",
    })
}

async fn hear(child: &mut Child, limits: Limits, faults: &Arc<Faults>) -> Result<String, Trouble> {
    let (Some(write), Some(read)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Trouble::Ended);
    };
    let lines = Lines::new(read, write, limits.bytes, Arc::clone(faults));
    let listed = list(lines, limits).await.map(|(text, _)| text);
    let is_over = || faults.is_over.load(Ordering::Relaxed);
    listed.map_err(|why| if is_over() { Trouble::Words(TOO_MUCH) } else { why })
}

/// Returns a transport with one message per line. It ends at a message over 8 MiB; the total size is not limited.
/// Invalid bytes and escapes become replacement characters.
pub fn messages(
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
) -> impl Transport<RoleClient> {
    Lines::new(read, write, u64::MAX, Arc::default())
}

/// Runs the protocol until the server has listed its tools. Also returns the session.
async fn list(
    transport: impl Transport<RoleClient> + 'static,
    limits: Limits,
) -> Result<(String, RunningService<RoleClient, ()>), Trouble> {
    let client = ().serve(transport).await.map_err(|error| match error {
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::TransportError { .. } => Trouble::Ended,
        _ => Trouble::Words("it does not speak MCP"),
    })?;
    let text = pages(client.peer(), limits).await?;
    Ok((text, client))
}

async fn pages(server: &Peer<RoleClient>, limits: Limits) -> Result<String, Trouble> {
    let info = server.peer_info();
    let has_tools = info.as_ref().is_some_and(|info| info.capabilities.tools.is_some());
    let instructions = info.and_then(|info| info.instructions.clone()).unwrap_or_default();
    let mut tools: Vec<Value> = Vec::new();
    let mut cursor = None;
    for _ in 0..limits.pages {
        if !has_tools {
            break;
        }
        let page = PaginatedRequestParams::default().with_cursor(cursor.take());
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(page));
        let page = server.send_request(request).await.map_err(|error| match error {
            rmcp::ServiceError::TransportClosed => Trouble::Ended,
            rmcp::ServiceError::McpError(_) => Trouble::Words("it answered with an error"),
            _ => Trouble::Words(NO_LIST),
        })?;
        let mut page = match page {
            ServerResult::ListToolsResult(page) => json!(page),
            // A malformed tool does not affect the others. The reader of the list reports unreadable tools.
            ServerResult::CustomResult(page) => page.0,
            _ => Value::Null,
        };
        let Some(Value::Array(more)) = page.get_mut("tools").map(Value::take) else {
            return Err(Trouble::Words(NO_LIST));
        };
        tools.extend(more);
        let next = page["nextCursor"].as_str().filter(|next| !next.is_empty());
        cursor = next.map(ToOwned::to_owned);
        if cursor.is_none() || tools.len() > limits.tools {
            break;
        }
    }
    // A remaining cursor marks the list as incomplete, so that no missing tool counts as removed.
    let mut listed = json!({ "tools": tools, "instructions": instructions });
    if cursor.is_some() {
        listed["nextCursor"] = "more".into();
    }
    Ok(listed.to_string())
}

/// Asks a server for its tools, and returns all pages as one `tools/list` result in JSON, with its `instructions`.
/// Stops after 200 pages or 10,000 tools ([`Limits::default`]). The caller limits the time.
///
/// # Errors
/// The reason for the failure, without any text of the server.
pub async fn raw_list(server: &Peer<RoleClient>) -> Result<String, &'static str> {
    pages(server, Limits::default()).await.map_err(|why| match why {
        Trouble::Words(what) => what,
        Trouble::Ended => CLOSED,
    })
}

/// Ends a program and all of its child processes. Returns its exit status.
async fn end(mut child: Child) -> Option<ExitStatus> {
    // The program's input is already closed, which asks the program to exit.
    tokio::time::sleep(GRACE).await;
    #[cfg(unix)]
    {
        // The process id is not reused until the process has been waited for.
        group::signal(&child, rustix::process::Signal::TERM);
        tokio::time::sleep(GRACE).await;
        group::signal(&child, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = child.start_kill();
    child.wait().await.ok()
}

#[cfg(test)]
mod tests;
