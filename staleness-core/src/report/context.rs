//! The context of a report: a view, indexed for looking up tools.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::own::is_own;
use crate::ids::{ClientId, Level, ProjectId, Scope, ServerKey, SourceId, ToolKey, ToolName};
use crate::journal::{Action, JournalEntry, SubjectKind};
use crate::outcome::Mark;
use crate::policy::{Policy, ToolPolicy};
use crate::scan::{ProjectRef, is_read_by, may_be_invented};
use crate::source::{Source, SourceState};
use crate::store::{View, meant};
use crate::time::Timestamp;
use crate::tool::{Hold, Listing, ListingState, PresenceCause, Status, Tool, ToolKind};

/// The names that a policy ignores, in every spelling, and the servers that these may mean. In sets, because a project
/// may list many.
#[derive(Debug)]
pub(crate) struct Ignored {
    names: HashSet<ToolName>,
    servers: HashSet<ServerKey>,
}

impl Ignored {
    pub(crate) fn of(policy: &Policy) -> Self {
        Self {
            names: policy.ignore.iter().flat_map(|name| ToolName::spellings(name)).collect(),
            servers: policy.ignore.iter().filter_map(|name| ServerKey::meant_by(name)).collect(),
        }
    }

    pub(crate) fn holds(&self, name: &str, server: Option<&str>) -> bool {
        self.names.contains(name) || server.is_some_and(|server| self.servers.contains(server))
    }
}

/// A view as one project sees it, at one time and under one policy.
///
/// The counts of an MCP server are sums over its tools, so the view must contain the server's tools as well as its
/// entry.
#[derive(Debug)]
pub struct Context<'a> {
    view: &'a View,
    policy: &'a Policy,
    project: &'a ProjectRef,
    now: Timestamp,
    /// The tools that each server entry provides. Each tool has one entry: present ones take precedence over absent
    /// ones, then the project's over global ones.
    members: HashMap<&'a ToolKey, Vec<&'a Tool>>,
    entries: Entries<'a>,
    /// The project's own tool and the global one for each name that both have.
    twins: HashMap<&'a ToolName, (&'a Tool, &'a Tool)>,
    ignored: Ignored,
    /// The live lists that could not be read, were incomplete or were faulty, by scope and server. Omits a list that
    /// could not be read if a tool of the server has worked since.
    troubled: HashMap<(Scope, ServerKey), &'a Source>,
    /// The journal entries that made a tool present or absent for a client, by the tool's name, oldest first.
    moves: HashMap<&'a str, Vec<&'a JournalEntry>>,
}

impl<'a> Context<'a> {
    /// Creates the context for a view.
    pub fn new(
        view: &'a View,
        policy: &'a Policy,
        project: &'a ProjectRef,
        now: Timestamp,
    ) -> Self {
        let entries = Entries::of(view);
        let mut members: HashMap<&ToolKey, Vec<&Tool>> = HashMap::new();
        // Tools are in key order, so the tools of a server are adjacent and need one lookup of their entry.
        let mut last: Option<(&Tool, Option<&Tool>)> = None;
        let is_real = |tool: &&Tool| tool.presence.cause != PresenceCause::Invented;
        let tools = view.tools.values().filter(|tool| tool.kind == ToolKind::McpTool);
        for tool in tools.filter(is_real) {
            let entry = match last {
                Some((other, entry))
                    if other.server == tool.server && other.key.scope == tool.key.scope =>
                {
                    entry
                }
                _ => entries.provider(tool),
            };
            last = Some((tool, entry));
            if let Some(entry) = entry {
                members.entry(&entry.key).or_default().push(tool);
            }
        }
        let ignored = Ignored::of(policy);
        let twins = twins(view, &project.id);
        let is_read = |source: &&Source| {
            view.seen_by.as_ref().is_none_or(|client| is_read_by(&source.id, client))
        };
        let live = view.sources.values().filter(|source| source.id.level == Level::Live);
        let works = |scope: &Scope, server: &ServerKey, since: Timestamp| {
            let tools = view.tools.values().filter(|tool| tool.server.as_ref() == Some(server));
            let mut tools = tools.filter(|tool| {
                tool.kind == ToolKind::McpTool
                    && entries.provider(tool).is_some_and(|entry| entry.key.scope == *scope)
            });
            tools.any(|tool| {
                let mut uses = tool.ring.entries();
                uses.any(|used| used.mark == Mark::Success && used.at > since)
            })
        };
        let troubled = live
            .filter(is_read)
            .filter(|source| source.state == SourceState::Failed || source.error.is_some())
            .filter_map(|source| {
                let (scope, server) = (source.id.scope(), ServerKey::of(&source.id.part)?);
                let is_past = source.state == SourceState::Failed
                    && works(&scope, &server, source.last_scan_at);
                (!is_past).then_some(((scope, server), source))
            })
            .collect();
        let mut moves: HashMap<&str, Vec<&JournalEntry>> = HashMap::new();
        for entry in view.journal.values() {
            let moved = matches!(entry.action, Action::Added | Action::Present | Action::Absent);
            if moved && entry.subject.kind == SubjectKind::Tool && !entry.clients.is_empty() {
                moves.entry(&entry.subject.id).or_default().push(entry);
            }
        }
        Self { view, policy, project, now, members, entries, twins, ignored, troubled, moves }
    }

