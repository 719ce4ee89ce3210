//! Pruning what nobody came back to: sessions, cursors, invented names, and projects whose folder is gone.
//!
//! Nothing that a person wrote is removed: a project with an item of knowledge, a work item or a tool that
//! somebody pinned, ignored or demoted stays, however long its folder is gone.

use std::sync::Arc;

use super::prune::PruneReport;
use super::{ForgetProject, Registry};
use crate::ids::{OpId, ProjectId};
use crate::journal::{Action, JournalEntry, Revision, Subject};
use crate::project::Project;
use crate::registry::{Admin, RegistryError};
use crate::scan::invented;
use crate::session::{Cursor, CursorKey, Session};
use crate::store::{
    CursorFilter, Decision, Draft, Durability, OutcomeRange, ProjectFilter, Refusal, Row,
    Selection, SessionFilter, Step, ToolFilter, View,
};
use crate::time::Timestamp;
use crate::tool::{Hold, PresenceCause, Tool};

/// Rows that one commit removes at most: others wait meanwhile.
const PAGE: usize = 1_000;

/// Numbers of sessions and cursors that were removed, or would be, and that stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionPruneReport {
    /// Sessions.
    pub sessions: PruneReport,
    /// Cursors: up to where an agent was told what changed.
    pub cursors: PruneReport,
}

