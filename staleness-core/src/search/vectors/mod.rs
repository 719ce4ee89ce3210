//! Search by meaning: exact cosines over unit vectors that lie side by side.
//!
//! A vector belongs to the model that made it. Vectors of different models, or of different numbers
//! of dimensions, are kept apart and never compared.

mod dot;
mod nearest;

pub use dot::Component;
pub use nearest::{cosines, nearest};
