//! Embedders: turn texts into vectors.

use std::fmt;
use std::path::PathBuf;

use crate::ids::ModelId;
use crate::route::{Vector, VectorError};

/// A model that turns texts into vectors. Texts with similar meanings get vectors with a large cosine.
///
/// An embedder is optional. Without one, searches compare only words, and nothing is downloaded. A caller may also
/// compute vectors itself. Each vector is stored with the id of its model.
///
/// To ensure correctness an implementation must
/// - return one vector of [`Embedder::dimensions`] numbers for each text, in the order of the texts,
/// - return the same vector for the same text, regardless of the other texts in the batch,
/// - use a different id for each model, because vectors with the same id are compared with each other.
pub trait Embedder: fmt::Debug + Send + Sync + 'static {
    /// Returns the id of the model.
    fn model(&self) -> &ModelId;

    /// Returns the number of dimensions of each vector.
    fn dimensions(&self) -> usize;

    /// Returns the vectors of the texts. Texts longer than the model's input are truncated.
    ///
    /// # Errors
    /// [`EmbedError::Empty`] if a text contains no word, or the error that the model reports.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError>;

    /// Returns the vector of one text.
    ///
    /// # Errors
    /// As [`Embedder::embed`].
    fn embed_one(&self, text: &str) -> Result<Vector, EmbedError>;
}

/// The reason why a text could not be embedded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// A file of the model is missing or cannot be read.
    #[error("{}: {why}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A file of the model has contents that this program cannot use.
    #[error("{}: {why}", path.display())]
    Model {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A text contains no word. The value is its index among the texts.
    #[error("text {0} (counted from 0) has no words")]
    Empty(usize),
    /// The model returned an invalid vector.
    #[error("the model returned no vector: {0}")]
    Vector(VectorError),
    /// The model failed. The value is its error message.
    #[error("the model failed: {0}")]
    Failed(String),
}

impl From<VectorError> for EmbedError {
    fn from(why: VectorError) -> Self {
        Self::Vector(why)
    }
}
