//! A sample of every collection: its rows, keys and filters, minimal, extreme or arbitrary.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use staleness_core::definition::Definition;
use staleness_core::ids::{ProjectId, Scope, ToolKey};
use staleness_core::knowledge::{Document, Item};
use staleness_core::project::Project;
use staleness_core::route::{Route, RouteVector, Suggestions};
use staleness_core::session::{Cursor, Session};
use staleness_core::source::Source;
use staleness_core::store::{
    CursorFilter, DefinitionFilter, DocumentFilter, ItemFilter, ProjectFilter, RouteFilter, Row,
    SessionFilter, SourceFilter, SuggestionFilter, ToolFilter, VectorFilter, WorkFilter,
};
use staleness_core::tool::Tool;
use staleness_core::work::{Aging, Work};

use super::{
    cursor, definition, document, document_key, embedded, extremes, item, item_key, name, project,
    project_id, route, route_key, scope, source, source_id, started, suggestions, tool, work,
    work_key,
};
use crate::arbitrary::{self as any, Reach, filter, record};
use crate::steps::Write;

/// A row type of a collection, with everything that the suite needs for testing the collection.
#[diagnostic::on_unimplemented(note = "a new collection needs an entry in `samples!`")]
pub trait Sample: Row {
    /// Returns a minimal row of a project, or a global one. If rows always belong to a project, `None` stands for
    /// another project.
    fn sample(of: Option<&str>, text: &str) -> Self;

    /// Returns the filter for the rows of an owner, or `None` if there is none.
    fn owned(of: Option<&str>) -> Option<Self::Filter>;

    /// Returns rows with the same key that contain, in the other fields, every value that a store might lose.
    fn extremes(self) -> Vec<Self>;

    /// Generates a row.
    fn arbitrary(reach: Reach) -> BoxedStrategy<Self>;

    /// Generates a key.
    fn keys(reach: Reach) -> BoxedStrategy<Self::Key>;

    /// Generates a filter.
    fn filters(reach: Reach) -> BoxedStrategy<Self::Filter>;
}

macro_rules! samples {
    ($(
        $row:ident: $any:path, $keys:path, $extremes:path;
        |$of:ident, $text:ident| $sample:expr, $owned:expr;
        |$reach:ident| $filters:expr;
    )*) => {$(
        impl Sample for $row {
            fn sample($of: Option<&str>, $text: &str) -> Self {
                $sample
            }

            fn owned($of: Option<&str>) -> Option<Self::Filter> {
                $owned
            }

            fn extremes(self) -> Vec<Self> {
                $extremes(self)
            }

            fn arbitrary(reach: Reach) -> BoxedStrategy<Self> {
                $any(reach)
            }

            fn keys(reach: Reach) -> BoxedStrategy<Self::Key> {
                $keys(reach)
            }

            fn filters($reach: Reach) -> BoxedStrategy<Self::Filter> {
                $filters
            }
        }
    )*};
}

