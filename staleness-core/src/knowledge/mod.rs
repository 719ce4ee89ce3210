//! Knowledge: facts, preferences, to-dos, references and whole documents, and how far each can
//! still be trusted.
//!
//! What was found outside comes in as [`Evidence`]; [`judge`], [`judge_block`] and
//! [`judge_document`] decide what it means. A [`Context`] holds the rest: the moment, the version of
//! the project, and the rules of the policy.

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
pub use document::{Block, Document};
pub use evidence::{Cited, Distance, Evidence, Fact, SignalKind, WordKind};
pub use gather::{gather, gather_signals};
pub use item::{Contradiction, Item, ItemKind};
pub use judge::{judge, judge_block, judge_document};
pub(crate) use judge::{severity, worst_first};
pub(crate) use limits::check_reason;
pub use markers::{Marker, MarkerSort, marker_evidence, markers, markers_among};
pub use policy::{KnowledgeOverride, KnowledgePolicy, KnowledgeRules};
pub use recall::{RecallIndex, Recalled, blend, recall};
pub use score::{score_and_level, score_and_level_of};
pub use signals::SignalSet;
pub use version::Version;
