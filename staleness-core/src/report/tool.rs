//! The report of a tool.

use std::collections::BTreeMap;

use serde::Serialize;

use super::suggest::may_be_tried;
use super::unaccepted::{unaccepted, word};
use super::{Context, words};
use crate::ids::{self, AgentId, ClientId, Scope, SourceId, ToolKey, ToolName};
use crate::scan::is_read_by;
use crate::source::{Source, SourceState};
use crate::text::{days as days_in_words, wording};
use crate::time::Timestamp;
use crate::tool::{
    Hold, Listing, ListingState, Presence, PresenceCause, Ring, RingEntry, Status, Tool, ToolKind,
};
use crate::verdict::{Ground, Level, NextAction, Signal, Verdict, round};

/// The health of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// Demoted neither by recent outcomes nor by hand.
    Healthy,
    /// Demoted by its recent outcomes.
    Failing,
    /// The cool-down of the tool, or of each failing tool of a server, has passed. The tool may be suggested again,
    /// ranked last and marked.
    Probation,
    /// An agent demoted the tool or its server. Only an agent or a person can restore it.
    #[serde(rename = "failing")]
    DemotedByAgent,
    /// A person demoted the tool or its server.
    Demoted,
}

/// The health of a tool, with the evidence if it is not healthy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HealthReport {
    /// The state of health.
    pub state: HealthState,
    /// The evidence, if the tool is not healthy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The time at which the failures that demote the tool began. `None` if it is not failing.
    #[serde(skip)]
    pub since: Option<Timestamp>,
    /// The last use before `since`, if recorded.
    #[serde(skip)]
    pub used_before: Option<Timestamp>,
}

wording! {
    /// The status shown in reports: the status, or the reason why the tool is not used.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    pub enum StatusWord {
        /// The tool can be used.
        Active = "active",
        /// The tool is absent.
        Stale = "stale",
        /// The tool fails, or was demoted by hand.
        Demoted = "demoted",
        /// The user disabled the tool or its server.
        Off = "off",
        /// Only other clients have the tool.
        OtherClient = "other_client",
        /// Another entry of the same name is loaded instead.
        Replaced = "replaced",
        /// A name that no client lists and that never worked.
        Invented = "invented",
    }
}

/// A tool with all known facts and its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolReport {
    /// The tool's key in the registry. Serializes as `name`, `scope` (a word) and, for a project's tool, `project`.
    #[serde(flatten, serialize_with = "words::key")]
    pub key: ToolKey,
    /// The kind of tool.
    pub kind: ToolKind,
    /// The MCP server to which the tool belongs, or the server itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The plugin that provides the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<ToolName>,
    /// The requesting client's sources that list or last listed the tool; all sources if there are none, or no
    /// requesting client. Serialized as `client/level/part`.
    #[serde(serialize_with = "words::texts")]
    pub sources: Vec<SourceId>,
    /// The tool's state in each client's configuration. For a server's tool, the state of the server.
    pub clients: BTreeMap<String, ListingState>,
    /// The clients for which the tool became present or absent. Empty except in the report of a scan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_for: Vec<ClientId>,
    /// The tool's description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The status, derived from hold, health and presence.
    #[serde(skip)]
    pub status: Status,
    /// The status shown in reports.
    #[serde(rename = "status")]
    pub status_word: StatusWord,
    /// The hold on the tool: a decision by hand.
    #[serde(skip_serializing_if = "words::is_none")]
    pub hold: Hold,
    /// True if reports and suggestions omit the tool, by the policy or by a decision about it or its server.
    #[serde(skip)]
    pub ignored: bool,
    /// The agent that demoted, pinned or ignored the tool, or demoted its server. `None` for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<AgentId>,
    /// The reason given for that decision, at most 1,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_because: Option<String>,
    /// The action of the user that would make the requesting client load the tool, as a phrase after "ask the user to".
    #[serde(skip)]
    pub remedy: Option<&'static str>,
    /// The tool's presence, with the cause. Serializes with its state as a word.
    #[serde(serialize_with = "words::presence")]
    pub presence: Presence,
    /// The tool's health.
    pub health: HealthReport,
    /// The latest outcomes as letters, oldest first.
    pub outcomes: String,
    /// The number of failures in the current window. For a server, the sum over its tools.
    pub failures: usize,
    /// The number of uses. For a server, the sum over its tools.
    pub uses: u64,
    /// The time at which the tool was first recorded.
    pub discovered_at: Timestamp,
    /// The time at which the tool was last seen.
    pub last_seen_at: Timestamp,
    /// The time at which the tool was last used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
    /// The verdict: the level of trust, the evidence, and the recommended action.
    pub verdict: Verdict,
}

