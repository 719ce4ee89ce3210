//! Reports: what a caller is told, derived purely from what was seen.

mod context;
mod knowledge;
mod rank;
mod scan;
mod suggest;
mod tell;
mod tool;
pub(crate) mod words;

pub use context::Context;
pub use knowledge::{KnowledgeReport, RecallReport};
pub use rank::{RankedTool, order, rank};
pub use scan::{ScanReport, SourceReport};
pub use suggest::{Suggestion, discover, suggest};
pub use tell::{NetChange, Telling, tell};
pub use tool::{HealthReport, HealthState, HistoryEntry, PresenceReport, StatusChange, ToolReport};
pub use words::{Words, terms};