    /// Returns the live list of a server if its last reading had a problem and no tool of the server has worked since.
    /// For a server's tool, returns it only if the server did not answer.
    pub(crate) fn trouble(&self, tool: &Tool) -> Option<&'a Source> {
        let entry = match tool.kind {
            _ if self.troubled.is_empty() => return None,
            ToolKind::McpServer => tool,
            _ => self.entries.provider(tool).filter(|entry| entry.presence.is_present())?,
        };
        let key = (entry.key.scope.clone(), entry.server.clone()?);
        let source = self.troubled.get(&key).copied()?;
        let concerns = tool.kind == ToolKind::McpServer || source.state == SourceState::Failed;
        concerns.then_some(source)
    }

    /// Returns the view.
    pub const fn view(&self) -> &'a View {
        self.view
    }

    /// Returns the policy.
    pub const fn policy(&self) -> &'a Policy {
        self.policy
    }

    /// Returns the time of the report.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns the project's id.
    pub const fn project(&self) -> &'a ProjectId {
        &self.project.id
    }

    /// Returns the thresholds for a tool.
    pub fn tool_policy(&self, tool: &Tool) -> std::borrow::Cow<'a, ToolPolicy> {
        self.policy_of(tool.kind)
    }

    pub(crate) fn policy_of(&self, kind: ToolKind) -> std::borrow::Cow<'a, ToolPolicy> {
        self.policy.tools_for(kind, self.project.caller(None))
    }

    /// Returns the tools that a server entry provides. Empty for other kinds of tools.
    pub fn members(&self, tool: &Tool) -> &[&'a Tool] {
        if tool.kind != ToolKind::McpServer {
            return &[];
        }
        self.members.get(&tool.key).map_or(&[], Vec::as_slice)
    }

    /// Returns the server entry that provides a tool, if both are in the view.
    pub(crate) fn provider(&self, tool: &ToolKey) -> Option<&'a ToolKey> {
        let tool = self.view.tools.get(tool).filter(|tool| tool.kind == ToolKind::McpTool)?;
        self.entries.provider(tool).map(|entry| &entry.key)
    }

    /// Returns the tools of a server that are in use: those with a counted outcome, whose failures are reported to the
    /// requesting client.
    pub(crate) fn members_in_use(&self, tool: &Tool) -> impl Iterator<Item = &'a Tool> + '_ {
        let is_used = |member: &Tool| member.ring.counted_latest_first().next().is_some();
        let members = self.members(tool).iter().copied();
        members.filter(move |member| is_used(member) && self.is_told_of(member))
    }

    /// Returns true if a server counts as demoted: at least two of its tools are in use, and all of these are
    /// demoted. See [`Context::members_in_use`].
    pub(crate) fn is_server_down(&self, tool: &Tool) -> bool {
        self.members_in_use(tool).nth(1).is_some()
            && self.members_in_use(tool).all(|member| member.status() == Status::Demoted)
    }

    /// Returns true if a tool of the server was demoted by hand. Such a tool is reported on its own.
    pub(crate) fn has_demoted_by_hand(&self, server: &Tool) -> bool {
        let mut members = self.members(server).iter();
        members.any(|member| member.hold == Hold::Demoted && self.is_told_of(member))
    }

    /// Returns the status as reported. The status of a server also depends on its tools, and that of a tool on its
    /// server.
    pub fn status(&self, tool: &Tool) -> Status {
        let is_down = tool.kind == ToolKind::McpServer
            && tool.hold != Hold::Pinned
            && self.is_server_down(tool);
        if is_down || self.demoted_server(tool).is_some() { Status::Demoted } else { tool.status() }
    }

    fn server(&self, tool: &Tool) -> Option<&'a Tool> {
        (tool.kind == ToolKind::McpTool).then(|| self.entries.provider(tool)).flatten()
    }

    pub(super) fn server_hold(&self, tool: &Tool) -> Hold {
        self.server(tool).map_or(Hold::None, |entry| entry.hold)
    }

    /// Returns the server that provides a present tool, if the server was demoted by hand and the tool has no hold of
    /// its own.
    pub(super) fn demoted_server(&self, tool: &Tool) -> Option<&'a Tool> {
        let follows = tool.hold == Hold::None && tool.presence.is_present();
        self.server(tool).filter(|entry| follows && entry.hold == Hold::Demoted)
    }

    /// Returns the journal entry of the hold on a tool, or on the server that demotes it. If two tools share the name,
    /// prefers the decision of a person.
    pub(super) fn decision(&self, tool: &Tool) -> Option<&'a JournalEntry> {
        let tool = self.demoted_server(tool).unwrap_or(tool);
        let both = ToolKey::both(&self.project.id, &tool.key.name);
        let entries =
            [&tool.key].into_iter().chain(&both).filter_map(|key| self.view.decisions.get(key));
        let entries = entries.filter(|entry| entry.action.as_str() == tool.hold.as_str());
        entries.min_by_key(|entry| entry.actor.is_some())
    }

    /// Returns the state of a tool in each client that lists it or last listed it. A server's tool has the state of its
    /// server. If several files of a client list the tool, the best state counts.
    pub fn clients(&self, tool: &Tool) -> BTreeMap<String, ListingState> {
        let entry = self.server(tool).unwrap_or(tool);
        let mut clients = BTreeMap::new();
        for Listing { source, state } in &entry.listings {
            // A live list belongs to the server, not to a client.
            if source.level != Level::Live {
                let known = clients.entry(source.client.clone()).or_insert(*state);
                *known = (*known).min(*state);
            }
        }
        clients
    }

    /// Returns the time since which the requesting client has or lacks a tool. A server's tool that is not withheld
    /// follows its server. Without a requesting client, returns the time since which the tool is switched off for all.
    /// If the view's journal has no such entry, returns the time since which any client has or lacks it.
    pub(super) fn present_since(&self, tool: &Tool) -> Timestamp {
        if tool.presence.cause == PresenceCause::DefinitionChanged {
            return tool.presence.since;
        }
        let entry = self.provider(&tool.key).unwrap_or(&tool.key);
        let mut entries = self.moves.get(entry.name.as_str()).into_iter().flatten().rev();
        let is_visible =
            |scope: &Scope| scope.project().is_none_or(|project| *project == self.project.id);
        let is_off = tool.presence.cause.is_off();
        let is_asked = |clients: &[ClientId]| match &self.view.seen_by {
            Some(client) => clients.contains(client),
            None => is_off,
        };
        let switches_off =
            |cause: &str| PresenceCause::from_word(cause).is_some_and(PresenceCause::is_off);
        let moved = entries.find(|each| {
            is_visible(&each.subject.scope)
                && is_asked(&each.clients)
                && (!is_off || switches_off(&each.cause))
        });
        match moved {
            None => tool.presence.since,
            Some(moved) if tool.presence.is_present() => moved.at.max(tool.discovered_at),
            Some(moved) => moved.at,
        }
    }

    /// Returns the number of uses, including for a server those of its tools.
    pub fn uses(&self, tool: &Tool) -> u64 {
        self.members(tool).iter().fold(tool.uses, |sum, member| sum.saturating_add(member.uses))
    }

    /// Returns true if one of the latest outcomes, including for a server those of its tools, is a success.
    pub(super) fn has_worked(&self, tool: &Tool) -> bool {
        let mut all = self.members(tool).iter().copied().chain([tool]);
        all.any(|each| each.ring.entries().any(|entry| entry.mark == Mark::Success))
    }

    /// Returns the time of the last use, including for a server those of its tools. `None` if there is none.
    pub fn last_used(&self, tool: &Tool) -> Option<Timestamp> {
        self.members(tool)
            .iter()
            .filter_map(|member| member.last_used_at)
            .chain(tool.last_used_at)
            .max()
    }

    /// Returns the time at which the tool was last seen: used, discovered, or read in a source that lists it or
    /// its server.
    pub fn last_seen(&self, tool: &Tool) -> Timestamp {
        let read = |source: &SourceId| self.view.sources.get(source)?.last_read_at;
        let server = self.server(tool).filter(|server| server.presence.is_present());
        tool.listings
            .iter()
            .filter(|listing| listing.state.is_listed())
            .filter_map(|listing| read(&listing.source))
            .chain([self.last_used(tool).unwrap_or(tool.discovered_at)])
            .chain(server.map(|server| self.last_seen(server)))
            .max()
            .unwrap_or(tool.discovered_at)
    }

    /// Returns the number of days since the tool was last seen on which the requesting client, or any client if there
    /// is none, used tools in the project. `None` if it is below the policy's `unseen_days`. Always `None` for built-in
    /// tools: they come with the client, so disuse proves nothing.
    pub(crate) fn unseen_days(&self, tool: &Tool) -> Option<i64> {
        if tool.kind == ToolKind::Builtin {
            return None;
        }
        let (since, least) = (self.last_seen(tool), i64::from(self.tool_policy(tool).unseen_days));
        if self.now.days_since(since) < least {
            return None;
        }
        let client = self.view.seen_by.as_ref();
        let outcomes = self.view.outcomes.values();
        let by_asker = outcomes.filter(|each| client.is_none() || each.client.as_ref() == client);
        // Days without any use are no evidence about a tool.
        let used: BTreeSet<i64> =
            by_asker.map(|each| each.at.days_since(since)).filter(|day| *day > 0).collect();
        let days = used.len() as i64;
        (days >= least).then_some(days)
    }

    /// Returns true if the tool is ignored by hand or by a name in the policy, which may be a short name. An ignored
    /// server includes its tools without a hold of their own.
    pub fn is_ignored(&self, tool: &Tool) -> bool {
        let server = tool.server.as_ref().map(ServerKey::as_str);
        tool.hold == Hold::Ignored
            || tool.hold == Hold::None && self.server_hold(tool) == Hold::Ignored
            || self.ignored.holds(tool.key.name.as_str(), server)
    }

    /// Returns true if reports and suggestions omit the tool: it is ignored, or it is this program's own, which the
    /// reader certainly has.
    pub(crate) fn is_silent(&self, tool: &Tool) -> bool {
        let server = tool.server.as_ref().map(ServerKey::as_str);
        let plugin = tool.plugin.as_ref().map(ToolName::as_str);
        self.is_ignored(tool) || is_own(tool.kind, tool.key.name.as_str(), server, plugin)
    }

    /// Returns true if the tool is global or belongs to the project.
    pub(crate) fn reaches(&self, tool: &Tool) -> bool {
        tool.key.scope.project().is_none_or(|id| *id == self.project.id)
    }

    /// Returns true if the project sees the tool: it is global or belongs to the project, and is neither invented
    /// nor limited to other clients.
    pub fn is_visible(&self, tool: &Tool) -> bool {
        self.reaches(tool) && !tool.presence.cause.is_foreign()
    }

    /// Returns true if failures of the tool are reported to the requesting client. Failures of a name that may be
    /// invented are reported to the clients that called it. If no tool of its server had worked when the name was
    /// demoted, the whole server failed, and they are reported to the clients that load the server too.
    pub(crate) fn is_told_of(&self, tool: &Tool) -> bool {
        tool.presence.cause != PresenceCause::Invented && !self.is_guess_of_others(tool)
    }

    /// Returns true if only other clients called a name that is or may be invented, unless its whole server failed.
    pub(crate) fn is_guess_of_others(&self, tool: &Tool) -> bool {
        let failed =
            || tool.presence.cause != PresenceCause::Invented && self.failed_with_server(tool);
        let is_others = |client| !tool.used_by.contains(client) && !failed();
        may_be_invented(tool) && self.view.seen_by.as_ref().is_some_and(is_others)
    }

    /// Returns true if the requesting client loads the tool's server, and no tool of that server had worked when this
    /// one was demoted. The view must contain all tools of the server.
    pub(crate) fn failed_with_server(&self, tool: &Tool) -> bool {
        let then = tool.health.last_demoted_at.unwrap_or(self.now);
        let never_worked = |member: &&Tool| member.ring.proves_no_success(member.uses, then);
        self.entries.provider(tool).is_some_and(|server| {
            server.presence.is_present() && self.members(server).iter().all(never_worked)
        })
    }

    /// Returns the visible tools, one per name: see [`View::resolve`].
    pub fn visible(&self) -> impl Iterator<Item = &'a Tool> + '_ {
        self.view
            .tools
            .values()
            .filter(|tool| self.is_visible(tool))
            .filter(|tool| self.meant(tool).key == tool.key)
    }

    /// Returns the tool with this key, or the global one of the same name if the project uses that one.
    pub(super) fn deciding(&self, key: &ToolKey) -> Option<&'a Tool> {
        let users = ToolKey::global(key.name.clone());
        let mut all = [key, &users].into_iter().filter_map(|key| self.view.tools.get(key));
        all.find(|tool| self.is_visible(tool))
    }

    /// Returns true if the project uses a tool of the same name in the other scope, so that changes of this one are not
    /// worth reporting.
    pub(crate) fn is_replaced(&self, tool: &Tool) -> bool {
        let meant = self.meant(tool);
        meant.key != tool.key && meant.presence.is_present()
    }

    /// Returns the tool that the project means by this tool's name.
    fn meant<'t>(&self, tool: &'t Tool) -> &'t Tool
    where
        'a: 't,
    {
        let twins = self.twins.get(&tool.key.name);
        let twins = twins.filter(|(own, global)| self.is_visible(own) && self.is_visible(global));
        twins.and_then(|(own, global)| meant(Some(own), Some(global))).unwrap_or(tool)
    }
}

