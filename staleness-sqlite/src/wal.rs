//! When the write-ahead log is moved into the main file.
//!
//! SQLite does it whenever the last connection closes, which is every time for one-shot processes:
//! 1.05 ms per open-transact-close. When nobody does it, each opening has to read a log that grows:
//! 2.2 ms. Doing it after a commit that leaves at least 64 frames: 0.30 ms.
//!
//! A process that stays and commits often would sync the disk every 16 commits that way, so from its
//! 65th commit on a store waits for 1,000 frames, SQLite's own default, and does the rest when it
//! is dropped.
//!
//! A process that has moved the log, as an import does, moves the rest of it when it ends: pages in the file
//! have checksums, and in the log SQLite stops at the first frame that is damaged.
//!
//! A page that another program must not move ([`ends_in_zeros`]) is moved at once: a process may be killed.
//!
//! It is done while the lock is still held: those who wait do so in the lock's fair queue, and not
//! in SQLite's napping busy handler. It never waits for readers; what they still need stays for the
//! next time.
//!
//! What a person has forgotten stands in the log, too, in the pages as they were. A commit that forgets
//! moves and empties it, and waits for readers a little; where they stay, the store tries again when it is
//! dropped.

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

/// Frames that a short-lived process leaves in the log at most.
const FEW: u64 = 64;
/// Frames that a store leaves in the log after [`SETTLED`] commits.
const MANY: u64 = 1_000;
/// Commits after which a store is taken for long-lived.
const SETTLED: u64 = 64;
/// A commit that forgets waits no longer than this for readers: others wait for their turn meanwhile.
const PATIENCE: Duration = Duration::from_secs(1);
/// Bytes of the log's header.
const HEADER: u64 = 32;
/// Bytes of a frame: its header and a page. A store has SQLite's default page size.
const FRAME: u64 = 24 + 4096;

/// The log of one store, as this process follows it.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    commits: AtomicU64,
    /// Frames that a reader kept from being moved: no use trying again before there are more.
    stuck: AtomicU64,
    /// True if the log may still hold data that was forgotten.
    owing: AtomicBool,
    /// True if the log may hold pages that another program must not move.
    zeros: AtomicBool,
    /// True if this store has moved the log before: then it wrote much, and moves the rest when it is dropped.
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

    /// Returns true if this store may have left more in the log than a short-lived process would, or what must not stay.
    pub(crate) fn is_left(&self) -> bool {
        self.commits.load(Ordering::Relaxed) > SETTLED
            || self.must_move()
            || self.moved.load(Ordering::Relaxed)
    }

    /// Returns true if the log may hold what must not stay there.
    fn must_move(&self) -> bool {
        self.owing.load(Ordering::Relaxed) || self.zeros.load(Ordering::Relaxed)
    }

    /// After a commit, under the lock.
    pub(crate) fn after_commit(&self, conn: &Connection, busy_timeout: Duration) {
        let commits = self.commits.fetch_add(1, Ordering::Relaxed);
        let most = if commits < SETTLED { FEW } else { MANY };
        if ends_in_zeros() {
            self.zeros.store(true, Ordering::Relaxed);
            self.move_all(conn, busy_timeout, Duration::ZERO);
        } else {
            self.trim(conn, busy_timeout, most);
        }
    }

    /// After a commit that forgot something, under the lock.
    pub(crate) fn after_forgetting(&self, conn: &Connection, busy_timeout: Duration) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.owing.store(true, Ordering::Relaxed);
        self.move_all(conn, busy_timeout, PATIENCE);
    }

    /// When the store is dropped, under the lock.
    pub(crate) fn at_close(&self, conn: &Connection, busy_timeout: Duration) {
        if self.must_move() {
            self.move_all(conn, busy_timeout, Duration::ZERO);
        } else {
            let most = if self.moved.load(Ordering::Relaxed) { 1 } else { FEW };
            self.trim(conn, busy_timeout, most);
        }
    }

    /// Moves the log when it holds at least `most` frames. The commit is done: whatever goes wrong
    /// here, the next commit tries again.
    fn trim(&self, conn: &Connection, busy_timeout: Duration, most: u64) {
        if self.frames() >= most + self.stuck.load(Ordering::Relaxed) {
            self.move_all(conn, busy_timeout, Duration::ZERO);
        }
    }

    /// Moves the log, and waits for readers no longer than `patience`.
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

/// Moves the whole log into the main file and truncates it. Whether nothing stood in the way.
pub(crate) fn checkpoint(conn: &Connection) -> Result<bool, StoreError> {
    let mut statement =
        conn.prepare_cached("PRAGMA wal_checkpoint(TRUNCATE)").map_err(from_sqlite)?;
    let busy: i64 = statement.query_row((), |row| row.get(0)).map_err(from_sqlite)?;
    Ok(busy == 0)
}
