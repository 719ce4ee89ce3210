//! Noting what was suggested in a session.

use crate::registry::Registry;
use crate::route::{Prompted, Suggestions};
use crate::session::SessionKey;
use crate::store::{
    Decision, Draft, Durability, Refusal, Selection, Step, StoreError, SuggestionFilter, View,
};
use crate::time::Timestamp;

impl Registry {
    /// Notes a prompt and what was suggested for it, so that the outcomes that follow say what it was
    /// worth. The caller has bounded and redacted its text: see [`crate::route::prompt_text`].
    ///
    /// # Errors
    /// What the store reports.
    pub async fn note_prompt(&self, key: SessionKey, prompted: Prompted) -> Result<(), StoreError> {
        self.run(NotePrompt { key, prompted }).await.map(drop)
    }

    /// Forgets what was suggested in a session: it has ended.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn forget_suggestions(
        &self,
        key: SessionKey,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let known = Selection::new().peek_suggestions(SuggestionFilter::Key(key.clone()));
        if self.ask(known).await?.suggestions.is_empty() {
            return Ok(());
        }
        self.run(ForgetSuggestions { key, at }).await.map(drop)
    }
}

#[derive(Debug)]
struct NotePrompt {
    key: SessionKey,
    prompted: Prompted,
}

impl Step for NotePrompt {
    fn selection(&self) -> Selection {
        Selection::new().lock_suggestions(SuggestionFilter::Key(self.key.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.prompted.at);
        let known = view.suggestions.get(&self.key).cloned();
        let mut suggestions = known.unwrap_or_else(|| Suggestions::new(self.key.clone()));
        // Said before: the acknowledgement was lost.
        let same =
            |known: &Prompted| (known.at, &known.query) == (self.prompted.at, &self.prompted.query);
        if !suggestions.prompts.last().is_some_and(same) {
            suggestions.note(self.prompted.clone());
            draft.put_suggestions(suggestions);
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
        Selection::new().lock_suggestions(SuggestionFilter::Key(self.key.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        draft.delete_suggestions(&self.key);
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
