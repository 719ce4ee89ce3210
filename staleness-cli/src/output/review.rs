//! Renders the entries that need attention.

use serde::Serialize;
use staleness::verdict::{NextAction, Verdict};
use unicode_width::UnicodeWidthStr;

use super::found::{gap, reasons, state};
use super::{Output, escape, fitting};

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry {
    /// `tool`, or the kind of the item.
    pub kind: &'static str,
    /// The name or id, or the place in a document.
    pub id: String,
    /// `global` or `project`, for a tool that is listed in both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<&'static str>,
    /// The title, on one line.
    pub title: String,
    pub verdict: Verdict,
    /// The command to run next or, if there is none, an explanation that begins with `# `.
    pub suggested_action: String,
    /// An alternative command, which keeps the item that the first command would end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<String>,
}

/// Renders each entry with its reasons and the next command.
pub(crate) fn render(entries: &[Entry], total: usize, out: &Output) -> String {
    if entries.is_empty() {
        return if total == 0 { "nothing needs attention\n".into() } else { String::new() };
    }
    let paint = out.paint;
    let mut text = String::new();
    for each in entries {
        let (state, id) = (state(&each.verdict, out), escape(&each.id));
        let gap = gap(24 + each.kind.width() + id.width(), out);
        let scope = each.scope.map(|scope| paint.dim(&format!("  {scope}"))).unwrap_or_default();
        let (kind, id) = (paint.dim(each.kind), paint.bold(&id));
        text.push_str(&format!("{state}{gap}{kind} {id}{scope}\n"));
        if each.title != each.id {
            let title = fitting(&escape(&each.title), out.width.saturating_sub(4));
            text.push_str(&format!("    {}\n", paint.dim(&title)));
        }
        reasons(&each.verdict, 4, out, &mut text);
        text.push_str(&action(&each.suggested_action));
        if let Some(command) = &each.otherwise {
            let why = match each.verdict.action {
                NextAction::Reschedule => "  # later",
                _ => "  # it is still true",
            };
            let why = paint.dim(why);
            text.push_str(&format!("    $ {}{why}\n", escape(command)));
        }
    }
    if total > entries.len() && !out.quiet {
        let more = format!("… and {} more; --limit {total} shows all\n", total - entries.len());
        text.push_str(&paint.dim(&more));
    }
    text
}

/// Renders a command, which is never truncated so that it can be pasted, or the text that replaces a command.
pub(super) fn action(action: &str) -> String {
    match action.strip_prefix("# ") {
        Some(act) => format!("    {}\n", escape(act)),
        None => format!("    $ {}\n", escape(action)),
    }
}
