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
        macro_rules! taken {
            ($($flaw:ident: $rows:ident, $from:pat => $to:expr;)*) => {$(
                for pick in selection.$rows.iter_mut().filter(|_| self == Self::$flaw) {
                    if let $from = &pick.filter {
                        pick.filter = $to;
                    }
                }
            )*};
        }
        taken! {
            MixesItems: knowledge, ItemFilter::Key(key) => ItemFilter::Scope(key.scope.clone());
            ReturnsEnded: work, WorkFilter::Open(scope) => WorkFilter::Scope(scope.clone());
            IgnoresAges: work, WorkFilter::Aging { scope, aging, .. } => WorkFilter::Aging {
                scope: scope.clone(), aging: *aging, until: Timestamp::MAX,
            };
            MixesSessions: sessions, SessionFilter::Key(_) => SessionFilter::All;
            MixesTools: routes, RouteFilter::Tool(id, _) => RouteFilter::Project(id.clone());
            MixesModels: vectors, VectorFilter::Model(id, _) => VectorFilter::Project(id.clone());
            MixesVectors: vectors, VectorFilter::Tool(id, _) => VectorFilter::Project(id.clone());
            MixesAgents: cursors, CursorFilter::Key(key)
                => CursorFilter::Project(key.project.clone());
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
