//! The policy: every threshold of the registry.

mod documents;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::ids::{AgentId, Caller};
use crate::tool::{DemotionRule, ToolKind};

pub use crate::definition::DefinitionPolicy;
pub use crate::knowledge::{KnowledgeOverride, KnowledgePolicy, KnowledgeRules};
pub use crate::route::RoutePolicy;
pub use crate::tool::{OutagePolicy, ToolOverride, ToolPolicy};
pub use crate::work::{WorkOverride, WorkPolicy};
pub use documents::DocumentPolicy;

/// All settings of a registry. [`Policy::default`] holds the documented defaults.
///
/// The layout is that of the TOML file: `[tools]`, `[definitions]`, `[outage]`, `[ranking]`, `[outcomes]`,
/// `[sessions]`,
/// `[journal]`, `[hooks]`, `[projects]`, `[agents]`, the overrides `[kind.NAME]`, `[project."ID or root"]`
/// and `[agent.NAME]`, which apply to tools in that order, and `[knowledge]`, `[documents]`, `[work]` and `[routes]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Demotion, probation and verdicts of tools.
    pub tools: ToolPolicy,
    /// Handling of changed tool definitions.
    pub definitions: DefinitionPolicy,
    /// The outage guard.
    pub outage: OutagePolicy,
    /// Ranking of tools.
    pub ranking: RankPolicy,
    /// Retention of raw outcomes.
    pub outcomes: OutcomePolicy,
    /// Retention and timeout of sessions.
    pub sessions: SessionPolicy,
    /// Retention of journal entries.
    pub journal: JournalPolicy,
    /// Limits on the output and the running time of hooks.
    pub hooks: HookPolicy,
    /// Rules that identify projects and forget old ones.
    pub projects: ProjectPolicy,
    /// Names of tools that are never suggested and never reported, in addition to those ignored by a person.
    pub ignore: Vec<String>,
    /// Overrides of `tools` for one kind of tool. Built-ins are not demoted unless their own entry
    /// says so: a failing test run says nothing about the shell that ran it.
    #[serde(deserialize_with = "with_builtins")]
    pub kind: BTreeMap<ToolKind, ToolOverride>,
    /// Overrides of `tools` for one project, by id or root.
    pub project: BTreeMap<String, ToolOverride>,
    /// Overrides of `tools` for outcomes that one agent reports.
    pub agent: BTreeMap<String, ToolOverride>,
    /// The agent for each other name that it uses, such as that of its MCP client. These entries extend the defaults.
    #[serde(deserialize_with = "with_known_agents")]
    pub agents: BTreeMap<String, String>,
    /// Name prefixes of servers that come with a user's account. They are available in every project and
    /// listed in no file.
    pub account_servers: Vec<String>,
    /// Ageing and recall of knowledge, and the weights of evidence.
    pub knowledge: KnowledgePolicy,
    /// The documents to check, and their kinds.
    pub documents: DocumentPolicy,
    /// Times after which work is flagged.
    pub work: WorkPolicy,
    /// Learning and pruning of routes.
    pub routes: RoutePolicy,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            tools: ToolPolicy::default(),
            definitions: DefinitionPolicy::default(),
            outage: OutagePolicy::default(),
            ranking: RankPolicy::default(),
            outcomes: OutcomePolicy::default(),
            sessions: SessionPolicy::default(),
            journal: JournalPolicy::default(),
            hooks: HookPolicy::default(),
            projects: ProjectPolicy::default(),
            ignore: Vec::new(),
            kind: spare_builtins(BTreeMap::new()),
            project: BTreeMap::new(),
            agent: BTreeMap::new(),
            agents: add_known_agents(BTreeMap::new()),
            account_servers: vec!["claude_ai_".into()],
            knowledge: KnowledgePolicy::default(),
            documents: DocumentPolicy::default(),
            work: WorkPolicy::default(),
            routes: RoutePolicy::default(),
        }
    }
}

