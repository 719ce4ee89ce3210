//! An MCP server over a staleness registry, and what a gateway needs of one.
//!
//! [`Server`] answers agents in their own protocol: which tools, documents, notes and work can still be
//! trusted, why, and what to do. [`serve_stdio`] is what `staleness mcp` runs; [`serve`] takes any pair
//! of streams, and [`Server::call`] no client at all.
//!
//! [`probe`] asks configured servers for their tools. [`gateway`] is for programs that stand between a model and MCP servers.
//!
//! One process serves any number of projects: each call may name the folder of one. The store is
//! opened once and shared; work that blocks never runs on the threads of the runtime.

mod answer;
mod arguments;
mod call;
mod connection;
mod deliveries;
mod follow;
pub mod gateway;
mod malformed;
#[cfg(unix)]
mod pipes;
pub mod probe;
pub mod resources;
mod server;
mod spec;
mod stdio;
mod subscriptions;
mod text;
mod tools;
mod turns;
mod wire;

pub use answer::{MAX_DATA_BYTES, MAX_ROWS_BYTES, MAX_TEXT_BYTES};
pub use rmcp;
pub use server::Server;
pub use staleness_service::settings::Options;
pub use stdio::{ServeError, serve, serve_stdio};
