//! Recording of suggestions made in a session.

use crate::registry::{RegistryError, Sessions};
use crate::route::{Prompted, Suggestions};
use crate::session::SessionKey;
use crate::store::{Decision, Draft, Durability, Refusal, Selection, Step, SuggestionFilter, View};
use crate::time::Timestamp;

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

    /// Forgets the suggestions of a session that has ended. Its claims stay, because it may go on before they end.
    pub async fn forget_suggestions(
        self,
        key: SessionKey,
        at: Timestamp,
    ) -> Result<(), RegistryError> {
        let known = Selection::new().peek(SuggestionFilter::Key(key.clone()));
        if self.0.ask(known).await?.suggestions.is_empty() {
            return Ok(());
        }
        self.0.run(ForgetSuggestions { key, at }).await.map(drop)
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
    at: Timestamp,
}

impl Step for ForgetSuggestions {
    fn selection(&self) -> Selection {
        Selection::new().lock(SuggestionFilter::Key(self.key.clone()))
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
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
