//! Renews claims after events of the sessions that made them.

use std::cmp::Reverse;

use super::act::HISTORY;
use crate::ids::{AgentId, SessionId, WorkKey};
use crate::journal::{Action, JournalEntry, Subject};
use crate::registry::{Registry, RegistryError, Sessions};
use crate::route::Suggestions;
use crate::session::SessionKey;
use crate::store::{
    Decision, Draft, Durability, Edit, JournalFilter, Refusal, Selection, SessionFilter, Step,
    SuggestionFilter, View,
};
use crate::time::Timestamp;
use crate::work::{ClaimEnd, LostClaim, Work};

impl Sessions<'_> {
    /// Renews the claims of a session after an event of the session at `at`. Also renews a claim that has expired,
    /// unless another agent or session has taken the item. Returns the items that others took, released or ended, until
    /// [`Sessions::forget_lost_claims`] is called. May be repeated.
    pub async fn renew_claims(
        self,
        key: &SessionKey,
        at: Timestamp,
    ) -> Result<Vec<LostClaim>, RegistryError> {
        let known = self.suggestions(key).await?;
        self.0.renew_claims(known.iter(), at).await
    }

    /// Transfers claims to a new session from the agent's last [cleared](Self::clear) session that had any: a cleared
    /// context continues under a new id. The new session must be unknown before `at`, and begin at most a minute after
    /// the other one ended. May be repeated.
    pub async fn inherit_claims(
        self,
        agent: &AgentId,
        key: &SessionKey,
        at: Timestamp,
    ) -> Result<(), RegistryError> {
        let mut sessions = self.list(&key.project).await?;
        if sessions.iter().any(|each| each.key == *key && each.started_at < at) {
            return Ok(());
        }
        let is_near = |ended: Timestamp| (0..=Timestamp::MINUTE).contains(&at.millis_since(ended));
        sessions.retain(|each| {
            each.key != *key && each.agent == *agent && each.ended_at.is_some_and(is_near)
        });
        sessions.sort_by_key(|each| Reverse(each.ended_at));
        for left in sessions {
            let Some(known) = self.suggestions(&left.key).await? else { continue };
            if !self.0.run(inherit(known, key, agent, at)).await?.changes.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Forgets the lost claims of a session on the items in `told`. Must be called after the losses were reported to
    /// the agent.
    pub async fn forget_lost_claims(
        self,
        key: &SessionKey,
        told: Vec<WorkKey>,
        at: Timestamp,
    ) -> Result<(), RegistryError> {
        let Some(known) = self.suggestions(key).await? else { return Ok(()) };
        self.0.run(renew(&known, told, at)).await.map(drop)
    }
}

impl Registry {
    /// Renews the claims of sessions, given the sessions' rows. Does not read the store if there are no claims.
    pub(in crate::registry) async fn renew_claims(
        &self,
        sessions: impl Iterator<Item = &Suggestions>,
        at: Timestamp,
    ) -> Result<Vec<LostClaim>, RegistryError> {
        let mut lost = Vec::new();
        for session in sessions.filter(|session| !session.claims.is_empty()) {
            let view = self.run(renew(session, Vec::new(), at)).await?.view;
            lost.extend(session.claims.iter().filter_map(|(key, noted)| {
                let work = view.work.get(key)?;
                match holder(&view, &session.key, *noted, work) {
                    Holder::Another(end) => Some(LostClaim { work: work.clone(), end }),
                    _ => None,
                }
            }));
        }
        Ok(lost)
    }
}

/// Transfers the claims in the row of an ended session to the session `heir` of the same agent.
fn inherit(
    known: Suggestions,
    heir: &SessionKey,
    agent: &AgentId,
    at: Timestamp,
) -> impl Step + use<> {
    let (heir, agent) = (heir.clone(), agent.clone());
    let all = Selection::new().lock(SuggestionFilter::Key(heir.clone()));
    let all = all.lock_keys::<Work>(known.claims.iter().map(|(work, _)| work.clone()));
    Edit::new(at, all, move |draft| {
        let row = draft.get::<Suggestions>(&heir).cloned();
        let mut row = row.unwrap_or_else(|| Suggestions::new(heir.clone()));
        for (key, noted) in &known.claims {
            let work = draft.get(key).filter(|it: &&Work| it.status.is_open());
            let Some(mut work) = work.cloned() else { continue };
            let claim = work.claim.as_mut().filter(|it| it.agent == agent && it.holds(at));
            let Some(claim) = claim else { continue };
            let is_beside = claim.session.as_ref().is_some_and(SessionId::is_unreported);
            let is_own = claim.session.as_ref() == Some(&known.key.id);
            let is_noted = (is_own || is_beside) && row.claim(key.clone(), *noted).is_ok();
            if is_noted && is_own {
                claim.session = Some(heir.id.clone());
                claim.renew(at);
                draft.put(work);
            }
        }
        if !row.claims.is_empty() {
            draft.put(row);
        }
        Ok(())
    })
}

/// The holder of an item that a session has claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Holder {
    Own,
    /// The session's agent, in a session that no hook reports: a connection, or a command.
    Unreported,
    /// Another agent or session. The value is set if this one ended the claim and the item is now free or ended.
    Another(Option<ClaimEnd>),
    /// No holder: the item is free, and no one else ended the session's claim.
    Nobody,
}

