//! Limits of every route, whoever writes it.

use super::{Route, RouteId};
use crate::refusal::Refusal;
use crate::text::fold_query;

impl Route {
    /// Checks that a route may be stored: its query says something and is bounded, and it remembers
    /// at most [`Self::MAX_OPS`] ops.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] with what is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        Self::check_query(&self.query)?;
        if self.ops.len() > Self::MAX_OPS {
            return Err(Refusal::Invalid(format!(
                "the route remembers {} ops; at most {} are allowed",
                self.ops.len(),
                Self::MAX_OPS
            )));
        }
        Ok(())
    }
}

/// Checks that the id of a route from elsewhere is that of its tool and query. Under another id it
/// would be learned a second time, and counted twice; under that of another route a search, which
/// knows routes by their ids, would take one for the other.
pub(crate) fn own_id(route: &Route) -> Result<(), Refusal> {
    let (tool, id) = (&route.key.tool, route.key.id);
    if RouteId::of(tool, &fold_query(&route.query)) == id {
        return Ok(());
    }
    Err(Refusal::Invalid(format!(
        "the id {id} is not that of the tool {tool} and the query of its route; leave it and its vector out"
    )))
}
