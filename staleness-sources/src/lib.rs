//! Reads the configuration of agent clients, the payloads of their hooks, and the data of other memory systems.
//! Read-only.
//!
//! | module | turns | into |
//! |---|---|---|
//! | [`clients`] | the configuration of every supported client | readings for a [`staleness_core::scan::Scan`] |
//! | [`live`] | an MCP `tools/list` result | one reading |
//! | [`hook`] | the payload of a client's hook | an event |
//! | [`systems`] | the data of another memory system | lines of an import |
//!
//! This crate does not print, read a clock, run a program other than git, or write, except for private copies of
//! databases. Environment variables are only read to find git and the folder for temporary files, to expand entries of
//! servers and of lists of servers, and by [`clients::may_run_for_agent`]. Files are untrusted: every read is bounded,
//! no input can make this crate panic, and no value of `env`, `headers`, `args`, a URL or a command line is copied into
//! a reading or a message.
//!
//! ```
//! use std::path::Path;
//!
//! use staleness_docs::project;
//! use staleness_sources::clients::{self, ScanRequest};
//! use staleness_sources::hook::{self, Event};
//!
//! let place = project::discover(Path::new("."), true);
//! let readings = clients::read(&ScanRequest::new(Path::new("/home/ada"), &place));
//! for source in &readings.sources {
//!     println!("{} {}: {}", source.id, source.state.as_str(), source.found.len());
//! }
//!
//! let payload = br#"{"hook_event_name": "PostToolUse", "tool_name": "mcp__github__search"}"#;
//! let input = hook::parse(payload, None, None)?;
//! assert!(matches!(input.event, Event::ToolOutcome(event) if event.server.is_none()));
//! # Ok::<(), hook::HookError>(())
//! ```

pub mod clients;
mod draft;
mod folder;
pub mod hook;
mod json;
pub mod live;
mod outline;
pub mod systems;
mod text;
