//! Backends as the suite knows them: how to reach one, and what it promises.

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use staleness_core::store::{RegistryStore, StoreError};

macro_rules! capabilities {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// Promises of a backend beyond the contract, declared and never discovered by failing.
        ///
        /// Cases name what they need as a value of the same type; a case that needs more than a backend
        /// offers is reported as ignored.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Capabilities {
            $($(#[doc = $doc])* pub $name: bool,)*
        }

        impl Capabilities {
            /// Only what the contract demands of every store.
            pub const NONE: Self = Self { $($name: false,)* };

            /// Returns what `needs` asks for and `self` does not offer, by the names of the fields.
            #[must_use]
            pub fn missing(self, needs: Self) -> Vec<&'static str> {
                let all = [$((stringify!($name), needs.$name && !self.$name)),*];
                all.into_iter().filter(|(_, lacks)| *lacks).map(|(name, _)| name).collect()
            }
        }

        impl crate::Case {
            $(
                /// Limits the case to backends with this capability:
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
    /// A location that is opened again still holds what was acknowledged.
    persistent,
    /// Several processes may use one location at the same time.
    multi_process,
    /// [`RegistryStore::backup`] works, and the path of a backup is a location.
    backup,
    /// Another handle of the same location can commit while a view or a visit of pages is under
    /// way, and the reader need not end first.
    concurrent_readers,
    /// A location is the path of a file, and [`Backend::open_as`] works.
    file,
    /// Work is moved off the threads of a tokio runtime.
    runtime,
}

/// A place that may hold one store. It is removed, with everything in it, when this is dropped.
pub struct Place {
    location: String,
    _guard: Box<dyn Any + Send + Sync>,
}

impl Place {
    /// A place at `location`; dropping `guard` must remove it.
    #[must_use]
    pub fn new(location: impl Into<String>, guard: impl Any + Send + Sync) -> Self {
        Self { location: location.into(), _guard: Box::new(guard) }
    }

    /// A path called `file` in a temporary folder of its own; nothing is at the path yet.
    ///
    /// # Panics
    /// When the folder cannot be made, or its path is not UTF-8.
    #[must_use]
    pub fn temporary(file: impl AsRef<Path>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(file);
        let location = path.to_str().expect("a path in UTF-8").to_owned();
        Self::new(location, folder)
    }

    /// The location, in the words that [`Backend::open`] understands.
    #[must_use]
    pub fn location(&self) -> &str {
        &self.location
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Place").field(&self.location).finish()
    }
}

/// A way to open a file as a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// It is created when it is not there.
    Create,
    /// It must be there.
    Existing,
    /// It must be there, and is not written to.
    ReadOnly,
    /// As [`Opening::Create`], without waiting for whoever holds it.
    Impatient,
}

/// A kind of store, as the suite uses it.
///
/// The suite starts its own executable as a child process, so two values of a backend made by the
/// same program must mean the same by a location.
pub trait Backend: fmt::Debug + Send + Sync + 'static {
    /// Its name, for reports.
    fn name(&self) -> &'static str;

    /// Promises beyond the contract.
    fn capabilities(&self) -> Capabilities;

    /// A new temporary place in which nothing is stored yet.
    fn place(&self) -> Place;

    /// Opens the store at a location, and creates it when it is not there. Each call gives a
    /// handle of its own. A store that is not persistent may start empty each time.
    ///
    /// # Errors
    /// Whatever keeps the store from being opened; the suite takes any error for a failure.
    fn open(&self, location: &str) -> Result<Arc<dyn RegistryStore>, StoreError>;

    /// Opens the store in a file.
    ///
    /// # Errors
    /// Whatever keeps the store from being opened so; [`StoreError::Unsupported`] without
    /// [`Capabilities::file`].
    fn open_as(&self, _: &str, _: Opening) -> Result<Arc<dyn RegistryStore>, StoreError> {
        Err(StoreError::Unsupported("stores that are no files"))
    }
}
