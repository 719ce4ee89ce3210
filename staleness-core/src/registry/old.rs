//! Pruning of abandoned data: sessions, cursors, unused names, and projects whose folder no longer exists.
//!
//! Nothing that a person wrote or decided is removed. A project stays if it has an item of knowledge, a work item,
//! or a tool that a person pinned, ignored or demoted.

use std::cmp::Reverse;
use std::mem;
use std::sync::Arc;

use super::Registry;
use super::hold::{Forgetting, forget_project};
use super::prune::PruneReport;
use crate::definition::Definition;
use crate::ids::{OpId, ProjectId};
use crate::journal::{Action, JournalEntry, Revision, Subject};
use crate::project::Project;
use crate::registry::{Admin, RegistryError};
use crate::scan::invented;
use crate::session::{Cursor, CursorKey, Session};
use crate::store::{
    CursorFilter, DefinitionFilter, Draft, Edit, OutcomeRange, ProjectFilter, Row, Selection,
    SessionFilter, Step, ToolFilter, View,
};
use crate::time::Timestamp;
use crate::tool::{Hold, PresenceCause, Tool};

/// The maximum number of rows removed per commit, so that other writers wait only briefly.
const PAGE: usize = 1_000;

/// The maximum number of names forgotten per commit. A store may read all outcomes for each.
const NAMES: usize = 20;

