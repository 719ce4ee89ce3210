//! The record of a route, and its learning.

use serde::{Deserialize, Deserializer, Serialize, de};

use super::{Confidence, RouteKey};
use crate::ids::{ModelId, OpId, stable_hash};
use crate::text::hex;
use crate::time::Timestamp;

/// A query that led to a tool. Routes are a bounded cache and are pruned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// The identity of the route: project, tool and id.
    pub key: RouteKey,
    /// The query as it was first given, trimmed.
    pub query: String,
    /// The confidence, 0..=1.
    pub confidence: Confidence,
    /// The number of times that the route was learned from, or was found and its tool used.
    pub uses: u64,
    /// The time at which the route was first learned.
    pub created_at: Timestamp,
    /// The time at which the route was last learned from or used.
    pub last_used_at: Timestamp,
    /// The model that embedded the query, if there is a vector.
    pub model: Option<ModelId>,
    /// Hashes ([`Route::op`], [`Route::use_op`]) of the latest ops that taught or used the route, oldest first, at most
    /// [`Route::MAX_OPS`]. They prevent an op from being counted twice.
    #[serde(serialize_with = "hex::serialize", deserialize_with = "bounded_ops")]
    pub ops: Vec<u64>,
}

fn bounded_ops<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
    let ops: Vec<u64> = hex::deserialize(from)?;
    if ops.len() <= Route::MAX_OPS { Ok(ops) } else { Err(de::Error::custom("too many ops")) }
}

impl Route {
    /// The maximum number of ops that a route remembers. The oldest are dropped first.
    pub const MAX_OPS: usize = 16;

    /// The maximum length of a query, in bytes of UTF-8.
    pub const MAX_QUERY_BYTES: usize = 4_096;

    /// Returns the hash of an op that taught a route.
    pub fn op(op: &OpId) -> u64 {
        stable_hash(op.as_str().as_bytes()) as u64
    }

    /// Returns the hash of an op that used a route. It differs from [`Route::op`], because one op may both teach and
    /// use a route.
    pub fn use_op(op: &OpId) -> u64 {
        stable_hash(format!("use:{op}").as_bytes()) as u64
    }

    /// Returns true if the route remembers this hash of an op.
    pub fn remembers(&self, op: u64) -> bool {
        self.ops.contains(&op)
    }

    /// Moves the confidence towards the signal by `weight`, and records a use.
    pub fn learn(&mut self, signal: Confidence, weight: f64, op: u64, at: Timestamp) {
        self.confidence = self.confidence.after(signal, weight);
        self.touch(op, at);
    }

    /// Records a use at `at`. The time of the last use never moves back.
    pub fn touch(&mut self, op: u64, at: Timestamp) {
        self.uses = self.uses.saturating_add(1);
        self.last_used_at = self.last_used_at.max(at);
        self.remember(op);
    }

    /// Merges a younger route to the same tool with a query of the same meaning: adds the uses and averages
    /// the confidence, weighted by uses.
    pub fn absorb(&mut self, younger: &Self) {
        self.confidence = self.confidence.mean(self.uses, younger.confidence, younger.uses);
        self.uses = self.uses.saturating_add(younger.uses);
        self.created_at = self.created_at.min(younger.created_at);
        self.last_used_at = self.last_used_at.max(younger.last_used_at);
        // The younger route's ops go first, so they are the first to be dropped.
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
