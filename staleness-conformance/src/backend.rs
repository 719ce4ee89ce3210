//! Backends under test: how to open them, and what they support.

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use staleness_core::store::{RegistryStore, StoreError};

macro_rules! capabilities {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// Optional capabilities of a backend. They are declared, not detected by trial.
        ///
        /// A case declares the capabilities it needs in the same type. If the backend lacks one, the case is
        /// reported as ignored.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Capabilities {
            $($(#[doc = $doc])* pub $name: bool,)*
        }

        impl Capabilities {
            /// Only the requirements of the contract for every store.
            pub const NONE: Self = Self { $($name: false,)* };

            /// Returns the names of the capabilities that `needs` has and `self` lacks.
            pub fn missing(self, needs: Self) -> Vec<&'static str> {
                let all = [$((stringify!($name), needs.$name && !self.$name)),*];
                all.into_iter().filter(|(_, lacks)| *lacks).map(|(name, _)| name).collect()
            }
        }

        impl crate::Case {
            $(
                /// Restricts the case to backends with this capability:
                $(#[doc = $doc])*
                #[must_use]
                pub const fn $name(mut self) -> Self {
                    self.needs.$name = true;
                    self
                }
            )*
        }
    };
}
capabilities! {
    /// A store opened again at the same location still has all acknowledged commits.
    persistent,
    /// Several processes may use a location at the same time.
    multi_process,
    /// [`RegistryStore::backup`] works, and a backup's path can be opened as a location.
    backup,
    /// Another handle of the same location can commit while a view or a visit of pages is in progress.
    concurrent_readers,
    /// A location is a file path, and [`Backend::open_as`] follows the section "Stores in files" of
    /// [`staleness_core::store`].
    file,
    /// In a tokio runtime, steps run on its blocking threads. The test case hangs if the store blocks the runtime.
    runtime,
}

/// A temporary place for one store. Dropping it deletes the store.
pub struct Place {
    location: String,
    _guard: Box<dyn Any + Send + Sync>,
}

impl Place {
    /// Creates a place at `location`. Dropping `guard` must delete it.
    pub fn new(location: impl Into<String>, guard: impl Any + Send + Sync) -> Self {
        Self { location: location.into(), _guard: Box::new(guard) }
    }

    /// Creates a place for `file` in a new temporary folder. The file does not exist yet.
    ///
    /// # Panics
    /// If the folder cannot be created, or its path is not UTF-8.
    pub fn temporary(file: impl AsRef<Path>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(file);
        let location = path.to_str().expect("a path in UTF-8").to_owned();
        Self::new(location, folder)
    }

    /// Returns the location in the form that [`Backend::open`] expects.
    pub fn location(&self) -> &str {
        &self.location
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Place").field(&self.location).finish()
    }
}

/// A mode of opening a store's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Create the store if it does not exist, and the folders above it.
    Create,
    /// The store must exist.
    Existing,
    /// The store must exist. Nothing is written in its folder, and steps fail with [`StoreError::ReadOnly`].
    ReadOnly,
    /// Like [`Opening::Create`], but returns [`StoreError::Busy`] immediately while others hold the store.
    Impatient,
}

/// A store implementation to be tested by the suite.
///
/// The suite starts its own executable as a child process. A location must mean the same to both processes.
pub trait Backend: fmt::Debug + Send + Sync + 'static {
    /// Returns the backend's name, for reports.
    fn name(&self) -> &'static str;

    /// Returns the backend's optional capabilities.
    fn capabilities(&self) -> Capabilities;

    /// Returns a new, empty temporary place.
    fn place(&self) -> Place;

    /// Opens the store at a location, creating it if needed. Each call returns a new handle. A store that is
    /// not persistent may be empty each time.
    ///
    /// # Errors
    /// If the store cannot be opened. The suite treats this as a failure.
    fn open(&self, location: &str) -> Result<Arc<dyn RegistryStore>, StoreError>;

    /// Opens a store's file in the given mode.
    ///
    /// # Errors
    /// If the store cannot be opened in this mode; [`StoreError::Unsupported`] without
    /// [`Capabilities::file`].
    fn open_as(&self, _: &str, _: Opening) -> Result<Arc<dyn RegistryStore>, StoreError> {
        Err(StoreError::Unsupported("stores that are no files"))
    }
}
