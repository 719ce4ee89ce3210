//! This program's own server and its tools.

use crate::tool::ToolKind;

/// The name of this program's own server, plugin and skill.
const OWN_NAME: &str = "staleness";

/// The tools of this program's own server, sorted.
const OWN_TOOLS: [&str; 12] = [
    "check_documents",
    "discover_tools",
    "list_stale",
    "recall_knowledge",
    "record_outcome",
    "resume_session",
    "save_knowledge",
    "settle_work",
    "suggest_tool",
    "tool_status",
    "verify_knowledge",
    "work_item",
];

/// Returns true if this program's own server has a tool of this name.
pub(crate) fn is_own_tool(name: &str) -> bool {
    OWN_TOOLS.binary_search(&name).is_ok()
}

pub(crate) fn is_own_server(server: &str) -> bool {
    server == OWN_NAME || server.starts_with("plugin_") && server.ends_with("_staleness")
}

pub(crate) fn is_own(
    kind: ToolKind,
    name: &str,
    server: Option<&str>,
    plugin: Option<&str>,
) -> bool {
    server.is_some_and(is_own_server)
        || plugin.and_then(|plugin| plugin.split('@').next()) == Some(OWN_NAME)
        || kind == ToolKind::Skill && name == OWN_NAME
}
