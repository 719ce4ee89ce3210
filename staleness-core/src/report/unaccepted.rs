//! The sentences on definitions that await a person's decision.

use super::{Context, ToolReport};
use crate::definition::{ChangeClass, Definition};
use crate::tool::{Tool, ToolKind};
use crate::verdict::Ground;

/// Returns what awaits a decision in a tool's definition or, for a server, in those of its tools: the ground, and a
/// sentence with the class of the change if the definition is in the view.
pub(super) fn unaccepted(context: &Context<'_>, tool: &Tool) -> Option<(Ground, String)> {
    if tool.kind != ToolKind::McpServer && !tool.is_unaccepted() {
        return None;
    }
    let all = context.members(tool);
    let withheld: Vec<&Tool> = match tool.kind {
        ToolKind::McpServer if tool.presence.is_present() => {
            let members = all.iter().copied();
            members.filter(|member| member.is_withheld() && !context.is_silent(member)).collect()
        }
        ToolKind::McpServer => return None,
        _ => vec![tool],
    };
    let definitions = &context.view().definitions;
    let class = |each: &&Tool| waiting(context, each, definitions.get(&each.key)?);
    let class = withheld.iter().filter_map(class).max();
    let class = class.map_or_else(String::new, |class| format!(" ({})", class.as_str()));
    let (ground, what) = match tool.kind {
        ToolKind::McpServer if withheld.is_empty() => return None,
        ToolKind::McpServer => {
            let listed = |each: &&&Tool| each.presence.is_present() || each.is_withheld();
            let (some, all) = (withheld.len(), all.iter().filter(listed).count());
            let are = if some == 1 { "is" } else { "are" };
            (
                Ground::DefinitionChanged,
                format!("{some} of its {all} tools {are} not accepted{class}"),
            )
        }
        _ if tool.is_withheld() => (
            Ground::DefinitionWithheld,
            format!("what its server says of it is not accepted{class}"),
        ),
        _ => (Ground::DefinitionChanged, format!("its server changed it{class}")),
    };
    let server = ToolReport::server_of(tool).filter(|_| tool.kind == ToolKind::McpServer);
    let name = server.as_deref().unwrap_or(tool.key.name.as_str());
    Some((ground, format!("{what}: see `staleness tools diff {}`", word(name))))
}

/// Returns the class of the change that waits in a tool's definition, for the asking client.
pub(super) fn waiting(context: &Context<'_>, tool: &Tool, row: &Definition) -> Option<ChangeClass> {
    row.waiting(tool.defined_state(), &context.policy().definitions)
}

/// Returns a name for a command line. One that a shell would read as more than a word is left to the reader.
pub(super) fn word(name: &str) -> &str {
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-:/.".contains(c));
    if is_word && !name.starts_with('-') { name } else { "NAME" }
}
