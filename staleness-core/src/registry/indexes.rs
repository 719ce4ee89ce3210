//! Indexes that are kept from question to question.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ids::{ClientId, ProjectId};
use crate::report::Catalog;

/// Projects whose indexes are kept at once, those that were asked for last.
const MAX_PROJECTS: usize = 8;

/// Indexes, each with the client that sees its project so.
type Kept = Vec<(Option<ClientId>, Arc<Catalog>)>;

/// Search indexes, one for each project and client, for the registries that a process makes of one store: see
/// [`super::Registry::keeping`]. Cheap to clone; clones share what is kept.
///
/// An index is made anew when the store's generation has moved, whoever wrote: see
/// [`View::generation`](crate::store::View::generation).
#[derive(Clone, Debug, Default)]
pub struct Indexes {
    /// Last the one that was asked last.
    kept: Arc<Mutex<Kept>>,
}

impl Indexes {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets go of all: another store takes the place of the one that they were made of.
    pub fn clear(&self) {
        self.kept().clear();
    }

    /// The one of a project, as a client sees it.
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

    fn kept(&self) -> MutexGuard<'_, Kept> {
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
