//! Reports: the results returned to callers, derived from the rows that a step or a query has read.

mod catalog;
mod context;
mod cost;
mod delta;
mod digest;
mod history;
mod knowledge;
mod meaning;
mod own;
mod rank;
mod route;
mod scan;
mod session;
mod suggest;
mod tell;
mod tool;
mod unaccepted;
mod words;
mod work;

pub(crate) use catalog::{Catalog, Listed};
pub use context::Context;
pub(crate) use context::Ignored;
pub use cost::ToolCost;
pub(crate) use cost::{costs, needs_outcomes};
pub(crate) use delta::changes;
pub use delta::{Delta, DeltaItem, DeltaSource, DeltaState, DeltaSubject};
pub(crate) use digest::Digest;
pub use history::{History, HistoryEntry, StatusChange};
pub use knowledge::{KnowledgeReport, RecallReport};
pub(crate) use meaning::{QueryVector, of_model};
pub(crate) use own::{is_own_server, is_own_tool};
pub(crate) use rank::{RankedTool, rank};
pub use route::RouteReport;
pub use scan::{ScanReport, SourceReport};
pub use session::SessionReport;
pub(crate) use suggest::{
    Fit, best, last_used, may_be_tried, on_probation, suggest, worth_ranking,
};
pub use suggest::{ScoreParts, Suggestion, TaughtBy};
pub use tell::{Failing, NetChange, News, Redefined};
pub(crate) use tell::{redefined, tell, unanswered};
pub(crate) use tool::status_word;
pub use tool::{HealthReport, HealthState, StatusWord, ToolReport};
pub(crate) use unaccepted::word;
pub use work::WorkReport;
