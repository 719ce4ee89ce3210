//! The query for the changes to report to a returning agent.

use std::collections::BTreeSet;

use super::others::Others;
use super::steps::met;
use super::unknown;
use crate::ids::{AgentId, ItemKey, ProjectId, Scope, ServerKey, SessionId, ToolKey, WorkKey};
use crate::journal::{Action, Revision};
use crate::registry::told::{around_demoted, around_unanswered, demoted, of_these_names, waiting};
use crate::registry::work::{Overdue, hands_on, open, visible_open};
use crate::report::{
    Context, Delta, DeltaItem, DeltaSource, DeltaSubject, Digest, NetChange, changes, redefined,
    tell, unanswered,
};
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::store::{
    CursorFilter, ItemFilter, JournalFilter, ProjectFilter, Query, Refusal, Selection,
    SessionFilter, SourceFilter, ToolFilter, View, WorkFilter,
};
use crate::time::Timestamp;
use crate::tool::Status;
use crate::work::{self, Warning, Work, is_due};

/// The starting point of a delta.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ResumeFrom {
    /// The agent's cursor or, for a known session, the start of that session. An agent without a cursor gets a digest.
    #[default]
    Cursor,
    /// The start of a session of the project. The cursor does not move.
    Session(SessionId),
    /// A time. The delta contains everything since then. The cursor does not move.
    Time(Timestamp),
    /// No starting point: a digest of the current state. The cursor does not move.
    Digest,
}

/// The request of a returning agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The agent that returns.
    pub agent: AgentId,
    /// The current session. A known session that lost its context receives all changes since it began.
    pub session: Option<SessionId>,
    /// The starting point.
    pub from: ResumeFrom,
    /// True to leave the cursor where it is.
    pub peek: bool,
    /// True if the context was cleared or compacted. The agent receives all overdue work, but no recoveries of tools.
    pub cleared: bool,
    /// The agents that are known even without a session in the project. Handoffs between two other known agents are
    /// omitted. If `None`, no handoff is omitted.
    pub known: Option<BTreeSet<String>>,
}

impl Resume {
    /// Creates a request for everything since the last report to an agent.
    pub const fn new(agent: AgentId) -> Self {
        let from = ResumeFrom::Cursor;
        Self { agent, session: None, from, peek: false, cleared: false, known: None }
    }
}

/// Reads the changes for an agent: its cursor, the journal since then, the subjects of the entries, and the overdue
/// work. Reads other work only for a digest.
#[derive(Clone, Debug)]
pub(super) struct WhatChanged {
    pub(super) project: ProjectId,
    pub(super) resume: Resume,
    pub(super) overdue: Overdue,
}

/// The resolved starting point of a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begin {
    After(Revision),
    At(Timestamp),
    /// The current state, because nothing was ever reported to the agent in this project. The revision shows whether
    /// the agent may have been here before the journal was pruned.
    Met(Revision),
    /// Like [`Begin::Met`], plus the changes since the revision, for a known agent whose session lost its context.
    Again(Revision),
    /// Only the current state.
    Nowhere,
}