impl ToolReport {
    /// Reports a tool in a context.
    pub fn new(context: &Context<'_>, tool: &Tool) -> Self {
        let members = context.members(tool);
        let policy = context.tool_policy(tool);
        let failures = members
            .iter()
            .map(|member| member.health.failures(&member.ring, &context.tool_policy(member)))
            .sum::<usize>()
            + tool.health.failures(&tool.ring, &policy);
        let decision = context.decision(tool);
        Self {
            key: tool.key.clone(),
            kind: tool.kind,
            server: Self::server_of(tool),
            plugin: tool.plugin.clone(),
            sources: sources(context, tool),
            clients: context.clients(tool),
            changed_for: Vec::new(),
            description: tool.description.clone(),
            status: context.status(tool),
            status_word: status_word(context, tool),
            hold: tool.hold,
            ignored: context.is_ignored(tool),
            held_by: decision.and_then(|entry| entry.actor.clone()),
            held_because: decision.and_then(|entry| entry.note.clone()),
            remedy: remedy(context, tool),
            presence: Presence { since: context.present_since(tool), ..tool.presence },
            health: health(context, tool),
            outcomes: letters(tool, members),
            failures,
            uses: context.uses(tool),
            discovered_at: tool.discovered_at,
            last_seen_at: context.last_seen(tool),
            last_used_at: context.last_used(tool),
            verdict: verdict(context, tool),
        }
    }

    /// Returns the server's name, in the spelling of its configuration if known, otherwise its key.
    pub(super) fn server_of(tool: &Tool) -> Option<String> {
        let key = tool.server.as_ref()?;
        let spelled = tool.key.name.spelled_server().filter(|_| tool.kind == ToolKind::McpServer);
        Some(spelled.unwrap_or(key.as_str()).to_owned())
    }
}

/// Returns the outcomes of a tool as letters. For a server, those of all its tools in order of time.
fn letters(tool: &Tool, members: &[&Tool]) -> String {
    if members.is_empty() {
        return tool.letters();
    }
    let mut entries: Vec<&RingEntry> =
        members.iter().copied().chain([tool]).flat_map(|each| each.ring.entries()).collect();
    entries.sort_by_key(|entry| entry.at);
    let skip = entries.len().saturating_sub(Ring::CAPACITY);
    entries[skip..].iter().map(|entry| entry.mark.letter()).collect()
}

pub(super) fn health(context: &Context<'_>, tool: &Tool) -> HealthReport {
    let cause = failing_cause(context, tool);
    let is_by_hand = tool.hold == Hold::Demoted || context.demoted_server(tool).is_some();
    let is_agents = || context.decision(tool).is_some_and(|entry| entry.actor.is_some());
    let state = match &cause {
        None => HealthState::Healthy,
        Some(_) if is_by_hand && is_agents() => HealthState::DemotedByAgent,
        Some(_) if is_by_hand => HealthState::Demoted,
        Some(_) if is_on_probation(context, tool) => HealthState::Probation,
        Some(_) => HealthState::Failing,
    };
    let since = tool.health.began(&tool.ring);
    HealthReport {
        state,
        cause,
        since,
        used_before: since.and_then(|since| tool.ring.counted_before(since)),
    }
}

/// Returns true if each failing one among the tool and, for a server, its tools may be retried.
fn is_on_probation(context: &Context<'_>, tool: &Tool) -> bool {
    let fails = |each: &&Tool| each.hold == Hold::None && each.health.is_failing();
    let mut failing = context.members_in_use(tool).chain([tool]).filter(fails).peekable();
    failing.peek().is_some() && failing.all(|each| may_be_tried(context, each))
}

