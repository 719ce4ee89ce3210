//! The lines of routes and their vectors.

use serde::{Deserialize, Serialize};

use super::word::{self, Version, constant, hex_bytes};
use crate::ids::{ModelId, ProjectId, ToolName};
use crate::route::{Confidence, Precision, Route, RouteId, RouteKey, RouteVector, Vector};
use crate::time::Timestamp;

constant!(RouteKind = "route");
constant!(VectorKind = "vector");

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RouteLine {
    kind: RouteKind,
    version: Version,
    project: ProjectId,
    tool: ToolName,
    #[serde(with = "word")]
    id: u128,
    query: String,
    /// Rounded to 1e-9 when it is read, so that the digits that are written mean one number.
    confidence: f64,
    uses: u64,
    created_at: Timestamp,
    last_used_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<ModelId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ops: Vec<OpPart>,
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct OpPart(#[serde(with = "word")] u64);

impl From<&Route> for RouteLine {
    fn from(row: &Route) -> Self {
        Self {
            kind: RouteKind,
            version: Version,
            project: row.key.project.clone(),
            tool: row.key.tool.clone(),
            id: row.key.id.0,
            query: row.query.clone(),
            confidence: row.confidence.get(),
            uses: row.uses,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            model: row.model.clone(),
            ops: row.ops.iter().copied().map(OpPart).collect(),
        }
    }
}

impl TryFrom<RouteLine> for Route {
    type Error = String;

    fn try_from(line: RouteLine) -> Result<Self, String> {
        let confidence = Confidence::new(line.confidence)
            .ok_or_else(|| format!("the confidence {} does not lie in 0..=1", line.confidence))?;
        let row = Self {
            key: RouteKey { project: line.project, tool: line.tool, id: RouteId(line.id) },
            query: line.query,
            confidence,
            uses: line.uses,
            created_at: line.created_at,
            last_used_at: line.last_used_at,
            model: line.model,
            ops: line.ops.into_iter().map(|part| part.0).collect(),
        };
        row.check().map_err(|refusal| refusal.to_string())?;
        Ok(row)
    }
}

/// A vector's numbers are the bytes that they take in memory, least byte first, as hexadecimal digits:
/// the same in every store, and read back as the same numbers.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VectorLine {
    kind: VectorKind,
    version: Version,
    project: ProjectId,
    tool: ToolName,
    #[serde(with = "word")]
    id: u128,
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
            id: row.key.id.0,
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
            key: RouteKey { project: line.project, tool: line.tool, id: RouteId(line.id) },
            model: line.model,
            vector: vector.map_err(|why| why.to_string())?,
        })
    }
}
