//! Checks if concurrent operations on a counter are linearizable.
//!
//! An increment returns the new count, which determines its place in the order: after all increments with smaller
//! counts. A read of the count `v` belongs between the increments that returned `v` and `v + 1`. Reads of the same
//! count can be in any order. The history is linearizable if and only if this order never places an operation before
//! one that had ended before it began. So the check is complete and needs no search.

/// An operation on the counter, with its start and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    /// The time of the call, on a clock that all processes share.
    pub(crate) began: u64,
    /// The time of the return.
    pub(crate) ended: u64,
    /// The count that it returned.
    pub(crate) count: u64,
    /// True for a read.
    pub(crate) reads: bool,
}

/// Checks a complete history of a counter that started at 0.
pub(crate) fn check(history: &[Done]) -> Result<(), String> {
    let mut counts: Vec<u64> =
        history.iter().filter(|done| !done.reads).map(|done| done.count).collect();
    counts.sort_unstable();
    if let Some(at) = (0..counts.len()).find(|at| counts[*at] != *at as u64 + 1) {
        return Err(format!("of the counts of increments, number {} is {}", at + 1, counts[at]));
    }
    if let Some(odd) = history.iter().find(|done| done.count > counts.len() as u64) {
        return Err(format!("{odd:?} is more than all increments"));
    }
    let place = |done: &Done| (done.count, done.reads);
    let mut by_end: Vec<&Done> = history.iter().collect();
    by_end.sort_by_key(|done| done.ended);
    let mut by_begin = by_end.clone();
    by_begin.sort_by_key(|done| done.began);
    let mut before = by_end.into_iter().peekable();
    let mut last: Option<&Done> = None;
    for done in by_begin {
        while let Some(ended) = before.next_if(|other| other.ended < done.began) {
            if last.is_none_or(|last| place(last) < place(ended)) {
                last = Some(ended);
            }
        }
        if let Some(last) = last.filter(|last| place(last) > place(done)) {
            return Err(format!("{done:?} began when {last:?} had ended"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(began: u64, ended: u64, count: u64) -> Done {
        Done { began, ended, count, reads: false }
    }

    fn read(began: u64, ended: u64, count: u64) -> Done {
        Done { reads: true, ..add(began, ended, count) }
    }

    #[test]
    fn what_overlaps_may_have_any_order() {
        assert_eq!(check(&[add(0, 10, 2), add(0, 10, 1), read(0, 10, 0), read(0, 10, 2)]), Ok(()));
        assert_eq!(check(&[read(0, 1, 0), add(2, 3, 1), read(4, 5, 1), add(6, 7, 2)]), Ok(()));
    }

    #[test]
    fn what_had_ended_comes_first() {
        assert!(check(&[add(0, 1, 2), add(2, 3, 1)]).is_err());
        assert!(check(&[add(0, 1, 1), read(2, 3, 0)]).is_err(), "a stale read");
        assert!(check(&[add(0, 9, 1), read(0, 1, 1), read(2, 3, 0)]).is_err(), "back in time");
        assert!(check(&[read(0, 1, 1), add(2, 3, 1)]).is_err(), "a read of the future");
        assert!(check(&[add(0, 1, 1), add(5, 6, 2), read(2, 3, 2)]).is_err());
    }

    #[test]
    fn counts_are_those_of_a_counter() {
        assert!(check(&[add(0, 1, 1), add(0, 1, 1)]).is_err(), "a lost update");
        assert!(check(&[add(0, 1, 2)]).is_err(), "a gap");
        assert!(check(&[read(0, 1, 1)]).is_err(), "a count out of nowhere");
    }
}
