//! Suggestions in sessions.

use redb::TableDefinition;
use staleness_core::route::Suggestions;
use staleness_core::session::SessionKey;
use staleness_core::store::{StoreError, SuggestionFilter, View};

use super::rows::{Rows, Stored, Words, range};
use super::sessions::session_key;
use crate::codec::Bad;
use crate::records::{decode_suggestions, encode_suggestions};
use crate::tables::{SUGGESTIONS, SessionRef, Tx};

impl Stored for Suggestions {
    type Words = SessionRef;
    type Indexes<'t> = ();
    const ROWS: TableDefinition<'static, SessionRef, &'static [u8]> = SUGGESTIONS;

    fn words(key: &SessionKey) -> Result<Words<'_, Self>, StoreError> {
        Ok((key.project.as_str(), key.id.as_str()))
    }

    fn decode(key: &Words<'_, Self>, value: &[u8]) -> Result<Self, Bad> {
        decode_suggestions(session_key(key)?, value)
    }

    fn encode(&self) -> Result<Vec<u8>, StoreError> {
        encode_suggestions(self)
    }

    fn find(
        _: &Tx,
        rows: &Rows<'_, Self>,
        filter: &SuggestionFilter,
        view: &mut View,
    ) -> Result<(), StoreError> {
        match filter {
            SuggestionFilter::Project(project) => {
                let first = project.as_str();
                range::<Self>(rows, (first, ""), |key| key.0 == first, view)
            }
            SuggestionFilter::Key(_) | SuggestionFilter::All => Ok(()),
        }
    }
}
