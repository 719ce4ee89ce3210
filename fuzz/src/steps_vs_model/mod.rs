//! Steps and queries on the memory store, against rows in plain lists.
//!
//! The memory store is what every backend is held to, so it is held to something simpler here: a
//! model that keeps rows in the order they came and goes through all of them for every filter.
//!
//! Input: four bytes for each thing that is done: what it is, and the seed of its values.

mod filters;
mod model;
mod plan;
mod routes;

use std::ops::ControlFlow;
use std::sync::Arc;

use pollster::block_on;
use staleness_conformance::Twice;
use staleness_core::MemoryStore;
use staleness_core::store::{RegistryStore, Selection, View};

use model::Model;
use plan::{Deed, Plan};

/// The longest life, in deeds.
const LONGEST: usize = 48;

/// Does the same to both, and compares after each deed.
pub fn run(data: &[u8]) {
    let store: Arc<dyn RegistryStore> = Arc::new(Twice::new(Arc::new(MemoryStore::new())));
    let mut model = Model::default();
    for (turn, seed) in data.as_chunks().0.iter().take(LONGEST).enumerate() {
        let deed = plan::deed(u32::from_le_bytes(*seed));
        let result = apply(&store, &mut model, &deed);
        if let Err(why) = result {
            panic!("deed {turn}: {why}\nafter {deed:#?}");
        }
    }
    block_on(store.check()).expect("the store is sound");
    if let Err(why) =
        same(&joined(&store, &Selection::everything()), &paged(&model, &Selection::everything()))
    {
        panic!("at the end: {why}");
    }
}

fn apply(store: &Arc<dyn RegistryStore>, model: &mut Model, deed: &Deed) -> Result<(), String> {
    match deed {
        Deed::Act(plan) => {
            let found = block_on(store.transact(Arc::new(Plan::clone(plan))));
            match (model.transact(plan), found) {
                (Ok(expected), Ok(found)) => {
                    if (found.revision, &found.changes) != (expected.revision, &expected.changes) {
                        return Err(format!("committed {found:#?}\nexpected {expected:#?}"));
                    }
                    same(&found.view, &expected.view)?;
                }
                (Err(expected), Err(found)) if expected.is(&found) => {}
                (expected, found) => return Err(format!("{found:?}\nexpected {expected:?}")),
            }
            same(&joined(store, &Selection::everything()), &paged(model, &Selection::everything()))
        }
        Deed::See(looks) => {
            match (model.look(looks), block_on(store.view(Arc::new(looks.clone())))) {
                (Ok(expected), Ok(found)) => same(&found, &expected),
                (Err(expected), Err(found)) if expected.is(&found) => Ok(()),
                (expected, found) => Err(format!("{found:?}\nexpected {expected:?}")),
            }
        }
        Deed::Pages(selection) => same(&joined(store, selection), &paged(model, selection)),
    }
}

fn joined(store: &Arc<dyn RegistryStore>, selection: &Selection) -> View {
    let mut all = View::default();
    let visit = &mut |page| {
        all.merge(page);
        ControlFlow::Continue(())
    };
    block_on(store.pages(selection, visit)).expect("pages can be visited");
    all
}

/// What pages show: where there are none, neither revision nor counts.
fn paged(model: &Model, selection: &Selection) -> View {
    let all = model.load(selection);
    if all.is_empty() { View::default() } else { all }
}

fn same(found: &View, expected: &View) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("saw {found:#?}\nexpected {expected:#?}")) }
}
