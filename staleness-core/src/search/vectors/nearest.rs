//! Exact search: every row is compared with the question.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::Component;
use crate::search::Top;

/// From this many numbers on a search is worth a second thread: below, starting it costs more than it
/// saves.
const WORTH_A_THREAD: usize = if cfg!(test) { 4 << 10 } else { 4 << 20 };

/// The `limit` rows nearest to a question, with their cosines in -1..=1, nearest first; equal ones in
/// the order of their keys. Only rows that have a key: `key` leaves out those that are not wanted.
///
/// `pieces` hold unit vectors of so many `dimensions`, one behind the other, and the question is one:
/// then a dot product is a cosine. What is left over at the end of a piece, and a question of another
/// number of dimensions, match nothing. Rows are counted from the first of the first piece.
///
/// Many rows are searched by up to `threads` threads, with the same answer.
#[must_use]
pub fn nearest<T: Component, K: Ord + Send>(
    pieces: &[impl AsRef<[T]> + Sync],
    dimensions: usize,
    question: &[T],
    limit: usize,
    threads: NonZeroUsize,
    key: impl Fn(usize) -> Option<K> + Sync,
) -> Vec<(f64, K)> {
    let each = |rows: Range<usize>| {
        let mut top = Top::new(limit);
        each_cosine(pieces, dimensions, question, rows, |row, cosine| {
            if top.wants(cosine)
                && let Some(key) = key(row)
            {
                top.offer(cosine, key);
            }
        });
        top
    };
    let mut parts = in_parts(pieces, dimensions, question, threads, &each).into_iter();
    let Some(mut top) = parts.next() else { return Vec::new() };
    parts.for_each(|part| top.merge(part));
    top.into_sorted()
}

/// The cosines of all rows with a question, each in -1..=1, in the order of the rows: eight bytes for each.
///
/// `pieces`, `dimensions` and `threads` are as in [`nearest`]: unit vectors one behind the other, so that a dot
/// product is a cosine, and what is left over at the end of a piece is no row. Empty for a question of another
/// number of dimensions.
#[must_use]
pub fn cosines<T: Component>(
    pieces: &[impl AsRef<[T]> + Sync],
    dimensions: usize,
    question: &[T],
    threads: NonZeroUsize,
) -> Vec<f64> {
    let each = |rows: Range<usize>| {
        let mut found = Vec::with_capacity(rows.len());
        each_cosine(pieces, dimensions, question, rows, |_, cosine| found.push(cosine));
        found
    };
    let mut parts = in_parts(pieces, dimensions, question, threads, &each);
    if parts.len() == 1 { parts.swap_remove(0) } else { parts.concat() }
}

/// What `each` makes of the rows, in parts of them that follow each other: one for each thread, and none
/// where no row can be compared with the question.
fn in_parts<T: Component, R: Send>(
    pieces: &[impl AsRef<[T]> + Sync],
    dimensions: usize,
    question: &[T],
    threads: NonZeroUsize,
    each: &(impl Fn(Range<usize>) -> R + Sync),
) -> Vec<R> {
    if dimensions == 0 || question.len() != dimensions {
        return Vec::new();
    }
    let count: usize = pieces.iter().map(|piece| piece.as_ref().len() / dimensions).sum();
    let parts = threads.get().min(count * dimensions / WORTH_A_THREAD + 1);
    let share = count.div_ceil(parts).max(1);
    let rows = |part: usize| (part * share).min(count)..((part + 1) * share).min(count);
    std::thread::scope(|scope| {
        let spawn = |part| {
            let work = move || each(rows(part));
            std::thread::Builder::new().spawn_scoped(scope, work).map_err(|_| part)
        };
        let others: Vec<_> = (1..parts).map(spawn).collect();
        let mut all = vec![each(rows(0))];
        for other in others {
            all.push(match other {
                Ok(other) => other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                // Where the system gives no thread, this one does its work.
                Err(part) => each(rows(part)),
            });
        }
        all
    })
}

