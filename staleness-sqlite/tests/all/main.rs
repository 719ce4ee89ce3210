//! Tests of what is special to SQLite; what every backend promises is in `conformance.rs`.

mod cells;
mod decode;
mod forgotten;
mod format;
mod log;
mod sharing;
mod shrinks;
mod support;
