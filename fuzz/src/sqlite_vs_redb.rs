//! One workload of a registry on SQLite, on redb and in memory at once: every report must be the
//! same on all of them.
//!
//! Input: [`BYTES`](staleness_conformance::workload::BYTES) bytes that choose each event.

use std::sync::Arc;

use staleness_conformance::workload::{Pace, compare};
use staleness_conformance::{Backend, Capabilities, Simple};
use staleness_redb::RedbStore;
use staleness_sqlite::SqliteStore;

/// To open redb is most of the work.
const PACE: Pace = Pace { longest: 16, glances: 4 };
const CAPABILITIES: Capabilities = Capabilities { persistent: true, ..Capabilities::NONE };

/// Does what the input chooses.
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
