//! The rule that a step writes only what it locked, as a check.

use std::collections::{BTreeSet, HashSet};

use super::covers::{covers_item, covers_project, covers_source};
use super::{
    Access, Change, ChangeSet, Pick, Selection, ToolFilter, View, covers_cursor, covers_document,
    covers_route, covers_session, covers_suggestion, covers_tool, covers_vector, covers_work,
};
use crate::ids::ToolKey;

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
    cursors_were_locked(selection, changes)?;
    routes_were_locked(selection, changes)?;
    vectors_were_locked(selection, changes)?;
    suggestions_were_locked(selection, changes)
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

fn routes_were_locked(selection: &Selection, changes: &ChangeSet) -> Result<(), String> {
    let mut routes = BTreeSet::new();
    for change in &changes.routes {
        let key = match change {
            Change::Put(row) => &row.key,
            Change::Delete(key) => key,
        };
        once(&mut routes, key)?;
        if !locked(&selection.routes).any(|filter| covers_route(filter, key)) {
            return Err(format!("route {} was written and not locked", key.id));
        }
    }
    Ok(())
}

fn vectors_were_locked(selection: &Selection, changes: &ChangeSet) -> Result<(), String> {
    let mut vectors = BTreeSet::new();
    for change in &changes.vectors {
        let (key, row) = match change {
            Change::Put(row) => (&row.key, Some(row)),
            Change::Delete(key) => (key, None),
        };
        once(&mut vectors, key)?;
        let model = row.map(|row| &row.model);
        let by_itself = locked(&selection.vectors).any(|filter| covers_vector(filter, key, model));
        // Pruning removes vectors without a look at them.
        let by_route =
            || row.is_none() && locked(&selection.routes).any(|filter| covers_route(filter, key));
        if !by_itself && !by_route() {
            return Err(format!("vector {} was written and not locked", key.id));
        }
    }
    Ok(())
}

fn suggestions_were_locked(selection: &Selection, changes: &ChangeSet) -> Result<(), String> {
    let mut suggestions = BTreeSet::new();
    for change in &changes.suggestions {
        let key = match change {
            Change::Put(row) => &row.key,
            Change::Delete(key) => key,
        };
        once(&mut suggestions, key)?;
        if !locked(&selection.suggestions).any(|filter| covers_suggestion(filter, key)) {
            return Err(format!("suggestions of {} were written and not locked", key.id));
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
