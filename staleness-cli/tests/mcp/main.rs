//! `staleness mcp` as a client sees it: the real program, one JSON line at a time.

mod burden;
mod client;
mod ends;
mod protocol;
mod tools;
