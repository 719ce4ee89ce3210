//! What was suggested in sessions.

use staleness_core::route::Suggestions as Row;
use staleness_core::session::SessionKey;
use staleness_core::store::{StoreError, SuggestionFilter, View, pack, unpack};

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch};

#[derive(Debug)]
pub(crate) struct Suggestions;

impl Table for Suggestions {
    type Row = Row;
    type Key = SessionKey;
    type Filter = SuggestionFilter;

    const NAME: &'static str = "suggestions";
    const COLUMNS: &'static str = "project, session, made, prompts";
    const KEY: usize = 2;
    const ORDER: &'static str = "project, session";

    fn key(filter: &SuggestionFilter) -> Option<&SessionKey> {
        match filter {
            SuggestionFilter::Key(key) => Some(key),
            _ => None,
        }
    }

    fn condition(filter: &SuggestionFilter) -> Result<Where, StoreError> {
        match filter {
            SuggestionFilter::Project(project) => {
                Ok(Where::new("project = $2", vec![Arg::text(project.as_str())]))
            }
            SuggestionFilter::All => Ok(Where::new("", Vec::new())),
            _ => Err(StoreError::Unsupported("this filter of suggestions")),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Row, Bad> {
        Ok(Row {
            key: SessionKey { project: cells.id("project")?, id: cells.id("session")? },
            made: cells.small("made")?,
            prompts: cells.parsed("prompts", unpack)?,
        })
    }

    fn put_key(key: &SessionKey, batch: &mut Batch) {
        batch.text(key.project.as_str());
        batch.text(key.id.as_str());
    }

    fn key_of(row: &Row) -> &SessionKey {
        &row.key
    }

    fn put(row: &Row, batch: &mut Batch) {
        batch.int(row.made);
        batch.text(&pack(&row.prompts));
    }

    fn keep(row: Row, view: &mut View) {
        view.suggestions.insert(row.key.clone(), row);
    }
}
