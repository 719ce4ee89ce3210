//! Statements about definitions that await a person's decision.

use std::collections::BTreeSet;

use super::{Context, ToolReport};
use crate::definition::{ChangeClass, Definition, Finding};
use crate::tool::{Tool, ToolKind};
use crate::verdict::Ground;

/// Returns the unaccepted change in a tool's definition or, for a server, in those of its tools: the ground, and a
/// statement with the class of the change if the definition is in the view.
pub(super) fn unaccepted(context: &Context<'_>, tool: &Tool) -> Option<(Ground, String)> {
    if tool.kind != ToolKind::McpServer && !tool.is_unaccepted() {
        return None;
    }
    // A server with unaccepted instructions is reported for these alone, not for its tools.
    let is_server = tool.kind == ToolKind::McpServer && !tool.is_unaccepted();
    let all = context.members(tool);
    let mut waits: Vec<&Tool> = match tool.kind {
        ToolKind::McpServer if is_server && tool.presence.is_present() => {
            let members = all.iter().copied();
            members.filter(|each| each.is_unaccepted() && !context.is_silent(each)).collect()
        }
        ToolKind::McpServer if is_server => return None,
        _ => vec![tool],
    };
    let definitions = &context.view().definitions;
    let class = |each: &&Tool| waiting(context, each, definitions.get(&each.key)?);
    let classes: BTreeSet<ChangeClass> = waits.iter().filter_map(class).collect();
    let is_any_withheld = waits.iter().any(|each| each.is_withheld());
    let at_worst = if classes.len() > 1 && !is_any_withheld { " at worst" } else { "" };
    let worst = classes.last().map(|class| format!(" ({}{at_worst})", class.as_str()));
    let worst = worst.unwrap_or_default();
    let (ground, what) = match is_any_withheld {
        _ if is_server => {
            waits.retain(|each| each.is_withheld() || !is_any_withheld);
            // A change in a usable tool is reported with that tool.
            if waits.len() < 2 && !is_any_withheld {
                return None;
            }
            let listed = |each: &&&Tool| each.presence.is_present() || each.is_withheld();
            let (some, all) = (waits.len(), all.iter().filter(listed).count());
            let what = match (is_any_withheld, some) {
                (true, 1) => "is not accepted",
                (true, _) => "are not accepted",
                (false, _) => "changed",
            };
            (Ground::DefinitionChanged, format!("{some} of its {all} tools {what}{worst}"))
        }
        true => {
            let what = match tool.kind {
                ToolKind::McpServer => "instructions are",
                _ => "definition is",
            };
            (Ground::DefinitionWithheld, format!("its {what} not accepted{worst}"))
        }
        false => (Ground::DefinitionChanged, format!("its server changed it{worst}")),
    };
    let server = ToolReport::server_of(tool).filter(|_| tool.kind == ToolKind::McpServer);
    let name = word(server.as_deref().unwrap_or(tool.key.name.as_str()));
    let is_one = classes.len() == 1 && !classes.contains(&ChangeClass::Suspicious);
    let accept = match is_server && is_one {
        true => format!(", `staleness tools accept {name}` for all"),
        false => String::new(),
    };
    Some((ground, format!("{what}: see `staleness tools diff {name}`{accept}")))
}

/// Returns the class of the pending change in a tool's definition, as the requesting client sees it.
pub(super) fn waiting(context: &Context<'_>, tool: &Tool, row: &Definition) -> Option<ChangeClass> {
    row.waiting(tool.defined_state(), &context.policy().definitions)
}

/// Returns a name for a command line. Returns a placeholder if the name is suspicious or a shell would not read it as
/// one word.
pub(crate) fn word(name: &str) -> &str {
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-:/.".contains(c));
    let is_shown = is_word && !name.starts_with('-') && !Finding::is_in_name(name);
    if is_shown { name } else { "NAME" }
}
