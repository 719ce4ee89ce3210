//! What no route may hold, whoever writes it.

use crate::route::{MAX_OPS, Route, check_query};
use crate::store::Refusal;

/// Whether a route may be stored: its query says something and is bounded, and it remembers no more ops
/// than it may.
///
/// # Errors
/// [`Refusal::Invalid`] with what is wrong.
pub fn check_route(route: &Route) -> Result<(), Refusal> {
    check_query(&route.query)?;
    if route.ops.len() > MAX_OPS {
        return Err(Refusal::Invalid(format!(
            "the route remembers {} ops; at most {MAX_OPS} are allowed",
            route.ops.len()
        )));
    }
    Ok(())
}
