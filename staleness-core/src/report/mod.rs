//! Reports: what a caller is told, derived purely from what was seen.

mod brief;
mod context;
mod counted;
mod delta;
mod digest;
mod knowledge;
mod meaning;
mod rank;
mod route;
mod scan;
mod session;
mod suggest;
mod tell;
mod tool;
pub(crate) mod words;
mod work;

pub(crate) use brief::{best_of, fitting_briefs};
pub use context::Context;
pub use counted::counted;
pub(crate) use counted::days;
pub use delta::{Delta, DeltaCounts, DeltaItem, DeltaSource, TOP_WARNINGS, changes};
pub use digest::{DIGEST_HANDOFFS, DIGEST_ITEMS, Digest, digest};
pub use knowledge::{KnowledgeReport, RecallReport};
pub use meaning::QueryVector;
pub(crate) use meaning::of_model;
pub use rank::{RankedTool, order, rank};
pub use route::RouteReport;
pub use scan::{ScanReport, SourceReport};
pub use session::SessionReport;
pub(crate) use suggest::last_used;
pub use suggest::{Asked, ScoreParts, Suggestion, TaughtBy, discover, search_index, suggest};
pub use tell::{Failing, NetChange, Telling, tell};
pub use tool::{HealthReport, HealthState, HistoryEntry, PresenceReport, StatusChange, ToolReport};
pub use words::terms;
pub use work::WorkReport;
