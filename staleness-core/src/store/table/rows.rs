//! The tables of all collections except items and tools.

use super::{Bad, Cell, Cells, Condition, Kind, Record, TEXT_PAGE, Table};
use crate::definition::Definition;
use crate::ids::{DocumentKey, ProjectId, Scope, SourceId, ToolKey, WorkKey};
use crate::knowledge::Document;
use crate::project::Project;
use crate::route::{
    Confidence, Precision, Route, RouteId, RouteKey, RouteVector, Suggestions, Vector,
};
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::source::Source;
use crate::store::{
    CursorFilter, DefinitionFilter, DocumentFilter, ProjectFilter, RouteFilter, Row, SessionFilter,
    SourceFilter, SuggestionFilter, VectorFilter, WorkFilter,
};
use crate::work::Work;

/// Defines tables with packed records: their key and index columns, the values of these columns, and the conditions for
/// filters.
macro_rules! packed {
    ($(
        $table:literal: $row:ty, page $page:expr, long $long:literal;
        key [$($key:literal $key_kind:ident)*] |$of:ident: $type:ty| [$($part:expr),*];
        index [$($index:literal $index_kind:ident)*] |$own:ident| [$($value:expr),*];
        $filter:ident => $condition:expr;
    )*) => {$(
        impl Record for $row {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [&'static str] = &[$($key,)* $($index,)* "value"];
            const KINDS: &'static [Kind] =
                &[$(Kind::$key_kind,)* $(Kind::$index_kind,)* Kind::Text];
            const KEY: usize = [$($key),*].len();
            const INDEXED: usize = Self::COLUMNS.len() - 1;

            fn indexed(&self) -> Vec<Cell<'_>> {
                let ($of, $own) = (self.key(), self);
                vec![$($part,)* $($value),*]
            }

            fn others<'c>(&'c self, cells: &mut Vec<Cell<'c>>) {
                cells.push(Cell::packed(self));
            }

            fn parse(cells: &mut Cells<'_, '_>) -> Result<Self, Bad> {
                cells.skip(Self::INDEXED);
                cells.packed()
            }
        }

        impl Table for $row {
            const PAGE: usize = $page;
            const LONG: bool = $long;

            fn of_key($of: &$type) -> Vec<Cell<'_>> {
                vec![$($part),*]
            }

            fn condition($filter: &Self::Filter) -> Condition<'_> {
                $condition
            }
        }
    )*};
}
packed! {
    "projects": Project, page 1_000, long false;
    key ["id" Text] |id: ProjectId| [text(id)];
    index [] |_row| [];
    filter => match filter {
        ProjectFilter::Id(_) | ProjectFilter::All => Condition::ALL,
    };

    "sources": Source, page 1_000, long true;
    key ["scope" Text "client" Text "level" Int "part" Text] |id: SourceId| [
        Cell::maybe_text(Some(id.project.as_ref().map_or("", ProjectId::as_str))),
        Cell::text(&id.client),
        Cell::int(id.level as u8),
        Cell::text(&id.part)
    ];
    index [] |_row| [];
    filter => match filter {
        SourceFilter::Scope(scope) => of_scope(scope),
        SourceFilter::Id(_) | SourceFilter::All => Condition::ALL,
    };

    "definitions": Definition, page TEXT_PAGE, long false;
    key ["scope" Text "name" Text] |key: ToolKey| [scope(&key.scope), text(&key.name)];
    index ["pending" Int] |row| [Cell::int(row.pending.is_some())];
    filter => match filter {
        DefinitionFilter::Scope(scope) => of_scope(scope),
        DefinitionFilter::Pending(of) => Condition::by_index(
            "definitions_pending",
            "scope = $2 AND pending = 1",
            [scope(of)],
        ),
        DefinitionFilter::Key(_) | DefinitionFilter::All => Condition::ALL,
    };

    "documents": Document, page TEXT_PAGE, long true;
    key ["project" Text "path" Text] |key: DocumentKey| [text(&key.project), Cell::text(&key.path)];
    index ["loaded" Int "flagged" Int] |row| [Cell::int(row.loaded), Cell::int(!row.found.is_empty())];
    filter => match filter {
        DocumentFilter::Project(project) => of_project(project),
        DocumentFilter::Key(_) | DocumentFilter::All => Condition::ALL,
    };

    "work": Work, page TEXT_PAGE, long false;
    key ["scope" Text "id" Text] |key: WorkKey| [scope(&key.scope), text(&key.id)];
    index ["ended" Int "refers" Int "aging" MaybeText "since" MaybeInt] |row| [
        Cell::int(!row.status.is_open()),
        Cell::int(row.status.is_open() && !row.refs.is_empty()),
        Cell::maybe_text(row.aging().map(|(aging, _)| aging.as_str())),
        Cell::maybe_time(row.aging().map(|(_, since)| since))
    ];
    filter => match filter {
        WorkFilter::Scope(scope) => of_scope(scope),
        WorkFilter::Open(of) => Condition::by_index(
            "work_open",
            "scope = $2 AND ended = 0",
            [scope(of)],
        ),
        WorkFilter::Aging { scope: of, aging, until } => Condition::by_index(
            "work_open",
            "scope = $2 AND ended = 0 AND aging = $3 AND since <= $4",
            [scope(of), Cell::text(aging.as_str()), Cell::time(*until)],
        ),
        WorkFilter::Referring { scope: of, .. } => Condition::by_index(
            "work_referring",
            "scope = $2 AND refers = 1",
            [scope(of)],
        ),
        WorkFilter::Key(_) | WorkFilter::All => Condition::ALL,
    };

    "sessions": Session, page 1_000, long false;
    key ["project" Text "id" Text] |key: SessionKey| [text(&key.project), text(&key.id)];
    index [] |_row| [];
    filter => match filter {
        SessionFilter::Project(project) => of_project(project),
        SessionFilter::Key(_) | SessionFilter::All => Condition::ALL,
    };

    "cursors": Cursor, page 1_000, long false;
    key ["project" Text "agent" Text] |key: CursorKey| [text(&key.project), text(&key.agent)];
    index [] |_row| [];
    filter => match filter {
        CursorFilter::Project(project) => of_project(project),
        CursorFilter::Key(_) | CursorFilter::All => Condition::ALL,
    };

    "suggestions": Suggestions, page 1_000, long false;
    key ["project" Text "session" Text] |key: SessionKey| [text(&key.project), text(&key.id)];
    index [] |_row| [];
    filter => match filter {
        SuggestionFilter::Project(project) => of_project(project),
        SuggestionFilter::Key(_) | SuggestionFilter::All => Condition::ALL,
    };
}

