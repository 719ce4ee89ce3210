//! Shadows: entries of servers that a client does not load in a project because the project's own entry replaces them.
//!
//! The user's entry of a server applies to all projects, so its row cannot contain the state in one project. A view of
//! a project contains, for each client, the entry that takes effect.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::ids::{ClientId, Level, Scope, ServerKey, ToolName};
use crate::store::View;
use crate::tool::{Hold, Listing, ListingState, PresenceCause, ToolKind};

/// Returns the best state among a client's own entries. `None` if it has none.
pub(crate) fn state_for(listings: &[Listing], client: &str) -> Option<ListingState> {
    listings.iter().filter(|each| is_of(each, client)).map(|each| each.state).min()
}

fn is_of(listing: &Listing, client: &str) -> bool {
    listing.source.level != Level::Live && listing.source.client == client
}

/// The project's and the user's listings of one server.
#[derive(Debug, Default)]
struct Pair {
    own: Vec<Listing>,
    global: Vec<Listing>,
    /// True if one of the entries was pinned or ignored. Both then stay visible while they are listed.
    is_held: bool,
    /// True if one of the entries was demoted by hand. This demotes the name, unless the other entry has a different
    /// hold.
    is_demoted: bool,
    /// The state of the project's entry that replaces the user's.
    shadow: Option<ListingState>,
    /// True if the requesting client has neither entry.
    is_foreign: bool,
    /// True if the requesting client loads the project's entry.
    is_loaded: bool,
    /// The state in the project that keeps every client from loading the user's entry.
    away: Option<ListingState>,
}

impl Pair {
    /// Keeps, for each client, only the listings that take effect: the project's if they load the server, disable it or
    /// keep the client from starting it, otherwise the user's if they load it. If the project disables or refuses a
    /// server, the user's entry gets that state. A server that the project no longer lists belongs only to the user.
    fn settle(&mut self, client: Option<&ClientId>, replaces: bool) {
        let clients: BTreeSet<String> =
            self.global.iter().map(|each| each.source.client.clone()).collect();
        self.is_foreign = client.is_some_and(|client| {
            [&self.own, &self.global].iter().all(|all| state_for(all, client.as_str()).is_none())
        });
        self.is_loaded = client.is_some_and(|client| {
            state_for(&self.own, client.as_str()) == Some(ListingState::Configured)
        });
        let (mut away, mut shadow) = (None, None);
        for each in &clients {
            let states = (state_for(&self.own, each), state_for(&self.global, each));
            let (Some(own), Some(global)) = states else { continue };
            let is_loaded = global == ListingState::Configured;
            let is_away = own == ListingState::Off || own.prevails() && is_loaded;
            if is_away {
                let switches = self.own.iter().filter(|listing| is_of(listing, each)).cloned();
                self.global.retain(|listing| !is_of(listing, each));
                self.global.extend(switches);
                self.global.sort();
                away = away.min(Some(own)).or(Some(own));
            }
            // If the user's entry is gone, only a setting that disables it may remain.
            if self.is_held && own.is_listed() || own == ListingState::Off && !global.is_listed() {
                continue;
            }
            let is_replaced = own == ListingState::Configured || !is_loaded;
            if !own.is_listed() || is_away || replaces && !is_replaced {
                self.own.retain(|listing| !is_of(listing, each));
            } else if replaces {
                self.global.retain(|listing| !is_of(listing, each));
                let is_asker = client.is_some_and(|client| client.as_str() == each);
                self.shadow = self.shadow.or(Some(own).filter(|_| is_asker));
                shadow = shadow.min(Some(own)).or(Some(own));
            }
        }
        self.shadow = self.shadow.or(shadow.filter(|_| self.global.is_empty()));
        let is_there = self.global.iter().any(|each| each.state == ListingState::Configured);
        self.away = away.filter(|_| !is_there);
    }

    /// Returns true if the project's entry replaces the user's but the requesting client does not load it.
    fn waits(&self) -> bool {
        !self.is_foreign
            && !self.is_loaded
            && self.shadow.is_some_and(|state| state != ListingState::Configured)
    }

    /// Sets the listings of an entry. Returns the reason why the entry or tool is absent in the project. `None` if it
    /// is not.
    fn adapt(
        &self,
        scope: &Scope,
        is_entry: bool,
        listings: &mut Vec<Listing>,
    ) -> Option<PresenceCause> {
        let decides = match scope {
            Scope::Project(_) => &self.own,
            Scope::Global => &self.global,
        };
        if is_entry {
            listings.retain(|each| each.source.level == Level::Live);
            listings.extend(decides.iter().cloned());
            listings.sort();
        }
        let elsewhere = match self.is_foreign {
            true => PresenceCause::OtherClient,
            false => PresenceCause::Replaced,
        };
        match (scope, is_entry) {
            (_, true) if decides.is_empty() => Some(elsewhere),
            (Scope::Project(_), _) => None,
            // The client would have the tools of the project's server if it loaded that server.
            (Scope::Global, false) if self.waits() => {
                self.shadow.map(|state| state.cause().of_tools())
            }
            (Scope::Global, _) if self.shadow.is_some() => Some(elsewhere),
            (Scope::Global, true) => self.away.map(ListingState::cause),
            (Scope::Global, false) => self.away.map(|state| state.cause().of_tools()),
        }
    }
}

