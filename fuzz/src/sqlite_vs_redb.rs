//! Runs one registry workload on SQLite, redb and in memory. All reports must be the same.
//!
//! Input: [`BYTES`](staleness_conformance::workload::BYTES) bytes per event.

use std::sync::Arc;

use staleness_conformance::workload::{Pace, compare};
use staleness_conformance::{Backend, Capabilities, Simple};
use staleness_redb::RedbStore;
use staleness_sqlite::SqliteStore;

/// Short, because most of the time is spent on opening redb.
const PACE: Pace = Pace { longest: 16, glances: 4 };
const CAPABILITIES: Capabilities = Capabilities { persistent: true, ..Capabilities::NONE };

/// Runs the events in the input.
pub fn run(data: &[u8]) {
    let sqlite = Simple {
        name: "sqlite",
        capabilities: CAPABILITIES,
        open: |path, _| Ok(Arc::new(SqliteStore::open(path, Default::default())?)),
    };
    let redb = Simple {
        name: "redb",
        open: |path, _| Ok(Arc::new(RedbStore::open(path, Default::default())?)),
        ..sqlite
    };
    let backends: [Arc<dyn Backend>; 2] = [Arc::new(sqlite), Arc::new(redb)];
    if let Err(why) = compare(&backends, data, PACE) {
        panic!("{why}");
    }
}
