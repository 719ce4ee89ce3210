//! The rule that a step writes only what it locked, as a check.

use std::collections::{BTreeSet, HashSet};

use super::{
    Access, Change, ChangeSet, CursorFilter, DocumentFilter, ItemFilter, Pick, ProjectFilter,
    Selection, SessionFilter, SourceFilter, ToolFilter, View, WorkFilter,
};
use crate::ids::{DocumentKey, ItemKey, ProjectId, Scope, SourceId, ToolKey, WorkKey};
use crate::knowledge::Document;
use crate::session::{CursorKey, SessionKey};
use crate::tool::{Status, Tool, ToolKind};
use crate::work::Work;

/// Whether every row that `changes` writes was locked by `selection`; the rows that were seen are
/// in `view`. No row may be written twice.
///
/// # Errors
/// A sentence that names the first row that breaks the rule.
pub fn check_changes(
    selection: &Selection,
    view: &View,
    changes: &ChangeSet,
) -> Result<(), String> {
    let mut projects = BTreeSet::new();
    for change in &changes.projects {
        let id = match change {
            Change::Put(row) => &row.id,
            Change::Delete(id) => id,
        };
        once(&mut projects, id)?;
        if !locked(&selection.projects).any(|filter| covers_project(filter, id)) {
            return Err(format!("project {id} was written and not locked"));
        }
    }
    let mut sources = BTreeSet::new();
    for change in &changes.sources {
        let id = match change {
            Change::Put(row) => &row.id,
            Change::Delete(id) => id,
        };
        once(&mut sources, id)?;
        if !locked(&selection.sources).any(|filter| covers_source(filter, id)) {
            return Err(format!("source {id} was written and not locked"));
        }
    }
    let mut tools = BTreeSet::new();
    // A batch locks its tools one by one: those are looked up, only the other filters are tried.
    let (keys, filters): (Vec<&ToolFilter>, Vec<&ToolFilter>) =
        locked(&selection.tools).partition(|filter| matches!(filter, ToolFilter::Key(_)));
    let keys: HashSet<&ToolKey> = keys
        .into_iter()
        .filter_map(|filter| match filter {
            ToolFilter::Key(key) => Some(key),
            _ => None,
        })
        .collect();
    for change in &changes.tools {
        let (key, row) = match change {
            Change::Put(row) => (&row.key, Some(row)),
            Change::Delete(key) => (key, None),
        };
        once(&mut tools, key)?;
        let seen = view.tools.get(key);
        if !keys.contains(key)
            && !filters.iter().any(|filter| covers_tool(filter, key, seen.or(row)))
        {
            return Err(format!("tool {} was written and not locked", key.name));
        }
    }
    knowledge_was_locked(selection, changes)?;
    documents_were_locked(selection, view, changes)?;
    work_was_locked(selection, view, changes)?;
    sessions_were_locked(selection, changes)?;
    cursors_were_locked(selection, changes)
}

fn knowledge_was_locked(selection: &Selection, changes: &ChangeSet) -> Result<(), String> {
    let mut items = BTreeSet::new();
    for change in &changes.knowledge {
        let key = match change {
            Change::Put(row) => &row.key,
            Change::Delete(key) => key,
        };
        once(&mut items, key)?;
        if !locked(&selection.knowledge).any(|filter| covers_item(filter, key)) {
            return Err(format!("item {} was written and not locked", key.id));
        }
    }
    Ok(())
}

fn documents_were_locked(
    selection: &Selection,
    view: &View,
    changes: &ChangeSet,
) -> Result<(), String> {
    let mut documents = BTreeSet::new();
    for change in &changes.documents {
        let (key, row) = match change {
            Change::Put(row) => (&row.key, Some(row)),
            Change::Delete(key) => (key, None),
        };
        once(&mut documents, key)?;
        let row = view.documents.get(key).or(row);
        if !locked(&selection.documents).any(|filter| covers_document(filter, key, row)) {
            return Err(format!("document {:?} was written and not locked", key.path));
        }
    }
    Ok(())
}

fn work_was_locked(selection: &Selection, view: &View, changes: &ChangeSet) -> Result<(), String> {
    let mut work = BTreeSet::new();
    for change in &changes.work {
        let (key, row) = match change {
            Change::Put(row) => (&row.key, Some(row)),
            Change::Delete(key) => (key, None),
        };
        once(&mut work, key)?;
        let row = view.work.get(key).or(row);
        if !locked(&selection.work).any(|filter| covers_work(filter, key, row)) {
            return Err(format!("work item {} was written and not locked", key.id));
        }
    }
    Ok(())
}

fn sessions_were_locked(selection: &Selection, changes: &ChangeSet) -> Result<(), String> {
    let mut sessions = BTreeSet::new();
    for change in &changes.sessions {
        let key = match change {
            Change::Put(row) => &row.key,
            Change::Delete(key) => key,
        };
        once(&mut sessions, key)?;
        if !locked(&selection.sessions).any(|filter| covers_session(filter, key)) {
            return Err(format!("session {} was written and not locked", key.id));
        }
    }
    Ok(())
}

fn cursors_were_locked(selection: &Selection, changes: &ChangeSet) -> Result<(), String> {
    let mut cursors = BTreeSet::new();
    for change in &changes.cursors {
        let key = match change {
            Change::Put(row) => &row.key,
            Change::Delete(key) => key,
        };
        once(&mut cursors, key)?;
        if !locked(&selection.cursors).any(|filter| covers_cursor(filter, key)) {
            return Err(format!("cursor of {} was written and not locked", key.agent));
        }
    }
    Ok(())
}

fn once<'a, K: Ord + std::fmt::Debug>(
    seen: &mut BTreeSet<&'a K>,
    key: &'a K,
) -> Result<(), String> {
    if seen.insert(key) { Ok(()) } else { Err(format!("{key:?} was written twice")) }
}

fn locked<F>(picks: &[Pick<F>]) -> impl Iterator<Item = &F> {
    picks.iter().filter(|pick| pick.access == Access::Lock).map(|pick| &pick.filter)
}

fn covers_project(filter: &ProjectFilter, id: &ProjectId) -> bool {
    match filter {
        ProjectFilter::Id(locked) => locked == id,
        ProjectFilter::All => true,
    }
}

fn covers_source(filter: &SourceFilter, id: &SourceId) -> bool {
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
fn covers_item(filter: &ItemFilter, key: &ItemKey) -> bool {
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
