//! The steps that add and change work items.

use std::collections::BTreeSet;

use super::unknown;
use crate::ids::WorkKey;
use crate::journal::{Action, JournalEntry, Subject};
use crate::registry::Act;
use crate::registry::knowledge::replace;
use crate::store::{
    Decision, Draft, Durability, JournalFilter, Refusal, Selection, Step, View, WorkFilter,
};
use crate::time::Timestamp;
use crate::work::{TransitionError, Work, WorkPolicy, WorkStatus, WorkStep};

/// Fields to change. `None` leaves a field unchanged and `Some(None)` clears it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkPatch {
    /// The state; it must be one of the item's kind.
    pub status: Option<WorkStatus>,
    /// The text.
    pub text: Option<String>,
    /// True if a person typed the text on this machine.
    pub by_person: bool,
    /// The expiry date.
    pub expires_at: Option<Option<Timestamp>>,
    /// The intended recipient.
    pub to: Option<Option<String>>,
    /// The items that it refers to.
    pub refs: Option<BTreeSet<String>>,
}

impl WorkPatch {
    /// Applies all changes except the state. Returns the names of the fields that changed.
    fn apply(&self, work: &mut Work) -> Vec<&'static str> {
        let mut changed = Vec::new();
        let mut set = |name, changes: bool| {
            if changes {
                changed.push(name);
            }
        };
        set("text", replace(&mut work.text, self.text.as_ref()));
        set("expires", replace(&mut work.expires_at, self.expires_at.as_ref()));
        set("to", replace(&mut work.to, self.to.as_ref()));
        set("refs", replace(&mut work.refs, self.refs.as_ref()));
        changed
    }
}

/// The prefix of the cause of an edit, before the names of the fields.
const CHANGED: &str = "changed ";

/// Returns true if an entry records a change of the recipient.
pub(in crate::registry) fn hands_on(entry: &JournalEntry) -> bool {
    let fields = entry.cause.strip_prefix(CHANGED).filter(|_| entry.action == Action::Edited);
    fields.is_some_and(|fields| fields.split(", ").any(|field| field == "to"))
}

/// A change to a work item.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// Adds it under an unused id.
    Add(Box<Work>),
    /// Changes fields.
    Set(WorkPatch),
    /// Adds a step.
    Step(String),
    /// Reopens it.
    Reopen,
    /// Resolves it, if it is overdue by these thresholds.
    Resolve(Box<WorkPolicy>),
}

/// Applies a change to one work item, once.
#[derive(Debug)]
pub(super) struct ActOnWork {
    pub(super) key: WorkKey,
    pub(super) deed: Deed,
    pub(super) act: Act,
}

impl ActOnWork {
    fn add(&self, draft: &mut Draft<'_>, work: &Work) -> Result<(), Refusal> {
        if draft.get::<Work>(&self.key).is_some() {
            let id = self.key.id.to_string();
            return Err(Refusal::Taken { what: "work item", id });
        }
        work.check()?;
        draft.put(work.clone());
        self.tell(draft, Action::Added, None, work.status, "by_hand".into());
        Ok(())
    }

    fn set(&self, draft: &mut Draft<'_>, mut work: Work, patch: &WorkPatch) -> Result<(), Refusal> {
        let moved = match patch.status {
            Some(to) => work.move_to(to, self.act.at).map_err(|why| self.not_moved(&why))?,
            None => None,
        };
        let changed = patch.apply(&mut work);
        if patch.text.is_some() {
            work.by_person = patch.by_person || (work.by_person && !changed.contains(&"text"));
        }
        if let Some(moved) = moved {
            self.tell(draft, Action::Moved, Some(moved.from), moved.to, "by_hand".into());
        }
        if !changed.is_empty() {
            work.touch(self.act.at);
            let cause = format!("{CHANGED}{}", changed.join(", "));
            self.tell(draft, Action::Edited, Some(work.status), work.status, cause);
        }
        work.check()?;
        draft.put(work);
        Ok(())
    }

    fn step(&self, draft: &mut Draft<'_>, mut work: Work, text: &str) -> Result<(), Refusal> {
        work.steps.push(WorkStep { text: text.into(), at: self.act.at });
        work.touch(self.act.at);
        work.check()?;
        self.tell(draft, Action::Stepped, Some(work.status), work.status, "by_hand".into());
        draft.put(work);
        Ok(())
    }

    fn reopen(&self, draft: &mut Draft<'_>, mut work: Work) -> Result<(), Refusal> {
        let back = work.reopen(self.act.at).map_err(|why| self.not_moved(&why))?;
        self.tell(draft, Action::Reopened, Some(back.from), back.to, "by_hand".into());
        draft.put(work);
        Ok(())
    }

    fn resolve(
        &self,
        draft: &mut Draft<'_>,
        mut work: Work,
        policy: &WorkPolicy,
    ) -> Result<(), Refusal> {
        let settled = work.flag(self.act.at, policy).zip(work.kind.resolved());
        let Some((flag, to)) = settled else {
            return Err(Refusal::Conflict(format!(
                "{:?} is {} and not overdue; only overdue items can be resolved",
                self.key.id.as_str(),
                work.status
            )));
        };
        let moved = work.move_to(to, self.act.at).map_err(|why| self.not_moved(&why))?;
        if let Some(moved) = moved {
            self.tell(draft, Action::Resolved, Some(moved.from), moved.to, flag.reason());
        }
        draft.put(work);
        Ok(())
    }

    fn not_moved(&self, why: &TransitionError) -> Refusal {
        Refusal::Conflict(format!("{:?}: {why}", self.key.id.as_str()))
    }

    fn tell(
        &self,
        draft: &mut Draft<'_>,
        action: Action,
        from: Option<WorkStatus>,
        to: WorkStatus,
        cause: String,
    ) {
        let states = (from.map(WorkStatus::as_str), Some(to.as_str()));
        self.act.entry(draft, Subject::work(&self.key), action, states, cause);
    }
}

impl Step for ActOnWork {
    fn selection(&self) -> Selection {
        Selection::new()
            .lock(WorkFilter::Key(self.key.clone()))
            .journal(JournalFilter::Op(self.act.op.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let work = || {
            let work = known(view, &self.key)?.clone();
            // An edit by an agent clears the mark of a person's text.
            Ok(Work { by_person: work.by_person && self.act.actor.is_none(), ..work })
        };
        self.act.once(view, |draft| match &self.deed {
            Deed::Add(work) => self.add(draft, work),
            Deed::Set(patch) => self.set(draft, work()?, patch),
            Deed::Step(text) => self.step(draft, work()?, text),
            Deed::Reopen => self.reopen(draft, work()?),
            Deed::Resolve(policy) => self.resolve(draft, work()?, policy),
        })
    }
}

/// Records activity on a work item. The time only moves forward, so repeating it has no further effect. Like
/// other counters it is not recorded in the journal.
#[derive(Debug)]
pub(super) struct TouchWork {
    pub(super) key: WorkKey,
    pub(super) at: Timestamp,
}

impl Step for TouchWork {
    fn selection(&self) -> Selection {
        Selection::new().lock(WorkFilter::Key(self.key.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        let mut work = known(view, &self.key)?.clone();
        work.touch(self.at);
        draft.put(work);
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}

fn known<'v>(view: &'v View, key: &WorkKey) -> Result<&'v Work, Refusal> {
    view.work.get(key).ok_or_else(|| unknown(&key.id))
}
