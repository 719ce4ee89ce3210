//! The steps that add and change work items.

use std::collections::BTreeSet;

use super::unknown;
use crate::ids::{AgentId, ProjectId, Scope, SessionId, WorkId, WorkKey};
use crate::journal::{Action, JournalEntry, Subject};
use crate::registry::Act;
use crate::registry::knowledge::replace;
use crate::route::Suggestions;
use crate::session::{Session, SessionKey};
use crate::store::{
    Conflict, Decision, Draft, Edit, Invalid, JournalFilter, Refusal, Row, Selection,
    SessionFilter, Step, SuggestionFilter, View, WorkFilter,
};
use crate::time::Timestamp;
use crate::work::{Claim, Work, WorkKind, WorkPolicy, WorkStatus, WorkStep};

/// Fields to change. `None` leaves a field unchanged and `Some(None)` clears it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkPatch {
    /// The state. It must be one of the states of the item's kind.
    pub status: Option<WorkStatus>,
    /// The text.
    pub text: Option<String>,
    /// True if a person typed `text` on this machine.
    pub by_person: bool,
    /// The expiry date.
    pub expires_at: Option<Option<Timestamp>>,
    /// The intended recipient.
    pub to: Option<Option<String>>,
    /// The items to which this one refers.
    pub refs: Option<BTreeSet<String>>,
    /// The items for which this one waits. They must exist.
    pub after: Option<BTreeSet<String>>,
}

impl WorkPatch {
    /// Applies all changes except the state. Returns the names of the fields that changed.
    fn apply(&self, work: &mut Work) -> Vec<&'static str> {
        let mut changed = Vec::new();
        let mut set = |name, changes: bool| {
            if changes {
                changed.push(name);
            }
        };
        set("text", replace(&mut work.text, self.text.as_ref()));
        set("expires", replace(&mut work.expires_at, self.expires_at.as_ref()));
        set("to", replace(&mut work.to, self.to.as_ref()));
        set("refs", replace(&mut work.refs, self.refs.as_ref()));
        set("after", replace(&mut work.after, self.after.as_ref()));
        changed
    }
}

/// The maximum number of journal entries to search for the agent that accepted a handoff or claimed an item.
pub(super) const HISTORY: u32 = 100;

/// The prefix of the cause of an edit, before the names of the fields.
const CHANGED: &str = "changed ";

/// Returns true if an entry records a change of the recipient.
pub(in crate::registry) fn hands_on(entry: &JournalEntry) -> bool {
    let fields = entry.cause.strip_prefix(CHANGED).filter(|_| entry.action == Action::Edited);
    fields.is_some_and(|fields| fields.split(", ").any(|field| field == "to"))
}

#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// Adds the item under an unused id.
    Add(Box<Work>),
    Set(WorkPatch),
    Step(String),
    Reopen,
    /// Claims the item, or renews the claim of the same session.
    Claim(Claiming),
    Release,
    /// Resolves the item, if it is overdue according to these thresholds.
    Resolve(Box<WorkPolicy>),
    /// Undoes a change: returns the item from the first state to the second.
    Restore(Box<(Work, Work)>),
}

#[derive(Clone, Debug)]
pub(super) struct Claiming {
    pub(super) project: ProjectId,
    pub(super) agent: AgentId,
    pub(super) until: Timestamp,
    /// The number of hours after which a session counts as ended.
    pub(super) close_after_hours: u32,
}

impl Claiming {
    /// Returns the sessions whose events renew the claim of session `id`: the session itself, or the agent's
    /// running sessions if no hook reports it.
    fn renewing(&self, view: &View, id: &SessionId, at: Timestamp) -> Vec<SessionKey> {
        let own = SessionKey { project: self.project.clone(), id: id.clone() };
        let runs = |session: &&Session| {
            let is_over = |session: Session| session.closed(at, self.close_after_hours).ended_at;
            session.agent == self.agent && is_over((*session).clone()).is_none()
        };
        let beside = view.sessions.values().filter(|_| id.is_unreported());
        let beside: Vec<SessionKey> = beside.filter(runs).map(|each| each.key.clone()).collect();
        std::iter::once(own).chain(beside).collect()
    }
}

