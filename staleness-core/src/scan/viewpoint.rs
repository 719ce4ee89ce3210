//! Viewpoints: the tools of one client, and the names that are not tools.
//!
//! A registry serves all clients of a machine. A [`Tool`] says only whether some client loads it. Whether one client
//! loads it follows from the listings in that client's own sources or, for a tool of an MCP server, from those of the
//! server. A name that has only ever failed is not a tool: a model invented it.

use std::collections::{HashMap, HashSet};

use super::shadow;
use crate::ids::{ClientId, Level, Scope, ServerKey, SourceId, ToolKey, ToolName};
use crate::store::View;
use crate::tool::{
    Hold, Listing, ListingState, Presence, PresenceCause, Tool, ToolKind, ToolSummary,
};

/// The presence of a tool for one client, according to the client's own sources and uses. Better variants come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// The client loads the tool, or no client lists it.
    There,
    /// The client used the tool, but only other clients list it. The state of their entries does not matter.
    Used,
    /// The client lists the tool without loading it, or was the last to list it.
    Away(PresenceCause),
    /// Only other clients list the tool or used it.
    Others,
}

/// Adapts a view to one client, or to all. Invented names get the cause [`PresenceCause::Invented`];
/// summaries omit them.
pub(crate) fn see_as(view: &mut View, client: Option<&ClientId>, accounts: &[String]) {
    let invented = invented(view, accounts);
    let waiting = shadow::settle(view, client, true);
    view.seen_by = client.cloned();
    if let Some(client) = client {
        see_as_one(view, client, &waiting);
    }
    withhold(view, client);
    mark(view, &invented);
}

/// Adapts a view to all clients, each separately. If a client loads only one of several entries, all of them stay,
/// because each can be disabled.
pub(crate) fn see_all(view: &mut View, accounts: &[String]) {
    let invented = invented(view, accounts);
    shadow::settle(view, None, false);
    withhold(view, None);
    mark(view, &invented);
}

/// Keeps, for each tool, the live lists that apply to the client: its own and those for all clients, or every list if
/// there are none of these. A tool is absent if one of the remaining lists withholds it. A pending change is dropped if
/// none of them contains it.
pub(crate) fn withhold(view: &mut View, client: Option<&ClientId>) {
    for tool in view.tools.values_mut().filter(|tool| tool.is_unaccepted()) {
        if let Some(client) = client {
            keep_own_lists(&mut tool.listings, client);
        }
        if tool.is_withheld() && tool.presence.is_present() {
            let since = view.definitions.get(&tool.key).map(|row| row.since);
            let since = since.unwrap_or(tool.presence.since);
            tool.presence = Presence::new(PresenceCause::DefinitionChanged, since);
        }
        if !tool.is_unaccepted()
            && let Some(row) = view.definitions.get_mut(&tool.key)
        {
            row.forget_pending();
        }
    }
    for tool in view.summaries.values_mut().flatten() {
        let is_withheld = |each: &Listing| each.state == ListingState::Withheld;
        if !tool.listings.iter().any(is_withheld) {
            continue;
        }
        if let Some(client) = client {
            keep_own_lists(&mut tool.listings, client);
        }
        tool.present &= !tool.listings.iter().any(is_withheld);
    }
    withhold_with_servers(view);
}

