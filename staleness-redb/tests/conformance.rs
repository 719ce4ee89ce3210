//! The suite that every backend runs.

use std::sync::Arc;
use std::time::Duration;

use staleness_conformance::{Capabilities, Opening, Simple};
use staleness_redb::{OpenOptions, RedbStore};

staleness_conformance::main!(Simple {
    name: "redb",
    capabilities: Capabilities {
        persistent: true,
        multi_process: true,
        backup: true,
        concurrent_readers: false,
        file: true,
        runtime: cfg!(feature = "tokio"),
    },
    open: |path, opening| {
        let options = match opening {
            // On a busy machine sixteen processes may wait for each other for longer than five seconds.
            Opening::Create => {
                OpenOptions { busy_timeout: Duration::from_secs(60), ..OpenOptions::default() }
            }
            Opening::Existing => OpenOptions { create: false, ..OpenOptions::default() },
            Opening::ReadOnly => OpenOptions { read_only: true, ..OpenOptions::default() },
            Opening::Impatient => {
                OpenOptions { busy_timeout: Duration::ZERO, ..OpenOptions::default() }
            }
        };
        Ok(Arc::new(RedbStore::open(path, options)?))
    },
});