samples! {
    Project: any::project, any::project_id, extremes::projects;
        |of, text| project(format!("{}{text}", of.unwrap_or_default())), of.and(None);
        |reach| filter!(ProjectFilter { Id(any::project_id(reach)) });

    Source: any::source, any::source_id, extremes::sources;
        |of, text| source(source_id(of, text, text)), Some(SourceFilter::Scope(place(of)));
        |reach| filter!(SourceFilter { Id(any::source_id(reach)), Scope(any::scope(reach)) });

    Tool: any::tool, any::tool_key, extremes::tools;
        |of, text| tool(ToolKey { scope: place(of), name: name(text) }),
            Some(ToolFilter::Scope(place(of)));
        |reach| filter!(ToolFilter {
            Key(any::tool_key(reach)),
            Scope(any::scope(reach)),
            Configured(any::scope(reach)),
            Entries(any::scope(reach), any::server_key(reach)),
            Server(any::scope(reach), any::server_key(reach)),
            Demoted(any::scope(reach)),
            Revived(any::scope(reach)),
        });

    Definition: any::definition, any::tool_key, extremes::definitions;
        |of, text| definition(ToolKey { scope: place(of), name: name(text) }),
            Some(DefinitionFilter::Scope(place(of)));
        |reach| filter!(DefinitionFilter {
            Key(any::tool_key(reach)), Scope(any::scope(reach)), Pending(any::scope(reach)),
        });

    Item: any::item, any::item_key, extremes::items;
        |of, text| item(item_key(of, text)), Some(ItemFilter::Scope(place(of)));
        |reach| filter!(ItemFilter { Key(any::item_key(reach)), Scope(any::scope(reach)) });

    Document: any::document, any::document_key, extremes::documents;
        |of, text| document(document_key(owner(of).as_str(), text)),
            Some(DocumentFilter::Project(owner(of)));
        |reach| filter!(DocumentFilter {
            Key(any::document_key(reach)),
            Project(any::project_id(reach)),
        });

    Work: any::work, any::work_key, extremes::works;
        |of, text| work(work_key(of, text)), Some(WorkFilter::Scope(place(of)));
        |reach| filter!(WorkFilter {
            Key(any::work_key(reach)), Scope(any::scope(reach)), Open(any::scope(reach));
            record!(WorkFilter::Aging {
                scope: any::scope(reach),
                aging: select(&Aging::ALL[..]),
                until: any::timestamp(reach),
            }),
            record!(WorkFilter::Referring {
                scope: any::scope(reach),
                to: any::referred().prop_map(Arc::new),
            }),
        });

    Session: any::session, any::session_key, extremes::sessions;
        |of, text| started(owner(of).as_str(), text), Some(SessionFilter::Project(owner(of)));
        |reach| filter!(SessionFilter {
            Key(any::session_key(reach)), Project(any::project_id(reach)),
        });

    Cursor: any::cursor, any::cursor_key, extremes::cursors;
        |of, text| cursor(owner(of).as_str(), text), Some(CursorFilter::Project(owner(of)));
        |reach| filter!(CursorFilter {
            Key(any::cursor_key(reach)), Project(any::project_id(reach)),
        });

    Route: any::route, any::route_key, extremes::routes;
        |of, text| route(route_key(owner(of).as_str(), text, 1)),
            Some(RouteFilter::Project(owner(of)));
        |reach| filter!(RouteFilter {
            Key(any::route_key(reach)),
            Id(any::project_id(reach), any::route_id(reach)),
            Tool(any::project_id(reach), any::tool_name(reach)),
            Project(any::project_id(reach)),
        });

    RouteVector: any::route_vector, any::route_key, extremes::vectors;
        |of, text| embedded(route_key(owner(of).as_str(), text, 1), "m"),
            Some(VectorFilter::Project(owner(of)));
        |reach| filter!(VectorFilter {
            Key(any::route_key(reach)),
            Tool(any::project_id(reach), any::tool_name(reach)),
            First(any::project_id(reach), any::model_id(reach)),
            Model(any::project_id(reach), any::model_id(reach)),
            Project(any::project_id(reach)),
        });

    Suggestions: any::suggestions, any::session_key, extremes::suggested;
        |of, text| suggestions(owner(of).as_str(), text),
            Some(SuggestionFilter::Project(owner(of)));
        |reach| filter!(SuggestionFilter {
            Key(any::session_key(reach)), Project(any::project_id(reach)),
        });
}

fn place(of: Option<&str>) -> Scope {
    of.map_or(Scope::Global, scope)
}

fn owner(of: Option<&str>) -> ProjectId {
    project_id(of.unwrap_or("of none"))
}

/// Number of collections and logs.
pub(crate) const TABLES: usize = {
    macro_rules! count {
        ($($rows:ident: $row:ty,)*) => { 2 $(+ { let _ = stringify!($rows); 1 })* };
    }
    staleness_core::collections!(count)
};

/// Adds the sample of every collection to a step.
pub(crate) fn samples(mut write: Write, of: Option<&str>, text: &str) -> Write {
    macro_rules! add {
        ($($rows:ident: $row:ty,)*) => {$(write = write.put(<$row>::sample(of, text));)*};
    }
    staleness_core::collections!(add);
    write
}
