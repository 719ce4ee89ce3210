//! `staleness mcp` as a client sees it: the real program, one JSON line at a time.

mod burden;
mod claims;
mod client;
mod ends;
#[cfg(all(unix, feature = "http"))]
mod http;
#[path = "../all/json_schema.rs"]
mod json_schema;
mod models;
mod protocol;
mod settled;
mod tools;
mod whom;
mod without_hooks;
