//! Renewal of claims by the events of the sessions that made them.

use crate::ids::WorkKey;
use crate::registry::{Registry, RegistryError, Sessions};
use crate::route::Suggestions;
use crate::session::SessionKey;
use crate::store::{Edit, Selection, Step, SuggestionFilter};
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
            let commit = self.run(renew(session, Vec::new(), at)).await?;
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

/// Renews the claims of a session. Like counters, renewals are not recorded in the journal. Forgets those on items that
/// others have taken over, if they are among `told`.
fn renew(session: &Suggestions, told: Vec<WorkKey>, at: Timestamp) -> impl Step + use<> {
    let key = session.key.clone();
    let keys: Vec<WorkKey> = session.claims.iter().map(|(key, _)| key.clone()).collect();
    let all = Selection::new().lock(SuggestionFilter::Key(key.clone()));
    Edit::new(at, all.lock_keys::<Work>(keys.iter().cloned()), move |draft| {
        let view = draft.view();
        let Some(mut session) = view.suggestions.get(&key).cloned() else { return Ok(()) };
        session.claims.retain(|(claimed, _)| {
            let Some(work) = view.work.get(claimed) else { return !keys.contains(claimed) };
            let mut work = work.clone();
            let is_open = work.status.is_open();
            match &mut work.claim {
                Some(claim) if claim.session.as_ref() == Some(&key.id) => {
                    if claim.renew(at) {
                        draft.put(work);
                    }
                    true
                }
                Some(_) => is_open && !told.contains(claimed),
                None => false,
            }
        });
        draft.put(session);
        Ok(())
    })
}