fn failing_cause(context: &Context<'_>, tool: &Tool) -> Option<String> {
    let by = || {
        let agent = context.decision(tool).and_then(|entry| entry.actor.as_ref());
        format!("demoted by {}", agent.map_or("hand", AgentId::as_str))
    };
    if tool.hold == Hold::Demoted {
        return Some(by());
    }
    if context.demoted_server(tool).is_some() {
        return Some(format!("its server is {}", by()));
    }
    if let Some(failing) = &tool.health.failing {
        // Uses the current evidence. The history has the evidence at the time of the demotion.
        let now = context.tool_policy(tool).rule.judge(tool.health.counted(&tool.ring));
        let grew = now.failures > 0;
        return Some(if grew { now.to_string() } else { failing.cause.clone() });
    }
    if tool.kind == ToolKind::McpServer && context.is_server_down(tool) {
        let used = context.members_in_use(tool).count();
        return Some(format!("all {used} of its tools in use are demoted"));
    }
    None
}

fn verdict(context: &Context<'_>, tool: &Tool) -> Verdict {
    let policy = context.tool_policy(tool);
    let failing = failing_cause(context, tool);
    let absent = tool.presence.is_absent();
    let unseen = context.unseen_days(tool);
    let troubled = context.trouble(tool);
    let waiting = unaccepted(context, tool);
    let is_sound = unseen.is_none() && troubled.is_none() && waiting.is_none();
    let none = no_verdict(context, tool, is_sound);
    let mut signals: Vec<Signal> = none.iter().cloned().collect();
    let mut signal = |kind: Ground, freshness: f64, reason: String| {
        signals.push(Signal::new(kind, 1.0, round(1.0 - freshness), reason));
    };
    let is_failing = failing.is_some();
    if let Some(cause) = failing {
        signal(Ground::Failing, policy.freshness_failing, cause);
    }
    let withheld = tool.is_withheld();
    let must_accept = withheld || is_server_withheld(context, tool);
    let is_told = none.is_some() || tool.presence.cause == PresenceCause::DefinitionChanged;
    if absent && !is_told {
        signal(Ground::Absent, policy.freshness_absent, absence(context, tool));
    }
    let is_waiting = waiting.is_some();
    if let Some((ground, reason)) = waiting {
        let freshness = if withheld { policy.freshness_absent } else { policy.freshness_changed };
        signal(ground, freshness, reason);
    }
    if let Some(days) = unseen {
        signal(
            Ground::Unseen,
            policy.freshness_unseen,
            format!("not seen in {} of use", days_in_words(days)),
        );
    }
    if let Some(source) = troubled {
        signal(Ground::DidNotAnswer, policy.freshness_unseen, no_answer(source, tool));
    }
    let (freshness, action) = match (is_failing, absent) {
        // A person must review the definition first, whatever other problems there are.
        (true, true) if must_accept => (policy.freshness_both, NextAction::Verify),
        (true, true) => (policy.freshness_both, NextAction::Drop),
        (false, true) if must_accept => (policy.freshness_absent, NextAction::Verify),
        (false, true) if remedy(context, tool).is_some() => {
            (policy.freshness_absent, NextAction::Update)
        }
        (false, true) => (policy.freshness_absent, NextAction::Drop),
        (true, false) => (policy.freshness_failing, NextAction::Update),
        (false, false) if is_waiting => (policy.freshness_changed, NextAction::Verify),
        (false, false) if unseen.is_some() || troubled.is_some() => {
            (policy.freshness_unseen, NextAction::Verify)
        }
        (false, false) => (1.0, NextAction::Keep),
    };
    if tool.hold == Hold::Pinned || none.is_some() {
        for signal in &mut signals {
            signal.weight = 0.0;
        }
        let invented = tool.presence.cause == PresenceCause::Invented;
        let action = if invented { NextAction::Drop } else { NextAction::Keep };
        return Verdict { signals, action, ..Verdict::fresh() };
    }
    let freshness = round(freshness);
    Verdict { level: Level::of(freshness), freshness, signals, action }
}

