//! Learns from outcomes, in the commit of the outcome and without a vector.

use crate::ids::{ProjectId, ToolName};
use crate::policy::RoutePolicy;
use crate::route::{Confidence, Route, RouteKey};
use crate::search::Question;
use crate::store::{Conflict, Draft, Refusal};
use crate::text::fold_query;
use crate::time::Timestamp;

/// A lesson about a query, taught by an outcome.
#[derive(Debug)]
pub(crate) struct Taught<'a> {
    pub(crate) project: &'a ProjectId,
    pub(crate) tool: &'a ToolName,
    pub(crate) query: &'a str,
    /// The signal, from 0 (the tool failed) to 1 (it was exactly right).
    pub(crate) signal: Confidence,
    /// The hash of the op id.
    pub(crate) op: u64,
    pub(crate) at: Timestamp,
}

impl Taught<'_> {
    pub(crate) fn key(&self) -> RouteKey {
        RouteKey::of(self.project, self.tool, &fold_query(self.query))
    }

    /// Returns the route after the lesson: the known one, changed, or a new one. `None` if the signal is too weak for a
    /// new one.
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

/// Applies a lesson to a draft that locks the route. Ignores a query that cannot be learned.
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

/// Folds a query. Errors if no search could find it again.
pub(super) fn learnable(query: &str) -> Result<String, Refusal> {
    let folded = Route::check_query(query)?;
    Question::new(query)?;
    Ok(folded)
}

/// Refuses a query if `known`, the route with the same hash, is for another query.
pub(super) fn same_query(known: &Route, folded: &str) -> Result<(), Conflict> {
    if fold_query(&known.query) == folded {
        return Ok(());
    }
    Err(Conflict::SameRoute { id: known.key.id.to_string(), query: known.query.clone() })
}
