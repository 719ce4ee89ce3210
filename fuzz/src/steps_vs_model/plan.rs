//! What is done: steps, queries and visits, over the few keys of the conformance suite's pool.

use proptest::prelude::*;
use proptest::strategy::BoxedStrategy;
use staleness_conformance::arbitrary::{self, Reach};
use staleness_core::ids::{DocumentKey, ItemKey, ProjectId, SourceId, ToolKey, WorkKey};
use staleness_core::knowledge::{Document, Item};
use staleness_core::project::Project;
use staleness_core::route::{Route, RouteKey, RouteVector, Suggestions};
use staleness_core::session::{Cursor, CursorKey, Session, SessionKey};
use staleness_core::source::Source;
use staleness_core::store::{
    Change, ChangeSet, CursorFilter, Decision, DocumentFilter, Durability, ItemFilter, MAX_LOOKS,
    OutcomeFilter, ProjectFilter, Query, Refusal, RouteFilter, Selection, SessionFilter,
    SourceFilter, Step, SuggestionFilter, ToolFilter, VectorFilter, View, WorkFilter,
};
use staleness_core::tool::Tool;
use staleness_core::work::Work;

use crate::seeded::value;

/// One thing that is done.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "made one at a time")]
pub(super) enum Deed {
    Act(Box<Plan>),
    See(Looks),
    Pages(Selection),
}

/// Looks, one after the other; there may be one too many.
#[derive(Clone, Debug)]
pub(super) struct Looks {
    pub(super) all: Vec<Selection>,
}

/// A step that was made up beforehand.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    looks: Looks,
    changes: ChangeSet,
    refuses: bool,
    sin: Sin,
}

/// How a step breaks its contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sin {
    None,
    /// It writes this row, or whatever comes first behind it, without having locked it.
    Unlocked(usize),
    /// It writes a row twice.
    Twice,
}

thread_local! {
    static DEEDS: [BoxedStrategy<Deed>; 8] = deeds();
}

/// The deed that four bytes mean: what it is by the first, the rest by all of them.
pub(super) fn deed(seed: u32) -> Deed {
    DEEDS.with(|deeds| value(&deeds[seed as usize % deeds.len()], seed))
}

fn deeds() -> [BoxedStrategy<Deed>; 8] {
    let honest = || plan(Just(false), Just(Sin::None));
    [
        honest(),
        honest(),
        honest(),
        plan(Just(true), Just(Sin::None)),
        plan(Just(false), prop_oneof![(0..12usize).prop_map(Sin::Unlocked), Just(Sin::Twice)]),
        looks(selection().boxed()).prop_map(Deed::See).boxed(),
        looks(selection().boxed()).prop_map(Deed::See).boxed(),
        selection().prop_map(Deed::Pages).boxed(),
    ]
}

fn selection() -> BoxedStrategy<Selection> {
    arbitrary::selection(Reach::Pool).boxed()
}

fn looks(first: BoxedStrategy<Selection>) -> impl Strategy<Value = Looks> {
    let further = prop_oneof![
        5 => Just(Vec::new()),
        2 => prop::collection::vec(selection(), 1..MAX_LOOKS),
        1 => prop::collection::vec(selection(), MAX_LOOKS),
    ];
    (first, further).prop_map(|(first, mut all)| {
        all.insert(0, first);
        Looks { all }
    })
}

fn plan(
    refuses: impl Strategy<Value = bool> + 'static,
    sin: impl Strategy<Value = Sin> + 'static,
) -> BoxedStrategy<Deed> {
    let first = prop_oneof![2 => Just(Selection::new()), 1 => selection()];
    (looks(first.boxed()), arbitrary::change_set(Reach::Pool), refuses, sin)
        .prop_map(|(looks, mut changes, refuses, sin)| {
            if sin == Sin::Twice
                && let Some(first) = changes.tools.first().cloned()
            {
                changes.tools.push(first);
            }
            Deed::Act(Box::new(Plan { looks, changes, refuses, sin }))
        })
        .boxed()
}

impl Query for Looks {
    fn selection(&self) -> Selection {
        self.all[0].clone()
    }

