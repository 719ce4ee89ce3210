//! Evaluates a scan: computes each tool's presence from all sources.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::providers::{Provider, Providers};
use super::shadow::state_for;
use super::viewpoint::{ALL, dropped_now, withheld_now};
use super::{Found, Scan, SourceReading};
use crate::definition::Definition;
use crate::ids::{ClientId, Level, Scope, ServerKey, SourceId, ToolKey, ToolName};
use crate::journal::{Action, JournalEntry, Subject};
use crate::store::{Draft, View};
use crate::tool::{Listing, ListingState, Presence, PresenceCause, Status, Tool, ToolKind};

/// The presence of a tool according to its own sources.
enum Own {
    Present,
    Absent(PresenceCause),
    /// Not proven either way. The presence does not change.
    Keep,
}

/// A scan, indexed for evaluation.
pub(super) struct Evaluation<'s> {
    scan: &'s Scan,
    readings: HashMap<&'s SourceId, (&'s SourceReading, HashSet<&'s str>)>,
    gone: BTreeSet<SourceId>,
    /// The states in live lists, for tools whose definitions are in the scan or await a person's decision.
    states: HashMap<ToolKey, Vec<Listing>>,
}

impl<'s> Evaluation<'s> {
    pub(super) fn new(
        scan: &'s Scan,
        gone: BTreeSet<SourceId>,
        states: HashMap<ToolKey, Vec<Listing>>,
    ) -> Self {
        let readings = scan
            .sources
            .iter()
            .map(|reading| {
                let found = reading.found.iter().map(|found| found.name.as_str());
                (&reading.id, (reading, found.collect()))
            })
            .collect();
        Self { scan, readings, gone, states }
    }

    /// Records the tools found, and updates each tool's presence.
    pub(super) fn carry_out(&self, draft: &mut Draft<'_>) {
        let listed = self.list(draft);
        self.settle(draft, &listed);
    }

    /// Records the tools that the sources list: new ones, and the listings of known ones. Returns the tools that
    /// changed.
    fn list(&self, draft: &mut Draft<'_>) -> HashSet<ToolKey> {
        let mut changed = HashSet::new();
        let view = draft.view();
        let known: HashMap<(&str, &str), &Tool> = view
            .tools
            .values()
            .map(|tool| ((tool.key.scope.as_key(), tool.key.name.as_str()), tool))
            .collect();
        let mut order: Vec<&SourceReading> = self.scan.sources.iter().collect();
        // Configurations come first, so that the entry of a server is known before its live list.
        order.sort_by_key(|reading| (reading.id.level == Level::Live, &reading.id));
        // The tools that earlier sources list. The value is true if the tool was written to the draft.
        let mut listed: HashMap<(&str, &str), bool> = HashMap::new();
        for reading in order {
            let scope = reading.id.project.as_ref().map_or("", |project| project.as_str());
            for found in &reading.found {
                let words = (scope, found.name.as_str());
                // If several sources list a tool, the first one in source order describes it, and the others fill gaps.
                let before = listed.get(&words).copied();
                let is_instructed = found.is_instructed();
                let describes = before.is_none() && !is_instructed;
                let key = || ToolKey { scope: reading.id.scope(), name: found.name.clone() };
                let before_now = || {
                    let listings = &known.get(&words)?.listings;
                    let own = listings.iter().find(|listing| listing.source == reading.id);
                    own.map(|listing| listing.state).filter(|state| state.is_listed())
                };
                let state = match &found.definition {
                    None if found.unsure => before_now().unwrap_or(found.state),
                    None => found.state,
                    Some(_) => self.state(&key(), &reading.id).unwrap_or(found.state),
                };
                // Agents get the accepted description, not that of an unaccepted definition.
                let mut told = Cow::Borrowed(found);
                if matches!(state, ListingState::Withheld | ListingState::Changed) && !is_instructed
                {
                    let known = draft.get::<Definition>(&key());
                    told.to_mut().description = known.and_then(Definition::description);
                }
                let defined = found.definition.as_ref();
                let defined = defined.and_then(|_| draft.get::<Definition>(&key()));
                let chars = defined.map(|row| row.listed().chars());
                let entry = Entry { reading, found: &told, state, describes, chars };
                let as_known = before != Some(true)
                    && known.get(&words).is_some_and(|tool| entry.is_known(tool));
                listed.insert(words, !as_known);
                if as_known {
                    continue;
                }
                let key = key();
                if draft.get::<Tool>(&key).is_none() {
                    draft.put(Tool::new(key.clone(), found.kind, state.cause(), self.scan.at));
                }
                draft.edit::<Tool, _>(&key, |tool| entry.enter(tool));
                changed.insert(key);
            }
        }
        changed
    }

