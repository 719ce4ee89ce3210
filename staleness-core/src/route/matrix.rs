//! The vectors of one project, model and precision.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use super::numbers::Numbers;
use super::{Precision, RouteId, RouteKey, Vector};
use crate::ids::{ProjectId, ToolName};

/// The numbers of many vectors, one vector behind the other, in pieces of whole vectors.
#[derive(Clone, Debug)]
pub enum Values {
    /// Numbers of 32 bits.
    F32(Numbers<f32>),
    /// Numbers of 64 bits.
    F64(Numbers<f64>),
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
    places: HashMap<Box<str>, u32, foldhash::fast::RandomState>,
    values: Values,
    /// Made when it is asked for: a search does without.
    rows: OnceLock<Rows>,
}

/// The row of each tool, by its place, and id.
type Rows = HashMap<(u32, RouteId), usize, BuildHasherDefault<IdHasher>>;

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
            places: HashMap::default(),
            values: match precision {
                Precision::F32 => Values::F32(Numbers::new(dimensions)),
                Precision::F64 => Values::F64(Numbers::new(dimensions)),
            },
            rows: OnceLock::new(),
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

    /// The tool of each row, by its place in [`Matrix::names`].
    #[must_use]
    pub fn tools(&self) -> &[u32] {
        &self.tools
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
        let row = *self.index().get(&(place, id))?;
        Some(match &self.values {
            Values::F32(values) => Vector::F32(values.row(row)?.into()),
            Values::F64(values) => Vector::F64(values.row(row)?.into()),
        })
    }

    /// Adds a row, or replaces it. Numbers that there are too few of are zero.
    pub(super) fn put(&mut self, tool: &str, id: RouteId, bytes: &[u8]) {
        let key = (self.place_of(tool), id);
        match (self.index().get(&key).copied(), &mut self.values) {
            (Some(row), Values::F32(all)) => all.set(row, bytes),
            (Some(row), Values::F64(all)) => all.set(row, bytes),
            (None, _) => self.append(tool, id, bytes),
        }
    }

    /// Adds a row that is not there.
    pub(super) fn append(&mut self, tool: &str, id: RouteId, bytes: &[u8]) {
        let (row, tool) = (self.ids.len(), self.place_of(tool));
        if let Some(rows) = self.rows.get_mut() {
            rows.insert((tool, id), row);
        }
        self.ids.push(id);
        self.tools.push(tool);
        match &mut self.values {
            Values::F32(all) => all.append(bytes),
            Values::F64(all) => all.append(bytes),
        }
    }

    fn index(&self) -> &Rows {
        self.rows.get_or_init(|| {
            let keys = self.tools.iter().copied().zip(self.ids.iter().copied());
            keys.zip(0..).collect()
        })
    }

    /// So many more rows will come, as far as is known, before [`settle`](Self::settle).
    pub(super) fn expect(&mut self, rows: usize) {
        match &mut self.values {
            Values::F32(all) => all.expect(rows),
            Values::F64(all) => all.expect(rows),
        }
    }

    /// No more rows are expected.
    pub(super) fn settle(&mut self) {
        match &mut self.values {
            Values::F32(all) => all.settle(),
            Values::F64(all) => all.settle(),
        }
    }

    /// The place of a tool's name, which was checked. Rows come by tool, as a rule, so the last one is looked at
    /// first.
    fn place_of(&mut self, tool: &str) -> u32 {
        let same = |place: &u32| self.names[*place as usize].as_str() == tool;
        if let Some(last) = self.tools.last().copied().filter(same) {
            return last;
        }
        if let Some(place) = self.places.get(tool) {
            return *place;
        }
        let place = self.names.len() as u32;
        self.names.push(ToolName::checked(tool));
        self.places.insert(tool.into(), place);
        place
    }

    pub(super) fn key(&self, project: &ProjectId, row: usize) -> RouteKey {
        let tool = self.names[self.tools[row] as usize].clone();
        RouteKey { project: project.clone(), tool, id: self.ids[row] }
    }

    /// Removes a row; the last one takes its place.
    pub(super) fn remove(&mut self, tool: &ToolName, id: RouteId) {
        let Some(place) = self.places.get(tool.as_str()).copied() else { return };
        self.index();
        let Some(rows) = self.rows.get_mut() else { return };
        let Some(row) = rows.remove(&(place, id)) else { return };
        self.ids.swap_remove(row);
        self.tools.swap_remove(row);
        if let (Some(id), Some(place)) = (self.ids.get(row), self.tools.get(row)) {
            rows.insert((*place, *id), row);
        }
        match &mut self.values {
            Values::F32(all) => all.swap_remove(row),
            Values::F64(all) => all.swap_remove(row),
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
