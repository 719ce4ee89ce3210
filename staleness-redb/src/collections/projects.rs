//! Projects.

use redb::TableDefinition;
use staleness_core::ids::ProjectId;
use staleness_core::project::Project;
use staleness_core::store::{ProjectFilter, StoreError, View};

use super::rows::{Rows, Stored, Words};
use crate::codec::Bad;
use crate::records::{decode_project, encode_project, id};
use crate::tables::{PROJECTS, Tx};

impl Stored for Project {
    type Words = &'static str;
    type Indexes<'t> = ();
    const ROWS: TableDefinition<'static, &'static str, &'static [u8]> = PROJECTS;

    fn words(key: &ProjectId) -> Result<Words<'_, Self>, StoreError> {
        Ok(key.as_str())
    }

    fn decode(key: &Words<'_, Self>, value: &[u8]) -> Result<Self, Bad> {
        decode_project(id(key, ProjectId::new, "id")?, value)
    }

    fn encode(&self) -> Result<Vec<u8>, StoreError> {
        encode_project(self)
    }

    fn find(
        _: &Tx,
        _: &Rows<'_, Self>,
        filter: &ProjectFilter,
        _: &mut View,
    ) -> Result<(), StoreError> {
        match filter {
            ProjectFilter::Id(_) | ProjectFilter::All => Ok(()),
        }
    }
}
