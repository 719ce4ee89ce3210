//! Vectors in bulk, on their way from a store to where a search wants them.

use super::matrix::Matrix;
use super::vectors::Form;
use super::{MAX_DIMENSIONS, Precision, RouteId, VectorError, Vectors};
use crate::ids::{ModelId, ProjectId, check_id};

/// Takes vectors in as they are stored, one row at a time, with no allocation for each. Every route comes at most
/// once; see [`Vectors`] for where they lie then.
///
/// ```
/// use staleness_core::route::{Filling, Precision, RouteId, Vectors};
///
/// let mut filling = Filling::new(Vectors::default());
/// let numbers = [1.0_f32, 0.0].map(f32::to_le_bytes).concat();
/// filling.push("shop", "a-model", Precision::F32, "search", RouteId(1), &numbers)?;
/// assert_eq!(filling.finish().len(), 1);
/// # Ok::<(), staleness_core::route::VectorError>(())
/// ```
#[derive(Debug)]
pub struct Filling {
    vectors: Vectors,
    /// Those that the last row belongs to, taken out: looking them up for every row would show.
    current: Option<Current>,
    /// Whether nothing was there before.
    new: bool,
    expected: usize,
}

#[derive(Debug)]
struct Current {
    project: ProjectId,
    form: Form,
    matrix: Matrix,
}

impl Filling {
    /// Adds to `vectors`; a route that is there is replaced.
    #[must_use]
    pub fn new(vectors: Vectors) -> Self {
        Self { new: vectors.is_empty(), vectors, current: None, expected: 0 }
    }

    /// So many rows will come, as far as is known. Where they are many, memory for those of the form that comes
    /// first is made ready by another thread.
    #[must_use]
    pub const fn expecting(mut self, rows: usize) -> Self {
        self.expected = rows;
        self
    }

    /// Adds a vector as it is stored: see [`Vector::to_bytes`](super::Vector::to_bytes). It must not be there
    /// under another model, precision or number of dimensions. Whether its numbers are finite and it has length
    /// 1 is a matter of [`Vector::from_bytes`](super::Vector::from_bytes).
    ///
    /// # Errors
    /// [`VectorError`] for bytes that are no numbers of this precision or too many, and for a name that is none.
    pub fn push(
        &mut self,
        project: &str,
        model: &str,
        precision: Precision,
        tool: &str,
        id: RouteId,
        numbers: &[u8],
    ) -> Result<(), VectorError> {
        if numbers.is_empty() {
            return Err(VectorError::Empty);
        }
        if !numbers.len().is_multiple_of(precision.bytes()) {
            return Err(VectorError::Length(numbers.len()));
        }
        check_id(tool).map_err(|_| VectorError::Tool)?;
        let dimensions = numbers.len() / precision.bytes();
        if dimensions > MAX_DIMENSIONS {
            return Err(VectorError::TooLong(dimensions));
        }
        // Nearly always that of the row before.
        let same = self.current.as_ref().is_some_and(|Current { project: its, form, .. }| {
            its.as_str() == project
                && form.model.as_str() == model
                && (form.precision, form.dimensions) == (precision, dimensions)
        });
        if !same {
            let project = ProjectId::new(project).map_err(|_| VectorError::Project)?;
            let model = ModelId::new(model).map_err(|_| VectorError::Model)?;
            self.give_back();
            let form = Form { model, dimensions, precision };
            let mut matrix = self.vectors.take(&project, &form);
            matrix.expect(std::mem::take(&mut self.expected));
            self.current = Some(Current { project, form, matrix });
        }
        match &mut self.current {
            Some(current) if self.new => current.matrix.append(tool, id, numbers),
            Some(current) => current.matrix.put(tool, id, numbers),
            None => {}
        }
        Ok(())
    }

    /// All that came in.
    #[must_use]
    pub fn finish(mut self) -> Vectors {
        self.give_back();
        self.vectors
    }

    fn give_back(&mut self) {
        if let Some(Current { project, form, mut matrix }) = self.current.take() {
            matrix.settle();
            self.vectors.give_back(project, form, matrix);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ids::ToolName;
    use crate::route::{RouteKey, RouteVector, Vector};

    fn row(project: u8, id: u8, turn: u8, dimensions: usize) -> RouteVector {
        let numbers: Vec<f64> =
            (0..dimensions).map(|at| f64::from(turn) + at as f64 + 0.5).collect();
        let tool = ["t", "much-longer", "u"][usize::from(id % 3)];
        RouteVector {
            key: RouteKey {
                project: ProjectId::new(format!("p{project}")).unwrap(),
                tool: ToolName::new(tool).unwrap(),
                id: RouteId(id.into()),
            },
            model: ModelId::new("m").unwrap(),
            vector: Vector::new(&numbers, [Precision::F32, Precision::F64][dimensions % 2])
                .unwrap(),
        }
    }

    fn push(filling: &mut Filling, row: &RouteVector) -> Result<(), VectorError> {
        let RouteKey { project, tool, id } = &row.key;
        let (vector, model) = (&row.vector, row.model.as_str());
        let (precision, bytes) = (vector.precision(), vector.to_bytes());
        filling.push(project.as_str(), model, precision, tool.as_str(), *id, &bytes)
    }

    proptest! {
        /// However often the form changes.
        #[test]
        fn what_is_filled_in_is_what_was_inserted_one_by_one(
            rows in prop::collection::vec((0_u8..3, any::<u8>(), any::<u8>()), 0..200),
            known in prop::collection::vec((0_u8..3, any::<u8>(), any::<u8>()), 0..5),
            room in 0_usize..300,
        ) {
            // The form follows from the project, so no route has two.
            let all = |rows: &[(u8, u8, u8)]| -> Vec<RouteVector> {
                rows.iter().map(|(p, id, turn)| row(*p, *id, *turn, 2 + usize::from(*p))).collect()
            };
            let mut one_by_one = Vectors::default();
            one_by_one.extend(&all(&known));
            let mut filling = Filling::new(one_by_one.clone()).expecting(room);
            let mut seen = std::collections::BTreeSet::new();
            for row in all(&rows).into_iter().filter(|row| seen.insert(row.key.clone())) {
                push(&mut filling, &row).unwrap();
                one_by_one.insert(&row);
            }
            prop_assert_eq!(filling.finish(), one_by_one);
        }
    }

    #[test]
    fn what_is_no_vector_is_refused_and_the_rest_stays() {
        let mut filling = Filling::new(Vectors::default());
        let good = row(1, 1, 1, 2);
        push(&mut filling, &good).unwrap();
        let long = "x".repeat(5_000);
        let mut refused = |project, model, tool, bytes: &[u8]| {
            filling.push(project, model, Precision::F32, tool, RouteId(2), bytes).unwrap_err()
        };
        assert_eq!(refused("p1", "m", "t", &[]), VectorError::Empty);
        assert_eq!(refused("p1", "m", "t", &[0; 7]), VectorError::Length(7));
        let many = vec![0; 4 * (MAX_DIMENSIONS + 1)];
        assert_eq!(refused("p1", "m", "t", &many), VectorError::TooLong(4_097));
        assert_eq!(refused("p1", "m", "", &[0; 8]), VectorError::Tool);
        assert_eq!(refused("", "m", "t", &[0; 8]), VectorError::Project);
        assert_eq!(refused("p1", &long, "t", &[0; 8]), VectorError::Model);
        let all = filling.finish();
        assert_eq!((all.len(), all.get(&good.key)), (1, Some(good)));
    }
}
