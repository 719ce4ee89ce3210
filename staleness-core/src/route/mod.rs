//! Routes: the queries that tools answered, with the confidence that they will do so again.
//!
//! A [`Route`] belongs to a project and is identified by its tool and its query, with spelling folded
//! ([`Route::fold`](crate::route::Route::fold)). Learning changes its [`Confidence`]. Pruning removes routes with low
//! confidence, unused routes, and the worst routes over the limit (`plan_prune`). If a model embedded the query, the
//! [`RouteVector`] is stored separately: counters change without rewriting it, and pruning never reads it.
//!
//! The tool is a bare name that is resolved in the project at search time. A search skips a route to a stale or demoted
//! tool, but the route stays and is found again when the tool is back.

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
pub use redact::without_secrets;
pub(crate) use suggested::Lesson;
pub use suggested::{Prompted, SuggestedTool, Suggestions};
pub use vector::{Precision, RouteVector, Vector, VectorError};
