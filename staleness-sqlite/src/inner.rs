//! The implementation of the store. Runs on a thread that may block.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use staleness_core::store::{Commit, Durability, Query, Selection, Step, StoreError, View};
use staleness_lock::{FileLock, NewFile, with_suffix};

use crate::OpenOptions;
use crate::collections::{self, load, meta};
use crate::connection::Conn;
use crate::error::from_sqlite;
use crate::open::{Opened, open};
use crate::pool::Pool;
use crate::shrink::give_back;
use crate::wal::{Log, checkpoint};

/// The state shared by all clones of a store.
#[derive(Debug)]
pub(crate) struct Inner {
    pool: Pool,
    lock: FileLock,
    log: Log,
    options: OpenOptions,
}

impl Inner {
    pub(crate) fn open(path: &Path, options: OpenOptions) -> Result<Self, StoreError> {
        let Opened { path, lock, conn } = open(path, options)?;
        Ok(Self { log: Log::of(&path), pool: Pool::new(path, options, conn), lock, options })
    }

    pub(crate) fn path(&self) -> &Path {
        self.pool.path()
    }

    pub(crate) fn view(&self, query: &dyn Query) -> Result<View, StoreError> {
        let conn = self.pool.take()?;
        let transaction = conn.read()?;
        let meta = meta::load(&transaction)?;
        query.run(|selection| load(&transaction, selection, meta))
    }

    pub(crate) fn transact(&self, step: &dyn Step) -> Result<Commit, StoreError> {
        if self.options.read_only {
            return Err(StoreError::ReadOnly);
        }
        let durability = step.durability();
        // Declared first and so dropped last: the lock covers the commit and the log.
        let _turn = self.lock.turn(self.options)?;
        let conn = self.pool.take()?;
        let transaction = conn.write(durability)?;
        let meta = meta::load(&transaction)?;
        let (view, _, mut changes) = step.run(|selection| load(&transaction, selection, meta))?;
        let mut revision = meta.revision;
        if !changes.is_empty() {
            revision = collections::apply(&transaction, meta, &view, &mut changes)?;
            transaction.commit()?;
            if !changes.outcome_ranges.is_empty() || !changes.pruned.is_empty() {
                give_back(conn.raw());
            }
            if durability == Durability::Full && changes.removes() {
                self.log.after_forgetting(conn.raw(), self.options.busy_timeout);
            } else {
                self.log.after_commit(conn.raw(), self.options.busy_timeout);
            }
        }
        Ok(Commit { revision, view, changes })
    }

    pub(crate) fn pages(
        &self,
        selection: &Selection,
        visit: &mut dyn FnMut(View) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let conn = self.pool.take()?;
        let transaction = conn.read()?;
        let meta = meta::load(&transaction)?;
        crate::pages::pages(&transaction, selection, meta, visit)
    }

    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let conn = self.pool.take()?;
        let transaction = conn.read()?;
        crate::check::check(&transaction)
    }

    pub(crate) fn checkpoint(&self) -> Result<(), StoreError> {
        if self.options.read_only {
            return Err(StoreError::ReadOnly);
        }
        let _turn = self.lock.turn(self.options)?;
        let conn = self.pool.take()?;
        if checkpoint(conn.raw())? { Ok(()) } else { Err(StoreError::Busy) }
    }

    pub(crate) fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let failed =
            |source| StoreError::io(format!("writing the backup {}", to.display()), source);
        let new = NewFile::beside(to, false).map_err(failed)?;
        let copied = self.copy(new.path());
        // SQLite may leave these files if the copy fails.
        for suffix in ["-journal", "-wal", "-shm"] {
            let _ = fs::remove_file(with_suffix(new.path(), suffix));
        }
        copied.and_then(|()| new.publish().map_err(failed))
    }

    fn copy(&self, to: &Path) -> Result<(), StoreError> {
        let from = self.pool.take()?;
        let mut copy = Conn::open(to, false, self.options.busy_timeout)?.into_raw();
        {
            let backup = Backup::new(from.raw(), &mut copy).map_err(from_sqlite)?;
            // Copies all pages in one step, from one snapshot, while others write to the log. With several
            // steps, each commit of another process would restart the copy.
            match backup.step(-1).map_err(from_sqlite)? {
                StepResult::Done => {}
                _ => return Err(StoreError::Busy),
            }
        }
        // The copy inherited write-ahead mode. Without it, the copy is a single file.
        let mode: String = copy
            .query_row("PRAGMA journal_mode = DELETE", (), |row| row.get(0))
            .map_err(from_sqlite)?;
        if mode != "delete" {
            return Err(StoreError::Busy);
        }
        copy.close().map_err(|(_, error)| from_sqlite(error))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !self.log.is_left() {
            return;
        }
        // If another process holds the lock, it will trim the log.
        if let (Ok(_turn), Ok(conn)) =
            (self.lock.acquire(std::time::Duration::ZERO), self.pool.take())
        {
            self.log.at_close(conn.raw(), self.options.busy_timeout);
        }
    }
}
