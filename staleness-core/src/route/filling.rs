//! Vectors in bulk, on their way from a store to where a search wants them.
//!
//! To touch new memory for the first time takes as long as reading what shall lie there. So from some size on
//! one thread reads, and another one puts away.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use super::vectors::Form;
use super::{Precision, RouteId, VectorError, Vectors};
use crate::ids::{ModelId, ProjectId, check_id};

/// So many bytes of numbers are handed over at once. Fewer of them are not worth a thread.
const PARCEL: usize = if cfg!(test) { 64 } else { 256 << 10 };
/// Parcels that wait at most, so that memory is bounded where putting away is the slower half.
const WAITING: usize = 4;

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
    /// What is there; nothing while a thread has it.
    vectors: Vectors,
    parcel: Parcel,
    other: Option<Other>,
    expected: usize,
}

/// Rows of one project and form.
#[derive(Debug, Default)]
struct Parcel {
    of: Option<Arc<(ProjectId, Form)>>,
    /// Whether none of them can be there already.
    new: bool,
    /// The route of each row, and where the name of its tool ends.
    rows: Vec<(RouteId, usize)>,
    tools: String,
    numbers: Vec<u8>,
}

/// The thread that puts away.
#[derive(Debug)]
struct Other {
    parcels: SyncSender<Parcel>,
    /// Parcels to use again.
    empty: Receiver<Parcel>,
    thread: JoinHandle<Vectors>,
}

impl Filling {
    /// Adds to `vectors`; a route that is there is replaced.
    #[must_use]
    pub fn new(vectors: Vectors) -> Self {
        let parcel = Parcel { new: vectors.is_empty(), ..Parcel::default() };
        Self { vectors, parcel, other: None, expected: 0 }
    }

    /// So many rows will come, as far as is known: room is made for that many of the form that comes first.
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
    /// [`VectorError`] for bytes that are no numbers of this precision, and for a name that is none.
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
        // Nearly always that of the row before.
        let same = self.parcel.of.as_deref().is_some_and(|(its, form)| {
            its.as_str() == project
                && form.model.as_str() == model
                && (form.precision, form.dimensions) == (precision, dimensions)
        });
        if !same {
            let project = ProjectId::new(project).map_err(|_| VectorError::Project)?;
            let model = ModelId::new(model).map_err(|_| VectorError::Model)?;
            self.hand_over();
            let form = Form { model, dimensions, precision };
            if self.other.is_none() && self.expected > 0 {
                self.vectors.matrix(&project, &form).expect(std::mem::take(&mut self.expected));
            }
            self.parcel.of = Some(Arc::new((project, form)));
        } else if self.parcel.numbers.len() >= PARCEL {
            self.hand_over();
        }
        self.parcel.tools.push_str(tool);
        self.parcel.rows.push((id, self.parcel.tools.len()));
        self.parcel.numbers.extend_from_slice(numbers);
        Ok(())
    }

    /// All that came in.
    #[must_use]
    pub fn finish(mut self) -> Vectors {
        let Some(Other { parcels, empty, thread }) = self.other else {
            self.parcel.empty_into(&mut self.vectors);
            return self.vectors;
        };
        // It cannot be gone, unless it panicked.
        let _ = parcels.send(self.parcel);
        drop((parcels, empty));
        match thread.join() {
            Ok(vectors) => vectors,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Has the parcel put away, here or elsewhere; the next one is of the same project and form.
    fn hand_over(&mut self) {
        if self.other.is_none() && self.parcel.numbers.len() >= PARCEL {
            self.other = Other::start(&mut self.vectors);
        }
        let Some(other) = &self.other else {
            self.parcel.empty_into(&mut self.vectors);
            return;
        };
        let mut next = other.empty.try_recv().unwrap_or_default();
        next.of.clone_from(&self.parcel.of);
        next.new = self.parcel.new;
        let _ = other.parcels.send(std::mem::replace(&mut self.parcel, next));
    }
}

impl Other {
    /// Nothing where there is but one processor, or no thread to be had.
    fn start(vectors: &mut Vectors) -> Option<Self> {
        thread::available_parallelism().ok().filter(|threads| threads.get() > 1)?;
        let (parcels, full) = sync_channel::<Parcel>(WAITING);
        let (back, empty) = channel();
        let (hand, taken) = channel();
        let thread = thread::Builder::new().name("vectors".into()).spawn(move || {
            let vectors: Vectors = taken.recv().unwrap_or_default();
            put_away(vectors, &full, &back)
        });
        let thread = thread.ok()?;
        hand.send(std::mem::take(vectors)).ok()?;
        Some(Self { parcels, empty, thread })
    }
}

fn put_away(mut vectors: Vectors, full: &Receiver<Parcel>, back: &Sender<Parcel>) -> Vectors {
    for mut parcel in full {
        parcel.empty_into(&mut vectors);
        // Whoever has read everything takes none back.
        let _ = back.send(parcel);
    }
    vectors
}

impl Parcel {
    fn empty_into(&mut self, vectors: &mut Vectors) {
        let Some((project, form)) = self.of.as_deref().filter(|_| !self.rows.is_empty()) else {
            return;
        };
        let matrix = vectors.matrix(project, form);
        let mut from = 0;
        let numbers = self.numbers.chunks_exact(form.dimensions * form.precision.bytes());
        for ((id, to), numbers) in self.rows.drain(..).zip(numbers) {
            let tool = &self.tools[from..to];
            if self.new {
                matrix.append(tool, id, numbers);
            } else {
                matrix.put(tool, id, numbers);
            }
            from = to;
        }
        self.tools.clear();
        self.numbers.clear();
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
        /// Whatever the threads do, and however often the form changes.
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
        assert_eq!(refused("p1", "m", "", &[0; 8]), VectorError::Tool);
        assert_eq!(refused("", "m", "t", &[0; 8]), VectorError::Project);
        assert_eq!(refused("p1", &long, "t", &[0; 8]), VectorError::Model);
        let all = filling.finish();
        assert_eq!((all.len(), all.get(&good.key)), (1, Some(good)));
    }

    #[test]
    fn who_gives_up_in_between_leaves_nothing_behind() {
        let mut filling = Filling::new(Vectors::default());
        for id in 0..200 {
            push(&mut filling, &row(1, id, 1, 4)).unwrap();
        }
        let thread = filling.other.take().map(|other| other.thread);
        drop(filling);
        if let Some(thread) = thread {
            assert!(thread.join().is_ok());
        }
    }
}
