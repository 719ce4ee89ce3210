//! The rows that each filter names, read literally.

use staleness_core::ids::{DocumentKey, ItemKey, ProjectId, Scope, SourceId, ToolKey, WorkKey};
use staleness_core::knowledge::{Document, Item};
use staleness_core::project::Project;
use staleness_core::route::{Route, RouteKey, RouteVector, Suggestions};
use staleness_core::session::{Cursor, CursorKey, Session, SessionKey};
use staleness_core::source::Source;
use staleness_core::store::{
    CursorFilter, DocumentFilter, ItemFilter, ProjectFilter, RouteFilter, SessionFilter,
    SourceFilter, SuggestionFilter, ToolFilter, VectorFilter, WorkFilter,
};
use staleness_core::tool::{Hold, Tool, ToolKind};
use staleness_core::work::{Work, WorkStatus};

/// A filter of rows by key.
pub(super) trait Names {
    type Key;
    type Row;

    /// Returns true if it names the row with this key. The row is known unless only the key is.
    fn names(&self, key: &Self::Key, row: Option<&Self::Row>) -> bool;
}

macro_rules! names {
    ($($filter:ident $key:ident $row:ident |$id:ident, $of:pat_param| { $($arms:tt)* })*) => {$(
        impl Names for $filter {
            type Key = $key;
            type Row = $row;

            fn names(&self, $id: &$key, $of: Option<&$row>) -> bool {
                match self {
                    Self::All => true,
                    $($arms)*
                }
            }
        }
    )*};
}

names! {
    ProjectFilter ProjectId Project |id, _| {
        Self::Id(wanted) => wanted == id,
    }
    SourceFilter SourceId Source |id, _| {
        Self::Id(wanted) => wanted == id,
        Self::Scope(Scope::Global) => id.project.is_none(),
        Self::Scope(Scope::Project(project)) => id.project.as_ref() == Some(project),
    }
    ToolFilter ToolKey Tool |key, row| {
        Self::Key(wanted) => wanted == key,
        Self::Scope(scope) => *scope == key.scope,
        Self::Configured(scope) => {
            *scope == key.scope && row.is_some_and(|row| !row.holdings.is_empty())
        }
        Self::Entries(scope, server) => {
            *scope == key.scope
                && row.is_some_and(|row| {
                    row.kind == ToolKind::McpServer && row.server.as_ref() == Some(server)
                })
        }
        Self::Server(scope, server) => {
            *scope == key.scope && row.is_some_and(|row| row.server.as_ref() == Some(server))
        }
        Self::Demoted(scope) => *scope == key.scope && row.is_some_and(is_demoted),
        Self::Revived(scope) => *scope == key.scope && row.is_some_and(|row| row.presence.revived),
    }
    ItemFilter ItemKey Item |key, _| {
        Self::Key(wanted) => wanted == key,
        Self::Scope(scope) => *scope == key.scope,
    }
    DocumentFilter DocumentKey Document |key, row| {
        Self::Key(wanted) => wanted == key,
        Self::Project(project) => *project == key.project,
        Self::Loaded(project) => {
            *project == key.project && row.is_some_and(|row| row.loaded && !row.found.is_empty())
        }
        Self::Flagged(project) => {
            *project == key.project && row.is_some_and(|row| !row.found.is_empty())
        }
    }
    WorkFilter WorkKey Work |key, row| {
        Self::Key(wanted) => wanted == key,
        Self::Scope(scope) => *scope == key.scope,
        Self::Open(scope) => *scope == key.scope && row.is_some_and(is_open),
        Self::Aging { scope, aging, until } => {
            *scope == key.scope
                && row.is_some_and(|row| {
                    row.aging().is_some_and(|(way, since)| way == *aging && since <= *until)
                })
        }
        Self::Referring { scope, to } => {
            *scope == key.scope
                && row.is_some_and(|row| {
                    is_open(row) && row.refs.iter().any(|other| to.contains(other))
                })
        }
    }
    SessionFilter SessionKey Session |key, _| {
        Self::Key(wanted) => wanted == key,
        Self::Project(project) => *project == key.project,
    }
    CursorFilter CursorKey Cursor |key, _| {
        Self::Key(wanted) => wanted == key,
        Self::Project(project) => *project == key.project,
    }
    RouteFilter RouteKey Route |key, _| {
        Self::Key(wanted) => wanted == key,
        Self::Id(project, id) => *project == key.project && *id == key.id,
        Self::Tool(project, tool) => *project == key.project && *tool == key.tool,
        Self::Project(project) => *project == key.project,
    }
    VectorFilter RouteKey RouteVector |key, row| {
        Self::Key(wanted) => wanted == key,
        Self::Tool(project, tool) => *project == key.project && *tool == key.tool,
        Self::First(project, model) | Self::Model(project, model) => {
            *project == key.project && row.is_some_and(|row| row.model == *model)
        }
        Self::Project(project) => *project == key.project,
    }
    SuggestionFilter SessionKey Suggestions |key, _| {
        Self::Key(wanted) => wanted == key,
        Self::Project(project) => *project == key.project,
    }
}

/// A person demoted it; or it is failing, and no person keeps it.
const fn is_demoted(row: &Tool) -> bool {
    match row.hold {
        Hold::Demoted => true,
        Hold::None | Hold::Ignored => row.health.failing.is_some(),
        Hold::Pinned => false,
    }
}

const fn is_open(row: &Work) -> bool {
    use WorkStatus::{Active, Blocked, InProgress, Made, Open, Pending, Todo, Visible};
    matches!(row.status, Todo | InProgress | Blocked | Active | Open | Pending | Visible | Made)
}
