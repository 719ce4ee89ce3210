//! Closeness by meaning: the cosines between a question's vector and the vectors of learned queries.

use std::collections::BTreeMap;

use crate::ids::{ModelId, ProjectId};
use crate::route::{Precision, RouteId, RouteKey, RouteVector, Vector};
use crate::store::{Invalid, Refusal};

/// A question's vector, which need not have length 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct QueryVector<'a> {
    pub model: &'a ModelId,
    /// The components, one per dimension.
    pub numbers: &'a [f64],
}

type Rows = BTreeMap<RouteKey, RouteVector>;

/// Selects the vectors that a model made in a project.
pub(crate) fn of_model<'v>(
    vectors: &'v Rows,
    project: &ProjectId,
    model: &ModelId,
) -> impl Iterator<Item = &'v RouteVector> {
    vectors.values().filter(move |row| row.key.project == *project && row.model == *model)
}

impl<'a> QueryVector<'a> {
    pub(crate) fn of(pair: &'a (ModelId, Vec<f64>)) -> Self {
        Self { model: &pair.0, numbers: &pair.1 }
    }

    /// Errors if the vector has no direction.
    pub(crate) fn check(self) -> Result<(), Refusal> {
        let vector = Vector::new(self.numbers, Precision::F64);
        vector.map(drop).map_err(|why| Invalid::Vector(why).into())
    }

    /// Returns true if the project has vectors of the same model.
    ///
    /// # Errors
    /// If all of these have another number of dimensions.
    pub(crate) fn fits(self, vectors: &Rows, project: &ProjectId) -> Result<bool, Refusal> {
        let all = || of_model(vectors, project, self.model).map(|row| row.vector.dimensions());
        let found = self.numbers.len();
        match all().next() {
            Some(known) if !all().any(|each| each == found) => {
                Err(Invalid::QueryDimensions { model: self.model.clone(), found, known }.into())
            }
            known => Ok(known.is_some()),
        }
    }

    /// Returns the cosines of all routes of a project. All are needed, because a less similar route with more
    /// confidence may be the best one of its tool.
    pub(crate) fn near(self, vectors: &Rows, project: &ProjectId) -> Vec<(RouteId, f64)> {
        let [narrow, wide] = [Precision::F32, Precision::F64]
            .map(|precision| Vector::new(self.numbers, precision).ok());
        let cosine = |row: &RouteVector| {
            let asked = match row.vector.precision() {
                Precision::F32 => &narrow,
                Precision::F64 => &wide,
            };
            Some((row.key.id, asked.as_ref()?.cosine(&row.vector)?))
        };
        of_model(vectors, project, self.model).filter_map(cosine).collect()
    }
}
