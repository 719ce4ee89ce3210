//! Tools that a running MCP server reports.

use std::fmt;

use staleness_core::ids::{Level, ProjectId, SourceId, ToolName, check_id};
use staleness_core::names;
use staleness_core::scan::{Found, SourceReading};
use staleness_core::tool::ToolKind;

use crate::draft::Draft;
use crate::json::{self, Value};

/// The client of every live source.
pub const LIVE_CLIENT: &str = "live";

/// Why a tool list was refused. The message holds no text of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveError(String);

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LiveError {}

/// Reads an MCP `tools/list` result: the result itself, a response that wraps it, or the bare
/// list of tools.
///
/// With `server` its tools are named `mcp__<server>__<tool>` in the form that clients call them
/// by; without, names are taken as given. `path` says where the list came from; `project` is the
/// scope of the tools, `None` for every project.
///
/// # Errors
/// When the text is no such list, or the server's name cannot be stored.
pub fn tools_list(
    text: &str,
    server: Option<&str>,
    path: &str,
    project: Option<&ProjectId>,
) -> Result<SourceReading, LiveError> {
    let _ = (text, server, path, project);
    Err(LiveError(String::new()))
}
