//! Routes: which tool answered which query, and how surely.
//!
//! A [`Route`] belongs to a project and is told apart by its tool and by its query once spelling
//! is folded away ([`Route::fold`](crate::route::Route::fold)). Learning moves its [`Confidence`]; what has little of it, what
//! nobody used for long, and what is too much goes when routes are pruned (`plan_prune`). Where a
//! model embedded the query, its [`RouteVector`] lies beside it: counters change without touching
//! it, and pruning never reads it.
//!
//! The tool is a bare name that the project resolves when it searches: a route to a tool that is
//! stale or demoted is passed over, not removed, and is back when the tool is.

mod confidence;
mod dot;
mod id;
mod limits;
mod policy;
mod prune;
mod query;
mod record;
mod redact;
mod suggested;
mod vector;

pub use confidence::Confidence;
pub use id::{RouteId, RouteKey};
pub(crate) use limits::own_id;
pub use policy::RoutePolicy;
pub use prune::PruneReason;
pub(crate) use prune::plan_prune;
pub use record::Route;
pub(crate) use suggested::Lesson;
pub use suggested::{Prompted, SuggestedTool, Suggestions};
pub use vector::{Precision, RouteVector, Vector, VectorError};
