//! Lookup of the rows of each collection: by the beginning of their keys, or by labels.

use redb::TableDefinition;
use staleness_core::definition::Definition;
use staleness_core::journal::JournalEntry;
use staleness_core::knowledge::{Document, Item};
use staleness_core::outcome::Outcome;
use staleness_core::project::Project;
use staleness_core::route::{Route, RouteVector, Suggestions};
use staleness_core::session::{Cursor, Session};
use staleness_core::source::Source;
use staleness_core::store::{DefinitionFilter, RouteFilter, ToolFilter, VectorFilter, WorkFilter};
use staleness_core::time::Timestamp;
use staleness_core::tool::{Status, Tool, ToolKind};
use staleness_core::work::{Aging, Work};

use super::rows::{Find, Label, Stored};
use crate::codec::{MAX_TEXT_RECORD, kinds};
use crate::tables::{DEFINITIONS_INDEX, DOCUMENTS_INDEX, KeyRef, TOOLS_INDEX, WORK_INDEX};

/// The file format that this program reads and writes. Every new collection and every changed record needs a
/// new format. Formats 1 to 13 were never released.
pub(crate) const FORMAT: u64 = 14;

kinds! {
    b'p': Project;
    b's': Source;
    b't': Tool;
    b'i': Definition, MAX_TEXT_RECORD;
    b'o': Outcome;
    b'j': JournalEntry;
    b'k': Item, MAX_TEXT_RECORD;
    b'd': Document, MAX_TEXT_RECORD;
    b'w': Work, MAX_TEXT_RECORD;
    b'e': Session;
    b'c': Cursor;
    b'r': Route;
    b'v': RouteVector;
    b'g': Suggestions;
}

fn labelled<'f>(label: impl Into<Label>) -> Find<'f> {
    let label = label.into();
    Find::Labelled(label.clone(), label)
}

impl Stored for Project {}
impl Stored for Source {}
impl Stored for Item {}
impl Stored for Session {}
impl Stored for Cursor {}
impl Stored for Suggestions {}

impl Stored for Tool {
    const INDEX: Option<TableDefinition<'static, KeyRef, ()>> = Some(TOOLS_INDEX);

    fn find(filter: &ToolFilter) -> Find<'_> {
        match filter {
            ToolFilter::Configured(_) => labelled("configured"),
            ToolFilter::Demoted(_) => labelled("demoted"),
            ToolFilter::Revived(_) => labelled("revived"),
            ToolFilter::Entries(_, server) => labelled(format!("entry {server}")),
            ToolFilter::Server(_, server) => labelled(format!("server {server}")),
            ToolFilter::Scope(_) | ToolFilter::Key(_) | ToolFilter::All => Find::First,
        }
    }

    fn labels(&self) -> Vec<Label> {
        let mut labels: Vec<Label> = Vec::new();
        if let Some(server) = &self.server {
            labels.push(format!("server {server}").into());
            if self.kind == ToolKind::McpServer {
                labels.push(format!("entry {server}").into());
            }
        }
        let facts = [
            ("configured", self.is_configured()),
            ("demoted", self.status() == Status::Demoted),
            ("revived", self.presence.revived),
        ];
        labels
            .extend(facts.iter().filter(|(_, holds)| *holds).map(|(label, _)| Label::from(*label)));
        labels
    }
}

impl Stored for Definition {
    const INDEX: Option<TableDefinition<'static, KeyRef, ()>> = Some(DEFINITIONS_INDEX);

    fn find(filter: &DefinitionFilter) -> Find<'_> {
        match filter {
            DefinitionFilter::Pending(_) => labelled("pending"),
            DefinitionFilter::Scope(_) | DefinitionFilter::Key(_) | DefinitionFilter::All => {
                Find::First
            }
        }
    }

    fn labels(&self) -> Vec<Label> {
        self.pending.iter().map(|_| "pending".into()).collect()
    }
}

impl Stored for Document {
    const INDEX: Option<TableDefinition<'static, KeyRef, ()>> = Some(DOCUMENTS_INDEX);

    // No filter uses this index, but it is part of the format.
    fn labels(&self) -> Vec<Label> {
        match (self.found.is_empty(), self.loaded) {
            (true, _) => Vec::new(),
            (false, true) => vec!["flagged".into(), "loaded".into()],
            (false, false) => vec!["flagged".into()],
        }
    }
}

/// Returns the label of work that has aged in one way since a time. The labels for one way sort by time.
fn aging(way: Aging, since: Timestamp) -> Label {
    format!("{} {:016x}", way.as_str(), since.as_millis().cast_unsigned() ^ (1 << 63)).into()
}

impl Stored for Work {
    const INDEX: Option<TableDefinition<'static, KeyRef, ()>> = Some(WORK_INDEX);

    fn find(filter: &WorkFilter) -> Find<'_> {
        match filter {
            WorkFilter::Open(_) => labelled("is open"),
            WorkFilter::Aging { aging: way, until, .. } => {
                Find::Labelled(aging(*way, Timestamp::MIN), aging(*way, *until))
            }
            WorkFilter::Referring { .. } => labelled("refers"),
            WorkFilter::Scope(_) | WorkFilter::Key(_) | WorkFilter::All => Find::First,
        }
    }

    fn labels(&self) -> Vec<Label> {
        if !self.status.is_open() {
            return Vec::new();
        }
        let mut labels = vec![Label::from("is open")];
        labels.extend((!self.refs.is_empty()).then(|| Label::from("refers")));
        labels.extend(self.aging().map(|(way, since)| aging(way, since)));
        labels
    }
}

impl Stored for Route {
    fn find(filter: &RouteFilter) -> Find<'_> {
        match filter {
            RouteFilter::Tool(_, tool) => Find::Second(tool.as_str()),
            _ => Find::First,
        }
    }
}

impl Stored for RouteVector {
    fn find(filter: &VectorFilter) -> Find<'_> {
        match filter {
            VectorFilter::Tool(_, tool) => Find::Second(tool.as_str()),
            _ => Find::First,
        }
    }
}
