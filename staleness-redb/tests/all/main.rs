//! Tests of what is special to redb; what every backend promises is in `conformance.rs`.

mod cells;
mod damage;
mod format;
mod growth;
mod modes;
mod read_only;
mod runtime;
mod sharing;
mod support;
