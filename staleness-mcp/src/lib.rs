//! An MCP server for a staleness registry, and support for gateways.
//!
//! [`Server`] tells agents which tools, documents, notes and work can still be trusted, why, and what to do. `staleness
//! mcp` runs [`serve_stdio`], or `serve_http` with the feature `http`. [`serve`] accepts any pair of streams, and
//! [`Server::call`] needs no client.
//!
//! [`probe`] asks configured servers for their tools. [`gateway`] is for programs between a model and MCP servers.
//!
//! One process serves any number of projects, because each call may name a project's folder. The store is opened
//! once and shared. Blocking work never runs on the runtime's threads.

mod answer;
mod arguments;
mod call;
mod connection;
#[cfg(feature = "http")]
mod counts;
mod deliveries;
mod follow;
pub mod gateway;
#[cfg(feature = "http")]
mod http;
mod malformed;
mod parting;
#[cfg(unix)]
mod pipes;
pub mod probe;
#[cfg(feature = "http")]
mod remote;
pub mod resources;
mod server;
mod spec;
mod stdio;
mod subscriptions;
mod text;
mod tools;
mod turns;
mod wire;
mod words;

pub use answer::{MAX_DATA_BYTES, MAX_ROWS_BYTES, MAX_TEXT_BYTES};
#[cfg(feature = "http")]
pub use http::{HttpOptions, serve_http};
pub use rmcp;
pub use server::Server;
pub use staleness_service::settings::Options;
pub use stdio::{ServeError, serve, serve_stdio};