/// Applies a change to one work item, at most once.
#[derive(Debug)]
pub(super) struct ActOnWork {
    pub(super) key: WorkKey,
    pub(super) deed: Deed,
    pub(super) act: Act,
}

impl ActOnWork {
    fn add(&self, draft: &mut Draft<'_>, work: &Work) -> Result<(), Refusal> {
        if draft.get::<Work>(&self.key).is_some() {
            let id = self.key.id.to_string();
            return Err(Refusal::Taken { what: "work item", id });
        }
        work.check()?;
        draft.put(work.clone());
        ends(draft, &work.after, &self.key)?;
        no_circle(draft, &self.key)?;
        self.tell(draft, Action::Added, None, work.status, "by_hand".into());
        Ok(())
    }

    fn set(&self, draft: &mut Draft<'_>, mut work: Work, patch: &WorkPatch) -> Result<(), Refusal> {
        if let Some(by) = self.accepted_by_another(draft.view(), &work, patch) {
            return Err(Conflict::Accepted { id: self.id(), by: by.clone() }.into());
        }
        let held = work.held(self.act.at).cloned();
        let moved = match patch.status {
            Some(to) => work.move_to(to, self.act.at)?,
            None => None,
        };
        let changed = patch.apply(&mut work);
        if patch.text.is_some() {
            work.by_person = patch.by_person || (work.by_person && !changed.contains(&"text"));
        }
        if let Some(moved) = moved {
            let ended = held.filter(|_| work.claim.is_none());
            let cause = self.ends(ended.as_ref()).unwrap_or_else(|| "by_hand".into());
            self.tell(draft, Action::Moved, Some(moved.from), moved.to, cause);
        }
        // A handoff that goes to another agent now could be neither accepted nor released by its holder.
        let is_for = |claim: &Claim| work.to.as_deref().is_none_or(|to| to == claim.agent.as_str());
        if changed.contains(&"to")
            && let Some(claim) = work.claim.take_if(|claim| !is_for(claim))
        {
            self.tell_release(draft, work.status, &claim);
        }
        if !changed.is_empty() {
            work.touch(self.act.at);
            let cause = format!("{CHANGED}{}", changed.join(", "));
            self.tell(draft, Action::Edited, Some(work.status), work.status, cause);
        }
        work.check()?;
        draft.put(work);
        match &patch.after {
            Some(after) => ends(draft, after, &self.key).and_then(|()| no_circle(draft, &self.key)),
            None => Ok(()),
        }
    }

