//! The query for overdue work. It reads only items that may be overdue and those that affect them.
//!
//! The store finds the items that are old enough under some author's thresholds. This module decides which of them are
//! overdue, with the same result as if all items had been read.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ids::{Caller, ProjectId, Scope, WorkId, WorkKey};
use crate::policy::Policy;
use crate::scan::ProjectRef;
use crate::store::{Query, Selection, View, WorkFilter};
use crate::time::Timestamp;
use crate::work::{Aging, Rules, Warning, Work, referred};

/// The query for the overdue work of a project at the time `now`.
#[derive(Clone, Debug)]
pub(in crate::registry) struct Overdue {
    pub(in crate::registry) policy: Arc<Policy>,
    pub(in crate::registry) project: ProjectRef,
    pub(in crate::registry) now: Timestamp,
}

impl Overdue {
    fn caller(&self) -> Caller<'_> {
        self.project.caller(None)
    }

    fn rules(&self) -> Rules<'_> {
        Rules::new(&self.policy.work, self.caller())
    }

    /// Returns the latest time since which an item that ages in this way can be overdue.
    fn until(&self, aging: Aging) -> Timestamp {
        self.policy.work.latest(aging, self.caller(), self.now)
    }

    /// Selects everything that may be overdue.
    pub(in crate::registry) fn candidates(&self) -> Selection {
        let mut all = Selection::new();
        for (scope, aging) in
            scopes(&self.project.id).iter().flat_map(|scope| Aging::ALL.map(|aging| (scope, aging)))
        {
            let until = self.until(aging);
            all = all.peek(WorkFilter::Aging { scope: scope.clone(), aging, until });
        }
        all
    }

    /// Adds the rows that affect the candidates in the view: the project's own items that hide global ones, and work
    /// that refers to flagged items.
    pub(in crate::registry) fn around(&self, view: &View, more: Selection) -> Selection {
        let rules = self.rules();
        let flagged = view.work.values().filter(|w| w.flag(self.now, rules.of(w)).is_some());
        let flagged: BTreeSet<String> = flagged.map(|work| work.key.id.to_string()).collect();
        if flagged.is_empty() {
            return more;
        }
        let may_be_overdue = self.may_be_overdue();
        let candidates = view.work.values().filter(|work| may_be_overdue(work));
        let more = referring(&self.project.id, &Arc::new(flagged), more);
        own_in_place(&self.project.id, view, candidates, more)
    }

    /// Adds the project's own items that hide global items with references.
    pub(in crate::registry) fn around_referring(&self, view: &View, more: Selection) -> Selection {
        let may_be_overdue = self.may_be_overdue();
        let others = view.work.values();
        let others = others.filter(|work| !work.refs.is_empty() && !may_be_overdue(work));
        own_in_place(&self.project.id, view, others, more)
    }

    fn may_be_overdue(&self) -> impl Fn(&Work) -> bool + use<> {
        let until = Aging::ALL.map(|aging| self.until(aging));
        // The discriminant of `Aging` is its index in `ALL`.
        move |work| work.aging().is_some_and(|(aging, since)| since <= until[aging as usize])
    }

    pub(in crate::registry) fn warnings(&self, view: &View) -> Vec<Warning> {
        let (rules, open) = (self.rules(), visible_open(&self.project.id, view));
        Warning::all(open.iter().copied(), self.now, |work| rules.of(work))
    }
}

impl Query for Overdue {
    fn selection(&self) -> Selection {
        self.candidates()
    }

    fn more(&self, view: &View) -> Option<Selection> {
        let more = match view.looks {
            1 => self.around(view, Selection::new()),
            2 => self.around_referring(view, Selection::new()),
            _ => return None,
        };
        Some(more).filter(|more| *more != Selection::new())
    }
}

/// The query for the work of a project that refers to any of a set of ids.
#[derive(Clone, Debug)]
pub(in crate::registry) struct Referring {
    pub(in crate::registry) overdue: Overdue,
    pub(in crate::registry) to: Arc<BTreeSet<String>>,
}

impl Referring {
    /// Returns the ids to which fresh work refers, each with the smallest id among the items that refer to it.
    pub(in crate::registry) fn referred(&self, view: &View) -> Vec<(String, WorkId)> {
        let (rules, open) = (self.overdue.rules(), visible_open(&self.overdue.project.id, view));
        let fresh = referred(open, self.overdue.now, |work| rules.of(work));
        fresh.into_iter().map(|(id, by)| (id.to_owned(), by.clone())).collect()
    }
}

impl Query for Referring {
    fn selection(&self) -> Selection {
        referring(&self.overdue.project.id, &self.to, Selection::new())
    }

    fn more(&self, view: &View) -> Option<Selection> {
        if view.looks > 1 {
            return None;
        }
        let project = &self.overdue.project.id;
        let more = own_in_place(project, view, view.work.values(), Selection::new());
        Some(more).filter(|more| *more != Selection::new())
    }
}

fn scopes(project: &ProjectId) -> [Scope; 2] {
    [Scope::Global, Scope::Project(project.clone())]
}

fn referring(project: &ProjectId, to: &Arc<BTreeSet<String>>, more: Selection) -> Selection {
    let scopes = scopes(project).into_iter();
    scopes.fold(more, |more, scope| more.peek(WorkFilter::Referring { scope, to: Arc::clone(to) }))
}

/// Adds the project's own items with the same ids as global ones.
fn own_in_place<'a>(
    project: &ProjectId,
    view: &View,
    work: impl Iterator<Item = &'a Work>,
    more: Selection,
) -> Selection {
    let own = work
        .filter(|work| work.key.scope == Scope::Global)
        .map(|work| WorkKey { scope: Scope::Project(project.clone()), id: work.key.id.clone() });
    own.filter(|key| !view.work.contains_key(key))
        .fold(more, |more, key| more.peek(WorkFilter::Key(key)))
}

/// Returns the open work in a view that a project sees.
pub(in crate::registry) fn visible_open<'v>(project: &ProjectId, view: &'v View) -> Vec<&'v Work> {
    let mut open = visible(project, view);
    open.retain(|work| work.status.is_open());
    open
}

/// Returns the work in a view that a project sees. While it is open, an item of the project hides the global one with
/// the same id, unless a person typed the global one.
pub(super) fn visible<'v>(project: &ProjectId, view: &'v View) -> Vec<&'v Work> {
    let all = || view.work.values();
    let is_own = |work: &&Work| work.key.scope.project() == Some(project);
    let own: BTreeSet<&WorkId> = match view.work.keys().next().map(|key| &key.scope) {
        Some(Scope::Global) => all()
            .filter(is_own)
            .filter(|work| work.status.is_open())
            .map(|work| &work.key.id)
            .collect(),
        _ => BTreeSet::new(),
    };
    all().filter(|work| is_own(work) || work.by_person || !own.contains(&work.key.id)).collect()
}
