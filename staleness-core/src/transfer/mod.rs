//! Transfer: writes all records and the journal as lines of JSON, and reads them back.
//!
//! An export is a header line and one line per record, sorted: projects, sources, tools, definitions of tools, items of
//! knowledge, work items, sessions, cursors, routes and their vectors by key, outcomes in order of recording, the
//! journal by revision and index. It contains neither the sequence numbers of outcomes, which a store assigns, nor the
//! time of the export, so that the same records produce the same bytes from every store. It omits checked documents,
//! which are a cache for one machine, and suggestions, which end with their sessions.
//!
//! ```text
//! {"kind":"staleness-export","version":2}
//! {"kind":"project","row":{"id":"…","root":"…",…}}
//! {"kind":"tool","row":{"key":{"scope":"","name":"Bash"},…}}
//! ```
//!
//! A row is written as its type serializes it, except that the digests of projects and sources are hexadecimal. A line
//! is accepted only if it is exactly what would be written for its record.
//!
//! If the journal was pruned, the header contains the last pruned revision: `"pruned":7`. The journal has no gap above
//! it.
//!
//! [`View::append_lines`] writes lines and [`Checker`] reads and validates them; `registry::Importer` writes records
//! into a store.

mod check;
mod row;

use serde::{Deserialize, Serialize};

pub use check::Checker;

use row::{ProjectRow, SourceRow, check_source, check_tool, unnumbered};

use crate::definition::Definition;
use crate::journal::{JournalEntry, Revision};
use crate::knowledge::Item;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::route::{Route, RouteVector};
use crate::session::{Cursor, Session};
use crate::source::Source;
use crate::store::{Filter, JournalFilter, OutcomeFilter, Row, Selection, View};
use crate::tool::Tool;
use crate::work::Work;

/// The version of the export lines that this release writes and reads.
const VERSION: u64 = 2;
/// The kind of the header line.
pub(crate) const HEADER_KIND: &str = "staleness-export";

