//! What was suggested in sessions.

use staleness_core::route::Suggestions;
use staleness_core::session::SessionKey;
use staleness_core::store::{SuggestionFilter, pack, unpack};

use crate::cells::{Bad, Cells};
use crate::table::{Table, Where};
use crate::values::{Arg, Batch};

impl Table for Suggestions {
    const TABLE: &'static str = "suggestions";
    const COLUMNS: &'static str = "project, session, made, prompts";
    const KEY: usize = 2;
    const ORDER: &'static str = "project, session";

    fn condition(filter: &SuggestionFilter) -> Where {
        match filter {
            SuggestionFilter::Project(project) => {
                Where::new("project = $2", vec![Arg::text(project.as_str())])
            }
            SuggestionFilter::Key(_) | SuggestionFilter::All => Where::new("", Vec::new()),
        }
    }

    fn read(cells: &mut Cells<'_>) -> Result<Self, Bad> {
        Ok(Self {
            key: SessionKey { project: cells.id("project")?, id: cells.id("session")? },
            made: cells.small("made")?,
            prompts: cells.parsed("prompts", unpack)?,
        })
    }

    fn put_key(key: &SessionKey, batch: &mut Batch) {
        batch.text(key.project.as_str());
        batch.text(key.id.as_str());
    }

    fn put(&self, batch: &mut Batch) {
        batch.int(self.made);
        batch.text(&pack(&self.prompts));
    }
}
