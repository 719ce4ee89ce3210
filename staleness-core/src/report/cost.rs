//! Costs: the tokens that a client's tools add to a session, and the time for which the client has not used them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Context, ToolReport, words};
use crate::ids::{ClientId, Level, ServerKey, SourceId, ToolKey};
use crate::store::View;
use crate::time::Timestamp;
use crate::tool::{Hold, Listing, ListingState, Tool, ToolKind};

/// A tool that a client loads, with its cost in a session of that client.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolCost {
    /// The client that loads the tool.
    pub client: String,
    /// The tool's key in the registry. Serializes as `name` and `scope` (a word).
    #[serde(flatten, serialize_with = "words::name")]
    pub key: ToolKey,
    /// The kind of tool.
    pub kind: ToolKind,
    /// The MCP server to which the tool belongs, or the server itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The client's sources that list the tool or its server.
    #[serde(skip)]
    pub sources: Vec<SourceId>,
    /// The last use of the tool by this client or by an unknown one. If several clients used the tool, the last
    /// use by any of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
    /// The number of UTC days since the tool's last use, or its discovery, on which the client used other tools. `None`
    /// if no use by the client is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_days: Option<i64>,
    /// True if the tool is pinned, ignored or this program's own, and therefore never counts as unused.
    #[serde(skip)]
    pub kept: bool,
    /// True if the tool was idle for long enough to count as unused.
    #[serde(skip)]
    pub unused: bool,
    /// The estimated tokens at the start of a session. `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The estimated tokens once the tool's definition is loaded. Some clients load definitions on demand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loaded_tokens: Option<u64>,
    /// The number of a server's known tools. `None` for other tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<usize>,
    /// The number of a server's tools whose cost is unknown and not part of the server's cost. `None` for other tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_tools: Option<usize>,
}

impl ToolCost {
    /// A description of the estimate, for reports.
    pub const METHOD: &'static str = "an estimate: characters / 4 of what a client loads first: names, descriptions and input schemas, or names alone";

    /// Estimates the tokens of a text from its number of characters.
    pub const fn estimate(characters: usize) -> u64 {
        characters.div_ceil(4) as u64
    }
}

fn day(at: Timestamp) -> i64 {
    at.days_since(Timestamp::default())
}

/// Returns the days on which each client is known to have used tools, from outcomes and from tools that only one client
/// used.
fn days_of_use(view: &View) -> BTreeMap<&str, BTreeSet<i64>> {
    let mut days: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
    for outcome in view.outcomes.values() {
        if let Some(client) = &outcome.client {
            days.entry(client.as_str()).or_default().insert(day(outcome.at));
        }
    }
    for tool in view.tools.values() {
        if let [client] = tool.used_by.as_slice() {
            let times = tool.ring.entries().map(|entry| entry.at).chain(tool.last_used_at);
            // A tool that no source lists was discovered by its first use.
            let first = Some(tool.discovered_at).filter(|_| !tool.is_configured());
            let days = days.entry(client.as_str()).or_default();
            days.extend(times.chain(first).map(day));
        }
    }
    days
}

/// Returns true if the dates of the tools alone cannot show for `days` days that a tool of the client is unused.
pub(crate) fn needs_outcomes(view: &View, client: Option<&ClientId>, days: u32) -> bool {
    let days_of_use = days_of_use(view);
    let listings = view.tools.values().flat_map(|tool| &tool.listings);
    let clients: BTreeSet<&str> = listings
        .filter(|listing| is_loaded(listing, client))
        .map(|listing| listing.source.client.as_str())
        .collect();
    clients
        .into_iter()
        .any(|client| days_of_use.get(client).is_none_or(|known| known.len() <= days as usize))
}

/// Returns true if the client, or any client if none is given, loads the tool through this listing.
fn is_loaded(listing: &Listing, client: Option<&ClientId>) -> bool {
    let source = &listing.source;
    client.is_none_or(|client| client.as_str() == source.client)
        && source.level != Level::Live
        && listing.state == ListingState::Configured
}

/// Returns the time of a tool's last use, if this client may have made it.
fn used_at(tool: &Tool, client: &str) -> Option<Timestamp> {
    let by = &tool.used_by;
    let may_be = by.is_empty() || by.len() >= Tool::MAX_CLIENTS;
    let is_own = may_be || by.iter().any(|each| ClientId::as_str(each) == client);
    tool.last_used_at.filter(|_| is_own)
}

/// Returns the tools that the clients load, with their costs, sorted by client, name and scope. Of a server's tools,
/// returns only unused ones, and none if the whole server is unused. A tool is unused after `days` days; `None` for the
/// policy's default. `names_only` takes a client and returns true if its sessions begin with only the names of MCP
/// tools.
pub(crate) fn costs(
    context: &Context<'_>,
    client: Option<&ClientId>,
    days: Option<u32>,
    names_only: &dyn Fn(&str) -> bool,
) -> Vec<ToolCost> {
    let days_of_use = days_of_use(context.view());
    let mut all: Vec<ToolCost> = Vec::new();
    for tool in context.view().tools.values().filter(|tool| context.reaches(tool)) {
        let mut sources: BTreeMap<&str, Vec<SourceId>> = BTreeMap::new();
        for Listing { source, .. } in tool.listings.iter().filter(|each| is_loaded(each, client)) {
            sources.entry(&source.client).or_default().push(source.clone());
        }
        for (client, sources) in sources {
            let days_of_use = days_of_use.get(client);
            let brief = names_only(client);
            ClientCosts { context, client, sources, days_of_use, days, brief }.add(tool, &mut all);
        }
    }
    // Servers with the same name cannot be distinguished, so removing an unused one might remove a used one.
    let entry = |each: &ToolCost| {
        let server = each.server.as_deref().filter(|_| each.kind == ToolKind::McpServer);
        Some((each.client.clone(), ServerKey::of(server?)?))
    };
    let used: BTreeSet<_> = all.iter().filter(|each| !each.unused).filter_map(entry).collect();
    for each in all.iter_mut().filter(|each| each.unused) {
        each.unused = entry(each).is_none_or(|entry| !used.contains(&entry));
    }
    let place =
        |each: &ToolCost| (each.client.clone(), each.key.name.clone(), each.key.scope.word());
    all.sort_by_cached_key(place);
    all
}

