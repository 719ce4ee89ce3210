//! Pruning of the journal: removes entries that are older than the policy allows, unless they explain existing data.
//!
//! For each existing subject, the newest old entry of each action stays, even if there are newer entries that are not
//! old. The history therefore always explains how a subject reached its state, with at most one old entry per action.
//! The entries of a commit are removed together or not at all, so that the indexes of the others stay valid.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem;
use std::ops::ControlFlow;

use super::Registry;
use super::old::{remembered, told_to_all};
use crate::journal::{Action, Floor, JournalEntry, Revision, Subject, SubjectKind};
use crate::registry::{Admin, RegistryError};
use crate::store::{
    ChangeSet, Decision, Durability, ItemFilter, JournalFilter, ProjectFilter, Refusal, Selection,
    Step, ToolFilter, View, WorkFilter,
};
use crate::time::Timestamp;

/// The number of entries removed per commit, so that other writers wait only briefly. Entries of the last revision may
/// exceed it.
const PAGE: usize = 2_000;
/// The maximum number of subjects looked up at once. An item may have a megabyte.
const LOOKUPS: usize = 50;

impl Admin<'_> {
    /// Removes journal entries that are older than `journal.keep_days`; with `dry_run` only counts them. The following
    /// entries stay: those of the newest commit; changes not yet reported to a remembered agent or session, for twice
    /// `sessions.keep_days`; and for each existing subject the newest old entry of each action, with the other entries
    /// of its commit. The newest removal of an item of knowledge stays too, because imports need it.
    ///
    /// Reads all old entries. Calls `more` before each lookup of subjects and each commit, except the first of either,
    /// and stops when it returns false. Each run looks up subjects in another order; those not looked up count as
    /// existing. The next run continues with the rest. Returns the number of entries removed
    /// or, with `dry_run`, to be removed.
    pub async fn prune_journal(
        self,
        now: Timestamp,
        dry_run: bool,
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<u64, RegistryError> {
        let mut past = Past {
            until: now.minus_days(self.0.policy.journal.keep_days.into()),
            commit: Vec::new(),
            commits: Vec::new(),
            newest: HashMap::new(),
        };
        let mut visit = |page: View| past.page(page);
        let journal = Selection::new().journal(JournalFilter::All);
        self.0.store.pages(&journal, &mut visit).await?;
        let gone = self.0.unneeded(past, now, more).await?;
        if dry_run {
            return Ok(gone.iter().map(|commit| commit.entries as u64).sum());
        }
        let mut removed = 0;
        let mut rest = gone.as_slice();
        while !rest.is_empty() && (removed == 0 || more()) {
            let mut entries = 0;
            let fits = rest.iter().take_while(|commit| {
                let fits = entries < PAGE;
                entries += commit.entries;
                fits
            });
            let (commits, others) = rest.split_at(fits.count());
            removed += commits.iter().map(|commit| commit.entries as u64).sum::<u64>();
            self.0.run(PruneJournal { commits: commits.into() }).await?;
            rest = others;
        }
        Ok(removed)
    }
}

