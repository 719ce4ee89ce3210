//! Finds tools by name.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};
use staleness::RegistryError;
use staleness::ids::{ClientId, Scope, ServerKey, ToolKey, ToolName};
use staleness::registry::ScopeChoice;
use staleness::report::{Delta, Failing, StatusWord, ToolReport};
use staleness::store::Refusal;
use staleness::tool::{Hold, PresenceCause, Status, ToolKind};
use staleness::verdict::Ground;
use staleness::{Registry, Wait};
use staleness_core::report::News;
use staleness_core::text::counted;
use staleness_core::tool::ListingState;

use crate::error::{ErrorKind, ServiceError, quoted};
use crate::model_text::{called_by, is_plain, tool_prefix};
use crate::settings::Settings;
use crate::words::id;

/// The tool to which a name refers.
#[derive(Debug)]
pub enum NamedTool {
    /// A known tool.
    Known(ToolKey),
    /// A tool without any use, on a known server.
    Unused(Box<Unused>),
}

/// Finds the tool for a name that a person or a model typed.
///
/// # Errors
/// If the name is invalid or does not refer to a tool. The error then suggests the most similar names.
pub fn resolve(
    registry: &Registry,
    settings: &Settings,
    name: &str,
    scope: ScopeChoice,
) -> Result<NamedTool, ServiceError> {
    id::<ToolName>("tool's name", name)?;
    match registry.tools().find_key(&settings.project.id, name, scope).wait() {
        Ok(key) => return Ok(NamedTool::Known(key)),
        Err(RegistryError::Rejected(Refusal::Unknown { .. })) => {}
        Err(error) => return Err(error.into()),
    }
    let (near, is_misspelt) = registry.tools().similar(&settings.project, name).wait()?;
    match Unused::of(registry, settings, name)?.filter(|_| !is_misspelt) {
        Some(unused) if unused.is_foreign() => Err(unused.refused(name)),
        Some(unused) => Ok(NamedTool::Unused(Box::new(unused))),
        None => Err(unknown(settings, name, &near)),
    }
}

/// Finds the known tool with this name.
///
/// # Errors
/// Errors of [`resolve`], or an error if the tool was never used.
pub fn find(
    registry: &Registry,
    settings: &Settings,
    name: &str,
    scope: ScopeChoice,
) -> Result<ToolKey, ServiceError> {
    match resolve(registry, settings, name, scope)? {
        NamedTool::Known(key) => Ok(key),
        NamedTool::Unused(unused) => Err(unused.refused(name)),
    }
}

fn has_only(tool: &ToolReport, ground: Ground) -> bool {
    tool.verdict.rests_on(ground) && tool.verdict.signals.iter().all(|each| each.kind == ground)
}

/// Returns true if the tool is no longer listed by any source.
pub const fn is_gone(tool: &ToolReport) -> bool {
    use PresenceCause::{NotListed, RemovedFromConfig, ServerRemoved};
    matches!(tool.presence.cause, NotListed | RemovedFromConfig | ServerRemoved)
}

/// Folds tools that need attention into servers, like [`fold_into_servers`]. Also removes the changed tools of a server
/// that reports their number, except tools with a person's decision.
pub fn fold_doubtful(tools: &mut Vec<ToolReport>) {
    let is_server = |tool: &ToolReport| tool.kind == ToolKind::McpServer;
    let key = |tool: &ToolReport| ServerKey::of(tool.server.as_ref()?);
    let counting =
        tools.iter().filter(|it| is_server(it) && it.verdict.rests_on(Ground::DefinitionChanged));
    let mut counting: HashSet<ServerKey> = counting.filter_map(key).collect();
    // A server with withheld tools reports only their number.
    for server in
        tools.iter().filter(|it| it.verdict.rests_on(Ground::DefinitionWithheld)).filter_map(key)
    {
        counting.remove(&server);
    }
    tools.retain(|tool| {
        let is_counted = key(tool).is_some_and(|server| counting.contains(&server));
        let is_alone = is_server(tool) || tool.hold != Hold::None || !is_counted;
        is_alone || !has_only(tool, Ground::DefinitionChanged)
    });
    fold_into_servers(tools);
}