fn text(id: &impl std::borrow::Borrow<str>) -> Cell<'_> {
    Cell::text(id.borrow())
}

pub(super) fn scope(scope: &Scope) -> Cell<'_> {
    Cell::text(scope.as_key())
}

pub(super) fn of_scope(of: &Scope) -> Condition<'_> {
    Condition::by_key("scope = $2", [scope(of)])
}

fn of_project(project: &ProjectId) -> Condition<'_> {
    Condition::by_key("project = $2", [text(project)])
}

fn of_route(key: &RouteKey) -> Vec<Cell<'_>> {
    vec![text(&key.project), text(&key.tool), Cell::blob(key.id.to_bytes())]
}

columns! {
    "routes": Route, key 3, |row|
    [
        project id = row.key.project;
        tool id = row.key.tool;
        id blob(RouteId::from_bytes) = row.key.id.to_bytes();
    ]
    [
        query string = row.query;
        confidence small = row.confidence.billionths();
        uses bits = row.uses;
        created_at time = row.created_at;
        last_used_at time = row.last_used_at;
        model maybe_id = row.model;
        ops blob(ops) = row.ops.iter().flat_map(|op| op.to_le_bytes()).collect::<Vec<u8>>();
    ]
    Self {
        key: RouteKey { project, tool, id },
        confidence: Confidence::of_billionths(confidence).ok_or(Bad("confidence"))?,
        query, uses, created_at, last_used_at, model, ops,
    }
}

/// Decodes the hashes of ops, which are little-endian 64-bit numbers.
fn ops(bytes: &[u8]) -> Option<Vec<u64>> {
    let (ops, rest) = bytes.as_chunks::<8>();
    let whole = rest.is_empty() && ops.len() <= Route::MAX_OPS;
    whole.then(|| ops.iter().map(|op| u64::from_le_bytes(*op)).collect())
}

impl Table for Route {
    fn of_key(key: &RouteKey) -> Vec<Cell<'_>> {
        of_route(key)
    }

    fn condition(filter: &RouteFilter) -> Condition<'_> {
        match filter {
            RouteFilter::Id(project, id) => Condition::by_key(
                "project = $2 AND id = $3",
                [text(project), Cell::blob(id.to_bytes())],
            ),
            RouteFilter::Tool(project, tool) => {
                Condition::by_key("project = $2 AND tool = $3", [text(project), text(tool)])
            }
            RouteFilter::Project(project) => of_project(project),
            RouteFilter::Key(_) | RouteFilter::All => Condition::ALL,
        }
    }
}

columns! {
    "vectors": RouteVector, key 3, |row|
    [
        project id = row.key.project;
        tool id = row.key.tool;
        id blob(RouteId::from_bytes) = row.key.id.to_bytes();
        model id = row.model;
    ]
    [
        form parsed(|word| Precision::ALL.into_iter().find(|each| form(*each) == word)) =
            form(row.vector.precision());
        numbers blob(|bytes| Vector::from_bytes(bytes, form).ok()) = row.vector.to_bytes();
    ]
    Self { key: RouteKey { project, tool, id }, model, vector: numbers }
}

/// Returns the stored word for a vector's precision. The word also says that the vector has length 1.
const fn form(precision: Precision) -> &'static str {
    match precision {
        Precision::F32 => "f32 unit",
        Precision::F64 => "f64 unit",
    }
}

impl Table for RouteVector {
    // Each row may take 32 KiB.
    const PAGE: usize = 200;

    fn of_key(key: &RouteKey) -> Vec<Cell<'_>> {
        of_route(key)
    }

    fn condition(filter: &VectorFilter) -> Condition<'_> {
        match filter {
            VectorFilter::First(project, model) => Condition::by_key(
                "project = $2 AND model = $3 ORDER BY tool, id LIMIT 1",
                [text(project), text(model)],
            ),
            VectorFilter::Model(project, model) => {
                Condition::by_key("project = $2 AND model = $3", [text(project), text(model)])
            }
            VectorFilter::Tool(project, tool) => {
                Condition::by_key("project = $2 AND tool = $3", [text(project), text(tool)])
            }
            VectorFilter::Project(project) => of_project(project),
            VectorFilter::Key(_) | VectorFilter::All => Condition::ALL,
        }
    }
}
