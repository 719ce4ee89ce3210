//! The steps that write imported work items, sessions and cursors.

use std::collections::BTreeMap;

use crate::ids::WorkKey;
use crate::journal::{Action, Subject};
use crate::registry::Act;
use crate::session::{Cursor, Session};
use crate::store::{
    Change, ChangeSet, CursorFilter, Decision, Draft, Durability, Refusal, Selection,
    SessionFilter, Step, View, WorkFilter,
};
use crate::time::Timestamp;
use crate::work::Work;

/// Work items: the one that was active last stays.
#[derive(Debug)]
pub(super) struct PutWork {
    pub(super) rows: Vec<Work>,
    /// Who brings them, where they come without a journal of their own.
    pub(super) act: Option<Act>,
    pub(super) durability: Durability,
}

impl PutWork {
    /// Those that stay in place of what is known, each once.
    fn winners(&self, view: &View) -> BTreeMap<&WorkKey, &Work> {
        let mut last: BTreeMap<&WorkKey, &Work> = BTreeMap::new();
        for row in &self.rows {
            let kept = last.entry(&row.key).or_insert(row);
            if row.updated_at > kept.updated_at {
                *kept = row;
            }
        }
        last.retain(|key, row| {
            view.work.get(*key).is_none_or(|known| known.updated_at < row.updated_at)
        });
        last
    }
}

impl Step for PutWork {
    fn selection(&self) -> Selection {
        let keys = self.rows.iter().map(|row| row.key.clone());
        keys.fold(Selection::new(), |all, key| all.lock_work(WorkFilter::Key(key)))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, Timestamp::default());
        for (key, row) in self.winners(view) {
            draft.put_work(row.clone());
            let Some(act) = &self.act else { continue };
            let known = view.work.get(key);
            let action = if known.is_some() { Action::Edited } else { Action::Added };
            let states = (known.map(|known| known.status.as_str()), Some(row.status.as_str()));
            act.entry(&mut draft, Subject::work(key), action, states, "imported".into());
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Sessions: a known one stays, since its beginning follows this store's journal.
#[derive(Debug)]
pub(super) struct PutSessions {
    pub(super) rows: Vec<Session>,
    pub(super) durability: Durability,
}

impl Step for PutSessions {
    fn selection(&self) -> Selection {
        let keys = self.rows.iter().map(|row| row.key.clone());
        keys.fold(Selection::new(), |all, key| all.lock_sessions(SessionFilter::Key(key)))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let new = self.rows.iter().filter(|row| !view.sessions.contains_key(&row.key));
        let sessions = new.cloned().map(Change::Put).collect();
        Ok(Decision::Write(ChangeSet { sessions, ..ChangeSet::default() }))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Cursors: what an agent was told here is told by this store's journal, and stays.
#[derive(Debug)]
pub(super) struct PutCursors {
    pub(super) rows: Vec<Cursor>,
    pub(super) durability: Durability,
}

impl Step for PutCursors {
    fn selection(&self) -> Selection {
        let keys = self.rows.iter().map(|row| row.key.clone());
        keys.fold(Selection::new(), |all, key| all.lock_cursors(CursorFilter::Key(key)))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let new = self.rows.iter().filter(|row| !view.cursors.contains_key(&row.key));
        let cursors = new.cloned().map(Change::Put).collect();
        Ok(Decision::Write(ChangeSet { cursors, ..ChangeSet::default() }))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}
