//! Calls of clients that do not report failures. A call still open at the end of its turn has failed, or its outcome is
//! unknown.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::record::RecordUses;
use super::used::Use;
use super::{RegistryError, Sessions};
use crate::ids::{ClientId, OpId, SessionId, ToolName};
use crate::outcome::OutcomeKind;
use crate::route::Suggestions;
use crate::scan::ProjectRef;
use crate::session::{OpenCall, SessionKey};
use crate::store::{Edit, Selection, SuggestionFilter};
use crate::time::Timestamp;

/// The end of a turn or of a session, which ends all of its open calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEnd {
    /// The project of the session.
    pub project: ProjectRef,
    /// The session whose turn ended.
    pub session: SessionId,
    /// The turn. Calls of other turns stay open. `None` if the session ended, which ends the calls of all its turns.
    pub turn: Option<OpId>,
    /// The client that reported it.
    pub client: Option<ClientId>,
    /// True if the user stopped the turn: its open calls were interrupted and did not fail.
    pub interrupted: bool,
    /// The time at which the turn ended.
    pub at: Timestamp,
}

impl Sessions<'_> {
    /// Records that a call has begun. Recording a use with the same op id closes it. May be repeated.
    pub async fn begin_call(self, key: SessionKey, call: OpenCall) -> Result<(), RegistryError> {
        let all = Selection::new().lock(SuggestionFilter::Key(key.clone()));
        let begin = Edit::new(call.at, all, move |draft| {
            let known = draft.get::<Suggestions>(&key).cloned();
            let mut session = known.unwrap_or_else(|| Suggestions::new(key.clone()));
            session.begin(call.clone());
            draft.put(session);
            Ok(())
        });
        self.0.run(begin).await.map(drop)
    }

    /// Records that the open calls of a tool in a turn may await a person's permission. Without permission a call
    /// never runs, so a missing end is not a failure. May be repeated.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn ask_permission(
        self,
        key: SessionKey,
        tool: ToolName,
        turn: OpId,
        at: Timestamp,
    ) -> Result<(), RegistryError> {
        let all = Selection::new().lock(SuggestionFilter::Key(key.clone()));
        let note = Edit::new(at, all, move |draft| {
            draft.edit::<Suggestions, _>(&key, |session| {
                for call in &mut session.calls {
                    call.needs_permission |= call.tool == tool && call.turn.as_ref() == Some(&turn);
                }
            });
            Ok(())
        });
        self.0.run(note).await.map(drop)
    }

    /// Closes the open calls of a turn and records each: as interrupted if the user stopped the turn, as unknown if a
    /// person was asked for permission or the session ended, otherwise as a failure. Returns their number. May be
    /// repeated.
    pub async fn end_turn(self, end: TurnEnd) -> Result<usize, RegistryError> {
        let key = SessionKey { project: end.project.id.clone(), id: end.session.clone() };
        let Some(known) = self.suggestions(&key).await? else { return Ok(0) };
        let is_unsure = |call: &OpenCall| call.needs_permission || end.turn.is_none();
        let kind = |call: &OpenCall| match (end.interrupted, is_unsure(call)) {
            (true, _) => OutcomeKind::Interrupted,
            (false, true) => OutcomeKind::Unknown,
            (false, false) => OutcomeKind::Failure,
        };
        let is_over = |call: &OpenCall| end.turn.is_none() || call.turn == end.turn;
        let calls = known.calls.into_iter().filter(is_over);
        let uses: Vec<Use> = calls
            .map(|call| Use {
                session: Some(end.session.clone()),
                client: end.client.clone(),
                ..Use::new(
                    call.op.clone(),
                    call.tool.clone(),
                    kind(&call),
                    end.at,
                    end.project.clone(),
                )
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
