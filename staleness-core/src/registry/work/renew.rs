//! Renewal of claims by the events of the sessions that made them.

use crate::ids::WorkKey;
use crate::registry::{Registry, RegistryError, Sessions};
use crate::route::Suggestions;
use crate::session::SessionKey;
use crate::store::{Decision, Draft, Durability, Refusal, Selection, Step, SuggestionFilter, View};
use crate::time::Timestamp;
use crate::work::Work;

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
        self.0.run(RenewClaims { told, ..RenewClaims::of(&known, at) }).await.map(drop)
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
            let commit = self.run(RenewClaims::of(session, at)).await?;
            let id = Some(&session.key.id);
            let is_lost = |work: &Work| {
                let claim = work.claim.as_ref().filter(|_| work.status.is_open());
                claim.is_some_and(|claim| claim.session.as_ref() != id)
            };
            lost.extend(commit.view.work.into_values().filter(is_lost));
        }
        Ok(lost)
    }
}

/// Renews the claims of a session. Like counters, renewals are not recorded in the journal.
#[derive(Debug)]
struct RenewClaims {
    key: SessionKey,
    work: Vec<WorkKey>,
    /// The items of which the agent was told that others have taken them over.
    told: Vec<WorkKey>,
    at: Timestamp,
}

impl RenewClaims {
    fn of(session: &Suggestions, at: Timestamp) -> Self {
        let work = session.claims.iter().map(|(key, _)| key.clone()).collect();
        Self { key: session.key.clone(), work, told: Vec::new(), at }
    }
}

impl Step for RenewClaims {
    fn selection(&self) -> Selection {
        Selection::new()
            .lock(SuggestionFilter::Key(self.key.clone()))
            .lock_keys::<Work>(self.work.iter().cloned())
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        let Some(mut session) = view.suggestions.get(&self.key).cloned() else {
            return Ok(Decision::Write(draft.finish()));
        };
        session.claims.retain(|(key, _)| {
            let Some(work) = view.work.get(key) else { return !self.work.contains(key) };
            let mut work = work.clone();
            let is_open = work.status.is_open();
            match &mut work.claim {
                Some(claim) if claim.session.as_ref() == Some(&self.key.id) => {
                    if claim.renew(self.at) {
                        draft.put(work);
                    }
                    true
                }
                Some(_) => is_open && !self.told.contains(key),
                None => false,
            }
        });
        if view.suggestions.get(&self.key) != Some(&session) {
            draft.put(session);
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
