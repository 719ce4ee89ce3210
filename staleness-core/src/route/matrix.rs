//! The vectors of one project, model and precision, in one piece of memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::vector::{doubles, floats};
use super::{Precision, RouteId, RouteKey, Vector};
use crate::ids::{IdError, ProjectId, ToolName};

/// The numbers of many vectors, one vector behind the other.
#[derive(Clone, Debug)]
pub enum Values {
    /// Numbers of 32 bits.
    F32(Vec<f32>),
    /// Numbers of 64 bits.
    F64(Vec<f64>),
}

/// Vectors of one project and [`Form`](super::Form): row `n` is the vector of `ids()[n]`. Rows come in no particular
/// order.
#[derive(Clone, Debug)]
pub struct Matrix {
    dimensions: usize,
    ids: Vec<RouteId>,
    /// The tool of each row, by its place in `names`.
    tools: Vec<u32>,
    names: Vec<ToolName>,
    places: HashMap<Box<str>, u32>,
    values: Values,
    /// The row of each tool, by its place, and id.
    rows: HashMap<(u32, RouteId), usize, BuildHasherDefault<IdHasher>>,
}

/// Ids are hashes already.
#[derive(Clone, Copy, Debug, Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u32(&mut self, tool: u32) {
        self.0 ^= u64::from(tool);
    }

    fn write_u128(&mut self, id: u128) {
        self.0 ^= (id >> 64) as u64 ^ id as u64;
    }
}

impl Matrix {
    pub(super) fn new(dimensions: usize, precision: Precision) -> Self {
        Self {
            dimensions,
            ids: Vec::new(),
            tools: Vec::new(),
            names: Vec::new(),
            places: HashMap::new(),
            values: match precision {
                Precision::F32 => Values::F32(Vec::new()),
                Precision::F64 => Values::F64(Vec::new()),
            },
            rows: HashMap::default(),
        }
    }

    /// How many rows there are.
    pub(super) const fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    pub(super) const fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// How many numbers a row has.
    #[must_use]
    pub const fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The route of each row.
    #[must_use]
    pub fn ids(&self) -> &[RouteId] {
        &self.ids
    }

    /// The tool of a row, by its place in [`Matrix::names`]; `None` behind the last row.
    #[must_use]
    pub fn tool(&self, row: usize) -> Option<u32> {
        self.tools.get(row).copied()
    }

    /// The tools, each once, in no particular order. Some may have no row.
    #[must_use]
    pub fn names(&self) -> &[ToolName] {
        &self.names
    }

    /// The numbers of all rows.
    #[must_use]
    pub const fn values(&self) -> &Values {
        &self.values
    }

    /// The vector of a route, copied.
    #[must_use]
    pub fn get(&self, tool: &ToolName, id: RouteId) -> Option<Vector> {
        let place = *self.places.get(tool.as_str())?;
        let row = *self.rows.get(&(place, id))?;
        let range = row * self.dimensions..(row + 1) * self.dimensions;
        Some(match &self.values {
            Values::F32(values) => Vector::F32(values[range].into()),
            Values::F64(values) => Vector::F64(values[range].into()),
        })
    }

    /// Adds a row, or replaces it. Numbers that there are too few of are zero; see [`super::Vectors::push`].
    pub(super) fn put(&mut self, tool: &str, id: RouteId, bytes: &[u8]) -> Result<(), IdError> {
        let (end, dimensions) = (self.ids.len(), self.dimensions);
        let tool = self.place_of(tool)?;
        let row = *self.rows.entry((tool, id)).or_insert(end);
        let new = row == end;
        if new {
            self.ids.push(id);
            self.tools.push(tool);
        }
        fn place<T: Copy + Default>(
            all: &mut Vec<T>,
            row: usize,
            dimensions: usize,
            numbers: impl Iterator<Item = T>,
        ) {
            if row * dimensions == all.len() {
                all.extend(numbers);
                all.resize((row + 1) * dimensions, T::default());
            } else {
                let slots = &mut all[row * dimensions..(row + 1) * dimensions];
                slots.iter_mut().zip(numbers).for_each(|(slot, number)| *slot = number);
            }
        }
        match &mut self.values {
            Values::F32(all) => place(all, row, dimensions, floats(bytes)),
            Values::F64(all) => place(all, row, dimensions, doubles(bytes)),
        }
        Ok(())
    }

    /// The place of a tool's name. Rows come by tool, as a rule, so the last one is looked at first.
    fn place_of(&mut self, tool: &str) -> Result<u32, IdError> {
        let same = |place: &u32| self.names[*place as usize].as_str() == tool;
        if let Some(last) = self.tools.last().copied().filter(same) {
            return Ok(last);
        }
        if let Some(place) = self.places.get(tool) {
            return Ok(*place);
        }
        let place = self.names.len() as u32;
        self.names.push(ToolName::new(tool)?);
        self.places.insert(tool.into(), place);
        Ok(place)
    }

    pub(super) fn key(&self, project: &ProjectId, row: usize) -> RouteKey {
        let tool = self.names[self.tools[row] as usize].clone();
        RouteKey { project: project.clone(), tool, id: self.ids[row] }
    }

    /// Removes a row; the last one takes its place.
    pub(super) fn remove(&mut self, tool: &ToolName, id: RouteId) {
        let place = self.places.get(tool.as_str()).copied();
        let Some(row) = place.and_then(|place| self.rows.remove(&(place, id))) else { return };
        self.ids.swap_remove(row);
        self.tools.swap_remove(row);
        if let (Some(id), Some(place)) = (self.ids.get(row), self.tools.get(row)) {
            self.rows.insert((*place, *id), row);
        }
        fn drop_row<T: Copy>(all: &mut Vec<T>, row: usize, dimensions: usize) {
            let last = all.len() - dimensions;
            all.copy_within(last.., row * dimensions);
            all.truncate(last);
        }
        match &mut self.values {
            Values::F32(all) => drop_row(all, row, self.dimensions),
            Values::F64(all) => drop_row(all, row, self.dimensions),
        }
    }
}

impl PartialEq for Matrix {
    /// Whether both hold the same vectors, in whatever order.
    fn eq(&self, other: &Self) -> bool {
        self.ids.len() == other.ids.len()
            && (0..self.ids.len()).all(|row| {
                let (id, tool) = (self.ids[row], &self.names[self.tools[row] as usize]);
                self.get(tool, id) == other.get(tool, id)
            })
    }
}