/// A record of an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "row", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Record {
    /// A project.
    Project(#[serde(with = "ProjectRow")] Project),
    /// A source.
    Source(#[serde(with = "SourceRow")] Source),
    /// A tool.
    Tool(Box<Tool>),
    /// The definition of a tool.
    Definition(Box<Definition>),
    /// An item of knowledge.
    #[serde(rename = "knowledge")]
    Item(Box<Item>),
    /// A work item.
    Work(Box<Work>),
    /// A session, with the revision at which it began.
    Session(Session),
    /// A cursor, with its revision.
    Cursor(Cursor),
    /// A route.
    Route(Box<Route>),
    /// The vector of a route.
    Vector(Box<RouteVector>),
    /// An outcome. Its sequence number is 0.
    Outcome(#[serde(serialize_with = "unnumbered")] Outcome),
    /// A journal entry, with its original revision and index.
    Journal(JournalEntry),
}

impl Record {
    /// The header line of an export with a complete journal, without its line break.
    pub const HEADER: &str = r#"{"kind":"staleness-export","version":2}"#;

    /// Returns the header line of an export, without its line break. `floor` is the revision up to which the
    /// journal was pruned.
    pub fn header(floor: Revision) -> String {
        match floor.0 {
            0 => Self::HEADER.into(),
            floor => Self::HEADER.replace('}', &format!(",\"pruned\":{floor}}}")),
        }
    }

    /// Parses the line of one record, which must be exactly as this program writes it.
    ///
    /// # Errors
    /// If the line is invalid. The message explains why, without quoting the row.
    pub fn read(line: &str) -> Result<Self, String> {
        let record: Self = serde_json::from_str(line).map_err(|error| reason(&error))?;
        match &record {
            Self::Source(row) => check_source(&row.id)?,
            Self::Tool(row) => check_tool(row)?,
            Self::Route(row) => row.check().map_err(|why| why.to_string())?,
            _ => {}
        }
        let mut written = Vec::with_capacity(line.len() + 1);
        record.append_line(&mut written);
        let pairs = written.iter().zip(line.as_bytes());
        let same = pairs.take_while(|(one, other)| one == other).count();
        if (same, same + 1) == (line.len(), written.len()) {
            Ok(record)
        } else {
            Err(format!("differs from what an export writes, from column {}", same + 1))
        }
    }

    /// Appends the line of the record, with its line break.
    fn append_line(&self, into: &mut Vec<u8>) {
        // All map keys are strings and writing to memory cannot fail.
        let written = serde_json::to_writer(&mut *into, self);
        debug_assert!(written.is_ok(), "{written:?}");
        into.push(b'\n');
    }
}

pub(crate) trait Exported: Sized {
    /// Returns the row if the record contains one of this type.
    fn taken(record: Record) -> Option<Self>;
}

/// Calls a macro with the variant, collection and row of each record of an export. `logs` adds outcomes and the
/// journal.
macro_rules! exported {
    (logs $then:ident) => {
        crate::transfer::exported! {
            $then
            Outcome outcomes: crate::outcome::Outcome;
            Journal journal: crate::journal::JournalEntry;
        }
    };
    ($then:ident $($logs:tt)*) => {
        $then! {
            Project projects: crate::project::Project;
            Source sources: crate::source::Source;
            Tool tools: crate::tool::Tool;
            Definition definitions: crate::definition::Definition;
            Item knowledge: crate::knowledge::Item;
            Work work: crate::work::Work;
            Session sessions: crate::session::Session;
            Cursor cursors: crate::session::Cursor;
            Route routes: crate::route::Route;
            Vector vectors: crate::route::RouteVector;
            $($logs)*
        }
    };
}
pub(crate) use exported;

macro_rules! records {
    ($($variant:ident $rows:ident: $row:ty;)*) => {
        impl Selection {
            /// Selects the contents of an export: everything except documents, which can be rebuilt from files and
            /// their history, and suggestions, which end with their sessions.
            pub fn records() -> Self {
                let all = Self::new()$(.peek(<$row as Row>::Filter::ALL))*;
                all.outcomes(OutcomeFilter::All).journal(JournalFilter::All)
            }
        }
    };
}
exported!(records);

/// An error in a line of an export.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct LineError {
    /// The line, counted from 1.
    pub line: u64,
    /// The reason.
    pub what: String,
}

macro_rules! kinds {
    ($($variant:ident $rows:ident: $row:ty;)*) => {
        $(impl Exported for $row {
            fn taken(record: Record) -> Option<Self> {
                let Record::$variant(row) = record else { return None };
                let row: Box<Self> = row.into();
                Some(*row)
            }
        })*

        impl View {
            /// Appends the export lines of all rows in the view, each with its line break. Returns their number.
            ///
            /// A complete export is [`Record::header`] followed by the views of [`crate::RegistryStore::pages`] over
            /// [`crate::store::Selection::records`]. Pages arrive in the order of collections and keys.
            pub fn append_lines(&self, into: &mut Vec<u8>) -> u64 {
                $(for row in self.$rows.values() {
                    Record::$variant(row.clone().into()).append_line(into);
                })*
                [$(self.$rows.len()),*].iter().sum::<usize>() as u64
            }
        }
    };
}
exported!(logs kinds);

/// Returns the reason why a line cannot be parsed, without the value that the error quotes, which may be a secret.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let mut what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what).to_owned();
    // Only these errors have a value between backticks: a number, or an unknown name.
    let is_expected = matches!(what.split(' ').next(), Some("unknown" | "invalid"));
    let quotes: &[char] = if is_expected { &['"', '`'] } else { &['"'] };
    let quote = what.find(quotes).map_or('"', |at| char::from(what.as_bytes()[at]));
    let close = if is_expected { format!("{quote}, expected") } else { quote.into() };
    if let (Some(start), Some(end)) = (what.find(quote), what.rfind(&close))
        && start < end
    {
        what.replace_range(start + 1..end, "…");
    }
    format!("{what} at column {}", error.column())
}
