//! The traits of the rows of a collection, and of the filters over them.

use std::collections::BTreeMap;
use std::fmt;

use super::{Change, ChangeSet, Draft, Pick, Selection, View};
use crate::ids::ProjectId;

/// A row of a collection. Its type represents the collection.
pub trait Row: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The word for one row, for error messages.
    const NAME: &'static str;
    /// The identity of a row. Rows are sorted by key.
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

    /// Returns true if the filter matches the row with this key. Without a row, the key alone decides.
    fn matches(&self, key: &<Self::Row as Row>::Key, row: Option<&Self::Row>) -> bool;

    /// Returns the filter for the rows that belong to a project and are removed with it. `None` if they are removed
    /// together with other rows.
    fn of_project(_: &ProjectId) -> Option<Self> {
        None
    }

    /// Returns the maximum number of rows to select, the first ones in key order.
    fn most(&self) -> usize {
        usize::MAX
    }
}
