//! The collections of a store, with the suite's names for each.

use crate::rows::TABLES;

/// Calls a macro with a group of names for each collection: its field, its row, and the generators of rows,
/// keys and filters.
macro_rules! collections {
    ($each:ident) => {
        $each! {
            { projects Project project project_id project_filter }
            { sources Source source source_id source_filter }
            { tools Tool tool tool_key tool_filter }
            { definitions Definition definition tool_key definition_filter }
            { knowledge Item item item_key item_filter }
            { documents Document document document_key document_filter }
            { work Work work work_key work_filter }
            { sessions Session session session_key session_filter }
            { cursors Cursor cursor cursor_key cursor_filter }
            { routes Route route route_key route_filter }
            { vectors RouteVector route_vector route_key vector_filter }
            { suggestions Suggestions suggestions session_key suggestion_filter }
        }
    };
}

pub(crate) use collections;

const _: () = {
    macro_rules! count {
        ($({ $rows:ident $($names:ident)* })*) => { 2 $(+ { let _ = stringify!($rows); 1 })* };
    }
    assert!(collections!(count) == TABLES, "this list and that of `staleness-core` differ");
};
