//! Embedders: what turns a text into a vector.

use std::fmt;
use std::path::PathBuf;

use crate::ids::ModelId;
use crate::route::{Vector, VectorError};

/// Turns texts into vectors, by one model. Texts that mean something alike get vectors of a large
/// cosine.
///
/// Without one, searches go by words alone: that is the default, and downloads nothing. Vectors that
/// a caller made are as good: each is stored with its model's id.
///
/// To ensure correctness an implementation must
/// - give one vector of [`Embedder::dimensions`] numbers for each text, in the order of the texts,
/// - give the same vector for the same text, whatever stands beside it,
/// - have another id for another model: vectors of one id are compared with each other.
pub trait Embedder: fmt::Debug + Send + Sync + 'static {
    /// The model.
    fn model(&self) -> &ModelId;

    /// Returns the number of dimensions of each vector.
    fn dimensions(&self) -> usize;

    /// The vectors of some texts. A text that is longer than the model reads is cut.
    ///
    /// # Errors
    /// [`EmbedError::Empty`] for a text without a word; else what the model reports.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError>;

    /// The vector of one text.
    ///
    /// # Errors
    /// As [`Embedder::embed`].
    fn embed_one(&self, text: &str) -> Result<Vector, EmbedError>;
}

/// Why there is no vector.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmbedError {
    /// A file of the model is not there, or cannot be read.
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A file of the model says something that this program cannot use.
    Model {
        /// The file.
        path: PathBuf,
        /// The reason why it cannot be used.
        why: String,
    },
    /// There is no word in this text; its place among the texts, counted from 0, is given.
    Empty(usize),
    /// The model made something that is no vector.
    Vector(VectorError),
    /// The model failed.
    Failed(String),
}

impl fmt::Display for EmbedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, why } | Self::Model { path, why } => {
                write!(f, "{}: {why}", path.display())
            }
            Self::Empty(at) => write!(f, "text {at}, counted from 0, has no word in it"),
            Self::Vector(why) => write!(f, "the model gave no vector: {why}"),
            Self::Failed(why) => write!(f, "the model failed: {why}"),
        }
    }
}

impl std::error::Error for EmbedError {}

impl From<VectorError> for EmbedError {
    fn from(why: VectorError) -> Self {
        Self::Vector(why)
    }
}
