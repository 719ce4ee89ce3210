//! The definitions of all collections: row, key and filter. [`Filter::matches`] is the reference for every store.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Change, ChangeSet, Draft, Filter, Pick, Row, Selection, View};
use crate::definition::Definition;
use crate::ids::{
    DocumentKey, ItemKey, ModelId, OpId, ProjectId, Scope, ServerKey, SourceId, ToolKey, ToolName,
    WorkKey,
};
use crate::journal::{Revision, Subject};
use crate::knowledge::{Document, Item};
use crate::project::Project;
use crate::route::{Route, RouteId, RouteKey, RouteVector, Suggestions};
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::source::Source;
use crate::time::Timestamp;
use crate::tool::{Status, Tool, ToolKind};
use crate::work::{Aging, Work};

/// Calls a macro with `field: Row` for each collection whose rows are created, replaced and removed, in the order in
/// which they are written and read in pages. Outcomes and journal entries are not included.
#[macro_export]
macro_rules! collections {
    ($then:ident) => {
        $then! {
            projects: $crate::project::Project,
            sources: $crate::source::Source,
            tools: $crate::tool::Tool,
            definitions: $crate::definition::Definition,
            knowledge: $crate::knowledge::Item,
            documents: $crate::knowledge::Document,
            work: $crate::work::Work,
            sessions: $crate::session::Session,
            cursors: $crate::session::Cursor,
            routes: $crate::route::Route,
            vectors: $crate::route::RouteVector,
            suggestions: $crate::route::Suggestions,
        }
    };
}

