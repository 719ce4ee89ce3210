//! Suggestions in sessions.

use staleness_core::ids::{ProjectId, SessionId};
use staleness_core::route::Suggestions;
use staleness_core::session::SessionKey;
use staleness_core::store::{StoreError, SuggestionFilter, View, pack, unpack};

use super::execute;
use super::table::{Statements, Table, Visit, of_first, statements};
use crate::cells::{Bad, Cells};
use crate::transaction::Transaction;

statements! { suggestions: project session; made prompts; }

impl Table for Suggestions {
    type Columns<'k> = (&'k str, &'k str);

    fn sql() -> &'static Statements {
        &SQL
    }

    fn columns(key: &SessionKey) -> Self::Columns<'_> {
        (key.project.as_str(), key.id.as_str())
    }

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
        Ok(Self {
            key: SessionKey {
                project: cells.parsed("project", ProjectId::new)?,
                id: cells.parsed("session", SessionId::new)?,
            },
            made: cells.small("made")?,
            prompts: unpack(cells.str("prompts")?).ok_or(Bad("prompts"))?,
        })
    }

    fn put(&self, tx: &Transaction<'_>, _: &View) -> Result<(), StoreError> {
        let (project, session) = Self::columns(&self.key);
        execute(tx, SQL.put, (project, session, self.made, pack(&self.prompts))).map(drop)
    }

    fn find(
        tx: &Transaction<'_>,
        filter: &SuggestionFilter,
        visit: Visit<'_, Self>,
    ) -> Result<(), StoreError> {
        match filter {
            SuggestionFilter::Project(project) => of_first(tx, project.as_str(), visit),
            SuggestionFilter::Key(_) | SuggestionFilter::All => Ok(()),
        }
    }
}