    fn more(&self, view: &View) -> Option<Selection> {
        self.all.get(view.looks).cloned()
    }
}

impl Plan {
    /// Everything that it selects, a look each.
    pub(super) fn looks(&self) -> Looks {
        let mut looks = self.looks.clone();
        looks.all[0] = self.selection();
        looks
    }
}

impl Step for Plan {
    /// What it looks at, the rows that it writes, and the ops that it may repeat.
    fn selection(&self) -> Selection {
        let mut all = self.looks.all[0].clone();
        let mut left = match self.sin {
            Sin::Unlocked(at) => at % self.changes.rows().max(1),
            Sin::None | Sin::Twice => usize::MAX,
        };
        let mut locks = || {
            let (now, rest) = left.overflowing_sub(1);
            left = now;
            !rest
        };
        for change in &self.changes.projects {
            let (Change::Put(Project { id, .. }) | Change::Delete(id)) = change else { continue };
            if locks() {
                all = all.lock(ProjectFilter::Id(ProjectId::clone(id)));
            }
        }
        for change in &self.changes.sources {
            let (Change::Put(Source { id, .. }) | Change::Delete(id)) = change else { continue };
            if locks() {
                all = all.lock(SourceFilter::Id(SourceId::clone(id)));
            }
        }
        for change in &self.changes.tools {
            let (Change::Put(Tool { key, .. }) | Change::Delete(key)) = change else { continue };
            if locks() {
                all = all.lock(ToolFilter::Key(ToolKey::clone(key)));
            }
        }
        for change in &self.changes.knowledge {
            let (Change::Put(Item { key, .. }) | Change::Delete(key)) = change else { continue };
            if locks() {
                all = all.lock(ItemFilter::Key(ItemKey::clone(key)));
            }
        }
        for change in &self.changes.documents {
            let (Change::Put(Document { key, .. }) | Change::Delete(key)) = change else {
                continue;
            };
            if locks() {
                all = all.lock(DocumentFilter::Key(DocumentKey::clone(key)));
            }
        }
        for change in &self.changes.work {
            let (Change::Put(Work { key, .. }) | Change::Delete(key)) = change else { continue };
            if locks() {
                all = all.lock(WorkFilter::Key(WorkKey::clone(key)));
            }
        }
        for change in &self.changes.sessions {
            let (Change::Put(Session { key, .. }) | Change::Delete(key)) = change else { continue };
            if locks() {
                all = all.lock(SessionFilter::Key(SessionKey::clone(key)));
            }
        }
        for change in &self.changes.cursors {
            let (Change::Put(Cursor { key, .. }) | Change::Delete(key)) = change else { continue };
            if locks() {
                all = all.lock(CursorFilter::Key(CursorKey::clone(key)));
            }
        }
        for change in &self.changes.routes {
            let (Change::Put(Route { key, .. }) | Change::Delete(key)) = change else { continue };
            if locks() {
                all = all.lock(RouteFilter::Key(RouteKey::clone(key)));
            }
        }
        for change in &self.changes.vectors {
            let (Change::Put(RouteVector { key, .. }) | Change::Delete(key)) = change else {
                continue;
            };
            if locks() {
                all = all.lock(VectorFilter::Key(RouteKey::clone(key)));
            }
        }
        for change in &self.changes.suggestions {
            let (Change::Put(Suggestions { key, .. }) | Change::Delete(key)) = change else {
                continue;
            };
            if locks() {
                all = all.lock(SuggestionFilter::Key(SessionKey::clone(key)));
            }
        }
        let ops = self.changes.outcomes.iter();
        ops.fold(all, |all, row| all.outcomes(OutcomeFilter::Op(row.tool.clone(), row.op.clone())))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        if let Some(more) = self.looks.more(view) {
            return Ok(Decision::Need(more));
        }
        if self.refuses {
            return Err(Refusal::Invalid("planned".into()));
        }
        let mut changes = self.changes.clone();
        changes.outcomes.retain(|row| {
            !view.outcomes.values().any(|known| known.tool == row.tool && known.op == row.op)
        });
        Ok(Decision::Write(changes))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
