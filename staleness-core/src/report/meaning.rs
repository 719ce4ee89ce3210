//! What goes by meaning: how near the vectors of learned queries are to that of a question.

use std::num::NonZeroUsize;

use crate::ids::{ModelId, ProjectId};
use crate::route::{Precision, Values, Vector, Vectors};
use crate::search::{NearRoutes, cosines};
use crate::store::Refusal;

/// What a model made of a question, in whatever length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryVector<'a> {
    /// The model.
    pub model: &'a ModelId,
    /// The numbers.
    pub numbers: &'a [f64],
}

impl<'a> QueryVector<'a> {
    /// The same of a pair that a caller handed in.
    #[must_use]
    pub fn of(pair: &'a (ModelId, Vec<f64>)) -> Self {
        Self { model: &pair.0, numbers: &pair.1 }
    }

    /// Whether it has a direction.
    pub(crate) fn check(self) -> Result<(), Refusal> {
        let vector = Vector::new(self.numbers, Precision::F64);
        vector.map(drop).map_err(|error| Refusal::Invalid(error.to_string()))
    }

    /// Whether there is anything in a project to compare it with: vectors of its model, which have as many
    /// dimensions.
    pub(crate) fn fits(self, vectors: &Vectors, project: &ProjectId) -> Result<bool, Refusal> {
        let all = || vectors.of(project, self.model).map(|(form, _)| form.dimensions);
        let asked = self.numbers.len();
        match all().next() {
            Some(known) if !all().any(|each| each == asked) => Err(Refusal::Invalid(format!(
                "the vector has {asked} dimensions; those of the model {} have {known}",
                self.model
            ))),
            known => Ok(known.is_some()),
        }
    }

    /// The cosines of all routes of a project. All, since the best route of a tool may be the less close and the
    /// more sure one of many.
    pub(crate) fn near<'v>(self, vectors: &'v Vectors, project: &ProjectId) -> NearRoutes<'v> {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let mut near = NearRoutes::default();
        for (form, matrix) in vectors.of(project, self.model) {
            let Ok(question) = Vector::new(self.numbers, form.precision) else { continue };
            // Of another number of dimensions nothing is found.
            let cosines = match (matrix.values(), &question) {
                (Values::F32(rows), Vector::F32(question)) => {
                    cosines(rows.pieces(), form.dimensions, question, threads)
                }
                (Values::F64(rows), Vector::F64(question)) => {
                    cosines(rows.pieces(), form.dimensions, question, threads)
                }
                _ => Vec::new(),
            };
            near.add_rows(matrix, cosines);
        }
        near
    }
}
