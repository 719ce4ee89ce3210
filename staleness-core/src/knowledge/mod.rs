//! Knowledge: facts, preferences, to-dos, references and whole documents, and how far each can
//! still be trusted.
//!
//! What was found outside comes in as [`Evidence`]; what it means for an [`Item`] or a [`Block`] is
//! decided here.

mod citation;
mod document;
mod evidence;
mod item;

pub use citation::{Citation, Lines};
pub use document::{Block, Document};
pub use evidence::{Cited, Distance, Evidence, Fact, SignalKind, WordKind};
pub use item::{Contradiction, Item, ItemKind};
