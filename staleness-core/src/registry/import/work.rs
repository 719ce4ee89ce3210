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

/// Work items of an export: the one that was active last stays.
#[derive(Debug)]
pub(super) struct PutWork {
    pub(super) rows: Vec<Work>,
    pub(super) durability: Durability,
}

impl Step for PutWork {
    fn selection(&self) -> Selection {
        lock(self.rows.iter())
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, Timestamp::default());
        for row in winners(self.rows.iter(), view, |row| row).into_values() {
            draft.put(row.clone());
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// A work item as another system tells it. What it does not tell stays as it is known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldWork {
    /// The item. Names, dates and references that are missing in it are not told.
    pub work: Work,
    /// True if its state is told; else a new item gets the first of its kind.
    pub tells_status: bool,
    /// True if it is told what sort of note it is.
    pub tells_note: bool,
}

impl ToldWork {
    /// What is known of the item, changed by what is told of it.
    fn over(&self, known: &Work) -> Result<Work, Refusal> {
        let told = &self.work;
        if told.kind != known.kind {
            return Err(Refusal::Conflict(format!(
                "{:?} is a {} here, and a {} there: the same id means two things",
                known.key.id.as_str(),
                known.kind,
                told.kind
            )));
        }
        let mut work = known.clone();
        work.text.clone_from(&told.text);
        if self.tells_status && told.status != known.status {
            work.before = match (known.status.is_open(), told.status.is_open()) {
                (_, true) => None,
                (true, false) => Some(known.status),
                (false, false) => known.before,
            };
            work.status = told.status;
        }
        let fields = [
            (&mut work.author, &told.author),
            (&mut work.from, &told.from),
            (&mut work.to, &told.to),
        ];
        for (field, told) in fields {
            if told.is_some() {
                field.clone_from(told);
            }
        }
        if self.tells_note {
            work.note = told.note;
        }
        work.generated |= told.generated;
        work.expires_at = told.expires_at.or(known.expires_at);
        work.refs.extend(told.refs.iter().cloned());
        let new = told.steps.iter().filter(|step| !known.steps.contains(step));
        work.steps.extend(new.cloned());
        work.steps.sort_by_key(|step| step.at);
        work.updated_at = told.updated_at;
        Ok(work)
    }
}

/// Takes in work items of another system: those that are new, and those that were active later there
/// than here.
#[derive(Debug)]
pub(super) struct TakeWork {
    pub(super) rows: Vec<ToldWork>,
    /// Who brings them.
    pub(super) act: Act,
}

impl Step for TakeWork {
    fn selection(&self) -> Selection {
        lock(self.rows.iter().map(|row| &row.work))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, Timestamp::default());
        for (key, row) in winners(self.rows.iter(), view, |row| &row.work) {
            let known = view.work.get(key);
            let work = match known {
                Some(known) => row.over(known)?,
                None => row.work.clone(),
            };
            work.check()?;
            let action = if known.is_some() { Action::Edited } else { Action::Added };
            let states = (known.map(|known| known.status.as_str()), Some(work.status.as_str()));
            self.act.entry(&mut draft, Subject::work(key), action, states, "imported".into());
            draft.put(work);
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Full
    }
}

fn lock<'r>(rows: impl Iterator<Item = &'r Work>) -> Selection {
    rows.fold(Selection::new(), |all, row| all.lock(WorkFilter::Key(row.key.clone())))
}

/// The rows that stay in place of what is known, each once: those that were active last.
fn winners<'r, R>(
    rows: impl Iterator<Item = &'r R>,
    view: &View,
    work: impl Fn(&'r R) -> &'r Work,
) -> BTreeMap<&'r WorkKey, &'r R> {
    let mut last: BTreeMap<&WorkKey, &R> = BTreeMap::new();
    for row in rows {
        let kept = last.entry(&work(row).key).or_insert(row);
        if work(row).updated_at > work(kept).updated_at {
            *kept = row;
        }
    }
    last.retain(|key, row| {
        view.work.get(*key).is_none_or(|known| known.updated_at < work(row).updated_at)
    });
    last
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
        keys.fold(Selection::new(), |all, key| all.lock(SessionFilter::Key(key)))
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
        keys.fold(Selection::new(), |all, key| all.lock(CursorFilter::Key(key)))
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