fn spare_builtins(mut kind: BTreeMap<ToolKind, ToolOverride>) -> BTreeMap<ToolKind, ToolOverride> {
    kind.entry(ToolKind::Builtin).or_default().demote.get_or_insert(false);
    kind
}

fn with_builtins<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<ToolKind, ToolOverride>, D::Error> {
    BTreeMap::deserialize(deserializer).map(spare_builtins)
}

/// The names that MCP clients report, with their agents.
const KNOWN_AGENTS: [(&str, &str); 4] = [
    ("codex-mcp-client", "codex"),
    ("gemini-cli-mcp-client", "gemini"),
    ("cursor-vscode", "cursor"),
    ("Visual Studio Code", "vscode"),
];

fn add_known_agents(mut agents: BTreeMap<String, String>) -> BTreeMap<String, String> {
    for (name, agent) in KNOWN_AGENTS {
        agents.entry(name.into()).or_insert_with(|| agent.into());
    }
    agents
}

fn with_known_agents<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    BTreeMap::deserialize(deserializer).map(add_known_agents)
}

/// The window and the factors that rank tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RankPolicy {
    /// The number of recent counted outcomes of the project that the ranking uses.
    pub window: u32,
    /// The factor for stale and demoted tools.
    pub not_active_factor: f64,
    /// The factor for tools not seen for `tools.unseen_days`.
    pub unseen_factor: f64,
}

impl Default for RankPolicy {
    fn default() -> Self {
        Self { window: 200, not_active_factor: 0.25, unseen_factor: 0.5 }
    }
}

/// The retention of raw outcomes and of tool names that nobody needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutcomePolicy {
    /// The age in days from which an outcome may be pruned, unless `keep_newest` protects it.
    pub keep_days: u32,
    /// The number of newest outcomes of the store that are never pruned.
    pub keep_newest: u64,
    /// Days after its last use until an invented name (listed by no client, never successful) is forgotten.
    pub keep_invented_days: u32,
    /// Days until a tool that left its server's list without ever being used is forgotten.
    pub keep_unlisted_days: u32,
    /// The number of such tools that are kept at most: those that left last.
    pub keep_unlisted: u32,
}

impl Default for OutcomePolicy {
    fn default() -> Self {
        Self {
            keep_days: 90,
            keep_newest: 10_000,
            keep_invented_days: 30,
            keep_unlisted_days: 30,
            keep_unlisted: 1_000,
        }
    }
}

/// The retention of sessions, and their timeout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionPolicy {
    /// Days to keep a session after its end, and an agent's cursor after it last moved.
    pub keep_days: u32,
    /// Hours after its start at which a session without a reported end counts as over.
    pub close_after_hours: u32,
}

impl Default for SessionPolicy {
    fn default() -> Self {
        Self { keep_days: 365, close_after_hours: 24 }
    }
}

/// The retention of journal entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JournalPolicy {
    /// Days to keep an entry. Older entries stay if they are the newest of their kind about something that
    /// still exists, or if a remembered agent or session was not told yet.
    pub keep_days: u32,
}

impl Default for JournalPolicy {
    fn default() -> Self {
        Self { keep_days: 365 }
    }
}

/// Limits on the output and the running time of hooks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HookPolicy {
    /// True if the session-start hook reports changes to the agent.
    pub tell: bool,
    /// The maximum length of the text that a session start adds, in characters.
    pub session_start_chars: u32,
    /// The maximum number of tools named at a session start: the best of those that worked here recently. 0 for none.
    pub ranked_tools: u32,
    /// The total time in milliseconds that a hook waits for the lock of a file store. After that it leaves
    /// its records for a later process.
    pub lock_wait_ms: u32,
    /// The time limit for pruning at a session's end, in milliseconds. The next session's end prunes the rest.
    pub prune_ms: u32,
}

impl Default for HookPolicy {
    fn default() -> Self {
        Self {
            tell: true,
            session_start_chars: 1_500,
            ranked_tools: 0,
            lock_wait_ms: 250,
            prune_ms: 100,
        }
    }
}

