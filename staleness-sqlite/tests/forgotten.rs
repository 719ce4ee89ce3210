//! What a person has forgotten is gone from the file, not only from the answers.

mod support;

use staleness_core::ids::{OpId, ToolName};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::{Learn, Use};
use staleness_core::scan::ProjectRef;
use staleness_core::{Policy, Registry, Timestamp};
use staleness_sqlite::{OpenOptions, SqliteStore};
use support::*;

#[test]
fn the_words_of_a_forgotten_route_are_in_the_file_no_more() {
    let (_folder, path) = fresh();
    let store = std::sync::Arc::new(SqliteStore::open(&path, OpenOptions::new()).unwrap());
    let shared: std::sync::Arc<dyn staleness_core::RegistryStore> =
        std::sync::Arc::<SqliteStore>::clone(&store);
    let registry = Registry::new(shared, Policy::default()).blocking();
    let project = ProjectRef::of_root("/work/shop");
    let tool = ToolName::new("mcp__hub__search").unwrap();
    let op = |text: &str| OpId::new(text).unwrap();
    let at = Timestamp::from_millis(1_767_225_600_000);
    let used = Use::new(op("use"), tool.clone(), OutcomeKind::Success, at, project.clone());
    registry.record(used).unwrap();
    let words = "an unmistakable quagga";
    let learn = Learn::new(op("learn"), words, tool, at);
    let route = registry.learn_route(&project, learn).unwrap().unwrap();
    let holds = || {
        store.checkpoint().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(words.len()).any(|window| window == words.as_bytes())
    };
    assert!(holds(), "it is there as long as nobody forgets it");
    registry.forget_route(&project.id, route.key.id, at).unwrap();
    assert!(!holds());
}