    /// Updates the presence of every tool in the draft. Server entries come first, because the presence of their tools
    /// depends on them.
    fn settle(&self, draft: &mut Draft<'_>, listed: &HashSet<ToolKey>) {
        let none = Providers::default();
        for key in self.unsettled(draft, &none, listed, |tool| tool.kind == ToolKind::McpServer) {
            self.settle_one(draft, &key, &none);
        }
        let providers = Providers::of(draft.tools());
        for key in
            self.unsettled(draft, &providers, listed, |tool| tool.kind != ToolKind::McpServer)
        {
            adopt(draft, &key, &providers);
            self.settle_one(draft, &key, &providers);
        }
    }

    /// Returns the tools whose presence may change, usually few, in key order.
    fn unsettled(
        &self,
        draft: &Draft<'_>,
        providers: &Providers,
        listed: &HashSet<ToolKey>,
        wanted: impl Fn(&Tool) -> bool,
    ) -> Vec<ToolKey> {
        let unsettled = draft
            .tools()
            .filter(|tool| wanted(tool) && self.concerns(&tool.key.scope))
            .filter(|tool| listed.contains(&tool.key) || !self.is_settled(draft, tool, providers));
        let mut keys: Vec<ToolKey> = unsettled.map(|tool| tool.key.clone()).collect();
        keys.sort_unstable();
        keys
    }

    /// Returns true if a tool's presence and server already agree with its sources.
    fn is_settled(&self, draft: &Draft<'_>, tool: &Tool, providers: &Providers) -> bool {
        let cause = tool.presence.cause;
        self.listings(draft, tool).is_none()
            && !tool.presence.revived
            && target(providers, tool, &self.own(tool.kind, &tool.listings))
                .is_none_or(|to| to == cause)
            && adopted(tool, providers).is_none()
    }

    fn concerns(&self, scope: &Scope) -> bool {
        scope.project().is_none_or(|id| *id == self.scan.project.id)
    }

    fn settle_one(&self, draft: &mut Draft<'_>, key: &ToolKey, providers: &Providers) {
        let Some(tool) = draft.get::<Tool>(key) else { return };
        let listings = self.listings(draft, tool);
        let own = self.own(tool.kind, listings.as_ref().unwrap_or(&tool.listings));
        let target = target(providers, tool, &own);
        let is_new = !draft.view().tools.contains_key(key);
        if let Some(listings) = listings {
            draft.edit::<Tool, _>(key, |tool| tool.listings = listings);
        }
        let listed = |tool: Option<&Tool>| tool.map_or_else(Vec::new, |tool| tool.listings.clone());
        let before = listed(draft.view().tools.get(key));
        let status = (!is_new).then(|| draft.get::<Tool>(key).map(Tool::status)).flatten();
        let mut moved = self.move_to(draft, key, target).filter(|_| !is_new);
        let Some(tool) = draft.get::<Tool>(key) else { return };
        let users = ToolKey::global(key.name.clone());
        let is_own = key.scope != Scope::Global;
        let users = [draft.view().tools.get(&users), draft.get::<Tool>(&users)]
            .map(|tool| listed(tool.filter(|_| is_own)));
        let own = [&before, &tool.listings];
        let mut entries = by_client(own, &users, |client| had(draft.view(), key, client));
        if !is_new && before.is_empty() {
            // The tool was known from use before a configuration listed it, so this is not news.
            entries.retain(|(action, _), _| *action != Action::Added);
        }
        if is_new && entries.is_empty() {
            moved = Some((Action::Added, tool.presence.cause));
        }
        // A change that affects all clients alike, such as one of the server, gets an entry of its own, unless an entry
        // for single clients already covers it. The tool did not come back if a client lists it for the first time or
        // has it from another entry.
        let tells = |each: Action, moved| {
            [moved, Action::Moved].contains(&each)
                || (each, moved) == (Action::Added, Action::Present)
        };
        if let Some((action, cause)) = moved
            && !entries.keys().any(|(each, _)| tells(*each, action))
        {
            entries.insert((action, cause), Vec::new());
        }
        // The entry with the status change comes first.
        let mut entries: Vec<_> = entries.into_iter().collect();
        entries.sort_by_key(|((action, _), _)| moved.is_none_or(|(moved, _)| moved != *action));
        let mut from = status;
        for ((action, cause), clients) in entries {
            self.journal(draft, key, action, from, (cause, clients));
            from = draft.get::<Tool>(key).map(Tool::status);
        }
    }

