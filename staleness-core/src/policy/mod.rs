//! The policy: every threshold, with its unit in its name.

mod documents;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::ids::{AgentId, ProjectId};
use crate::tool::{DemotionRule, ToolKind};

pub use crate::definition::DefinitionPolicy;
pub use crate::knowledge::{KnowledgeOverride, KnowledgePolicy, KnowledgeRules};
pub use crate::route::RoutePolicy;
pub use crate::tool::{OutagePolicy, ToolOverride, ToolPolicy};
pub use crate::work::{WorkOverride, WorkPolicy};
pub use documents::DocumentPolicy;

/// Everything that can be tuned. [`Policy::default`] is the documented behaviour.
///
/// The shape is that of the TOML file: `[tools]`, `[definitions]`, `[outage]`, `[ranking]`, `[outcomes]`, `[sessions]`,
/// `[journal]`, `[hooks]`, `[projects]`, `[agents]`, the overrides `[kind.NAME]`, `[project."ID or root"]` and `[agent.NAME]`, which
/// apply to tools in that order, and `[knowledge]`, `[documents]`, `[work]` and `[routes]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Demotion, probation and verdicts of tools.
    pub tools: ToolPolicy,
    /// Treatment of changed definitions of tools.
    pub definitions: DefinitionPolicy,
    /// The outage guard.
    pub outage: OutagePolicy,
    /// Ranking of tools.
    pub ranking: RankPolicy,
    /// Retention of raw outcomes.
    pub outcomes: OutcomePolicy,
    /// Retention and timeout of sessions.
    pub sessions: SessionPolicy,
    /// The age at which journal entries go.
    pub journal: JournalPolicy,
    /// Limits on what hooks say and on the time they take.
    pub hooks: HookPolicy,
    /// Rules by which projects are told apart and forgotten.
    pub projects: ProjectPolicy,
    /// Names of tools that are never suggested and never reported, beside those ignored by hand.
    pub ignore: Vec<String>,
    /// Overrides of `tools` for one kind of tool. Built-ins are not demoted unless their own entry
    /// says so: a failing test run says nothing about the shell that ran it.
    #[serde(deserialize_with = "with_builtins")]
    pub kind: BTreeMap<ToolKind, ToolOverride>,
    /// Overrides of `tools` for one project, by id or root.
    pub project: BTreeMap<String, ToolOverride>,
    /// Overrides of `tools` for outcomes that one agent reports.
    pub agent: BTreeMap<String, ToolOverride>,
    /// The agent behind each name under which it also goes, such as that of its MCP client. These come beside
    /// the default ones.
    #[serde(deserialize_with = "with_known_agents")]
    pub agents: BTreeMap<String, String>,
    /// Beginnings of the names of servers that come with an account into every project, and stand in no file.
    pub account_servers: Vec<String>,
    /// Ageing and recall of knowledge, and the weight of evidence.
    pub knowledge: KnowledgePolicy,
    /// The documents that are checked, and their kinds.
    pub documents: DocumentPolicy,
    /// After how long work is flagged.
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

/// The names that MCP clients give themselves, and the agents behind them.
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

/// The window and the factors by which tools are ranked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RankPolicy {
    /// Counted outcomes of the project that are looked at.
    pub window: u32,
    /// Factor for stale and demoted tools.
    pub not_active_factor: f64,
    /// Factor for tools not seen for `tools.unseen_days`.
    pub unseen_factor: f64,
}

impl Default for RankPolicy {
    fn default() -> Self {
        Self { window: 200, not_active_factor: 0.25, unseen_factor: 0.5 }
    }
}

/// The retention of raw outcomes, by age and number, and of invented names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutcomePolicy {
    /// An outcome may go when it is this many days old …
    pub keep_days: u32,
    /// … and is not among this many newest of the store.
    pub keep_newest: u64,
    /// A name that no client lists and that never worked is forgotten this many days after its last use.
    pub keep_invented_days: u32,
}

