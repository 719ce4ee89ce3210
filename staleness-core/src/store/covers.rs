//! What each filter means, row by row: the reference for the memory store and for the rule of locks.

use super::{
    CursorFilter, DocumentFilter, ItemFilter, ProjectFilter, RouteFilter, SessionFilter,
    SourceFilter, SuggestionFilter, ToolFilter, VectorFilter, WorkFilter,
};
use crate::ids::{DocumentKey, ItemKey, ModelId, ProjectId, Scope, SourceId, ToolKey, WorkKey};
use crate::knowledge::Document;
use crate::route::RouteKey;
use crate::session::{CursorKey, SessionKey};
use crate::tool::{Status, Tool, ToolKind};
use crate::work::Work;

/// Whether a filter of projects names this id.
pub(super) fn covers_project(filter: &ProjectFilter, id: &ProjectId) -> bool {
    match filter {
        ProjectFilter::Id(locked) => locked == id,
        ProjectFilter::All => true,
    }
}

/// Whether a filter of sources names this identity.
pub(super) fn covers_source(filter: &SourceFilter, id: &SourceId) -> bool {
    match filter {
        SourceFilter::Id(locked) => locked == id,
        SourceFilter::Scope(scope) => *scope == id.scope(),
        SourceFilter::All => true,
    }
}

/// Whether a tool filter names this row. Shared with the memory store, which is the reference for
/// what each filter means.
pub(crate) fn covers_tool(filter: &ToolFilter, key: &ToolKey, row: Option<&Tool>) -> bool {
    let within = |scope: &Scope| *scope == key.scope;
    match filter {
        ToolFilter::Key(wanted) => wanted == key,
        ToolFilter::Scope(scope) => within(scope),
        ToolFilter::Configured(scope) => within(scope) && row.is_some_and(Tool::is_configured),
        ToolFilter::Entries(scope, server) => {
            within(scope)
                && row.is_some_and(|tool| {
                    tool.kind == ToolKind::McpServer && tool.server.as_ref() == Some(server)
                })
        }
        ToolFilter::Server(scope, server) => {
            within(scope) && row.is_some_and(|tool| tool.server.as_ref() == Some(server))
        }
        ToolFilter::Demoted(scope) => {
            within(scope) && row.is_some_and(|tool| tool.status() == Status::Demoted)
        }
        ToolFilter::Revived(scope) => {
            within(scope) && row.is_some_and(|tool| tool.presence.revived)
        }
        ToolFilter::All => true,
    }
}

/// Whether an item filter names this key.
pub(super) fn covers_item(filter: &ItemFilter, key: &ItemKey) -> bool {
    match filter {
        ItemFilter::Key(wanted) => wanted == key,
        ItemFilter::Scope(scope) => *scope == key.scope,
        ItemFilter::All => true,
    }
}

/// Whether a document filter names this row. Shared with the memory store, as [`covers_tool`].
pub(crate) fn covers_document(
    filter: &DocumentFilter,
    key: &DocumentKey,
    row: Option<&Document>,
) -> bool {
    let flagged = |row: &Document| !row.found.is_empty();
    match filter {
        DocumentFilter::Key(wanted) => wanted == key,
        DocumentFilter::Project(project) => *project == key.project,
        DocumentFilter::Loaded(project) => {
            *project == key.project && row.is_some_and(|row| row.loaded && flagged(row))
        }
        DocumentFilter::Flagged(project) => *project == key.project && row.is_some_and(flagged),
        DocumentFilter::All => true,
    }
}

/// Whether a filter of work items names this row. Shared with the memory store, as [`covers_tool`].
pub(crate) fn covers_work(filter: &WorkFilter, key: &WorkKey, row: Option<&Work>) -> bool {
    match filter {
        WorkFilter::Key(wanted) => wanted == key,
        WorkFilter::Scope(scope) => *scope == key.scope,
        WorkFilter::Open(scope) => {
            *scope == key.scope && row.is_some_and(|row| row.status.is_open())
        }
        WorkFilter::Aging { scope, aging, until } => {
            *scope == key.scope
                && row
                    .and_then(Work::aging)
                    .is_some_and(|(way, since)| way == *aging && since <= *until)
        }
        WorkFilter::Referring { scope, to } => {
            *scope == key.scope
                && row.is_some_and(|row| row.status.is_open() && !row.refs.is_disjoint(to))
        }
        WorkFilter::All => true,
    }
}

/// Whether a filter of sessions names this key. Shared with the memory store, as [`covers_tool`].
pub(crate) fn covers_session(filter: &SessionFilter, key: &SessionKey) -> bool {
    match filter {
        SessionFilter::Key(wanted) => wanted == key,
        SessionFilter::Project(project) => *project == key.project,
        SessionFilter::All => true,
    }
}

/// Whether a filter of cursors names this key. Shared with the memory store, as [`covers_tool`].
pub(crate) fn covers_cursor(filter: &CursorFilter, key: &CursorKey) -> bool {
    match filter {
        CursorFilter::Key(wanted) => wanted == key,
        CursorFilter::Project(project) => *project == key.project,
        CursorFilter::All => true,
    }
}

/// Whether a filter of routes names this key. Shared with the memory store, as [`covers_tool`].
pub(crate) fn covers_route(filter: &RouteFilter, key: &RouteKey) -> bool {
    match filter {
        RouteFilter::Key(wanted) => wanted == key,
        RouteFilter::Id(project, id) => *project == key.project && *id == key.id,
        RouteFilter::Tool(project, tool) => *project == key.project && *tool == key.tool,
        RouteFilter::Project(project) => *project == key.project,
        RouteFilter::All => true,
    }
}

/// Whether a filter of vectors names this row, but that [`VectorFilter::First`] names one only. Shared
/// with the memory store, as [`covers_tool`].
pub(crate) fn covers_vector(
    filter: &VectorFilter,
    key: &RouteKey,
    model: Option<&ModelId>,
) -> bool {
    match filter {
        VectorFilter::Key(wanted) => wanted == key,
        VectorFilter::First(project, wanted) | VectorFilter::Model(project, wanted) => {
            *project == key.project && model == Some(wanted)
        }
        VectorFilter::Tool(project, tool) => *project == key.project && *tool == key.tool,
        VectorFilter::Project(project) => *project == key.project,
        VectorFilter::All => true,
    }
}

/// Whether a filter of suggestions names this key. Shared with the memory store, as [`covers_tool`].
pub(crate) fn covers_suggestion(filter: &SuggestionFilter, key: &SessionKey) -> bool {
    match filter {
        SuggestionFilter::Key(wanted) => wanted == key,
        SuggestionFilter::Project(project) => *project == key.project,
        SuggestionFilter::All => true,
    }
}
