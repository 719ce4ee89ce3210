//! So many vectors that the file is mapped while they are read.

use std::path::Path;
use std::sync::Arc;

use crate::support::*;
use staleness_core::ids::{ModelId, ProjectId, ToolName};
use staleness_core::route::{Precision, RouteId, RouteKey, RouteVector, Vector};
use staleness_core::store::{RegistryStore, Selection, VectorFilter};
use staleness_sqlite::SqliteStore;

// More than 10,000, also where they are guessed a little too low.
const MANY: u128 = 10_100;

fn vector(id: u128, turn: f64) -> RouteVector {
    let (project, tool) = (ProjectId::new("p").unwrap(), ToolName::new("t").unwrap());
    let angle = id as f64 / MANY as f64 + turn;
    RouteVector {
        key: RouteKey { project, tool, id: RouteId(id) },
        model: ModelId::new("m").unwrap(),
        vector: Vector::new(&[angle.cos(), angle.sin()], Precision::F32).unwrap(),
    }
}

fn stored(store: &SqliteStore) -> Vec<RouteVector> {
    let of_project = VectorFilter::Project(ProjectId::new("p").unwrap());
    let view = pollster::block_on(store.view(Arc::new(Selection::new().peek_vectors(of_project))));
    let vectors = view.unwrap().vectors;
    vectors.keys().iter().map(|key| vectors.get(key).unwrap()).collect()
}

/// Whether a file is a part of this process's memory, where the system tells.
fn is_mapped(path: &Path) -> bool {
    let name = path.to_str().unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines().any(|line| line.ends_with(name))
}

#[test]
fn what_is_read_from_a_mapped_file_is_what_was_written_last() {
    let (_folder, path) = fresh();
    let store = open(&path);
    let put = |turn: f64, every: usize| {
        step(move |draft| {
            (0..MANY).step_by(every).for_each(|id| draft.put_vector(vector(id, turn)));
        })
    };
    transact(&store, put(0.0, 1)).unwrap();
    drop(store);

    let store = open(&path);
    let mut expected: Vec<RouteVector> = (0..MANY).map(|id| vector(id, 0.0)).collect();
    assert_eq!(stored(&store), expected);
    assert!(!is_mapped(&path));
    // What is in the log alone comes from there.
    let other = open(&path);
    transact(&other, put(1.0, 1_000)).unwrap();
    for id in (0..MANY).step_by(1_000) {
        expected[id as usize] = vector(id, 1.0);
    }
    assert_eq!(stored(&store), expected);
    // And once the log is a part of the file.
    drop((store, other));
    let store = open(&path);
    assert_eq!(stored(&store), expected);
    check(&store).unwrap();
}
