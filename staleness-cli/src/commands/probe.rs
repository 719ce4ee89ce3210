//! `scan --probe`: asks configured servers for their tools.

use serde::Serialize;
use staleness::ids::{ProjectId, Scope, ServerKey};
use staleness::scan::SourceReading;
use staleness_service::scan::startable;
use staleness_sources::clients::{Launch, Startable};
use staleness_sources::live;

use crate::error::{CliError, ErrorKind, quoted};
use crate::output::{Cell, Output, Paint, Painter};
use crate::settings::Settings;

/// Path of a live list.
const PATH: &str = "tools/list";

/// A server and the outcome of probing it.
#[derive(Serialize)]
pub(crate) struct Probed {
    server: String,
    scope: &'static str,
    client: String,
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The tool list to apply to the registry, if there is one.
    #[serde(skip)]
    pub(crate) reading: Option<SourceReading>,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Asked,
    Failed,
    Skipped,
}

/// Probes the servers with these names, or all servers that their clients would start.
pub(crate) fn run(
    settings: &Settings,
    names: &[String],
    out: &Output,
) -> Result<Vec<Probed>, CliError> {
    let mut all = startable(settings);
    for name in names {
        let key = ServerKey::of(name);
        if !all.iter().any(|each| Some(&each.key) == key.as_ref()) {
            let message = format!("no server is configured as {}", quoted(name));
            return Err(CliError::new(ErrorKind::Unknown, message)
                .hint("see `staleness tools matrix`, or run `staleness scan` first"));
        }
    }
    let keys: Vec<ServerKey> = names.iter().filter_map(|name| ServerKey::of(name)).collect();
    all.retain(|each| names.is_empty() || keys.contains(&each.key));
    let mut launches = Vec::new();
    let mut places = Vec::new();
    for (place, each) in all.iter_mut().enumerate() {
        if let Ok(launch) = &each.launch {
            launches.push(launch.clone());
            places.push(place);
        }
    }
    let answers = ask(&all, &places, launches, out)?;
    let mut told: Vec<Option<Result<String, String>>> = all.iter().map(|_| None).collect();
    for (place, answer) in places.into_iter().zip(answers) {
        told[place] = Some(answer);
    }
    Ok(all.into_iter().zip(told).map(|(each, answer)| probed(each, answer)).collect())
}

/// Probes the servers, and reports which ones have not answered yet.
#[cfg(feature = "mcp")]
fn ask(
    all: &[Startable],
    places: &[usize],
    launches: Vec<Launch>,
    out: &Output,
) -> Result<Vec<Result<String, String>>, CliError> {
    use staleness_mcp::probe::{Limits, ask};

    let count = launches.len();
    let mut progress = crate::output::Progress::new(out, "asked");
    let mut done = 0;
    let mut heard = |place: usize| {
        done += 1;
        let server = crate::output::escape(&all[places[place]].server);
        progress.say(&format!("asked {server}, {done} of {count} servers"));
    };
    let answers = ask(launches, Limits::default(), &mut heard)
        .map_err(|error| CliError::new(ErrorKind::Io, format!("asking servers: {error}")))?;
    progress.end();
    let interrupted = || CliError::invalid("interrupted: every server was ended".to_owned());
    answers.into_iter().map(|answer| answer.ok_or_else(interrupted)).collect()
}

#[cfg(not(feature = "mcp"))]
fn ask(
    _: &[Startable],
    _: &[usize],
    _: Vec<Launch>,
    _: &Output,
) -> Result<Vec<Result<String, String>>, CliError> {
    Err(CliError::invalid("this build has no MCP client (feature `mcp`)".to_owned()))
}

/// Converts an answer to a reading.
fn probed(each: Startable, answer: Option<Result<String, String>>) -> Probed {
    let scope = each.source.scope();
    let project: Option<&ProjectId> = scope.project();
    let server = each.server.as_str();
    let (state, reading, reason) = match (answer, each.launch) {
        (Some(Ok(text)), _) => match live::tools_list(&text, Some(server), PATH, project) {
            Ok(reading) => (State::Asked, Some(reading), None),
            Err(error) => {
                let why = error.to_string();
                (State::Failed, Some(live::unheard(server, PATH, project, &why)), Some(why))
            }
        },
        (Some(Err(why)), _) => {
            (State::Failed, Some(live::unheard(server, PATH, project, &why)), Some(why))
        }
        (None, launch) => (State::Skipped, None, launch.err()),
    };
    let listed = reading.as_ref().filter(|_| reason.is_none());
    Probed {
        scope: if matches!(scope, Scope::Global) { "global" } else { "project" },
        client: each.source.client,
        state,
        tools: listed.map(|reading| reading.found.len()),
        reason: reason.or_else(|| listed.and_then(|reading| reading.error.clone())),
        reading,
        server: each.server,
    }
}

/// Formats the servers as a table.
pub(crate) fn render(all: &[Probed], out: &Output) -> String {
    if all.is_empty() {
        return "no MCP servers are configured here\n".to_owned();
    }
    let table = out.table(all.iter().map(|each| -> Vec<Cell> {
        let (word, paint): (&str, Painter) = match each.state {
            State::Asked => ("asked", Paint::good),
            State::Failed => ("failed", Paint::bad),
            State::Skipped => ("skipped", Paint::warn),
        };
        let count = each.tools.map(|tools| format!("{tools} tools")).unwrap_or_default();
        vec![
            (word.to_owned(), Some(paint)),
            (each.server.clone(), Some(Paint::bold)),
            (each.client.clone(), Some(Paint::dim)),
            (count, None),
            (each.reason.clone().unwrap_or_default(), None),
        ]
    }));
    format!("{}\n{table}", out.paint.bold("servers"))
}
