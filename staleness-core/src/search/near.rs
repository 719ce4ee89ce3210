//! Learned queries that are close to a question by meaning.

use crate::ids::ToolName;
use crate::route::{Matrix, RouteId};

/// A learned query that points the way of a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Near {
    pub(super) id: RouteId,
    /// Its tool, by its place among the names.
    pub(super) tool: u32,
    /// Above 0.
    pub(super) cosine: f64,
}

/// Learned queries with the cosines of their vectors and that of a question, in any order. Those that point
/// away from it, at a cosine of 0 or less, are left out: they say nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearRoutes {
    tools: Vec<ToolName>,
    rows: Vec<Near>,
}

impl NearRoutes {
    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds one query of a tool. Of one tool they best come one behind the other.
    pub fn push(&mut self, tool: &ToolName, id: RouteId, cosine: f64) {
        if self.tools.last() != Some(tool) {
            self.tools.push(tool.clone());
        }
        self.add(self.tools.len() as u32 - 1, id, cosine);
    }

    /// Adds the rows of a matrix, with their cosines as [`cosines`](super::cosines) has them.
    pub fn add_rows(&mut self, matrix: &Matrix, cosines: &[f64]) {
        let first = self.tools.len() as u32;
        self.tools.extend_from_slice(matrix.names());
        self.rows.reserve(cosines.len());
        for ((id, tool), cosine) in matrix.ids().iter().zip(matrix.tools()).zip(cosines) {
            self.add(first + tool, *id, *cosine);
        }
    }

    #[inline]
    fn add(&mut self, tool: u32, id: RouteId, cosine: f64) {
        if cosine > 0.0 {
            self.rows.push(Near { id, tool, cosine });
        }
    }

    /// The tools, each perhaps more than once.
    pub(super) fn tools(&self) -> &[ToolName] {
        &self.tools
    }

    pub(super) fn rows(&self) -> &[Near] {
        &self.rows
    }
}