/// The entry of each server in a scope. Present entries take precedence over absent ones.
#[derive(Debug)]
struct Entries<'a>(HashMap<(&'a Scope, &'a ServerKey), &'a Tool>);

impl<'a> Entries<'a> {
    fn of(view: &'a View) -> Self {
        let mut entries: HashMap<(&Scope, &ServerKey), &Tool> = HashMap::new();
        for tool in view.tools.values().filter(|tool| tool.kind == ToolKind::McpServer) {
            let Some(server) = &tool.server else { continue };
            let entry = entries.entry((&tool.key.scope, server)).or_insert(tool);
            if entry.presence.is_absent() {
                *entry = tool;
            }
        }
        Self(entries)
    }

    /// Returns the entry that provides a tool. A present entry takes precedence over an absent one, and the project's
    /// over the global one.
    fn provider(&self, tool: &Tool) -> Option<&'a Tool> {
        let server = tool.server.as_ref()?;
        let own = self.0.get(&(&tool.key.scope, server)).copied();
        let global = self.0.get(&(&Scope::Global, server)).copied();
        let present = own.into_iter().chain(global).find(|entry| entry.presence.is_present());
        present.or(own).or(global)
    }
}

/// Pairs the tools of a project with the global tools of the same name, in one pass over both lists, which are sorted
/// by name.
fn twins<'a>(view: &'a View, project: &ProjectId) -> HashMap<&'a ToolName, (&'a Tool, &'a Tool)> {
    let of = |scope: Option<&ProjectId>| {
        let scope = scope.cloned();
        view.tools
            .values()
            .filter(move |tool| tool.key.scope.project() == scope.as_ref())
            .peekable()
    };
    let (mut global, mut own) = (of(None), of(Some(project)));
    let mut twins = HashMap::new();
    while let (Some(one), Some(other)) = (own.peek().copied(), global.peek().copied()) {
        let order = one.key.name.cmp(&other.key.name);
        if order.is_le() {
            own.next();
        }
        if order.is_ge() {
            global.next();
        }
        if order.is_eq() {
            twins.insert(&one.key.name, (one, other));
        }
    }
    twins
}
