//! Validation of an export, line by line, before anything is written.

use std::collections::HashSet;

use serde::Deserialize;

use super::{HEADER_KIND, LineError, Record, VERSION, exported};
use crate::ids::stable_hash_of;
use crate::journal::{JournalCheck, JournalEntry, Revision};
use crate::route::{RouteKey, own_id};
use crate::store::Row;

macro_rules! places {
    ($($kind:ident $rows:ident: $row:ty;)*) => {
        /// The position of a record in an export: collections are in a fixed order, and records are in order of key.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Place {
            Header,
            $($kind(<$row as Row>::Key),)*
            Outcome,
            Journal(Revision, u32),
        }

        impl Place {
            pub(super) fn of(record: &Record) -> Self {
                match record {
                    $(Record::$kind(row) => Self::$kind(row.key().clone()),)*
                    Record::Outcome(_) => Self::Outcome,
                    Record::Journal(entry) => Self::Journal(entry.revision, entry.index),
                }
            }
        }
    };
}
exported!(places);

/// Reads the lines of an export in sequence and rejects invalid ones: a missing header; a line that is malformed, of an
/// unknown kind or of a newer version; a record that is duplicated or out of order; a route whose id does not match its
/// tool and query; a vector without a route; and a gap in the journal above the pruned revision in the header.
///
/// Memory use is one key, plus 8 bytes for each outcome and each route.
#[derive(Debug, Default)]
pub struct Checker {
    line: u64,
    last: Option<Place>,
    pruned: Revision,
    journal: JournalCheck,
    outcomes: HashSet<u64>,
    routes: HashSet<u64>,
}

impl Checker {
    /// Creates a checker that expects the header line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next line, without its line break. Returns `None` for the header.
    ///
    /// # Errors
    /// If the line is invalid. The error contains the line's number and the reason.
    pub fn line(&mut self, text: &str) -> Result<Option<Record>, LineError> {
        self.line += 1;
        let read = if self.last.is_none() {
            header(text).map(|pruned| {
                self.pruned = pruned;
                None
            })
        } else {
            let read = Record::read(text).map(Some);
            read.map_err(|why| match header(text) {
                Ok(_) => "a second header: one export at a time".into(),
                Err(_) => why,
            })
        };
        let read = read.and_then(|record| {
            let place = self.place(record.as_ref())?;
            self.last = Some(place);
            Ok(record)
        });
        read.map_err(|what| LineError { line: self.line, what })
    }

    /// Ends the export.
    ///
    /// # Errors
    /// If there was no header.
    pub fn finish(&self) -> Result<(), LineError> {
        match self.last {
            Some(_) => Ok(()),
            None => Err(LineError {
                line: 1,
                what: "the file is empty, so its header is missing".into(),
            }),
        }
    }

    /// Returns the position of a record, or of the header if there is no record. Errors if the record is invalid or out
    /// of order.
    fn place(&mut self, record: Option<&Record>) -> Result<Place, String> {
        let Some(record) = record else { return Ok(Place::Header) };
        match record {
            Record::Item(row) => row.check().map_err(|refusal| refusal.to_string())?,
            Record::Work(row) => row.check().map_err(|refusal| refusal.to_string())?,
            Record::Outcome(row) if !self.outcomes.insert(row.identity()) => {
                return Err(format!("the outcome {} of {} appears twice", row.op, row.tool.name));
            }
            Record::Journal(entry) => return self.next_entry(entry),
            Record::Route(row) => {
                own_id(row).map_err(|refusal| refusal.to_string())?;
                self.routes.insert(identity(&row.key));
            }
            Record::Vector(row) if !self.routes.contains(&identity(&row.key)) => {
                let RouteKey { tool, id, .. } = &row.key;
                return Err(format!("a vector without a route: {tool} has no route {id}"));
            }
            _ => {}
        }
        let place = Place::of(record);
        match self.last.as_ref().map(|last| place.cmp(last)) {
            Some(std::cmp::Ordering::Less) => {
                Err("out of order or duplicated: the lines of an export are sorted".into())
            }
            Some(std::cmp::Ordering::Equal) if place != Place::Outcome => {
                Err("the same record as in the line before".into())
            }
            _ => Ok(place),
        }
    }

    /// Checks that revisions and indexes have no gap above the pruned revision, because an import assigns them again.
    fn next_entry(&mut self, entry: &JournalEntry) -> Result<Place, String> {
        let (revision, index) = (entry.revision, entry.index);
        let follows = self.journal.next(revision, index).is_ok();
        if follows && self.journal.gap <= self.pruned && revision != self.pruned {
            return Ok(Place::Journal(revision, index));
        }
        let last = match &self.last {
            Some(Place::Journal(last, at)) => format!("entry {at} of revision {last}"),
            _ => "nothing".into(),
        };
        Err(format!("entry {index} of revision {revision} after {last}: the journal has no gaps"))
    }
}

/// Returns a hash that identifies a route across all projects.
fn identity(key: &RouteKey) -> u64 {
    // Names contain no control characters.
    let parts = [key.project.as_str(), "\u{1f}", key.tool.as_str(), "\u{1f}", &key.id.to_string()];
    stable_hash_of(parts) as u64
}

/// The maximum pruned revision of an export, so that a store can count on from there.
const MOST: u64 = 1 << 53;

#[derive(Deserialize)]
struct Header {
    kind: String,
    version: u64,
    #[serde(default)]
    pruned: Revision,
}

/// Returns the pruned revision from the header line.
fn header(text: &str) -> Result<Revision, String> {
    let header = serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    match header.ok().filter(|header: &Header| header.kind == HEADER_KIND) {
        None => Err("not the header of an export".into()),
        Some(Header { version, .. }) if version != VERSION => {
            Err(format!("an export of version {version}; this program reads version {VERSION}"))
        }
        Some(Header { pruned, .. }) if pruned > Revision(MOST) => {
            Err(format!("pruned up to revision {pruned}: the number is too large"))
        }
        Some(Header { pruned, .. }) => Ok(pruned),
    }
}