/// Adapts the servers in a view of one project, and their tools. Without `replaces`, entries that replace each other
/// all stay, and only disabled ones are adapted. Returns the servers whose tools are absent until the project's entry
/// is loaded.
pub(super) fn settle(
    view: &mut View,
    client: Option<&ClientId>,
    replaces: bool,
) -> HashSet<ServerKey> {
    let (mut pairs, mut servers) = pairs(view);
    if pairs.is_empty() {
        return HashSet::new();
    }
    pairs.values_mut().for_each(|pair| pair.settle(client, replaces));
    servers.retain(|_, name| pairs.contains_key(name));
    let adapt = |scope: &Scope,
                 name: &ToolName,
                 kind: ToolKind,
                 server: Option<&ServerKey>,
                 listings: &mut Vec<Listing>| {
        let of = match kind {
            ToolKind::McpServer => Some(name),
            ToolKind::McpTool => server.and_then(|server| servers.get(server)),
            _ => None,
        };
        let pair = of.and_then(|name| pairs.get(name))?;
        pair.adapt(scope, kind == ToolKind::McpServer, listings)
    };
    let demote = |kind: ToolKind, name: &ToolName, hold: &mut Hold| {
        let pair = pairs.get(name).filter(|_| kind == ToolKind::McpServer);
        if *hold == Hold::None && pair.is_some_and(|pair| pair.is_demoted) {
            *hold = Hold::Demoted;
        }
    };
    for tool in view.tools.values_mut() {
        demote(tool.kind, &tool.key.name, &mut tool.hold);
        let (key, server) = (&tool.key, tool.server.as_ref());
        if let Some(away) = adapt(&key.scope, &key.name, tool.kind, server, &mut tool.listings)
            && (away.is_foreign() || !tool.presence.cause.is_of_its_own())
        {
            tool.presence.cause = away;
        }
    }
    for (scope, summaries) in &mut view.summaries {
        summaries.retain_mut(|tool| {
            demote(tool.kind, &tool.name, &mut tool.hold);
            let server = tool.server.as_ref();
            let away = adapt(scope, &tool.name, tool.kind, server, &mut tool.listings);
            tool.present &= away.is_none();
            !away.is_some_and(PresenceCause::is_foreign)
        });
    }
    servers.retain(|_, name| pairs[name].waits());
    servers.into_keys().collect()
}

/// Returns the servers that both the user and the project list or have listed, by name, and the names by server key.
/// Empty if the view has servers of several projects.
fn pairs(view: &View) -> (HashMap<ToolName, Pair>, HashMap<ServerKey, ToolName>) {
    let mut pairs: HashMap<ToolName, Pair> = HashMap::new();
    let mut servers = HashMap::new();
    let mut projects = BTreeSet::new();
    let mut note = |scope: &Scope,
                    name: &ToolName,
                    server: Option<&ServerKey>,
                    listings: &[Listing],
                    hold: Hold| {
        let pair = pairs.entry(name.clone()).or_default();
        let own = match scope.project() {
            Some(project) => {
                projects.insert(project.clone());
                &mut pair.own
            }
            None => &mut pair.global,
        };
        own.extend(listings.iter().filter(|each| each.source.level != Level::Live).cloned());
        pair.is_held |= matches!(hold, Hold::Pinned | Hold::Ignored);
        pair.is_demoted |= hold == Hold::Demoted;
        servers.extend(server.map(|server| (server.clone(), name.clone())));
    };
    for tool in view.tools.values().filter(|tool| tool.kind == ToolKind::McpServer) {
        let (key, server) = (&tool.key, tool.server.as_ref());
        note(&key.scope, &key.name, server, &tool.listings, tool.hold);
    }
    for (scope, summaries) in &view.summaries {
        for tool in summaries.iter().filter(|tool| tool.kind == ToolKind::McpServer) {
            note(scope, &tool.name, tool.server.as_ref(), &tool.listings, tool.hold);
        }
    }
    pairs.retain(|_, pair| !pair.own.is_empty() && !pair.global.is_empty());
    if projects.len() > 1 {
        pairs.clear();
    }
    for pair in pairs.values_mut() {
        for listings in [&mut pair.own, &mut pair.global] {
            listings.sort();
            listings.dedup();
        }
    }
    (pairs, servers)
}
