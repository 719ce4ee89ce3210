//! The suite that every backend runs.

use std::sync::Arc;
use std::time::Duration;

use staleness_conformance::{Capabilities, Opening, Simple};
use staleness_sqlite::{OpenOptions, SqliteStore};

staleness_conformance::main!(Simple {
    name: "sqlite",
    capabilities: Capabilities {
        persistent: true,
        multi_process: true,
        backup: true,
        concurrent_readers: true,
        file: true,
        runtime: cfg!(feature = "tokio"),
    },
    open: |path, opening| {
        let options = match opening {
            Opening::Create => OpenOptions::default(),
            Opening::Existing => OpenOptions { create: false, ..OpenOptions::default() },
            Opening::ReadOnly => OpenOptions { read_only: true, ..OpenOptions::default() },
            Opening::Impatient => {
                OpenOptions { busy_timeout: Duration::ZERO, ..OpenOptions::default() }
            }
        };
        Ok(Arc::new(SqliteStore::open(path, options)?))
    },
});