/// Returns the reason why there is no verdict on a tool: see [`Verdict`]. `None` if there is one.
fn no_verdict(context: &Context<'_>, tool: &Tool, is_sound: bool) -> Option<Signal> {
    let (cause, status) = (tool.presence.cause, context.status(tool));
    let is_sound = is_sound && status == Status::Active && tool.hold != Hold::Pinned;
    let signal = |kind, reason| Some(Signal::new(kind, 1.0, 0.0, reason));
    match cause {
        _ if cause.is_off() && status != Status::Active => {
            signal(Ground::Off, absence(context, tool))
        }
        PresenceCause::OtherClient => signal(Ground::OtherClient, absence(context, tool)),
        PresenceCause::Replaced => signal(Ground::Replaced, absence(context, tool)),
        PresenceCause::Invented => signal(Ground::Invented, absence(context, tool)),
        _ if !is_sound => None,
        _ if context.uses(tool) == 0 => signal(Ground::Unused, not_used(context, tool)),
        _ if !context.has_worked(tool) => {
            signal(Ground::Unproven, "used, but never known to succeed".into())
        }
        _ => None,
    }
}

pub(crate) fn status_word(context: &Context<'_>, tool: &Tool) -> StatusWord {
    match (tool.presence.cause, context.status(tool)) {
        (PresenceCause::OtherClient, _) => StatusWord::OtherClient,
        (PresenceCause::Replaced, _) => StatusWord::Replaced,
        (_, Status::Active) => StatusWord::Active,
        (PresenceCause::Invented, _) => StatusWord::Invented,
        (cause, _) if cause.is_off() => StatusWord::Off,
        (_, Status::Stale) => StatusWord::Stale,
        (_, Status::Demoted) => StatusWord::Demoted,
    }
}

