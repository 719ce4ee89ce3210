//! The collections of a store, with the words of the suite for each.

/// Calls a macro with a group of words for each collection: the field, its row, the names of
/// [`crate::steps::Write`] for writing and deleting one, and the generators of keys and filters.
macro_rules! collections {
    ($each:ident) => {
        $each! {
            { projects Project project no_project project_id project_filter }
            { sources Source source no_source source_id source_filter }
            { tools Tool tool no_tool tool_key tool_filter }
            { knowledge Item item no_item item_key item_filter }
            { documents Document document no_document document_key document_filter }
            { work Work work no_work work_key work_filter }
            { sessions Session session no_session session_key session_filter }
            { cursors Cursor cursor no_cursor cursor_key cursor_filter }
            { routes Route route no_route route_key route_filter }
            { vectors RouteVector route_vector no_vector route_key vector_filter }
            { suggestions Suggestions suggestions no_suggestions session_key suggestion_filter }
        }
    };
}

pub(crate) use collections;
