//! Knowledge: facts, preferences, to-dos, references and whole documents, and the degree to which each can still be
//! trusted.
//!
//! Findings arrive as [`Evidence`]. [`Item::judge`], [`Block::judge`] and [`Document::judge`] turn them into
//! verdicts. A [`Context`] supplies the rest: the time, the project's version and the rules of the policy.

mod citation;
mod context;
mod curve;
mod document;
mod evidence;
mod gather;
mod item;
mod judge;
mod limits;
mod markers;
mod policy;
mod recall;
mod score;
mod sentence;
mod signals;
mod version;

pub use citation::{Citation, Lines};
pub use context::Context;
pub use curve::Curve;
pub use document::{Block, Document, Gap};
pub use evidence::{Cited, Distance, Evidence, Fact, WordKind};
pub use item::{Contradiction, Item, ItemKind, ItemState};
pub(crate) use judge::{severity, worst_first};
pub(crate) use limits::check_reason;
pub use markers::{Marker, MarkerSort};
pub use policy::{KnowledgeOverride, KnowledgePolicy, KnowledgeRules};
pub(crate) use recall::blend;
pub use recall::{RecallIndex, Recalled};
pub use signals::SignalSet;
pub use version::Version;

use crate::verdict::SignalKind;
