//! The pure core of `staleness`.

pub mod ids;
pub mod journal;
pub mod memory;
pub mod names;
pub mod outcome;
pub mod policy;
pub mod project;
pub mod registry;
pub mod report;
pub mod scan;
pub mod source;
pub mod store;
pub mod time;
pub mod tool;
pub mod verdict;

pub use memory::MemoryStore;
pub use policy::Policy;
pub use registry::{BlockingRegistry, Registry};
pub use store::{RegistryStore, StoreError};
pub use time::Timestamp;
