//! Lives: deterministic sequences of registry operations by one user of a store.
//!
//! A life uses its own project, except for one global tool shared by all lives. Regardless of what others do,
//! its rows are therefore the same as in the memory store after the same turns: see [`Life::own`] and
//! [`Reference`].

mod met;
mod own;
mod reference;

use std::collections::BTreeSet;

use staleness_core::ids::{AgentId, Level, SessionId, SourceId};
use staleness_core::knowledge::{Item, ItemKind};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::{Act, ByHand, ItemPatch, Learn, Resume, ScopeChoice, Use};
use staleness_core::scan::{Found, ProjectRef};
use staleness_core::store::StoreError;
use staleness_core::tool::{Hold, ToolKind};
use staleness_core::work::{Work, WorkKind};
use staleness_core::{Registry, RegistryError, Timestamp, Wait};

use crate::rows;
use crate::support::scan;
pub use met::{Met, kind, stride};
pub use reference::{Reference, State};

/// The global tool that all lives use.
pub const SHARED: &str = "Shared";

/// Number of turns after which all operations have been used.
pub const VERBS: u64 = 14;

/// The shared tool, as seen by a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedUses {
    /// Number of its uses so far, including this turn's.
    pub count: u64,
    /// True if the turn only read it.
    pub reads: bool,
}

/// One user of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life(pub u64);

impl Life {
    /// Returns the project of this life.
    pub fn project(self) -> ProjectRef {
        ProjectRef::of_root(format!("/life/{}", self.0))
    }

    /// Returns the prefix of a turn's op ids.
    pub fn op(self, turn: u64) -> String {
        format!("life-{}-{turn}", self.0)
    }

    /// Returns true if the turn is a single step, and so atomic.
    pub const fn is_one_step(turn: u64) -> bool {
        // The others take several steps: sessions begin and end, missing documents are removed separately,
        // and the last one reads afterwards.
        !matches!(turn % VERBS, 10 | 11 | 13)
    }

    /// Runs one turn. Repeating an unfinished turn completes it, with the same effect as a single run.
    ///
    /// # Errors
    /// Errors of the store.
    ///
    /// # Panics
    /// Never: all names used are valid.
    pub fn turn(self, registry: &Registry, turn: u64) -> Result<Option<SharedUses>, StoreError> {
        let now = Now { life: self, turn, project: self.project() };
        let round = turn / VERBS;
        let done = match turn % VERBS {
            0 => now.scan(registry),
            1 => {
                let report =
                    registry.tools().record(now.used(SHARED, OutcomeKind::Success, 0)).wait()?;
                return Ok(Some(SharedUses { count: report.tool.uses, reads: false }));
            }
            2 => registry.knowledge().add(now.item(round), now.act()).wait().map(drop),
            3 => now.uses(registry),
            4 => registry.work().add(now.work(round), now.act()).wait().map(drop),
            5 => registry.routes().learn(&now.project, now.lesson()).wait().map(drop),
            6 => registry
                .tools()
                .record(now.used("/review", OutcomeKind::Failure, 0))
                .wait()
                .map(drop),
            7 => {
                let hold = [Hold::Pinned, Hold::Ignored, Hold::None];
                let hold = hold[(round % 3) as usize];
                registry.tools().set_hold(now.by_hand("/review"), hold).wait().map(drop)
            }
            8 => now.edit(registry, round),
            9 => {
                let text = format!("step {turn}");
                registry.work().step(now.work(round).key, text, now.act()).wait().map(drop)
            }
            10 => now.session(registry),
            11 => now.documents(registry),
            12 => now.lower(registry, round),
            _ => {
                registry.routes().prune(&now.project.id, now.at(), false).wait()?;
                let key = [rows::global(SHARED)];
                let count = registry.tools().show(&now.project, &key, now.at()).wait()?.uses;
                return Ok(Some(SharedUses { count, reads: true }));
            }
        };
        done?;
        Ok(None)
    }
}

/// One turn of a life.
struct Now {
    life: Life,
    turn: u64,
    project: ProjectRef,
}

impl Now {
    /// Returns the turn's time. Each turn takes one second.
    fn at(&self) -> Timestamp {
        Timestamp::from_millis(1_790_000_000_000 + self.turn as i64 * 1_000)
    }

    fn act(&self) -> Act {
        Act::new(rows::op(self.life.op(self.turn)), self.at())
    }

    fn used(&self, tool: &str, outcome: OutcomeKind, number: u64) -> Use {
        let op = rows::op(format!("{}.{number}", self.life.op(self.turn)));
        let used = Use::new(op, rows::name(tool), outcome, self.at(), self.project.clone());
        Use { kind: (tool == SHARED).then_some(ToolKind::Builtin), ..used }
    }

