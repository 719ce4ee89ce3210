//! Calls whose end a client does not report: they begin, and have failed when their turn is over.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::record::RecordUses;
use super::used::Use;
use super::{RegistryError, Sessions};
use crate::ids::{ClientId, OpId, SessionId};
use crate::outcome::OutcomeKind;
use crate::route::Suggestions;
use crate::scan::ProjectRef;
use crate::session::{OpenCall, SessionKey};
use crate::store::{Decision, Draft, Durability, Refusal, Selection, Step, SuggestionFilter, View};
use crate::time::Timestamp;

/// The end of a turn: every call of it has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEnd {
    /// The project.
    pub project: ProjectRef,
    /// The session.
    pub session: SessionId,
    /// The turn; calls of others go on.
    pub turn: OpId,
    /// The client that reported it.
    pub client: Option<ClientId>,
    /// A person stopped it: what was open was stopped too, and did not fail.
    pub interrupted: bool,
    /// When it ended.
    pub at: Timestamp,
}

impl Sessions<'_> {
    /// Notes that a call has begun. Recording a use with its op id ends it. May be repeated.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn begin_call(self, key: SessionKey, call: OpenCall) -> Result<(), RegistryError> {
        self.0.run(BeginCall { key, call }).await.map(drop)
    }

    /// Records what became of the calls of a turn whose end nobody reported: they failed, or were interrupted
    /// with it. Returns how many there were. May be repeated.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn end_turn(self, end: TurnEnd) -> Result<usize, RegistryError> {
        let key = SessionKey { project: end.project.id.clone(), id: end.session.clone() };
        let Some(known) = self.suggestions(&key).await? else { return Ok(0) };
        let kind = if end.interrupted { OutcomeKind::Interrupted } else { OutcomeKind::Failure };
        let calls = known.calls.into_iter().filter(|call| call.turn.as_ref() == Some(&end.turn));
        let uses: Vec<Use> = calls
            .map(|call| Use {
                session: Some(end.session.clone()),
                client: end.client.clone(),
                ..Use::new(call.op, call.tool, kind, end.at, end.project.clone())
            })
            .collect();
        let count = uses.len();
        if count > 0 {
            let step = RecordUses { uses, policy: Arc::clone(&self.0.policy) };
            let commit = self.0.run(step).await?;
            self.0.trim_routes(&commit, end.at).await?;
        }
        Ok(count)
    }
}

#[derive(Debug)]
struct BeginCall {
    key: SessionKey,
    call: OpenCall,
}

impl Step for BeginCall {
    fn selection(&self) -> Selection {
        Selection::new().lock(SuggestionFilter::Key(self.key.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.call.at);
        let known = view.suggestions.get(&self.key).cloned();
        let mut session = known.unwrap_or_else(|| Suggestions::new(self.key.clone()));
        session.begin(self.call.clone());
        draft.put(session);
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
