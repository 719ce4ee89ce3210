//! Exposes the record codec to the fuzz targets. Not part of the public API.

use staleness_core::store::StoreError;

use crate::codec::{self, Coded};

/// Maximum size of a record, in bytes.
pub const MAX_RECORD: usize = codec::MAX_RECORD;

/// A record that can be encoded.
pub trait Record: Sized {
    /// Encodes the record.
    ///
    /// # Errors
    /// If the record is too large.
    fn encode(&self) -> Result<Vec<u8>, StoreError>;

    /// Decodes a record. Returns `None` if the bytes are invalid.
    fn decode(bytes: &[u8]) -> Option<Self>;
}

impl<R: Coded> Record for R {
    fn encode(&self) -> Result<Vec<u8>, StoreError> {
        codec::encode(self)
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        codec::decode(bytes).ok()
    }
}
