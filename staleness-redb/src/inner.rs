//! The implementation of the store. Runs on a thread that may block.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use staleness_core::store::{Commit, Query, Selection, Step, StoreError, View};
use staleness_lock::{FileLock, NewFile};

use crate::OpenOptions;
use crate::collections::{self, load};
use crate::open::{open, reader_turn};
use crate::session::Session;

/// The state shared by all clones of a store.
#[derive(Debug)]
pub(crate) struct Inner {
    path: PathBuf,
    lock: FileLock,
    options: OpenOptions,
}

impl Inner {
    pub(crate) fn open(path: &Path, options: OpenOptions) -> Result<Self, StoreError> {
        let (path, lock) = open(path, options)?;
        Ok(Self { path, lock, options })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn view(&self, query: &dyn Query) -> Result<View, StoreError> {
        let _turn = reader_turn(&self.lock, self.options)?;
        Session::read(&self.path, self.options.busy_timeout)?.with(|session| {
            let (tx, meta) = session.enter()?;
            query.run(|selection| load(&tx, selection, meta))
        })
    }

    pub(crate) fn transact(&self, step: &dyn Step) -> Result<Commit, StoreError> {
        if self.options.read_only {
            return Err(StoreError::ReadOnly);
        }
        let _turn = self.lock.turn(self.options)?;
        Session::write(&self.path, self.options.busy_timeout)?
            .with(|session| carry_out(session, step))
    }

    pub(crate) fn pages(
        &self,
        selection: &Selection,
        visit: &mut dyn FnMut(View) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let _turn = reader_turn(&self.lock, self.options)?;
        Session::read(&self.path, self.options.busy_timeout)?.with(|session| {
            let (tx, meta) = session.enter()?;
            crate::pages::pages(&tx, selection, meta, visit)
        })
    }

    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let _turn = reader_turn(&self.lock, self.options)?;
        Session::read(&self.path, self.options.busy_timeout)?.with(|session| {
            // First check that the file is a store.
            session.enter().map(drop)?;
            session.check_pages()?;
            let (tx, meta) = session.enter()?;
            crate::check::check(&tx, meta)
        })
    }

    /// Copies the file. Nobody writes while the lock is held, and the last commit left a complete store.
    pub(crate) fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let failed =
            |source| StoreError::io(format!("writing the backup {}", to.display()), source);
        let _turn = reader_turn(&self.lock, self.options)?;
        // Errors about the target are reported only after the source is known to be a store.
        Session::read(&self.path, self.options.busy_timeout)?.with(|session| {
            session.enter().map(drop)?;
            let new = NewFile::beside(to, false).map_err(failed)?;
            copy(&self.path, new.path()).and_then(|()| new.publish()).map_err(failed)
        })
    }
}

/// Reads, decides, writes and commits.
pub(crate) fn carry_out(session: &Session, step: &dyn Step) -> Result<Commit, StoreError> {
    let (tx, meta) = session.enter()?;
    let (view, _, mut changes) = step.run(|selection| load(&tx, selection, meta))?;
    let mut revision = meta.revision;
    if !changes.is_empty() {
        revision = collections::apply(&tx, meta, &view, &mut changes)?;
        session.commit(tx)?;
    }
    Ok(Commit { revision, view, changes })
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut to = File::options().write(true).open(to)?;
    io::copy(&mut File::open(from)?, &mut to)?;
    to.sync_all()
}
