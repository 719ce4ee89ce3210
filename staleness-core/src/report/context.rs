//! The context of a report: everything seen, arranged for looking tools up.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::ids::{Level, ProjectId, Scope, ServerKey, SourceId, ToolKey, ToolName};
use crate::policy::{Policy, ToolPolicy};
use crate::scan::{ProjectRef, may_be_invented};
use crate::store::{View, meant};
use crate::time::Timestamp;
use crate::tool::{Hold, Listing, ListingState, PresenceCause, Status, Tool, ToolKind};

/// The server, the plugin and the skill as which this program offers itself.
const OWN_NAME: &str = "staleness";

/// The tools of that server, sorted.
const OWN_TOOLS: [&str; 12] = [
    "check_documents",
    "discover_tools",
    "list_stale",
    "recall_knowledge",
    "record_outcome",
    "resume_session",
    "save_knowledge",
    "settle_work",
    "suggest_tool",
    "tool_status",
    "verify_knowledge",
    "work_item",
];

/// Returns true if this program's server has a tool of this name.
pub(crate) fn is_own_tool(name: &str) -> bool {
    OWN_TOOLS.binary_search(&name).is_ok()
}

/// Returns true if a server is this program's.
pub(crate) fn is_own_server(server: &str) -> bool {
    server == OWN_NAME || server.starts_with("plugin_") && server.ends_with("_staleness")
}

/// Returns true if a tool is this program's own.
pub(crate) fn is_own(
    kind: ToolKind,
    name: &str,
    server: Option<&str>,
    plugin: Option<&str>,
) -> bool {
    server.is_some_and(is_own_server)
        || plugin.and_then(|plugin| plugin.split('@').next()) == Some(OWN_NAME)
        || kind == ToolKind::Skill && name == OWN_NAME
}

/// The names that a policy ignores, in every spelling, and the servers that they may mean. A
/// project may bring many.
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

/// A view as one project sees it at one moment under one policy.
///
/// An MCP server's figures are sums over its tools, so the context needs the server's tools beside
/// its entry to tell them.
#[derive(Debug)]
pub struct Context<'a> {
    view: &'a View,
    policy: &'a Policy,
    project: &'a ProjectRef,
    now: Timestamp,
    /// For each server entry the tools that it provides. A tool has one entry: the project's before
    /// the global one, and one that is present before one that is gone.
    members: HashMap<&'a ToolKey, Vec<&'a Tool>>,
    /// The entry of each server in a scope.
    entries: Entries<'a>,
    /// The project's own tool and the global one for each name that both have.
    twins: HashMap<&'a ToolName, (&'a Tool, &'a Tool)>,
    ignored: Ignored,
}