/// Returns the holder of the item `work`, which the session `key` claimed or renewed at `noted`.
fn holder(view: &View, key: &SessionKey, noted: Timestamp, work: &Work) -> Holder {
    let is_of_it = |entry: &&JournalEntry| entry.subject.work_key().as_ref() == Some(&work.key);
    let is_agents = |agent: &AgentId| view.sessions.get(key).is_some_and(|own| own.agent == *agent);
    let Some(claim) = work.claim.as_ref().filter(|_| work.status.is_open()) else {
        let entries = view.journal.values().rev().filter(is_of_it);
        let entries = entries.filter(|entry| entry.session.as_ref() != Some(&key.id));
        // The same agent may also have ended the claim in a session that no hook reports.
        let is_own = |agent: &AgentId, session: Option<SessionId>| {
            session.is_some_and(|id| id == key.id || id.is_unreported() && is_agents(agent))
        };
        let mut ends = entries.filter_map(|entry| ClaimEnd::of(entry, is_own));
        let end = ends.find(|end| end.at >= noted);
        return end.map_or(Holder::Nobody, |end| Holder::Another(Some(end)));
    };
    // A claim without a journal entry is a renewal.
    let is_later = |entry: &JournalEntry| {
        entry.action == Action::Claimed && entry.at > noted && is_of_it(&entry)
    };
    match &claim.session {
        Some(id) if *id == key.id => Holder::Own,
        Some(id)
            if id.is_unreported()
                && is_agents(&claim.agent)
                && !view.journal.values().any(is_later) =>
        {
            Holder::Unreported
        }
        _ => Holder::Another(None),
    }
}

/// Renews the claims of a session and forgets the lost claims that are in `told`. The journal does not record renewals.
fn renew(session: &Suggestions, told: Vec<WorkKey>, at: Timestamp) -> Renew {
    let keys = session.claims.iter().map(|(key, _)| key.clone()).collect();
    Renew { key: session.key.clone(), keys, told, at }
}

#[derive(Debug)]
struct Renew {
    key: SessionKey,
    keys: Vec<WorkKey>,
    told: Vec<WorkKey>,
    at: Timestamp,
}

impl Step for Renew {
    fn selection(&self) -> Selection {
        let all = Selection::new().lock(SuggestionFilter::Key(self.key.clone()));
        all.lock_keys::<Work>(self.keys.iter().cloned())
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        // The journal tells who made an unclear claim, or who ended it.
        let is_unclear = |work: &&Work| match work.claim.as_ref() {
            Some(claim) => claim.session.as_ref().is_some_and(SessionId::is_unreported),
            None => true,
        };
        let mut others = view.work.values().filter(is_unclear).peekable();
        if view.looks <= 1 && others.peek().is_some() {
            let own = Selection::new().peek(SessionFilter::Key(self.key.clone()));
            return Ok(Decision::Need(others.fold(own, |all, work| {
                let subject = Subject::work(&work.key);
                all.journal(JournalFilter::Subject { subject, limit: HISTORY })
            })));
        }
        let mut draft = Draft::new(view, self.at);
        if let Some(mut session) = view.suggestions.get(&self.key).cloned() {
            session.claims.retain(|(claimed, noted)| match view.work.get(claimed) {
                Some(work) => self.keeps(&mut draft, work, *noted),
                None => !self.keys.contains(claimed),
            });
            draft.put(session);
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

impl Renew {
    /// Renews the claim on an item. Returns true if the session still has a claim on it.
    fn keeps(&self, draft: &mut Draft<'_>, work: &Work, noted: Timestamp) -> bool {
        let holder = holder(draft.view(), &self.key, noted, work);
        let mut work = work.clone();
        let Some(claim) = &mut work.claim else {
            return holder != Holder::Nobody && !self.told.contains(&work.key);
        };
        let renews = match holder {
            Holder::Own => true,
            // The end of an unreported session is unknown, so only a claim that still holds is renewed.
            Holder::Unreported => claim.holds(self.at),
            Holder::Another(_) => return !self.told.contains(&work.key),
            Holder::Nobody => return false,
        };
        if renews && claim.renew(self.at) {
            draft.put(work);
        }
        renews
    }
}
