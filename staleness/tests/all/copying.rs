//! An export of any registry goes into an empty one as it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use staleness::journal::Revision;
use staleness::store::{Change, ChangeSet, RegistryStore, Selection};
use staleness::{MemoryStore, Policy, Registry, Wait};
use staleness_conformance::arbitrary::{Reach, change_set};
use staleness_conformance::support::put;
use staleness_conformance::workload::exported;
use staleness_core::transfer::Record;

fn registry(store: Arc<dyn RegistryStore>) -> Registry {
    Registry::new(store, Policy::default())
}

/// The lines of an export, without its header.
fn export(registry: &Registry) -> Vec<String> {
    let all = exported(registry, &Selection::records()).unwrap();
    all.lines().skip(1).map(str::to_owned).collect()
}

/// A registry in which all of this was written. What carries a revision carries one of its own journal, and
/// nothing is recorded twice.
fn lived(lives: Vec<ChangeSet>) -> Registry {
    let store = Arc::new(MemoryStore::new());
    let last = lives.iter().filter(|set| !set.journal.is_empty()).count() as u64;
    let within = |revision: &mut Revision| revision.0 %= last + 1;
    let mut recorded = BTreeSet::new();
    for mut set in lives {
        for change in &mut set.projects {
            if let Change::Put(row) = change {
                within(&mut row.told);
            }
        }
        for change in &mut set.sessions {
            if let Change::Put(row) = change {
                within(&mut row.from_revision);
            }
        }
        for change in &mut set.cursors {
            if let Change::Put(row) = change {
                within(&mut row.revision);
            }
        }
        // No line tells of a route that nobody could have learned.
        set.routes.retain(|change| match change {
            Change::Put(row) => row.check().is_ok(),
            _ => true,
        });
        // A vector needs a route of its model.
        set.vectors.clear();
        set.outcomes.retain(|row| recorded.insert(row.identity()));
        put(store.as_ref(), set).unwrap();
    }
    registry(store)
}

/// Prunes the commits whose bit is set, but for the last.
fn pruned(lives: Vec<ChangeSet>, bits: u8) -> Registry {
    let registry = lived(lives);
    let last = registry.admin().revision().wait().unwrap().0;
    let mut set = ChangeSet::default();
    set.pruned = (1..last).filter(|at| bits >> (at % 8) & 1 == 1).map(Revision).collect();
    set.floor.revision = set.pruned.last().copied().unwrap_or_default();
    put(registry.store().as_ref(), set).unwrap();
    registry
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_empty_registry_takes_the_export_of_any_other_as_it_is(
        lives in prop::collection::vec(change_set(Reach::Pool), 1..5),
        bits in prop_oneof![Just(0), any::<u8>()],
    ) {
        let lines = export(&pruned(lives, bits));
        let into = registry(Arc::new(MemoryStore::new()));
        let mut importer = into.admin().importer(false).wait().unwrap();
        for line in &lines {
            importer.put(Record::read(line).unwrap()).wait().unwrap();
        }
        importer.finish().wait().unwrap();
        prop_assert_eq!(export(&into), lines);
    }
}
