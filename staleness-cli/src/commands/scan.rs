//! `scan`: reads the configuration of the clients and records changes.

use std::cmp::Reverse;
use std::io::Read;
use std::path::Path;

use serde::Serialize;
use staleness::Wait;
use staleness::report::{ScanReport, ToolReport};
use staleness::scan::SourceReading;
use staleness::source::SourceState;
use staleness::tool::PresenceCause;
use staleness_core::definition::Definition;
use staleness_core::text::counted;
use staleness_service::scan::is_project_server;
pub(crate) use staleness_service::scan::{apply, preview};
use staleness_sources::live;

use super::definitions::{Told, diff_of, paint_of_change};
use super::probe::{self, Probed};
use crate::args::ScanArgs;
use crate::error::{CliError, ErrorKind, in_words};
use crate::output::{Cell, Output, tools};
use crate::settings::{Access, Settings};

/// Maximum size of a tool list, in bytes.
const MAX_LIST_BYTES: u64 = 64 * 1024 * 1024;

pub(crate) fn run(settings: &Settings, args: &ScanArgs, out: &Output) -> Result<(), CliError> {
    let mut live: Vec<SourceReading> = Vec::new();
    if let Some(file) = &args.tools_json {
        live.push(read_list(settings, file, args.server.as_deref())?);
    }
    let probed = match &args.probe {
        None => None,
        Some(names) => {
            let probed = probe::run(settings, names, out)?;
            live.extend(probed.iter().filter_map(|each| each.reading.clone()));
            Some(probed)
        }
    };
    let registry = settings.open(if args.dry_run { Access::Look } else { Access::Write })?;
    if let Some(probed) = &probed {
        let known = registry.tools().readings(&settings.project.id).wait()?;
        live.extend(probe::replaced(probed, known.keys()));
    }
    let report = if args.dry_run {
        preview(&registry, settings, &live)?.0
    } else {
        let report = apply(&registry, settings, &live, None)?;
        if probed.is_some() {
            // A server may list other names each time, so old names are pruned.
            registry.admin().prune_names(settings.now, false, &mut || true).wait()?;
        }
        report
    };
    if out.json {
        let told = |row| Told::new(row).for_caller(settings);
        let changed = report.changed.iter().map(told).collect();
        return out.json(&Scanned { report: &report, changed, probed: probed.as_deref() });
    }
    let asked = probed.map_or_else(String::new, |probed| probe::render(&probed, out));
    out.text(&(render(settings, &report, args.dry_run, out) + &asked))
}

/// The report of a scan, with the probed servers.
#[derive(Serialize)]
struct Scanned<'a> {
    #[serde(flatten)]
    report: &'a ScanReport,
    changed: Vec<Told<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probed: Option<&'a [Probed]>,
}

fn read_list(
    settings: &Settings,
    file: &Path,
    server: Option<&str>,
) -> Result<SourceReading, CliError> {
    let shown = if file == Path::new("-") { "stdin".into() } else { file.display().to_string() };
    let hint = "give a file with a server's answer to `tools/list`, or `-` for standard input";
    let trouble =
        |what: String| CliError::new(ErrorKind::Io, format!("{shown}: {what}")).hint(hint);
    let mut text = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(MAX_LIST_BYTES + 1).read_to_string(&mut text)
    } else {
        std::fs::File::open(file)
            .and_then(|file| file.take(MAX_LIST_BYTES + 1).read_to_string(&mut text))
    };
    read.map_err(|error| trouble(in_words(&error)))?;
    if text.len() as u64 > MAX_LIST_BYTES {
        return Err(trouble(format!("larger than {MAX_LIST_BYTES} bytes")));
    }
    // A list has the scope of its server. The scope is the project if only the project configures the server.
    let own = server.is_some_and(|server| is_project_server(settings, server));
    live::tools_list(&text, server, &shown, own.then_some(&settings.project.id))
        .map_err(|error| CliError::invalid(error.to_string()).hint(hint))
}

/// Formats changed definitions, the most serious first.
fn changed(settings: &Settings, rows: &[Definition], out: &Output) -> String {
    /// Maximum number of rows.
    const ROWS: usize = 25;
    let mut told: Vec<_> =
        rows.iter().map(|row| (row, Told::new(row).for_caller(settings))).collect();
    told.sort_by_key(|(_, told)| Reverse(told.class()));
    let Some((first, _)) = told.first() else { return String::new() };
    let table = out.table(told.iter().take(ROWS).map(|(row, told)| -> Vec<Cell> {
        let class = told.class();
        let waits = if row.pending.is_some() { "; not accepted yet" } else { "" };
        vec![
            (row.key.name.to_string(), None),
            (class.as_str().to_owned(), Some(paint_of_change(class))),
            (told.summary() + waits, None),
        ]
    }));
    let more = out.more(rows.len().saturating_sub(ROWS), "--json lists all");
    let next = out.hint(&format!("`{}` shows the change", diff_of(first.key.name.as_str())));
    let title = out.paint.warn("changed or suspicious");
    let waiting = rows.iter().filter(|row| row.pending.is_some()).count();
    let count = match rows.len() {
        all if all == waiting => all.to_string(),
        all => format!("{all}, {waiting} to accept"),
    };
    format!("{title} ({count})\n{table}{more}{next}")
}

fn render(settings: &Settings, report: &ScanReport, dry_run: bool, out: &Output) -> String {
    let paint = out.paint;
    let mut text = String::new();
    let mut push = |title: String, rows: &[ToolReport]| {
        if !rows.is_empty() {
            text.push_str(&format!("{title} ({})\n", rows.len()));
            text.push_str(&tools::brief(rows, out));
        }
    };
    let would = if dry_run { "would be " } else { "" };
    // A tool that waits for a person's decision is listed only once, with its changes.
    let is_changed = |tool: &ToolReport| {
        tool.presence.cause == PresenceCause::DefinitionChanged
            && report.changed.iter().any(|row| row.key == tool.key)
    };
    let stale: Vec<ToolReport> =
        report.stale.iter().filter(|tool| !is_changed(tool)).cloned().collect();
    push(paint.bad(&format!("{would}stale")), &stale);
    push(paint.good(&format!("{would}restored")), &report.restored);
    push(paint.bold(&format!("{would}added")), &report.added);
    text.push_str(&changed(settings, &report.changed, out));
    text.push_str(&tools::sources(&report.sources, out));
    let read = report.sources.iter().filter(|source| source.state == SourceState::Read).count();
    text.push_str(&format!(
        "{} added, {} stale, {} restored, {}{} unchanged; {} read{}\n",
        report.added.len(),
        stale.len(),
        report.restored.len(),
        match report.changed.len() {
            0 => String::new(),
            some => format!("{some} changed or suspicious, "),
        },
        report.unchanged,
        counted(read, "source", "sources"),
        if dry_run { "; nothing was written" } else { "" },
    ));
    text
}
