//! Flaws of the collections that no scan writes: knowledge, documents, work, sessions and
//! cursors.

use staleness_core::journal::Revision;
use staleness_core::route::{RouteVector, Vector};
use staleness_core::store::{
    Change, ChangeSet, CursorFilter, ItemFilter, RouteFilter, Selection, SessionFilter,
    VectorFilter, WorkFilter,
};
use staleness_core::time::Timestamp;

use super::Flaw;

fn rows<R, K>(changes: &mut [Change<R, K>]) -> impl Iterator<Item = &mut R> {
    changes.iter_mut().filter_map(|change| match change {
        Change::Put(row) => Some(row),
        _ => None,
    })
}

impl Flaw {
    /// Bends a selection as a store with this flaw does.
    pub(super) fn bent_rows(self, selection: &mut Selection) {
        for pick in &mut selection.knowledge {
            if let (Self::MixesItems, ItemFilter::Key(key)) = (self, &pick.filter) {
                pick.filter = ItemFilter::Scope(key.scope.clone());
            }
        }
        for pick in &mut selection.work {
            match (self, &mut pick.filter) {
                (Self::ReturnsEnded, WorkFilter::Open(scope)) => {
                    pick.filter = WorkFilter::Scope(scope.clone());
                }
                (Self::IgnoresAges, WorkFilter::Aging { until, .. }) => *until = Timestamp::MAX,
                _ => {}
            }
        }
        for pick in &mut selection.sessions {
            if let (Self::MixesSessions, SessionFilter::Key(_)) = (self, &pick.filter) {
                pick.filter = SessionFilter::All;
            }
        }
        for pick in &mut selection.routes {
            if let (Self::MixesTools, RouteFilter::Tool(project, _)) = (self, &pick.filter) {
                pick.filter = RouteFilter::Project(project.clone());
            }
        }
        for pick in &mut selection.vectors {
            match (self, &pick.filter) {
                (Self::MixesModels, VectorFilter::Model(project, _))
                | (Self::MixesVectors, VectorFilter::Tool(project, _)) => {
                    pick.filter = VectorFilter::Project(project.clone());
                }
                _ => {}
            }
        }
        for pick in &mut selection.cursors {
            if let (Self::MixesAgents, CursorFilter::Key(key)) = (self, &pick.filter) {
                pick.filter = CursorFilter::Project(key.project.clone());
            }
        }
    }

    /// Bends a change set.
    pub(super) fn changed_rows(self, changes: &mut ChangeSet) {
        match self {
            Self::RewritesItems => {
                rows(&mut changes.knowledge).for_each(|row| row.supersedes.clear());
            }
            Self::ForgetsFindings => {
                rows(&mut changes.documents).for_each(|row| row.found.clear());
            }
            Self::ForgetsReferences => rows(&mut changes.work).for_each(|row| row.refs.clear()),
            Self::ForgetsEnds => rows(&mut changes.sessions).for_each(|row| row.ended_at = None),
            Self::MovesCursorsBack => rows(&mut changes.cursors).for_each(|row| {
                row.revision = Revision(row.revision.0.saturating_sub(1));
            }),
            Self::ForgetsLessons => rows(&mut changes.routes).for_each(|row| row.ops.clear()),
            Self::CutsVectors => rows(&mut changes.vectors).for_each(cut),
            Self::ForgetsPrompts => rows(&mut changes.suggestions)
                .flat_map(|row| &mut row.prompts)
                .for_each(|prompt| prompt.query = None),
            _ => {}
        }
    }
}

fn cut(row: &mut RouteVector) {
    let numbers: Vec<f64> = row.vector.numbers().collect();
    let (_, rest) = numbers.split_last().unwrap();
    if let Ok(vector) = Vector::new(rest, row.vector.precision()) {
        row.vector = vector;
    }
}
