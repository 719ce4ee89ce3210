//! Vectors in bulk: those of one project and model lie side by side.

use std::collections::BTreeMap;

use super::matrix::Matrix;
use super::{Precision, RouteKey, RouteVector};
use crate::ids::{ModelId, ProjectId};

/// What vectors must share to be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Form {
    /// The model that made them.
    pub model: ModelId,
    /// How many dimensions they have.
    pub dimensions: usize,
    /// The precision of their numbers.
    pub precision: Precision,
}

/// Vectors by project and form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vectors {
    matrices: BTreeMap<ProjectId, BTreeMap<Form, Matrix>>,
}

impl Vectors {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.matrices.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.matrices().map(|(_, _, matrix)| matrix.len()).sum()
    }

    /// All of them, by project and form.
    pub fn matrices(&self) -> impl Iterator<Item = (&ProjectId, &Form, &Matrix)> + '_ {
        self.matrices.iter().flat_map(|(project, forms)| {
            forms.iter().map(move |(form, matrix)| (project, form, matrix))
        })
    }

    /// Those of one project and model, by form.
    pub fn of<'a, 'm>(
        &'a self,
        project: &ProjectId,
        model: &'m ModelId,
    ) -> impl Iterator<Item = (&'a Form, &'a Matrix)> + use<'a, 'm> {
        let forms = self.matrices.get(project).into_iter().flatten();
        forms.filter(move |(form, _)| form.model == *model)
    }

    /// The vector of a route, copied.
    #[must_use]
    pub fn get(&self, key: &RouteKey) -> Option<RouteVector> {
        let forms = self.matrices.get(&key.project)?;
        forms.iter().find_map(|(form, matrix)| {
            let vector = matrix.get(&key.tool, key.id)?;
            Some(RouteVector { key: key.clone(), model: form.model.clone(), vector })
        })
    }

    /// Every key, in order.
    #[must_use]
    pub fn keys(&self) -> Vec<RouteKey> {
        let all = self.matrices().flat_map(|(project, _, matrix)| {
            (0..matrix.len()).map(move |row| matrix.key(project, row))
        });
        let mut keys: Vec<RouteKey> = all.collect();
        keys.sort_unstable();
        keys
    }

    /// Adds a vector, or replaces that of its route.
    pub fn insert(&mut self, row: &RouteVector) {
        let form = Form {
            model: row.model.clone(),
            dimensions: row.vector.dimensions(),
            precision: row.vector.precision(),
        };
        self.remove(&row.key);
        let forms = self.matrices.entry(row.key.project.clone()).or_default();
        let (dimensions, precision) = (form.dimensions, form.precision);
        let matrix = forms.entry(form).or_insert_with(|| Matrix::new(dimensions, precision));
        matrix.put(row.key.tool.as_str(), row.key.id, &row.vector.to_bytes());
    }

    /// Removes the vector of a route, if there is one.
    pub fn remove(&mut self, key: &RouteKey) {
        let Some(forms) = self.matrices.get_mut(&key.project) else { return };
        forms.values_mut().for_each(|matrix| matrix.remove(&key.tool, key.id));
        forms.retain(|_, matrix| !matrix.is_empty());
        if forms.is_empty() {
            self.matrices.remove(&key.project);
        }
    }

    /// Adds all of `other`, which is from the same snapshot.
    pub fn merge(&mut self, other: Self) {
        if self.is_empty() {
            *self = other;
            return;
        }
        for key in other.keys() {
            if let Some(row) = other.get(&key) {
                self.insert(&row);
            }
        }
    }

    /// Those of a project and a form, perhaps none yet, for somebody to add to and to
    /// [give back](Self::give_back).
    pub(super) fn take(&mut self, project: &ProjectId, form: &Form) -> Matrix {
        let taken = self.matrices.get_mut(project).and_then(|forms| forms.remove(form));
        taken.unwrap_or_else(|| Matrix::new(form.dimensions, form.precision))
    }

    /// Those that were taken, and now are at least one.
    pub(super) fn give_back(&mut self, project: ProjectId, form: Form, matrix: Matrix) {
        self.matrices.entry(project).or_default().insert(form, matrix);
    }
}

impl<'a> Extend<&'a RouteVector> for Vectors {
    fn extend<I: IntoIterator<Item = &'a RouteVector>>(&mut self, rows: I) {
        rows.into_iter().for_each(|row| self.insert(row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ToolName;
    use crate::route::{RouteId, Values, Vector};

    fn row(id: u128, numbers: &[f64]) -> RouteVector {
        RouteVector {
            key: RouteKey {
                project: ProjectId::new("p").unwrap(),
                tool: ToolName::new(if id < 3 { "t" } else { "u" }).unwrap(),
                id: RouteId(id),
            },
            model: ModelId::new("m").unwrap(),
            vector: Vector::new(numbers, Precision::F32).unwrap(),
        }
    }

    #[test]
    fn vectors_are_found_replaced_and_removed() {
        let mut all = Vectors::default();
        let rows = [row(1, &[1.0, 0.0]), row(2, &[0.0, 1.0]), row(3, &[1.0, 1.0])];
        all.extend(&rows);
        assert_eq!(all.len(), 3);
        let matrix = all.matrices().next().unwrap().2;
        assert!(matches!(matrix.values(), Values::F32(values) if values.len() == 3));
        for row in &rows {
            assert_eq!(all.get(&row.key).as_ref(), Some(row));
        }
        // Of another form: it moves.
        let other = row(1, &[1.0, 2.0, 3.0]);
        all.insert(&other);
        assert_eq!((all.len(), all.matrices().count()), (3, 2));
        assert_eq!(all.get(&other.key), Some(other.clone()));
        all.remove(&rows[1].key);
        assert_eq!(all.get(&rows[1].key), None);
        assert_eq!(all.get(&rows[2].key).as_ref(), Some(&rows[2]));
        all.remove(&rows[2].key);
        all.remove(&other.key);
        assert!(all.is_empty());
    }

    #[test]
    fn the_order_in_which_vectors_came_makes_no_difference() {
        let rows = [row(1, &[1.0, 0.0]), row(2, &[0.0, 1.0])];
        let (mut one, mut two) = (Vectors::default(), Vectors::default());
        one.extend(&rows);
        two.extend(rows.iter().rev());
        assert_eq!(one, two);
        two.remove(&rows[0].key);
        assert_ne!(one, two);
        two.insert(&row(1, &[1.0, 0.1]));
        assert_ne!(one, two);
    }
}