/// Defines a collection: the name of a row, its field in views, selections and change sets, the field with its key, and
/// its filter. The first variant of the filter selects one key, `All` selects every row, and every other variant has an
/// expression over the key and the row, which is `None` if not loaded. A `first` variant selects only the row with the
/// smallest key.
macro_rules! collection {
    (
        $(#[$doc:meta])* $filter:ident of $row_type:ty,
        $name:literal in $rows:ident by $by:ident, |$key:ident, $row:ident|
        $(#[$one_doc:meta])* $one:ident($key_type:ty);
        $(project |$project:ident| $own:expr;)?
        $(first $first:ident;)?
        { $($others:tt)* }
        $($other:pat => $named:expr,)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $filter {
            $(#[$one_doc])*
            $one($key_type),
            $($others)*
            /// Every row.
            All,
        }

        impl Filter for $filter {
            type Row = $row_type;
            const ALL: Self = Self::All;

            fn of(key: $key_type) -> Self {
                Self::$one(key)
            }

            fn key(&self) -> Option<&$key_type> {
                if let Self::$one(key) = self { Some(key) } else { None }
            }

            fn matches(&self, $key: &$key_type, $row: Option<&$row_type>) -> bool {
                match self {
                    Self::$one(wanted) => wanted == $key,
                    $($other => $named,)*
                    Self::All => true,
                }
            }

            $(fn of_project($project: &ProjectId) -> Option<Self> {
                Some($own)
            })?

            $(fn most(&self) -> usize {
                if matches!(self, Self::$first(..)) { 1 } else { usize::MAX }
            })?
        }

        impl Row for $row_type {
            const NAME: &'static str = $name;
            type Key = $key_type;
            type Filter = $filter;

            fn key(&self) -> &$key_type {
                &self.$by
            }

            fn picks(selection: &Selection) -> &Vec<Pick<$filter>> {
                &selection.$rows
            }

            fn picks_mut(selection: &mut Selection) -> &mut Vec<Pick<$filter>> {
                &mut selection.$rows
            }

            fn rows(view: &View) -> &BTreeMap<$key_type, Self> {
                &view.$rows
            }

            fn rows_mut(view: &mut View) -> &mut BTreeMap<$key_type, Self> {
                &mut view.$rows
            }

            fn changes(changes: &ChangeSet) -> &Vec<Change<Self, $key_type>> {
                &changes.$rows
            }

            fn changes_mut(changes: &mut ChangeSet) -> &mut Vec<Change<Self, $key_type>> {
                &mut changes.$rows
            }

            fn drafted<'d>(draft: &'d Draft<'_>) -> &'d BTreeMap<$key_type, Option<Self>> {
                &draft.$rows
            }

            fn drafted_mut<'d>(
                draft: &'d mut Draft<'_>,
            ) -> &'d mut BTreeMap<$key_type, Option<Self>> {
                &mut draft.$rows
            }
        }
    };
}

collection! {
    /// A filter over projects.
    ProjectFilter of Project, "project" in projects by id, |key, _row|
    /// The project with this id.
    Id(ProjectId);
    project |id| Self::Id(id.clone());
    {}
}

collection! {
    /// A filter over sources.
    SourceFilter of Source, "source" in sources by id, |key, _row|
    /// The source with this identity.
    Id(SourceId);
    project |id| Self::Scope(Scope::Project(id.clone()));
    {
        /// The sources of a scope.
        Scope(Scope),
    }
    Self::Scope(scope) => *scope == key.scope(),
}

collection! {
    /// A filter over tools.
    ToolFilter of Tool, "tool" in tools by key, |key, row|
    /// The tool with this key.
    Key(ToolKey);
    project |id| Self::Scope(Scope::Project(id.clone()));
    {
        /// The tools of a scope.
        Scope(Scope),
        /// The tools of a scope that a source lists or has listed.
        Configured(Scope),
        /// The entries (kind `mcp_server`) of one server in a scope.
        Entries(Scope, ServerKey),
        /// The entries and the tools of one server in a scope.
        Server(Scope, ServerKey),
        /// The tools of a scope whose status is `demoted`.
        Demoted(Scope),
        /// The tools of a scope that a use made present although their configuration makes them absent.
        Revived(Scope),
    }
    Self::Scope(scope) => *scope == key.scope,
    Self::Configured(scope) => *scope == key.scope && row.is_some_and(Tool::is_configured),
    Self::Entries(scope, server) => {
        *scope == key.scope
            && row.is_some_and(|tool| {
                tool.kind == ToolKind::McpServer && tool.server.as_ref() == Some(server)
            })
    },
    Self::Server(scope, server) => {
        *scope == key.scope && row.is_some_and(|tool| tool.server.as_ref() == Some(server))
    },
    Self::Demoted(scope) => {
        *scope == key.scope && row.is_some_and(|tool| tool.status() == Status::Demoted)
    },
    Self::Revived(scope) => {
        *scope == key.scope && row.is_some_and(|tool| tool.presence.revived)
    },
}

collection! {
    /// A filter over definitions of tools.
    DefinitionFilter of Definition, "definition" in definitions by key, |key, row|
    /// The definition of the tool with this key.
    Key(ToolKey);
    project |id| Self::Scope(Scope::Project(id.clone()));
    {
        /// The definitions of a scope.
        Scope(Scope),
        /// The definitions of a scope with a change that awaits a person's decision.
        Pending(Scope),
    }
    Self::Scope(scope) => *scope == key.scope,
    Self::Pending(scope) => *scope == key.scope && row.is_some_and(|row| row.pending.is_some()),
}

collection! {
    /// A filter over items of knowledge.
    ItemFilter of Item, "item" in knowledge by key, |key, _row|
    /// The item with this key.
    Key(ItemKey);
    project |id| Self::Scope(Scope::Project(id.clone()));
    {
        /// The items of a scope.
        Scope(Scope),
    }
    Self::Scope(scope) => *scope == key.scope,
}

collection! {
    /// A filter over documents.
    DocumentFilter of Document, "document" in documents by key, |key, _row|
    /// The document with this key.
    Key(DocumentKey);
    project |id| Self::Project(id.clone());
    {
        /// The documents of a project.
        Project(ProjectId),
    }
    Self::Project(project) => *project == key.project,
}

collection! {
    /// A filter over work items.
    WorkFilter of Work, "work item" in work by key, |key, row|
    /// The work item with this key.
    Key(WorkKey);
    project |id| Self::Scope(Scope::Project(id.clone()));
    {
        /// The work items of a scope.
        Scope(Scope),
        /// The work items of a scope that have not ended. A store must read only these rows: flags and
        /// digests need them, and there may be many ended items.
        Open(Scope),
        /// The work items of a scope that have been ageing in one way since `until` or earlier: see [`Work::aging`]. A
        /// store must read only these rows, so that overdue items are found quickly among many others.
        Aging {
            /// The scope of the items.
            scope: Scope,
            /// The way of ageing.
            aging: Aging,
            /// The latest time at which they began to age.
            until: Timestamp,
        },
        /// The work items of a scope that have not ended and refer to any of these ids. A store should read only open
        /// items with references.
        Referring {
            /// The scope of the items.
            scope: Scope,
            /// The ids of items. They need not exist.
            to: Arc<BTreeSet<String>>,
        },
    }
    Self::Scope(scope) => *scope == key.scope,
    Self::Open(scope) => *scope == key.scope && row.is_some_and(|row| row.status.is_open()),
    Self::Aging { scope, aging, until } => {
        *scope == key.scope
            && row
                .and_then(Work::aging)
                .is_some_and(|(way, since)| way == *aging && since <= *until)
    },
    Self::Referring { scope, to } => {
        *scope == key.scope
            && row.is_some_and(|row| row.status.is_open() && !row.refs.is_disjoint(to))
    },
}

collection! {
    /// A filter over sessions.
    SessionFilter of Session, "session" in sessions by key, |key, _row|
    /// The session with this key.
    Key(SessionKey);
    project |id| Self::Project(id.clone());
    {
        /// The sessions of a project.
        Project(ProjectId),
    }
    Self::Project(project) => *project == key.project,
}

collection! {
    /// A filter over cursors.
    CursorFilter of Cursor, "cursor" in cursors by key, |key, _row|
    /// The cursor with this key.
    Key(CursorKey);
    project |id| Self::Project(id.clone());
    {
        /// The cursors of a project, one for each agent.
        Project(ProjectId),
    }
    Self::Project(project) => *project == key.project,
}

collection! {
    /// A filter over routes.
    RouteFilter of Route, "route" in routes by key, |key, _row|
    /// The route with this key.
    Key(RouteKey);
    project |id| Self::Project(id.clone());
    {
        /// The route with this id in a project, for any tool. A store may have to scan all routes of the project.
        Id(ProjectId, RouteId),
        /// The routes of a project to one tool. A store must read only these rows.
        Tool(ProjectId, ToolName),
        /// The routes of a project.
        Project(ProjectId),
    }
    Self::Id(project, id) => *project == key.project && *id == key.id,
    Self::Tool(project, tool) => *project == key.project && *tool == key.tool,
    Self::Project(project) => *project == key.project,
}

collection! {
    /// A filter over the vectors of routes.
    VectorFilter of RouteVector, "vector" in vectors by key, |key, row|
    /// The vector of the route with this key.
    Key(RouteKey);
    first First;
    {
        /// The vector with the smallest key among those of a model in a project. Used to find the model's number
        /// of dimensions.
        First(ProjectId, ModelId),
        /// The vectors of a project's routes to one tool, of any model. A store must read only these rows.
        Tool(ProjectId, ToolName),
        /// The vectors of a model in a project, for searches.
        Model(ProjectId, ModelId),
        /// The vectors of a project.
        Project(ProjectId),
    }
    Self::First(project, model) | Self::Model(project, model) => {
        *project == key.project && row.is_some_and(|row| row.model == *model)
    },
    Self::Tool(project, tool) => *project == key.project && *tool == key.tool,
    Self::Project(project) => *project == key.project,
}

collection! {
    /// A filter over the suggestions made in sessions.
    SuggestionFilter of Suggestions, "suggestions" in suggestions by key, |key, _row|
    /// The suggestions of the session with this key.
    Key(SessionKey);
    project |id| Self::Project(id.clone());
    {
        /// The suggestions of every session of a project.
        Project(ProjectId),
    }
    Self::Project(project) => *project == key.project,
}

/// A filter over outcomes. Results are in order of recording.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutcomeFilter {
    /// The outcome of one op on one tool.
    Op(ToolKey, OpId),
    /// The last `limit` counted outcomes of a project: see [`View::last_of_project`](super::View::last_of_project).
    LastOfProject {
        /// The project.
        project: ProjectId,
        /// The maximum number.
        limit: u32,
    },
    /// The last outcome of each MCP server at or after `since`, among those that show whether the server answered: see
    /// [`View::last_per_server`](super::View::last_per_server).
    LastPerServer {
        /// The earliest time.
        since: Timestamp,
    },
    /// The first `limit` and the last `limit` outcomes of the store, by order of recording.
    FirstAndLast {
        /// The maximum number of first outcomes, and that of last outcomes.
        limit: u32,
    },
    /// At most `limit` outcomes, spread over the order of recording: the last one, and then each time the last one
    /// whose number is at least `s` lower. `s` is one more than the distance of the first and the last number,
    /// divided by `limit` and rounded down.
    Spread {
        /// The maximum number.
        limit: u32,
    },
    /// Every outcome.
    All,
}

/// A filter over journal entries. Results are ordered by revision and index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JournalFilter {
    /// The entries that one op wrote.
    Op(OpId),
    /// The last `limit` entries about a subject.
    Subject {
        /// The subject.
        subject: Subject,
        /// The maximum number.
        limit: u32,
    },
    /// The entries of a scope after a revision.
    Since {
        /// The last revision to omit.
        after: Revision,
        /// The scope of their subjects.
        scope: Scope,
    },
    /// Every entry.
    All,
}
