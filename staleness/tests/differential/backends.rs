//! The backends under comparison.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use staleness::policy::{OutcomePolicy, RoutePolicy};
use staleness::store::Selection;
use staleness::transfer::{Checker, HEADER, Record, append_lines};
use staleness::{
    BlockingRegistry, MemoryStore, OpenOptions, Policy, Registry, StoreUrl, open_with,
};

/// A registry on one backend.
#[derive(Debug)]
pub(crate) struct Backend {
    pub(crate) name: &'static str,
    pub(crate) registry: BlockingRegistry,
    home: Home,
}

#[derive(Debug)]
enum Home {
    Memory(MemoryStore),
    File(StoreUrl),
}

/// Bounds so tight that every life prunes.
fn policy() -> Policy {
    let outcomes = OutcomePolicy { keep_days: 2, keep_newest: 12 };
    let routes = RoutePolicy { max_routes: 5, ..RoutePolicy::default() };
    Policy { outcomes, routes, ..Policy::default() }
}

fn opened(home: &Home) -> BlockingRegistry {
    match home {
        Home::Memory(store) => Registry::new(Arc::new(store.clone()), policy()).blocking(),
        Home::File(url) => {
            let options = OpenOptions { policy: policy(), ..OpenOptions::default() };
            open_with(url, options).unwrap().blocking()
        }
    }
}

/// One empty registry on each backend.
pub(crate) fn fresh_backends(folder: &Path, prefix: &str) -> Vec<Backend> {
    let file = |scheme: &str| {
        let path = folder.join(format!("{prefix}{scheme}"));
        Home::File(format!("{scheme}:{}", path.display()).parse().unwrap())
    };
    [
        ("memory", Home::Memory(MemoryStore::new())),
        ("sqlite", file("sqlite")),
        ("redb", file("redb")),
    ]
    .into_iter()
    .map(|(name, home)| Backend { name, registry: opened(&home), home })
    .collect()
}

impl Backend {
    /// Closes the store and opens it again.
    pub(crate) fn reopen(&mut self) {
        self.registry = Registry::new(Arc::new(MemoryStore::new()), policy()).blocking();
        self.registry = opened(&self.home);
    }
}

/// The export of a backend.
pub(crate) fn exported(backend: &Backend) -> String {
    let mut bytes = format!("{HEADER}\n").into_bytes();
    let mut visit = |page| {
        append_lines(&page, &mut bytes);
        ControlFlow::Continue(())
    };
    backend.registry.pages(&Selection::records(), &mut visit).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Imports an export, which must be sound.
pub(crate) fn import(backend: &Backend, export: &str) {
    let mut checker = Checker::new();
    let records: Vec<Record> =
        export.lines().filter_map(|line| checker.line(line).unwrap()).collect();
    checker.finish().unwrap();
    let (projects, others): (Vec<Record>, Vec<Record>) =
        records.into_iter().partition(|record| matches!(record, Record::Project(_)));
    let mut importer = backend.registry.importer(false).unwrap();
    for record in others.into_iter().chain(projects) {
        importer.put(record).unwrap();
    }
    importer.finish().unwrap();
}
