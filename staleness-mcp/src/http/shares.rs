//! The share of one token in the server's capacity. No token can use the share of another.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rmcp::model::RequestId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The largest request, in bytes.
pub(super) const MAX_REQUEST_BYTES: usize = 1 << 20;
/// Room for requests in progress, divided equally among the tokens: 8 MiB. A request takes one unit, plus one for each
/// [`BYTES_EACH`].
const ROOM: usize = 1_024;
/// Number of bytes for which a request takes one more unit of room.
const BYTES_EACH: usize = 8 * 1024;
/// Minimum room of a token: one request of the largest size, and some small ones.
const LEAST_ROOM: usize = 160;
/// Maximum number of subscriptions of a token.
const MAX_LISTENING: usize = 64;
/// Maximum number of requests per second, on average and in a burst, for each token.
const RATE: f64 = 2_000.0;

pub(super) struct Shares {
    connections: Arc<Semaphore>,
    room: Arc<Semaphore>,
    /// The permits for subscriptions.
    pub(super) listening: Arc<Semaphore>,
    asked: OpenRequests,
    /// The time at which requests were last counted, and the number of requests still allowed in a burst.
    allowance: Mutex<(Instant, f64)>,
}

/// The place of a connection: one of a token's places, or of the places for connections that have not yet shown a
/// token.
pub(super) type Seat = Mutex<OwnedSemaphorePermit>;

/// A session and the id of a request in it.
pub(super) type Question = (String, RequestId);
/// The requests in progress of all sessions.
type OpenRequests = Arc<Mutex<HashSet<Question>>>;

/// The place of a request, until it is answered.
pub(super) struct Place {
    _room: OwnedSemaphorePermit,
    asked: OpenRequests,
    question: Option<Question>,
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(question) = &self.question {
            lock(&self.asked).remove(question);
        }
    }
}

impl Shares {
    /// Creates the share of one token. All `tokens` tokens together have `connections` connections.
    pub(super) fn new(tokens: usize, connections: usize) -> Self {
        let share = |all: usize, least: usize| Arc::new(Semaphore::new((all / tokens).max(least)));
        Self {
            connections: share(connections, 1),
            room: share(ROOM, LEAST_ROOM),
            listening: Arc::new(Semaphore::new(MAX_LISTENING)),
            asked: OpenRequests::default(),
            allowance: Mutex::new((Instant::now(), RATE)),
        }
    }

    /// Moves a connection to the places of this token. Returns false if none is free.
    pub(super) fn seats(&self, seat: &Seat) -> bool {
        let mut seat = lock(seat);
        if !Arc::ptr_eq(seat.semaphore(), &self.connections) {
            let Ok(own) = Arc::clone(&self.connections).try_acquire_owned() else { return false };
            *seat = own;
        }
        true
    }

    /// Counts a request. Returns false if there are too many requests.
    pub(super) fn admits(&self, now: Instant) -> bool {
        let mut allowance = lock(&self.allowance);
        let (since, left) = *allowance;
        let left = (left + now.duration_since(since).as_secs_f64() * RATE).min(RATE);
        let admits = left >= 1.0;
        *allowance = (now, if admits { left - 1.0 } else { left });
        admits
    }

    /// Takes room for a request of this size, in bytes. Returns `None` if too much is taken.
    pub(super) fn room(&self, size: u64) -> Option<OwnedSemaphorePermit> {
        let size =
            usize::try_from(size).map_or(MAX_REQUEST_BYTES, |size| size.min(MAX_REQUEST_BYTES));
        let units = u32::try_from(1 + size.div_ceil(BYTES_EACH)).ok()?;
        Arc::clone(&self.room).try_acquire_many_owned(units).ok()
    }

    /// Holds the room for a request until it is answered. Returns `None` if its id is in use.
    pub(super) fn place(
        &self,
        room: OwnedSemaphorePermit,
        question: Option<Question>,
    ) -> Option<Arc<Place>> {
        if question.as_ref().is_some_and(|it| !lock(&self.asked).insert(it.clone())) {
            return None;
        }
        Some(Arc::new(Place { _room: room, asked: Arc::clone(&self.asked), question }))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