/// Makes the tools of a server absent while the server's instructions await acceptance.
fn withhold_with_servers(view: &mut View) {
    let is_withheld = |each: &Listing| each.state == ListingState::Withheld;
    let mut servers: HashSet<(Scope, ServerKey)> = HashSet::new();
    let mut note = |scope: &Scope, kind, server: Option<&ServerKey>, listings: &[Listing]| {
        if kind == ToolKind::McpServer && listings.iter().any(is_withheld) {
            servers.extend(server.map(|server| (scope.clone(), server.clone())));
        }
    };
    for tool in view.tools.values() {
        note(&tool.key.scope, tool.kind, tool.server.as_ref(), &tool.listings);
    }
    for (scope, summaries) in &view.summaries {
        for tool in summaries {
            note(scope, tool.kind, tool.server.as_ref(), &tool.listings);
        }
    }
    if servers.is_empty() {
        return;
    }
    let is_of_one = |scope: &Scope, kind, server: Option<&ServerKey>| {
        let of =
            |scope: &Scope, server: &ServerKey| servers.contains(&(scope.clone(), server.clone()));
        let server = server.filter(|_| kind == ToolKind::McpTool);
        server.is_some_and(|server| of(scope, server) || of(&Scope::Global, server))
    };
    for tool in view.tools.values_mut().filter(|tool| tool.presence.is_present()) {
        if is_of_one(&tool.key.scope, tool.kind, tool.server.as_ref()) {
            tool.presence.cause = PresenceCause::DefinitionChanged.of_tools();
        }
    }
    for (scope, summaries) in &mut view.summaries {
        for tool in summaries {
            tool.present &= !is_of_one(scope, tool.kind, tool.server.as_ref());
        }
    }
}

fn keep_own_lists(listings: &mut Vec<Listing>, client: &ClientId) {
    let is_own = |each: &Listing| is_read_by(&each.source, client);
    if listings.iter().any(|each| each.is_live() && is_own(each)) {
        listings.retain(|each| !each.is_live() || is_own(each));
    }
}

/// Returns true if a client's own live list has begun to withhold a tool, and false if it offers the tool again. `None`
/// if nothing changed, or if the list applies to all clients.
pub(super) fn withheld_now(before: &[Listing], after: &[Listing], client: &str) -> Option<bool> {
    let of = |all: &[Listing], owner: &str| {
        let own = all.iter().filter(|each| each.is_live() && each.source.client == owner);
        own.map(|each| each.state == ListingState::Withheld).max()
    };
    let own = [before, after].map(|all| of(all, client));
    if client == ALL || own == [None, None] {
        return None;
    }
    let was = own[0].or_else(|| of(before, ALL))?;
    let is = own[1].or_else(|| of(after, ALL))?;
    let is_gone = |each: &Listing| each.is_live() && each.state == ListingState::Gone;
    if after.iter().any(|each| is_gone(each) && each.source.client == client) {
        return None;
    }
    (was != is).then_some(is)
}

/// Returns true if a client's own live list has lost a tool that another list still contains, and false if it has the
/// tool again. `None` if nothing changed, or if the list applies to all clients.
pub(super) fn dropped_now(before: &[Listing], after: &[Listing], client: &str) -> Option<bool> {
    let lists =
        |all: &[Listing]| all.iter().any(|each| each.is_live() && each.source.client == client);
    match (lists(before), lists(after)) {
        _ if client == ALL => None,
        (true, false) if is_dropped(after, client) => Some(true),
        (false, true) if is_dropped(before, client) => Some(false),
        _ => None,
    }
}

/// Returns true if a tool is missing from the live list of the server that a client starts, but not from another
/// client's list.
fn is_dropped(listings: &[Listing], client: &str) -> bool {
    let live = listings.iter().filter(|each| each.source.level == Level::Live);
    let is_own = |each: &&Listing| [ALL, client].contains(&each.source.client.as_str());
    let (own, others): (Vec<_>, Vec<_>) = live.partition(is_own);
    !own.is_empty()
        && !own.iter().any(|each| each.state.is_listed())
        && others.iter().any(|each| each.state.is_listed())
}

/// Returns the clients whose own live lists withhold a tool, if other lists offer it.
pub(crate) fn withheld_from(listings: &[Listing]) -> Vec<ClientId> {
    let live = || listings.iter().filter(|each| each.is_live());
    let is_withheld = |each: &&Listing| each.state == ListingState::Withheld;
    if live().all(|each| is_withheld(&each)) {
        return Vec::new();
    }
    let own = live().filter(is_withheld).filter(|each| each.source.client != ALL);
    own.filter_map(|each| ClientId::new(each.source.client.as_str()).ok()).collect()
}

/// Marks invented names, and removes their summaries.
fn mark(view: &mut View, invented: &HashSet<ToolKey>) {
    if invented.is_empty() {
        return;
    }
    for key in invented {
        if let Some(tool) = view.tools.get_mut(key) {
            tool.presence.cause = PresenceCause::Invented;
        }
    }
    for (scope, summaries) in &mut view.summaries {
        let key = |name: &ToolName| ToolKey { scope: scope.clone(), name: name.clone() };
        summaries.retain(|tool| !invented.contains(&key(&tool.name)));
    }
}

