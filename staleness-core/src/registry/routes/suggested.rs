//! Recording of suggestions made in a session.

use crate::ids::WorkKey;
use crate::journal::{Action, JournalEntry, Subject};
use crate::registry::{RegistryError, Sessions};
use crate::route::{Prompted, Suggestions};
use crate::session::SessionKey;
use crate::store::{Edit, Selection, Step, SuggestionFilter};
use crate::time::Timestamp;
use crate::work::Work;

impl Sessions<'_> {
    /// Records a prompt and the suggestions made for it, so that later outcomes can show whether they were useful. The
    /// caller must truncate and redact the text: see [`Prompted::text`].
    pub async fn note_prompt(
        self,
        key: SessionKey,
        prompted: Prompted,
    ) -> Result<(), RegistryError> {
        self.0.run(note(key, prompted, false)).await.map(drop)
    }

    /// Records suggestions that the agent requested, like [`Sessions::note_prompt`]. They start the session's cool-down
    /// but do not count towards the limit on unsolicited suggestions.
    pub async fn note_suggested(
        self,
        key: SessionKey,
        prompted: Prompted,
    ) -> Result<(), RegistryError> {
        self.0.run(note(key, prompted, true)).await.map(drop)
    }

    /// Forgets the suggestions of a session that has ended, and ends its claims. If the session continues, it renews
    /// those claims that no other agent has taken.
    pub async fn forget_suggestions(
        self,
        key: SessionKey,
        at: Timestamp,
    ) -> Result<(), RegistryError> {
        self.leave(key, at, false).await
    }

    /// Forgets the suggestions of a session, and ends its claims. If another session continues the work (`goes_on`),
    /// the claims remain for another minute.
    pub(in crate::registry) async fn leave(
        self,
        key: SessionKey,
        at: Timestamp,
        goes_on: bool,
    ) -> Result<(), RegistryError> {
        let Some(known) = self.suggestions(&key).await? else { return Ok(()) };
        let work: Vec<WorkKey> = known.claims.into_iter().map(|(work, _)| work).collect();
        let all = Selection::new().lock(SuggestionFilter::Key(key.clone()));
        let forget = Edit::new(at, all.lock_keys::<Work>(work), move |draft| {
            let view = draft.view();
            match view.suggestions.get(&key) {
                Some(known) if !known.claims.is_empty() => {
                    let claims = known.claims.clone();
                    draft.put(Suggestions { claims, ..Suggestions::new(key.clone()) });
                }
                _ => draft.delete::<Suggestions>(&key),
            }
            for mut work in view.work.values().cloned() {
                let own = work.claim.as_mut().filter(|own| own.session.as_ref() == Some(&key.id));
                let Some(own) = own else { continue };
                let is_changed = if goes_on {
                    own.renew(at) | own.end(at.plus_millis(Timestamp::MINUTE))
                } else {
                    own.end(at)
                };
                if is_changed && !goes_on {
                    let state = Some(work.status.as_str().to_owned());
                    let subject = Subject::work(&work.key);
                    draft.append_journal(JournalEntry {
                        from: state.clone(),
                        to: state,
                        session: Some(key.id.clone()),
                        actor: Some(own.agent.clone()),
                        ..JournalEntry::new(at, subject, Action::Released, "session_ended")
                    });
                }
                if is_changed {
                    draft.put(work);
                }
            }
            Ok(())
        });
        self.0.run(forget).await.map(drop)
    }
}

fn note(key: SessionKey, prompted: Prompted, asked: bool) -> impl Step {
    let all = Selection::new().lock(SuggestionFilter::Key(key.clone()));
    Edit::new(prompted.at, all, move |draft| {
        let known = draft.get::<Suggestions>(&key).cloned();
        let mut suggestions = known.unwrap_or_else(|| Suggestions::new(key.clone()));
        // A retry after a lost acknowledgement has no further effect.
        let Prompted { at, query, tools, .. } = &prompted;
        let tools = &tools[..tools.len().min(Suggestions::MAX_SUGGESTED)];
        let same =
            |known: &Prompted| (&known.at, &known.query, &*known.tools) == (at, query, tools);
        if !suggestions.prompts.last().is_some_and(same) {
            if asked {
                suggestions.note_asked(prompted.clone());
            } else {
                suggestions.note(prompted.clone());
            }
            draft.put(suggestions);
        }
        Ok(())
    })
}