/// Rules that identify projects and forget old ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectPolicy {
    /// True if all worktrees of one git repository are one project.
    pub share_worktrees: bool,
    /// Days without use after which a project whose folder is gone is forgotten, unless it holds something that a
    /// person wrote or decided.
    pub forget_after_days: u32,
}

impl Default for ProjectPolicy {
    fn default() -> Self {
        Self { share_worktrees: true, forget_after_days: 365 }
    }
}

impl Policy {
    /// Returns the agent for a name, ignoring case. A name without an entry is its own agent.
    #[must_use]
    pub fn agent_behind(&self, name: AgentId) -> AgentId {
        let is_name = |other: &str| other.eq_ignore_ascii_case(name.as_str());
        let agent = self.agents.get(name.as_str());
        let agent = agent.or_else(|| {
            let other = self.agents.iter().find(|(other, _)| is_name(other));
            other.map(|(_, agent)| agent).or_else(|| self.agents.values().find(|it| is_name(it)))
        });
        agent.and_then(|agent| AgentId::new(agent).ok()).unwrap_or(name)
    }

    /// Returns the tool policy for a kind of tool and a caller. Overrides by kind, project and agent apply in this
    /// order; later ones win.
    #[must_use]
    pub fn tools_for(&self, kind: ToolKind, caller: Caller<'_>) -> Cow<'_, ToolPolicy> {
        let [by_project, by_agent] = caller.entries(&self.project, &self.agent);
        let mut policy = Cow::Borrowed(&self.tools);
        for each in [self.kind.get(&kind), by_project, by_agent].into_iter().flatten() {
            each.apply(policy.to_mut());
        }
        policy
    }

    /// Returns the errors in the values, as `key: reason`. Empty if all are valid.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut check = |key: String, policy: &ToolOverride| {
            if let Some(fault) = policy.rule.as_ref().and_then(DemotionRule::fault) {
                faults.push(format!("{key}.rule: {fault}"));
            }
            for (name, value) in [
                ("freshness_unseen", policy.freshness_unseen),
                ("freshness_changed", policy.freshness_changed),
                ("freshness_absent", policy.freshness_absent),
                ("freshness_failing", policy.freshness_failing),
                ("freshness_both", policy.freshness_both),
            ] {
                if value.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
                    faults.push(format!("{key}.{name}: must be between 0 and 1"));
                }
            }
        };
        let tools = &self.tools;
        check(
            "tools".into(),
            &ToolOverride {
                rule: Some(tools.rule),
                freshness_unseen: Some(tools.freshness_unseen),
                freshness_changed: Some(tools.freshness_changed),
                freshness_absent: Some(tools.freshness_absent),
                freshness_failing: Some(tools.freshness_failing),
                freshness_both: Some(tools.freshness_both),
                ..ToolOverride::default()
            },
        );
        for (kind, each) in &self.kind {
            check(format!("kind.{}", kind.as_str()), each);
        }
        for (table, map) in [("project", &self.project), ("agent", &self.agent)] {
            for (name, each) in map {
                check(format!("{table}.{name}"), each);
            }
        }
        for (name, value) in [
            ("ranking.not_active_factor", self.ranking.not_active_factor),
            ("ranking.unseen_factor", self.ranking.unseen_factor),
        ] {
            if !(0.0..=1.0).contains(&value) {
                faults.push(format!("{name}: must be between 0 and 1"));
            }
        }
        if self.ranking.window == 0 || self.ranking.window > 100_000 {
            faults.push("ranking.window: must be between 1 and 100000".into());
        }
        if self.outage.percent > 100 {
            faults.push("outage.percent: must be between 0 and 100".into());
        }
        for (name, agent) in &self.agents {
            if let Err(why) = AgentId::new(agent) {
                faults.push(format!("agents.{name}: the agent's name {why}"));
            } else if agent != name && self.agents.contains_key(agent) {
                faults.push(format!("agents.{name}: {agent} is itself an alias"));
            }
        }
        self.knowledge.faults(&mut faults);
        self.documents.faults(&mut faults);
        self.work.faults(&mut faults);
        self.routes.faults(&mut faults);
        faults
    }
}
