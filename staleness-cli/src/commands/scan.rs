//! `scan`: read what the clients have configured, and note what came and went.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use staleness::ids::{ClientId, SessionId, SourceId};
use staleness::report::ScanReport;
use staleness::scan::{Scan, SourceReading};
use staleness::store::{Refusal, StoreError, View};
use staleness::{BlockingRegistry, source::SourceState};
use staleness_sources::clients::{self, ScanRequest};
use staleness_sources::live;

use crate::args::ScanArgs;
use crate::error::{CliError, ErrorKind, in_words};
use crate::output::{Output, tools};
use crate::settings::{Access, Settings};

/// How often a scan reads again because another one was faster.
const ATTEMPTS: usize = 8;
/// The largest tool list that is read, in bytes.
const MAX_LIST_BYTES: u64 = 64 * 1024 * 1024;

/// Who asks for a scan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asker {
    /// The session.
    pub session: Option<SessionId>,
    /// The client.
    pub client: Option<ClientId>,
}

/// Reads the outside world.
fn read_world(
    settings: &Settings,
    live: Option<&SourceReading>,
    read_under: BTreeMap<SourceId, u64>,
    asker: &Asker,
) -> Scan {
    // Variables of this user say nothing about another home that was named.
    let variable = |name| std::env::var_os(name).filter(|dir| !dir.is_empty() && settings.own_home);
    let claude = variable("CLAUDE_CONFIG_DIR");
    let codex = variable("CODEX_HOME");
    let config = variable("XDG_CONFIG_HOME");
    let mut request = ScanRequest::new(&settings.home, &settings.place);
    request.claude_config_dir = claude.as_deref().map(Path::new);
    request.codex_dir = codex.as_deref().map(Path::new);
    request.config_dir = config.as_deref().map(Path::new);
    let mut readings = clients::read(&request);
    readings.sources.extend(live.cloned());
    Scan {
        project: settings.project.clone(),
        sources: readings.sources,
        indexes: readings.indexes,
        read_under,
        at: settings.now,
        session: asker.session.clone(),
        client: asker.client.clone(),
    }
}

/// Scans and applies; reads again when a newer reading was applied in the meantime.
pub(crate) fn apply(
    registry: &BlockingRegistry,
    settings: &Settings,
    live: Option<&SourceReading>,
    asker: &Asker,
) -> Result<ScanReport, StoreError> {
    again(|| {
        let read_under = registry.readings(&settings.project.id)?;
        registry.apply_scan(read_world(settings, live, read_under, asker))
    })
}

/// Does it until no newer reading was applied in the meantime.
fn again<T>(mut attempt: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
    for _ in 1..ATTEMPTS {
        match attempt() {
            Err(StoreError::Refused(Refusal::Superseded { .. })) => {}
            other => return other,
        }
    }
    attempt()
}

/// What a scan would do, and what the project would see then; writes nothing.
pub(crate) fn preview(
    registry: &BlockingRegistry,
    settings: &Settings,
    live: Option<&SourceReading>,
) -> Result<(ScanReport, View), StoreError> {
    again(|| {
        let read_under = registry.readings(&settings.project.id)?;
        registry.preview_scan(read_world(settings, live, read_under, &Asker::default()))
    })
}

pub(crate) fn run(settings: &Settings, args: &ScanArgs, out: &Output) -> Result<(), CliError> {
    let live = match &args.tools_json {
        Some(file) => Some(read_list(settings, file, args.server.as_deref())?),
        None => None,
    };
    let report = if args.dry_run {
        let registry = settings.open(Access::Look)?;
        preview(&registry, settings, live.as_ref())?.0
    } else {
        let registry = settings.open(Access::Write)?;
        apply(&registry, settings, live.as_ref(), &Asker::default())?
    };
    if out.json { out.json(&report) } else { out.text(&render(&report, args.dry_run, out)) }
}

fn read_list(
    settings: &Settings,
    file: &Path,
    server: Option<&str>,
) -> Result<SourceReading, CliError> {
    let shown = if file == Path::new("-") { "stdin".into() } else { file.display().to_string() };
    let trouble = |what: String| CliError::new(ErrorKind::Io, format!("{shown}: {what}"));
    let mut text = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(MAX_LIST_BYTES + 1).read_to_string(&mut text)
    } else {
        std::fs::File::open(file)
            .and_then(|file| file.take(MAX_LIST_BYTES + 1).read_to_string(&mut text))
    };
    read.map_err(|error| trouble(in_words(&error)))?;
    if text.len() as u64 > MAX_LIST_BYTES {
        return Err(trouble(format!("over {MAX_LIST_BYTES} bytes")));
    }
    // A list belongs to its server: to the project where only the project configures it.
    let own = server.is_some_and(|server| is_project_server(settings, server));
    live::tools_list(&text, server, &shown, own.then_some(&settings.project.id))
        .map_err(|error| CliError::invalid(error.to_string()))
}

fn is_project_server(settings: &Settings, server: &str) -> bool {
    let scan = read_world(settings, None, BTreeMap::new(), &Asker::default());
    let key = staleness::names::server_key(server);
    let lists = |reading: &&SourceReading| reading.found.iter().any(|found| found.server == key);
    let scopes: Vec<bool> = scan
        .sources
        .iter()
        .filter(|reading| key.is_some() && lists(reading))
        .map(|reading| reading.id.project.is_some())
        .collect();
    !scopes.is_empty() && scopes.iter().all(|own| *own)
}

fn render(report: &ScanReport, dry_run: bool, out: &Output) -> String {
    let paint = out.paint;
    let mut text = String::new();
    let mut push = |title: String, rows: &[staleness::report::ToolReport]| {
        if !rows.is_empty() {
            text.push_str(&format!("{title} ({})\n", rows.len()));
            text.push_str(&tools::brief(rows, out));
        }
    };
    let would = if dry_run { "would be " } else { "" };
    push(paint.bad(&format!("{would}stale")), &report.stale);
    push(paint.good(&format!("{would}restored")), &report.restored);
    push(paint.bold(&format!("{would}added")), &report.added);
    text.push_str(&tools::sources(&report.sources, out));
    let read = report.sources.iter().filter(|source| source.state == SourceState::Read).count();
    text.push_str(&format!(
        "{} added, {} stale, {} restored, {} unchanged; {read} sources read{}\n",
        report.added.len(),
        report.stale.len(),
        report.restored.len(),
        report.unchanged,
        if dry_run { "; nothing was written" } else { "" },
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_scan_overtook_is_done_again_for_a_while() {
        let superseded = || Refusal::Superseded { source: "claude-code/user/mcp".into() };
        for (overtaken, attempts) in [(0, 1), (3, 4), (ATTEMPTS - 1, ATTEMPTS), (99, ATTEMPTS)] {
            let mut done = 0;
            let result = again(|| {
                done += 1;
                if done > overtaken { Ok(()) } else { Err(superseded().into()) }
            });
            assert_eq!((done, result.is_ok()), (attempts, overtaken < ATTEMPTS));
        }
        let mut done = 0;
        let result: Result<(), _> = again(|| {
            done += 1;
            Err(StoreError::Busy)
        });
        assert!(result.is_err() && done == 1, "nothing else is tried again");
    }
}
