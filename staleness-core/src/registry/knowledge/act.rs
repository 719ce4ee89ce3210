//! Acts on items: who does it, when and why, and the entries that they leave in the journal.

use std::collections::BTreeMap;

use super::unknown;
use crate::ids::{AgentId, ItemKey, OpId, SessionId};
use crate::journal::{Action, JournalEntry, Subject};
use crate::knowledge::{Item, ItemKind, check_reason};
use crate::store::{Decision, Draft, JournalFilter, Refusal, Selection, View};
use crate::time::Timestamp;

/// The facts of an item that lives in a file, from which its row is made. The file is the truth;
/// the row holds the counters, the verification and what was said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileItem {
    /// The file, as in [`Item::path`].
    pub path: String,
    /// Its kind there.
    pub kind: ItemKind,
    /// When it was written, as far as that is known.
    pub added_at: Timestamp,
    /// When it was edited last, as far as that is known.
    pub updated_at: Timestamp,
    /// The number of recalls that the file states: the row counts on from there.
    pub recalls: u64,
    /// When it was recalled last, as the file says.
    pub recalled_at: Option<Timestamp>,
}

impl FileItem {
    /// Returns the facts of this item; `None` for one that lives in no file.
    #[must_use]
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

    /// The row of an item that nothing was done to yet.
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

/// An act on items: who does it, when and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// Identifies the act: doing it twice has the effect of doing it once.
    pub op: OpId,
    /// When.
    pub at: Timestamp,
    /// The reason given.
    pub note: Option<String>,
    /// The session.
    pub session: Option<SessionId>,
    /// The agent.
    pub actor: Option<AgentId>,
    /// Those of the items concerned that live in files: where they have no row yet, one is made.
    pub files: BTreeMap<ItemKey, FileItem>,
}

impl Act {
    /// An act without a reason, on items that the store holds.
    #[must_use]
    pub const fn new(op: OpId, at: Timestamp) -> Self {
        Self { op, at, note: None, session: None, actor: None, files: BTreeMap::new() }
    }

    /// The items to change, and what this act left behind when it was done before.
    pub(super) fn selection<'k>(&self, keys: impl IntoIterator<Item = &'k ItemKey>) -> Selection {
        lock(keys).journal(JournalFilter::Op(self.op.clone()))
    }

    pub(in crate::registry) fn was_done(&self, view: &View) -> bool {
        view.journal.values().any(|entry| entry.op.as_ref() == Some(&self.op))
    }

    pub(in crate::registry) fn check(&self) -> Result<(), Refusal> {
        self.note.as_deref().map_or(Ok(()), check_reason)
    }

    /// Writes what is done to a draft, unless it was done before.
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

    /// Makes sure that the draft holds the item's row, and that the row follows its file.
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
            // The store's own item of this id.
            (Some(_), Some(_)) => {}
            (None, Some(file)) => draft.put(file.row(key)),
            (None, None) => return Err(unknown(&key.id)),
        }
        Ok(())
    }

    /// Appends an entry about a subject of any kind.
    pub(in crate::registry) fn entry(
        &self,
        draft: &mut Draft<'_>,
        subject: Subject,
        action: Action,
        states: (Option<&str>, Option<&str>),
        cause: String,
    ) {
        draft.append_journal(JournalEntry {
            from: states.0.map(Into::into),
            to: states.1.map(Into::into),
            note: self.note.clone(),
            session: self.session.clone(),
            actor: self.actor.clone(),
            op: Some(self.op.clone()),
            ..JournalEntry::new(self.at, subject, action, cause)
        });
    }

    /// Appends an entry about an item, `from` its state before to the one in which the draft has it.
    pub(in crate::registry) fn tell(
        &self,
        draft: &mut Draft<'_>,
        key: &ItemKey,
        action: Action,
        from: Option<&'static str>,
        cause: impl Into<String>,
    ) {
        let to = draft.get::<Item>(key).map(state);
        self.entry(draft, Subject::item(key), action, (from, to), cause.into());
    }
}

/// A selection that locks these items.
pub(super) fn lock<'k>(keys: impl IntoIterator<Item = &'k ItemKey>) -> Selection {
    Selection::new().lock_keys::<Item>(keys.into_iter().cloned())
}

/// Returns true if the item's text lives in a file.
pub(super) const fn is_filed(item: &Item) -> bool {
    item.path.is_some()
}

/// Returns the state of an item, in one word for the journal.
pub(in crate::registry) fn state(item: &Item) -> &'static str {
    if !item.superseded_by.is_empty() {
        "superseded"
    } else if item.contradicted.is_some() {
        "contradicted"
    } else if item.is_done() {
        "done"
    } else {
        "current"
    }
}

/// The item was edited.
pub(super) fn touch(item: &mut Item, at: Timestamp) {
    item.updated_at = at.max(item.updated_at);
    item.recalls_since_edit = 0;
}
