//! Erasure: a route that a person forgets is gone from the files, not only from the answers.

use std::path::Path;
use std::sync::Arc;

use crate::support::*;
use staleness_core::ids::{OpId, ToolName};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::{Learn, Use};
use staleness_core::scan::ProjectRef;
use staleness_core::{Policy, Registry, RegistryStore, Timestamp, Wait};
use staleness_sqlite::{OpenOptions, SqliteStore};

const TOOL: &str = "mcp__hub__search";
const WORDS: &str = "an unmistakable quagga";

fn registry(path: &Path) -> Registry {
    let store: Arc<dyn RegistryStore> =
        Arc::new(SqliteStore::open(path, OpenOptions::default()).unwrap());
    Registry::new(store, Policy::default())
}

fn project() -> ProjectRef {
    ProjectRef::of_root("/work/shop")
}

fn now() -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000)
}

fn op(text: &str) -> OpId {
    OpId::new(text).unwrap()
}

fn learn(registry: &Registry, query: &str) -> staleness_core::route::Route {
    let learn = Learn::new(op(query), query, ToolName::new(TOOL).unwrap(), now());
    registry.routes().learn(&project(), learn).wait().unwrap().unwrap()
}

/// A store in which words were learned among others, and the route of them.
fn taught(path: &Path) -> (Registry, staleness_core::route::Route) {
    let registry = registry(path);
    let tool = ToolName::new(TOOL).unwrap();
    let used = Use::new(op("use"), tool, OutcomeKind::Success, now(), project());
    registry.tools().record(used).wait().unwrap();
    let route = learn(&registry, WORDS);
    for other in 0..60 {
        learn(&registry, &format!("something else, and that {other} times over"));
    }
    (registry, route)
}

/// Returns true if any of the store's files holds the words.
fn holds(path: &Path) -> bool {
    let files = std::fs::read_dir(path.parent().unwrap()).unwrap();
    files
        .map(|file| std::fs::read(file.unwrap().path()).unwrap())
        .any(|bytes| bytes.windows(WORDS.len()).any(|window| window == WORDS.as_bytes()))
}

#[test]
fn the_words_of_a_forgotten_route_are_in_the_file_no_more() {
    let (_folder, path) = fresh();
    let (registry, route) = taught(&path);
    assert!(holds(&path), "it is there as long as nobody forgets it");
    registry.routes().forget(&project().id, route.key.id, now()).wait().unwrap();
    assert!(!holds(&path), "at once");
    learn(&registry, "and something new");
    drop(registry);
    assert!(!holds(&path), "and later");
}

#[test]
fn a_reader_that_stands_in_the_way_of_forgetting_does_so_until_the_store_is_closed() {
    let (_folder, path) = fresh();
    let (registry, route) = taught(&path);
    let reader = raw(&path);
    reader.execute_batch("BEGIN; SELECT * FROM meta").unwrap();
    registry.routes().forget(&project().id, route.key.id, now()).wait().unwrap();
    assert!(holds(&path), "the reader may look at it still");
    reader.execute_batch("COMMIT").unwrap();
    drop(registry);
    assert!(!holds(&path));
}
