//! The board: work and tools on one screen of at most 80 columns.

use staleness::Timestamp;
use staleness::report::{ToolReport, WorkReport};
use staleness::work::{Warning, WorkKind, WorkStatus};

use super::found::paint_of;
use super::{Cell, Output, Paint, escape, work};
use staleness_service::tools::fold_doubtful;

/// Maximum width, in columns.
const WIDTH: usize = 80;
/// Maximum number of lines, so that the board and the prompt fit into 24 lines.
const LINES: usize = 23;
/// Maximum number of rows per section.
const ROWS: usize = 6;
pub(crate) struct Board {
    /// Plans in progress, latest first.
    pub in_progress: Vec<WorkReport>,
    /// Waiting items: handoffs, candidates, and plans that are blocked or to do.
    pub waiting: Vec<WorkReport>,
    /// Overdue work.
    pub stale: Vec<Warning>,
    /// Tools that need attention.
    pub tools: Vec<ToolReport>,
}

/// Renders the board: work in progress, waiting and overdue work, and tools that need attention.
pub(crate) fn render(root: &str, board: &Board, now: Timestamp, out: &Output) -> String {
    let mut rows = ROWS;
    loop {
        let text = with_rows(root, board, rows, now, out);
        if rows == 1 || text.lines().count() <= LINES {
            return text;
        }
        rows -= 1;
    }
}

/// Renders the board with at most `rows` rows per section.
fn with_rows(root: &str, board: &Board, rows: usize, now: Timestamp, out: &Output) -> String {
    let narrow = &Output { paint: out.paint, width: out.width.min(WIDTH), ..*out };
    let mut text = format!("{}\n", out.paint.bold(&escape(root)));
    let before = text.len();
    text.push_str(&section("in progress", &board.in_progress, rows, now, narrow));
    text.push_str(&section("waiting", &board.waiting, rows, now, narrow));
    let stale = &board.stale;
    if !stale.is_empty() {
        text.push_str(&head(&format!("overdue: {}", work::summary(stale)), narrow));
        let shown = stale.len().min(rows);
        text.push_str(&overdue(&stale[..shown], narrow));
        text.push_str(&more(stale.len() - shown, "staleness stale", narrow));
    }
    if !board.tools.is_empty() {
        let mut tools = board.tools.clone();
        fold_doubtful(&mut tools);
        text.push_str(&head("tools that need attention", narrow));
        let shown = tools.len().min(rows);
        text.push_str(&super::tools::brief(&tools[..shown], narrow));
        text.push_str(&more(tools.len() - shown, "staleness", narrow));
    }
    if text.len() == before {
        text.push_str("no work is in progress, waiting or overdue, and no tool needs attention\n");
    }
    text
}

fn section(title: &str, items: &[WorkReport], rows: usize, now: Timestamp, out: &Output) -> String {
    if items.is_empty() {
        return String::new();
    }
    let left = items.len().saturating_sub(rows);
    let table = out.table(items.iter().take(rows).map(|each| row(each, now)));
    head(title, out) + &table + &more(left, "staleness work list --open", out)
}

/// Returns the cells of an item: its kind, with the state of a waiting plan, its age, id and text.
fn row(each: &WorkReport, now: Timestamp) -> Vec<Cell> {
    let what = match (each.kind, each.status) {
        (WorkKind::Plan, WorkStatus::InProgress) => each.kind.as_str().to_owned(),
        (WorkKind::Plan, status) => format!("{} {}", each.kind, status.as_str()),
        (kind, _) => kind.as_str().to_owned(),
    };
    vec![
        (what, Some(paint_of(each.verdict.level))),
        (format!("{}d", now.days_since(each.updated_at)), Some(Paint::dim)),
        (each.key.to_string(), Some(Paint::bold)),
        (work::what(each), None),
    ]
}

fn overdue(warnings: &[Warning], out: &Output) -> String {
    out.table(warnings.iter().map(|each| -> Vec<Cell> {
        vec![
            (each.kind.as_str().into(), Some(paint_of(each.level))),
            (format!("{}d", each.flag.age_days), Some(Paint::dim)),
            (each.key.to_string(), Some(Paint::bold)),
            (each.text.clone(), None),
        ]
    }))
}

fn head(title: &str, out: &Output) -> String {
    format!("{}\n", out.paint.bold(title))
}

fn more(left: usize, command: &str, out: &Output) -> String {
    out.more(if out.quiet { 0 } else { left }, &format!("`{command}` shows all"))
}
