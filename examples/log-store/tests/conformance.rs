//! Runs the conformance suite.

use std::sync::Arc;

use log_store::LogStore;
use staleness_conformance::{Capabilities, Simple};

staleness_conformance::main!(Simple {
    name: "log",
    capabilities: Capabilities {
        persistent: true,
        multi_process: true,
        backup: true,
        ..Capabilities::NONE
    },
    open: |path, _| Ok(Arc::new(LogStore::open(path)?)),
});