    /// Returns the agent that has already accepted a handoff, if the act would accept it for another agent.
    fn accepted_by_another<'v>(
        &self,
        view: &'v View,
        work: &Work,
        patch: &WorkPatch,
    ) -> Option<&'v AgentId> {
        let accepted = WorkStatus::Accepted;
        let actor = self.act.actor.as_ref().filter(|_| patch.status == Some(accepted))?;
        if work.kind != WorkKind::Handoff || work.status != accepted {
            return None;
        }
        let mut entries = view.journal.values().rev();
        let is_accepting = |each: &&JournalEntry| {
            each.to.as_deref() == Some(accepted.as_str()) && each.from != each.to
        };
        let last = entries.find(|each| is_accepting(each) || hands_on(each));
        last.filter(is_accepting)?.actor.as_ref().filter(|by| *by != actor)
    }

    fn step(&self, draft: &mut Draft<'_>, mut work: Work, text: &str) -> Result<(), Refusal> {
        work.steps.push(WorkStep { text: text.into(), at: self.act.at });
        work.touch(self.act.at);
        let held = work.claim.as_mut().filter(|claim| claim.holds(self.act.at));
        if let Some(own) = held.filter(|claim| self.ends(Some(claim)).is_none()) {
            own.renew(self.act.at);
        }
        work.check()?;
        self.tell(draft, Action::Stepped, Some(work.status), work.status, "by_hand".into());
        draft.put(work);
        Ok(())
    }

    fn reopen(&self, draft: &mut Draft<'_>, mut work: Work) -> Result<(), Refusal> {
        let back = work.reopen(self.act.at)?;
        self.tell(draft, Action::Reopened, Some(back.from), back.to, "by_hand".into());
        draft.put(work);
        no_circle(draft, &self.key)
    }

    /// Restores the item to its state before a change, if it is still as the change left it.
    fn restore(&self, draft: &mut Draft<'_>, left: &Work, before: &Work) -> Result<(), Refusal> {
        if draft.get(&self.key) != Some(left) {
            return Err(Conflict::Changed { id: self.id().to_string() }.into());
        }
        if left.status != before.status {
            let from = Some(left.status);
            self.tell(draft, Action::Reopened, from, before.status, "by_hand".into());
        }
        draft.put(before.clone());
        no_circle(draft, &self.key)
    }

    /// Claims the item. Refuses if another agent or session holds it. The journal does not record renewals.
    fn claim(&self, draft: &mut Draft<'_>, mut work: Work, to: &Claiming) -> Result<(), Refusal> {
        let (at, status) = (self.act.at, work.status);
        let mut claim = Claim {
            agent: to.agent.clone(),
            session: self.act.session.clone(),
            at,
            until: to.until,
        };
        if !work.kind.is_task() {
            return Err(Invalid::NoTask { id: self.id(), kind: work.kind.as_str() }.into());
        }
        if !status.is_open() {
            return Err(Conflict::NotOpen { id: self.id(), status: status.as_str() }.into());
        }
        if !(1..=Claim::MAX_MILLIS).contains(&claim.until.millis_since(at)) {
            return Err(Invalid::NewClaimTime.into());
        }
        let before = work.claim.take();
        let same = before.as_ref().filter(|known| known.is_of_same(&claim));
        if let Some(known) = same {
            // A renewal never shortens a claim.
            claim.at = claim.at.max(known.at);
            claim.until = claim.until.max(known.until);
        }
        let is_renewed = same.is_some();
        let left = before.as_ref().and_then(|known| known.session.clone());
        work.claim = Some(claim.clone());
        let held = before.as_ref().filter(|known| known.holds(at));
        if let Some(Claim { agent, session, until, .. }) = held.filter(|_| !is_renewed).cloned() {
            let (id, is_own) = (self.id(), agent == claim.agent);
            return Err(match is_own {
                true => Conflict::ClaimedInSession { id, agent, session, until }.into(),
                false => Conflict::Claimed { id, agent, session, until }.into(),
            });
        }
        let is_held = held.is_some();
        if !is_held {
            let cause = match before.filter(|_| !is_renewed) {
                Some(left) => left.abandoned(),
                None => "by_hand".into(),
            };
            self.tell(draft, Action::Claimed, Some(status), status, cause);
        }
        work.touch(at);
        draft.put(work);
        let Some(id) = &claim.session else { return Ok(()) };
        for key in to.renewing(draft.view(), id, at) {
            let is_own = key.id == *id;
            let known = draft.get::<Suggestions>(&key).cloned();
            let mut session = known.unwrap_or_else(|| Suggestions::new(key));
            // A session that lost its claim must be told so first. It does not get a claim from another session's
            // renewal.
            let has_part = session.claims.iter().any(|(key, _)| *key == self.key);
            if !is_own && has_part && (is_held || left.as_ref() == Some(&session.key.id)) {
                continue;
            }
            if session.is_full() {
                let is_open = |work: &Work| work.status.is_open() && work.claim.is_some();
                session.claims.retain(|(key, _)| draft.get(key).is_some_and(is_open));
            }
            let noted = session.claim(self.key.clone(), at);
            if is_own {
                noted?;
            }
            draft.put(session);
        }
        Ok(())
    }

    /// Selects, in the first round, the rows of the other sessions that renew the claim, and then the items of sessions
    /// with too many claims.
    fn around_claim(&self, view: &View, to: &Claiming) -> Selection {
        let Some(id) = self.act.session.as_ref().filter(|_| view.looks <= 2) else {
            return Selection::new();
        };
        let sessions = to.renewing(view, id, self.act.at);
        let others = sessions[1..].iter().filter(|_| view.looks <= 1).cloned();
        let all = others.map(SuggestionFilter::Key).fold(Selection::new(), Selection::lock);
        let rows = sessions.iter().filter_map(|key| view.suggestions.get(key));
        let claimed = rows.filter(|row| row.is_full()).flat_map(|row| &row.claims);
        let unread = claimed.filter(|(key, _)| !view.work.contains_key(key));
        unread.fold(all, |all, (key, _)| all.peek(WorkFilter::Key(key.clone())))
    }

    /// Releases a claim. An agent cannot release another agent's active claim. A person, who acts without an
    /// agent, can release any.
    fn release(&self, draft: &mut Draft<'_>, mut work: Work) -> Result<(), Refusal> {
        let Some(claim) = work.claim.take() else {
            return Err(Conflict::NotClaimed { id: self.id() }.into());
        };
        let is_other = self.act.actor.as_ref().is_some_and(|actor| *actor != claim.agent);
        if is_other && claim.holds(self.act.at) {
            let Claim { agent, session, until, .. } = claim;
            return Err(Conflict::NotHolder { id: self.id(), agent, session, until }.into());
        }
        work.touch(self.act.at);
        self.tell_release(draft, work.status, &claim);
        draft.put(work);
        Ok(())
    }

    fn tell_release(&self, draft: &mut Draft<'_>, status: WorkStatus, claim: &Claim) {
        // An expired claim does not count: nobody was working on the item.
        let held = Some(claim).filter(|claim| claim.holds(self.act.at));
        let cause = self.ends(held).unwrap_or_else(|| "by_hand".into());
        self.tell(draft, Action::Released, Some(status), status, cause);
    }

    fn resolve(
        &self,
        draft: &mut Draft<'_>,
        mut work: Work,
        policy: &WorkPolicy,
    ) -> Result<(), Refusal> {
        let settled = work.flag(self.act.at, policy).zip(work.kind.resolved());
        let Some((flag, to)) = settled else {
            let status = work.status.as_str();
            return Err(Conflict::NotOverdue { id: self.id(), status }.into());
        };
        let held = work.held(self.act.at);
        let cause = self.ends(held).unwrap_or_else(|| flag.reason());
        if let Some(moved) = work.move_to(to, self.act.at)? {
            self.tell(draft, Action::Resolved, Some(moved.from), moved.to, cause);
        }
        draft.put(work);
        Ok(())
    }

    /// Returns the journal's cause if the act ends the claim of another agent or session, otherwise `None`.
    fn ends(&self, claim: Option<&Claim>) -> Option<String> {
        claim?.ended_by(self.act.actor.as_ref(), self.act.session.as_ref())
    }

    fn id(&self) -> WorkId {
        self.key.id.clone()
    }

    fn tell(
        &self,
        draft: &mut Draft<'_>,
        action: Action,
        from: Option<WorkStatus>,
        to: WorkStatus,
        cause: String,
    ) {
        let states = (from.map(WorkStatus::as_str), Some(to.as_str()));
        draft.append_journal(self.act.entry(Subject::work(&self.key), action, states, cause));
    }
}