impl WhatChanged {
    fn session<'v>(&self, view: &'v View, id: &SessionId) -> Option<&'v Session> {
        view.sessions.get(&SessionKey { project: self.project.clone(), id: id.clone() })
    }

    fn cursor<'v>(&self, view: &'v View) -> Option<&'v Cursor> {
        let agent = self.resume.agent.clone();
        view.cursors.get(&CursorKey { project: self.project.clone(), agent })
    }

    /// Returns the current session, unless it belongs to another agent.
    fn own_session<'v>(&self, view: &'v View) -> Option<&'v Session> {
        let session = self.resume.session.as_ref().and_then(|id| self.session(view, id))?;
        (session.agent == self.resume.agent).then_some(session)
    }

    /// Returns true if the agent requests changes and still has its context.
    fn goes_on(&self) -> bool {
        self.resume.from == ResumeFrom::Cursor && !self.resume.cleared
    }

    /// Returns true if another session of the agent received a report after the current one began.
    fn was_overtaken(&self, view: &View) -> bool {
        let overtook = |session: &Session, cursor: &Cursor| {
            cursor.session.as_ref() != Some(&session.key.id)
                && cursor.revision > session.from_revision
        };
        self.own_session(view)
            .zip(self.cursor(view))
            .is_some_and(|(of, cursor)| overtook(of, cursor))
    }

    /// Returns the revision up to which changes were reported in a continuing context: the cursor's, or the cursor's at
    /// the start of the agent's next session. `None` if unknown.
    fn told_last(&self, view: &View) -> Option<Revision> {
        let session = self.own_session(view).filter(|_| self.goes_on())?;
        if !self.was_overtaken(view) {
            return self.cursor(view).map(|cursor| cursor.revision);
        }
        // Reports went to the current session until the next one began.
        let later = |than: Timestamp| {
            let is_later = |each: &&Session| each.agent == session.agent && each.started_at > than;
            view.sessions.values().filter(is_later).map(|each| each.from_revision).min()
        };
        session.told_at.and_then(later).or_else(|| later(session.started_at))
    }

    /// Returns the time of the last report in a continuing context: the last one to the current session or, before its
    /// first one, the last move of the cursor. Reports to the agent from before the session began count as part of the
    /// context.
    fn told_at(&self, view: &View) -> Option<Timestamp> {
        let moved_at = self.cursor(view).filter(|_| self.goes_on())?.moved_at;
        let is_own = |own: &Session| {
            self.cursor(view).and_then(|cursor| cursor.session.as_ref()) == Some(&own.key.id)
        };
        let told = |own: &Session| match own.told_at {
            None if !is_own(own) => own.started_at.min(moved_at),
            told => told.unwrap_or(moved_at),
        };
        Some(self.own_session(view).map_or(moved_at, told))
    }

    fn begin(&self, view: &View) -> Result<Begin, Refusal> {
        match &self.resume.from {
            ResumeFrom::Digest => Ok(Begin::Nowhere),
            ResumeFrom::Time(at) => Ok(Begin::At(*at)),
            ResumeFrom::Session(id) => {
                let session = self.session(view, id).ok_or_else(|| unknown(id))?;
                Ok(Begin::After(session.from_revision))
            }
            ResumeFrom::Cursor => {
                let told = self.cursor(view).map(|cursor| cursor.revision);
                Ok(match (self.own_session(view), told) {
                    (Some(session), told) if session.first_contact => match told {
                        None => Begin::Met(session.from_revision),
                        Some(_) => Begin::Again(session.from_revision),
                    },
                    (Some(session), told) => {
                        let began = session.from_revision;
                        Begin::After(told.map_or(began, |told| told.min(began)))
                    }
                    (None, Some(told)) => Begin::After(told),
                    (None, None) => Begin::Met(met(view, &self.project)),
                })
            }
        }
    }

    /// Returns true for a digest, which needs all open work.
    fn is_digest(&self, view: &View) -> bool {
        matches!(self.begin(view), Ok(Begin::Met(_) | Begin::Again(_) | Begin::Nowhere))
    }

    pub(super) fn delta(&self, mut view: View) -> Result<Delta, Refusal> {
        let begin = self.begin(&view)?;
        let floor = view.floor;
        let pruned = match begin {
            Begin::After(after) | Begin::Met(after) | Begin::Again(after) => after < floor.revision,
            Begin::At(at) => floor.revision > Revision(0) && at <= floor.at,
            Begin::Nowhere => false,
        };
        if let Begin::At(at) = begin {
            view.journal.retain(|_, entry| entry.at >= at);
        }
        let Overdue { policy, project, now } = &self.overdue;
        let others = self.others(&view);
        let is_others = |work: &Work| others.as_ref().is_some_and(|others| others.have(work, *now));
        let open = visible_open(&self.project, &view);
        let subject = |work: &Work| DeltaSubject::Work(work.kind, work.key.clone());
        let of = |each: &Warning| DeltaSubject::Work(each.kind, each.key.clone());
        let hidden: Vec<&Work> = open.iter().copied().filter(|work| is_others(work)).collect();
        let expired: BTreeSet<DeltaSubject> =
            hidden.iter().filter(|it| it.is_expired_handoff(*now)).map(|it| subject(it)).collect();
        let hidden: BTreeSet<DeltaSubject> = hidden.into_iter().map(subject).collect();
        let mut warnings = self.overdue.warnings(&view);
        warnings.retain(|each| {
            let is_of_others = others.as_ref().is_some_and(|others| others.is_between_them(each));
            !is_of_others && !hidden.contains(&of(each))
        });
        let overdue = warnings.len();
        let told = self.told_at(&view);
        let agent = &self.resume.agent;
        let context = Context::new(&view, policy, project, *now);
        let after = match begin {
            Begin::After(after) | Begin::Again(after) => after,
            Begin::At(_) => Revision(0),
            Begin::Nowhere | Begin::Met(_) => view.revision,
        };
        let last = self.told_last(&view).filter(|last| *last > after);
        let telling = tell(&context, after, last);
        // An expired claim of the agent from before this time was already reported to it as abandoned.
        let cursor = self.cursor(&view).filter(|_| self.resume.from == ResumeFrom::Cursor);
        let moved_at = cursor.map(|cursor| cursor.moved_at);
        // A change that was undone later is reported only if the context received the change.
        let changed = || {
            let asking = (agent, self.resume.session.as_ref());
            let since = |after| changes(&view, after, asking, moved_at);
            let mut items = with_changes(last.map(since).unwrap_or_default(), since(after));
            items.retain(|item| {
                let is_others = self.is_of_others(others.as_ref(), &view, after, item);
                item.own || !is_others && !expired.contains(&item.subject)
            });
            items
        };
        // An expired item is overdue and no longer open.
        let expired_ones = warnings.iter().filter(|it| it.flag.overdue == work::Overdue::Expired);
        let lapsed: BTreeSet<DeltaSubject> = expired_ones.map(of).collect();
        let there = open.into_iter().filter(|it| !is_others(it) && !lapsed.contains(&subject(it)));
        let digest = Digest::of(there, agent);
        let mut items = match begin {
            Begin::Nowhere | Begin::Met(_) => digest.items,
            Begin::Again(_) => {
                let (mut there, mut changed) = (digest.items, changed());
                let is_added = |item: &DeltaItem| item.action == Some(Action::Added);
                changed.retain(|item| !is_added(item) || !lapsed.contains(&item.subject));
                // An item of the digest may also have been changed by others.
                let is_said = |item: &DeltaItem| {
                    let says = |each: &DeltaItem| match item.claim {
                        Some(_) => !each.own,
                        None => each.claim_end.is_some(),
                    };
                    changed.iter().any(|each| each.subject == item.subject && says(each))
                };
                there.retain(|item| !is_said(item));
                with_changes(there, changed)
            }
            Begin::At(_) | Begin::After(_) => changed(),
        };
        for item in &mut items {
            item.claim = item.claim.take().filter(|claim| claim.holds(*now));
        }
        // Overdue items that are new are always reported, regardless of when they became overdue.
        let is_new = |warning: &Warning| {
            let is_it = |item: &DeltaItem| item.subject == of(warning);
            items.iter().any(|item| item.action == Some(Action::Added) && is_it(item))
        };
        let is_told = |each: &Warning| each.is_due(told, *now) || is_new(each);
        let warnings = warnings.into_iter().filter(is_told).collect();
        let mut waiting = redefined(&context);
        let news = view
            .journal
            .values()
            .filter(|entry| entry.action == Action::Redefined && entry.revision > after);
        let news: BTreeSet<&str> = news.map(|entry| entry.subject.id.as_str()).collect();
        // Withheld tools are reported every time, because the client offers them in every session.
        waiting.retain(|each| {
            each.withheld || news.contains(each.name.as_str()) || is_due(each.since, told, *now)
        });
        let mut unanswered = unanswered(&context);
        unanswered.retain(|(_, at)| is_due(*at, told, *now));
        let more = match begin {
            Begin::At(_) | Begin::After(_) => 0,
            // An item that the digest omits may be reported as a change.
            _ => {
                digest.cut.iter().filter(|cut| !items.iter().any(|it| it.subject == **cut)).count()
            }
        };
        let mut tools = telling.changes;
        let came_back = |change: &NetChange| change.from.is_some() && change.to == Status::Active;
        tools.retain(|change| !self.resume.cleared || !came_back(change));
        tools.retain(|change| waiting.iter().all(|each| each.name != change.name));
        let source = match (&self.resume.from, begin) {
            (_, Begin::Nowhere | Begin::Met(_) | Begin::Again(_)) => DeltaSource::Digest,
            (ResumeFrom::Cursor, _) => DeltaSource::Cursor,
            _ => DeltaSource::Since,
        };
        let since_session = match &self.resume.from {
            ResumeFrom::Session(id) => Some(id),
            ResumeFrom::Cursor if source == DeltaSource::Cursor => {
                let told = self.cursor(&view).and_then(|cursor| cursor.session.as_ref());
                // The session is not named as the starting point if it is the current one.
                told.filter(|told| self.resume.session.as_ref() != Some(told))
            }
            _ => None,
        };
        Ok(Delta {
            since_session: since_session.cloned(),
            source,
            items,
            more,
            pruned_until: pruned.then_some(floor.at),
            warnings,
            overdue,
            tools,
            failing: telling.failing,
            redefined: waiting,
            unanswered: unanswered.into_iter().map(|(name, _)| name).collect(),
            upto: view.revision,
            told,
            moves: self.resume.from == ResumeFrom::Cursor && !self.resume.peek,
        })
    }

    fn others<'v>(&'v self, view: &'v View) -> Option<Others<'v>> {
        let known = self.resume.known.as_ref()?;
        Some(Others::new(&self.resume.agent, known, view))
    }

    /// Returns true if an item is a handoff between two other agents and already was one at the last report. Otherwise
    /// the agent may know it as a handoff to itself or to everyone, and is told who took it.
    fn is_of_others(
        &self,
        others: Option<&Others<'_>>,
        view: &View,
        after: Revision,
        item: &DeltaItem,
    ) -> bool {
        let hold = |then| {
            let parties = (item.sender.as_deref(), item.recipient.as_deref());
            others.is_some_and(|others| others.hold(parties.0, parties.1, then))
        };
        let is_handed_on = || {
            let mut entries = view.journal.values().filter(|entry| entry.revision > after);
            entries.any(|entry| {
                let work = entry.subject.work_key().filter(|_| hands_on(entry));
                work.is_some_and(|key| key.id.as_str() == item.subject.id())
            })
        };
        let told = self.cursor(view).map_or(Timestamp::MAX, |cursor| cursor.moved_at);
        let is_new = item.action == Some(Action::Added);
        hold(Timestamp::MAX) && (is_new || hold(told) && !is_handed_on())
    }

    fn subjects(&self, view: &View) -> Selection {
        let subjects = || view.journal.values().map(|entry| &entry.subject);
        let tools: BTreeSet<ToolKey> = subjects().filter_map(|each| each.tool_key()).collect();
        let work: BTreeSet<WorkKey> = subjects().filter_map(|each| each.work_key()).collect();
        let items: BTreeSet<ItemKey> = subjects().filter_map(|each| each.item_key()).collect();
        let mut more = of_these_names(&self.project, view, tools.iter(), Selection::new());
        for key in work.into_iter().filter(|key| !view.work.contains_key(key)) {
            more = more.peek(WorkFilter::Key(key));
        }
        items.into_iter().fold(more, |more, key| more.peek(ItemFilter::Key(key)))
    }
}

