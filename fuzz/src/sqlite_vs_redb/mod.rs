//! One life of a registry, lived on SQLite, on redb and in memory at once: every report must be the
//! same on all of them.
//!
//! Input: choices, a byte or a few each; see [`life`].

mod knowledge;
pub(crate) mod life;
mod routes;
mod work;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arbitrary::Unstructured;
use staleness_core::policy::{OutcomePolicy, RoutePolicy};
use staleness_core::store::Selection;
use staleness_core::transfer::{Checker, HEADER, Record, append_lines};
use staleness_core::{BlockingRegistry, MemoryStore, Policy, Registry, RegistryStore};
use staleness_redb::RedbStore;
use staleness_sqlite::SqliteStore;

use life::{Event, Life};

/// The longest life, in events.
const LONGEST: usize = 16;
/// How often everybody is asked what can be seen, in events. To open redb is most of the work.
const GLANCES: usize = 4;

thread_local! {
    static FOLDER: tempfile::TempDir = tempfile::tempdir().expect("a temporary folder");
}

/// Lives the life that the input describes.
pub fn run(data: &[u8]) {
    let folder = FOLDER.with(|folder| folder.path().join("life"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("a folder is made");
    let mut homes = [
        Home::of("memory", Kind::Memory(MemoryStore::new())),
        Home::of("sqlite", Kind::Sqlite(folder.join("registry.db"))),
        Home::of("redb", Kind::Redb(folder.join("registry.redb"))),
    ];
    let mut life = Life::new(Unstructured::new(data));
    for turn in 0..LONGEST {
        let Some(event) = life.next() else { break };
        if matches!(event, Event::Reopen) {
            homes.iter_mut().for_each(Home::reopen);
            continue;
        }
        let what = || format!("event {turn}: {event:?}");
        same(&homes, |registry| event.carry_out(registry), &what);
        if turn % GLANCES == GLANCES - 1 {
            same(&homes, |registry| life.glance(registry), &what);
        }
    }
    same(&homes, |registry| life.look(registry), &|| "at the end".into());
    same(&homes, exported, &|| "the export".into());
    for home in &homes {
        home.registry.check().unwrap_or_else(|error| panic!("{}: {error}", home.name));
    }
    imported(&homes[1].registry);
}

/// A registry, and where it is kept.
#[derive(Debug)]
struct Home {
    name: &'static str,
    kind: Kind,
    registry: BlockingRegistry,
}

#[derive(Debug)]
enum Kind {
    Memory(MemoryStore),
    Sqlite(PathBuf),
    Redb(PathBuf),
}

/// Bounds so tight that a short life prunes.
pub(crate) fn registry(store: impl RegistryStore) -> BlockingRegistry {
    let outcomes = OutcomePolicy { keep_days: 2, keep_newest: 4 };
    let routes = RoutePolicy { max_routes: 3, ..RoutePolicy::default() };
    Registry::new(Arc::new(store), Policy { outcomes, routes, ..Policy::default() }).blocking()
}

fn sqlite(path: &Path) -> SqliteStore {
    SqliteStore::open(path, staleness_sqlite::OpenOptions::new()).expect("SQLite opens")
}

fn redb(path: &Path) -> RedbStore {
    RedbStore::open(path, staleness_redb::OpenOptions::new()).expect("redb opens")
}

impl Kind {
    fn opened(&self) -> BlockingRegistry {
        match self {
            Self::Memory(store) => registry(store.clone()),
            Self::Sqlite(path) => registry(sqlite(path)),
            Self::Redb(path) => registry(redb(path)),
        }
    }
}

impl Home {
    fn of(name: &'static str, kind: Kind) -> Self {
        let registry = kind.opened();
        Self { name, kind, registry }
    }

    /// Closes the store and opens it again.
    fn reopen(&mut self) {
        self.registry = registry(MemoryStore::new());
        self.registry = self.kind.opened();
    }
}

/// Whether all give the same answer.
fn same(homes: &[Home], ask: impl Fn(&BlockingRegistry) -> String, what: &dyn Fn() -> String) {
    let expected = ask(&homes[0].registry);
    for home in &homes[1..] {
        let found = ask(&home.registry);
        let names = (home.name, homes[0].name);
        assert_eq!(found, expected, "{} against {}, {}", names.0, names.1, what());
    }
}

fn exported(registry: &BlockingRegistry) -> String {
    let mut bytes = format!("{HEADER}\n").into_bytes();
    let mut visit = |page| {
        append_lines(&page, &mut bytes);
        ControlFlow::Continue(())
    };
    registry.pages(&Selection::records(), &mut visit).expect("it can be exported");
    String::from_utf8(bytes).expect("an export is UTF-8")
}

/// An export is sound, and exports as the same bytes from where it is imported.
fn imported(original: &BlockingRegistry) {
    let export = exported(original);
    let mut checker = Checker::new();
    let line = |line| checker.line(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let records: Vec<Record> = export.lines().filter_map(line).collect();
    checker.finish().expect("the export is whole");
    let (projects, others): (Vec<Record>, Vec<Record>) =
        records.into_iter().partition(|record| matches!(record, Record::Project(_)));
    let copy = registry(MemoryStore::new());
    let mut importer = copy.importer(false).expect("an empty store takes an import");
    for record in others.into_iter().chain(projects) {
        importer.put(record).expect("a record is taken");
    }
    importer.finish().expect("the import ends");
    assert_eq!(exported(&copy), export, "the export of an import");
}
