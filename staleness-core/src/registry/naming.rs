//! Resolves a name typed by a person or a model to a tool.

use super::queries::{Lookup, named};
use super::{ALIKE, ScopeChoice};
use crate::ids::{Level, ProjectId, ServerKey, ToolKey, ToolName};
use crate::names::is_called;
use crate::registry::{RegistryError, Tools};
use crate::report::{Context, ToolReport, is_own_server};
use crate::scan::ProjectRef;
use crate::store::Refusal;
use crate::time::Timestamp;
use crate::tool::{Tool, ToolKind};

/// The maximum number of names to suggest for an unknown one.
const MAX_NEAR: usize = 3;

impl Tools<'_> {
    /// Resolves a name to the key of a tool of the project, in this order:
    /// - a tool of the requesting client, by its name or one of its [`ToolName::spellings`];
    /// - a tool of exactly this name, even if only other clients have it or a model invented it;
    /// - the only tool or server with this name in any client's spelling; for a tool, also without its server;
    /// - a tool of another client, by one of the spellings.
    ///
    /// A name that may be invented counts as unknown if only other clients called it.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if the name is unknown or ambiguous.
    pub async fn find_key(
        self,
        project: &ProjectId,
        text: &str,
        scope: ScopeChoice,
    ) -> Result<ToolKey, RegistryError> {
        let keys: Vec<ToolKey> =
            ToolName::spellings(text).iter().flat_map(|name| scope.keys(project, name)).collect();
        let view = self.0.ask(Lookup { keys: keys.clone(), project: project.clone() }).await?;
        let project = ProjectRef { id: project.clone(), root: String::new() };
        // The maximum time, so that every recorded name counts.
        let context = Context::new(&view, &self.0.policy, &project, Timestamp::MAX);
        let is_guess = |key: &ToolKey| {
            view.tools.get(key).is_some_and(|tool| context.is_guess_of_others(tool))
        };
        let keys: Vec<ToolKey> = keys.into_iter().filter(|key| !is_guess(key)).collect();
        let known = named(&keys, &view);
        let is_own = |key: &&ToolKey| {
            key.name.as_str() == text
                || view.tools.get(*key).is_some_and(|tool| !tool.presence.cause.is_foreign())
        };
        if let Some(key) = known.filter(is_own) {
            return Ok(key.clone());
        }
        let all = self.0.seen(&project).await?;
        let context = Context::new(&all, &self.0.policy, &project, Timestamp::MAX);
        // A server's name may be spelled as in the names of its tools.
        let entry = ServerKey::meant_by(text);
        let known_here = context.visible().filter(|tool| !context.is_guess_of_others(tool));
        let mut called = known_here.filter(|tool| {
            let is_entry = tool.kind == ToolKind::McpServer && tool.server == entry;
            scope.keys(&project.id, &tool.key.name).contains(&tool.key)
                && tool
                    .server
                    .as_ref()
                    .is_some_and(|server| is_entry || is_called(text, server, &tool.key.name))
        });
        let only = called.next().filter(|_| called.next().is_none()).map(|tool| &tool.key);
        only.or(known)
            .cloned()
            .ok_or_else(|| Refusal::Unknown { what: "tool", id: text.into() }.into())
    }

    /// Returns the full name of a tool that was never used, and the report of its server. `text` must name a tool on a
    /// server of the project, or else on a server of another client. `None` if there is no such server, or if a live
    /// list of the server already names its tools. A name without a server means a tool of the only server.
    pub async fn unused(
        self,
        project: &ProjectRef,
        text: &str,
        now: Timestamp,
    ) -> Result<Option<(ToolName, ToolReport)>, RegistryError> {
        let view = self.0.seen(project).await?;
        let context = Context::new(&view, &self.0.policy, project, now);
        let is_live = |member: &&Tool| {
            member.listings.iter().any(|listing| listing.source.level == Level::Live)
        };
        let servers = || context.visible().filter(|tool| tool.kind == ToolKind::McpServer);
        let foreign = || {
            let all = view.tools.values().filter(|tool| tool.kind == ToolKind::McpServer);
            all.filter(|tool| context.reaches(tool))
        };
        let owned = |name: ToolName| {
            let owners = ServerKey::owners_of(name.as_str());
            let mut owners = owners.iter().rev().filter(|_| !name.is_server_entry());
            let server = owners.find_map(|owner| {
                let is_it = |tool: &&Tool| tool.server.as_ref() == Some(owner);
                servers().find(is_it).or_else(|| foreign().find(is_it))
            })?;
            Some((name, server))
        };
        let serverless = || {
            let own = ToolName::new(text).ok()?.serverless()?.to_owned();
            let is_other = |server: &&ServerKey| !is_own_server(server.as_str());
            let mut others = servers().filter_map(|tool| tool.server.as_ref()).filter(is_other);
            let only = others.next().filter(|_| others.next().is_none())?;
            owned(ToolName::new(format!("mcp__{only}__{own}")).ok()?)
        };
        let found = ToolName::spellings(text).into_iter().find_map(owned).or_else(serverless);
        let is_known = |name: &ToolName| {
            let mut tools = view.tools.values().filter(|tool| tool.key.name == *name);
            tools.any(|tool| !context.is_guess_of_others(tool))
        };
        let unlisted = found.filter(|(name, server)| {
            !is_known(name) && !context.members(server).iter().any(is_live)
        });
        Ok(unlisted.map(|(name, server)| (name, ToolReport::new(&context, server))))
    }

    /// Returns at most three known names to suggest for the unknown name `text`. The flag is true if `text` probably
    /// misspells these names (see `typing_errors`) or may mean any of them. Otherwise returns false and the most
    /// similar name, if any. Omits names that only failed. Omits servers if `text` is the name of a server's tool.
    pub async fn similar(
        self,
        project: &ProjectRef,
        text: &str,
    ) -> Result<(Vec<ToolName>, bool), RegistryError> {
        let view = self.0.seen(project).await?;
        let context = Context::new(&view, &self.0.policy, project, Timestamp::default());
        let is_called = ToolKind::of_name(text) == ToolKind::McpTool;
        let real = context.visible().filter(|tool| !tool.failed_only()).map(|tool| &tool.key.name);
        let names: Vec<ToolName> = real
            .filter(|name| name.as_str() != text && !(is_called && name.is_server_entry()))
            .cloned()
            .collect();
        let near = misspelt(&names, text);
        if !near.is_empty() {
            return Ok((near, true));
        }
        // The prefix that all tools of servers have does not make two names similar.
        let bare = |name: &str| name.strip_prefix("mcp__").unwrap_or(name).to_lowercase();
        let wanted = bare(text);
        let tail = wanted.rsplit("__").next().unwrap_or_default();
        let alike = |name: &ToolName| {
            let name = bare(name.as_str());
            let own = name.rsplit("__").next().filter(|own| *own != "*");
            let tails = own.map_or(0.0, |own| strsim::jaro_winkler(tail, own));
            strsim::jaro_winkler(&wanted, &name).max(tails)
        };
        let best = names.into_iter().map(|name| (alike(&name), name));
        let best = best.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
        let best = best.filter(|(like, _)| *like >= ALIKE).map(|(_, name)| name);
        Ok((best.into_iter().collect(), false))
    }
}

