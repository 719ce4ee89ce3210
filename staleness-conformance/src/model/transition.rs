//! Transitions: steps and reads that are applied to both stores.

use std::fmt;

use proptest::prelude::*;
use staleness_core::journal::Revision;
use staleness_core::store::{
    ChangeSet, Decision, Durability, JournalFilter, OutcomeFilter, Query, Refusal, Selection, Step,
    View,
};
use staleness_core::time::Timestamp;

use crate::arbitrary::{self, Reach, record};

/// An operation applied to both stores.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "made one at a time")]
pub(crate) enum Transition {
    /// Runs a step.
    Act(Plan),
    /// Runs a query with one or more looks.
    See(Looks),
    /// Visits the pages of everything.
    Pages,
    /// Reopens the store, if it is persistent.
    Reopen,
}

/// A sequence of looks, possibly one too many.
#[derive(Clone, Debug)]
pub(crate) struct Looks {
    first: Selection,
    further: Vec<Selection>,
}

impl Query for Looks {
    fn selection(&self) -> Selection {
        self.first.clone()
    }

    fn more(&self, view: &View) -> Option<Selection> {
        self.further.get(view.looks.checked_sub(1)?).cloned()
    }
}

/// A predefined step: looks, locks the rows that it will write, and writes them, except outcomes whose ops already
/// exist.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    looks: Looks,
    changes: ChangeSet,
    refuses: bool,
    full: bool,
    prunes: Option<Prune>,
    breach: Breach,
}

/// Journal commits to prune, and revisions to skip, as an import does.
#[derive(Clone, Debug)]
struct Prune {
    /// One bit per existing commit, oldest first. 1 means that it is pruned.
    which: u64,
    left_out: u64,
    at: Timestamp,
}

impl Prune {
    /// Adds the pruning to the changes, given a view of the whole journal. The newest commit is kept, except
    /// for [`Breach::Newest`].
    fn add(&self, view: &View, breach: Breach, changes: &mut ChangeSet) {
        let mut commits: Vec<Revision> =
            view.journal.keys().map(|(revision, _)| *revision).collect();
        commits.dedup();
        if breach != Breach::Newest {
            commits.pop();
        }
        let goes = |(at, revision)| (self.which >> (at % 64) & 1 == 1).then_some(revision);
        changes.pruned = commits.into_iter().enumerate().filter_map(goes).collect();
        changes.floor.revision = changes.pruned.last().copied().unwrap_or_default();
        if self.left_out > 0 && !changes.journal.is_empty() {
            changes.floor.revision = Revision(view.revision.0 + self.left_out);
        }
        changes.floor.at = self.at;
    }
}

/// A way to violate the contract of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breach {
    None,
    /// A written row is not locked.
    Unlocked(usize),
    /// A tool is written twice.
    Twice,
    /// The newest commit may be pruned.
    Newest,
}

/// Removes the row with an index from the changes.
fn leave_out(changes: &mut ChangeSet, at: usize) {
    let mut rows = 0..;
    macro_rules! each {
        ($($rows:ident: $row:ty,)*) => {$(changes.$rows.retain(|_| rows.next() != Some(at));)*};
    }
    staleness_core::collections!(each);
}

impl Step for Plan {
    fn selection(&self) -> Selection {
        let mut locked = self.changes.clone();
        if let Breach::Unlocked(row) = self.breach {
            leave_out(&mut locked, row % self.changes.rows().max(1));
        }
        let mut all = locked.locks();
        all.merge(self.looks.first.clone());
        if self.prunes.is_some() {
            all = all.journal(JournalFilter::All);
        }
        self.changes
            .outcomes
            .iter()
            .fold(all, |all, row| all.outcomes(OutcomeFilter::Op(row.tool.clone(), row.op.clone())))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        if let Some(more) = self.looks.more(view) {
            return Ok(Decision::Need(more));
        }
        if self.refuses {
            return Err(Refusal::Other("planned".into()));
        }
        let mut changes = self.changes.clone();
        changes.outcomes.retain(|row| {
            !view.outcomes.values().any(|known| known.tool == row.tool && known.op == row.op)
        });
        if let Some(prune) = &self.prunes {
            prune.add(view, self.breach, &mut changes);
        }
        Ok(Decision::Write(changes))
    }

    fn durability(&self) -> Durability {
        if self.full { Durability::Full } else { Durability::Normal }
    }
}

/// Generates any transition over a small pool of keys. If `breaches` is set, some steps violate their
/// contract.
pub(crate) fn transition(breaches: bool) -> BoxedStrategy<Transition> {
    let breach = prop_oneof![
        9 => Just(Breach::None),
        2 => (0..12usize).prop_map(Breach::Unlocked),
        1 => Just(Breach::Twice),
        1 => Just(Breach::Newest),
    ];
    let prune = record!(Prune {
        which: any::<u64>(),
        left_out: prop_oneof![3 => Just(0), 1 => 1..4u64],
        at: arbitrary::timestamp(Reach::Pool),
    });
    let breach = if breaches { breach.boxed() } else { Just(Breach::None).boxed() };
    let looks = (prop_oneof![2 => Just(Selection::new()), 1 => selection()], further())
        .prop_map(|(first, further)| Looks { first, further });
    let plan = (
        looks,
        arbitrary::change_set(Reach::Pool),
        prop::bool::weighted(0.05),
        prop::bool::weighted(0.1),
        prop::option::weighted(0.2, prune),
        breach,
    )
        .prop_map(|(looks, mut changes, refuses, full, prunes, breach)| {
            if breach == Breach::Twice {
                changes.tools.extend(changes.tools.first().cloned());
            }
            Plan { looks, changes, refuses, full, prunes, breach }
        });
    let query = (selection(), further()).prop_map(|(first, further)| Looks { first, further });
    prop_oneof![
        12 => plan.prop_map(Transition::Act),
        5 => query.prop_map(Transition::See),
        3 => Just(Transition::Pages),
        1 => Just(Transition::Reopen),
    ]
    .boxed()
}

fn selection() -> BoxedStrategy<Selection> {
    arbitrary::selection(Reach::Pool)
}

/// Generates further looks: usually none, and at most one more than allowed.
fn further() -> BoxedStrategy<Vec<Selection>> {
    prop_oneof![
        5 => Just(Vec::new()),
        2 => prop::collection::vec(selection(), 1..View::MAX_LOOKS),
        1 => prop::collection::vec(selection(), View::MAX_LOOKS),
    ]
    .boxed()
}

impl fmt::Display for Transition {
    /// Formats like `Debug`, without empty fields.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in format!("{self:?}").split_inclusive(", ") {
            let empty = part.strip_suffix(": [], ").or_else(|| part.strip_suffix(": None, "));
            let kept = empty.map(|field| &field[..field.rfind(' ').map_or(0, |end| end + 1)]);
            f.write_str(kept.unwrap_or(part))?;
        }
        Ok(())
    }
}
