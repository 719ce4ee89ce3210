//! A route, and how it learns.

use serde::{Deserialize, Deserializer, Serialize, de};

use super::{Confidence, RouteKey};
use crate::ids::{ModelId, OpId, stable_hash};
use crate::time::Timestamp;

/// A query that led to a tool. Routes are a bounded cache: what is weak, unused or too much is pruned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// Its identity: project, tool and id.
    pub key: RouteKey,
    /// The query as it was first given, without white space at either end.
    pub query: String,
    /// Its confidence, 0..=1.
    pub confidence: Confidence,
    /// The number of times that it was learned from, or found and then used.
    pub uses: u64,
    /// When it was learned first.
    pub created_at: Timestamp,
    /// When it was learned from or used last.
    pub last_used_at: Timestamp,
    /// The model that embedded the query, where there is a vector.
    pub model: Option<ModelId>,
    /// The ops that it learned from or was used by last, as [`Route::op`] and [`Route::use_op`] hash
    /// them, oldest first, at most [`Route::MAX_OPS`]: none counts twice.
    #[serde(deserialize_with = "bounded_ops")]
    pub ops: Vec<u64>,
}

fn bounded_ops<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
    let ops = Vec::deserialize(from)?;
    if ops.len() <= Route::MAX_OPS { Ok(ops) } else { Err(de::Error::custom("too many ops")) }
}

impl Route {
    /// The most ops that a route remembers; the oldest go first.
    pub const MAX_OPS: usize = 16;

    /// The longest query that is learned, in bytes of UTF-8.
    pub const MAX_QUERY_BYTES: usize = 4_096;

    /// Returns the hash by which a route remembers an op that it learned from.
    #[must_use]
    pub fn op(op: &OpId) -> u64 {
        stable_hash(op.as_str().as_bytes()) as u64
    }

    /// Returns the hash of an op that used the route: it may teach, too, and counts as both.
    #[must_use]
    pub fn use_op(op: &OpId) -> u64 {
        stable_hash(format!("use:{op}").as_bytes()) as u64
    }

    /// Returns true if an op is among the last ones.
    #[must_use]
    pub fn remembers(&self, op: u64) -> bool {
        self.ops.contains(&op)
    }

    /// Learns once more: the confidence moves by `weight` of the way to the signal.
    pub fn learn(&mut self, signal: Confidence, weight: f64, op: u64, at: Timestamp) {
        self.confidence = self.confidence.after(signal, weight);
        self.touch(op, at);
    }

    /// Notes that it was used. A use counts once, and moves its time only forward.
    pub fn touch(&mut self, op: u64, at: Timestamp) {
        self.uses = self.uses.saturating_add(1);
        self.last_used_at = self.last_used_at.max(at);
        self.remember(op);
    }

    /// Takes in a younger route to the same tool whose query means the same: together they were used
    /// as often, and are as sure as they were on average.
    pub fn absorb(&mut self, younger: &Self) {
        self.confidence = self.confidence.mean(self.uses, younger.confidence, younger.uses);
        self.uses = self.uses.saturating_add(younger.uses);
        self.created_at = self.created_at.min(younger.created_at);
        self.last_used_at = self.last_used_at.max(younger.last_used_at);
        // The elder's are those that come again: the younger's go first when there are too many.
        let mut ops: Vec<u64> =
            younger.ops.iter().copied().filter(|op| !self.remembers(*op)).collect();
        ops.append(&mut self.ops);
        ops.drain(..ops.len().saturating_sub(Self::MAX_OPS));
        self.ops = ops;
    }

    fn remember(&mut self, op: u64) {
        let over = (self.ops.len() + 1).saturating_sub(Self::MAX_OPS);
        self.ops.drain(..over);
        self.ops.push(op);
    }
}
