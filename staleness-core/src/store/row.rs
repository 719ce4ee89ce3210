//! Collections: the one list of all collections, and the traits of their rows.

use std::collections::BTreeMap;
use std::fmt;

use super::{
    Change, ChangeSet, CursorFilter, DefinitionFilter, DocumentFilter, Draft, ItemFilter, Pick,
    ProjectFilter, RouteFilter, Selection, SessionFilter, SourceFilter, SuggestionFilter,
    ToolFilter, VectorFilter, View, WorkFilter,
};
use crate::definition::Definition;
use crate::ids::{DocumentKey, ItemKey, ProjectId, SourceId, ToolKey, WorkKey};
use crate::knowledge::{Document, Item};
use crate::project::Project;
use crate::route::{Route, RouteKey, RouteVector, Suggestions};
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::source::Source;
use crate::tool::Tool;
use crate::work::Work;

/// Calls a macro with `field: Row` for each collection whose rows are created, replaced and removed, in the
/// order in which they are written and paged. Outcomes and journal entries are no such collections.
#[macro_export]
macro_rules! collections {
    ($then:ident) => {
        $then! {
            projects: $crate::project::Project,
            sources: $crate::source::Source,
            tools: $crate::tool::Tool,
            definitions: $crate::definition::Definition,
            knowledge: $crate::knowledge::Item,
            documents: $crate::knowledge::Document,
            work: $crate::work::Work,
            sessions: $crate::session::Session,
            cursors: $crate::session::Cursor,
            routes: $crate::route::Route,
            vectors: $crate::route::RouteVector,
            suggestions: $crate::route::Suggestions,
        }
    };
}

/// A row of a collection. The type represents the collection.
pub trait Row: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The word for one row, used in errors.
    const NAME: &'static str;
    /// The identity of a row. Rows are sorted by it.
    type Key: Clone + fmt::Debug + Ord + Send + Sync + 'static;
    /// The type of filter for this collection.
    type Filter: Filter<Row = Self>;

    /// Returns the key of this row.
    fn key(&self) -> &Self::Key;

    /// Returns the picks of this collection.
    fn picks(selection: &Selection) -> &Vec<Pick<Self::Filter>>;

    /// Returns the picks of this collection, mutably.
    fn picks_mut(selection: &mut Selection) -> &mut Vec<Pick<Self::Filter>>;

    /// Returns the rows of this collection by key.
    fn rows(view: &View) -> &BTreeMap<Self::Key, Self>;

    /// Returns the rows of this collection by key, mutably.
    fn rows_mut(view: &mut View) -> &mut BTreeMap<Self::Key, Self>;

    /// Returns the changes of this collection.
    fn changes(changes: &ChangeSet) -> &Vec<Change<Self, Self::Key>>;

    /// Returns the changes of this collection, mutably.
    fn changes_mut(changes: &mut ChangeSet) -> &mut Vec<Change<Self, Self::Key>>;

    #[doc(hidden)]
    fn drafted<'d>(draft: &'d Draft<'_>) -> &'d BTreeMap<Self::Key, Option<Self>>;

    #[doc(hidden)]
    fn drafted_mut<'d>(draft: &'d mut Draft<'_>) -> &'d mut BTreeMap<Self::Key, Option<Self>>;
}

/// A filter over the rows of one collection.
pub trait Filter: Clone + fmt::Debug + Ord + Send + Sync + 'static {
    /// The row type of the collection.
    type Row: Row<Filter = Self>;
    /// The filter that matches every row.
    const ALL: Self;

    /// Returns the filter for one key.
    fn of(key: <Self::Row as Row>::Key) -> Self;

    /// Returns the key if the filter is for one key.
    fn key(&self) -> Option<&<Self::Row as Row>::Key>;

    /// Returns true if the filter matches the row with this key. Without a row it decides by the key alone.
    fn matches(&self, key: &<Self::Row as Row>::Key, row: Option<&Self::Row>) -> bool;

    /// Returns the maximum number of rows to select, the first in key order.
    fn most(&self) -> usize {
        usize::MAX
    }
}

macro_rules! rows {
    ($($field:ident: $row:ty, $name:literal, $key:ident: $type:ty, $filter:ty;)*) => {
        $(impl Row for $row {
            const NAME: &'static str = $name;
            type Key = $type;
            type Filter = $filter;

            fn key(&self) -> &$type {
                &self.$key
            }

            fn picks(selection: &Selection) -> &Vec<Pick<Self::Filter>> {
                &selection.$field
            }

            fn picks_mut(selection: &mut Selection) -> &mut Vec<Pick<Self::Filter>> {
                &mut selection.$field
            }

            fn rows(view: &View) -> &BTreeMap<Self::Key, Self> {
                &view.$field
            }

            fn rows_mut(view: &mut View) -> &mut BTreeMap<Self::Key, Self> {
                &mut view.$field
            }

            fn changes(changes: &ChangeSet) -> &Vec<Change<Self, Self::Key>> {
                &changes.$field
            }

            fn changes_mut(changes: &mut ChangeSet) -> &mut Vec<Change<Self, Self::Key>> {
                &mut changes.$field
            }

            fn drafted<'d>(draft: &'d Draft<'_>) -> &'d BTreeMap<Self::Key, Option<Self>> {
                &draft.$field
            }

            fn drafted_mut<'d>(
                draft: &'d mut Draft<'_>,
            ) -> &'d mut BTreeMap<Self::Key, Option<Self>> {
                &mut draft.$field
            }
        })*
    };
}
rows! {
    projects: Project, "project", id: ProjectId, ProjectFilter;
    sources: Source, "source", id: SourceId, SourceFilter;
    tools: Tool, "tool", key: ToolKey, ToolFilter;
    definitions: Definition, "definition", key: ToolKey, DefinitionFilter;
    knowledge: Item, "item", key: ItemKey, ItemFilter;
    documents: Document, "document", key: DocumentKey, DocumentFilter;
    work: Work, "work item", key: WorkKey, WorkFilter;
    sessions: Session, "session", key: SessionKey, SessionFilter;
    cursors: Cursor, "cursor", key: CursorKey, CursorFilter;
    routes: Route, "route", key: RouteKey, RouteFilter;
    vectors: RouteVector, "vector", key: RouteKey, VectorFilter;
    suggestions: Suggestions, "suggestions", key: SessionKey, SuggestionFilter;
}