/// Returns the invented names in a view: names that have only failed, that no source lists or has listed, and whose
/// server either has no known entry or has a live list without them. A name without a server is invented if this is
/// true for each server of the clients that called it. The view must contain the server entries and their tools.
/// Servers of an account, which are recognised by the prefixes of their names, are in no list.
pub(crate) fn invented(view: &View, accounts: &[String]) -> HashSet<ToolKey> {
    let tools = view.tools.values().map(|tool| (&tool.key.scope, Facts::from(tool)));
    let summaries = view.summaries.iter().flat_map(|(scope, summaries)| {
        summaries.iter().map(move |tool| (scope, Facts::from(tool)))
    });
    let all = tools.chain(summaries);
    let is_doubtful =
        |tool: &Facts<'_>| tool.is_doubtful() && !is_of_an_account(tool.name, accounts);
    let doubtful: Vec<_> = all.clone().filter(|(_, tool)| is_doubtful(tool)).collect();
    if doubtful.is_empty() {
        return HashSet::new();
    }
    let (mut listed, mut served, mut live) = (HashSet::new(), HashMap::new(), HashSet::new());
    for (scope, tool) in all {
        if !tool.listings.is_empty() {
            listed.insert((scope, tool.name));
        }
        if let Some(server) = tool.server {
            if tool.kind == ToolKind::McpServer {
                served.insert((scope, server), tool.listings);
            }
            if tool.listings.iter().any(Listing::is_live) {
                live.insert((scope, server));
            }
        }
    }
    // The tools of a server without a live list are unknown, so it may have any.
    let is_open = |at: &(&Scope, &ServerKey)| served.contains_key(at) && !live.contains(at);
    let is_callers = |listings: &[Listing], tool: &Facts<'_>| {
        let is_callers = |each: &Listing| {
            tool.used_by.iter().any(|client| each.source.client == client.as_str())
        };
        listings.iter().any(is_callers)
    };
    let is_known = |scope: &Scope, tool: &Facts<'_>| {
        listed.contains(&(scope, tool.name))
            || match tool.server {
                Some(server) => is_open(&(scope, server)),
                None => {
                    tool.kind == ToolKind::McpTool
                        && served.iter().any(|(at, listings)| {
                            at.0 == scope && is_open(at) && is_callers(listings, tool)
                        })
                }
            }
    };
    let invented = doubtful
        .into_iter()
        .filter(|(scope, tool)| !is_known(scope, tool) && !is_known(&Scope::Global, tool));
    invented
        .map(|(scope, tool)| ToolKey { scope: scope.clone(), name: tool.name.clone() })
        .collect()
}

/// Returns true if a tool's server belongs to the user's account: its name has one of these prefixes.
pub(crate) fn is_of_an_account(tool: &ToolName, accounts: &[String]) -> bool {
    let server = tool.as_str().strip_prefix("mcp__");
    server.is_some_and(|server| accounts.iter().any(|prefix| server.starts_with(prefix)))
}

/// Adapts a view to one client. Tools that it loads are present. Tools that it lists without loading, or no longer
/// lists, are absent. Tools that only other clients have get the cause [`PresenceCause::OtherClient`]; summaries omit
/// them. Health and decisions by a person are shared. The user's tools of servers in `waiting`, which wait for the
/// project's entry to be loaded, are left alone.
fn see_as_one(view: &mut View, client: &ClientId, waiting: &HashSet<ServerKey>) {
    let servers = ClientServers::of(view, client);
    let waits = |scope: &Scope, tool: Facts<'_>| {
        *scope == Scope::Global
            && tool.kind == ToolKind::McpTool
            && tool.server.is_some_and(|server| waiting.contains(server))
    };
    for tool in view.tools.values_mut() {
        if tool.presence.cause.is_foreign() || waits(&tool.key.scope, (&*tool).into()) {
            continue;
        }
        let of = servers.standing(&tool.key.scope, (&*tool).into(), client);
        let cause = match of {
            Standing::There => continue,
            Standing::Used if tool.presence.is_present() => continue,
            Standing::Used => PresenceCause::Used,
            Standing::Away(cause) => cause,
            Standing::Others => PresenceCause::OtherClient,
        };
        tool.presence.cause = cause;
    }
    for (scope, summaries) in &mut view.summaries {
        summaries.retain_mut(|tool| match servers.standing(scope, (&*tool).into(), client) {
            _ if waits(scope, (&*tool).into()) => true,
            Standing::There => true,
            Standing::Others => false,
            standing => {
                tool.present = standing == Standing::Used;
                true
            }
        });
    }
}

