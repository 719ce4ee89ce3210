//! riglm2: a SQLite database of queries with the tool that answered each, and vectors. Based on its source
//! (`storage.ts`, `embedder.ts`) and tested with version 0.1.0.

use super::Table;
use super::line::{Line, Mapped};
use super::row::Row;

/// The model that computed the vectors.
const MODEL: &str = "BGE-small-en-v1.5";
/// Number of dimensions of a vector.
const DIMENSIONS: usize = 384;

pub(super) const TABLES: [Table; 1] = [Table::of("dynamic_entries", "route", |_, _| None, route)
    .needs(&["vector", "tool_name", "query", "confidence", "created_at", "last_used_at"])
    .internal(&["id"])];

fn route(row: &mut Row) -> Mapped {
    // A name includes the server of the tool, as in `github__search`. Clients add a prefix.
    let tool = row.text("tool_name").unwrap_or_default();
    let tool = if tool.contains("__") { format!("mcp__{tool}") } else { tool };
    let vector = row.fields.shift_remove("vector").unwrap_or_default();
    if vector.as_array().is_none_or(|numbers| numbers.len() != DIMENSIONS) {
        return Mapped::Refused(format!("a vector does not have {DIMENSIONS} numbers of 64 bits"));
    }
    Mapped::Line(
        Line::new("route")
            .with("query", row.text("query"))
            .with("tool", tool)
            .with("confidence", row.fields.shift_remove("confidence").unwrap_or_default())
            .at("created", row.time("created_at"))
            .at("last_used", row.time("last_used_at"))
            .with("model", MODEL)
            .with("vector", vector),
    )
}
