//! Embedders, which convert texts to vectors for [`staleness_core`].
//!
//! Nothing is downloaded, at build time or at run time.
//!
//! | feature | provides |
//! |---|---|
//! | `local` | `LocalEmbedder`: a sentence-transformer folder on disk, such as that of all-MiniLM-L6-v2, run on the CPU |
//!
//! Without a feature this crate is empty. The trait is in [`staleness_core::embed`].

#[cfg(feature = "local")]
mod files;
#[cfg(feature = "local")]
mod local;

#[cfg(feature = "local")]
pub use local::LocalEmbedder;
pub use staleness_core::embed::{EmbedError, Embedder};
