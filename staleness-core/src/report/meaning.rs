//! What goes by meaning: how near the vectors of learned queries are to that of a question.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use crate::ids::{ModelId, ProjectId, ToolName};
use crate::route::{Precision, RouteId, Values, Vector, Vectors};
use crate::search::cosines;
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

    /// The cosines of all routes of a project that lead to wanted tools, but for those that point away from
    /// it. All, since the best route of a tool may be the less close and the more sure one of many.
    pub(crate) fn cosines(
        self,
        vectors: &Vectors,
        project: &ProjectId,
        wanted: impl Fn(&ToolName) -> bool,
    ) -> HashMap<RouteId, f64> {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let mut found = HashMap::new();
        for (form, matrix) in vectors.of(project, self.model) {
            let Ok(question) = Vector::new(self.numbers, form.precision) else { continue };
            // Of another number of dimensions nothing is found.
            let all = match (matrix.values(), &question) {
                (Values::F32(rows), Vector::F32(question)) => {
                    cosines(rows.pieces(), form.dimensions, question, threads)
                }
                (Values::F64(rows), Vector::F64(question)) => {
                    cosines(rows.pieces(), form.dimensions, question, threads)
                }
                _ => Vec::new(),
            };
            let usable: Vec<bool> = matrix.names().iter().map(&wanted).collect();
            let is_usable = |row| matrix.tool(row).is_some_and(|tool| usable[tool as usize]);
            let rows = all.into_iter().enumerate().filter(|(_, cosine)| *cosine > 0.0);
            let rows = rows.filter(|(row, _)| is_usable(*row));
            found.extend(rows.map(|(row, cosine)| (matrix.ids()[row], cosine)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::{RouteKey, RouteVector};

    #[test]
    fn routes_of_tools_that_are_not_wanted_are_not_compared() {
        let project = ProjectId::new("p").unwrap();
        let model = ModelId::new("m").unwrap();
        let mut vectors = Vectors::default();
        for (id, tool) in [(1, "a"), (2, "b"), (3, "a")] {
            vectors.insert(&RouteVector {
                key: RouteKey {
                    project: project.clone(),
                    tool: ToolName::new(tool).unwrap(),
                    id: RouteId(id),
                },
                model: model.clone(),
                vector: Vector::new(&[1.0, id as f64], Precision::F32).unwrap(),
            });
        }
        let question = QueryVector { model: &model, numbers: &[1.0, 1.0] };
        for (only, ids) in [("a", vec![1, 3]), ("b", vec![2]), ("c", vec![])] {
            let near = question.cosines(&vectors, &project, |tool| tool.as_str() == only);
            let mut found: Vec<u128> = near.keys().map(|id| id.0).collect();
            found.sort_unstable();
            assert_eq!(found, ids, "{only}");
        }
    }
}
