//! `board`: a one-screen overview of the current work.

use staleness::Wait;
use std::cmp::Reverse;

use serde_json::json;
use staleness::registry::ToolListing;
use staleness::work::{Work, WorkKind, WorkStatus};
use staleness_core::report::Context;

use super::scan::preview;
use super::stale::rows;
use crate::error::CliError;
use crate::output::Output;
use crate::output::board::{self, Board};
use crate::settings::{Access, Settings};

pub(crate) fn run(settings: &Settings, out: &Output) -> Result<(), CliError> {
    let board = read(settings)?;
    if out.json {
        return out.json(&json!({
            "in_progress": board.in_progress,
            "waiting": board.waiting,
            "warnings": rows(settings, &board.stale),
            "tools": board.tools,
        }));
    }
    out.text(&board::render(&settings.project.root, &board, settings.now, out))
}

fn read(settings: &Settings) -> Result<Board, CliError> {
    let registry = settings.open(Access::Look)?;
    let mut items = staleness_service::awaited::open(settings, &registry)?;
    let is_held = |item: &Work| item.held(settings.now).is_some();
    items.retain(|item| place(item.kind, item.status).is_some());
    items.sort_by_key(|item| {
        let place = if is_held(item) { Some(0) } else { place(item.kind, item.status) };
        (place, Reverse(item.updated_at), item.key.clone())
    });
    let is_under_way = |item: &Work| is_held(item) || item.status == WorkStatus::InProgress;
    let (in_progress, waiting): (Vec<Work>, Vec<Work>) = items.into_iter().partition(is_under_way);
    let told = |items| registry.work().reports(&settings.project, items, settings.now).wait();
    let (in_progress, waiting) = (told(in_progress)?, told(waiting)?);
    let stale = registry.work().stale(&settings.project, settings.now).wait()?;
    let (_, view) = preview(&registry, settings, &[])?;
    let policy = &settings.configured.policy;
    let context = Context::new(&view, policy, &settings.project, settings.now);
    let mut tools = ToolListing { hide_ignored: true, ..ToolListing::default() }.of(&context);
    tools.retain(|tool| tool.needs_attention(&context));
    tools.sort_by(|a, b| a.verdict.freshness.total_cmp(&b.verdict.freshness));
    Ok(Board { in_progress, waiting, stale, tools })
}

/// Returns the position on the board, or `None` for items that are not shown.
const fn place(kind: WorkKind, status: WorkStatus) -> Option<u8> {
    Some(match (kind, status) {
        (WorkKind::Plan, WorkStatus::InProgress) => 0,
        (WorkKind::Handoff, WorkStatus::Open) => 1,
        (WorkKind::Candidate, WorkStatus::Pending) => 2,
        (WorkKind::Plan, WorkStatus::Blocked) => 3,
        (WorkKind::Plan, WorkStatus::Todo) => 4,
        _ => return None,
    })
}
