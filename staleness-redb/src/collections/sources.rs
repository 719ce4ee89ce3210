//! Sources.

use redb::TableDefinition;
use staleness_core::ids::{ProjectId, SourceId};
use staleness_core::source::Source;
use staleness_core::store::{SourceFilter, StoreError, View};

use super::rows::{Rows, Stored, Words, range};
use crate::codec::Bad;
use crate::records::{LEVELS, decode_source, encode_source, id, number, word};
use crate::tables::{SOURCES, SourceKey, Tx};

impl Stored for Source {
    type Words = SourceKey;
    type Indexes<'t> = ();
    const ROWS: TableDefinition<'static, SourceKey, &'static [u8]> = SOURCES;

    fn words(key: &SourceId) -> Result<Words<'_, Self>, StoreError> {
        let scope = key.project.as_ref().map_or("", |project| project.as_str());
        Ok((scope, &key.client, number(&LEVELS, &key.level)?, &key.part))
    }

    fn decode(&(scope, client, level, part): &Words<'_, Self>, value: &[u8]) -> Result<Self, Bad> {
        let project = Some(scope).filter(|scope| !scope.is_empty());
        let id = SourceId {
            project: project.map(|scope| id(scope, ProjectId::new, "scope")).transpose()?,
            client: client.to_owned(),
            level: word(&LEVELS, level, "level")?,
            part: part.to_owned(),
        };
        decode_source(id, value)
    }

    fn encode(&self) -> Result<Vec<u8>, StoreError> {
        encode_source(self)
    }

    fn find(
        _: &Tx,
        rows: &Rows<'_, Self>,
        filter: &SourceFilter,
        view: &mut View,
    ) -> Result<(), StoreError> {
        match filter {
            SourceFilter::Scope(scope) => {
                let first = scope.as_key();
                range::<Self>(rows, (first, "", 0, ""), |key| key.0 == first, view)
            }
            SourceFilter::Id(_) | SourceFilter::All => Ok(()),
        }
    }
}
