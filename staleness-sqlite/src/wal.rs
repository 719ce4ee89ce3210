//! Decides when the write-ahead log is moved into the main file.
//!
//! SQLite does so whenever the last connection closes, which would be at the end of every one-shot process. If it never
//! did, each opening would read a growing log. Moving the log after a commit that leaves at least 64 frames is cheaper
//! than both.
//!
//! A long-running process would then sync the disk about every 16 commits. From its 65th commit on, a store
//! therefore waits for 1,000 frames (SQLite's default), and moves the rest when dropped.
//!
//! A process that has moved the log, such as an import, also moves the rest when it ends. Pages in the file have
//! checksums, but in the log SQLite stops at the first damaged frame.
//!
//! A page that another program must not move ([`ends_in_zeros`]) is moved at once, because this process may be
//! killed.
//!
//! The log is moved under the lock, so that others wait in the lock's fair queue and not in SQLite's busy handler.
//! It never waits for readers; frames that they need stay for the next time.
//!
//! Forgotten data is still in the log, in old pages. A commit that forgets data moves and empties the log, waiting
//! briefly for readers. If readers stay, the store tries again when dropped.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use staleness_core::store::StoreError;
use staleness_lock::with_suffix;

use crate::checksum::ends_in_zeros;
use crate::connection::milliseconds;
use crate::error::from_sqlite;

/// Maximum number of frames that a short-lived process leaves in the log.
const FEW: u64 = 64;
/// Maximum number of frames in the log after [`SETTLED`] commits.
const MANY: u64 = 1_000;
/// Number of commits after which a store counts as long-lived.
const SETTLED: u64 = 64;
/// Maximum time that a commit that forgets data waits for readers, because others wait for the lock.
const PATIENCE: Duration = Duration::from_secs(1);
/// Size of the log's header, in bytes.
const HEADER: u64 = 32;
/// Size of a frame in bytes: its header and a page of 4,096 bytes.
const FRAME: u64 = 24 + 4096;

/// The log, as far as this process knows it.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    commits: AtomicU64,
    /// Number of frames that a reader kept from being moved. Trying again is useless until there are more.
    stuck: AtomicU64,
    /// True if the log may still contain forgotten data.
    owing: AtomicBool,
    /// True if the log may contain pages that other programs must not move.
    zeros: AtomicBool,
    /// True if this store has moved the log before. If so, it moves the rest when dropped.
    moved: AtomicBool,
}

impl Log {
    pub(crate) fn of(store: &Path) -> Self {
        Self {
            path: with_suffix(store, "-wal"),
            commits: AtomicU64::new(0),
            stuck: AtomicU64::new(0),
            owing: AtomicBool::new(false),
            zeros: AtomicBool::new(false),
            moved: AtomicBool::new(false),
        }
    }

    /// Returns true if the log must be moved when the store is dropped, or may be longer than a short-lived
    /// process would leave it.
    pub(crate) fn is_left(&self) -> bool {
        self.commits.load(Ordering::Relaxed) > SETTLED
            || self.must_move()
            || self.moved.load(Ordering::Relaxed)
    }

    /// Returns true if the log may contain data that must not remain there.
    fn must_move(&self) -> bool {
        self.owing.load(Ordering::Relaxed) || self.zeros.load(Ordering::Relaxed)
    }

    /// Trims the log after a commit. Requires the lock.
    pub(crate) fn after_commit(&self, conn: &Connection, busy_timeout: Duration) {
        let commits = self.commits.fetch_add(1, Ordering::Relaxed);
        let most = if commits < SETTLED { FEW } else { MANY };
        if ends_in_zeros() {
            self.zeros.store(true, Ordering::Relaxed);
        }
        // This also covers the case that a reader blocked the previous move.
        if self.zeros.load(Ordering::Relaxed) {
            self.move_all(conn, busy_timeout, Duration::ZERO);
        } else {
            self.trim(conn, busy_timeout, most);
        }
    }

    /// Empties the log after a commit that forgot data. Requires the lock.
    pub(crate) fn after_forgetting(&self, conn: &Connection, busy_timeout: Duration) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.owing.store(true, Ordering::Relaxed);
        self.move_all(conn, busy_timeout, PATIENCE);
    }

    /// Trims the log when the store is dropped. Requires the lock.
    pub(crate) fn at_close(&self, conn: &Connection, busy_timeout: Duration) {
        if self.must_move() {
            self.move_all(conn, busy_timeout, Duration::ZERO);
        } else {
            let most = if self.moved.load(Ordering::Relaxed) { 1 } else { FEW };
            self.trim(conn, busy_timeout, most);
        }
    }

    /// Moves the log if it has at least `most` frames. The commit is already done, so after an error the next
    /// commit tries again.
    fn trim(&self, conn: &Connection, busy_timeout: Duration, most: u64) {
        if self.frames() >= most + self.stuck.load(Ordering::Relaxed) {
            self.move_all(conn, busy_timeout, Duration::ZERO);
        }
    }

    /// Moves the log, waiting at most `patience` for readers.
    fn move_all(&self, conn: &Connection, busy_timeout: Duration, patience: Duration) {
        let frames = self.frames();
        let patience = conn.busy_timeout(patience.min(milliseconds(busy_timeout)));
        let moved = patience.map_err(from_sqlite).and_then(|()| checkpoint(conn));
        let _ = conn.busy_timeout(milliseconds(busy_timeout));
        if matches!(moved, Ok(true)) {
            self.stuck.store(0, Ordering::Relaxed);
            self.owing.store(false, Ordering::Relaxed);
            self.zeros.store(false, Ordering::Relaxed);
            self.moved.store(true, Ordering::Relaxed);
        } else {
            self.stuck.store(frames, Ordering::Relaxed);
        }
    }

    fn frames(&self) -> u64 {
        fs::metadata(&self.path).map_or(0, |log| log.len().saturating_sub(HEADER) / FRAME)
    }
}

/// Moves the whole log into the main file and truncates it. Returns true if nothing blocked it.
pub(crate) fn checkpoint(conn: &Connection) -> Result<bool, StoreError> {
    let mut statement =
        conn.prepare_cached("PRAGMA wal_checkpoint(TRUNCATE)").map_err(from_sqlite)?;
    let busy: i64 = statement.query_row((), |row| row.get(0)).map_err(from_sqlite)?;
    Ok(busy == 0)
}
