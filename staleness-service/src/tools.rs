//! Finding the tool that a name means.

use std::collections::HashMap;

use staleness::RegistryError;
use staleness::ids::{ToolKey, ToolName};
use staleness::registry::ScopeChoice;
use staleness::report::ToolReport;
use staleness::store::Refusal;
use staleness::tool::PresenceCause;
use staleness::{Registry, Wait};
use staleness_core::text::counted;

use crate::error::{ErrorKind, ServiceError, quoted};
use crate::model_text::{called_by, is_plain, tool_prefix};
use crate::settings::Settings;
use crate::words::tool_name;

/// The tool that a name means here.
///
/// # Errors
/// When the name is none, or unknown: then with the one that is most like it.
pub fn find(
    registry: &Registry,
    settings: &Settings,
    name: &str,
    scope: ScopeChoice,
) -> Result<ToolKey, ServiceError> {
    tool_name(name)?;
    registry
        .tools()
        .find_key(&settings.project.id, name, scope)
        .wait()
        .map_err(|error| explain(registry, settings, name, error))
}

/// Removes the tools of servers that are gone and in the list themselves: a server speaks for its tools, and its reason
/// says how many went with it.
pub fn fold_into_servers(tools: &mut Vec<ToolReport>) {
    let servers = tools.iter().filter(|tool| tool.presence.state == "absent");
    let mut folded: HashMap<(&str, String), usize> =
        servers.filter_map(|tool| Some(((tool.scope, tool_prefix(&tool.name)?), 0))).collect();
    tools.retain(|tool| {
        let cause = tool.presence.cause;
        let follows = matches!(
            cause,
            PresenceCause::ServerRemoved
                | PresenceCause::ServerDisabled
                | PresenceCause::ServerNotLoaded
        ) && tool.health.cause.is_none();
        let server = tool.server.as_ref().filter(|_| follows);
        let key = server.map(|server| {
            let prefix = format!("mcp__{server}__");
            let own = (tool.scope, prefix.clone());
            if folded.contains_key(&own) { own } else { ("global", prefix) }
        });
        let count = key.and_then(|key| folded.get_mut(&key));
        count.is_none_or(|count| {
            *count += 1;
            false
        })
    });
    for server in tools {
        let prefix = tool_prefix(&server.name);
        let count = prefix.and_then(|prefix| folded.get(&(server.scope, prefix)));
        let absent = server.verdict.signals.iter_mut().find(|signal| signal.kind == "absent");
        if let (Some(count @ 1..), Some(signal)) = (count, absent) {
            signal.reason.push_str(&format!(", and {} with it", counted(*count, "tool", "tools")));
        }
    }
}

/// The name under which a use that somebody reports by hand is recorded: that of the known tool that the text
/// means, else the text itself. One that no tool can have is refused.
///
/// # Errors
/// When it cannot be a tool's name, or what the store reports.
pub fn reported(
    registry: &Registry,
    settings: &Settings,
    text: &str,
) -> Result<ToolName, ServiceError> {
    match find(registry, settings, text, ScopeChoice::default()) {
        Ok(key) => Ok(key.name),
        Err(error) if error.kind == ErrorKind::Unknown && text.contains(char::is_whitespace) => {
            let mut refused =
                ServiceError::invalid(format!("{} cannot be a tool's name", quoted(text)));
            refused.hint = error.hint;
            Err(refused)
        }
        Err(error) if error.kind == ErrorKind::Unknown => tool_name(text),
        Err(error) => Err(error),
    }
}

/// An unknown tool, with the name that is most like it.
pub fn explain(
    registry: &Registry,
    settings: &Settings,
    name: &str,
    error: RegistryError,
) -> ServiceError {
    let RegistryError::Rejected(Refusal::Unknown { what, .. }) = &error else {
        return error.into();
    };
    let mut known =
        ServiceError::new(ErrorKind::Unknown, format!("no {what} is known as {}", quoted(name)));
    known.hint = Some(match nearest(registry, settings, name) {
        Some(near) => format!("did you mean {near}?"),
        None => "see `staleness tools list`, or run `staleness scan` first".into(),
    });
    known
}

/// The tool that is most like an invented name, as the client calls it. `None` for a tool.
#[must_use]
pub fn did_you_mean(registry: &Registry, settings: &Settings, name: &ToolReport) -> Option<String> {
    name.is_invented().then(|| nearest(registry, settings, &name.name)).flatten()
}

fn nearest(registry: &Registry, settings: &Settings, name: &str) -> Option<String> {
    let near = registry.tools().nearest(&settings.project, name).wait().ok().flatten()?;
    is_plain(near.as_str()).then(|| called_by(settings.client.as_ref(), near.as_str()))
}
