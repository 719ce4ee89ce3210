//! Rows of numbers, in pieces of about a mebibyte.
//!
//! A system hands out memory page by page, as each is touched for the first time. For the vectors of 50,000 routes
//! that takes about as long as reading them from a store, so where many rows are expected another thread touches
//! the pieces ahead of their use. Of what lies in pieces only the first is copied as it grows.

use std::fmt;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crate::search::Component;

/// A full piece has about so many bytes, and one row at least.
const PIECE: usize = if cfg!(test) { 64 } else { 1 << 20 };
/// For so many pieces more a thread is worth it.
const MANY: usize = 3;
/// So many touched pieces wait at most.
const AHEAD: usize = 4;

/// Rows of as many numbers each.
pub struct Numbers<T> {
    /// The numbers of a row, at least one.
    width: usize,
    /// The numbers of a full piece.
    full: usize,
    /// All but the last are full, and none is empty.
    pieces: Vec<Vec<T>>,
    /// So many rows are expected beside those that are there.
    expected: usize,
    /// Pieces to come; the lock is never taken, and lets threads share what they do not use.
    ahead: Option<Mutex<Receiver<Vec<T>>>>,
}

/// What can lie in [`Numbers`].
pub trait Number: Component {
    /// Numbers as they are stored, least byte first: nothing but a copy, where the processor has them so too.
    fn read(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self> + '_;
}

macro_rules! number {
    ($number:ty) => {
        impl Number for $number {
            fn read(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self> + '_ {
                bytes.as_chunks().0.iter().map(|number| Self::from_le_bytes(*number))
            }
        }
    };
}

number!(f32);
number!(f64);

impl<T: Number> Numbers<T> {
    /// No rows yet, of so many numbers each; 0 stands for 1.
    pub(super) fn new(width: usize) -> Self {
        let width = width.max(1);
        let full = (PIECE / size_of::<T>() / width).max(1) * width;
        Self { width, full, pieces: Vec::new(), expected: 0, ahead: None }
    }

    /// The rows one behind the other, in pieces of whole rows.
    #[must_use]
    pub fn pieces(&self) -> &[Vec<T>] {
        &self.pieces
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        let last = self.pieces.last().map_or(0, Vec::len);
        (self.pieces.len().saturating_sub(1) * self.full + last) / self.width
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The piece of a row, and where in it the row begins.
    const fn place(&self, row: usize) -> (usize, usize) {
        let rows = self.full / self.width;
        (row / rows, row % rows * self.width)
    }

    /// A row; `None` behind the last one.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<&[T]> {
        let (piece, at) = self.place(row);
        self.pieces.get(piece)?.get(at..at + self.width)
    }

    /// So many rows will come, as far as is known, before [`settle`](Self::settle).
    pub(super) const fn expect(&mut self, rows: usize) {
        self.expected = rows;
    }

    /// No more is expected: what was made ahead is given back.
    pub(super) fn settle(&mut self) {
        self.expected = 0;
        self.ahead = None;
    }

    /// Has pieces made ahead, if so many are expected. Called when the first piece is full: whoever has less than
    /// that makes none, whatever was expected.
    fn look_ahead(&mut self) {
        let (full, pieces) = (self.full, self.expected.saturating_mul(self.width) / self.full);
        self.expected = 0;
        let alone = || thread::available_parallelism().is_ok_and(|threads| threads.get() == 1);
        if pieces < MANY || alone() {
            return;
        }
        let (made, taken) = sync_channel(AHEAD);
        let touch = move || {
            for _ in 0..pieces {
                // Not zero, which a system may promise without having touched anything.
                let mut piece = vec![T::narrow(1.0); full];
                piece.clear();
                if made.send(piece).is_err() {
                    break;
                }
            }
        };
        // Without a thread, pages are touched as they are filled.
        let thread = thread::Builder::new().name("memory".into()).spawn(touch);
        self.ahead = thread.is_ok().then(|| Mutex::new(taken));
    }

    /// Sets a row that is there.
    pub(super) fn set(&mut self, row: usize, bytes: &[u8]) {
        let (piece, at) = self.place(row);
        let row = self.pieces.get_mut(piece).and_then(|piece| piece.get_mut(at..at + self.width));
        if let Some(row) = row {
            row.fill(T::default());
            row.iter_mut().zip(T::read(bytes)).for_each(|(slot, number)| *slot = number);
        }
    }

