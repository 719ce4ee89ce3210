//! The codec of records, opened to the fuzz targets. No part of the API: it may change or go with
//! any release.

use staleness_core::journal::JournalEntry;
use staleness_core::knowledge::{Document, Item};
use staleness_core::outcome::Outcome;
use staleness_core::project::Project;
use staleness_core::route::{Route, RouteVector, Suggestions};
use staleness_core::session::{Cursor, Session};
use staleness_core::source::Source;
use staleness_core::store::StoreError;
use staleness_core::time::Timestamp;
use staleness_core::tool::Tool;
use staleness_core::work::Work;

use crate::records;

/// The largest record that is written, in bytes.
pub const MAX_RECORD: usize = crate::codec::MAX_RECORD;

/// A record of any kind.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "made one at a time")]
pub enum Record {
    /// A project.
    Project(Project),
    /// A source.
    Source(Source),
    /// A tool.
    Tool(Tool),
    /// An item of knowledge.
    Item(Item),
    /// A document.
    Document(Document),
    /// A work item.
    Work(Work),
    /// A session.
    Session(Session),
    /// A cursor.
    Cursor(Cursor),
    /// A route.
    Route(Route),
    /// The vector of a route.
    Vector(RouteVector),
    /// What was suggested in a session.
    Suggestions(Suggestions),
    /// An outcome.
    Outcome(Outcome),
    /// A journal entry.
    Entry(JournalEntry),
}

impl Record {
    /// The bytes of its value.
    ///
    /// # Errors
    /// When it is too large, or holds a word that the format does not know.
    pub fn encode(&self) -> Result<Vec<u8>, StoreError> {
        match self {
            Self::Project(row) => records::encode_project(row),
            Self::Source(row) => records::encode_source(row),
            Self::Tool(row) => records::encode_tool(row),
            Self::Item(row) => records::encode_item(row),
            Self::Document(row) => records::encode_document(row),
            Self::Work(row) => records::encode_work(row),
            Self::Session(row) => records::encode_session(row),
            Self::Cursor(row) => records::encode_cursor(row),
            Self::Route(row) => records::encode_route(row),
            Self::Vector(row) => records::encode_vector(row),
            Self::Suggestions(row) => records::encode_suggestions(row),
            Self::Outcome(row) => records::encode_outcome(row),
            Self::Entry(row) => records::encode_entry(row),
        }
    }

    /// The record of the same kind and key with this value; `None` where it cannot be read.
    #[must_use]
    pub fn decode(&self, bytes: &[u8]) -> Option<Self> {
        Some(match self {
            Self::Project(row) => {
                Self::Project(records::decode_project(row.id.clone(), bytes).ok()?)
            }
            Self::Source(row) => Self::Source(records::decode_source(row.id.clone(), bytes).ok()?),
            Self::Tool(row) => Self::Tool(records::decode_tool(row.key.clone(), bytes).ok()?),
            Self::Item(row) => Self::Item(records::decode_item(row.key.clone(), bytes).ok()?),
            Self::Document(row) => {
                Self::Document(records::decode_document(row.key.clone(), bytes).ok()?)
            }
            Self::Work(row) => Self::Work(records::decode_work(row.key.clone(), bytes).ok()?),
            Self::Session(row) => {
                Self::Session(records::decode_session(row.key.clone(), bytes).ok()?)
            }
            Self::Cursor(row) => Self::Cursor(records::decode_cursor(row.key.clone(), bytes).ok()?),
            Self::Route(row) => Self::Route(records::decode_route(row.key.clone(), bytes).ok()?),
            Self::Vector(row) => Self::Vector(records::decode_vector(row.key.clone(), bytes).ok()?),
            Self::Suggestions(row) => {
                Self::Suggestions(records::decode_suggestions(row.key.clone(), bytes).ok()?)
            }
            Self::Outcome(row) => Self::Outcome(records::decode_outcome(row.seq, bytes).ok()?),
            Self::Entry(row) => {
                Self::Entry(records::decode_entry(row.revision, row.index, bytes).ok()?)
            }
        })
    }
}

/// The time of an outcome, by the shorter way that pruning takes.
#[must_use]
pub fn outcome_time(bytes: &[u8]) -> Option<Timestamp> {
    records::outcome_time(bytes).ok()
}