/// Returns the action that would make the requesting client load an absent tool, if a person can take it.
fn remedy(context: &Context<'_>, tool: &Tool) -> Option<&'static str> {
    let cause = tool.presence.cause;
    let entry = context.provider(&tool.key).filter(|_| cause == PresenceCause::ServerNotLoaded);
    let tools = &context.view().tools;
    let entry = entry.and_then(|key| tools.get(key)).map(|entry| {
        let scope = Scope::Project(context.project().clone());
        let own = tools.get(&ToolKey { scope, name: entry.key.name.clone() });
        own.filter(|_| entry.presence.cause == PresenceCause::Replaced).unwrap_or(entry)
    });
    entry.map_or(cause, |entry| entry.presence.cause).remedy()
}

/// Returns a statement that a tool has not been used yet, with the clients that load it.
fn not_used(context: &Context<'_>, tool: &Tool) -> String {
    let clients = context.clients(tool);
    let loads = clients.iter().filter(|(_, state)| **state == ListingState::Configured);
    let loads: Vec<&str> = loads.map(|(client, _)| client.as_str()).collect();
    match loads.join(", ") {
        none if none.is_empty() => "not used yet".into(),
        clients => format!("not used yet; configured in {clients}"),
    }
}

impl ToolReport {
    /// Returns true if the tool must not be used until a person accepts its definition.
    pub fn is_withheld(&self) -> bool {
        self.verdict.rests_on(Ground::DefinitionWithheld)
    }

    /// Returns true if this is not a tool but a name that a model invented.
    pub fn is_invented(&self) -> bool {
        self.presence.cause == PresenceCause::Invented
    }

    /// Returns true if the verdict is not fresh, and the tool has not been gone for long.
    pub fn needs_attention(&self, context: &Context<'_>) -> bool {
        self.verdict.level != Level::Fresh && !self.is_long_gone(context)
    }

    /// Returns true if no source has listed the tool for the policy's `unseen_days`, and the tool was never used.
    pub fn is_long_gone(&self, context: &Context<'_>) -> bool {
        let is_gone = self.verdict.action == NextAction::Drop && self.hold == Hold::None;
        let days = context.now().days_since(self.presence.since);
        is_gone && self.uses == 0 && days >= i64::from(context.policy_of(self.kind).unseen_days)
    }

    /// Returns true if the user disabled the tool or its server, even if it failed before.
    pub fn is_off(&self) -> bool {
        self.status_word == StatusWord::Off
    }
}

/// Returns a statement that a server, or the server of a tool, did not answer or had a problem.
fn no_answer(source: &Source, tool: &Tool) -> String {
    let day = source.last_scan_at.date();
    let whose = if tool.kind == ToolKind::McpServer { "" } else { "its server " };
    let why = source.error.as_deref().unwrap_or("no answer");
    match source.state {
        SourceState::Failed => {
            let again = format!("staleness scan --probe {}", word(&source.id.part));
            format!("{whose}did not list its tools on {day}: {why}; once it starts, run `{again}`")
        }
        _ => format!("had a problem with its tool list on {day}: {why}"),
    }
}

/// Returns true if the instructions of the tool's server must be accepted first.
fn is_server_withheld(context: &Context<'_>, tool: &Tool) -> bool {
    let entry = context.provider(&tool.key).and_then(|key| context.view().tools.get(key));
    entry.is_some_and(|entry| entry.presence.cause == PresenceCause::DefinitionChanged)
}

/// Returns the requesting client's sources that list a tool; all sources if there are none, or no requesting client.
fn sources(context: &Context<'_>, tool: &Tool) -> Vec<SourceId> {
    let all = || tool.listings.iter().map(|listing| &listing.source);
    let client = context.view().seen_by.as_ref();
    let own = |source: &&SourceId| client.is_none_or(|client| is_read_by(source, client));
    let own: Vec<SourceId> = all().filter(own).cloned().collect();
    if own.is_empty() { all().cloned().collect() } else { own }
}

/// Returns the reason why a tool is absent. For a requesting client, considers only its own sources.
fn absence(context: &Context<'_>, tool: &Tool) -> String {
    let cause = tool.presence.cause;
    let client = context.view().seen_by.as_ref();
    let is_own = |each: &Listing| client.is_none_or(|client| each.source.client == client.as_str());
    let of_clients = || tool.listings.iter().filter(|each| !each.is_live());
    let is_told = |each: &&Listing| match cause {
        PresenceCause::OtherClient => !each.is_live() && each.state != ListingState::Gone,
        PresenceCause::NotListed => each.state == ListingState::Gone,
        _ => each.state.cause() == cause && is_own(each),
    };
    let sources = tool.listings.iter().filter(is_told);
    let is_live = sources.clone().all(|each| each.source.level == ids::Level::Live);
    let sources: Vec<String> = sources.map(|each| each.source.to_string()).collect();
    let is_server = is_live && !sources.is_empty();
    let verb = if sources.len() > 1 { "list" } else { "lists" };
    let all = match sources.is_empty() {
        true => "its configuration".into(),
        false => sources.join(", "),
    };
    let server = tool.server.as_ref().map_or("its server", |server| server.as_str());
    let reason = match cause {
        PresenceCause::Disabled => format!("switched off in {all}"),
        PresenceCause::Pending => format!("listed in {all}, and not approved yet"),
        PresenceCause::Untrusted => format!("listed in {all}, in a folder that is not trusted"),
        PresenceCause::Refused => {
            format!("listed in {all}, but its client refuses the entry or the file")
        }
        PresenceCause::ServerRemoved => format!("its server {server} was removed from config"),
        PresenceCause::ServerDisabled => format!("its server {server} is switched off"),
        PresenceCause::ServerNotLoaded if is_server_withheld(context, tool) => {
            format!("the instructions of its server {server} are not accepted")
        }
        PresenceCause::ServerNotLoaded => format!("its server {server} is listed but not loaded"),
        PresenceCause::DefinitionChanged => "its definition is not accepted".into(),
        PresenceCause::NotListed if is_server => "its server no longer lists it".into(),
        PresenceCause::NotListed => format!("{all} no longer {verb} it"),
        PresenceCause::Replaced => match tool.key.scope {
            Scope::Global => format!("the project's own server {server} is loaded instead"),
            Scope::Project(_) => {
                format!("the user's entry of the server {server} is loaded instead")
            }
        },
        PresenceCause::OtherClient if of_clients().next().is_none() => {
            let users: Vec<&str> = tool.used_by.iter().map(ClientId::as_str).collect();
            let server = tool.server.as_ref();
            let server =
                server.map_or_else(String::new, |server| format!(" of the server {server}"));
            let users = match users.join(", ") {
                none if none.is_empty() => none,
                users => format!(": used by {users}"),
            };
            format!("not one of this client's tools{server}{users}")
        }
        PresenceCause::OtherClient if sources.is_empty() => {
            "not one of this client's tools: no client lists it any more".into()
        }
        PresenceCause::OtherClient => format!("not one of this client's tools: {all} {verb} it"),
        PresenceCause::Invented => "no client lists it, and it never worked".into(),
        _ => format!("removed from config: {all} no longer {verb} it"),
    };
    match remedy(context, tool) {
        Some(remedy) => format!("{reason}: {remedy}"),
        None => reason,
    }
}
