//! The store of a command or a server: opened once, when somebody first needs it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use staleness::registry::Indexes;
use staleness::store::{RegistryStore, StoreError};
use staleness::{OpenOptions, Policy, Registry, StoreUrl};

/// The longest times to wait for others that use the store, set when it is opened.
#[derive(Clone, Copy, Debug)]
pub struct Waits {
    /// Each step for its turn.
    pub step: Duration,
    /// All steps together.
    pub total: Option<Duration>,
}

impl Default for Waits {
    fn default() -> Self {
        Self { step: Duration::from_secs(5), total: None }
    }
}

/// A way to open the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Only to look: a registry that is not there is empty, and stays away.
    Look,
    /// To write: it is created.
    Write,
}

/// One store for many projects and threads. Cheap to clone.
///
/// It is opened when somebody first needs it, and created when somebody first writes. A file that
/// was removed or put in its place by another one, as by restoring a backup, is opened again: what
/// is written would go to a file that nobody finds otherwise.
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

/// The identity of a file, whatever it is called: on Unix its device and inode.
type FileId = (u64, u64);

impl SharedStore {
    /// The store at a URL, not opened yet.
    #[must_use]
    pub fn new(url: StoreUrl) -> Self {
        Self { url: Arc::new(url), open: Arc::default(), indexes: Indexes::new() }
    }

    /// Returns its URL.
    #[must_use]
    pub fn url(&self) -> &StoreUrl {
        &self.url
    }

    /// The registry in this store under a policy. To [`Access::Look`], one that is not there is
    /// empty, and stays away. A store that is open already waits as it did.
    ///
    /// # Errors
    /// When the store cannot be opened.
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
                // What was indexed of another file says nothing of this one.
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

    /// Closes the store: what has piled up is written back to its file. It is opened again by who
    /// asks next.
    pub fn close(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

/// Elsewhere only that it is there: a file that is open cannot be replaced.
#[cfg(not(unix))]
fn file_id(path: &Path) -> Option<FileId> {
    std::fs::metadata(path).ok().map(|_| (0, 0))
}