/// Returns true if a model may have invented the name: no source lists the tool itself, and it has only failed, in
/// calls by clients. Its server may be listed.
pub(crate) fn may_be_invented(tool: &Tool) -> bool {
    Facts::from(tool).is_doubtful()
}

/// The parts of a tool that decide which clients have it.
#[derive(Clone, Copy)]
struct Facts<'a> {
    name: &'a ToolName,
    kind: ToolKind,
    server: Option<&'a ServerKey>,
    listings: &'a [Listing],
    used_by: &'a [ClientId],
    hold: Hold,
    failed_only: bool,
}

impl Facts<'_> {
    /// Returns true if the tool is known only from failures in clients: neither a client nor the name tells its kind,
    /// and no person decided about it. A tool without a calling client is not doubtful, because other programs do not
    /// list their tools anywhere.
    fn is_doubtful(self) -> bool {
        matches!(self.kind, ToolKind::Unknown | ToolKind::McpTool)
            && self.failed_only
            && self.listings.is_empty()
            && self.hold == Hold::None
            && !self.used_by.is_empty()
    }

    /// Returns true if only live lists contained the tool, and none does now.
    fn is_unlisted(self) -> bool {
        let is_out = |each: &Listing| each.source.level == Level::Live && !each.state.is_listed();
        !self.listings.is_empty() && self.listings.iter().all(is_out)
    }

    /// Returns true if the tool is or was listed, but only by servers that other clients start under this name.
    fn is_of_others(self, client: &ClientId) -> bool {
        let mut live = self.listings.iter().filter(|each| each.source.level == Level::Live);
        let is_other = |each: &Listing| !is_read_by(&each.source, client);
        live.clone().next().is_some() && live.all(is_other)
    }
}

/// The client in the id of a live list that applies to all clients. If clients start different servers under one name,
/// each has a list of its own.
pub(super) const ALL: &str = "live";

/// Returns true if the client reads the source, or the source is a live list that applies to all clients.
pub(crate) fn is_read_by(source: &SourceId, client: &ClientId) -> bool {
    [ALL, client.as_str()].contains(&source.client.as_str())
}

impl<'a> From<&'a Tool> for Facts<'a> {
    fn from(tool: &'a Tool) -> Self {
        Self {
            name: &tool.key.name,
            kind: tool.kind,
            server: tool.server.as_ref(),
            listings: &tool.listings,
            used_by: &tool.used_by,
            hold: tool.hold,
            failed_only: tool.failed_only(),
        }
    }
}

impl<'a> From<&'a ToolSummary> for Facts<'a> {
    fn from(tool: &'a ToolSummary) -> Self {
        Self {
            name: &tool.name,
            kind: tool.kind,
            server: tool.server.as_ref(),
            listings: &tool.listings,
            used_by: &tool.used_by,
            hold: tool.hold,
            failed_only: tool.failed_only,
        }
    }
}

/// Returns the standing of a tool for `client`, according to its sources and uses. Live lists do not count, because
/// they belong to the server.
fn own(tool: Facts<'_>, client: &ClientId) -> Standing {
    let of_clients = || tool.listings.iter().filter(|each| each.source.level != Level::Live);
    match shadow::state_for(tool.listings, client.as_str()) {
        Some(ListingState::Configured) => Standing::There,
        Some(state) => Standing::Away(state.cause()),
        None if of_clients().next().is_none() => {
            // A live list says which tools a server has, not which clients have the server.
            let is_of_server = tool.server.is_some() && !tool.listings.is_empty();
            let is_nobodys = tool.used_by.is_empty() && !is_of_server;
            if is_nobodys || tool.used_by.contains(client) {
                Standing::There
            } else {
                Standing::Others
            }
        }
        None if tool.used_by.contains(client) => Standing::Used,
        None => Standing::Others,
    }
}

