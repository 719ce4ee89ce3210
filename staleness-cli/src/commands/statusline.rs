//! `statusline`: one line for the status bar of a client.

use std::io::IsTerminal;
use std::path::PathBuf;

use serde_json::{Value, json};
use staleness::verdict::Level;
use staleness_core::text::counted;
use staleness_service::words::need;

use super::hook::read_payload;
use super::overview::Overview;
use crate::args::Global;
use crate::error::CliError;
use crate::output::Output;
use crate::output::found::paint_of;
use crate::settings::{Access, Settings};

/// Prints the line. A client shows nothing useful of an error, so it goes to stderr, and only with `--verbose`.
pub(crate) fn run(global: &Global, out: &Output) -> Result<(), CliError> {
    let read = || {
        let settings = Settings::new(global, folder()?.as_deref(), true)?;
        let registry = settings.open(Access::Look)?;
        Ok::<_, CliError>(Overview::read(&settings, &registry)?.counts())
    };
    let counted = read().inspect_err(|error| out.note(&error.render(false))).ok();
    if out.json {
        let [tools, documents, knowledge, work] = counted.map_or([0; 4], |(counts, _)| counts);
        return out.json(&json!({
            "level": counted.map(|(_, level)| level.as_str()),
            "tools": tools, "documents": documents, "knowledge": knowledge, "work": work,
        }));
    }
    let line = counted.map(|(counts, level)| line(counts, level, out));
    out.text(&(line.unwrap_or_else(|| "staleness: the registry cannot be read".into()) + "\n"))
}

/// Returns the folder that the client's JSON names. A person at a terminal gives none.
fn folder() -> Result<Option<PathBuf>, CliError> {
    if std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let payload: Value = serde_json::from_slice(&read_payload()?).unwrap_or_default();
    let named = payload.pointer("/workspace/project_dir").or_else(|| payload.get("cwd"));
    Ok(named.and_then(Value::as_str).map(PathBuf::from))
}

/// Returns the line: `2 tools, 1 document need attention`.
fn line(counts: [usize; 4], level: Level, out: &Output) -> String {
    let names = [
        ("tool", "tools"),
        ("document", "documents"),
        ("item of knowledge", "items of knowledge"),
        ("work item", "work items"),
    ];
    let parts = counts.iter().zip(names).filter(|(count, _)| **count > 0);
    let parts: Vec<_> = parts.map(|(count, (one, more))| counted(*count, one, more)).collect();
    if parts.is_empty() {
        return out.paint.good("staleness: nothing needs attention");
    }
    let need = need(counts.iter().sum());
    paint_of(level)(out.paint, &format!("staleness: {} {need} attention", parts.join(", ")))
}
