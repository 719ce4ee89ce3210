//! Learned queries that are close to a question by meaning.

use std::borrow::Cow;
use std::iter;

use crate::ids::ToolName;
use crate::route::{Matrix, RouteId};

/// Learned queries with the cosines of their vectors and that of a question, in any order; a matrix is borrowed
/// for as long as they are used. Those that point away from the question, at a cosine of 0 or less, say nothing. Of
/// one that was added twice the greater cosine counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearRoutes<'a> {
    /// Those that were added one by one.
    own: Rows<'a>,
    matrices: Vec<Rows<'a>>,
}

/// Learned queries in a row: those of a matrix stay where they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rows<'a> {
    /// The tools, each perhaps more than once.
    pub(super) names: Cow<'a, [ToolName]>,
    /// The tool of each row, by its place among the names.
    pub(super) tools: Cow<'a, [u32]>,
    pub(super) ids: Cow<'a, [RouteId]>,
    /// Perhaps of fewer rows than there are: of the others none is known.
    pub(super) cosines: Vec<f64>,
}

impl<'a> NearRoutes<'a> {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows().all(|rows| rows.cosines.is_empty())
    }

    /// Adds one query of a tool, with the cosine of its vector and that of the question, -1..=1. Of one tool they
    /// best come one behind the other.
    pub fn push(&mut self, tool: &ToolName, id: RouteId, cosine: f64) {
        let Rows { names, tools, ids, cosines } = &mut self.own;
        if names.last() != Some(tool) {
            names.to_mut().push(tool.clone());
        }
        tools.to_mut().push(names.len() as u32 - 1);
        ids.to_mut().push(id);
        cosines.push(cosine);
    }

    /// Adds the rows of a matrix, with their cosines, -1..=1 and in the same order, as
    /// [`cosines`](super::cosines) has them. Rows that there are too few cosines for say nothing.
    pub fn add_rows(&mut self, matrix: &'a Matrix, cosines: Vec<f64>) {
        self.matrices.push(Rows {
            names: matrix.names().into(),
            tools: matrix.tools().into(),
            ids: matrix.ids().into(),
            cosines,
        });
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Rows<'a>> {
        iter::once(&self.own).chain(&self.matrices)
    }
}
