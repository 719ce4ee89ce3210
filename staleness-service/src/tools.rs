//! Finds tools by name.

use std::collections::HashMap;

use serde_json::{Value, json};
use staleness::RegistryError;
use staleness::ids::{ClientId, Scope, ServerKey, ToolKey, ToolName};
use staleness::registry::{ScopeChoice, ToolListing};
use staleness::report::ToolReport;
use staleness::store::Refusal;
use staleness::tool::{Hold, PresenceCause, Status, ToolKind};
use staleness::verdict::Ground;
use staleness::{Registry, Wait};
use staleness_core::text::counted;
use staleness_core::tool::ListingState;

use crate::error::{ErrorKind, ServiceError, quoted};
use crate::model_text::{called_by, is_plain, tool_prefix};
use crate::settings::Settings;
use crate::words::tool_name;

/// Finds the tool with this name.
///
/// # Errors
/// If the name is invalid or unknown. The error then suggests the most similar name.
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

/// Removes the absent and failing tools of absent and failing servers if the server itself is in the list. Tools
/// about which a person decided stay. The reason of an absent server then gives the number of its tools.
pub fn fold_into_servers(tools: &mut Vec<ToolReport>) {
    let tools_of =
        |server: &ToolKey| Some((server.scope.clone(), tool_prefix(server.name.as_str())?));
    let servers = tools
        .iter()
        .filter(|tool| tool.kind == ToolKind::McpServer && tool.status != Status::Active);
    let mut folded: HashMap<(Scope, String), usize> =
        servers.filter_map(|tool| Some((tools_of(&tool.key)?, 0))).collect();
    tools.retain(|tool| {
        let cause = tool.presence.cause;
        let follows = matches!(
            cause,
            PresenceCause::ServerRemoved
                | PresenceCause::ServerDisabled
                | PresenceCause::ServerNotLoaded
        ) || tool.status == Status::Demoted;
        let follows = follows && tool.kind == ToolKind::McpTool && tool.hold == Hold::None;
        let server = tool.server.as_ref().filter(|_| follows);
        let key = server.map(|server| {
            let prefix = format!("mcp__{server}__");
            let own = (tool.key.scope.clone(), prefix.clone());
            if folded.contains_key(&own) { own } else { (Scope::Global, prefix) }
        });
        let count = key.and_then(|key| folded.get_mut(&key));
        count.is_none_or(|count| {
            *count += 1;
            false
        })
    });
    for server in tools {
        let count = tools_of(&server.key).and_then(|tools| folded.get(&tools));
        let absent = server.verdict.signals.iter_mut().find(|signal| signal.kind == Ground::Absent);
        if let (Some(count @ 1..), Some(signal)) = (count, absent) {
            signal.reason.push_str(&format!(", and {} with it", counted(*count, "tool", "tools")));
        }
    }
}

/// Returns the name under which to record a use that was reported by hand: the name of the matching known
/// tool, else the text itself.
///
/// # Errors
/// If the text cannot be a tool's name or, unless `is_new`, is probably a misspelt one; or if the store fails.
pub fn reported(
    registry: &Registry,
    settings: &Settings,
    text: &str,
    is_new: bool,
) -> Result<ToolName, ServiceError> {
    match find(registry, settings, text, ScopeChoice::default()) {
        Ok(key) => Ok(key.name),
        Err(error) if error.kind == ErrorKind::Unknown && text.contains(char::is_whitespace) => {
            let mut refused =
                ServiceError::invalid(format!("{} is not a valid tool name", quoted(text)));
            refused.hint = error.hint;
            Err(refused)
        }
        Err(error) if error.kind == ErrorKind::Unknown => {
            if let Some(own) = only_tool_of_a_server(registry, settings, text)? {
                return Ok(own);
            }
            let name = tool_name(text)?;
            if is_new {
                return Ok(name);
            }
            let near = registry.tools().misspelt(&settings.project, text).wait()?;
            let near = near.filter(|near| is_plain(near.as_str()));
            near.map_or(Ok(name), |near| Err(misspelt(settings, text, near.as_str())))
        }
        Err(error) => Err(error),
    }
}

fn misspelt(settings: &Settings, text: &str, near: &str) -> ServiceError {
    let near = called_by(settings.client.as_ref(), near);
    let how = if settings.in_server { "new: true." } else { "--new" };
    ServiceError::new(ErrorKind::Unknown, format!("no tool named {}", quoted(text)))
        .hint(format!("did you mean {near}? If it is another tool, say so with {how}"))
}