    /// Returns the state of a tool in a live list, if its definition determines that state.
    fn state(&self, key: &ToolKey, source: &SourceId) -> Option<ListingState> {
        let states = self.states.get(key)?;
        states.iter().find(|each| each.source == *source).map(|each| each.state)
    }

    /// Returns true if a source is known to no longer list the tool.
    fn denies(&self, source: &SourceId, name: &ToolName) -> bool {
        let reading = self.readings.get(source);
        self.gone.contains(source)
            || reading.is_some_and(|(reading, found)| {
                reading.lacks(name) && !found.contains(name.as_str())
            })
    }

    /// Returns the tool's listings after this scan. `None` if they do not change. A listing that its source no longer
    /// contains is marked as gone, or dropped if another source or live list of the same client has the tool. A server
    /// that the project disables stays disabled when the user's entry is removed.
    fn listings(&self, draft: &Draft<'_>, tool: &Tool) -> Option<Vec<Listing>> {
        let users = ToolKey::global(tool.key.name.clone());
        let users = draft.get::<Tool>(&users).filter(|users| users.key != tool.key);
        let is_switch = |listing: &Listing| {
            let state = users.and_then(|users| state_for(&users.listings, &listing.source.client));
            listing.state == ListingState::Off && state == Some(ListingState::Gone)
        };
        let mut listings = tool.listings.clone();
        for listing in &mut listings {
            if self.denies(&listing.source, &tool.key.name) {
                if !is_switch(listing) {
                    listing.state = ListingState::Gone;
                }
            } else if let Some(state) = self.state(&tool.key, &listing.source) {
                listing.state = state;
            }
        }
        let owner = |listing: &Listing| {
            let source = &listing.source;
            (source.level == Level::Live, source.client.clone())
        };
        let listed: HashSet<_> =
            listings.iter().filter(|each| each.state.is_listed()).map(owner).collect();
        // A live list that applies to all clients stands for each of them.
        let has_all = listed.contains(&(true, ALL.to_owned()));
        let has_live = listed.iter().any(|(is_live, _)| *is_live);
        let is_replaced = |each: &Listing| {
            let is_all = each.source.client == ALL;
            each.source.level == Level::Live && (has_all || is_all && has_live)
                || listed.contains(&owner(each))
        };
        listings.retain(|each| each.state.is_listed() || !is_replaced(each));
        (listings != tool.listings).then_some(listings)
    }

    fn own(&self, kind: ToolKind, listings: &[Listing]) -> Own {
        // Instructions in a live list do not keep a server's entry present.
        let is_config = |each: &&Listing| each.source.level != Level::Live;
        let is_known = kind != ToolKind::McpServer || !listings.iter().any(|each| is_config(&each));
        let listings: Vec<&Listing> =
            listings.iter().filter(|each| is_known || is_config(each)).collect();
        // The order of states is that of their precedence.
        let Some(best) = listings.iter().map(|listing| listing.state).min() else {
            return Own::Keep;
        };
        if best.cause().is_present() {
            return Own::Present;
        }
        if best.is_listed() {
            return Own::Absent(best.cause());
        }
        let unproven = listings.iter().any(|listing| {
            self.readings.get(&listing.source).is_some_and(|(reading, _)| !reading.covers())
        });
        if unproven {
            Own::Keep
        } else if listings.iter().all(|listing| listing.source.level == Level::Live) {
            Own::Absent(PresenceCause::NotListed)
        } else {
            Own::Absent(PresenceCause::RemovedFromConfig)
        }
    }