impl Step for ActOnWork {
    fn selection(&self) -> Selection {
        let selection = Selection::new()
            .lock(WorkFilter::Key(self.key.clone()))
            .journal(JournalFilter::Op(self.act.op.clone()));
        match &self.deed {
            Deed::Add(work) if !work.after.is_empty() => around(&self.key, &work.after, selection),
            Deed::Set(patch) => {
                let selection = match patch.status {
                    Some(WorkStatus::Accepted) => {
                        let subject = Subject::work(&self.key);
                        selection.journal(JournalFilter::Subject { subject, limit: HISTORY })
                    }
                    _ => selection,
                };
                match &patch.after {
                    Some(after) => around(&self.key, after, selection),
                    None => selection,
                }
            }
            Deed::Reopen | Deed::Restore(_) => around(&self.key, &BTreeSet::new(), selection),
            Deed::Claim(to) => {
                let project = &to.project;
                let all = selection.peek(SessionFilter::Project(project.clone()));
                self.act.session.iter().cloned().fold(all, |all, id| {
                    all.lock(SuggestionFilter::Key(SessionKey { project: project.clone(), id }))
                })
            }
            _ => selection,
        }
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let work = || known(view, &self.key).cloned();
        if let Deed::Claim(to) = &self.deed {
            let more = self.around_claim(view, to);
            if more != Selection::new() {
                return Ok(Decision::Need(more));
            }
        }
        self.act.once(view, |draft| match &self.deed {
            Deed::Add(work) => self.add(draft, work),
            Deed::Set(patch) => self.set(draft, work()?, patch),
            Deed::Step(text) => self.step(draft, work()?, text),
            Deed::Reopen => self.reopen(draft, work()?),
            Deed::Claim(to) => self.claim(draft, work()?, to),
            Deed::Release => self.release(draft, work()?),
            Deed::Resolve(policy) => self.resolve(draft, work()?, policy),
            Deed::Restore(both) => self.restore(draft, &both.0, &both.1),
        })
    }
}

