//! The steps that write imported rows: each looks at what is there and keeps what is newer.

use std::collections::HashSet;

use crate::outcome::Outcome;
use crate::project::Project;
use crate::source::Source;
use crate::store::{
    Change, ChangeSet, Decision, Durability, OutcomeFilter, ProjectFilter, Refusal, Selection,
    SourceFilter, Step, ToolFilter, View,
};
use crate::tool::Tool;

/// A digest that no configuration has: the next scan evaluates everything. Not 0, which stands for a
/// project that was never scanned and to which nothing is news.
const NO_DIGEST: u128 = 1;

/// Tools: the one that changed last stays.
#[derive(Debug)]
pub(super) struct PutTools {
    pub(super) rows: Vec<Tool>,
    pub(super) durability: Durability,
}

impl Step for PutTools {
    fn selection(&self) -> Selection {
        let keys = self.rows.iter().map(|row| row.key.clone());
        keys.fold(Selection::new(), |all, key| all.lock(ToolFilter::Key(key)))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let newer = |row: &&Tool| {
            view.tools.get(&row.key).is_none_or(|known| known.updated_at < row.updated_at)
        };
        let tools = self.rows.iter().filter(newer).cloned().map(Change::Put).collect();
        Ok(Decision::Write(ChangeSet { tools, ..ChangeSet::default() }))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Sources: the one that was looked at last stays. Its readings count on, so that a scan which began
/// before notices.
#[derive(Debug)]
pub(super) struct PutSources {
    pub(super) rows: Vec<Source>,
    pub(super) durability: Durability,
}

impl Step for PutSources {
    fn selection(&self) -> Selection {
        let ids = self.rows.iter().map(|row| row.id.clone());
        ids.fold(Selection::new(), |all, id| all.lock(SourceFilter::Id(id)))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let put = |row: &Source| match view.sources.get(&row.id) {
            None => Some(row.clone()),
            Some(known) => (known.last_scan_at < row.last_scan_at).then(|| Source {
                readings: row.readings.max(known.readings.saturating_add(1)),
                ..row.clone()
            }),
        };
        let sources = self.rows.iter().filter_map(put).map(Change::Put).collect();
        Ok(Decision::Write(ChangeSet { sources, ..ChangeSet::default() }))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Projects: the one that was seen last stays. What a known project was told is told by this store's
/// journal, and stays.
#[derive(Debug)]
pub(super) struct PutProjects {
    pub(super) rows: Vec<Project>,
    pub(super) durability: Durability,
}

impl Step for PutProjects {
    fn selection(&self) -> Selection {
        let ids = self.rows.iter().map(|row| row.id.clone());
        ids.fold(Selection::new(), |all, id| all.lock(ProjectFilter::Id(id)))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let put = |row: &Project| match view.projects.get(&row.id) {
            None => Some(row.clone()),
            Some(known) => (known.last_seen_at < row.last_seen_at).then(|| Project {
                first_seen_at: row.first_seen_at.min(known.first_seen_at),
                told: known.told.clone(),
                ..row.clone()
            }),
        };
        let projects = self.rows.iter().filter_map(put).map(Change::Put).collect();
        Ok(Decision::Write(ChangeSet { projects, ..ChangeSet::default() }))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Tools and sources of two stores were merged: no project's digest stands for them any more.
#[derive(Debug)]
pub(super) struct Outdate;

impl Step for Outdate {
    fn selection(&self) -> Selection {
        Selection::new().lock(ProjectFilter::All)
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let scanned = view.projects.values().filter(|row| row.config_digest > NO_DIGEST);
        let outdated = scanned.map(|row| Project { config_digest: NO_DIGEST, ..row.clone() });
        let projects = outdated.map(Change::Put).collect();
        Ok(Decision::Write(ChangeSet { projects, ..ChangeSet::default() }))
    }

    fn durability(&self) -> Durability {
        Durability::Full
    }
}

/// Outcomes: those that are not there, in order.
#[derive(Debug)]
pub(super) struct AppendOutcomes {
    pub(super) rows: Vec<Outcome>,
    pub(super) durability: Durability,
}

impl Step for AppendOutcomes {
    fn selection(&self) -> Selection {
        self.rows.iter().fold(Selection::new(), |all, row| {
            all.outcomes(OutcomeFilter::Op(row.tool.clone(), row.op.clone()))
        })
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let known: HashSet<u64> = view.outcomes.values().map(Outcome::identity).collect();
        let new = self.rows.iter().filter(|row| !known.contains(&row.identity()));
        let outcomes = new.cloned().collect();
        Ok(Decision::Write(ChangeSet { outcomes, ..ChangeSet::default() }))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}
