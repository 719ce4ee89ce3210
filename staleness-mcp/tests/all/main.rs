//! Tests of the MCP server and of the gateway's view.

mod gateway;
mod load;
#[cfg(feature = "metrics")]
mod metrics;
mod names;
mod serve;