    /// Sets the reason why a tool is present or absent. Returns the action and the reason if the tool became present or
    /// absent, otherwise `None`.
    fn move_to(
        &self,
        draft: &mut Draft<'_>,
        key: &ToolKey,
        target: Option<PresenceCause>,
    ) -> Option<(Action, PresenceCause)> {
        let at = self.scan.at;
        let tool = draft.get::<Tool>(key)?;
        let was_present = tool.presence.is_present();
        let was_withheld = tool.presence.cause == PresenceCause::DefinitionChanged;
        let Some(cause) = target.filter(|cause| *cause != tool.presence.cause) else {
            if tool.presence.revived {
                draft.edit::<Tool, _>(key, |tool| tool.presence.revived = false);
            }
            return None;
        };
        // A withheld tool that goes is reported as absent, like a usable one.
        let is_moved = was_present != cause.is_present() || was_withheld;
        draft.edit::<Tool, _>(key, |tool| {
            let since = if is_moved { at } else { tool.presence.since };
            tool.presence = Presence::new(cause, since);
        });
        let action = if cause.is_present() { Action::Present } else { Action::Absent };
        is_moved.then_some((action, cause))
    }

    fn journal(
        &self,
        draft: &mut Draft<'_>,
        key: &ToolKey,
        action: Action,
        from: Option<Status>,
        (cause, clients): (PresenceCause, Vec<ClientId>),
    ) {
        let Some(tool) = draft.get::<Tool>(key) else { return };
        let entry = JournalEntry {
            from: from.map(|status| status.as_str().into()),
            to: Some(tool.status().as_str().into()),
            session: self.scan.session.clone(),
            clients,
            ..JournalEntry::new(self.scan.at, Subject::tool(key), action, cause.as_str())
        };
        draft.append_journal(entry);
    }
}

/// Returns true if the journal has an entry that made the tool present or absent for a client.
fn had(view: &View, key: &ToolKey, client: &str) -> bool {
    let subject = Subject::tool(key);
    let mut entries = view.journal.values().filter(|entry| entry.subject == subject);
    entries.any(|entry| {
        matches!(entry.action, Action::Added | Action::Present | Action::Absent)
            && entry.clients.iter().any(|each| each.as_str() == client)
    })
}

/// Groups the changes of a tool's listings by action and cause, each with the affected clients. Each pair holds the
/// listings before and after. The action is `Added` for a client that never listed the tool, or that awaited a person's
/// decision and never `had` it before. A project's entry of a server replaces the user's entry (`users`) while it is
/// loaded or prevails. The action is `Moved` if the client has the server through one of these entries both before and
/// after.
fn by_client(
    own: [&Vec<Listing>; 2],
    users: &[Vec<Listing>; 2],
    had: impl Fn(&str) -> bool,
) -> BTreeMap<(Action, PresenceCause), Vec<ClientId>> {
    let clients: BTreeSet<&str> =
        own.into_iter().flatten().map(|each| each.source.client.as_str()).collect();
    let mut changes: BTreeMap<(Action, PresenceCause), Vec<ClientId>> = BTreeMap::new();
    for client in clients {
        let states = own.map(|listings| state_for(listings, client));
        let decided = |at: usize| {
            let users = state_for(&users[at], client);
            let prevails = states[at].is_some_and(ListingState::prevails);
            users.filter(|users| !prevails && *users == ListingState::Configured).or(states[at])
        };
        let [old, new] = [0, 1].map(decided);
        let (was, is) =
            (old == Some(ListingState::Configured), new == Some(ListingState::Configured));
        let cause = |state: Option<ListingState>| {
            state.map_or(PresenceCause::RemovedFromConfig, ListingState::cause)
        };
        let (action, cause) = match (was, is) {
            (true, true) if states[0] != states[1] => (Action::Moved, cause(states[1])),
            (false, true) if states[0] != states[1] => match old {
                Some(old) if !old.waits() || had(client) => (Action::Present, cause(new)),
                _ => (Action::Added, cause(new)),
            },
            (true, false) if states[0] != states[1] => (Action::Absent, cause(new)),
            _ => match withheld_now(own[0], own[1], client) {
                Some(true) => (Action::Absent, PresenceCause::DefinitionChanged),
                Some(false) => (Action::Present, PresenceCause::Configured),
                None => match dropped_now(own[0], own[1], client) {
                    Some(true) => (Action::Absent, PresenceCause::NotListed),
                    Some(false) => (Action::Present, PresenceCause::Configured),
                    None => continue,
                },
            },
        };
        if let Ok(client) = ClientId::new(client) {
            changes.entry((action, cause)).or_default().push(client);
        }
    }
    changes
}

