//! Lookup of the rows of each collection: by the beginning of their keys, or by labels.

use redb::TableDefinition;
use staleness_core::definition::Definition;
use staleness_core::ids::{ProjectId, Scope};
use staleness_core::journal::JournalEntry;
use staleness_core::knowledge::{Document, Item};
use staleness_core::outcome::Outcome;
use staleness_core::project::Project;
use staleness_core::route::{Route, RouteVector, Suggestions};
use staleness_core::session::{Cursor, Session};
use staleness_core::source::Source;
use staleness_core::store::{
    CursorFilter, DefinitionFilter, DocumentFilter, ItemFilter, ProjectFilter, RouteFilter,
    SessionFilter, SourceFilter, SuggestionFilter, ToolFilter, VectorFilter, WorkFilter,
};
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

/// A placeholder for filters that are handled elsewhere: those for one key, and for all rows.
const ANY: Find<'_> = Find::Prefix("", None);

fn of(scope: &Scope) -> Find<'_> {
    Find::Prefix(scope.as_key(), None)
}

fn in_project(project: &ProjectId) -> Find<'_> {
    Find::Prefix(project.as_str(), None)
}

fn labelled<'f>(first: &'f str, label: impl Into<Label>) -> Find<'f> {
    let label = label.into();
    Find::Labelled(first, label.clone(), label)
}

impl Stored for Project {
    fn find(filter: &ProjectFilter) -> Find<'_> {
        match filter {
            ProjectFilter::Id(_) | ProjectFilter::All => ANY,
        }
    }
}

impl Stored for Source {
    fn find(filter: &SourceFilter) -> Find<'_> {
        match filter {
            SourceFilter::Scope(scope) => of(scope),
            SourceFilter::Id(_) | SourceFilter::All => ANY,
        }
    }
}

impl Stored for Tool {
    const INDEX: Option<TableDefinition<'static, KeyRef, ()>> = Some(TOOLS_INDEX);

    fn find(filter: &ToolFilter) -> Find<'_> {
        match filter {
            ToolFilter::Scope(scope) => of(scope),
            ToolFilter::Configured(scope) => labelled(scope.as_key(), "configured"),
            ToolFilter::Demoted(scope) => labelled(scope.as_key(), "demoted"),
            ToolFilter::Revived(scope) => labelled(scope.as_key(), "revived"),
            ToolFilter::Entries(scope, server) => {
                labelled(scope.as_key(), format!("entry {server}"))
            }
            ToolFilter::Server(scope, server) => {
                labelled(scope.as_key(), format!("server {server}"))
            }
            ToolFilter::Key(_) | ToolFilter::All => ANY,
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
            DefinitionFilter::Scope(scope) => of(scope),
            DefinitionFilter::Pending(scope) => labelled(scope.as_key(), "pending"),
            DefinitionFilter::Key(_) | DefinitionFilter::All => ANY,
        }
    }

    fn labels(&self) -> Vec<Label> {
        self.pending.iter().map(|_| "pending".into()).collect()
    }
}

impl Stored for Item {
    fn find(filter: &ItemFilter) -> Find<'_> {
        match filter {
            ItemFilter::Scope(scope) => of(scope),
            ItemFilter::Key(_) | ItemFilter::All => ANY,
        }
    }
}

impl Stored for Document {
    const INDEX: Option<TableDefinition<'static, KeyRef, ()>> = Some(DOCUMENTS_INDEX);

    fn find(filter: &DocumentFilter) -> Find<'_> {
        match filter {
            DocumentFilter::Project(project) => in_project(project),
            DocumentFilter::Loaded(project) => labelled(project.as_str(), "loaded"),
            DocumentFilter::Flagged(project) => labelled(project.as_str(), "flagged"),
            DocumentFilter::Key(_) | DocumentFilter::All => ANY,
        }
    }

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
            WorkFilter::Scope(scope) => of(scope),
            WorkFilter::Open(scope) => labelled(scope.as_key(), "is open"),
            WorkFilter::Aging { scope, aging: way, until } => {
                Find::Labelled(scope.as_key(), aging(*way, Timestamp::MIN), aging(*way, *until))
            }
            WorkFilter::Referring { scope, .. } => labelled(scope.as_key(), "refers"),
            WorkFilter::Key(_) | WorkFilter::All => ANY,
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

impl Stored for Session {
    fn find(filter: &SessionFilter) -> Find<'_> {
        match filter {
            SessionFilter::Project(project) => in_project(project),
            SessionFilter::Key(_) | SessionFilter::All => ANY,
        }
    }
}

impl Stored for Cursor {
    fn find(filter: &CursorFilter) -> Find<'_> {
        match filter {
            CursorFilter::Project(project) => in_project(project),
            CursorFilter::Key(_) | CursorFilter::All => ANY,
        }
    }
}

impl Stored for Route {
    fn find(filter: &RouteFilter) -> Find<'_> {
        match filter {
            RouteFilter::Id(project, _) | RouteFilter::Project(project) => in_project(project),
            RouteFilter::Tool(project, tool) => Find::Prefix(project.as_str(), Some(tool.as_str())),
            RouteFilter::Key(_) | RouteFilter::All => ANY,
        }
    }
}

impl Stored for RouteVector {
    fn find(filter: &VectorFilter) -> Find<'_> {
        match filter {
            VectorFilter::First(project, _)
            | VectorFilter::Model(project, _)
            | VectorFilter::Project(project) => in_project(project),
            VectorFilter::Tool(project, tool) => {
                Find::Prefix(project.as_str(), Some(tool.as_str()))
            }
            VectorFilter::Key(_) | VectorFilter::All => ANY,
        }
    }
}

impl Stored for Suggestions {
    fn find(filter: &SuggestionFilter) -> Find<'_> {
        match filter {
            SuggestionFilter::Project(project) => in_project(project),
            SuggestionFilter::Key(_) | SuggestionFilter::All => ANY,
        }
    }
}
