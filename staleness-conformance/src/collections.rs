//! The collections of a store that hold rows by key, for code that treats all of them alike.

/// Calls a macro with a group of words for each collection that a view holds as a map: the field, its row and key,
/// the field of the row that is its key, the names of [`crate::steps::Write`] for writing and deleting one, the
/// generators of keys and filters, the filter, how it names one key, and how a selection locks.
macro_rules! maps {
    ($each:ident $($more:tt)*) => {
        $each! {
            { projects Project ProjectId id project no_project project_id
                project_filter ProjectFilter Id lock_projects }
            { sources Source SourceId id source no_source source_id
                source_filter SourceFilter Id lock_sources }
            { tools Tool ToolKey key tool no_tool tool_key
                tool_filter ToolFilter Key lock_tools }
            { knowledge Item ItemKey key item no_item item_key
                item_filter ItemFilter Key lock_knowledge }
            { documents Document DocumentKey key document no_document document_key
                document_filter DocumentFilter Key lock_documents }
            { work Work WorkKey key work no_work work_key
                work_filter WorkFilter Key lock_work }
            { sessions Session SessionKey key session no_session session_key
                session_filter SessionFilter Key lock_sessions }
            { cursors Cursor CursorKey key cursor no_cursor cursor_key
                cursor_filter CursorFilter Key lock_cursors }
            { routes Route RouteKey key route no_route route_key
                route_filter RouteFilter Key lock_routes }
            { suggestions Suggestions SessionKey key suggestions no_suggestions session_key
                suggestion_filter SuggestionFilter Key lock_suggestions }
            $($more)*
        }
    };
}

/// As [`maps`], with the vectors, which a view holds side by side.
macro_rules! collections {
    ($each:ident) => {
        $crate::collections::maps! {
            $each
            { vectors RouteVector RouteKey key route_vector no_vector route_key
                vector_filter VectorFilter Key lock_vectors }
        }
    };
}

pub(crate) use {collections, maps};
