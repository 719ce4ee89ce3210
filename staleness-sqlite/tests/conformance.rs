//! The suite that every backend runs.

use std::sync::Arc;

use staleness_conformance::{Capabilities, Simple};
use staleness_sqlite::{OpenOptions, SqliteStore};

staleness_conformance::main!(Simple {
    name: "sqlite",
    capabilities: Capabilities {
        persistent: true,
        multi_process: true,
        backup: true,
        concurrent_readers: true,
    },
    open: |path| Ok(Arc::new(SqliteStore::open(path, OpenOptions::new())?)),
});
