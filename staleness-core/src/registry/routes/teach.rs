//! Learning from outcomes, in the commit of the outcome and without a vector.

use crate::ids::{ProjectId, ToolName};
use crate::policy::RoutePolicy;
use crate::route::{Confidence, Route, RouteKey};
use crate::search::Question;
use crate::store::{Conflict, Draft, Refusal};
use crate::text::fold_query;
use crate::time::Timestamp;

/// A lesson of an outcome about a query, without a vector.
#[derive(Debug)]
pub(crate) struct Taught<'a> {
    /// The project.
    pub(crate) project: &'a ProjectId,
    /// The tool.
    pub(crate) tool: &'a ToolName,
    /// The query.
    pub(crate) query: &'a str,
    /// The signal, from 0 (the tool failed) to 1 (it was exactly right).
    pub(crate) signal: Confidence,
    /// The hashed op.
    pub(crate) op: u64,
    /// The time of the outcome.
    pub(crate) at: Timestamp,
}

impl Taught<'_> {
    /// Returns the key of its route.
    pub(crate) fn key(&self) -> RouteKey {
        RouteKey::of(self.project, self.tool, &fold_query(self.query))
    }

    /// Returns a route after the lesson: the known one that learned it, or a new one if the signal suffices.
    pub(super) fn route(&self, known: Option<Route>, policy: &RoutePolicy) -> Option<Route> {
        if let Some(mut known) = known {
            known.learn(self.signal, policy.learn_weight, self.op, self.at);
            return Some(known);
        }
        (self.signal.get() >= policy.min_signal).then(|| Route {
            key: self.key(),
            query: self.query.trim().to_owned(),
            confidence: self.signal,
            uses: 1,
            created_at: self.at,
            last_used_at: self.at,
            model: None,
            ops: vec![self.op],
        })
    }
}

/// Applies a lesson to a draft in which the route is locked. Ignores a query that cannot be learned.
pub(crate) fn teach(draft: &mut Draft<'_>, taught: &Taught<'_>, policy: &RoutePolicy) {
    let known = draft.get::<Route>(&taught.key()).cloned();
    let may_learn = match &known {
        None => learnable(taught.query).is_ok(),
        Some(known) => {
            !known.remembers(taught.op) && same_query(known, &fold_query(taught.query)).is_ok()
        }
    };
    if let Some(route) = may_learn.then(|| taught.route(known, policy)).flatten() {
        draft.put(route);
    }
}

/// Folds a query, and refuses a query that no search could find again.
pub(super) fn learnable(query: &str) -> Result<String, Refusal> {
    let folded = Route::check_query(query)?;
    Question::new(query)?;
    Ok(folded)
}

/// Refuses a query whose hash equals that of another query.
pub(super) fn same_query(known: &Route, folded: &str) -> Result<(), Conflict> {
    if fold_query(&known.query) == folded {
        return Ok(());
    }
    Err(Conflict::SameRoute { id: known.key.id.to_string(), query: known.query.clone() })
}
