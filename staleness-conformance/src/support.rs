//! Steps, rows and helpers for tests of a single backend.
//!
//! Errors are those of the store. Helpers that return no result panic instead.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use staleness_core::ids::SourceId;
use staleness_core::journal::{JournalEntry, Subject};
use staleness_core::outcome::Outcome;
use staleness_core::registry::Learn;
use staleness_core::report::ScanReport;
use staleness_core::route::Route;
use staleness_core::scan::{Found, ProjectRef, Scan, SourceReading};
use staleness_core::source::SourceState;
use staleness_core::store::{
    ChangeSet, Commit, Decision, Draft, Durability, Refusal, RegistryStore, Selection, Step,
    StoreError, ToolFilter, View,
};
use staleness_core::tool::{PresenceCause, Tool, ToolKind};
use staleness_core::{Registry, RegistryError, Timestamp, Wait};

use crate::rows;
pub use crate::rows::{at, global as key};
use crate::steps::Write;

/// A step made from a selection and a function.
pub(crate) struct Do<F> {
    selection: Selection,
    work: F,
}

impl<F: Fn(&mut Draft<'_>) + Send + Sync + 'static> Do<F> {
    pub(crate) const fn on(selection: Selection, work: F) -> Self {
        Self { selection, work }
    }
}

impl<F> fmt::Debug for Do<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Do")
    }
}

impl<F: Fn(&mut Draft<'_>) + Send + Sync + 'static> Step for Do<F> {
    fn selection(&self) -> Selection {
        self.selection.clone()
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, at(1));
        (self.work)(&mut draft);
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

/// Returns a step that applies `work` to a selection.
pub fn step_on(
    selection: Selection,
    work: impl Fn(&mut Draft<'_>) + Send + Sync + 'static,
) -> Arc<dyn Step> {
    Arc::new(Do::on(selection, work))
}

/// Returns a step that locks all tools and applies `work`.
pub fn step(work: impl Fn(&mut Draft<'_>) + Send + Sync + 'static) -> Arc<dyn Step> {
    step_on(Selection::new().lock(ToolFilter::All), work)
}

/// Returns a step that uses a tool: it reads and writes the tool's row, and appends an outcome.
pub fn use_tool(name: &str, op: u64) -> Arc<dyn Step> {
    let key = key(name);
    let selection = Selection::new().lock(ToolFilter::Key(key.clone()));
    step_on(selection, move |draft| {
        let mut row = draft.get::<Tool>(&key).cloned().unwrap_or_else(|| tool(key.name.as_str()));
        let outcome = outcome(key.name.as_str(), op);
        row.note_use(outcome.mark, outcome.at, outcome.identity(), 5);
        draft.put(row);
        draft.append_outcome(outcome);
    })
}

/// Runs a step.
pub fn transact(store: &dyn RegistryStore, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
    pollster::block_on(store.transact(step))
}

/// Writes changes, locking exactly their rows.
pub fn put(store: &dyn RegistryStore, changes: ChangeSet) -> Result<Commit, StoreError> {
    transact(store, Arc::new(Write { changes, ..Write::new() }))
}

/// Returns everything stored.
pub fn everything(store: &dyn RegistryStore) -> Result<View, StoreError> {
    pollster::block_on(store.view(Arc::new(Selection::everything())))
}

/// Checks the store.
pub fn check(store: &dyn RegistryStore) -> Result<(), StoreError> {
    pollster::block_on(store.check())
}

/// Writes a tool, an outcome and a journal entry.
pub fn fill(store: &dyn RegistryStore) {
    transact(store, use_tool("a", 1)).unwrap();
    transact(store, step(|draft| draft.append_journal(entry("a")))).unwrap();
}

/// Applies a scan of a project that read these sources completely.
pub fn scan(
    registry: &Registry,
    project: ProjectRef,
    sources: impl IntoIterator<Item = (SourceId, Vec<Found>)>,
    at: Timestamp,
) -> Result<ScanReport, RegistryError> {
    let reading = |(id, found): (SourceId, Vec<Found>)| SourceReading {
        path: format!("/{}", id.part),
        id,
        state: SourceState::Read,
        root_is_there: true,
        error: None,
        found,
    };
    let scan = Scan {
        read_under: registry.tools().readings(&project.id).wait()?,
        project,
        sources: sources.into_iter().map(reading).collect(),
        indexes: Vec::new(),
        at,
        session: None,
        client: None,
    };
    registry.tools().apply_scan(scan).wait()
}

/// Learns a route, which must succeed, and returns it.
pub(crate) fn learn(registry: &Registry, project: &ProjectRef, lesson: Learn) -> Route {
    registry.routes().learn(project, lesson).wait().expect("learned").expect("a route")
}

/// Returns a tool that was used.
pub fn tool(name: &str) -> Tool {
    Tool::new(key(name), ToolKind::McpTool, PresenceCause::Used, at(0))
}

/// Returns a success of a tool, at `op` milliseconds.
pub fn outcome(name: &str, op: u64) -> Outcome {
    Outcome {
        server: Some(rows::server("s")),
        at: at(op as i64),
        duration_ms: Some(7),
        ..rows::outcome(key(name), format!("op{op}"))
    }
}

/// Returns a journal entry about a tool.
pub fn entry(name: &str) -> JournalEntry {
    JournalEntry { to: Some("active".into()), ..rows::entry(Subject::tool(&key(name))) }
}

/// Returns the content of every file in a folder, by name.
pub fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let files = paths.filter(|path| path.is_file());
    let mut found: Vec<_> =
        files.map(|path| (name(&path), std::fs::read(&path).unwrap())).collect();
    found.sort();
    found
}
