//! `knowledge recall`: finds items for a question.

use serde_json::json;
use staleness_service::knowledge::{self as service, World};

use crate::error::CliError;
use crate::output::{Output, knowledge};

pub(super) fn run(
    world: &World<'_>,
    query: &str,
    limit: usize,
    peek: bool,
    out: &Output,
) -> Result<(), CliError> {
    let told = service::recall(world, query, limit, peek)?.told;
    if out.json {
        return out.json(&json!({ "items": told }));
    }
    if told.is_empty() {
        return if out.quiet { Ok(()) } else { out.text("no item matches\n") };
    }
    out.text(&knowledge::recalled(&told, out))
}
