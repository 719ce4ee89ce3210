//! Recording of suggestions made in a session.

use crate::ids::WorkKey;
use crate::registry::{RegistryError, Sessions};
use crate::route::{Prompted, Suggestions};
use crate::session::SessionKey;
use crate::store::{Decision, Draft, Durability, Refusal, Selection, Step, SuggestionFilter, View};
use crate::time::Timestamp;
use crate::work::Work;

impl Sessions<'_> {
    /// Records a prompt and the suggestions made for it, so that later outcomes can show their value. The
    /// caller must truncate and redact the text: see [`Prompted::text`].
    pub async fn note_prompt(
        self,
        key: SessionKey,
        prompted: Prompted,
    ) -> Result<(), RegistryError> {
        self.0.run(NotePrompt { key, prompted, asked: false }).await.map(drop)
    }

    /// Records suggestions that were asked for, like [`Sessions::note_prompt`]. They start the session's
    /// cool-down but do not count towards the limit on unsolicited suggestions.
    pub async fn note_suggested(
        self,
        key: SessionKey,
        prompted: Prompted,
    ) -> Result<(), RegistryError> {
        self.0.run(NotePrompt { key, prompted, asked: true }).await.map(drop)
    }

    /// Forgets the suggestions of a session that has ended, and ends its claims. If the session goes on, it renews those
    /// that nobody took over.
    pub async fn forget_suggestions(
        self,
        key: SessionKey,
        at: Timestamp,
    ) -> Result<(), RegistryError> {
        let Some(known) = self.suggestions(&key).await? else { return Ok(()) };
        let work = known.claims.into_iter().map(|(work, _)| work).collect();
        self.0.run(ForgetSuggestions { key, work, at }).await.map(drop)
    }
}

#[derive(Debug)]
struct NotePrompt {
    key: SessionKey,
    prompted: Prompted,
    asked: bool,
}

impl Step for NotePrompt {
    fn selection(&self) -> Selection {
        Selection::new().lock(SuggestionFilter::Key(self.key.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.prompted.at);
        let known = view.suggestions.get(&self.key).cloned();
        let mut suggestions = known.unwrap_or_else(|| Suggestions::new(self.key.clone()));
        // A retry after a lost acknowledgement.
        let Prompted { at, query, tools, .. } = &self.prompted;
        let tools = &tools[..tools.len().min(Suggestions::MAX_SUGGESTED)];
        let same =
            |known: &Prompted| (&known.at, &known.query, &*known.tools) == (at, query, tools);
        if !suggestions.prompts.last().is_some_and(same) {
            if self.asked {
                suggestions.note_asked(self.prompted.clone());
            } else {
                suggestions.note(self.prompted.clone());
            }
            draft.put(suggestions);
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

#[derive(Debug)]
struct ForgetSuggestions {
    key: SessionKey,
    work: Vec<WorkKey>,
    at: Timestamp,
}

impl Step for ForgetSuggestions {
    fn selection(&self) -> Selection {
        Selection::new()
            .lock(SuggestionFilter::Key(self.key.clone()))
            .lock_keys::<Work>(self.work.iter().cloned())
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        match view.suggestions.get(&self.key) {
            Some(known) if !known.claims.is_empty() => {
                let claims = known.claims.clone();
                draft.put(Suggestions { claims, ..Suggestions::new(self.key.clone()) });
            }
            _ => draft.delete::<Suggestions>(&self.key),
        }
        for work in view.work.values() {
            let mut work = work.clone();
            let own = work.claim.as_mut().filter(|own| own.session.as_ref() == Some(&self.key.id));
            if own.is_some_and(|claim| claim.end(self.at)) {
                draft.put(work);
            }
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
