//! The step that imports work items of another system.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{Scope, WorkKey};
use crate::journal::{Action, Subject};
use crate::registry::Act;
use crate::registry::work::waits_for_itself;
use crate::store::{Edit, Refusal, Selection, Step, View, WorkFilter};
use crate::time::Timestamp;
use crate::work::Work;

/// A work item as another system states it. Missing values stay as they are known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldWork {
    /// The item. Missing names, dates and references count as not stated.
    pub work: Work,
    /// True if its state is stated; otherwise a new item gets the first state of its kind.
    pub tells_status: bool,
    /// True if its type of note is stated.
    pub tells_note: bool,
}

impl ToldWork {
    /// Returns the known item with the stated values.
    ///
    /// # Errors
    /// If the two kinds differ.
    fn over(&self, known: &Work) -> Result<Work, Refusal> {
        let told = &self.work;
        if told.kind != known.kind {
            return Err(Refusal::Conflict(format!(
                "{:?} is a {} here and a {} there; an id can only be one thing",
                known.key.id.as_str(),
                known.kind,
                told.kind
            )));
        }
        let mut work = known.clone();
        work.text.clone_from(&told.text);
        work.by_person &= known.text == told.text;
        if self.tells_status && told.status != known.status {
            work.before = match (known.status.is_open(), told.status.is_open()) {
                (_, true) => None,
                (true, false) => Some(known.status),
                (false, false) => known.before,
            };
            work.status = told.status;
            work.claim.take_if(|_| !told.status.is_open());
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

/// Imports work items of another system: new ones, and known ones with later activity.
pub(super) fn take_work(rows: Vec<ToldWork>, act: Act) -> impl Step {
    let all = Selection::new().lock_keys::<Work>(rows.iter().map(|row| row.work.key.clone()));
    let take = Edit::new(Timestamp::default(), all, move |draft| {
        let view = draft.view();
        for (key, row) in winners(&rows, view) {
            let known = view.work.get(key);
            let work = known.map_or_else(|| Ok(row.work.clone()), |known| row.over(known))?;
            work.check()?;
            let action = if known.is_some() { Action::Edited } else { Action::Added };
            let states = (known.map(|known| known.status.as_str()), Some(work.status.as_str()));
            act.entry(draft, Subject::work(key), action, states, "imported".into());
            draft.put(work);
        }
        Ok(())
    });
    take.durable()
}

/// Drops what closes circles of open items that wait for each other, from the items with the latest activity first.
pub(super) fn untie(scopes: BTreeSet<Scope>) -> impl Step {
    let open = scopes.into_iter().chain([Scope::Global]).map(WorkFilter::Open);
    let all = open.fold(Selection::new(), Selection::lock);
    let untie = Edit::new(Timestamp::default(), all, |draft| {
        let mut open: Vec<&Work> = draft.view().work.values().collect();
        open.sort_by_key(|work| Reverse(work.updated_at));
        for work in open {
            let mut after = work.after.clone();
            after.retain(|id| {
                draft.put(Work { after: [id.clone()].into(), ..work.clone() });
                !waits_for_itself(draft, &work.key)
            });
            draft.put(Work { after, ..work.clone() });
        }
        Ok(())
    });
    untie.durable()
}

/// Returns the rows to write, one per key: those with the latest activity.
fn winners<'r>(rows: &'r [ToldWork], view: &View) -> BTreeMap<&'r WorkKey, &'r ToldWork> {
    let mut last: BTreeMap<&WorkKey, &ToldWork> = BTreeMap::new();
    for row in rows {
        let kept = last.entry(&row.work.key).or_insert(row);
        if row.work.updated_at > kept.work.updated_at {
            *kept = row;
        }
    }
    last.retain(|key, row| {
        view.work.get(*key).is_none_or(|known| known.updated_at < row.work.updated_at)
    });
    last
}
