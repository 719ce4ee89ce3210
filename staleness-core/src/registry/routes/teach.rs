//! Learning from outcomes, in the commit of the outcome and without a vector, and recording the use of routes.

use super::learn::same_query;
use crate::ids::{ProjectId, ToolName};
use crate::policy::RoutePolicy;
use crate::route::{Confidence, Route, RouteKey};
use crate::search::Question;
use crate::store::{Decision, Draft, Durability, Refusal, Selection, Step, View};
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
}

/// Applies a lesson to a draft in which the route is locked, like [`LearnRoute`](super::learn::LearnRoute)
/// without a vector. Ignores a query that cannot be learned.
pub(crate) fn teach(draft: &mut Draft<'_>, taught: &Taught<'_>, policy: &RoutePolicy) {
    let key = taught.key();
    let Some(known) = draft.get::<Route>(&key) else {
        // A query without words could not be found again.
        let learnable =
            Route::check_query(taught.query).is_ok() && Question::new(taught.query).is_ok();
        if taught.signal.get() >= policy.min_signal && learnable {
            draft.put(Route {
                key,
                query: taught.query.trim().to_owned(),
                confidence: taught.signal,
                uses: 1,
                created_at: taught.at,
                last_used_at: taught.at,
                model: None,
                ops: vec![taught.op],
            });
        }
        return;
    };
    if known.remembers(taught.op) || same_query(known, &fold_query(taught.query)).is_err() {
        return;
    }
    draft.edit::<Route, _>(&key, |route| {
        route.learn(taught.signal, policy.learn_weight, taught.op, taught.at);
    });
}

/// Records that routes were used.
#[derive(Debug)]
pub(super) struct UseRoutes {
    pub(super) keys: Vec<RouteKey>,
    pub(super) op: u64,
    pub(super) at: Timestamp,
}

impl Step for UseRoutes {
    fn selection(&self) -> Selection {
        Selection::new().lock_keys::<Route>(self.keys.iter().cloned())
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        for key in &self.keys {
            if draft.get::<Route>(key).is_some_and(|route| !route.remembers(self.op)) {
                draft.edit::<Route, _>(key, |route| route.touch(self.op, self.at));
            }
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
