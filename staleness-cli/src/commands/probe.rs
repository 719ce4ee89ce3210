//! `scan --probe`: asks configured servers for their tools.

use serde::Serialize;
use staleness::ids::{Level, ProjectId, Scope, ServerKey, SourceId};
use staleness::scan::SourceReading;
use staleness::source::SourceState;
use staleness_service::scan::startable;
use staleness_sources::clients::{Launch, Startable};
use staleness_sources::live;

use crate::error::{CliError, ErrorKind, quoted};
use crate::output::{Cell, Output, Paint, Painter};
use crate::settings::Settings;

/// Path shown for a live list.
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
            let message = format!("no server named {} is configured", quoted(name));
            return Err(CliError::new(ErrorKind::Unknown, message)
                .hint("see `staleness tools matrix`, or run `staleness scan` first"));
        }
    }
    let keys: Vec<ServerKey> = names.iter().filter_map(|name| ServerKey::of(name)).collect();
    all.retain(|each| names.is_empty() || keys.contains(&each.key));
    for each in &mut all {
        if let Some(why) = each.launch.as_ref().ok().and_then(unreachable) {
            each.launch = Err(why.to_owned());
        }
    }
    // A command is probed only once per server name, even if several clients have it.
    let mut launches: Vec<Launch> = Vec::new();
    let mut servers: Vec<&str> = Vec::new();
    let mut places: Vec<Option<usize>> = Vec::new();
    for each in &all {
        let place = each.launch.as_ref().ok().map(|launch| {
            let known = servers
                .iter()
                .zip(&launches)
                .position(|(name, other)| *name == each.server && launch == other);
            known.unwrap_or_else(|| {
                launches.push(launch.clone());
                servers.push(&each.server);
                launches.len() - 1
            })
        });
        places.push(place);
    }
    let answers = ask(&servers, launches, out)?;
    let mut told: Vec<Probed> = Vec::new();
    for (at, (each, place)) in all.iter().zip(&places).enumerate() {
        let is_of = |(other, known): (usize, &Startable)| {
            other != at && known.key == each.key && known.source.scope() == each.source.scope()
        };
        let is_shared = !all.iter().enumerate().any(is_of);
        let answer = place.and_then(|place| answers.get(place).cloned());
        told.push(probed(each, answer, is_shared));
    }
    Ok(told)
}

/// Returns an empty list for each known live list that this probe replaces, with the state `missing`. If clients now
/// start different servers under one name, the list for all clients is replaced. If they now start the same server, the
/// lists of single clients are replaced.
pub(crate) fn replaced<'i>(
    probed: &[Probed],
    known: impl Iterator<Item = &'i SourceId>,
) -> Vec<SourceReading> {
    let is_replaced = |id: &&SourceId| {
        let of = |each: &&Probed| {
            each.reading
                .as_ref()
                .is_some_and(|list| list.id.part == id.part && list.id.scope() == id.scope())
        };
        let is_other = |each: &Probed| {
            matches!(each.state, State::Asked)
                && each.reading.as_ref().is_some_and(|list| list.id != **id)
        };
        let mut of = probed.iter().filter(of).peekable();
        id.level == Level::Live && of.peek().is_some() && of.all(is_other)
    };
    let missing = |id: &SourceId| SourceReading {
        id: id.clone(),
        path: PATH.to_owned(),
        state: SourceState::Missing,
        root_is_there: true,
        error: None,
        found: Vec::new(),
    };
    known.filter(is_replaced).map(missing).collect()
}

/// Returns the reason why this build cannot probe the server, or `None` if it can.
#[cfg(feature = "mcp")]
fn unreachable(launch: &Launch) -> Option<&'static str> {
    staleness_mcp::probe::unreachable(&launch.target)
}

#[cfg(not(feature = "mcp"))]
const fn unreachable(_: &Launch) -> Option<&'static str> {
    None
}

/// Probes the servers, and shows the number of answers so far.
#[cfg(feature = "mcp")]
fn ask(
    names: &[&str],
    launches: Vec<Launch>,
    out: &Output,
) -> Result<Vec<Result<String, String>>, CliError> {
    use staleness_mcp::probe::{Limits, ask};

    let count = launches.len();
    let mut progress = crate::output::Progress::new(out, "asked");
    let mut done = 0;
    let mut heard = |place: usize| {
        done += 1;
        let server = crate::output::escape(names[place]);
        progress.say(&format!("asked {server}, {done} of {count} servers"));
    };
    let answers = ask(launches, Limits::default(), &mut heard)
        .map_err(|error| CliError::new(ErrorKind::Io, format!("asking servers: {error}")))?;
    progress.end();
    let interrupted = || CliError::invalid("interrupted: all servers were stopped".to_owned());
    answers.into_iter().map(|answer| answer.ok_or_else(interrupted)).collect()
}

#[cfg(not(feature = "mcp"))]
fn ask(_: &[&str], _: Vec<Launch>, _: &Output) -> Result<Vec<Result<String, String>>, CliError> {
    Err(CliError::invalid("this build has no MCP client (feature `mcp`)".to_owned()))
}

/// Converts an answer to a reading. If clients start different servers under one name, each list belongs to one client.
fn probed(each: &Startable, answer: Option<Result<String, String>>, is_shared: bool) -> Probed {
    let scope = each.source.scope();
    let project: Option<&ProjectId> = scope.project();
    let server = each.server.as_str();
    let listed = answer.map(|answer| {
        answer.and_then(|text| {
            live::tools_list(&text, Some(server), PATH, project).map_err(|error| error.to_string())
        })
    });
    let (state, mut reading, reason) = match listed {
        Some(Ok(reading)) => (State::Asked, Some(reading), None),
        Some(Err(why)) => {
            (State::Failed, Some(live::unheard(server, PATH, project, &why)), Some(why))
        }
        None => (State::Skipped, None, each.launch.as_ref().err().cloned()),
    };
    if let Some(reading) = reading.as_mut().filter(|_| !is_shared) {
        reading.id.client.clone_from(&each.source.client);
    }
    let listed = reading.as_ref().filter(|_| reason.is_none());
    Probed {
        scope: if matches!(scope, Scope::Global) { "global" } else { "project" },
        client: each.source.client.clone(),
        state,
        tools: listed.map(|reading| reading.listed().count()),
        reason: reason.or_else(|| listed.and_then(|reading| reading.error.clone())),
        reading,
        server: each.server.clone(),
    }
}

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