impl Registry {
    /// Returns the commits that can be removed, in order.
    async fn unneeded(
        &self,
        past: Past,
        now: Timestamp,
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<Vec<Commit>, RegistryError> {
        if past.commits.is_empty() {
            return Ok(Vec::new());
        }
        let sessions = self.ask(remembered()).await?;
        let days = i64::from(self.policy.sessions.keep_days);
        let told = told_to_all(&sessions, now.minus_days(days));
        // Older changes are not kept for an agent that has not read them. One that never reads them would keep the
        // whole journal.
        let promised = now.minus_days(2 * days);
        let about: BTreeSet<&Subject> = past.newest.keys().map(|(subject, _)| subject).collect();
        let mut about: Vec<&Subject> = about.into_iter().collect();
        let first = now.as_millis().unsigned_abs() % about.len().max(1) as u64;
        about.rotate_left(usize::try_from(first).unwrap_or(0));
        let mut existing: HashSet<&Subject> = HashSet::new();
        let mut first = true;
        for subjects in about.chunks(LOOKUPS) {
            if !mem::take(&mut first) && !more() {
                existing.extend(subjects);
                continue;
            }
            let all = subjects.iter().fold(Selection::new(), |all, subject| look_up(all, subject));
            let view = self.ask(all).await?;
            existing.extend(subjects.iter().filter(|subject| exists(&view, subject)));
        }
        let needed = |subject: &Subject, action: Action| {
            existing.contains(subject)
                || (subject.kind == SubjectKind::Item && action == Action::Removed)
        };
        let newest = past.newest.iter();
        let needed: HashSet<Revision> = newest
            .filter(|((subject, action), _)| needed(subject, *action))
            .map(|(_, revision)| *revision)
            .collect();
        let mut commits = past.commits;
        commits.retain(|commit| {
            let waited_for = commit.revision > told && commit.at > promised;
            !waited_for && !needed.contains(&commit.revision)
        });
        Ok(commits)
    }
}

/// A commit whose entries are all old.
#[derive(Clone, Copy, Debug)]
struct Commit {
    revision: Revision,
    entries: usize,
    /// The latest time of its entries.
    at: Timestamp,
}

/// The old commits at the beginning of a journal, as read so far.
#[derive(Debug)]
struct Past {
    /// Entries up to this time are old.
    until: Timestamp,
    /// The entries of the commit being read.
    commit: Vec<JournalEntry>,
    commits: Vec<Commit>,
    /// The revision of the newest entry in `commits` for each subject and action.
    newest: HashMap<(Subject, Action), Revision>,
}

impl Past {
    /// Reads the next entries. The newest commit has no successor, so it never counts as complete and stays. Stops
    /// after a page above the floor that contains no old entry. A single recent entry is not enough, because clocks may
    /// jump.
    fn page(&mut self, page: View) -> ControlFlow<()> {
        let mut ends = true;
        for entry in page.journal.into_values() {
            if self.commit.last().is_some_and(|last| last.revision != entry.revision) {
                self.end_commit();
            }
            ends &= entry.revision > page.floor.revision && entry.at > self.until;
            self.commit.push(entry);
        }
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end_commit(&mut self) {
        let entries = mem::take(&mut self.commit);
        let latest = entries.iter().map(|entry| entry.at).max();
        let Some(at) = latest.filter(|at| *at <= self.until) else { return };
        let revision = entries[0].revision;
        self.commits.push(Commit { revision, entries: entries.len(), at });
        self.newest.extend(entries.into_iter().map(|each| ((each.subject, each.action), revision)));
    }
}

fn look_up(all: Selection, subject: &Subject) -> Selection {
    if let Some(key) = subject.tool_key() {
        all.peek(ToolFilter::Key(key))
    } else if let Some(key) = subject.item_key() {
        all.peek(ItemFilter::Key(key))
    } else if let Some(key) = subject.work_key() {
        all.peek(WorkFilter::Key(key))
    } else if let Some(id) = subject.project_id() {
        all.peek(ProjectFilter::Id(id))
    } else {
        all
    }
}

fn exists(view: &View, subject: &Subject) -> bool {
    subject.tool_key().is_some_and(|key| view.tools.contains_key(&key))
        || subject.item_key().is_some_and(|key| view.knowledge.contains_key(&key))
        || subject.work_key().is_some_and(|key| view.work.contains_key(&key))
        || subject.project_id().is_some_and(|id| view.projects.contains_key(&id))
}

/// Removes the entries of commits, and raises the journal's floor to the last of these commits.
#[derive(Debug)]
struct PruneJournal {
    commits: Vec<Commit>,
}

impl Step for PruneJournal {
    fn selection(&self) -> Selection {
        Selection::new()
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        let mut floor = Floor::default();
        for Commit { revision, at, .. } in &self.commits {
            floor.raise(Floor { revision: *revision, at: *at });
        }
        let pruned = self.commits.iter().map(|commit| commit.revision).collect();
        Ok(Decision::Write(ChangeSet { pruned, floor, ..ChangeSet::default() }))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
