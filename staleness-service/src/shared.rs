//! A store shared by threads and opened when first used.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use staleness::store::{RegistryStore, StoreError};
use staleness::{OpenOptions, Policy, Registry, StoreUrl};
use staleness_core::registry::Indexes;

/// Maximum times to wait for the store's lock, set when it is opened.
#[derive(Clone, Copy, Debug)]
pub struct Waits {
    /// Limit per step.
    pub step: Duration,
    /// Limit for all steps together.
    pub total: Option<Duration>,
}

impl Default for Waits {
    fn default() -> Self {
        Self { step: Duration::from_secs(5), total: None }
    }
}

/// The mode in which to open the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// For reading. A missing store is treated as empty and is not created.
    Look,
    /// For writing. A missing store is created.
    Write,
}

/// One store for many projects and threads. Cheap to clone.
///
/// The store is opened when first used, and created by the first write. If its file is removed or replaced,
/// for example by restoring a backup, it is opened again; otherwise writes would go to the deleted file.
#[derive(Clone, Debug)]
pub struct SharedStore {
    url: Arc<StoreUrl>,
    open: Arc<Mutex<Option<Opened>>>,
    indexes: Indexes,
}

#[derive(Debug)]
struct Opened {
    store: Arc<dyn RegistryStore>,
    file: Option<FileId>,
}

/// Identifies a file independently of its name: device and inode on Unix.
type FileId = (u64, u64);

impl SharedStore {
    /// Creates the handle without opening the store.
    pub fn new(url: StoreUrl) -> Self {
        Self { url: Arc::new(url), open: Arc::default(), indexes: Indexes::new() }
    }

    /// Returns the store's URL.
    pub fn url(&self) -> &StoreUrl {
        &self.url
    }

    /// Returns the registry in this store with the given policy. With [`Access::Look`] a missing store is
    /// treated as empty. If the store is already open, `waits` has no effect.
    ///
    /// # Errors
    /// If the store cannot be opened.
    pub fn registry(
        &self,
        policy: &Policy,
        access: Access,
        waits: Waits,
    ) -> Result<Registry, StoreError> {
        Ok(self.opened(policy, access, waits)?.keeping(self.indexes.clone()))
    }

    fn opened(
        &self,
        policy: &Policy,
        access: Access,
        waits: Waits,
    ) -> Result<Registry, StoreError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let file = self.url.path().and_then(file_id);
        let is_same = |opened: &Opened| self.url.path().is_none() || opened.file == file;
        if let Some(opened) = open.as_ref().filter(|opened| is_same(opened)) {
            return Ok(Registry::new(Arc::clone(&opened.store), policy.clone()));
        }
        *open = None;
        let options = OpenOptions {
            policy: policy.clone(),
            create: access == Access::Write,
            busy_timeout: waits.step,
            total_wait: waits.total,
            ..OpenOptions::default()
        };
        match staleness::open_with(&self.url, options) {
            Ok(registry) => {
                // The indexes belong to an earlier file.
                self.indexes.clear();
                let file = self.url.path().and_then(file_id);
                *open = Some(Opened { store: Arc::clone(registry.store()), file });
                Ok(registry)
            }
            Err(StoreError::Io { source, .. })
                if access == Access::Look && source.kind() == std::io::ErrorKind::NotFound =>
            {
                staleness::open_with(
                    &StoreUrl::Memory,
                    OpenOptions { policy: policy.clone(), ..OpenOptions::default() },
                )
            }
            Err(error) => Err(error),
        }
    }

    /// Closes the store. It is opened again at the next use.
    pub fn close(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

/// On other systems an open file cannot be replaced, so it is enough that it exists.
#[cfg(not(unix))]
fn file_id(path: &Path) -> Option<FileId> {
    std::fs::metadata(path).ok().map(|_| (0, 0))
}
