//! A fair queue for the threads of one process, with timeouts.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Tickets in order of arrival. The first one is being served.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    line: Mutex<Line>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct Line {
    next: u64,
    waiting: VecDeque<u64>,
}

impl Queue {
    /// Waits in the queue until `deadline`, or forever if it is `None`. Returns `None` when the deadline
    /// passes.
    pub(crate) fn enter(&self, deadline: Option<Instant>) -> Option<Turn<'_>> {
        let mut line = self.line();
        let ticket = line.next;
        line.next += 1;
        line.waiting.push_back(ticket);
        // From here on, dropping the turn removes the ticket.
        let turn = Turn { queue: self, ticket };
        while line.waiting.front() != Some(&ticket) {
            line = match deadline {
                None => self.moved.wait(line).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        drop(line);
                        return None;
                    }
                    self.moved.wait_timeout(line, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        drop(line);
        Some(turn)
    }

    /// Returns the number of threads in the queue, including the one being served.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.line().waiting.len()
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        // No code panics while it holds this mutex, and the queue would be valid anyway.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the queue. Dropping it releases the place.
#[derive(Debug)]
pub(crate) struct Turn<'q> {
    queue: &'q Queue,
    ticket: u64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut line = self.queue.line();
        line.waiting.retain(|ticket| *ticket != self.ticket);
        let others = !line.waiting.is_empty();
        drop(line);
        if others {
            self.queue.moved.notify_all();
        }
    }
}
