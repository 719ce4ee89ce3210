//! What no route may hold, whoever writes it.

use super::{Route, RouteId};
use crate::refusal::Refusal;
use crate::text::fold_query;

impl Route {
    /// Whether a route may be stored: its query says something and is bounded, and it remembers no more ops
    /// than it may.
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

/// Whether a route that comes from elsewhere is found where its tool and query are looked for. Under another
/// id it would be learned a second time, and counted twice; under that of another route a search, which
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