impl Admin<'_> {
    /// Removes sessions and cursors that are older than `sessions.keep_days`, in pages while `more` returns true; with
    /// `dry_run` only counts them. A session stays as long as a remaining cursor refers to it. An agent without a
    /// cursor is treated as new. Returns the counts of sessions and of cursors.
    pub async fn prune_sessions(
        self,
        now: Timestamp,
        dry_run: bool,
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<(PruneReport, PruneReport), RegistryError> {
        let until = now.minus_days(i64::from(self.0.policy.sessions.keep_days));
        let view = self.0.ask(remembered()).await?;
        let old = |cursor: &&Cursor| cursor.moved_at <= until;
        let cursors: Vec<Cursor> = view.cursors.values().filter(old).cloned().collect();
        let past = |session: &&Session| is_past(&view, session, until);
        let sessions: Vec<Session> = view.sessions.values().filter(past).cloned().collect();
        if !dry_run {
            self.0.remove(&sessions, now, None, more).await?;
            self.0.remove(&cursors, now, None, more).await?;
        }
        let report = |removed: usize, all: usize| PruneReport {
            removed: removed as u64,
            kept: (all - removed) as u64,
        };
        let sessions = report(sessions.len(), view.sessions.len());
        Ok((sessions, report(cursors.len(), view.cursors.len())))
    }

    /// Forgets unused names, in pages while `more` returns true; with `dry_run` only counts them. Removes invented
    /// names last used at least `outcomes.keep_invented_days` ago, with their outcomes, and never-used tools that their
    /// server no longer lists, with their definitions. The newest `outcomes.keep_unlisted` of the latter stay for
    /// `outcomes.keep_unlisted_days`. Tools with a hold or a changed definition always stay. Returns the numbers of
    /// both.
    pub async fn prune_names(
        self,
        now: Timestamp,
        dry_run: bool,
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<(u64, u64), RegistryError> {
        let policy = &self.0.policy.outcomes;
        let until = now.minus_days(i64::from(policy.keep_invented_days));
        // Read without a client's view, because the rows are compared with the stored ones before removal.
        let all = Selection::new().peek(ToolFilter::All);
        let view = self.0.store.view(Arc::new(all)).await?;
        let invented = invented(&view, &self.0.policy.account_servers);
        let (mut names, mut others): (Vec<Tool>, Vec<Tool>) =
            view.tools.into_values().partition(|tool| invented.contains(&tool.key));
        names.retain(|tool| tool.last_used_at.is_none_or(|used| used <= until));
        others.retain(is_unlisted);
        others.sort_by_key(|tool| Reverse(tool.presence.since));
        let until = now.minus_days(i64::from(policy.keep_unlisted_days));
        let kept = others.partition_point(|tool| tool.presence.since > until);
        let mut unlisted = others.split_off(kept.min(policy.keep_unlisted as usize));
        let defined = unlisted.iter().fold(Selection::new(), with_definition);
        let known = self.0.store.view(Arc::new(defined)).await?.definitions;
        // Keeps changed definitions, so that a server cannot hide a change by removing the tool.
        unlisted.retain(|tool| {
            known.get(&tool.key).is_none_or(|known| known.changes == 0 && known.pending.is_none())
        });
        if !dry_run {
            let with: Option<Also<Tool>> = Some((|all, _| all, forget_invented));
            for names in names.chunks(NAMES) {
                self.0.remove(names, now, with, more).await?;
            }
            self.0.remove(&unlisted, now, Some((with_definition, forget_unlisted)), more).await?;
        }
        Ok((names.len() as u64, unlisted.len() as u64))
    }

    /// Removes data past the policy's retention: routes of one project, and outcomes, sessions, cursors, names and
    /// journal entries of all projects. Makes one commit if there is anything to remove. Calls `more` before each
    /// further kind of data and each further commit, and stops when it returns false; the next call continues with the
    /// rest. The first kind depends on the time, so that each kind gets its turn.
    pub async fn prune_while(
        self,
        project: &ProjectId,
        now: Timestamp,
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<(), RegistryError> {
        const KINDS: u64 = 5;
        let first = now.as_millis().unsigned_abs();
        let mut begun = false;
        for kind in first..first + KINDS {
            if begun && !more() {
                break;
            }
            let mut more = || !mem::replace(&mut begun, true) || more();
            match kind % KINDS {
                0 => self.0.routes().prune_while(project, now, false, &mut more).await.map(drop),
                1 => self.prune_outcomes_while(now, &mut more).await,
                2 => self.prune_sessions(now, false, &mut more).await.map(drop),
                3 => self.prune_names(now, false, &mut more).await.map(drop),
                _ => {
                    let removed = self.prune_journal(now, false, &mut more).await;
                    removed.map(|removed| begun |= removed > 0)
                }
            }?;
        }
        Ok(())
    }

    /// Returns the projects that have not been used for `projects.forget_after_days`, the longest unused first. The
    /// caller checks whether their folders still exist.
    pub async fn projects_left(self, now: Timestamp) -> Result<Vec<Project>, RegistryError> {
        let until = self.0.left_before(now);
        let all = self.0.ask(Selection::new().peek(ProjectFilter::All)).await?.projects;
        let mut left: Vec<Project> =
            all.into_values().filter(|project| project.last_seen_at <= until).collect();
        left.sort_by(|a, b| a.last_seen_at.cmp(&b.last_seen_at).then_with(|| a.id.cmp(&b.id)));
        Ok(left)
    }

    /// Forgets a project whose folder no longer exists, like [`Admin::forget_project`]. Returns true if the project was
    /// forgotten, or with `dry_run` if it would be. A project stays if it was used in the meantime, or contains
    /// anything that a person wrote or decided.
    pub async fn prune_project(
        self,
        id: ProjectId,
        op: OpId,
        now: Timestamp,
        dry_run: bool,
    ) -> Result<bool, RegistryError> {
        let forgetting = Forgetting::UnusedSince(self.0.left_before(now));
        let step = forget_project(id, op, now, forgetting);
        let registry = if dry_run { &self.0.dry() } else { self.0 };
        Ok(!registry.run(step).await?.changes.projects.is_empty())
    }
}

impl Registry {
    /// Removes the rows that are still unchanged, in pages, while `more` returns true. `also` locks the rows that
    /// belong to a removed row, and changes them.
    pub(super) async fn remove<R: Row>(
        &self,
        rows: &[R],
        at: Timestamp,
        also: Option<Also<R>>,
        more: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<(), RegistryError> {
        for rows in rows.chunks(PAGE) {
            if !more() {
                break;
            }
            self.run(removal(rows.to_vec(), at, also)).await?;
        }
        Ok(())
    }

    fn left_before(&self, now: Timestamp) -> Timestamp {
        now.minus_days(i64::from(self.policy.projects.forget_after_days))
    }
}

pub(super) fn remembered() -> Selection {
    Selection::new().peek(SessionFilter::All).peek(CursorFilter::All)
}

/// Returns the revision up to which all remembered agents have received the changes. Later changes are new to at least
/// one agent. Considers the cursors that moved after `until`, and the sessions that had not ended by then or that such
/// a cursor needs.
pub(super) fn told_to_all(view: &View, until: Timestamp) -> Revision {
    let cursors = view.cursors.values().filter(|cursor| cursor.moved_at > until);
    let sessions = view.sessions.values().filter(|session| !is_past(view, session, until));
    let told = cursors.map(|cursor| cursor.revision);
    let told = told.chain(sessions.map(|session| session.from_revision));
    told.min().unwrap_or(view.revision)
}

/// Returns true if a session had ended by `until`, or began by then without an end, and no cursor that moved later
/// refers to it.
fn is_past(view: &View, session: &Session, until: Timestamp) -> bool {
    let key = CursorKey { project: session.key.project.clone(), agent: session.agent.clone() };
    let cursor = view.cursors.get(&key).filter(|cursor| cursor.moved_at > until);
    let needed = cursor.is_some_and(|cursor| cursor.session.as_ref() == Some(&session.key.id));
    session.ended_at.unwrap_or(session.started_at) <= until && !needed
}

/// Two functions: the first selects and locks the rows that belong to a row, and the second changes them in a draft
/// when that row is removed.
pub(super) type Also<R> = (fn(Selection, &R) -> Selection, fn(&R, Timestamp, &mut Draft<'_>));

/// Removes rows that are still unchanged.
pub(super) fn removal<R: Row>(rows: Vec<R>, at: Timestamp, also: Option<Also<R>>) -> impl Step {
    let keys = Selection::new().lock_keys::<R>(rows.iter().map(|row| row.key().clone()));
    let all = also.map_or(keys.clone(), |(lock, _)| rows.iter().fold(keys, lock));
    Edit::new(at, all, move |draft| {
        let view = draft.view();
        for row in rows.iter().filter(|row| R::rows(view).get(row.key()) == Some(row)) {
            if let Some((_, also)) = also {
                also(row, at, draft);
            }
            draft.delete::<R>(row.key());
        }
        Ok(())
    })
}

/// Returns true if the tool's server no longer lists it, it was never used, and no decision holds it.
fn is_unlisted(tool: &Tool) -> bool {
    let unused = tool.last_used_at.is_none() && tool.hold == Hold::None;
    unused && tool.presence.cause == PresenceCause::NotListed
}

fn with_definition(all: Selection, tool: &Tool) -> Selection {
    all.lock(DefinitionFilter::Key(tool.key.clone()))
}

fn forget_unlisted(tool: &Tool, at: Timestamp, draft: &mut Draft<'_>) {
    draft.delete::<Definition>(&tool.key);
    forget_name(tool, PresenceCause::NotListed, at, draft);
}

fn forget_invented(tool: &Tool, at: Timestamp, draft: &mut Draft<'_>) {
    forget_uses(tool, PresenceCause::Invented, at, draft);
}

/// Removes the outcomes of a name, and adds a journal entry.
pub(super) fn forget_uses(tool: &Tool, cause: PresenceCause, at: Timestamp, draft: &mut Draft<'_>) {
    draft.delete_outcomes(OutcomeRange::OfTool(tool.key.clone()));
    forget_name(tool, cause, at, draft);
}

fn forget_name(tool: &Tool, cause: PresenceCause, at: Timestamp, draft: &mut Draft<'_>) {
    let (subject, cause) = (Subject::tool(&tool.key), cause.as_str());
    draft.append_journal(JournalEntry {
        from: Some(tool.status().as_str().into()),
        ..JournalEntry::new(at, subject, Action::Forgotten, cause)
    });
}