impl Admin<'_> {
    /// Removes sessions and cursors that are older than `sessions.keep_days`, in pages, or tells how many it
    /// would. A session that a cursor names stays as long as the cursor. An agent without a cursor begins in
    /// the project as a new one does.
    ///
    /// # Errors
    /// Errors of the store; pages that were removed stay removed.
    pub async fn prune_sessions(
        self,
        now: Timestamp,
        dry_run: bool,
    ) -> Result<SessionPruneReport, RegistryError> {
        self.prune_sessions_while(now, dry_run, &mut || true).await
    }

    async fn prune_sessions_while(
        self,
        now: Timestamp,
        dry_run: bool,
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<SessionPruneReport, RegistryError> {
        let until = now.minus_days(i64::from(self.0.policy.sessions.keep_days));
        let view = self.0.ask(remembered()).await?;
        let old = |cursor: &&Cursor| cursor.moved_at <= until;
        let cursors: Vec<Cursor> = view.cursors.values().filter(old).cloned().collect();
        let past = |session: &&Session| is_past(&view, session, until);
        let sessions: Vec<Session> = view.sessions.values().filter(past).cloned().collect();
        if !dry_run {
            self.0.remove(&sessions, now, |_, _, _| {}, more).await?;
            self.0.remove(&cursors, now, |_, _, _| {}, more).await?;
        }
        let report = |removed: usize, all: usize| PruneReport {
            removed: removed as u64,
            kept: (all - removed) as u64,
        };
        Ok(SessionPruneReport {
            sessions: report(sessions.len(), view.sessions.len()),
            cursors: report(cursors.len(), view.cursors.len()),
        })
    }

    /// Forgets invented names that were last used `outcomes.keep_invented_days` ago, with their outcomes, in pages; or
    /// counts them. Returns their number.
    ///
    /// # Errors
    /// Errors of the store; names that were forgotten stay forgotten.
    pub async fn prune_invented(self, now: Timestamp, dry_run: bool) -> Result<u64, RegistryError> {
        self.prune_invented_while(now, dry_run, &mut || true).await
    }

    async fn prune_invented_while(
        self,
        now: Timestamp,
        dry_run: bool,
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<u64, RegistryError> {
        let until = now.minus_days(i64::from(self.0.policy.outcomes.keep_invented_days));
        // As they are stored: what is removed is compared with that.
        let all = Selection::new().peek(ToolFilter::All);
        let view = self.0.store.view(Arc::new(all)).await?;
        let invented = invented(&view);
        let mut names: Vec<Tool> = view.tools.into_values().collect();
        names.retain(|tool| {
            invented.contains(&tool.key) && tool.last_used_at.is_none_or(|used| used <= until)
        });
        if !dry_run {
            self.0.remove(&names, now, forget_invented, more).await?;
        }
        Ok(names.len() as u64)
    }

    /// Removes what the policy no longer keeps of a project's routes, and of all outcomes, sessions, cursors,
    /// invented names and journal entries, for as long as `more` returns true. It is asked before each of these
    /// and before each commit; what is left is for the next time.
    ///
    /// # Errors
    /// Errors of the store; commits that were made stay.
    pub async fn prune_while(
        self,
        project: &ProjectId,
        now: Timestamp,
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<(), RegistryError> {
        if more() {
            self.0.routes().prune_while(project, now, false, more).await?;
        }
        if more() {
            self.prune_outcomes_while(now, more).await?;
        }
        if more() {
            self.prune_sessions_while(now, false, more).await?;
        }
        if more() {
            self.prune_invented_while(now, false, more).await?;
        }
        if more() {
            self.prune_journal(now, false, more).await?;
        }
        Ok(())
    }

    /// The projects that nobody was in for `projects.forget_after_days`, the one longest left first. Whether
    /// the folder of one is gone is for the caller to find out.
    pub async fn projects_left(self, now: Timestamp) -> Result<Vec<Project>, RegistryError> {
        let until = self.0.left_before(now);
        let all = self.0.ask(Selection::new().peek(ProjectFilter::All)).await?.projects;
        let mut left: Vec<Project> =
            all.into_values().filter(|project| project.last_seen_at <= until).collect();
        left.sort_by(|a, b| a.last_seen_at.cmp(&b.last_seen_at).then_with(|| a.id.cmp(&b.id)));
        Ok(left)
    }

    /// Forgets a project whose folder is gone, as [`Admin::forget_project`] does, or tells if it would. One
    /// in which somebody was after all, or that holds anything that a person wrote or decided, stays.
    pub async fn prune_project(
        self,
        id: ProjectId,
        op: OpId,
        now: Timestamp,
        dry_run: bool,
    ) -> Result<bool, RegistryError> {
        let forget = ForgetProject { id: id.clone(), op, at: now, with_knowledge: false };
        let step = ForgetGone { forget, until: self.0.left_before(now) };
        let registry = if dry_run { &self.0.dry() } else { self.0 };
        Ok(!registry.run(step).await?.changes.projects.is_empty())
    }
}

impl Registry {
    /// Removes rows that are still what they were, in pages, for as long as `more` returns true. `also` adds the changes
    /// that come with the removal of a row.
    pub(super) async fn remove<R: Row>(
        &self,
        rows: &[R],
        at: Timestamp,
        also: fn(&R, Timestamp, &mut Draft<'_>),
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<(), RegistryError> {
        for rows in rows.chunks(PAGE) {
            if !more() {
                break;
            }
            self.run(Remove { rows: rows.to_vec(), at, also }).await?;
        }
        Ok(())
    }

    fn left_before(&self, now: Timestamp) -> Timestamp {
        now.minus_days(i64::from(self.policy.projects.forget_after_days))
    }
}

/// Every session and cursor.
pub(super) fn remembered() -> Selection {
    Selection::new().peek(SessionFilter::All).peek(CursorFilter::All)
}

/// The revision up to which all agents were told, by the sessions and cursors of a view that did not end by
/// `until`: what came later is new to one of them.
pub(super) fn told_to_all(view: &View, until: Timestamp) -> Revision {
    let cursors = view.cursors.values().filter(|cursor| cursor.moved_at > until);
    let sessions = view.sessions.values().filter(|session| !is_past(view, session, until));
    let told = cursors.map(|cursor| cursor.revision);
    let told = told.chain(sessions.map(|session| session.from_revision));
    told.min().unwrap_or(view.revision)
}

/// Returns true if a session ended by `until` and no cursor that moved later names it.
fn is_past(view: &View, session: &Session, until: Timestamp) -> bool {
    let key = CursorKey { project: session.key.project.clone(), agent: session.agent.clone() };
    let cursor = view.cursors.get(&key).filter(|cursor| cursor.moved_at > until);
    let needed = cursor.is_some_and(|cursor| cursor.session.as_ref() == Some(&session.key.id));
    session.ended_at.unwrap_or(session.started_at) <= until && !needed
}

/// Removes rows that are still what they were.
#[derive(Debug)]
struct Remove<R> {
    rows: Vec<R>,
    at: Timestamp,
    also: fn(&R, Timestamp, &mut Draft<'_>),
}

impl<R: Row> Step for Remove<R> {
    fn selection(&self) -> Selection {
        Selection::new().lock_keys::<R>(self.rows.iter().map(|row| row.key().clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        for row in self.rows.iter().filter(|row| R::rows(view).get(row.key()) == Some(row)) {
            draft.delete::<R>(row.key());
            (self.also)(row, self.at, &mut draft);
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

/// Removes the outcomes of an invented name, and notes that it was forgotten.
fn forget_invented(tool: &Tool, at: Timestamp, draft: &mut Draft<'_>) {
    draft.delete_outcomes(OutcomeRange::OfTool(tool.key.clone()));
    let (subject, cause) = (Subject::tool(&tool.key), PresenceCause::Invented.as_str());
    draft.append_journal(JournalEntry {
        from: Some(tool.status().as_str().into()),
        ..JournalEntry::new(at, subject, Action::Forgotten, cause)
    });
}

/// Forgets a project that nobody was in since a moment, if no person left anything in it.
#[derive(Debug)]
struct ForgetGone {
    forget: ForgetProject,
    until: Timestamp,
}

impl Step for ForgetGone {
    fn selection(&self) -> Selection {
        self.forget.selection()
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let id = &self.forget.id;
        let left = view.projects.get(id).is_some_and(|project| project.last_seen_at <= self.until);
        let own_item = view.knowledge.keys().any(|key| key.scope.project() == Some(id));
        let own_work = view.work.keys().any(|key| key.scope.project() == Some(id));
        let mut tools = view.tools.values().filter(|tool| tool.key.scope.project() == Some(id));
        if !left || own_item || own_work || tools.any(|tool| tool.hold != Hold::None) {
            return Ok(Decision::Write(Draft::new(view, self.forget.at).finish()));
        }
        self.forget.forget(view, "folder_gone")
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
