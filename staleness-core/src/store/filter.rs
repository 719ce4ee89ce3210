//! Filters: which rows of one collection.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ids::{
    DocumentKey, ItemKey, ModelId, OpId, ProjectId, Scope, ServerKey, SourceId, ToolKey, ToolName,
    WorkKey,
};
use crate::journal::{Revision, Subject};
use crate::route::{RouteId, RouteKey};
use crate::session::{CursorKey, SessionKey};
use crate::time::Timestamp;
use crate::work::Aging;
#[cfg(doc)]
use crate::work::Work;

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

/// Which work items.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum WorkFilter {
    /// The work item with this key.
    Key(WorkKey),
    /// The work items of a scope.
    Scope(Scope),
    /// The work items of a scope that have not ended. A store reads no other: this is what flagging
    /// and digests ask for, however much was done in the past.
    Open(Scope),
    /// The work items of a scope that age in a way, since a time or longer: see [`Work::aging`]. A
    /// store reads no other, so what is overdue is found among any number of items that are not.
    Aging {
        /// The scope.
        scope: Scope,
        /// The way.
        aging: Aging,
        /// The latest time since which they do.
        until: Timestamp,
    },
    /// The work items of a scope that have not ended and refer to any of these. A store reads no other
    /// whole.
    Referring {
        /// The scope.
        scope: Scope,
        /// Ids of items; they need not exist.
        to: Arc<BTreeSet<String>>,
    },
    /// Every work item.
    All,
}

/// Which sessions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SessionFilter {
    /// The session with this key.
    Key(SessionKey),
    /// The sessions of a project.
    Project(ProjectId),
    /// Every session.
    All,
}

/// Which cursors.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CursorFilter {
    /// The cursor with this key.
    Key(CursorKey),
    /// The cursors of a project, one for each agent.
    Project(ProjectId),
    /// Every cursor.
    All,
}

/// Which routes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RouteFilter {
    /// The route with this key.
    Key(RouteKey),
    /// The route of a project with this id, whatever its tool. A store may have to look at every
    /// route of the project.
    Id(ProjectId, RouteId),
    /// The routes of a project to one tool. A store reads no other.
    Tool(ProjectId, ToolName),
    /// The routes of a project.
    Project(ProjectId),
    /// Every route.
    All,
}

/// Which vectors of routes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum VectorFilter {
    /// The vector of the route with this key.
    Key(RouteKey),
    /// Of the vectors that a model made in a project the one with the smallest key: how many
    /// dimensions do they have?
    First(ProjectId, ModelId),
    /// The vectors of a project's routes to one tool, whatever model made them. A store reads no other.
    Tool(ProjectId, ToolName),
    /// The vectors that a model made in a project: what a search loads.
    Model(ProjectId, ModelId),
    /// The vectors of a project.
    Project(ProjectId),
    /// Every vector.
    All,
}

/// Which sessions' suggestions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SuggestionFilter {
    /// The suggestions of the session with this key.
    Key(SessionKey),
    /// The suggestions of every session of a project.
    Project(ProjectId),
    /// Every suggestion.
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
