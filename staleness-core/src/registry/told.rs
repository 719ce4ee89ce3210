//! The tools that an agent has to be told of: those that fail, and those that changed.

use crate::ids::{ProjectId, Scope, ToolKey};
use crate::store::{DefinitionFilter, Selection, ToolFilter, View};
use crate::tool::ToolKind;

use super::record::both_keys;

/// Adds the tools that are demoted.
pub(super) fn demoted(project: &ProjectId, selection: Selection) -> Selection {
    selection
        .peek(ToolFilter::Demoted(Scope::Global))
        .peek(ToolFilter::Demoted(Scope::Project(project.clone())))
}

/// Adds the definitions with a change that waits for a person.
pub(super) fn waiting(project: &ProjectId, selection: Selection) -> Selection {
    selection
        .peek(DefinitionFilter::Pending(Scope::Global))
        .peek(DefinitionFilter::Pending(Scope::Project(project.clone())))
}

/// Adds what the demoted tools that were seen mean to a project: both entries of each name, and the
/// servers, since a server is shown as demoted with its tools.
pub(super) fn around_demoted(project: &ProjectId, view: &View, mut more: Selection) -> Selection {
    let keys = view.tools.keys().chain(view.definitions.keys());
    more = of_these_names(project, view, keys, more);
    for tool in view.tools.values().filter(|tool| tool.kind == ToolKind::McpTool) {
        if let Some(server) = tool.server.clone() {
            more = more
                .peek(ToolFilter::Server(Scope::Global, server.clone()))
                .peek(ToolFilter::Server(Scope::Project(project.clone()), server));
        }
    }
    more
}

/// Adds both entries of each name, where they were not seen: which of the two a project means
/// depends on both.
pub(super) fn of_these_names<'a>(
    project: &ProjectId,
    view: &View,
    keys: impl Iterator<Item = &'a ToolKey>,
    more: Selection,
) -> Selection {
    keys.flat_map(|key| both_keys(project, &key.name))
        .filter(|key| !view.tools.contains_key(key))
        .fold(more, |more, key| more.peek(ToolFilter::Key(key)))
}
