//! Limits that apply to every route, whoever writes it.

use super::{Route, RouteId};
use crate::refusal::{Invalid, Refusal};
use crate::text::fold_query;

impl Route {
    /// Checks that a route may be stored: its query is not blank and not too long, and it has at most
    /// [`Self::MAX_OPS`] ops.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] or [`Refusal::TooLarge`] with the reason.
    pub fn check(&self) -> Result<(), Refusal> {
        Self::check_query(&self.query)?;
        if self.ops.len() > Self::MAX_OPS {
            return Err(Invalid::RouteOps { ops: self.ops.len(), limit: Self::MAX_OPS }.into());
        }
        Ok(())
    }
}

/// Checks that the id of an imported route matches its tool and query. With a wrong id, the same route could be learned
/// and counted twice, and searches, which identify routes by id, could mistake it for another.
pub(crate) fn own_id(route: &Route) -> Result<(), Refusal> {
    let (tool, id) = (&route.key.tool, route.key.id);
    if RouteId::of(tool, &fold_query(&route.query)) == id {
        return Ok(());
    }
    Err(Invalid::RouteId { id: id.to_string(), tool: tool.clone() }.into())
}
