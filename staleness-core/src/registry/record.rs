//! Recording of outcomes: the step behind every tool event.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use super::lesson::{Lessons, wanted};
use super::old::forget_uses;
use super::seen::see;
use super::used::Use;
use crate::ids::{AgentId, ClientId, ProjectId, Scope, ServerKey, ToolKey, ToolName};
use crate::journal::{Action, JournalEntry, Subject};
use crate::outcome::{Mark, Outcome, OutcomeKind};
use crate::policy::Policy;
use crate::route::Suggestions;
use crate::scan::{
    ClientServers, Entry, Provider, Providers, is_of_an_account, may_be_invented, state_for,
};
use crate::store::{
    Decision, Draft, Durability, OutcomeFilter, Pick, ProjectFilter, Refusal, Selection, Step,
    ToolFilter, View, meant,
};
use crate::time::Timestamp;
use crate::tool::{
    HealthChange, Hold, ListingState, Presence, PresenceCause, ServerOutcome, Status, Tool,
    ToolKind, is_offline,
};

fn outage_since(policy: &Policy, at: Timestamp) -> Timestamp {
    at.plus_millis(-i64::from(policy.outage.window_minutes) * Timestamp::MINUTE)
}

/// Records uses in order, in one commit.
#[derive(Debug)]
pub(super) struct RecordUses {
    pub uses: Vec<Use>,
    pub policy: Arc<Policy>,
}

impl Step for RecordUses {
    fn selection(&self) -> Selection {
        let mut selection = self.uses.iter().fold(Selection::new(), |all, each| each.select(all));
        if self.uses.len() > 1 {
            // The uses of a batch repeat tools and servers; look up each only once.
            selection.projects = distinct(selection.projects);
            selection.tools = distinct(selection.tools);
            selection.suggestions = distinct(selection.suggestions);
        }
        let suspects = self.uses.iter().filter(|each| each.may_be_an_outage());
        match suspects.map(|each| outage_since(&self.policy, each.at)).min() {
            Some(since) => selection.outcomes(OutcomeFilter::LastPerServer { since }),
            None => selection,
        }
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        if view.looks <= 1 {
            let more = self.new_projects(view, self.plugins(view));
            let more = self.uses.iter().fold(more, |more, each| {
                each.select_names(each.names_on_servers(view).iter(), more)
            });
            let more = wanted(&self.uses, view, &self.policy.routes, more);
            if more != Selection::new() {
                return Ok(Decision::Need(more));
            }
        }
        let at = self.uses.last().map_or(Timestamp::default(), |each| each.at);
        let mut draft = Draft::new(view, at);
        let mut outage = Outage { policy: &self.policy, appended: BTreeMap::new() };
        let providers = Providers::of(view.tools.values());
        let servers = self.servers(view);
        let mut seen: HashSet<u64> = view.outcomes.values().map(Outcome::identity).collect();
        for called in &self.uses {
            let each = called.known(&draft, &providers);
            let (policy, providers, servers) = (&self.policy, &providers, &servers);
            let recording = Recording { used: &each, policy, providers, servers };
            recording.carry_out(&mut draft, &mut outage, &mut seen);
            if each.outcome == OutcomeKind::Success && each.tool != called.tool {
                forget_serverless(called, &mut draft);
            }
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

/// Forgets the failures that were recorded under a name without a server, because the tool of that name on its server
/// works.
fn forget_serverless(called: &Use, draft: &mut Draft<'_>) {
    if called.tool.serverless().is_none() {
        return;
    }
    for key in called.scopes().map(|scope| called.key(scope)) {
        let is_failing = |tool: &&Tool| tool.hold == Hold::None && tool.status() == Status::Demoted;
        let known = draft.get::<Tool>(&key).filter(is_failing).cloned();
        if let Some(tool) = known {
            draft.delete::<Tool>(&key);
            forget_uses(&tool, PresenceCause::Replaced, called.at, draft);
        }
    }
}

fn distinct<F: Eq + Hash>(picks: Vec<Pick<F>>) -> Vec<Pick<F>> {
    let mut seen = HashSet::with_capacity(picks.len());
    let new: Vec<bool> = picks.iter().map(|pick| seen.insert(pick)).collect();
    picks.into_iter().zip(new).filter_map(|(pick, new)| new.then_some(pick)).collect()
}

impl RecordUses {
    /// Returns the servers of each client that reported an unsuccessful use.
    fn servers(&self, view: &View) -> BTreeMap<ClientId, ClientServers> {
        let doubtful = self.uses.iter().filter(|each| each.outcome != OutcomeKind::Success);
        let clients: BTreeSet<&ClientId> =
            doubtful.filter_map(|each| each.client.as_ref()).collect();
        let of = |client: &ClientId| (client.clone(), ClientServers::of(view, client));
        clients.into_iter().map(of).collect()
    }

    /// Selects the plugins that provide the tools, servers and mentions of the uses. Plugins get credit too.
    fn plugins(&self, view: &View) -> Selection {
        let mut more = Selection::new();
        for tool in view.tools.values() {
            if let Some(plugin) = &tool.plugin {
                let key = ToolKey { scope: tool.key.scope.clone(), name: plugin.clone() };
                more = more.lock(ToolFilter::Key(key));
            }
        }
        more
    }

    /// Adds the projects that must be created.
    fn new_projects(&self, view: &View, more: Selection) -> Selection {
        let used: BTreeSet<&ProjectId> = self.uses.iter().map(|each| &each.project.id).collect();
        let new = used.into_iter().filter(|id| !view.projects.contains_key(*id));
        new.fold(more, |all, id| all.lock(ProjectFilter::Id(id.clone())))
    }
}

/// Finds outages from the last outcome of each server, including outcomes that this step appends.
struct Outage<'a> {
    policy: &'a Policy,
    appended: BTreeMap<(Scope, ServerKey), (bool, Timestamp)>,
}

impl Outage<'_> {
    fn offline(&self, view: &View, used: &Use, tool: &Tool, server: &ServerKey) -> bool {
        let since = outage_since(self.policy, used.at);
        let mut last: BTreeMap<(Scope, ServerKey), bool> = view
            .last_per_server(since)
            .into_iter()
            .map(|(key, outcome)| (key, matches!(outcome.mark, Mark::Failure | Mark::Offline)))
            .collect();
        for (key, (failed, at)) in &self.appended {
            if *at >= since {
                last.insert(key.clone(), *failed);
            }
        }
        last.insert((tool.key.scope.clone(), server.clone()), true);
        let last: Vec<ServerOutcome> = last
            .into_iter()
            .map(|((scope, server), failed)| ServerOutcome { scope, server, failed })
            .collect();
        is_offline(&last, &self.policy.outage)
    }
}

struct Recording<'a> {
    used: &'a Use,
    policy: &'a Policy,
    providers: &'a Providers,
    servers: &'a BTreeMap<ClientId, ClientServers>,
}