impl WhatChanged {
    /// Selects the server entries of the tools in the view, because a tool's presence depends on its server. Selects
    /// all tools of a server if one of them recovered for its callers.
    fn entries(&self, view: &View) -> Selection {
        let tools = view.tools.values();
        let servers: BTreeSet<&ServerKey> = tools.filter_map(|tool| tool.server.as_ref()).collect();
        let scopes = [Scope::Global, Scope::Project(self.project.clone())];
        let recovered = view
            .journal
            .values()
            .filter(|entry| entry.action == Action::Recovered && !entry.clients.is_empty());
        let recovered = recovered.filter_map(|entry| view.tools.get(&entry.subject.tool_key()?));
        let recovered: BTreeSet<&ServerKey> =
            recovered.filter_map(|tool| tool.server.as_ref()).collect();
        servers.into_iter().fold(Selection::new(), |more, server| {
            scopes.iter().fold(more, |more, scope| {
                let of = (scope.clone(), server.clone());
                let more = more.peek(ToolFilter::Entries(of.0.clone(), of.1.clone()));
                if recovered.contains(server) {
                    more.peek(ToolFilter::Server(of.0, of.1))
                } else {
                    more
                }
            })
        })
    }
}

/// Returns the current items, followed by the changes of all other items.
fn with_changes(mut there: Vec<DeltaItem>, changed: Vec<DeltaItem>) -> Vec<DeltaItem> {
    let shown: BTreeSet<DeltaSubject> = there.iter().map(|item| item.subject.clone()).collect();
    let beside = |item: &DeltaItem| !shown.contains(&item.subject);
    there.extend(changed.into_iter().filter(beside));
    there
}

