//! Reads the tools that clients have configured, and records what was added and removed.

use std::collections::{BTreeMap, BTreeSet};

use staleness::ids::{ClientId, ServerKey, SessionId, SourceId, ToolName};
use staleness::report::ScanReport;
use staleness::scan::{ProjectRef, Scan, SourceReading};
use staleness::store::{Refusal, View};
use staleness::{Registry, RegistryError, Timestamp, Wait, clock};
use staleness_sources::clients::{self, Declarations, NoSwitch, ScanRequest, Startable, Switch};

use crate::settings::Settings;

/// Maximum number of attempts at a scan. A scan is repeated if another process has applied a newer one.
const ATTEMPTS: usize = 8;

/// Calls a function with a request for the folders that contain the clients' files.
fn with_request<T>(settings: &Settings, then: impl FnOnce(&ScanRequest<'_>) -> T) -> T {
    let claude = settings.folder("CLAUDE_CONFIG_DIR");
    let codex = settings.folder("CODEX_HOME");
    let config = settings.folder("XDG_CONFIG_HOME");
    let mut request = ScanRequest::new(&settings.home, &settings.place);
    request.claude_config_dir = claude.as_deref();
    request.codex_dir = codex.as_deref();
    request.config_dir = config.as_deref();
    request.now = Some(clock::now());
    request.managed_dir = settings.own_home.then(clients::managed_dir);
    then(&request)
}

/// Returns the configured servers with their launch commands, by scope and name. Entries that may be started come
/// first, then entries of the current client. If clients start different servers under one name, each client's entry is
/// returned; otherwise one entry per name.
pub fn startable(settings: &Settings) -> Vec<Startable> {
    let mut all = with_request(settings, clients::startable);
    let client = settings.client.as_ref().map(ClientId::as_str);
    let order = |each: &Startable| {
        let is_own = client == Some(each.source.client.as_str());
        (each.source.scope(), each.key.clone(), each.launch.is_err(), !is_own)
    };
    all.sort_by_key(order);
    let mut kept: Vec<Startable> = Vec::new();
    let is_same = |one: &Startable, other: &Startable| {
        one.key == other.key && one.source.scope() == other.source.scope()
    };
    for servers in all.chunk_by(is_same) {
        let Some(first) = servers.first() else { continue };
        let is_one = servers.iter().all(|each| each.launch.is_err() || each.launch == first.launch);
        let mut clients = BTreeSet::new();
        let is_new =
            |each: &&Startable| each.launch.is_ok() && clients.insert(each.source.client.clone());
        match is_one {
            true => kept.push(first.clone()),
            false => kept.extend(servers.iter().filter(is_new).cloned()),
        }
    }
    kept
}

/// Returns the changes that switch off each of these entries in its source.
pub fn switches(
    settings: &Settings,
    entries: &[(SourceId, ToolName)],
) -> Vec<Result<Vec<Switch>, NoSwitch>> {
    with_request(settings, |request| clients::switches(request, entries))
}

/// Returns the names that a client's settings give to instruction files.
pub(crate) fn instruction_names(settings: &Settings, client: &str) -> Vec<String> {
    with_request(settings, |request| clients::instruction_names(client, request))
}

/// Returns digests of the content that the project's own files give to agents.
pub(crate) fn declared(settings: &Settings) -> Declarations {
    with_request(settings, clients::declared)
}

/// Reads the current configuration of all clients, and adds the lists in `live`.
fn read_world(
    settings: &Settings,
    live: &[SourceReading],
    read_under: BTreeMap<SourceId, u64>,
    session: Option<&SessionId>,
) -> Scan {
    let mut readings = with_request(settings, clients::read);
    readings.sources.extend_from_slice(live);
    Scan {
        project: settings.project.clone(),
        sources: readings.sources,
        indexes: readings.indexes,
        read_under,
        at: settings.now,
        session: session.cloned(),
        client: settings.client.clone(),
    }
}

/// Reads the current configuration for the agent in `session` and applies it. Reads again if another process has
/// applied a newer reading in the meantime.
pub fn apply(
    registry: &Registry,
    settings: &Settings,
    live: &[SourceReading],
    session: Option<&SessionId>,
) -> Result<ScanReport, RegistryError> {
    again(|| {
        let read_under = registry.tools().readings(&settings.project.id).wait()?;
        registry.tools().apply_scan(read_world(settings, live, read_under, session)).wait()
    })
}

/// Records the tools of one program that is not a client in [`clients`], such as a gateway. Other sources are
/// left unchanged.
pub fn note(
    registry: &Registry,
    project: &ProjectRef,
    reading: &SourceReading,
    at: Timestamp,
) -> Result<ScanReport, RegistryError> {
    again(|| {
        registry
            .tools()
            .apply_scan(Scan {
                project: project.clone(),
                read_under: registry.tools().readings(&project.id).wait()?,
                sources: vec![reading.clone()],
                indexes: Vec::new(),
                at,
                session: None,
                client: None,
            })
            .wait()
    })
}

/// Repeats an attempt while it is superseded by a newer reading, at most [`ATTEMPTS`] times.
fn again<T>(mut attempt: impl FnMut() -> Result<T, RegistryError>) -> Result<T, RegistryError> {
    for _ in 1..ATTEMPTS {
        match attempt() {
            Err(RegistryError::Rejected(Refusal::Superseded { .. })) => {}
            other => return other,
        }
    }
    attempt()
}

/// Returns the report of a scan and the resulting view of the project, without writing.
pub fn preview(
    registry: &Registry,
    settings: &Settings,
    live: &[SourceReading],
) -> Result<(ScanReport, View), RegistryError> {
    again(|| {
        let read_under = registry.tools().readings(&settings.project.id).wait()?;
        registry.tools().preview_scan(read_world(settings, live, read_under, None)).wait()
    })
}

/// Returns true if a server is configured only by the project, so that its tools belong to the project.
pub fn is_project_server(settings: &Settings, server: &str) -> bool {
    let scan = read_world(settings, &[], BTreeMap::new(), None);
    let key = ServerKey::of(server);
    let lists = |reading: &&SourceReading| reading.found.iter().any(|found| found.server == key);
    let scopes: Vec<bool> = scan
        .sources
        .iter()
        .filter(|reading| key.is_some() && lists(reading))
        .map(|reading| reading.id.project.is_some())
        .collect();
    !scopes.is_empty() && scopes.iter().all(|own| *own)
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
            Err(staleness::StoreError::Busy.into())
        });
        assert!(result.is_err() && done == 1, "nothing else is tried again");
    }
}