/// Adds the rows needed to find a cycle: all open work that may wait for the item, and the items for which it is to
/// wait.
fn around(key: &WorkKey, after: &BTreeSet<String>, mut selection: Selection) -> Selection {
    for scope in [Scope::Global, key.scope.clone()] {
        selection = selection.peek(WorkFilter::Open(scope.clone()));
        for id in after.iter().filter_map(|id| WorkId::new(id).ok()) {
            selection = selection.peek(WorkFilter::Key(WorkKey { scope: scope.clone(), id }));
        }
    }
    selection
}

/// Resolves an id among an item's dependencies. An item of the same scope takes precedence over a global one.
pub(in crate::registry) fn meant<'w>(
    get: impl Fn(&WorkKey) -> Option<&'w Work>,
    by: &WorkKey,
    id: &str,
) -> Option<&'w Work> {
    let id = WorkId::new(id).ok()?;
    let own = WorkKey { scope: by.scope.clone(), id: id.clone() };
    get(&own).or_else(|| get(&WorkKey { scope: Scope::Global, id }))
}

/// Checks that the items for which an item waits exist and are of kinds that can end.
fn ends(draft: &Draft<'_>, after: &BTreeSet<String>, by: &WorkKey) -> Result<(), Refusal> {
    for id in after {
        let unknown = || Refusal::Unknown { what: Work::NAME, id: id.clone() };
        let kind = meant(|key| draft.get(key), by, id).ok_or_else(unknown)?.kind;
        if kind.resolved().is_none() {
            return Err(Invalid::NeverEnds { id: id.clone(), kind: kind.as_str() }.into());
        }
    }
    Ok(())
}

/// Checks that no chain of open items makes an item wait for itself.
fn no_circle(draft: &Draft<'_>, key: &WorkKey) -> Result<(), Refusal> {
    let (mut next, mut seen) = (vec![key], BTreeSet::new());
    while let Some(by) = next.pop() {
        let after = draft.get::<Work>(by).map(|work| &work.after).into_iter().flatten();
        for other in after.filter_map(|id| meant(|key| draft.get(key), by, id)) {
            if other.key == *key {
                return Err(Conflict::WaitsForItself { id: key.id.clone() }.into());
            }
            if other.status.is_open() && seen.insert(&other.key) {
                next.push(&other.key);
            }
        }
    }
    Ok(())
}

/// Records activity on a work item. The time only moves forward, so repeating a touch has no further effect. The
/// journal does not record it, as with other counters.
pub(super) fn touch(key: WorkKey, at: Timestamp) -> impl Step {
    Edit::new(at, Selection::new().lock(WorkFilter::Key(key.clone())), move |draft| {
        let mut work = known(draft.view(), &key)?.clone();
        work.touch(at);
        draft.put(work);
        Ok(())
    })
}

fn known<'v>(view: &'v View, key: &WorkKey) -> Result<&'v Work, Refusal> {
    view.work.get(key).ok_or_else(|| unknown(&key.id))
}