impl Default for OutcomePolicy {
    fn default() -> Self {
        Self { keep_days: 90, keep_newest: 10_000, keep_invented_days: 30 }
    }
}

/// The retention of sessions, and their timeout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionPolicy {
    /// Days for which a session is kept after its end, and the place up to which an agent was told what
    /// changed after it moved last.
    pub keep_days: u32,
    /// A session without an end is over this many hours after it began, or went on.
    pub close_after_hours: u32,
}

impl Default for SessionPolicy {
    fn default() -> Self {
        Self { keep_days: 365, close_after_hours: 24 }
    }
}

/// The age at which journal entries go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JournalPolicy {
    /// Days for which an entry is kept. The newest of each kind of change of whatever still exists stays, and
    /// so does what an agent or a session that is remembered was not told yet.
    pub keep_days: u32,
}

impl Default for JournalPolicy {
    fn default() -> Self {
        Self { keep_days: 365 }
    }
}

/// Limits on what hooks say and on the time they take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HookPolicy {
    /// True if a session start tells the agent what changed.
    pub tell: bool,
    /// The longest text that a session start may add, in characters.
    pub session_start_chars: u32,
    /// The most tools that a session start names, the best that worked here lately; 0 for none.
    pub ranked_tools: u32,
    /// The total time of a hook's waits for the lock of a store in a file, in milliseconds. Then it
    /// leaves what it has to record for a later process.
    pub lock_wait_ms: u32,
    /// The time limit of a session's end, in milliseconds. The next one prunes what is left.
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

/// The rules by which projects are told apart and forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectPolicy {
    /// True if the work trees of one git repository are one project.
    pub share_worktrees: bool,
    /// A project whose folder is gone is forgotten when nobody was in it for this many days, unless it holds
    /// something that a person wrote or decided.
    pub forget_after_days: u32,
}

impl Default for ProjectPolicy {
    fn default() -> Self {
        Self { share_worktrees: true, forget_after_days: 365 }
    }
}

impl Policy {
    /// Returns the agent behind a name, in whatever case it is written; often the name itself.
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

    /// The tool policy for a kind, in a project, for outcomes of an agent. Later ones win.
    #[must_use]
    pub fn tools_for(
        &self,
        kind: ToolKind,
        project: Option<(&ProjectId, &str)>,
        agent: Option<&AgentId>,
    ) -> Cow<'_, ToolPolicy> {
        let by_project = project.and_then(|(id, root)| {
            self.project.get(id.as_str()).or_else(|| self.project.get(root))
        });
        let overrides = [
            self.kind.get(&kind),
            by_project,
            agent.and_then(|agent| self.agent.get(agent.as_str())),
        ];
        let mut policy = Cow::Borrowed(&self.tools);
        for each in overrides.into_iter().flatten() {
            each.apply(policy.to_mut());
        }
        policy
    }

    /// Returns what is wrong with the values, as `key: reason`; empty if all are valid.
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
                    faults.push(format!("{key}.{name}: must lie in 0..=1"));
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
                faults.push(format!("{name}: must lie in 0..=1"));
            }
        }
        if self.ranking.window == 0 || self.ranking.window > 100_000 {
            faults.push("ranking.window: must lie in 1..=100000".into());
        }
        if self.outage.percent > 100 {
            faults.push("outage.percent: must lie in 0..=100".into());
        }
        for (name, agent) in &self.agents {
            if let Err(why) = AgentId::new(agent) {
                faults.push(format!("agents.{name}: the agent's name {why}"));
            } else if agent != name && self.agents.contains_key(agent) {
                faults.push(format!("agents.{name}: {agent} is itself another name"));
            }
        }
        self.knowledge.faults(&mut faults);
        self.documents.faults(&mut faults);
        self.work.faults(&mut faults);
        self.routes.faults(&mut faults);
        faults
    }
}
