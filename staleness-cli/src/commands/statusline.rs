//! `statusline`: one line for the status bar of a client.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};
use staleness_core::text::counted;
use staleness_service::words::need;
use staleness_sources::live::repaired;

use super::hook::read_payload;
use super::overview::{Overview, Summary};
use crate::args::Global;
use crate::error::CliError;
use crate::output::Output;
use crate::output::found::paint_of;
use crate::settings::{Access, Settings};

/// Maximum wait for the client's JSON.
const WAIT: Duration = Duration::from_millis(250);

/// Prints the line. Errors are printed only with `--verbose`, because clients do not show stderr.
pub(crate) fn run(global: &Global, out: &Output) -> Result<(), CliError> {
    let read = || {
        let settings = Settings::new(global, folder().as_deref(), true)?;
        let registry = settings.open(Access::Look)?;
        Ok::<_, CliError>(Overview::read(&settings, &registry)?.summary())
    };
    let summary = read().inspect_err(|error| out.note(&error.render(false))).ok();
    if out.json {
        let [tools, documents, knowledge, work] = summary.as_ref().map_or([0; 4], |it| it.counts);
        let level = summary.filter(|it| it.unknown.is_none()).map(|it| it.level.as_str());
        return out.json(&json!({
            "level": level,
            "tools": tools, "documents": documents, "knowledge": knowledge, "work": work,
        }));
    }
    let line = summary.map_or_else(|| "this project cannot be read".into(), |it| line(&it, out));
    out.text(&format!("staleness: {line}\n"))
}

/// Returns the folder in the client's JSON. Returns `None` for a terminal, or if the client sends nothing in time.
fn folder() -> Option<PathBuf> {
    if std::io::stdin().is_terminal() {
        return None;
    }
    let (to, from) = mpsc::channel();
    std::thread::Builder::new().spawn(move || to.send(read_payload())).ok()?;
    let payload = from.recv_timeout(WAIT).ok()?.ok()?;
    let payload: Value = serde_json::from_str(&repaired(&payload)).ok()?;
    let folder = |value: Option<&Value>| value.and_then(Value::as_str).map(PathBuf::from);
    folder(payload.pointer("/workspace/project_dir")).or_else(|| folder(payload.get("cwd")))
}

/// Returns the line: `2 tools and 1 document need attention`.
fn line(summary: &Summary, out: &Output) -> String {
    let names = [
        ("tool", "tools"),
        ("document", "documents"),
        ("knowledge item", "knowledge items"),
        ("work item", "work items"),
    ];
    let Summary { counts, level, unknown } = summary;
    let parts = counts.iter().zip(names).filter(|(count, _)| **count > 0);
    let parts: Vec<_> = parts.map(|(count, (one, more))| counted(*count, one, more)).collect();
    match (parts.split_last(), unknown) {
        (Some((last, others)), _) => {
            let and = if others.is_empty() { "" } else { " and " };
            let need = need(counts.iter().sum());
            let text = format!("{}{and}{last} {need} attention", others.join(", "));
            paint_of(*level)(out.paint, &text)
        }
        (None, Some(unknown)) => unknown.clone(),
        (None, None) => out.paint.good("nothing needs attention"),
    }
}