impl Query for WhatChanged {
    fn selection(&self) -> Selection {
        let cursor = CursorKey { project: self.project.clone(), agent: self.resume.agent.clone() };
        let since = match &self.resume.from {
            ResumeFrom::Session(id) => Some(id),
            _ => None,
        };
        let sessions = self.resume.session.iter().chain(since);
        let key = |id: &SessionId| SessionKey { project: self.project.clone(), id: id.clone() };
        let first = waiting(&self.project, demoted(&self.project, Selection::new()))
            .peek(SourceFilter::Scope(Scope::Global))
            .peek(SourceFilter::Scope(Scope::Project(self.project.clone())))
            .peek(ProjectFilter::Id(self.project.clone()))
            .peek(CursorFilter::Key(cursor));
        sessions.fold(first, |all, id| all.peek(SessionFilter::Key(key(id))))
    }

    fn more(&self, view: &View) -> Option<Selection> {
        let more = match view.looks {
            1 => {
                let (after, digest) = match self.begin(view) {
                    Ok(Begin::After(after)) => (after, false),
                    Ok(Begin::At(_)) => (Revision(0), false),
                    Ok(Begin::Again(after)) => (after, true),
                    Ok(Begin::Nowhere | Begin::Met(_)) => (view.revision, true),
                    Err(_) => return None,
                };
                let work = if digest { open(&self.project) } else { self.overdue.candidates() };
                let mut around = around_unanswered(&self.project, view, work);
                around = around_demoted(&self.project, view, around);
                if self.goes_on() && self.was_overtaken(view) {
                    around = around.peek(SessionFilter::Project(self.project.clone()));
                }
                if after >= view.revision {
                    around
                } else {
                    let own = Scope::Project(self.project.clone());
                    around
                        .journal(JournalFilter::Since { after, scope: Scope::Global })
                        .journal(JournalFilter::Since { after, scope: own })
                }
            }
            2 if self.is_digest(view) => self.subjects(view),
            2 => self.overdue.around(view, self.subjects(view)),
            3 => {
                let mut entries = self.entries(view);
                if self.others(view).is_some_and(|others| others.depend_on_sessions(view)) {
                    entries = entries.peek(SessionFilter::Project(self.project.clone()));
                }
                if self.is_digest(view) {
                    entries
                } else {
                    self.overdue.around_referring(view, entries)
                }
            }
            _ => return None,
        };
        // The third read also needs rows of the first one. If the agent missed nothing, the second read is empty but
        // must not end the query.
        Some(more).filter(|more| view.looks == 2 || *more != Selection::new())
    }
}