/// Removes the absent and failing tools of each absent or failing server in the list. The reason of an absent server
/// then gives their number. Also removes tools whose only problem is that their server did not answer. Tools with a
/// person's decision stay.
pub fn fold_into_servers(tools: &mut Vec<ToolReport>) {
    let tools_of =
        |server: &ToolKey| Some((server.scope.clone(), tool_prefix(server.name.as_str())?));
    tools.retain(|tool| tool.kind == ToolKind::McpServer || !has_only(tool, Ground::DidNotAnswer));
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
        let key = server.and_then(|server| {
            let prefix = format!("mcp__{server}__");
            let own = (tool.key.scope.clone(), prefix.clone());
            // The tool may belong to the user's entry while the project's entry is in use.
            let is_users = own.0 == Scope::Global && tool.presence.is_absent();
            let is_near = |scope: &Scope| *scope == Scope::Global || is_users;
            let mut others = folded.keys().filter(|key| key.1 == prefix && is_near(&key.0));
            if folded.contains_key(&own) { Some(own) } else { others.next().cloned() }
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

/// Removes changes of tools that their server's change covers: tools that appeared, disappeared or changed with
/// the server, or that fail while it is gone, demoted or failing.
pub fn fold_changes(delta: &mut Delta) {
    let changes = delta.tools.iter().map(|each| (&each.name, &each.server, each.news()));
    let failing = delta.failing.iter().map(|each| (&each.name, &each.server, each.news()));
    let servers = changes.chain(failing).filter(|(name, ..)| name.is_server_entry());
    let servers: Vec<_> = servers.map(|(_, server, news)| (server.clone(), news)).collect();
    let is_told = |name: &ToolName, server: &Option<ServerKey>, news: News| {
        let speaks = |(of, said): &(Option<ServerKey>, News)| {
            let fails = news == News::Failing && matches!(said, News::Gone | News::Demoted);
            of == server && (*said == news || fails)
        };
        name.is_server_entry() || !servers.iter().any(speaks)
    };
    delta
        .tools
        .retain(|each| !each.is_by_server() && is_told(&each.name, &each.server, each.news()));
    let is_by_server = |each: &Failing| each.absent.is_some_and(PresenceCause::is_by_server);
    delta
        .failing
        .retain(|each| !is_by_server(each) && is_told(&each.name, &each.server, each.news()));
}

/// Returns the name under which to record a manually reported use: the name of the resolved tool, or else the text
/// itself.
///
/// # Errors
/// If the text cannot be a tool's name, or the store fails. Unless `is_new` is set, also if the text is probably a
/// misspelt name or, for an agent, if no source lists the tool.
pub fn reported(
    registry: &Registry,
    settings: &Settings,
    text: &str,
    is_new: bool,
) -> Result<ToolName, ServiceError> {
    let mut refused = match resolve(registry, settings, text, ScopeChoice::default()) {
        Ok(NamedTool::Known(key)) => return Ok(key.name),
        Ok(NamedTool::Unused(unused)) => return Ok(unused.name),
        Err(error) if error.kind == ErrorKind::Unknown => error,
        Err(error) => return Err(error),
    };
    let name: ToolName = id("tool's name", text)?;
    let own = ["mcp__", "mcp_", "MCP:", "/"].iter().find_map(|mark| text.strip_prefix(mark));
    let is_of_no_tool = name.is_mcp() && ToolKind::of_name(text) != ToolKind::McpTool
        || text.contains('*')
        || !own.unwrap_or(text).contains(char::is_alphanumeric);
    if is_of_no_tool || text.contains(char::is_whitespace) {
        let message = format!("{} is not a valid tool name", quoted(text));
        return Err(ServiceError { hint: refused.hint, ..ServiceError::invalid(message) });
    }
    let unused = Unused::of(registry, settings, text)?;
    // A model may invent a name. A program on the command line knows the names of its tools.
    let is_unlisted =
        settings.in_server && unused.is_none() && ToolKind::of_name(text) == ToolKind::Unknown;
    let is_misspelt = !is_new && registry.tools().similar(&settings.project, text).wait()?.1;
    if is_new || !(is_misspelt || is_unlisted) {
        return Ok(unused.map_or(name, |unused| unused.name));
    }
    let how = if settings.in_server { "new: true." } else { "--new" };
    refused.hint = Some(match refused.hint.filter(|_| is_misspelt) {
        Some(hint) => {
            let stop = if hint.ends_with(['.', '?']) { "" } else { "." };
            format!("{hint}{stop} If it is another tool, say so with {how}")
        }
        None => format!("if it is a new tool, say so with {how}"),
    });
    Err(refused)
}

/// A tool without any use, on a known server.
#[derive(Debug)]
pub struct Unused {
    /// The tool's name in the registry.
    pub name: ToolName,
    /// The report on its server's entry.
    pub server: ToolReport,
}

impl Unused {
    /// Returns the tool if it was never used and the project sees its server.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn of(
        registry: &Registry,
        settings: &Settings,
        name: &str,
    ) -> Result<Option<Self>, ServiceError> {
        let unused = registry.tools().unused(&settings.project, name, settings.now).wait()?;
        Ok(unused.map(|(name, server)| Self { name, server }))
    }

    /// Returns the error for a command that needs a tool with a history; `text` is the name as typed.
    pub fn refused(&self, text: &str) -> ServiceError {
        let what =
            if self.is_foreign() { "not one of this client's tools" } else { "not used yet" };
        let what = format!("{} is {what}: {}", quoted(text), self.reason());
        ServiceError::new(ErrorKind::Unknown, what)
    }

    /// Returns the tool as JSON, under the name by which the client calls it.
    pub fn data(&self, settings: &Settings, client: Option<&ClientId>) -> Value {
        let (name, server) = (called_by(client, self.name.as_str()), &self.server);
        json!({
            "for": settings.audience(),
            "name": name, "kind": ToolKind::McpTool, "server": server.server.as_deref().filter(|name| is_plain(name)),
            "clients": server.clients,
            "status": if self.is_offered() { "unknown" } else { server.status_word.as_str() },
            "uses": 0, "reason": self.reason(),
        })
    }

    /// Returns true if only other clients have the tool's server.
    fn is_foreign(&self) -> bool {
        self.server.presence.cause == PresenceCause::OtherClient
    }

    /// Returns true if the tool's server can be called, as far as is known.
    pub fn is_offered(&self) -> bool {
        self.server.status_word == StatusWord::Active && !self.server.ignored
    }

    /// Describes the tool's server: the clients that configure it, or the reason why it cannot be called. Omits a
    /// server's name that could be prose.
    pub fn reason(&self) -> String {
        let server = self.server.server.as_deref().filter(|name| is_plain(name));
        let server =
            server.map_or_else(|| "its server".into(), |name| format!("its server {name}"));
        if self.server.ignored {
            return format!("the user has chosen to ignore {server}");
        }
        if self.is_foreign() || self.is_offered() {
            let is_named = |state: ListingState| match self.is_foreign() {
                true => state.is_listed(),
                false => state == ListingState::Configured,
            };
            let named = self.server.clients.iter().filter(|(_, state)| is_named(**state));
            let clients: Vec<&str> = named.map(|(client, _)| client.as_str()).collect();
            if clients.is_empty() {
                return format!("{server} is no longer configured in any client");
            }
            let verb = if self.is_foreign() { "only in" } else { "configured in" };
            return format!("{server} is {verb} {}", clients.join(", "));
        }
        let signals = self.server.verdict.signals.iter();
        let reasons: Vec<&str> = signals.map(|signal| signal.reason.as_str()).collect();
        format!("{server} is {}: {}", self.server.status_word.as_str(), reasons.join("; "))
    }
}

fn unknown(settings: &Settings, name: &str, near: &[ToolName]) -> ServiceError {
    let unknown = ServiceError::new(ErrorKind::Unknown, format!("no tool named {}", quoted(name)));
    let near = as_called(settings, near);
    unknown.hint(if near.is_empty() {
        "see `staleness tools list`, or run `staleness scan` first".into()
    } else {
        format!("did you mean {}?", near.join(" or "))
    })
}

/// Returns the known tool most similar to an invented name, as the client calls it. `None` if the tool
/// exists.
pub fn did_you_mean(registry: &Registry, settings: &Settings, name: &ToolReport) -> Option<String> {
    let similar = || registry.tools().similar(&settings.project, name.key.name.as_str()).wait();
    let (near, _) = name.is_invented().then(similar)?.ok()?;
    as_called(settings, &near).into_iter().next()
}

/// Returns names as the client calls them, except those that could be prose.
fn as_called(settings: &Settings, names: &[ToolName]) -> Vec<String> {
    let names = names.iter().map(ToolName::as_str).filter(|name| is_plain(name));
    names.map(|name| called_by(settings.client.as_ref(), name)).collect()
}
