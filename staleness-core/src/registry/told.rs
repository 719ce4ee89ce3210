//! Selects the tools to report to an agent: those that fail, and those that changed.

use crate::ids::{Level, ProjectId, ServerKey, ToolKey};
use crate::scan::may_be_invented;
use crate::source::SourceState;
use crate::store::{DefinitionFilter, Selection, ToolFilter, View};
use crate::tool::ToolKind;

pub(super) fn demoted(project: &ProjectId, selection: Selection) -> Selection {
    selection.peek_both(project, ToolFilter::Demoted)
}

/// Adds the definitions with a change that no person has accepted yet.
pub(super) fn waiting(project: &ProjectId, selection: Selection) -> Selection {
    selection.peek_both(project, DefinitionFilter::Pending)
}

/// Adds the rows needed to report the demoted tools in the view: the tools of each name in both scopes, and their
/// servers with all tools, because a whole server may count as demoted.
pub(super) fn around_demoted(project: &ProjectId, view: &View, mut more: Selection) -> Selection {
    let keys = view.tools.keys().chain(view.definitions.keys());
    more = of_these_names(project, view, keys, more);
    for tool in view.tools.values().filter(|tool| tool.kind == ToolKind::McpTool) {
        if let Some(server) = &tool.server {
            more = more.peek_both(project, |scope| ToolFilter::Server(scope, server.clone()));
        } else if may_be_invented(tool) {
            // The tool may belong to any server of the clients that called it.
            more = more.peek_both(project, ToolFilter::Configured);
        }
    }
    more
}

/// Adds the servers in the view that did not answer the last request for their tools, with their tools, because one of
/// these may have worked since.
pub(super) fn around_unanswered(project: &ProjectId, view: &View, more: Selection) -> Selection {
    let failed = view
        .sources
        .values()
        .filter(|source| source.id.level == Level::Live && source.state == SourceState::Failed);
    failed.filter_map(|source| ServerKey::of(&source.id.part)).fold(more, |more, server| {
        more.peek_both(project, |scope| ToolFilter::Server(scope, server.clone()))
    })
}

/// Adds the tools of each name in both scopes, if they are not in the view. Both decide which tool a project uses.
pub(super) fn of_these_names<'a>(
    project: &ProjectId,
    view: &View,
    keys: impl Iterator<Item = &'a ToolKey>,
    more: Selection,
) -> Selection {
    keys.flat_map(|key| ToolKey::both(project, &key.name))
        .filter(|key| !view.tools.contains_key(key))
        .fold(more, |more, key| more.peek(ToolFilter::Key(key)))
}
