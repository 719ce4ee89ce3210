//! Selections: the rows that a step or query reads.

use super::{Filter, JournalFilter, OutcomeFilter, Row, StoreError};
use crate::ids::{ProjectId, Scope};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The access that a step needs to the rows it selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Read only.
    Peek,
    /// Read, change, create or delete. A store with row locks locks these rows.
    Lock,
}

/// A filter over one collection, with the access needed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pick<F> {
    /// The access to the rows.
    pub access: Access,
    /// The filter.
    pub filter: F,
}

/// The outcomes that may be pruned: those recorded at or before a time that are not among the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OutcomeCut {
    /// The latest time of an outcome to prune.
    pub until: Timestamp,
    /// The number of newest outcomes of the store to keep, by order of recording.
    pub keep_newest: u64,
}

macro_rules! selection {
    ($($field:ident: $row:ty,)*) => {
        /// The rows that a step or query reads: for each collection, the union of its picks.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Selection {
            $(
                #[doc = concat!("Picks of ", stringify!($field), ".")]
                pub $field: Vec<Pick<<$row as Row>::Filter>>,
            )*
            /// The scopes from which to read tool summaries: see [`ToolSummary`](crate::tool::ToolSummary).
            pub summaries: Vec<Scope>,
            /// Outcomes to read. They are never locked, because they are append-only except for pruning.
            pub outcomes: Vec<OutcomeFilter>,
            /// Journal entries to read. They are never locked, because they are append-only except for pruning.
            pub journal: Vec<JournalFilter>,
            /// The project whose routes to count, if any.
            pub count_routes: Option<ProjectId>,
            /// True to read the store's generation: see [`View::generation`](super::View::generation).
            pub generation: bool,
        }

        impl Selection {
            /// Selects everything in the store.
            pub fn everything() -> Self {
                let all = Self::new()$(.peek(<$row as Row>::Filter::ALL))*;
                all.outcomes(OutcomeFilter::All).journal(JournalFilter::All)
            }

            /// Checks that each collection is selected completely or not at all, and that no count is requested.
            ///
            /// # Errors
            /// [`StoreError::Unsupported`] otherwise.
            pub fn check_whole(&self) -> Result<(), StoreError> {
                fn is_whole<F: PartialEq>(filters: &[F], all: impl FnMut(&F) -> bool) -> bool {
                    filters.is_empty() || filters.iter().any(all)
                }
                let whole = is_whole(&self.outcomes, |it| *it == OutcomeFilter::All)
                    && is_whole(&self.journal, |it| *it == JournalFilter::All)
                    && self.count_routes.is_none()
                    $(&& is_whole(&self.$field, |it| it.filter == <$row as Row>::Filter::ALL))*;
                whole.then_some(()).ok_or(StoreError::Unsupported("pages of a part of a collection"))
            }

            /// Adds everything that `other` selects.
            pub fn merge(&mut self, other: Self) {
                $(self.$field.extend(other.$field);)*
                self.summaries.extend(other.summaries);
                self.outcomes.extend(other.outcomes);
                self.journal.extend(other.journal);
                self.count_routes = other.count_routes.or_else(|| self.count_routes.take());
                self.generation |= other.generation;
            }
        }
    };
}
crate::collections!(selection);

impl Selection {
    /// Creates an empty selection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds rows to read.
    #[must_use]
    pub fn peek<F: Filter>(self, filter: F) -> Self {
        self.pick(Access::Peek, filter)
    }

    /// Adds rows of a project and global rows to read.
    #[must_use]
    pub(crate) fn peek_both<F: Filter>(self, id: &ProjectId, of: impl Fn(Scope) -> F) -> Self {
        self.peek(of(Scope::Global)).peek(of(Scope::Project(id.clone())))
    }

    /// Adds rows to read and change.
    #[must_use]
    pub fn lock<F: Filter>(self, filter: F) -> Self {
        self.pick(Access::Lock, filter)
    }

    /// Adds rows to read and change, by their keys.
    #[must_use]
    pub(crate) fn lock_keys<R: Row>(self, keys: impl IntoIterator<Item = R::Key>) -> Self {
        keys.into_iter().fold(self, |all, key| all.lock(R::Filter::of(key)))
    }

    fn pick<F: Filter>(mut self, access: Access, filter: F) -> Self {
        F::Row::picks_mut(&mut self).push(Pick { access, filter });
        self
    }

    /// Adds the summaries of all tools of a scope. [`RegistryStore::pages`](super::RegistryStore::pages)
    /// ignores them. Reading a summary does not detect damage in the rest of its row.
    #[must_use]
    pub fn summaries(mut self, scope: Scope) -> Self {
        self.summaries.push(scope);
        self
    }

    /// Adds outcomes to read.
    #[must_use]
    pub fn outcomes(mut self, filter: OutcomeFilter) -> Self {
        self.outcomes.push(filter);
        self
    }

    /// Adds journal entries to read.
    #[must_use]
    pub fn journal(mut self, filter: JournalFilter) -> Self {
        self.journal.push(filter);
        self
    }

    /// Adds the count of a project's routes.
    #[must_use]
    pub fn count_routes(mut self, project: ProjectId) -> Self {
        self.count_routes = Some(project);
        self
    }
    /// Adds the store's generation. [`RegistryStore::pages`](super::RegistryStore::pages) ignores it.
    #[must_use]
    pub const fn generation(mut self) -> Self {
        self.generation = true;
        self
    }
}
