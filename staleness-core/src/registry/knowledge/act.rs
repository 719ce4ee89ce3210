//! Acts on items: who acts, when and why, and the resulting journal entries.

use std::collections::BTreeMap;

use super::unknown;
use crate::ids::{AgentId, ItemKey, OpId, SessionId};
use crate::journal::{Action, JournalEntry, Subject};
use crate::knowledge::{Item, ItemKind, check_reason};
use crate::store::{Decision, Draft, Edit, JournalFilter, Refusal, Selection, Step, View};
use crate::time::Timestamp;

/// The data of an item in a file, from which the item's row is created. The row holds only counters, the verification
/// and statements about the item. The file holds the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileItem {
    /// The path of the file, in the form of [`Item::path`].
    pub path: String,
    /// The kind stated in the file.
    pub kind: ItemKind,
    /// The time at which the item was written, if known.
    pub added_at: Timestamp,
    /// The time at which the item was last edited, if known.
    pub updated_at: Timestamp,
    /// The number of recalls given in the file. The row continues from there.
    pub recalls: u64,
    /// The time at which the item was last recalled, according to the file.
    pub recalled_at: Option<Timestamp>,
}

impl FileItem {
    /// Returns the data of an item. `None` if the item is not in a file.
    pub fn of(item: &Item) -> Option<Self> {
        Some(Self {
            path: item.path.clone()?,
            kind: item.kind,
            added_at: item.added_at,
            updated_at: item.updated_at,
            recalls: item.recalls,
            recalled_at: item.recalled_at,
        })
    }

    /// Creates the item's row, before any act on the item.
    pub(in crate::registry) fn row(&self, key: &ItemKey) -> Item {
        Item {
            path: Some(self.path.clone()),
            updated_at: self.updated_at,
            recalls: self.recalls,
            recalled_at: self.recalled_at,
            ..Item::new(key.clone(), self.kind, "", self.added_at)
        }
    }
}

/// An act on items: who acts, when and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// The id of the act. Repeating it has no further effect.
    pub op: OpId,
    /// The time of the act.
    pub at: Timestamp,
    /// The reason for the act.
    pub note: Option<String>,
    /// The session in which the act happens.
    pub session: Option<SessionId>,
    /// The agent that acts.
    pub actor: Option<AgentId>,
    /// The affected items that are in files. Missing rows are created for them.
    pub files: BTreeMap<ItemKey, FileItem>,
}

impl Act {
    /// Creates an act without a reason, on items that are not in files.
    pub const fn new(op: OpId, at: Timestamp) -> Self {
        Self { op, at, note: None, session: None, actor: None, files: BTreeMap::new() }
    }

    pub(in crate::registry) fn was_done(&self, view: &View) -> bool {
        view.journal.values().any(|entry| entry.op.as_ref() == Some(&self.op))
    }

    pub(in crate::registry) fn check(&self) -> Result<(), Refusal> {
        self.note.as_deref().map_or(Ok(()), check_reason)
    }

    /// Applies `act` to a draft unless it was already applied.
    pub(in crate::registry) fn once<'v>(
        &self,
        view: &'v View,
        act: impl FnOnce(&mut Draft<'v>) -> Result<(), Refusal>,
    ) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        if !self.was_done(view) {
            self.check()?;
            act(&mut draft)?;
        }
        Ok(Decision::Write(draft.finish()))
    }

    /// Returns a step that applies `edit` to a selection unless the act was already applied.
    pub(in crate::registry) fn step<F>(self, selection: Selection, edit: F) -> impl Step
    where
        F: Fn(&mut Draft<'_>, &Self) -> Result<(), Refusal> + Send + Sync + 'static,
    {
        let (at, selection) = (self.at, selection.journal(JournalFilter::Op(self.op.clone())));
        let once = move |draft: &mut Draft<'_>| {
            if self.was_done(draft.view()) {
                return Ok(());
            }
            self.check()?;
            edit(draft, &self)
        };
        Edit::new(at, selection, once).durable()
    }

    /// Creates the item's row in the draft if there is none, and updates it from the item's file.
    pub(super) fn row(&self, draft: &mut Draft<'_>, key: &ItemKey) -> Result<(), Refusal> {
        match (draft.get::<Item>(key), self.files.get(key)) {
            (Some(_), None) => {}
            (Some(row), Some(file)) if is_filed(row) => {
                draft.edit::<Item, _>(key, |row| {
                    row.path = Some(file.path.clone());
                    row.kind = file.kind;
                    row.recalls_since_edit = row.recalls_since(file.updated_at);
                    row.updated_at = row.updated_at.max(file.updated_at);
                    row.recalls = row.recalls.max(file.recalls);
                    row.recalled_at = row.recalled_at.max(file.recalled_at);
                });
            }
            // An item in the store that happens to have the same id.
            (Some(_), Some(_)) => {}
            (None, Some(file)) => draft.put(file.row(key)),
            (None, None) => return Err(unknown(&key.id)),
        }
        Ok(())
    }

    pub(in crate::registry) fn entry(
        &self,
        subject: Subject,
        action: Action,
        states: (Option<&str>, Option<&str>),
        cause: impl Into<String>,
    ) -> JournalEntry {
        JournalEntry {
            from: states.0.map(Into::into),
            to: states.1.map(Into::into),
            note: self.note.clone(),
            session: self.session.clone(),
            actor: self.actor.clone(),
            op: Some(self.op.clone()),
            ..JournalEntry::new(self.at, subject, action, cause)
        }
    }

    /// Appends a journal entry about an item, from the state `from` to its state in the draft.
    pub(in crate::registry) fn tell(
        &self,
        draft: &mut Draft<'_>,
        key: &ItemKey,
        action: Action,
        from: Option<&'static str>,
        cause: impl Into<String>,
    ) {
        let to = draft.get::<Item>(key).map(state);
        draft.append_journal(self.entry(Subject::item(key), action, (from, to), cause));
    }
}

pub(super) fn lock<'k>(keys: impl IntoIterator<Item = &'k ItemKey>) -> Selection {
    Selection::new().lock_keys::<Item>(keys.into_iter().cloned())
}

pub(super) const fn is_filed(item: &Item) -> bool {
    item.path.is_some()
}

/// Returns the state of an item, as one word for the journal.
pub(in crate::registry) fn state(item: &Item) -> &'static str {
    item.state().as_str()
}

pub(super) fn touch(item: &mut Item, at: Timestamp) {
    item.updated_at = at.max(item.updated_at);
    item.recalls_since_edit = 0;
}
