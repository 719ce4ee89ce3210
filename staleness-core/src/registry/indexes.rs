//! Search indexes that are cached between queries.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ids::{ClientId, ProjectId};
use crate::report::Catalog;

/// The maximum number of cached indexes. The least recently used one is dropped first.
const MAX_PROJECTS: usize = 8;

/// Indexes, each with the client for which it was built.
type CachedIndexes = Vec<(Option<ClientId>, Arc<Catalog>)>;

/// A cache of search indexes, one per project and client, shared by all registries that a process opens on one
/// store: see [`super::Registry::keeping`]. Cheap to clone; clones share the cache.
///
/// An index is rebuilt when the store's generation has changed, by any process: see
/// [`View::generation`](crate::store::View::generation).
#[derive(Clone, Debug, Default)]
pub struct Indexes {
    /// The indexes, most recently used last.
    kept: Arc<Mutex<CachedIndexes>>,
}

impl Indexes {
    /// Creates an empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// Drops all indexes. Must be called when another store replaces the one from which they were built.
    pub fn clear(&self) {
        self.kept().clear();
    }

    pub(super) fn of(
        &self,
        project: &ProjectId,
        client: Option<&ClientId>,
    ) -> Option<Arc<Catalog>> {
        let mut kept = self.kept();
        let place = kept
            .iter()
            .position(|(of, catalog)| catalog.project() == project && of.as_ref() == client)?;
        let last = kept.remove(place);
        kept.push(last.clone());
        Some(last.1)
    }

    pub(super) fn keep(&self, client: Option<&ClientId>, catalog: Arc<Catalog>) {
        let mut kept = self.kept();
        kept.retain(|(of, known)| known.project() != catalog.project() || of.as_ref() != client);
        kept.push((client.cloned(), catalog));
        if kept.len() > MAX_PROJECTS {
            kept.remove(0);
        }
    }

    fn kept(&self) -> MutexGuard<'_, CachedIndexes> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::View;

    #[test]
    fn few_projects_are_kept_and_those_asked_for_last() {
        let indexes = Indexes::new();
        let id = |number: usize| ProjectId::of_root(&format!("/{number}"));
        for number in 0..20 {
            indexes.keep(None, Arc::new(Catalog::new(&mut View::default(), &id(number))));
            assert!(indexes.of(&id(0), None).is_some());
        }
        assert_eq!(indexes.kept().len(), MAX_PROJECTS);
        indexes.clear();
        assert!(indexes.of(&id(0), None).is_none());
    }
}