/// Returns the new cause of a tool's presence. `None` if it does not change.
fn target(providers: &Providers, tool: &Tool, own: &Own) -> Option<PresenceCause> {
    let now = tool.presence.cause;
    let provider = match &tool.server {
        Some(server) if tool.kind == ToolKind::McpTool => providers.state(&tool.key.scope, server),
        _ => Provider::Unknown,
    };
    let lost = provider.lost();
    match (own, lost) {
        (Own::Absent(cause), _) => Some(*cause),
        (Own::Present, Some(lost)) => Some(lost),
        (Own::Present, None) => Some(PresenceCause::Configured),
        (Own::Keep, Some(lost)) if now.is_present() || now.is_cascade() => Some(lost),
        (Own::Keep, None) if now.is_cascade() && provider == Provider::Present => {
            Some(PresenceCause::ServerReturned)
        }
        (Own::Keep, _) => None,
    }
}

/// Assigns a tool to its server: see [`adopted`].
fn adopt(draft: &mut Draft<'_>, key: &ToolKey, providers: &Providers) {
    if let Some(server) = draft.get::<Tool>(key).and_then(|tool| adopted(tool, providers)) {
        draft.edit::<Tool, _>(key, |tool| tool.server = Some(server));
    }
}

/// Returns the server of a tool if its source does not name one, or if the server was only guessed from the tool's
/// name: the longest known server that matches the name, or else the shortest guess. `None` if the server does not
/// change.
fn adopted(tool: &Tool, providers: &Providers) -> Option<ServerKey> {
    if tool.kind != ToolKind::McpTool {
        return None;
    }
    let scope = &tool.key.scope;
    let known = |server: &ServerKey| providers.state(scope, server) != Provider::Unknown;
    if let Some(server) = &tool.server
        && (tool.is_configured() || known(server))
    {
        return None;
    }
    let mut possible = ServerKey::owners_of(tool.key.name.as_str());
    let server = possible.iter().rposition(known).unwrap_or(0);
    let server = (server < possible.len()).then(|| possible.swap_remove(server));
    server.filter(|server| tool.server.as_ref() != Some(server))
}

struct Entry<'a> {
    reading: &'a SourceReading,
    found: &'a Found,
    state: ListingState,
    /// True for the first source that lists the tool. It describes the tool, and the others fill gaps.
    describes: bool,
    /// The number of characters of the tool's definition: see [`Tool::defined_chars`].
    chars: Option<u32>,
}

impl Entry<'_> {
    /// Returns true if the tool already has these values.
    fn is_known(&self, tool: &Tool) -> bool {
        let Self { reading, found, .. } = self;
        let same = |listing: &Listing| listing.state == self.state && listing.source == reading.id;
        let described = if self.describes {
            tool.kind == found.kind
                && tool.plugin == found.plugin
                && tool.description == found.description
        } else {
            tool.description.is_some() || found.description.is_none()
        };
        described
            && self.chars.is_none_or(|chars| tool.defined_chars == Some(chars))
            && (found.server.is_none() || found.server == tool.server)
            && tool.listings.iter().any(same)
    }

    fn enter(&self, tool: &mut Tool) {
        let Self { reading, found, state, .. } = self;
        tool.defined_chars = self.chars.or(tool.defined_chars);
        tool.server = found.server.clone().or(tool.server.take());
        if self.describes {
            tool.kind = found.kind;
            tool.plugin.clone_from(&found.plugin);
            tool.description.clone_from(&found.description);
        } else if tool.description.is_none() {
            tool.description.clone_from(&found.description);
        }
        match tool.listings.iter_mut().find(|listing| listing.source == reading.id) {
            Some(known) => known.state = *state,
            None => {
                tool.listings.push(Listing { source: reading.id.clone(), state: *state });
                tool.listings.sort();
            }
        }
    }
}
