//! A backend in one file: a log with one line of JSON per commit, and all data in memory.
//!
//! It shows what a backend must implement. It is for registries that fit into memory: opening reads the whole
//! log, and the log never shrinks.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use staleness_core::store::{
    ChangeSet, Commit, Decision, Query, Refusal, RegistryStore, Selection, Step, StoreError, View,
};
use staleness_core::{MemoryStore, Wait};

/// A registry in a log file. Processes may share one.
#[derive(Debug)]
pub struct LogStore {
    path: PathBuf,
    log: Mutex<Log>,
}

/// The file, and what was read from it.
#[derive(Debug)]
struct Log {
    file: File,
    memory: MemoryStore,
    /// Number of bytes applied to `memory`, in whole lines.
    read: u64,
}

/// A step that replays the changes of a line.
#[derive(Debug)]
struct Again(ChangeSet);

impl Step for Again {
    fn selection(&self) -> Selection {
        self.0.locks()
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Ok(Decision::Write(self.0.clone()))
    }
}

impl Log {
    /// Applies what others have written. A last line without a newline was never acknowledged: its writer
    /// died, or is still writing.
    fn catch_up(&mut self) -> Result<(), StoreError> {
        let failed = |error| StoreError::io("reading the log", error);
        self.file.seek(SeekFrom::Start(self.read)).map_err(failed)?;
        let mut lines = BufReader::new(&self.file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let bytes = lines.read_until(b'\n', &mut line).map_err(failed)?;
            if line.last() != Some(&b'\n') {
                return Ok(());
            }
            let changes = serde_json::from_slice(&line)
                .map_err(|error| StoreError::Corrupt(format!("byte {}: {error}", self.read)))?;
            self.memory.transact(Arc::new(Again(changes))).wait()?;
            self.read += bytes as u64;
        }
    }

    /// Appends a line, or leaves the log unchanged.
    fn append(&mut self, changes: &ChangeSet) -> Result<(), StoreError> {
        let mut line = serde_json::to_vec(changes)
            .map_err(|error| StoreError::Misstep(format!("no JSON: {error}")))?;
        line.push(b'\n');
        // Remove a line that was started and never acknowledged.
        let done = self.file.set_len(self.read).and_then(|()| {
            self.file.seek(SeekFrom::Start(self.read))?;
            self.file.write_all(&line)?;
            self.file.sync_data()
        });
        if let Err(error) = done {
            return Err(match self.file.set_len(self.read) {
                Ok(()) => StoreError::io("writing the log", error),
                // The line may have been written.
                Err(_) => StoreError::Unknown(Box::new(error)),
            });
        }
        self.read += line.len() as u64;
        Ok(())
    }
}

/// Unlocks the file when dropped, also if a step panics.
struct Unlock<'l>(&'l mut Log);

impl Drop for Unlock<'_> {
    fn drop(&mut self) {
        let _ = self.0.file.unlock();
    }
}

impl LogStore {
    /// Opens or creates the log at `path`.
    ///
    /// # Errors
    /// [`StoreError::Io`] if that fails.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|error| StoreError::io("opening the log", error))?;
        let log = Log { file, memory: MemoryStore::new(), read: 0 };
        Ok(Self { path, log: Mutex::new(log) })
    }

    /// Runs a function on the up-to-date log, exclusively or with other readers.
    fn with<T>(
        &self,
        alone: bool,
        work: impl FnOnce(&mut Log) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // A step can only panic before anything is written.
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = if alone { log.file.lock() } else { log.file.lock_shared() };
        lock.map_err(|error| StoreError::io("locking the log", error))?;
        let log = Unlock(&mut log);
        log.0.catch_up()?;
        work(log.0)
    }
}

#[async_trait]
impl RegistryStore for LogStore {
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        self.with(false, |log| log.memory.view(query).wait())
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        self.with(true, |log| {
            let commit = log.memory.transact(step).wait()?;
            if !commit.changes.is_empty()
                && let Err(error) = log.append(&commit.changes)
            {
                // The commit is only in memory, so the log must be read again.
                (log.memory, log.read) = (MemoryStore::new(), 0);
                return Err(error);
            }
            Ok(commit)
        })
    }

    async fn pages(
        &self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        self.with(false, |log| log.memory.pages(selection, visit).wait())
    }

    async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let failed = |error| StoreError::io(format!("writing {}", to.display()), error);
        self.with(false, |log| {
            let mut copy = File::options().write(true).create_new(true).open(to).map_err(failed)?;
            let copied = log.file.rewind().and_then(|()| {
                io::copy(&mut Read::take(&log.file, log.read), &mut copy)?;
                copy.sync_all()
            });
            copied.map_err(|error| {
                let _ = fs::remove_file(to);
                failed(error)
            })
        })
    }

    async fn check(&self) -> Result<(), StoreError> {
        // A new store reads everything again.
        let fresh = Self::open(&self.path)?;
        fresh.with(false, |log| log.memory.check().wait())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use staleness_core::{Policy, Registry, Timestamp, scan::ProjectRef};

    #[test]
    fn what_could_not_be_appended_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(LogStore::open(folder.path().join("log")).unwrap());
        let registry = Registry::new(Arc::clone(&store) as _, Policy::default());
        let see = |root: &str| {
            let (project, at) = (ProjectRef::of_root(root), Timestamp::from_millis(0));
            registry.admin().see_project(&project, at).wait()
        };
        see("/kept").unwrap();
        let read_only = File::open(&store.path).unwrap();
        let writable = std::mem::replace(&mut store.log.lock().unwrap().file, read_only);
        assert!(see("/lost").is_err());
        store.log.lock().unwrap().file = writable;
        let all = Selection::new().peek(staleness_core::store::ProjectFilter::All);
        let view = store.view(Arc::new(all)).wait().unwrap();
        assert_eq!(view.projects.len(), 1, "{view:?}");
    }
}
