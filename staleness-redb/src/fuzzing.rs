//! The codec of records, opened to the fuzz targets. No part of the API: it may change or go with
//! any release.

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

/// The largest record that is written, in bytes.
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
            /// Returns the bytes of its value.
            ///
            /// # Errors
            /// When it is too large.
            pub fn encode(&self) -> Result<Vec<u8>, StoreError> {
                match self {
                    $(Self::$kind(row) => encode(row),)*
                }
            }

            /// Returns the record of the same kind with this value; `None` where it cannot be read.
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
