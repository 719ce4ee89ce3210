//! Tests of what is special to redb; what every backend promises is in `conformance.rs`.

mod cells;
mod damage;
mod format;
mod growth;
mod sharing;
mod support;