impl Recording<'_> {
    fn carry_out(&self, draft: &mut Draft<'_>, outage: &mut Outage<'_>, seen: &mut HashSet<u64>) {
        if let Some(session) = self.used.session_key()
            && draft.get::<Suggestions>(&session).is_some_and(|row| row.is_open(&self.used.op))
        {
            draft.edit::<Suggestions, _>(&session, |row| row.end(&self.used.op));
        }
        // The name may have meant another tool when the op was first recorded, so look in both scopes.
        let known = self.used.scopes().into_iter().any(|scope| {
            let key = self.used.key(scope);
            let identity = Outcome::identity_of(&key, &self.used.op);
            seen.contains(&identity)
                || draft.get::<Tool>(&key).is_some_and(|tool| tool.ring.remembers(identity))
        });
        if known {
            return;
        }
        let key = self.resolve(draft);
        let identity = Outcome::identity_of(&key, &self.used.op);
        seen.insert(identity);
        self.note_project(draft);
        if draft.get::<Tool>(&key).is_none() {
            self.create(draft, &key);
        }
        let Some(tool) = draft.get::<Tool>(&key) else { return };
        let is_lacking = self.is_lacking(draft, tool);
        let mark = match self.mark(draft, outage, tool) {
            Mark::Failure | Mark::Offline if is_lacking => Mark::Unknown,
            mark => mark,
        };
        let client = self.used.client.as_ref().filter(|_| !is_lacking);
        // A name that may be invented says nothing about the network.
        let server = tool.server.clone().filter(|_| !self.is_unproven(tool));
        if let Some(server) = server.clone().filter(|_| mark.is_conclusive()) {
            let failed = mark != Mark::Success;
            outage.appended.insert((key.scope.clone(), server), (failed, self.used.at));
        }
        let credits = self.credits(draft, tool);
        Lessons { used: self.used, policy: &self.policy.routes }.learn(draft, mark);
        for key in [&key].into_iter().chain(&credits) {
            self.apply(draft, key, client, mark, identity);
        }
        draft.append_outcome(Outcome {
            seq: 0,
            op: self.used.op.clone(),
            tool: key,
            server,
            credits,
            mark,
            at: self.used.at,
            project: self.used.project.id.clone(),
            session: self.used.session.clone(),
            agent: self.used.agent.clone(),
            client: self.used.client.clone(),
            duration_ms: self.used.duration_ms,
        });
    }

    /// Returns the tool that the name means: the global one if the client loads only the user's server; otherwise the
    /// project's own if the tool or its server exists there, unless only the global one is present; otherwise the
    /// global one. A new tool is global if its server is, or if its kind always is.
    fn resolve(&self, draft: &Draft<'_>) -> ToolKey {
        let [project, global] = self.used.scopes();
        let own = self.used.key(project.clone());
        let servers = self.used.possible_servers();
        let loads_shared =
            self.loads(draft, &servers, &global) && !self.loads(draft, &servers, &project);
        let shared = self.used.key(global);
        if loads_shared {
            return shared;
        }
        let known = (draft.get::<Tool>(&own), draft.get::<Tool>(&shared));
        if known.0.is_some()
            && let Some(tool) = meant(known.0, known.1)
        {
            return tool.key.clone();
        }
        let entry = self.entry();
        if entry.as_ref().is_some_and(|(_, entry)| entry.scope == project) {
            return own;
        }
        if known.1.is_some() || entry.is_some() {
            return shared;
        }
        match self.kind() {
            ToolKind::Builtin => shared,
            // Servers of an account are available to the user in every project.
            ToolKind::McpTool if self.is_of_an_account() => shared,
            _ => own,
        }
    }

    /// Returns true if the client's own entry in this scope loads one of the servers.
    fn loads(&self, draft: &Draft<'_>, servers: &[ServerKey], scope: &Scope) -> bool {
        self.state(draft, servers, scope) == Some(ListingState::Configured)
    }

    /// Returns the best state of the client's own entries of these servers in a scope.
    fn state(
        &self,
        draft: &Draft<'_>,
        servers: &[ServerKey],
        scope: &Scope,
    ) -> Option<ListingState> {
        let client = self.used.client.as_ref()?;
        let is_entry = |tool: &&Tool| {
            tool.kind == ToolKind::McpServer
                && tool.key.scope == *scope
                && tool.server.as_ref().is_some_and(|server| servers.contains(server))
        };
        let entries = draft.view().tools.values().filter(is_entry);
        entries.filter_map(|entry| state_for(&entry.listings, client.as_str())).min()
    }

    /// Returns the server entry that owns the tool. Prefers the longest known server name, then a present entry, then
    /// the project's entry.
    fn entry(&self) -> Option<(ServerKey, &Entry)> {
        let [project, _] = self.used.scopes();
        self.used.possible_servers().into_iter().find_map(|server| {
            let entry = self.providers.entry(&project, &server)?;
            Some((server, entry))
        })
    }

    fn kind(&self) -> ToolKind {
        match ToolKind::of_name(self.used.tool.as_str()) {
            ToolKind::Unknown => self.used.kind.unwrap_or(ToolKind::Unknown),
            known => known,
        }
    }

    fn create(&self, draft: &mut Draft<'_>, key: &ToolKey) {
        let kind = self.kind();
        let mut tool = Tool::new(key.clone(), kind, PresenceCause::Used, self.used.at);
        if kind == ToolKind::McpTool {
            tool.server = self
                .entry()
                .map(|(server, _)| server)
                .or_else(|| self.used.possible_servers().pop());
            let server = tool.server.as_ref();
            let provider = server.map(|server| self.providers.state(&key.scope, server));
            if let Some(lost) = provider.and_then(Provider::lost) {
                tool.presence = Presence::new(lost, self.used.at);
            }
        }
        let to = tool.status();
        let cause = tool.presence.cause.as_str();
        draft.put(tool);
        self.journal(draft, key, Action::Added, None, to, cause.into());
    }

    fn mark(&self, draft: &Draft<'_>, outage: &Outage<'_>, tool: &Tool) -> Mark {
        match self.used.outcome {
            OutcomeKind::Success => Mark::Success,
            OutcomeKind::Interrupted => Mark::Interrupted,
            OutcomeKind::Unknown => Mark::Unknown,
            OutcomeKind::Failure => match &tool.server {
                Some(server)
                    if !self.is_unproven(tool)
                        && outage.offline(draft.view(), self.used, tool, server) =>
                {
                    Mark::Offline
                }
                _ => Mark::Failure,
            },
        }
    }

    /// Returns the known tools that get credit for this use: those that it mentions, and the plugins of these and
    /// of the tool itself.
    fn credits(&self, draft: &Draft<'_>, tool: &Tool) -> Vec<ToolKey> {
        let resolve = |name: &ToolName| {
            let [own, global] = ToolKey::both(&self.used.project.id, name);
            meant(draft.get::<Tool>(&own), draft.get::<Tool>(&global)).map(|tool| tool.key.clone())
        };
        let mut credits: Vec<ToolKey> = self.used.mentions.iter().filter_map(resolve).collect();
        let entry = self.entry().and_then(|(_, entry)| {
            Some(ToolKey { scope: entry.scope.clone(), name: entry.plugin.clone()? })
        });
        let provided = credits
            .iter()
            .chain([&tool.key])
            .filter_map(|key| draft.get::<Tool>(key))
            .filter_map(|each| {
                let name = each.plugin.clone()?;
                Some(ToolKey { scope: each.key.scope.clone(), name })
            })
            .chain(entry)
            .collect::<Vec<_>>();
        credits.extend(provided.into_iter().filter(|key| draft.get::<Tool>(key).is_some()));
        // A server gets no credit, because its counts are sums over its tools.
        let is_server = |key: &ToolKey| {
            draft.get::<Tool>(key).is_some_and(|each| each.kind == ToolKind::McpServer)
        };
        credits.retain(|key| *key != tool.key && !is_server(key));
        credits.sort();
        credits.dedup();
        credits
    }

    /// Returns true if the use did not succeed and the client does not have the tool here, so that the failure says
    /// nothing about the tool.
    fn is_lacking(&self, draft: &Draft<'_>, tool: &Tool) -> bool {
        let lacks = |client| self.servers.get(client).is_some_and(|all| all.lack(tool, client));
        let [project, _] = self.used.scopes();
        let here = || self.state(draft, tool.server.as_slice(), &project);
        self.used.outcome != OutcomeKind::Success
            && (self.used.client.as_ref().is_some_and(lacks)
                || here().is_some_and(ListingState::prevails))
    }

    /// Returns true if the tool's server belongs to the user's account rather than to a configuration file.
    fn is_of_an_account(&self) -> bool {
        is_of_an_account(&self.used.tool, &self.policy.account_servers)
    }

    /// Returns true if this use by a known client did not succeed, the tool never worked, and no source lists or has
    /// listed the tool or its server. False for servers of an account.
    fn is_unproven(&self, tool: &Tool) -> bool {
        let servers = self.used.client.as_ref().and_then(|client| self.servers.get(client));
        self.used.outcome != OutcomeKind::Success
            && tool.ring.proves_no_success(tool.uses, Timestamp::MAX)
            && !self.is_of_an_account()
            && servers.is_some_and(|servers| !servers.list(tool))
    }

    fn apply(
        &self,
        draft: &mut Draft<'_>,
        key: &ToolKey,
        client: Option<&ClientId>,
        mark: Mark,
        identity: u64,
    ) {
        let at = self.used.at;
        let Some(tool) = draft.get::<Tool>(key) else { return };
        let caller = self.used.project.caller(self.used.agent.as_ref().map(AgentId::as_str));
        let policy = self.policy.tools_for(tool.kind, caller);
        let before = tool.status();
        // The failures of an invented name were never reported to other clients.
        let callers = if may_be_invented(tool) { tool.used_by.clone() } else { Vec::new() };
        let changed = draft.edit::<Tool, _>(key, |tool| {
            if let Some(client) = client {
                tool.note_client(client);
            }
            tool.note_use(mark, at, identity, policy.rule.window());
            // A success does not accept a changed definition.
            let came = mark == Mark::Success && tool.presence.is_absent() && !tool.is_withheld();
            if came {
                tool.presence = Presence { cause: PresenceCause::Used, since: at, revived: true };
            }
            let between = tool.status();
            let health = tool.health.follow(&tool.ring, mark, at, &policy);
            (came, between, health, tool.status())
        });
        let Some((came, between, health, after)) = changed else { return };
        if came {
            let cause = PresenceCause::Used.as_str().into();
            self.journal(draft, key, Action::Present, Some(before), between, cause);
        }
        match health {
            Some(HealthChange::Failed(cause)) => {
                self.journal(draft, key, Action::Failing, Some(between), after, cause);
            }
            Some(HealthChange::Recovered) => {
                let entry =
                    self.entry_of(key, Action::Recovered, Some(between), after, "succeeded".into());
                // A hook names only its client, not an agent.
                let caller = || AgentId::new(self.used.client.as_ref()?.as_str()).ok();
                let actor = entry.actor.clone().or_else(caller);
                draft.append_journal(JournalEntry { clients: callers, actor, ..entry });
            }
            None => {}
        }
    }

    fn note_project(&self, draft: &mut Draft<'_>) {
        see(draft, &self.used.project, self.used.at);
    }

    fn journal(
        &self,
        draft: &mut Draft<'_>,
        key: &ToolKey,
        action: Action,
        from: Option<Status>,
        to: Status,
        cause: String,
    ) {
        draft.append_journal(self.entry_of(key, action, from, to, cause));
    }

    fn entry_of(
        &self,
        key: &ToolKey,
        action: Action,
        from: Option<Status>,
        to: Status,
        cause: String,
    ) -> JournalEntry {
        JournalEntry {
            from: from.map(|status| status.as_str().into()),
            to: Some(to.as_str().into()),
            session: self.used.session.clone(),
            actor: self.used.agent.clone(),
            op: Some(self.used.op.clone()),
            ..JournalEntry::new(self.used.at, Subject::tool(key), action, cause)
        }
    }
}
