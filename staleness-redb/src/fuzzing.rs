//! Exposes the record codec to the fuzz targets. Not part of the public API.

use staleness_core::definition::Definition;
use staleness_core::journal::JournalEntry;
use staleness_core::knowledge::{Document, Item};
use staleness_core::outcome::Outcome;
use staleness_core::project::Project;
use staleness_core::route::{Route, RouteVector, Suggestions};
use staleness_core::session::{Cursor, Session};
use staleness_core::source::Source;
use staleness_core::store::StoreError;
use staleness_core::tool::Tool;
use staleness_core::work::Work;

use crate::codec::{decode, encode};

/// Maximum size of a record, in bytes.
pub const MAX_RECORD: usize = crate::codec::MAX_RECORD;

macro_rules! records {
    ($($kind:ident($row:ty),)*) => {
        /// A record of any kind.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "made one at a time")]
        pub enum Record {
            $(
                #[doc = concat!("A record of `", stringify!($row), "`.")]
                $kind($row),
            )*
        }

        impl Record {
            /// Encodes the record.
            ///
            /// # Errors
            /// If it is too large.
            pub fn encode(&self) -> Result<Vec<u8>, StoreError> {
                match self {
                    $(Self::$kind(row) => encode(row),)*
                }
            }

            /// Decodes a record of the same kind. Returns `None` if the bytes are invalid.
            #[must_use]
            pub fn decode(&self, bytes: &[u8]) -> Option<Self> {
                match self {
                    $(Self::$kind(_) => decode(bytes).ok().map(Self::$kind),)*
                }
            }
        }
    };
}
records! {
    Project(Project),
    Source(Source),
    Tool(Tool),
    Definition(Definition),
    Item(Item),
    Document(Document),
    Work(Work),
    Session(Session),
    Cursor(Cursor),
    Route(Route),
    Vector(RouteVector),
    Suggestions(Suggestions),
    Outcome(Outcome),
    Entry(JournalEntry),
}
