//! Runs one workload on the memory store and on other stores at once.

use std::ops::ControlFlow;
use std::sync::Arc;

use staleness_core::policy::{JournalPolicy, OutcomePolicy, RoutePolicy, SessionPolicy};
use staleness_core::store::{RegistryStore, Selection, StoreError, View};
use staleness_core::transfer::{Checker, Record};
use staleness_core::{MemoryStore, Policy, Registry, Wait};

use super::{BYTES, Workload, said};
use crate::backend::Backend;
use crate::context::Context;

/// The length of a workload, and how often the stores are compared.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Maximum number of events.
    pub longest: usize,
    /// Number of events between two comparisons of visible data.
    pub glances: usize,
}

/// Counts of operations in a workload.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Number of events.
    pub events: usize,
    /// Number of lines in the final export.
    pub lines: usize,
}

/// Creates a registry with such low limits that a short workload prunes.
pub fn registry(store: Arc<dyn RegistryStore>) -> Registry {
    let outcomes = OutcomePolicy { keep_days: 2, keep_newest: 8, ..OutcomePolicy::default() };
    let routes = RoutePolicy { max_routes: 4, ..RoutePolicy::default() };
    let journal = JournalPolicy { keep_days: 1 };
    let sessions = SessionPolicy { keep_days: 3, ..SessionPolicy::default() };
    Registry::new(store, Policy { outcomes, routes, journal, sessions, ..Policy::default() })
}

/// A store and its registry.
struct Side {
    context: Context,
    registry: Registry,
}

impl Side {
    fn new(backend: &Arc<dyn Backend>) -> Self {
        let context = Context::new(Arc::clone(backend));
        let registry = registry(Arc::clone(context.store()));
        Self { context, registry }
    }

    fn reopen(&mut self) {
        if self.context.backend().capabilities().persistent {
            self.registry = registry(Arc::new(MemoryStore::new()));
            self.context.reopen();
            self.registry = registry(Arc::clone(self.context.store()));
        }
    }
}

/// The stores to compare.
struct Sides {
    memory: Registry,
    others: Vec<Side>,
}

impl Sides {
    fn new(backends: &[Arc<dyn Backend>]) -> Self {
        let memory = registry(Arc::new(MemoryStore::new()));
        Self { memory, others: backends.iter().map(Side::new).collect() }
    }

    /// Runs a function on all stores and returns the common answer.
    fn agree(
        &self,
        what: &dyn Fn() -> String,
        ask: impl Fn(&Registry) -> String,
    ) -> Result<String, String> {
        let expected = ask(&self.memory);
        for side in &self.others {
            let found = ask(&side.registry);
            if found != expected {
                let name = side.context.backend().name();
                return Err(format!(
                    "{}: {name} answers\n{found}\n  the memory store\n{expected}",
                    what()
                ));
            }
        }
        Ok(expected)
    }
}

/// Runs the workload selected by `bytes` on the memory store and on a new store of each backend. After each event and
/// at the end, all must report the same, export the same bytes and pass a check. Importing the export twice into a new
/// store of each backend must give the same data and the same export.
///
/// # Errors
/// The first difference, with the event after which it was found.
///
/// # Panics
/// If a store fails unexpectedly.
pub fn compare(backends: &[Arc<dyn Backend>], bytes: &[u8], pace: Pace) -> Result<Tally, String> {
    let records = |registry: &Registry| {
        exported(registry, &Selection::records()).expect("it can be exported")
    };
    let mut sides = Sides::new(backends);
    let mut workload = Workload::default();
    let chosen: Vec<&[u8]> = bytes.chunks(BYTES).take(pace.longest).collect();
    for (turn, bytes) in chosen.iter().enumerate() {
        let event = workload.next(bytes);
        // Every workload is interrupted once, regardless of the bytes.
        if event.reopens() || turn == chosen.len() / 2 {
            sides.others.iter_mut().for_each(Side::reopen);
        }
        let what = || format!("event {turn}, {event:?}");
        sides.agree(&what, |registry| event.run(registry))?;
        if turn % pace.glances == pace.glances - 1 {
            let what = || format!("what is seen after event {turn}, {event:?}");
            sides.agree(&what, |registry| workload.glance(registry))?;
        }
    }
    sides.agree(&|| "the end".into(), |registry| workload.look(registry))?;
    let export = sides.agree(&|| "the export".into(), records)?;
    let copies = Sides::new(backends);
    for _ in 0..2 {
        import(&copies, &export);
        let again = copies.agree(&|| "the export of an import".into(), records)?;
        if again != export {
            return Err(format!("the export of an import is\n{again}\n  not\n{export}"));
        }
    }
    let what = || "an import".into();
    let (found, expected) = (
        copies.agree(&what, |registry| workload.records(registry))?,
        workload.records(&sides.memory),
    );
    if found != expected {
        return Err(format!("of an import is seen\n{found}\n  not\n{expected}"));
    }
    for sides in [&sides, &copies] {
        sides.agree(&|| "a check".into(), |registry| said(registry.admin().check().wait()))?;
        sides.memory.admin().check().wait().map_err(|error| error.to_string())?;
    }
    Ok(Tally { events: chosen.len(), lines: export.lines().count() })
}

/// Returns the export of a selection, with its header.
///
/// # Errors
/// Errors of the store.
///
/// # Panics
/// If the export is not UTF-8.
pub fn exported(registry: &Registry, what: &Selection) -> Result<String, StoreError> {
    let (mut first, mut bytes) = (Record::HEADER.to_owned(), Vec::new());
    let mut visit = |page: View| {
        first = Record::header(page.floor.revision);
        page.append_lines(&mut bytes);
        ControlFlow::Continue(())
    };
    registry.admin().pages(what, &mut visit).wait()?;
    Ok(format!("{first}\n{}", String::from_utf8(bytes).expect("an export is UTF-8")))
}

/// Imports an export into all stores. It must succeed.
fn import(sides: &Sides, export: &str) {
    let mut checker = Checker::new();
    let line = |line| checker.line(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let records: Vec<Record> = export.lines().filter_map(line).collect();
    checker.finish().expect("the export is whole");
    let (projects, others): (Vec<Record>, Vec<Record>) =
        records.into_iter().partition(|record| matches!(record, Record::Project(_)));
    let registries = sides.others.iter().map(|side| &side.registry);
    for registry in registries.chain([&sides.memory]) {
        let mut importer =
            registry.admin().importer(false).wait().expect("the store takes an import");
        for record in others.iter().chain(&projects) {
            importer.put(record.clone()).wait().expect("a record is taken");
        }
        importer.finish().wait().expect("the import ends");
    }
}