impl<'a> Context<'a> {
    /// Arranges a view.
    #[must_use]
    pub fn new(
        view: &'a View,
        policy: &'a Policy,
        project: &'a ProjectRef,
        now: Timestamp,
    ) -> Self {
        let entries = Entries::of(view);
        let mut members: HashMap<&ToolKey, Vec<&Tool>> = HashMap::new();
        // Tools come in the order of their keys, so those of one server stand together: it is looked
        // up once for all of them.
        let mut last: Option<(&Tool, Option<&Tool>)> = None;
        for tool in view.tools.values().filter(|tool| tool.kind == ToolKind::McpTool) {
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
        Self { view, policy, project, now, members, entries, twins, ignored }
    }

    /// The view.
    #[must_use]
    pub const fn view(&self) -> &'a View {
        self.view
    }

    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &'a Policy {
        self.policy
    }

    /// The moment.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// The project.
    #[must_use]
    pub const fn project(&self) -> &'a ProjectId {
        &self.project.id
    }

    /// The thresholds that hold for a tool.
    #[must_use]
    pub fn tool_policy(&self, tool: &Tool) -> std::borrow::Cow<'a, ToolPolicy> {
        let project = (&self.project.id, self.project.root.as_str());
        self.policy.tools_for(tool.kind, Some(project), None)
    }

    /// The tools that a server's entry provides; none for other kinds.
    #[must_use]
    pub fn members(&self, tool: &Tool) -> &[&'a Tool] {
        if tool.kind != ToolKind::McpServer {
            return &[];
        }
        self.members.get(&tool.key).map_or(&[], Vec::as_slice)
    }

    /// The entry of the server that provides a tool, where both were seen.
    #[must_use]
    pub fn provider(&self, tool: &ToolKey) -> Option<&'a ToolKey> {
        let tool = self.view.tools.get(tool).filter(|tool| tool.kind == ToolKind::McpTool)?;
        self.entries.provider(tool).map(|entry| &entry.key)
    }

    /// The members that are in use: those with a counted outcome in their ring, of which the asking client is told.
    pub fn members_in_use(&self, tool: &Tool) -> impl Iterator<Item = &'a Tool> + '_ {
        let is_used = |member: &Tool| member.ring.counted_latest_first().next().is_some();
        let members = self.members(tool).iter().copied();
        members.filter(move |member| is_used(member) && self.is_told_of(member))
    }

    /// Returns true if a server is shown as demoted: at least two of its tools are in use, and all of those are demoted.
    /// See [`Context::members_in_use`].
    #[must_use]
    pub fn is_server_down(&self, tool: &Tool) -> bool {
        let (mut used, mut demoted) = (0, 0);
        for member in self.members_in_use(tool) {
            used += 1;
            demoted += usize::from(member.status() == Status::Demoted);
        }
        used >= 2 && used == demoted
    }

    /// The tool's status as it is shown: a server follows its tools.
    #[must_use]
    pub fn status(&self, tool: &Tool) -> Status {
        if tool.kind == ToolKind::McpServer
            && tool.hold != Hold::Pinned
            && self.is_server_down(tool)
        {
            Status::Demoted
        } else {
            tool.status()
        }
    }

    /// Returns true if the tool is failing, or is a server whose tools are.
    #[must_use]
    pub fn is_failing(&self, tool: &Tool) -> bool {
        tool.health.is_failing()
            || tool.hold == Hold::Demoted
            || (tool.kind == ToolKind::McpServer && self.is_server_down(tool))
    }

    /// Returns the state of a tool in the configuration of each client that lists it or listed it last; of a server's tool
    /// that of the server. The best state counts where several files of a client list it.
    #[must_use]
    pub fn clients(&self, tool: &Tool) -> BTreeMap<String, ListingState> {
        let is_of_server = tool.kind == ToolKind::McpTool;
        let entry = is_of_server.then(|| self.entries.provider(tool)).flatten().unwrap_or(tool);
        let mut clients = BTreeMap::new();
        for Listing { source, state } in &entry.listings {
            // A live list is of its server, not of a client.
            if source.level != Level::Live {
                let known = clients.entry(source.client.clone()).or_insert(*state);
                *known = (*known).min(*state);
            }
        }
        clients
    }

    /// Returns the number of its uses; for a server, those of its tools are added.
    #[must_use]
    pub fn uses(&self, tool: &Tool) -> u64 {
        self.members(tool).iter().fold(tool.uses, |sum, member| sum.saturating_add(member.uses))
    }

    /// When it was last used: for a server the latest over its tools.
    #[must_use]
    pub fn last_used(&self, tool: &Tool) -> Option<Timestamp> {
        self.members(tool)
            .iter()
            .filter_map(|member| member.last_used_at)
            .chain(tool.last_used_at)
            .max()
    }

    /// When it was last seen: used or discovered, or a source that lists it, or its server, was read.
    #[must_use]
    pub fn last_seen(&self, tool: &Tool) -> Timestamp {
        let read = |source: &SourceId| self.view.sources.get(source)?.last_read_at;
        let is_of_server = tool.kind == ToolKind::McpTool;
        let entry = is_of_server.then(|| self.entries.provider(tool)).flatten();
        tool.listings
            .iter()
            .filter(|listing| listing.state.is_listed())
            .filter_map(|listing| read(&listing.source))
            .chain([self.last_used(tool).unwrap_or(tool.discovered_at)])
            .chain(
                entry.filter(|entry| entry.presence.is_present()).map(|each| self.last_seen(each)),
            )
            .max()
            .unwrap_or(tool.discovered_at)
    }

    /// Days since it was last seen, when they reach the policy's `unseen_days`. A client brings its built-in tools along:
    /// that nobody used one proves nothing.
    #[must_use]
    pub fn unseen_days(&self, tool: &Tool) -> Option<i64> {
        if tool.kind == ToolKind::Builtin {
            return None;
        }
        let days = self.now.days_since(self.last_seen(tool));
        (days >= i64::from(self.tool_policy(tool).unseen_days)).then_some(days)
    }

    /// Returns true if nothing is said of the tool: ignored by hand, or by a name in the policy, which may
    /// be short like any other and takes a server's tools with it.
    #[must_use]
    pub fn is_ignored(&self, tool: &Tool) -> bool {
        let server = tool.server.as_ref().map(ServerKey::as_str);
        tool.hold == Hold::Ignored || self.ignored.holds(tool.key.name.as_str(), server)
    }

    /// Returns true if reports and suggestions leave the tool out: it is ignored, or this program's own. Whoever
    /// reads a report has this program, and needs no warning of it.
    #[must_use]
    pub fn is_silent(&self, tool: &Tool) -> bool {
        let server = tool.server.as_ref().map(ServerKey::as_str);
        let plugin = tool.plugin.as_ref().map(ToolName::as_str);
        self.is_ignored(tool) || is_own(tool.kind, tool.key.name.as_str(), server, plugin)
    }

    /// Returns true if the tool is the project's own, or global.
    pub(crate) fn reaches(&self, tool: &Tool) -> bool {
        tool.key.scope.project().is_none_or(|id| *id == self.project.id)
    }

    /// Returns true if the tool is visible to the project: its own, or global, not of another client alone, and no
    /// invented name.
    #[must_use]
    pub fn is_visible(&self, tool: &Tool) -> bool {
        self.reaches(tool) && !tool.presence.cause.is_foreign()
    }

    /// Returns true if the failures of a tool are told to the asking client: those of a name that may be invented are the
    /// affair of its callers.
    #[must_use]
    pub fn is_told_of(&self, tool: &Tool) -> bool {
        let called = |client| !may_be_invented(tool) || tool.used_by.contains(client);
        tool.presence.cause != PresenceCause::Invented
            && self.view.seen_by.as_ref().is_none_or(called)
    }

    /// The visible tools, one for each name: see [`View::resolve`].
    pub fn visible(&self) -> impl Iterator<Item = &'a Tool> + '_ {
        self.view
            .tools
            .values()
            .filter(|tool| self.is_visible(tool))
            .filter(|tool| self.meant(tool).key == tool.key)
    }

    /// Returns true if a tool of the same name in the other scope serves the project in place of this one:
    /// what happens to this one is no news then.
    #[must_use]
    pub fn is_replaced(&self, tool: &Tool) -> bool {
        let meant = self.meant(tool);
        meant.key != tool.key && meant.presence.is_present()
    }

    /// Returns the tool that the project means by the name of a tool that it sees.
    fn meant<'t>(&self, tool: &'t Tool) -> &'t Tool
    where
        'a: 't,
    {
        let twins = self.twins.get(&tool.key.name);
        let twins = twins.filter(|(own, global)| self.is_visible(own) && self.is_visible(global));
        twins.and_then(|(own, global)| meant(Some(own), Some(global))).unwrap_or(tool)
    }
}

/// The entry of each server in a scope: one that is present before one that is gone.
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

    /// The entry that provides a tool: the project's before the global one, and one that is present
    /// before one that is gone.
    fn provider(&self, tool: &Tool) -> Option<&'a Tool> {
        let server = tool.server.as_ref()?;
        let own = self.0.get(&(&tool.key.scope, server)).copied();
        let global = self.0.get(&(&Scope::Global, server)).copied();
        let present = own.into_iter().chain(global).find(|entry| entry.presence.is_present());
        present.or(own).or(global)
    }
}

/// The tools of a project and the global ones that have one name. Both come in the order of names, so
/// one walk over them finds all.
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
