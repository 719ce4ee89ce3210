//! The report of a route.

use serde::Serialize;

use crate::ids::{ModelId, ToolName};
use crate::route::{Confidence, Route, RouteId};
use crate::time::Timestamp;

/// A route, without its vector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RouteReport {
    /// The id of the route.
    pub id: RouteId,
    /// The name of the tool to which it leads.
    pub tool: ToolName,
    /// The query as it was first given.
    pub query: String,
    /// The confidence, 0..=1.
    pub confidence: Confidence,
    /// The number of times that the route was used or learned from.
    pub uses: u64,
    /// The time at which the route was first learned.
    pub created_at: Timestamp,
    /// The time at which the route was last used or learned from.
    pub last_used_at: Timestamp,
    /// The model that embedded the query, if there is a vector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelId>,
}

impl From<&Route> for RouteReport {
    fn from(route: &Route) -> Self {
        Self {
            id: route.key.id,
            tool: route.key.tool.clone(),
            query: route.query.clone(),
            confidence: route.confidence,
            uses: route.uses,
            created_at: route.created_at,
            last_used_at: route.last_used_at,
            model: route.model.clone(),
        }
    }
}
