//! Cursors.

use redb::TableDefinition;
use staleness_core::ids::{AgentId, ProjectId};
use staleness_core::session::{Cursor, CursorKey};
use staleness_core::store::{CursorFilter, StoreError, View};

use super::rows::{Rows, Stored, Words, range};
use crate::codec::Bad;
use crate::records::{decode_cursor, encode_cursor, id};
use crate::tables::{CURSORS, CursorRef, Tx};

impl Stored for Cursor {
    type Words = CursorRef;
    type Indexes<'t> = ();
    const ROWS: TableDefinition<'static, CursorRef, &'static [u8]> = CURSORS;

    fn words(key: &CursorKey) -> Result<Words<'_, Self>, StoreError> {
        Ok((key.project.as_str(), key.agent.as_str()))
    }

    fn decode(&(project, agent): &Words<'_, Self>, value: &[u8]) -> Result<Self, Bad> {
        let project = id(project, ProjectId::new, "project")?;
        decode_cursor(CursorKey { project, agent: id(agent, AgentId::new, "agent")? }, value)
    }

    fn encode(&self) -> Result<Vec<u8>, StoreError> {
        encode_cursor(self)
    }

    fn find(
        _: &Tx,
        rows: &Rows<'_, Self>,
        filter: &CursorFilter,
        view: &mut View,
    ) -> Result<(), StoreError> {
        match filter {
            CursorFilter::Project(project) => {
                let first = project.as_str();
                range::<Self>(rows, (first, ""), |key| key.0 == first, view)
            }
            CursorFilter::Key(_) | CursorFilter::All => Ok(()),
        }
    }
}
