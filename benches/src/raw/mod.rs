//! The floors of the stores: programs without any of our code but the lock, which read, decode and
//! write the same rows of the same files.

pub mod redb;
pub mod sqlite;

use std::hash::{DefaultHasher, Hash, Hasher};

/// One use of a tool that is known and present, all texts made beforehand.
#[derive(Clone, Debug)]
pub struct RawUse {
    /// The project, which is also the tool's scope.
    pub scope: String,
    /// The tool's name.
    pub tool: String,
    /// Its server.
    pub server: String,
    /// Identifies the use.
    pub op: String,
    /// Stands for the hash of scope, tool and op: a scattered number, which is what costs time.
    pub identity: i64,
    /// When it ended.
    pub at: i64,
}

impl RawUse {
    /// The use number `at` of `tools` tools in the project `scope`, as in [`crate::uses`].
    #[must_use]
    pub fn new(scope: &str, op: &str, tools: usize, at: usize) -> Self {
        let tool = at % tools;
        let op = format!("{op}-{at:012}");
        let mut identity = DefaultHasher::new();
        op.hash(&mut identity);
        Self {
            scope: scope.into(),
            tool: format!("mcp__server{}__tool{tool}", tool % 12),
            server: format!("server{}", tool % 12),
            op,
            identity: identity.finish().cast_signed(),
            at: crate::START + at as i64 * 1_000,
        }
    }
}
