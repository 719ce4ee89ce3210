//! Selections of the tools to report to an agent: those that fail, and those that changed.

use crate::ids::{Level, ProjectId, ServerKey, ToolKey};
use crate::scan::may_be_invented;
use crate::source::SourceState;
use crate::store::{DefinitionFilter, Selection, ToolFilter, View};
use crate::tool::ToolKind;

/// Adds the demoted tools.
pub(super) fn demoted(project: &ProjectId, selection: Selection) -> Selection {
    selection.peek_both(project, ToolFilter::Demoted)
}

/// Adds the definitions with a change that awaits a person's decision.
pub(super) fn waiting(project: &ProjectId, selection: Selection) -> Selection {
    selection.peek_both(project, DefinitionFilter::Pending)
}

/// Adds the rows needed to report the demoted tools in the view: both tools of each name, and their servers
/// with all tools, because a server may count as demoted too.
pub(super) fn around_demoted(project: &ProjectId, view: &View, mut more: Selection) -> Selection {
    let keys = view.tools.keys().chain(view.definitions.keys());
    more = of_these_names(project, view, keys, more);
    for tool in view.tools.values().filter(|tool| tool.kind == ToolKind::McpTool) {
        if let Some(server) = &tool.server {
            more = more.peek_both(project, |scope| ToolFilter::Server(scope, server.clone()));
        } else if may_be_invented(tool) {
            // Any server of the clients that called it may provide it.
            more = more.peek_both(project, ToolFilter::Configured);
        }
    }
    more
}

/// Adds the servers in the view that did not list their tools when last asked, with their tools, because one may
/// have worked since.
pub(super) fn around_unanswered(project: &ProjectId, view: &View, more: Selection) -> Selection {
    let failed = view
        .sources
        .values()
        .filter(|source| source.id.level == Level::Live && source.state == SourceState::Failed);
    failed.filter_map(|source| ServerKey::of(&source.id.part)).fold(more, |more, server| {
        more.peek_both(project, |scope| ToolFilter::Server(scope, server.clone()))
    })
}

/// Adds both tools of each name if they are not in the view. The tool that a project uses depends on both.
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
