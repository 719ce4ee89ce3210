//! Renewal of claims by the events of the sessions that made them.

use std::collections::BTreeSet;

use crate::ids::{SessionId, WorkKey};
use crate::registry::{Registry, RegistryError, Sessions};
use crate::route::Suggestions;
use crate::session::SessionKey;
use crate::store::{
    Decision, Draft, Durability, Refusal, Selection, SessionFilter, Step, SuggestionFilter, View,
};
use crate::time::Timestamp;
use crate::work::{Claim, Work};

impl Sessions<'_> {
    /// Renews the claims of a session, because something happened in it at `at`. A claim that has ended is renewed too,
    /// unless another agent or session has taken the item over. Returns the items that were taken over, until
    /// [`Sessions::forget_lost_claims`]. May be repeated.
    pub async fn renew_claims(
        self,
        key: &SessionKey,
        at: Timestamp,
    ) -> Result<Vec<Work>, RegistryError> {
        let known = self.suggestions(key).await?;
        self.0.renew_claims(known.iter(), at).await
    }

    /// Forgets the claims of a session on those of these items that others have taken over. Call it after the agent was
    /// told of them.
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
    /// Renews the claims of sessions by their rows. Without a claim it asks nothing of the store.
    pub(in crate::registry) async fn renew_claims(
        &self,
        sessions: impl Iterator<Item = &Suggestions>,
        at: Timestamp,
    ) -> Result<Vec<Work>, RegistryError> {
        let mut lost = Vec::new();
        for session in sessions.filter(|session| !session.claims.is_empty()) {
            let view = self.run(renew(session, Vec::new(), at)).await?.view;
            let holds = |claim: &Claim| holder(&view, &session.key, claim) == Holder::Another;
            let is_lost = |work: &&Work| {
                let claim = work.claim.as_ref().filter(|_| work.status.is_open());
                claim.is_some_and(holds)
            };
            lost.extend(view.work.values().filter(is_lost).cloned());
        }
        Ok(lost)
    }
}

/// Who holds an item that a session has claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    /// The session.
    Own,
    /// Its agent, in a session that no hook reports: a connection, or a command.
    Unreported,
    /// Another agent or session.
    Another,
}

fn holder(view: &View, key: &SessionKey, claim: &Claim) -> Holder {
    let is_agents = || view.sessions.get(key).is_some_and(|own| own.agent == claim.agent);
    let of = |id: &SessionId| SessionKey { project: key.project.clone(), id: id.clone() };
    match &claim.session {
        Some(id) if *id == key.id => Holder::Own,
        Some(id) if is_agents() && !view.sessions.contains_key(&of(id)) => Holder::Unreported,
        _ => Holder::Another,
    }
}

/// Renews the claims of a session. Like counters, renewals are not recorded in the journal. Forgets those on items that
/// others have taken over, if they are among `told`.
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
        let claims = view.work.values().filter_map(|work| work.claim.as_ref());
        let others =
            claims.filter_map(|claim| claim.session.as_ref().filter(|id| **id != self.key.id));
        let others: BTreeSet<&SessionId> = others.collect();
        if view.looks <= 1 && !others.is_empty() {
            let named = others.into_iter().chain([&self.key.id]).map(|id| {
                SessionFilter::Key(SessionKey { project: self.key.project.clone(), id: id.clone() })
            });
            return Ok(Decision::Need(named.fold(Selection::new(), Selection::peek)));
        }
        let mut draft = Draft::new(view, self.at);
        if let Some(mut session) = view.suggestions.get(&self.key).cloned() {
            session.claims.retain(|(claimed, _)| match view.work.get(claimed) {
                Some(work) => self.keeps(&mut draft, work),
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
    /// Renews the claim on an item. Returns true if the session still has a part in it.
    fn keeps(&self, draft: &mut Draft<'_>, work: &Work) -> bool {
        let mut work = work.clone();
        let Some(claim) = &mut work.claim else { return false };
        let renews = match holder(draft.view(), &self.key, claim) {
            Holder::Own => true,
            // The end of that session is not reported, so it cannot be late.
            Holder::Unreported => claim.holds(self.at),
            Holder::Another => return work.status.is_open() && !self.told.contains(&work.key),
        };
        if renews && claim.renew(self.at) {
            draft.put(work);
        }
        renews
    }
}
