//! Selections: which rows of which collection a step or query looks at.

use crate::ids::{DocumentKey, ItemKey, OpId, ProjectId, Scope, ServerKey, SourceId, ToolKey};
use crate::journal::{Revision, Subject};
use crate::time::Timestamp;

/// What a step means to do with the rows it selects.
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

/// Which projects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProjectFilter {
    /// The project with this id.
    Id(ProjectId),
    /// Every project.
    All,
}

/// Which sources.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SourceFilter {
    /// The source with this identity.
    Id(SourceId),
    /// The sources of a scope.
    Scope(Scope),
    /// Every source.
    All,
}

/// Which tools.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ToolFilter {
    /// The tool with this key.
    Key(ToolKey),
    /// The tools of a scope.
    Scope(Scope),
    /// The tools of a scope that a source lists or listed: those with holdings.
    Configured(Scope),
    /// The entries (kind `mcp_server`) of one server in a scope.
    Entries(Scope, ServerKey),
    /// The entries and the individual tools of one server in a scope.
    Server(Scope, ServerKey),
    /// The tools of a scope whose status is `demoted`.
    Demoted(Scope),
    /// The tools of a scope that a use brought back against their configuration.
    Revived(Scope),
    /// Every tool.
    All,
}

/// Which items of knowledge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ItemFilter {
    /// The item with this key.
    Key(ItemKey),
    /// The items of a scope.
    Scope(Scope),
    /// Every item.
    All,
}

/// Which documents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DocumentFilter {
    /// The document with this key.
    Key(DocumentKey),
    /// The documents of a project.
    Project(ProjectId),
    /// The documents of a project that a client loads and against which something was found. A store
    /// reads no other: this is what a session start asks for.
    Loaded(ProjectId),
    /// The documents of a project against which something was found.
    Flagged(ProjectId),
    /// Every document.
    All,
}

/// Which outcomes. Order is always that of recording.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum OutcomeFilter {
    /// The outcome of this op on this tool.
    Op(ToolKey, OpId),
    /// The last `limit` counted outcomes of a project.
    LastOfProject {
        /// The project.
        project: ProjectId,
        /// How many.
        limit: u32,
    },
    /// For each MCP server (by scope of the tool and server key) its last outcome at or after
    /// `since` that is not an interruption.
    LastPerServer {
        /// The earliest time.
        since: Timestamp,
    },
    /// Every outcome.
    All,
}

/// Which journal entries. Order is that of revision and index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum JournalFilter {
    /// The entries that one op wrote.
    Op(OpId),
    /// The last `limit` entries about a subject.
    Subject {
        /// The subject.
        subject: Subject,
        /// How many.
        limit: u32,
    },
    /// Entries of a scope written after a revision.
    Since {
        /// Entries of this revision and older ones are left out.
        after: Revision,
        /// The scope of their subjects.
        scope: Scope,
    },
    /// Every entry.
    All,
}

/// Outcomes that may be pruned: recorded at or before a time, and not among the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutcomeCut {
    /// The latest time of an outcome that may go.
    pub until: Timestamp,
    /// This many newest outcomes of the store stay, by order of recording.
    pub keep_newest: u64,
}

/// What a step or query looks at: for each collection, the union of its picks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Projects.
    pub projects: Vec<Pick<ProjectFilter>>,
    /// Sources.
    pub sources: Vec<Pick<SourceFilter>>,
    /// Tools.
    pub tools: Vec<Pick<ToolFilter>>,
    /// Items of knowledge.
    pub knowledge: Vec<Pick<ItemFilter>>,
    /// Documents as they were last checked.
    pub documents: Vec<Pick<DocumentFilter>>,
    /// Outcomes; they are only appended and cut, so they are never locked.
    pub outcomes: Vec<OutcomeFilter>,
    /// Journal entries; they are only appended, so they are never locked.
    pub journal: Vec<JournalFilter>,
    /// Count the outcomes of the store, and those that this cut would remove.
    pub count_outcomes: Option<OutcomeCut>,
}

impl Selection {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything that is stored.
    #[must_use]
    pub fn everything() -> Self {
        Self::records().peek_documents(DocumentFilter::All)
    }

    /// Everything that an export holds: all but documents, which are a cache of what files and their
    /// history can tell again.
    #[must_use]
    pub fn records() -> Self {
        Self::new()
            .peek_projects(ProjectFilter::All)
            .peek_sources(SourceFilter::All)
            .peek_tools(ToolFilter::All)
            .peek_knowledge(ItemFilter::All)
            .outcomes(OutcomeFilter::All)
            .journal(JournalFilter::All)
    }

    /// Projects to look at.
    #[must_use]
    pub fn peek_projects(mut self, filter: ProjectFilter) -> Self {
        push(&mut self.projects, Access::Peek, filter);
        self
    }

    /// Projects to change.
    #[must_use]
    pub fn lock_projects(mut self, filter: ProjectFilter) -> Self {
        push(&mut self.projects, Access::Lock, filter);
        self
    }

    /// Sources to look at.
    #[must_use]
    pub fn peek_sources(mut self, filter: SourceFilter) -> Self {
        push(&mut self.sources, Access::Peek, filter);
        self
    }

    /// Sources to change.
    #[must_use]
    pub fn lock_sources(mut self, filter: SourceFilter) -> Self {
        push(&mut self.sources, Access::Lock, filter);
        self
    }

    /// Tools to look at.
    #[must_use]
    pub fn peek_tools(mut self, filter: ToolFilter) -> Self {
        push(&mut self.tools, Access::Peek, filter);
        self
    }

    /// Tools to change.
    #[must_use]
    pub fn lock_tools(mut self, filter: ToolFilter) -> Self {
        push(&mut self.tools, Access::Lock, filter);
        self
    }

    /// Items of knowledge to look at.
    #[must_use]
    pub fn peek_knowledge(mut self, filter: ItemFilter) -> Self {
        push(&mut self.knowledge, Access::Peek, filter);
        self
    }

    /// Items of knowledge to change.
    #[must_use]
    pub fn lock_knowledge(mut self, filter: ItemFilter) -> Self {
        push(&mut self.knowledge, Access::Lock, filter);
        self
    }

    /// Documents to look at.
    #[must_use]
    pub fn peek_documents(mut self, filter: DocumentFilter) -> Self {
        push(&mut self.documents, Access::Peek, filter);
        self
    }

    /// Documents to change.
    #[must_use]
    pub fn lock_documents(mut self, filter: DocumentFilter) -> Self {
        push(&mut self.documents, Access::Lock, filter);
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

    /// Adds everything that `other` selects.
    pub fn merge(&mut self, other: Self) {
        self.projects.extend(other.projects);
        self.sources.extend(other.sources);
        self.tools.extend(other.tools);
        self.knowledge.extend(other.knowledge);
        self.documents.extend(other.documents);
        self.outcomes.extend(other.outcomes);
        self.journal.extend(other.journal);
        self.count_outcomes = other.count_outcomes.or(self.count_outcomes);
    }
}

fn push<F>(picks: &mut Vec<Pick<F>>, access: Access, filter: F) {
    picks.push(Pick { access, filter });
}