/// Compares some of the rows with a question, one after the other.
fn each_cosine<T: Component>(
    pieces: &[impl AsRef<[T]>],
    dimensions: usize,
    question: &[T],
    wanted: Range<usize>,
    mut visit: impl FnMut(usize, f64),
) {
    let mut first = 0;
    for piece in pieces {
        let piece = piece.as_ref();
        let behind = first + piece.len() / dimensions;
        let (start, end) = (wanted.start.clamp(first, behind), wanted.end.clamp(first, behind));
        let rows = &piece[(start - first) * dimensions..(end - first) * dimensions];
        for (at, row) in rows.chunks_exact(dimensions).enumerate() {
            visit(start + at, T::dot(row, question).clamp(-1.0, 1.0));
        }
        first = behind;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn some(threads: usize) -> NonZeroUsize {
        NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN)
    }

    #[test]
    fn another_number_of_dimensions_matches_nothing() {
        let rows = [1.0_f32, 0.0, 0.0, 1.0];
        for (dimensions, question) in [(2, &[1.0_f32][..]), (0, &[]), (3, &[1.0, 0.0])] {
            assert!(nearest(&[rows], dimensions, question, 5, some(1), Some).is_empty());
        }
        assert!(nearest(&[[0.0_f32; 0]], 2, &[1.0, 0.0], 5, some(4), Some).is_empty());
        assert!(nearest(&[&[][..]; 0], 2, &[1.0, 0.0], 5, some(4), Some).is_empty());
        assert_eq!(nearest(&[rows], 2, &[0.0, 1.0], 1, some(1), Some), [(1.0, 1)]);
        assert!(nearest(&[rows], 2, &[0.0, 1.0], 0, some(1), Some).is_empty());
        assert!(cosines(&[rows], 3, &[1.0, 0.0], some(1)).is_empty());
        assert_eq!(cosines(&[rows], 2, &[0.0, 1.0], some(1)), [0.0, 1.0]);
    }

    #[test]
    fn the_number_of_threads_makes_no_difference() {
        let dimensions = 512;
        let count = 16 * WORTH_A_THREAD / dimensions + 7;
        let mut seed = 1_u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from((seed >> 16) as u16) / 65_536.0 - 0.5
        };
        let block: Vec<f32> = (0..dimensions * 64).map(|_| next()).collect();
        // Many rows are equal, so that keys decide.
        let rows: Vec<f32> = block.iter().copied().cycle().take(count * dimensions).collect();
        let question = &block[..dimensions];
        let odd = |row: usize| (row % 2 == 1).then_some(row);
        let one = nearest(&[&rows], dimensions, question, 30, some(1), odd);
        assert_eq!(one.len(), 30);
        for threads in [1, 2, 3, 16] {
            // However the rows are cut, and with something left over in each piece.
            for size in [count, count / 2 + 1, 7] {
                let pieces: Vec<Vec<f32>> = rows
                    .chunks(size * dimensions)
                    .map(|piece| [piece, &[0.5; 3]].concat())
                    .collect();
                let found = nearest(&pieces, dimensions, question, 30, some(threads), odd);
                assert_eq!(found, one, "{threads} threads, pieces of {size}");
                let all = cosines(&pieces, dimensions, question, some(threads));
                assert_eq!(all.len(), count);
                assert!(
                    one.iter().all(|(cosine, row)| crate::verdict::round(all[*row]) == *cosine)
                );
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_nearest_is_what_sorting_all_would_say(
            rows in prop::collection::vec(-3_i8..4, 0..90),
            question in prop::collection::vec(-3_i8..4, 3),
            limit in 0_usize..9,
        ) {
            let unit = |row: &[i8]| -> Vec<f64> {
                let length = row.iter().map(|n| f64::from(*n).powi(2)).sum::<f64>().sqrt().max(1.0);
                row.iter().map(|n| f64::from(*n) / length).collect()
            };
            let rows: Vec<f64> = rows.chunks_exact(3).flat_map(unit).collect();
            let question = unit(&question);
            let mut all: Vec<(f64, usize)> = rows
                .chunks_exact(3)
                .map(|row| crate::verdict::round(f64::dot(row, &question).clamp(-1.0, 1.0)))
                .zip(0..)
                .collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            all.truncate(limit);
            prop_assert_eq!(nearest(&[&rows], 3, &question, limit, some(1), Some), all);
        }
    }
}