/// Returns the tool that its server calls by this name. `None` if there is none, or several.
fn only_tool_of_a_server(
    registry: &Registry,
    settings: &Settings,
    text: &str,
) -> Result<Option<ToolName>, ServiceError> {
    let is_named = |tool: &ToolReport| {
        let server = tool.server.as_deref().and_then(ServerKey::of);
        server.is_some_and(|server| server.tool_part(tool.key.name.as_str()) == Some(text))
    };
    let all = registry.tools().list(&settings.project, ToolListing::default(), settings.now);
    let mut named = all.wait()?.into_iter().filter(is_named);
    let first = named.next().filter(|_| named.next().is_none());
    Ok(first.map(|tool| tool.key.name))
}

/// A tool of a known server that nobody has used yet.
#[derive(Debug)]
pub struct Unused {
    /// The tool's name in the registry.
    pub name: String,
    /// The report on its server's entry.
    pub server: ToolReport,
}

impl Unused {
    /// Returns the tool if nobody has used it yet and the project sees its server.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn of(
        registry: &Registry,
        settings: &Settings,
        name: &str,
    ) -> Result<Option<Self>, ServiceError> {
        let unused = registry.tools().unused(&settings.project, name, settings.now).wait()?;
        Ok(unused.map(|(name, server)| Self { name: name.to_string(), server }))
    }

    /// Returns the tool as JSON, under the name by which the client calls it.
    #[must_use]
    pub fn data(&self, settings: &Settings, client: Option<&ClientId>) -> Value {
        let (name, server) = (called_by(client, &self.name), &self.server);
        json!({
            "for": settings.audience(),
            "name": name, "kind": ToolKind::McpTool, "server": server.server.as_deref().filter(|name| is_plain(name)),
            "clients": server.clients,
            "uses": 0, "reason": self.reason(),
        })
    }

    /// Returns true if its server can be called, as far as known.
    #[must_use]
    pub fn is_offered(&self) -> bool {
        self.server.status == Status::Active
    }

    /// Describes its server: the clients that configure it, or why it cannot be called. A server's name that
    /// could be prose is left out.
    #[must_use]
    pub fn reason(&self) -> String {
        let server = self.server.server.as_deref().filter(|name| is_plain(name));
        let server =
            server.map_or_else(|| "its server".into(), |name| format!("its server {name}"));
        if self.is_offered() {
            let states = self.server.clients.iter();
            let loads = states.filter(|(_, state)| **state == ListingState::Configured);
            let clients: Vec<&str> = loads.map(|(client, _)| client.as_str()).collect();
            return format!("{server} is configured in {}", clients.join(", "));
        }
        let signals = self.server.verdict.signals.iter();
        let reasons: Vec<&str> = signals.map(|signal| signal.reason.as_str()).collect();
        format!("{server} is {}: {}", self.server.status_word(), reasons.join("; "))
    }
}

/// Creates the error for an unknown tool, suggesting the most similar name; for an unused tool, describes its
/// server.
pub fn explain(
    registry: &Registry,
    settings: &Settings,
    name: &str,
    error: RegistryError,
) -> ServiceError {
    let RegistryError::Rejected(Refusal::Unknown { what, .. }) = &error else {
        return error.into();
    };
    if let Ok(Some(unused)) = Unused::of(registry, settings, name) {
        let what = format!("{} is not used yet: {}", quoted(name), unused.reason());
        return ServiceError::new(ErrorKind::Unknown, what);
    }
    let mut known =
        ServiceError::new(ErrorKind::Unknown, format!("no {what} named {}", quoted(name)));
    known.hint = Some(match nearest(registry, settings, name) {
        Some(near) => format!("did you mean {near}?"),
        None => "see `staleness tools list`, or run `staleness scan` first".into(),
    });
    known
}

/// Returns the known tool most similar to an invented name, as the client calls it. `None` if the tool
/// exists.
#[must_use]
pub fn did_you_mean(registry: &Registry, settings: &Settings, name: &ToolReport) -> Option<String> {
    name.is_invented().then(|| nearest(registry, settings, name.key.name.as_str())).flatten()
}

fn nearest(registry: &Registry, settings: &Settings, name: &str) -> Option<String> {
    let near = registry.tools().nearest(&settings.project, name).wait().ok().flatten()?;
    is_plain(near.as_str()).then(|| called_by(settings.client.as_ref(), near.as_str()))
}
