//! The step that imports work items of another system.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{Scope, WorkKey};
use crate::journal::{Action, Subject};
use crate::registry::Act;
use crate::registry::work::meant;
use crate::store::{Conflict, Edit, Refusal, Selection, Step, View, WorkFilter};
use crate::time::Timestamp;
use crate::work::Work;

/// A work item from another system. A missing value leaves the known value unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldWork {
    /// The item. Missing names, dates and references leave the known ones unchanged.
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
            let (here, there) = (known.kind.as_str(), told.kind.as_str());
            return Err(Conflict::OtherKind { id: known.key.id.clone(), here, there }.into());
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
        work.after.extend(told.after.iter().cloned());
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
            draft.append_journal(act.entry(Subject::work(key), action, states, "imported"));
            draft.put(work);
        }
        Ok(())
    });
    take.durable()
}

/// Removes dependencies that form circles of open items. Begins at the items with the oldest activity, which keep
/// their dependencies.
pub(super) fn untie(scopes: BTreeSet<Scope>) -> impl Step {
    let open = scopes.into_iter().chain([Scope::Global]).map(WorkFilter::Open);
    let all = open.fold(Selection::new(), Selection::lock);
    let untie = Edit::new(Timestamp::default(), all, |draft| {
        for (key, ids) in closing(draft.view()) {
            let mut work = draft.view().work[key].clone();
            work.after.retain(|id| !ids.contains(id));
            draft.put(work);
        }
        Ok(())
    });
    untie.durable()
}

/// Returns the ids that close circles, by the items that wait for them: those that lead back to the path of one
/// depth-first search.
fn closing(view: &View) -> BTreeMap<&WorkKey, BTreeSet<&String>> {
    let mut closing: BTreeMap<&WorkKey, BTreeSet<&String>> = BTreeMap::new();
    let mut roots: Vec<&Work> = view.work.values().collect();
    roots.sort_by_key(|work| work.updated_at);
    // The items that were met, with true for those on the path.
    let mut met: BTreeMap<&WorkKey, bool> = BTreeMap::new();
    for root in roots {
        let mut path = Vec::new();
        let mut next = Some(root).filter(|root| !met.contains_key(&root.key));
        loop {
            if let Some(work) = next.take() {
                met.insert(&work.key, true);
                path.push((work, work.after.iter()));
            }
            let Some((work, after)) = path.last_mut() else { break };
            let Some(id) = after.next() else {
                met.insert(&work.key, false);
                path.pop();
                continue;
            };
            let Some(other) = meant(|key| view.work.get(key), &work.key, id) else { continue };
            match met.get(&other.key) {
                Some(true) => drop(closing.entry(&work.key).or_default().insert(id)),
                Some(false) => {}
                None => next = Some(other),
            }
        }
    }
    closing
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
