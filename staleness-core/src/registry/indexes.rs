//! Indexes that a long-lived process keeps, so that a question costs what changed since the last one.

use std::sync::{Arc, Mutex, PoisonError};

use crate::ids::ProjectId;
use crate::report::Context;
use crate::search::{LiveIndex, SearchIndex};

/// Projects whose indexes are kept at once, those that were asked for last.
const MAX_PROJECTS: usize = 8;

/// Search indexes, one for each project, for the registries that a process makes: see
/// [`super::Registry::keeping`]. Cheap to clone; clones share what is kept.
///
/// An index is shown the project as the store has it before each question, so it is never behind,
/// whoever wrote: see [`LiveIndex`].
#[derive(Clone, Debug, Default)]
pub struct Indexes {
    /// Last the one that was asked last.
    kept: Arc<Mutex<Vec<(ProjectId, Live)>>>,
}

/// An index that one question after the other is asked.
type Live = Arc<Mutex<LiveIndex>>;

impl Indexes {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the index of the project that a view shows, after it has followed it.
    pub(super) fn with<T>(&self, context: &Context<'_>, ask: impl FnOnce(&SearchIndex) -> T) -> T {
        let project = context.project();
        let live = self.of(project);
        let mut live = live.lock().unwrap_or_else(|poisoned| {
            // Whoever panicked may have left it half-way.
            live.clear_poison();
            let mut live = poisoned.into_inner();
            *live = LiveIndex::new();
            live
        });
        let routes = context.view().routes.values();
        live.follow(context.visible(), routes.filter(|route| route.key.project == *project));
        ask(live.index())
    }

    fn of(&self, project: &ProjectId) -> Live {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().position(|(id, _)| id == project).map(|place| kept.remove(place));
        let entry = known.unwrap_or_else(|| (project.clone(), Arc::default()));
        let live = Arc::clone(&entry.1);
        kept.push(entry);
        if kept.len() > MAX_PROJECTS {
            kept.remove(0);
        }
        live
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;
    use crate::scan::ProjectRef;
    use crate::store::View;
    use crate::time::Timestamp;

    fn ask<T>(indexes: &Indexes, root: &str, ask: impl FnOnce(&SearchIndex) -> T) -> T {
        let (view, policy) = (View::default(), Policy::default());
        let project = ProjectRef::of_root(root);
        indexes.with(&Context::new(&view, &policy, &project, Timestamp::default()), ask)
    }

    #[test]
    fn few_projects_are_kept_and_those_asked_for_last() {
        let indexes = Indexes::new();
        let first = ProjectRef::of_root("/0").id;
        for number in 0..20 {
            assert_eq!(ask(&indexes, &format!("/{number}"), SearchIndex::tools), 0);
            ask(&indexes, "/0", SearchIndex::tools);
        }
        let kept = indexes.kept.lock().expect("nobody panicked");
        assert_eq!(kept.len(), MAX_PROJECTS);
        assert!(kept.iter().any(|(id, _)| *id == first));
    }

    #[test]
    fn a_question_that_panicked_does_not_end_the_others() {
        let indexes = Indexes::new();
        let died = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            ask(&indexes, "/p", |_| panic!("on purpose"));
        }));
        assert!(died.is_err());
        assert_eq!(ask(&indexes, "/p", SearchIndex::tools), 0);
    }
}