/// The standing of each server's best entry for one client, by scope.
#[derive(Debug, Default)]
pub(crate) struct ClientServers(HashMap<Scope, HashMap<ServerKey, Standing>>);

impl ClientServers {
    /// Collects the servers with entries in a view, except those that another entry replaces.
    pub(crate) fn of(view: &View, client: &ClientId) -> Self {
        let mut servers = Self::default();
        let entries = view.tools.values().filter(|tool| tool.kind == ToolKind::McpServer);
        for tool in entries.filter(|tool| !tool.presence.cause.is_foreign()) {
            servers.add(&tool.key.scope, tool.server.as_ref(), own(tool.into(), client));
        }
        for (scope, summaries) in &view.summaries {
            for tool in summaries.iter().filter(|tool| tool.kind == ToolKind::McpServer) {
                servers.add(scope, tool.server.as_ref(), own(tool.into(), client));
            }
        }
        servers
    }

    fn add(&mut self, scope: &Scope, server: Option<&ServerKey>, standing: Standing) {
        let Some(server) = server else { return };
        let servers = self.0.entry(scope.clone()).or_default();
        let known = servers.entry(server.clone()).or_insert(standing);
        *known = standing.min(*known);
    }

    /// Returns true if sources list the tool or its server, but the client does not load it and never used it. A failed
    /// call of this client then says nothing about the tool.
    pub(crate) fn lack(&self, tool: &Tool, client: &ClientId) -> bool {
        let standing = self.standing(&tool.key.scope, tool.into(), client);
        self.list(tool) && matches!(standing, Standing::Away(_) | Standing::Others)
    }

    /// Returns true if a source lists or has listed the tool or its server.
    pub(crate) fn list(&self, tool: &Tool) -> bool {
        tool.is_configured() || self.entry(&tool.key.scope, tool.into()).is_some()
    }

    /// Returns the standing of the best entry of the tool's server. `None` if it has no entry. A project's entry that
    /// the client does not list is for a different server than the user's.
    fn entry(&self, scope: &Scope, tool: Facts<'_>) -> Option<Standing> {
        let server = tool.server.filter(|_| tool.kind == ToolKind::McpTool)?;
        let of = |scope: &Scope| self.0.get(scope)?.get(server).copied();
        match of(scope) {
            Some(Standing::Others) => Some(Standing::Others),
            own => own.into_iter().chain(of(&Scope::Global)).min(),
        }
    }

    /// Returns true if the client loads the tool's server through its entry in this scope.
    fn is_loaded(&self, scope: &Scope, tool: Facts<'_>) -> bool {
        let standing = || self.0.get(scope)?.get(tool.server?).copied();
        standing() == Some(Standing::There)
    }

    /// Returns the standing of the tool's server, or that of the tool's own sources if the server has no entry.
    fn standing(&self, scope: &Scope, tool: Facts<'_>, client: &ClientId) -> Standing {
        match self.entry(scope, tool) {
            None => own(tool, client),
            Some(Standing::Away(cause)) => Standing::Away(cause.of_tools()),
            // The client used the tool although its configuration contains no such server.
            Some(Standing::Others)
                if tool.used_by.contains(client) && !self.is_loaded(&Scope::Global, tool) =>
            {
                // A live list without the tool applies to this client too.
                if tool.is_unlisted() { Standing::There } else { Standing::Used }
            }
            Some(Standing::There) if is_dropped(tool.listings, client.as_str()) => {
                Standing::Away(PresenceCause::NotListed)
            }
            Some(Standing::There) if tool.is_of_others(client) => {
                match tool.used_by.contains(client) {
                    true => Standing::Used,
                    false => Standing::Others,
                }
            }
            Some(standing) => standing,
        }
    }
}
