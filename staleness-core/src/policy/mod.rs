//! The policy: every threshold of the registry.

mod documents;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use crate::ids::{AgentId, Caller};
use crate::thresholds::thresholds;
use crate::tool::{DemotionRule, ToolKind};

pub use crate::definition::DefinitionPolicy;
pub use crate::knowledge::{KnowledgeOverride, KnowledgePolicy, KnowledgeRules};
pub use crate::route::RoutePolicy;
pub use crate::tool::{OutagePolicy, ToolOverride, ToolPolicy};
pub use crate::work::{WorkOverride, WorkPolicy};
pub use documents::DocumentPolicy;

thresholds! {
    /// All settings of a registry. [`Policy::default`] holds the documented defaults.
    ///
    /// The layout is that of the TOML file: `[tools]`, `[definitions]`, `[outage]`, `[ranking]`, `[outcomes]`,
    /// `[sessions]`, `[journal]`, `[hooks]`, `[projects]`, `[agents]`, the overrides `[kind.NAME]`, `[project."ID or
    /// root"]` and `[agent.NAME]`, which apply to tools in that order, and `[knowledge]`, `[documents]`, `[work]` and
    /// `[routes]`.
    Policy {
        /// Demotion, probation and verdicts of tools.
        tools: ToolPolicy = ToolPolicy::default(),
        /// Handling of changed tool definitions.
        definitions: DefinitionPolicy = DefinitionPolicy::default(),
        /// The outage guard.
        outage: OutagePolicy = OutagePolicy::default(),
        /// Ranking of tools.
        ranking: RankPolicy = RankPolicy::default(),
        /// Retention of raw outcomes.
        outcomes: OutcomePolicy = OutcomePolicy::default(),
        /// Retention and timeout of sessions.
        sessions: SessionPolicy = SessionPolicy::default(),
        /// Retention of journal entries.
        journal: JournalPolicy = JournalPolicy::default(),
        /// Limits on the output and the running time of hooks.
        hooks: HookPolicy = HookPolicy::default(),
        /// Rules that identify projects and delete old ones.
        projects: ProjectPolicy = ProjectPolicy::default(),
        /// The names of tools that are never suggested and never reported, in addition to those ignored by a person.
        ignore: Vec<String> = Vec::new(),
        /// Overrides of `tools` for one kind of tool. Built-ins are not demoted unless their own entry
        /// says so: a failing test run says nothing about the shell that ran it.
        #[serde(deserialize_with = "with_builtins")]
        kind: BTreeMap<ToolKind, ToolOverride> = spare_builtins(BTreeMap::new()),
        /// Overrides of `tools` for one project, by id or root.
        project: BTreeMap<String, ToolOverride> = BTreeMap::new(),
        /// Overrides of `tools` for outcomes that one agent reports.
        agent: BTreeMap<String, ToolOverride> = BTreeMap::new(),
        /// The agent behind each alias, such as the name of the agent's MCP client.
        agents: BTreeMap<String, String> = BTreeMap::new(),
        /// The prefixes of the names of servers that belong to a user's account. These are available in every project
        /// and listed in no file.
        account_servers: Vec<String> = Vec::new(),
        /// Ageing and recall of knowledge, and the weights of evidence.
        knowledge: KnowledgePolicy = KnowledgePolicy::default(),
        /// The documents to check, and their kinds.
        documents: DocumentPolicy = DocumentPolicy::default(),
        /// Thresholds after which work is flagged.
        work: WorkPolicy = WorkPolicy::default(),
        /// Learning and pruning of routes.
        routes: RoutePolicy = RoutePolicy::default(),
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

thresholds! {
    /// The window and the factors by which tools are ranked.
    RankPolicy {
        /// The number of recent counted outcomes of the project that the ranking uses.
        window: u32 = 200,
        /// The factor for stale and demoted tools.
        not_active_factor: f64 = 0.25,
        /// The factor for tools that were not seen for `tools.unseen_days`.
        unseen_factor: f64 = 0.5,
    }
}

thresholds! {
    /// The retention of raw outcomes and of unused tool names.
    OutcomePolicy {
        /// The age in days from which an outcome may be pruned, unless `keep_newest` protects it.
        keep_days: u32 = 90,
        /// The number of newest outcomes of the store that are never pruned.
        keep_newest: u64 = 10_000,
        /// The number of days after its last use at which an invented name (listed by no client, never successful) is
        /// deleted.
        keep_invented_days: u32 = 30,
        /// The number of days after which a never-used tool that its server no longer lists is deleted.
        keep_unlisted_days: u32 = 30,
        /// The maximum number of never-used tools that no server lists to keep: those that disappeared last.
        keep_unlisted: u32 = 1_000,
    }
}

thresholds! {
    /// The retention of sessions, and their timeout.
    SessionPolicy {
        /// The number of days to keep a session after its end, and an agent's cursor after it last moved.
        keep_days: u32 = 365,
        /// The number of hours after its start at which a session without a reported end counts as ended.
        close_after_hours: u32 = 24,
    }
}

thresholds! {
    /// The retention of journal entries.
    JournalPolicy {
        /// The number of days to keep an entry. Older entries stay if they are the newest of their kind about an
        /// existing record, or if they were not yet reported to a remembered agent or session.
        keep_days: u32 = 365,
    }
}

thresholds! {
    /// Limits on the output and the running time of hooks.
    HookPolicy {
        /// True if the session-start hook reports changes to the agent.
        tell: bool = true,
        /// The maximum length of the text that a session start adds, in characters.
        session_start_chars: u32 = 1_500,
        /// The maximum number of tools named at a session start: the best of those that worked recently in the project.
        /// 0 for none.
        ranked_tools: u32 = 0,
        /// The maximum total time that a hook waits for the lock of a file store, in milliseconds. After that the hook
        /// leaves its records for a later process.
        lock_wait_ms: u32 = 250,
        /// The time limit for pruning at a session's end, in milliseconds. The next session's end prunes the rest.
        prune_ms: u32 = 100,
    }
}

impl HookPolicy {
    /// Returns the number of characters reserved for documents in a text of at most `budget` characters. The same
    /// number is reserved for work.
    pub const fn share(budget: usize) -> usize {
        budget / 3
    }
}

thresholds! {
    /// Rules that identify projects and delete old ones.
    ProjectPolicy {
        /// True if all worktrees of one git repository are one project.
        share_worktrees: bool = true,
        /// The number of days without use after which a project whose folder is gone is deleted, unless the project
        /// contains something that a person wrote or decided.
        forget_after_days: u32 = 365,
    }
}

impl Policy {
    /// Returns the agent behind a name, ignoring case. A name without an entry is that of an agent.
    pub fn agent_behind(&self, name: AgentId) -> AgentId {
        let is_name = |other: &str| other.eq_ignore_ascii_case(name.as_str());
        let agent = self.agents.get(name.as_str());
        let agent = agent.or_else(|| {
            let other = self.agents.iter().find(|(other, _)| is_name(other));
            other.map(|(_, agent)| agent).or_else(|| self.agents.values().find(|it| is_name(it)))
        });
        agent.and_then(|agent| AgentId::new(agent).ok()).unwrap_or(name)
    }

    /// Returns the tool policy for a kind of tool and a caller. Overrides by kind, by project and by agent apply in
    /// this order; later ones win.
    pub fn tools_for(&self, kind: ToolKind, caller: Caller<'_>) -> Cow<'_, ToolPolicy> {
        let [by_project, by_agent] = caller.entries(&self.project, &self.agent);
        let mut policy = Cow::Borrowed(&self.tools);
        for each in [self.kind.get(&kind), by_project, by_agent].into_iter().flatten() {
            each.apply(policy.to_mut());
        }
        policy
    }

    /// Returns the errors in the values, as `key: reason`. Empty if all values are valid.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let rule = |key: &str, rule: &DemotionRule| {
            rule.fault().map(|fault| format!("{key}.rule: {fault}"))
        };
        faults.extend(rule("tools", &self.tools.rule));
        self.tools.check_shares("tools", &mut faults);
        let kinds = self.kind.iter().map(|(kind, each)| (format!("kind.{}", kind.as_str()), each));
        let projects = self.project.iter().map(|(name, each)| (format!("project.{name}"), each));
        let agents = self.agent.iter().map(|(name, each)| (format!("agent.{name}"), each));
        for (key, each) in kinds.chain(projects).chain(agents) {
            faults.extend(each.rule.as_ref().and_then(|own| rule(&key, own)));
            each.check_shares(&key, &mut faults);
        }
        self.ranking.check_shares("ranking", &mut faults);
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
