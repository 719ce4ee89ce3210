//! Export lines of routes and their vectors.

use serde::{Deserialize, Serialize};

use super::word::{self, Version, constant, hex_bytes, line};
use crate::ids::{ModelId, ProjectId, ToolName};
use crate::route::{Confidence, Precision, Route, RouteId, RouteKey, RouteVector, Vector};
use crate::time::Timestamp;

line! {
    RouteLine of Route, RouteKind = "route";
    key RouteKey { project: ProjectId, tool: ToolName, id: RouteId, }
    query: String,
    confidence: Confidence,
    uses: u64,
    created_at: Timestamp,
    last_used_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<ModelId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "ops")]
    ops: Vec<u64>,
}

/// Hashes of ops, each as hexadecimal digits.
mod ops {
    use serde::{Deserializer, Serializer};

    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct Op(#[serde(with = "word")] u64);

    pub(super) fn serialize<S: Serializer>(ops: &[u64], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(ops.iter().copied().map(Op))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
        Ok(Vec::deserialize(from)?.into_iter().map(|Op(op)| op).collect())
    }
}

constant!(VectorKind = "vector");

/// The line of a vector. Its numbers are hexadecimal little-endian bytes, so they are the same in every store
/// and read back exactly.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VectorLine {
    kind: VectorKind,
    version: Version,
    project: ProjectId,
    tool: ToolName,
    id: RouteId,
    model: ModelId,
    precision: Precision,
    #[serde(with = "hex_bytes")]
    numbers: Vec<u8>,
}

impl From<&RouteVector> for VectorLine {
    fn from(row: &RouteVector) -> Self {
        Self {
            kind: VectorKind,
            version: Version,
            project: row.key.project.clone(),
            tool: row.key.tool.clone(),
            id: row.key.id,
            model: row.model.clone(),
            precision: row.vector.precision(),
            numbers: row.vector.to_bytes(),
        }
    }
}

impl TryFrom<VectorLine> for RouteVector {
    type Error = String;

    fn try_from(line: VectorLine) -> Result<Self, String> {
        let vector = Vector::from_bytes(&line.numbers, line.precision);
        Ok(Self {
            key: RouteKey { project: line.project, tool: line.tool, id: line.id },
            model: line.model,
            vector: vector.map_err(|why| why.to_string())?,
        })
    }
}