struct ClientCosts<'a> {
    context: &'a Context<'a>,
    client: &'a str,
    sources: Vec<SourceId>,
    days_of_use: Option<&'a BTreeSet<i64>>,
    days: Option<u32>,
    /// True if sessions of the client begin with only the names of MCP tools.
    brief: bool,
}

impl ClientCosts<'_> {
    /// Adds a tool, or a server with its tools. Plugins and built-in tools have no cost of their own.
    fn add(&self, tool: &Tool, all: &mut Vec<ToolCost>) {
        match tool.kind {
            ToolKind::Builtin | ToolKind::Plugin | ToolKind::Unknown => return,
            ToolKind::McpServer => {}
            ToolKind::McpTool | ToolKind::SlashCommand | ToolKind::Skill | ToolKind::Agent => {
                let about = tool.description.as_deref();
                let tokens = about.map(|about| tokens([tool.key.name.as_str(), about]));
                all.push(ToolCost { tokens, ..self.cost(tool, used_at(tool, self.client)) });
                return;
            }
        }
        let members = self.context.members(tool).iter().filter(|member| {
            let is_gone = !member.listings.is_empty()
                && member.listings.iter().all(|each| each.state == ListingState::Gone);
            self.context.is_told_of(member) && !is_gone
        });
        // There may be thousands of tools, so only unused ones are reported.
        let (mut used, mut tools, mut unknown) = (used_at(tool, self.client), 0, 0);
        let (mut sums, mut unused) = ((None, None), Vec::new());
        let add = |sum: Option<u64>, more| Some(sum.unwrap_or(0) + more);
        for member in members {
            let member_used = used_at(member, self.client);
            used = used.max(member_used);
            tools += 1;
            match self.tokens_of(member) {
                (Some(tokens), Some(loaded)) => {
                    sums = (add(sums.0, tokens), add(sums.1, loaded));
                }
                _ => unknown += 1,
            }
            if self.is_unused(member, self.idle_days(member, member_used)) {
                unused.push((member, member_used));
            }
        }
        let server = ToolCost {
            tokens: sums.0,
            loaded_tokens: sums.1,
            tools: Some(tools),
            unknown_tools: Some(unknown),
            ..self.cost(tool, used)
        };
        if !server.unused && !self.is_exempt(tool) {
            all.extend(unused.into_iter().map(|(member, used)| {
                let (tokens, loaded_tokens) = self.tokens_of(member);
                ToolCost { tokens, loaded_tokens, ..self.cost(member, used) }
            }));
        }
        all.push(server);
    }

    /// Returns the cost of a server's tool: at the start of a session, and once its definition is loaded.
    fn tokens_of(&self, member: &Tool) -> (Option<u64>, Option<u64>) {
        let characters = member.key.name.as_str().chars().count();
        let whole = member.defined_chars.map(|more| ToolCost::estimate(characters + more as usize));
        let name = whole.map(|_| ToolCost::estimate(characters));
        (if self.brief { name } else { whole }, whole)
    }

    fn idle_days(&self, tool: &Tool, used: Option<Timestamp>) -> Option<i64> {
        let days = self.days_of_use?;
        let since = day(used.unwrap_or(tool.discovered_at)).max(*days.first()?);
        Some(days.range(since + 1..).count() as i64)
    }

    fn is_unused(&self, tool: &Tool, idle_days: Option<i64>) -> bool {
        let days = || self.days.unwrap_or_else(|| self.context.tool_policy(tool).unseen_days);
        idle_days.is_some_and(|idle| idle >= i64::from(days())) && !self.is_exempt(tool)
    }

    fn is_exempt(&self, tool: &Tool) -> bool {
        tool.hold == Hold::Pinned || self.context.is_silent(tool)
    }

    /// Returns the tool and its use, without a cost.
    fn cost(&self, tool: &Tool, used: Option<Timestamp>) -> ToolCost {
        let idle_days = self.idle_days(tool, used);
        ToolCost {
            client: self.client.to_owned(),
            key: tool.key.clone(),
            kind: tool.kind,
            server: ToolReport::server_of(tool),
            sources: self.sources.clone(),
            last_used_at: used,
            idle_days,
            kept: self.is_exempt(tool),
            unused: self.is_unused(tool, idle_days),
            tokens: None,
            loaded_tokens: None,
            tools: None,
            unknown_tools: None,
        }
    }
}

fn tokens<const N: usize>(texts: [&str; N]) -> u64 {
    ToolCost::estimate(texts.iter().map(|text| text.chars().count()).sum())
}

#[cfg(test)]
#[path = "cost_tests.rs"]
mod tests;
