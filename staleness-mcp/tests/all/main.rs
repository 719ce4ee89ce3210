//! Tests of the MCP server and of the gateway's view.

mod gateway;
#[cfg(feature = "metrics")]
mod metrics;
mod serve;
