//! The suite that every backend runs.

use std::sync::Arc;

use staleness_conformance::{Capabilities, Simple};
use staleness_redb::{OpenOptions, RedbStore};

staleness_conformance::main!(Simple {
    name: "redb",
    capabilities: Capabilities {
        persistent: true,
        multi_process: true,
        backup: true,
        concurrent_readers: false,
    },
    open: |path| Ok(Arc::new(RedbStore::open(path, OpenOptions::new())?)),
});