/// Returns the names with the fewest typing errors, at most [`MAX_NEAR`].
fn misspelt(names: &[ToolName], text: &str) -> Vec<ToolName> {
    let wanted = words(text);
    let errors = |name: &ToolName| {
        let (server, own) = parts(name.as_str());
        let whole = server.iter().chain(&own).cloned().collect::<Vec<_>>();
        let own = typing_errors(&wanted, &own);
        let own = own.filter(|_| !ToolName::new(text).is_ok_and(|text| text.is_mcp()));
        own.into_iter().chain(typing_errors(&wanted, &whole)).min()
    };
    let all: Vec<_> = names.iter().filter_map(|name| Some((errors(name)?, name))).collect();
    let fewest = all.iter().map(|(errors, _)| *errors).min();
    let best = all.into_iter().filter(|(errors, _)| Some(*errors) == fewest);
    best.take(MAX_NEAR).map(|(_, name)| name.clone()).collect()
}

/// Returns the number of typing errors between two names. `None` if they are different names: their numbers or their
/// counts of words differ, a word differs in more than a quarter of its letters, or there are more than two errors. A
/// missing or extra letter is an error even in a short word, if at least [`MIN_RIGHT`] letters are in words that match.
fn typing_errors(one: &[String], other: &[String]) -> Option<usize> {
    let numbers = |words: &[String]| {
        words.iter().flat_map(|word| word.chars()).filter(char::is_ascii_digit).collect::<String>()
    };
    let length = |word: &String| word.chars().count();
    let right: usize =
        one.iter().zip(other).filter(|(one, other)| one == other).map(|pair| length(pair.0)).sum();
    let alike = |(one, other): (&String, &String)| {
        let errors = strsim::osa_distance(one, other);
        let slipped = errors == 1 && length(one) != length(other) && right >= MIN_RIGHT;
        (slipped || errors <= 2.min(length(one) / 4)).then_some(errors)
    };
    if one.len() != other.len() || numbers(one) != numbers(other) {
        return None;
    }
    let errors = one.iter().zip(other).map(alike).sum::<Option<usize>>();
    errors.filter(|errors| *errors <= 2)
}

/// The minimum number of letters in matching words for a likely name.
const MIN_RIGHT: usize = 3;

/// Returns the words of the server in a tool's name, empty if there is none, and those of the tool's own part, all in
/// lower case. In the name of a server's own entry, the own part is the server's name.
fn parts(name: &str) -> (Vec<String>, Vec<String>) {
    match name.strip_prefix("mcp__").and_then(|name| name.rsplit_once("__")) {
        Some((server, "*")) => (Vec::new(), words(server)),
        Some((server, own)) => (words(server), words(own)),
        None => (Vec::new(), words(name)),
    }
}

/// Returns the words of a name in lower case, without the prefix of MCP tools.
fn words(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let bare = ["mcp__", "mcp_", "mcp:"].iter().find_map(|mark| name.strip_prefix(mark));
    let words = bare.unwrap_or(&name).split(|c: char| !c.is_alphanumeric()).enumerate();
    // The number of separators between two words is irrelevant, but a leading one counts: `/review` is not `review`.
    let words = words.filter(|(at, word)| *at == 0 || !word.is_empty());
    words.map(|(_, word)| word.to_owned()).collect()
}