    /// Adds and removes servers.
    fn scan(&self, registry: &Registry) -> Result<(), RegistryError> {
        let mut found: Vec<Found> =
            ["one", "two"].iter().filter_map(|s| Found::server(s)).collect();
        if (self.turn / VERBS) % 2 == 1 {
            found.pop();
        }
        found.push(Found::new(rows::name("/review"), ToolKind::SlashCommand));
        let id = rows::source_id(Some(self.project.id.as_str()), "client", "mcp");
        let id = SourceId { level: Level::Project, ..id };
        scan(registry, self.project.clone(), [(id, found)], self.at()).map(drop)
    }

    fn uses(&self, registry: &Registry) -> Result<(), RegistryError> {
        let of = ["mcp__one__read", "mcp__one__write", "mcp__two__read", "/review"];
        let uses =
            (0..).zip(of).map(|(number, tool)| self.used(tool, OutcomeKind::Success, number));
        registry.tools().record_all(uses.collect()).wait().map(drop)
    }

    fn item(&self, round: u64) -> Item {
        let key = rows::item_key(Some(self.project.id.as_str()), format!("item-{round}"));
        Item::new(key, ItemKind::Knowledge, format!("What holds in round {round}."), self.at())
    }

    fn work(&self, round: u64) -> Work {
        let key = rows::work_key(Some(self.project.id.as_str()), format!("plan-{round}"));
        Work::new(key, WorkKind::Plan, format!("What to do in round {round}."), self.at())
    }

    fn lesson(&self) -> Learn {
        let query = format!("read what number {} says", self.turn % (3 * VERBS));
        let vector = (rows::model("m"), vec![1.0, (self.turn % 7) as f64, 0.5]);
        let op = rows::op(self.life.op(self.turn));
        let vector = Some(vector);
        Learn { vector, ..Learn::new(op, query, rows::name("mcp__one__read"), self.at()) }
    }

    fn by_hand(&self, tool: &str) -> ByHand {
        ByHand {
            act: Act { note: Some("why\nnot".into()), ..self.act() },
            name: rows::name(tool),
            scope: ScopeChoice::Project,
            project: self.project.clone(),
        }
    }

    fn edit(&self, registry: &Registry, round: u64) -> Result<(), RegistryError> {
        let body = Some("x".repeat(100 + self.turn as usize * 397 % 9_000));
        let patch = ItemPatch { body, ..ItemPatch::default() };
        registry.knowledge().edit(vec![self.item(round).key], patch, self.act()).wait().map(drop)
    }

    /// Starts a session, resumes, and ends it.
    fn session(&self, registry: &Registry) -> Result<(), RegistryError> {
        let agent = AgentId::new("agent").expect("an id");
        let id = SessionId::new(format!("session-{}", self.turn)).expect("an id");
        registry.sessions().start(&self.project.id, &agent, &id, self.at()).wait()?;
        let resume = Resume { session: Some(id.clone()), ..Resume::new(agent) };
        let delta = registry.sessions().resume(&self.project, resume.clone(), self.at()).wait()?;
        registry.sessions().mark_resumed(&self.project.id, &resume, &delta, self.at()).wait()?;
        registry.sessions().end(&self.project.id, &id, self.at()).wait().map(drop)
    }

    fn documents(&self, registry: &Registry) -> Result<(), RegistryError> {
        let paths = ["AGENTS.md", "docs/a.md", "docs/b.md"];
        let rows = paths.iter().zip(0..).map(|(path, number)| {
            let key = rows::document_key(self.project.id.as_str(), *path);
            let mut row = rows::flagged(rows::document(key), (self.turn as u32 + number) % 3);
            row.checked_at = self.at();
            row
        });
        let every: BTreeSet<String> = paths.iter().map(ToString::to_string).collect();
        registry
            .documents()
            .put(&self.project.id, rows.collect(), Some(every), self.at())
            .wait()
            .map(drop)
    }

    /// Contradicts an item, or withdraws the contradiction.
    fn lower(&self, registry: &Registry, round: u64) -> Result<(), RegistryError> {
        let key = self.item(round).key;
        if round.is_multiple_of(2) {
            let reason = "It is otherwise.".to_owned();
            registry
                .knowledge()
                .contradict(key, "somebody".into(), reason, self.act())
                .wait()
                .map(drop)
        } else {
            registry.knowledge().remove(key, self.act()).wait().map(drop)
        }
    }
}
