//! Tables so large that what they hold is guessed before they are read: whoever guessed wrong reads the same.

use std::sync::Arc;

use crate::support::*;
use staleness_core::ids::{ModelId, ProjectId, Scope, ToolKey, ToolName};
use staleness_core::route::{Precision, RouteId, RouteKey, RouteVector, Vector};
use staleness_core::store::{RegistryStore, Selection, ToolFilter, VectorFilter, View};
use staleness_core::tool::{PresenceCause, Tool, ToolBriefs, ToolKind};
use staleness_sqlite::SqliteStore;

const ROWS: usize = 3_000;

fn project(name: &str) -> ProjectId {
    ProjectId::new(name).unwrap()
}

/// Whose row a place holds: nine in ten first, then one in ten, and at the end somebody else's few.
fn owner(place: usize) -> &'static str {
    match place {
        0..2_000 if !place.is_multiple_of(10) => "most",
        0..2_000 => "few",
        2_000..2_900 if !place.is_multiple_of(10) => "few",
        2_000..2_900 => "most",
        _ => "last",
    }
}

fn vector(place: usize) -> RouteVector {
    let (project, tool) = (project(owner(place)), ToolName::new("t").unwrap());
    RouteVector {
        key: RouteKey { project, tool, id: RouteId(place as u128) },
        model: ModelId::new(["m", "n"][place % 2]).unwrap(),
        vector: Vector::new(&[place as f64, 1.0], Precision::F32).unwrap(),
    }
}

fn tool_of(place: usize) -> Tool {
    let scope = Scope::Project(project(owner(place)));
    let name = ToolName::new(format!("tool{place}")).unwrap();
    Tool::new(ToolKey { scope, name }, ToolKind::McpTool, PresenceCause::Used, at(0))
}

fn view(store: &SqliteStore, selection: Selection) -> View {
    pollster::block_on(store.view(Arc::new(selection))).unwrap()
}

#[test]
fn whoever_shares_a_large_table_finds_its_own_rows_and_no_others() {
    let (_folder, path) = fresh();
    let store = open(&path);
    let put = step(|draft| {
        for place in 0..ROWS {
            draft.put_vector(vector(place));
            draft.put(tool_of(place));
        }
    });
    transact(&store, put).unwrap();
    // Gaps in which a look finds the row behind.
    let gone = |place: usize| (200..900).contains(&place) || place.is_multiple_of(7);
    let rows: Vec<usize> = (0..ROWS).filter(|place| !gone(*place)).collect();
    let remove = step(move |draft| {
        for place in (0..ROWS).filter(|place| gone(*place)) {
            draft.delete_vector(&vector(place).key);
            draft.delete::<Tool>(&tool_of(place).key);
        }
    });
    for half in [false, true] {
        let there = if half {
            transact(&store, Arc::clone(&remove)).unwrap();
            rows.clone()
        } else {
            (0..ROWS).collect()
        };
        for name in ["most", "few", "last", "nobody"] {
            let own = || there.iter().copied().filter(|place| owner(*place) == name);
            let keys = |vectors: Vec<usize>| {
                let mut keys: Vec<RouteKey> =
                    vectors.into_iter().map(|place| vector(place).key).collect();
                keys.sort_unstable();
                keys
            };
            let of = VectorFilter::Project(project(name));
            let found = view(&store, Selection::new().peek_vectors(of)).vectors;
            assert_eq!(found.keys(), keys(own().collect()), "{name}");
            let model = ModelId::new("n").unwrap();
            let of = VectorFilter::Model(project(name), model);
            let found = view(&store, Selection::new().peek_vectors(of)).vectors;
            let odd = own().filter(|place| place % 2 == 1);
            assert_eq!(found.keys(), keys(odd.collect()), "{name}");
            assert!(
                found.keys().iter().all(|key| {
                    found.get(key) == Some(vector(usize::try_from(key.id.0).unwrap()))
                })
            );

            let scope = Scope::Project(project(name));
            let seen = Selection::new().briefs(scope.clone()).peek(ToolFilter::All);
            let mut seen = view(&store, seen);
            let tools = seen.tools.values().filter(|tool| tool.key.scope == scope);
            let expected: ToolBriefs = tools.collect();
            assert_eq!(expected.len(), own().count());
            assert_eq!(seen.briefs.remove(&scope), Some(expected), "{name}");
        }
    }
}
