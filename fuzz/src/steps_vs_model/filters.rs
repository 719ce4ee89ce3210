//! What each filter names, read literally.

use staleness_core::ids::{DocumentKey, ItemKey, ProjectId, Scope, SourceId, ToolKey, WorkKey};
use staleness_core::knowledge::Document;
use staleness_core::session::{CursorKey, SessionKey};
use staleness_core::store::{
    CursorFilter, DocumentFilter, ItemFilter, ProjectFilter, SessionFilter, SourceFilter,
    ToolFilter, WorkFilter,
};
use staleness_core::tool::{Hold, Tool, ToolKind};
use staleness_core::work::{Work, WorkStatus};

pub(super) fn of_project(filter: &ProjectFilter, id: &ProjectId) -> bool {
    match filter {
        ProjectFilter::Id(wanted) => wanted == id,
        ProjectFilter::All => true,
        other => unreachable!("no filter of the suite: {other:?}"),
    }
}

pub(super) fn of_source(filter: &SourceFilter, id: &SourceId) -> bool {
    match (filter, &id.project) {
        (SourceFilter::Id(wanted), _) => wanted == id,
        (SourceFilter::Scope(Scope::Global), project) => project.is_none(),
        (SourceFilter::Scope(Scope::Project(wanted)), project) => Some(wanted) == project.as_ref(),
        (SourceFilter::All, _) => true,
        (other, _) => unreachable!("no filter of the suite: {other:?}"),
    }
}

pub(super) fn of_item(filter: &ItemFilter, key: &ItemKey) -> bool {
    match filter {
        ItemFilter::Key(wanted) => wanted == key,
        ItemFilter::Scope(scope) => *scope == key.scope,
        ItemFilter::All => true,
        other => unreachable!("no filter of the suite: {other:?}"),
    }
}

pub(super) fn of_document(
    filter: &DocumentFilter,
    key: &DocumentKey,
    row: Option<&Document>,
) -> bool {
    let flagged = row.is_some_and(|row| !row.found.is_empty());
    match filter {
        DocumentFilter::Key(wanted) => wanted == key,
        DocumentFilter::Project(project) => *project == key.project,
        DocumentFilter::Loaded(project) => {
            *project == key.project && flagged && row.is_some_and(|row| row.loaded)
        }
        DocumentFilter::Flagged(project) => *project == key.project && flagged,
        DocumentFilter::All => true,
        other => unreachable!("no filter of the suite: {other:?}"),
    }
}

/// Whether a filter names a tool of which nothing but its key is known.
pub(super) fn names_tool(filter: &ToolFilter, key: &ToolKey) -> bool {
    match filter {
        ToolFilter::Key(wanted) => wanted == key,
        ToolFilter::Scope(scope) => *scope == key.scope,
        ToolFilter::All => true,
        _ => false,
    }
}

pub(super) fn of_tool(filter: &ToolFilter, key: &ToolKey, row: &Tool) -> bool {
    match filter {
        ToolFilter::Configured(scope) => *scope == key.scope && !row.holdings.is_empty(),
        ToolFilter::Entries(scope, server) => {
            *scope == key.scope
                && row.kind == ToolKind::McpServer
                && row.server == Some(server.clone())
        }
        ToolFilter::Server(scope, server) => {
            *scope == key.scope && row.server == Some(server.clone())
        }
        ToolFilter::Demoted(scope) => *scope == key.scope && is_demoted(row),
        ToolFilter::Revived(scope) => *scope == key.scope && row.presence.revived,
        filter => names_tool(filter, key),
    }
}

/// A person demoted it; or it is failing, and no person keeps it.
fn is_demoted(row: &Tool) -> bool {
    match row.hold {
        Hold::Demoted => true,
        Hold::None | Hold::Ignored => row.health.failing.is_some(),
        Hold::Pinned => false,
    }
}

pub(super) fn of_work(filter: &WorkFilter, key: &WorkKey, row: Option<&Work>) -> bool {
    use WorkStatus::{Active, Blocked, InProgress, Made, Open, Pending, Todo, Visible};
    match filter {
        WorkFilter::Key(wanted) => wanted == key,
        WorkFilter::Scope(scope) => *scope == key.scope,
        WorkFilter::Open(scope) => {
            let states = [Todo, InProgress, Blocked, Active, Open, Pending, Visible, Made];
            *scope == key.scope && row.is_some_and(|row| states.contains(&row.status))
        }
        WorkFilter::Aging { scope, aging, until } => {
            let ages = |row: &Work| {
                row.aging().is_some_and(|(way, since)| way == *aging && since <= *until)
            };
            *scope == key.scope && row.is_some_and(ages)
        }
        WorkFilter::Referring { scope, to } => {
            let open = |row: &Work| of_work(&WorkFilter::Open(scope.clone()), key, Some(row));
            row.is_some_and(|row| open(row) && row.refs.iter().any(|other| to.contains(other)))
        }
        WorkFilter::All => true,
        other => unreachable!("no filter of the suite: {other:?}"),
    }
}

pub(super) fn of_session(filter: &SessionFilter, key: &SessionKey) -> bool {
    match filter {
        SessionFilter::Key(wanted) => wanted == key,
        SessionFilter::Project(project) => *project == key.project,
        SessionFilter::All => true,
        other => unreachable!("no filter of the suite: {other:?}"),
    }
}

pub(super) fn of_cursor(filter: &CursorFilter, key: &CursorKey) -> bool {
    match filter {
        CursorFilter::Key(wanted) => wanted == key,
        CursorFilter::Project(project) => *project == key.project,
        CursorFilter::All => true,
        other => unreachable!("no filter of the suite: {other:?}"),
    }
}
