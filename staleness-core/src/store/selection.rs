//! Selections: which rows of which collection a step or query looks at.

use super::{
    CursorFilter, DefinitionFilter, Filter, ItemFilter, JournalFilter, OutcomeFilter,
    ProjectFilter, RouteFilter, Row, SessionFilter, SourceFilter, ToolFilter, VectorFilter,
    WorkFilter,
};
use crate::ids::{ProjectId, Scope};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The access that a step needs to the rows it selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Look only.
    Peek,
    /// Change, create or delete them. A store with finer locks than one writer locks them.
    Lock,
}

/// A filter over one collection, with what the step means to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pick<F> {
    /// Look or change.
    pub access: Access,
    /// Which rows.
    pub filter: F,
}

/// Outcomes that may be pruned: recorded at or before a time, and not among the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OutcomeCut {
    /// The latest time of an outcome that may go.
    pub until: Timestamp,
    /// This many newest outcomes of the store stay, by order of recording.
    pub keep_newest: u64,
}

macro_rules! selection {
    ($($field:ident: $row:ty,)*) => {
        /// The rows that a step or query looks at: for each collection, the union of its picks.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Selection {
            $(
                #[doc = concat!("Picks of ", stringify!($field), ".")]
                pub $field: Vec<Pick<<$row as Row>::Filter>>,
            )*
            /// Scopes whose tools are summarised: see [`ToolSummary`](crate::tool::ToolSummary).
            pub summaries: Vec<Scope>,
            /// Outcomes; they are only appended and cut, so they are never locked.
            pub outcomes: Vec<OutcomeFilter>,
            /// Journal entries; they are only appended and pruned, so they are never locked.
            pub journal: Vec<JournalFilter>,
            /// Count the outcomes of the store, and those that this cut would remove.
            pub count_outcomes: Option<OutcomeCut>,
            /// Count the routes of this project.
            pub count_routes: Option<ProjectId>,
            /// The generation of what a search reads: see [`View::generation`](super::View::generation).
            pub generation: bool,
        }

        impl Selection {
            /// Everything that is stored.
            #[must_use]
            pub fn everything() -> Self {
                let all = Self::new()$(.peek(<$row as Row>::Filter::ALL))*;
                all.outcomes(OutcomeFilter::All).journal(JournalFilter::All)
            }

            /// Adds everything that `other` selects.
            pub fn merge(&mut self, other: Self) {
                $(self.$field.extend(other.$field);)*
                self.summaries.extend(other.summaries);
                self.outcomes.extend(other.outcomes);
                self.journal.extend(other.journal);
                self.count_outcomes = other.count_outcomes.or(self.count_outcomes);
                self.count_routes = other.count_routes.or_else(|| self.count_routes.take());
                self.generation |= other.generation;
            }
        }
    };
}
crate::collections!(selection);

impl Selection {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything that an export holds: all but documents, which are a cache of what files and their
    /// history can tell again, and what was suggested in sessions, which goes with them.
    #[must_use]
    pub fn records() -> Self {
        Self::new()
            .peek(ProjectFilter::All)
            .peek(SourceFilter::All)
            .peek(ToolFilter::All)
            .peek(DefinitionFilter::All)
            .peek(ItemFilter::All)
            .peek(WorkFilter::All)
            .peek(SessionFilter::All)
            .peek(CursorFilter::All)
            .peek(RouteFilter::All)
            .peek(VectorFilter::All)
            .outcomes(OutcomeFilter::All)
            .journal(JournalFilter::All)
    }

    /// Rows to look at.
    #[must_use]
    pub fn peek<F: Filter>(self, filter: F) -> Self {
        self.pick(Access::Peek, filter)
    }

    /// Rows to change.
    #[must_use]
    pub fn lock<F: Filter>(self, filter: F) -> Self {
        self.pick(Access::Lock, filter)
    }

    /// Rows to change, by their keys.
    #[must_use]
    pub(crate) fn lock_keys<R: Row>(self, keys: impl IntoIterator<Item = R::Key>) -> Self {
        keys.into_iter().fold(self, |all, key| all.lock(R::Filter::of(key)))
    }

    fn pick<F: Filter>(mut self, access: Access, filter: F) -> Self {
        F::Row::picks_mut(&mut self).push(Pick { access, filter });
        self
    }

    /// Summaries of every tool of a scope. Pages leave them out. A summary vouches for what it carries; the rest of
    /// its row may be damaged unseen until it is read, or checked.
    #[must_use]
    pub fn summaries(mut self, scope: Scope) -> Self {
        self.summaries.push(scope);
        self
    }

    /// Outcomes to look at.
    #[must_use]
    pub fn outcomes(mut self, filter: OutcomeFilter) -> Self {
        self.outcomes.push(filter);
        self
    }

    /// Journal entries to look at.
    #[must_use]
    pub fn journal(mut self, filter: JournalFilter) -> Self {
        self.journal.push(filter);
        self
    }

    /// Outcomes to count.
    #[must_use]
    pub const fn count_outcomes(mut self, cut: OutcomeCut) -> Self {
        self.count_outcomes = Some(cut);
        self
    }

    /// Routes of a project to count.
    #[must_use]
    pub fn count_routes(mut self, project: ProjectId) -> Self {
        self.count_routes = Some(project);
        self
    }
    /// The generation of what a search reads. Pages leave it out.
    #[must_use]
    pub const fn generation(mut self) -> Self {
        self.generation = true;
        self
    }
}
