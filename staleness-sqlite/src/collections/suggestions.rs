//! What was suggested in sessions.

use std::ops::ControlFlow;

use rusqlite::Row;
use staleness_core::ids::{ProjectId, SessionId};
use staleness_core::route::Suggestions;
use staleness_core::session::SessionKey;
use staleness_core::store::{Change, StoreError, SuggestionFilter, View, pack, unpack};

use super::{each, execute};
use crate::cells::{Bad, Cells, corrupt};
use crate::transaction::Transaction;

macro_rules! select {
    ($tail:literal) => {
        concat!("SELECT project, session, made, prompts FROM suggestions", $tail)
    };
}

const BY_KEY: &str = select!(" WHERE project = ?1 AND session = ?2");
const OF_PROJECT: &str = select!(" WHERE project = ?1");
const ALL: &str = select!(" ORDER BY project, session");
const PUT: &str =
    "REPLACE INTO suggestions(project, session, made, prompts) VALUES(?1, ?2, ?3, ?4)";
const DELETE: &str = "DELETE FROM suggestions WHERE project = ?1 AND session = ?2";

/// Adds what the filter names to the view.
pub(crate) fn load(
    tx: &Transaction<'_>,
    filter: &SuggestionFilter,
    view: &mut View,
) -> Result<(), StoreError> {
    let keep = |row: Suggestions| {
        view.suggestions.insert(row.key.clone(), row);
        ControlFlow::Continue(())
    };
    match filter {
        SuggestionFilter::Key(key) => rows(tx, BY_KEY, words(key), keep),
        SuggestionFilter::Project(project) => rows(tx, OF_PROJECT, (project.as_str(),), keep),
        SuggestionFilter::All => all(tx, keep),
    }
}

/// Every session's suggestions in the order of keys.
pub(crate) fn all(
    tx: &Transaction<'_>,
    visit: impl FnMut(Suggestions) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    rows(tx, ALL, (), visit)
}

fn rows<P: rusqlite::Params>(
    tx: &Transaction<'_>,
    sql: &'static str,
    params: P,
    mut visit: impl FnMut(Suggestions) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    each(tx, sql, params, |row| {
        read(row).map(&mut visit).map_err(|bad| {
            let text = |column: usize| row.get::<_, String>(column).unwrap_or_default();
            let key = (text(0), text(1));
            corrupt("suggestions", format_args!("{key:?}"), bad)
        })
    })
}

fn read(row: &Row<'_>) -> Result<Suggestions, Bad> {
    let mut cells = Cells::new(row);
    Ok(Suggestions {
        key: SessionKey {
            project: cells.parsed("project", ProjectId::new)?,
            id: cells.parsed("session", SessionId::new)?,
        },
        made: cells.small("made")?,
        prompts: unpack(cells.str("prompts")?).ok_or(Bad("prompts"))?,
    })
}

/// Writes the changes.
pub(crate) fn apply(
    tx: &Transaction<'_>,
    changes: &[Change<Suggestions, SessionKey>],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::Put(row) => {
                let (project, session) = words(&row.key);
                execute(tx, PUT, (project, session, row.made, pack(&row.prompts)))?
            }
            Change::Delete(key) => execute(tx, DELETE, words(key))?,
        };
    }
    Ok(())
}

fn words(key: &SessionKey) -> (&str, &str) {
    (key.project.as_str(), key.id.as_str())
}
