//! Floors of the stores: programs with none of our code except the lock, which read, decode and write the
//! same rows of the same files.

pub mod redb;
pub mod sqlite;

use std::hash::{DefaultHasher, Hash, Hasher};

/// A use of a known and present tool, with all texts prepared.
#[derive(Clone, Debug)]
pub struct RawUse {
    /// The id of the project, which is also the tool's scope.
    pub scope: String,
    /// The tool's name.
    pub tool: String,
    /// The tool's server.
    pub server: String,
    /// The op id.
    pub op: String,
    /// A scattered number in place of the hash of scope, tool and op. The scattering is what costs time.
    pub identity: i64,
    /// The end time, in milliseconds.
    pub at: i64,
}

impl RawUse {
    /// Creates use number `at` of `tools` tools in the project `scope`, as in [`crate::uses`].
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
