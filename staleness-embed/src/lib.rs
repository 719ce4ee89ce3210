//! Embedders: what turns texts into vectors for [`staleness_core`].
//!
//! Nothing is downloaded, neither when this is built nor when it runs.
//!
//! | feature | what it gives |
//! |---|---|
//! | `local` | `LocalEmbedder`: a sentence-transformer folder on disk, such as that of all-MiniLM-L6-v2, run on the CPU |
//!
//! Without a feature there is nothing here but what [`staleness_core::embed`] says.

#[cfg(feature = "local")]
mod files;
#[cfg(feature = "local")]
mod local;

#[cfg(feature = "local")]
pub use local::LocalEmbedder;
pub use staleness_core::embed::{EmbedError, Embedder};
