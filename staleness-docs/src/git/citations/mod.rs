//! Checks whether cited lines and symbols still exist and are unchanged.

mod cited;
mod compared;
mod query;
mod room;
mod seen;
mod version;

pub use query::{CitationQuery, Cite};
pub use seen::cited_digest;

pub(crate) use room::{Citations, Room};
pub(crate) use seen::seen_in;
