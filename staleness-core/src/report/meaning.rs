//! What goes by meaning: the learned queries whose vectors are nearest to that of a question.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use crate::ids::{ModelId, ProjectId, ToolName};
use crate::route::{Precision, RouteId, Values, Vector, Vectors};
use crate::search::nearest;
use crate::store::Refusal;

/// How many of the vectors nearest to a question are taken up, beside the limit: the best route of a
/// tool may be less close and more sure than others of it.
const MORE: usize = 200;

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

    /// The cosines of the routes of a project that are nearest to it, of those to wanted tools: enough of
    /// them for `limit` tools.
    pub(crate) fn nearest(
        self,
        vectors: &Vectors,
        project: &ProjectId,
        limit: usize,
        wanted: impl Fn(&ToolName) -> bool,
    ) -> HashMap<RouteId, f64> {
        let limit = limit.saturating_add(MORE);
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let mut found = HashMap::new();
        for (form, matrix) in vectors.of(project, self.model) {
            let Ok(question) = Vector::new(self.numbers, form.precision) else { continue };
            let usable: Vec<bool> = matrix.names().iter().map(&wanted).collect();
            let key = |row: usize| {
                let tool = matrix.tool(row)?;
                (*usable.get(tool as usize)?).then(|| matrix.ids()[row])
            };
            // Of another number of dimensions nothing is found.
            let nearest = match (matrix.values(), &question) {
                (Values::F32(rows), Vector::F32(question)) => {
                    nearest(rows.pieces(), form.dimensions, question, limit, threads, key)
                }
                (Values::F64(rows), Vector::F64(question)) => {
                    nearest(rows.pieces(), form.dimensions, question, limit, threads, key)
                }
                _ => Vec::new(),
            };
            found.extend(nearest.into_iter().map(|(cosine, id)| (id, cosine)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::{RouteKey, RouteVector};

    #[test]
    fn routes_of_tools_that_are_not_wanted_take_no_place() {
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
            let near = question.nearest(&vectors, &project, 1, |tool| tool.as_str() == only);
            let mut found: Vec<u128> = near.keys().map(|id| id.0).collect();
            found.sort_unstable();
            assert_eq!(found, ids, "{only}");
        }
    }
}