    /// Adds a row; numbers that there are too few of are zero.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        if self.pieces.last().is_none_or(|piece| piece.len() == self.full) {
            if self.pieces.len() == 1 {
                self.look_ahead();
            }
            let ahead = self.ahead.as_mut().and_then(|ahead| ahead.get_mut().ok());
            let fresh = ahead.and_then(|ahead| ahead.try_recv().ok()).unwrap_or_else(|| {
                // One that follows others will be filled; the first may be all there is.
                Vec::with_capacity(if self.pieces.is_empty() { 0 } else { self.full })
            });
            self.pieces.push(fresh);
        }
        let Some(piece) = self.pieces.last_mut() else { return };
        if piece.len() == piece.capacity() {
            piece.reserve_exact(piece.len().clamp(self.width, self.full - piece.len()));
        }
        let end = piece.len() + self.width;
        piece.extend(T::read(bytes).take(self.width));
        piece.resize(end, T::default());
    }

    /// Removes a row, if it is there; the last one takes its place.
    pub(super) fn swap_remove(&mut self, row: usize) {
        if row >= self.len() {
            return;
        }
        let (piece, at) = self.place(row);
        let Some((last, others)) = self.pieces.split_last_mut() else { return };
        let kept = last.len() - self.width;
        match others.get_mut(piece) {
            Some(other) => other[at..at + self.width].copy_from_slice(&last[kept..]),
            None => last.copy_within(kept.., at),
        }
        last.truncate(kept);
        if last.is_empty() {
            self.pieces.pop();
        }
    }
}

impl<T: Clone> Clone for Numbers<T> {
    fn clone(&self) -> Self {
        let (width, full, pieces) = (self.width, self.full, self.pieces.clone());
        Self { width, full, pieces, expected: 0, ahead: None }
    }
}

impl<T: Number> fmt::Debug for Numbers<T> {
    /// How many: there are thousands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Numbers({} × {})", self.len(), self.width)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The bits of every row.
    fn bits(rows: &[Vec<f32>]) -> Vec<Vec<u32>> {
        rows.iter().map(|row| row.iter().map(|n| n.to_bits()).collect()).collect()
    }

    proptest! {
        /// In one piece and in many, made ahead or not.
        #[test]
        fn rows_are_where_they_were_put(
            steps in prop::collection::vec((0_u8..8, 0_usize..60, any::<[f32; 3]>()), 0..120),
            room in 0_usize..200,
            settled in 0_usize..120,
        ) {
            let mut numbers = Numbers::<f32>::new(3);
            let mut plain: Vec<Vec<f32>> = Vec::new();
            numbers.expect(room);
            for (at, (kind, row, three)) in steps.iter().enumerate() {
                if at == settled {
                    numbers.settle();
                }
                let bytes = three.map(f32::to_le_bytes).concat();
                match (kind, plain.get_mut(*row)) {
                    (0, Some(_)) => {
                        numbers.swap_remove(*row);
                        plain.swap_remove(*row);
                    }
                    (0, None) => numbers.swap_remove(*row),
                    (1, Some(known)) => {
                        numbers.set(*row, &bytes[..8]);
                        *known = vec![three[0], three[1], 0.0];
                    }
                    (2, _) => {
                        numbers.append(&bytes[..4]);
                        plain.push(vec![three[0], 0.0, 0.0]);
                    }
                    _ => {
                        numbers.append(&bytes);
                        plain.push(three.to_vec());
                    }
                }
                prop_assert_eq!(numbers.len(), plain.len());
                prop_assert_eq!(numbers.is_empty(), plain.is_empty());
            }
            let rows: Vec<Vec<f32>> =
                (0..).map_while(|row| numbers.row(row).map(<[f32]>::to_vec)).collect();
            prop_assert_eq!(bits(&rows), bits(&plain));
            let copy = numbers.clone();
            let flat: Vec<f32> = copy.pieces().concat();
            prop_assert_eq!(bits(&[flat]), bits(&[plain.concat()]));
        }
    }

    #[test]
    fn a_piece_has_whole_rows_and_one_at_least() {
        for (width, rows) in [(3, 5), (16, 1), (40, 1), (0, 16)] {
            let mut numbers = Numbers::<f32>::new(width);
            (0..rows + 1).for_each(|_| numbers.append(&[]));
            let lengths: Vec<usize> = numbers.pieces().iter().map(Vec::len).collect();
            assert_eq!(lengths, [rows * width.max(1), width.max(1)], "{width}");
            assert_eq!(format!("{numbers:?}"), format!("Numbers({} × {})", rows + 1, width.max(1)));
        }
    }

    #[test]
    fn nothing_is_made_ahead_for_few_rows_or_after_the_last() {
        // Two rows of four make a piece.
        let filled = |expected: usize, rows: usize| {
            let mut numbers = Numbers::<f64>::new(4);
            numbers.expect(expected);
            (0..rows).for_each(|_| numbers.append(&1.0_f64.to_le_bytes()));
            numbers
        };
        assert!(filled(usize::MAX, 2).ahead.is_none(), "expected, and not come");
        assert!(filled(5, 5).ahead.is_none());
        let mut numbers = filled(usize::MAX, 3);
        let threads = thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        assert_eq!(numbers.ahead.is_some(), threads > 1);
        assert_eq!(numbers.row(2), Some(&[1.0, 0.0, 0.0, 0.0][..]));
        numbers.settle();
        assert!(numbers.ahead.is_none());
        (0..9).for_each(|_| numbers.append(&[]));
        assert!(numbers.ahead.is_none());
        assert_eq!(numbers.len(), 12);
    }
}
