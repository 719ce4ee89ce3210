//! `session`: starts, ends and lists the sessions of agents.

use serde_json::json;
use staleness::ids::AgentId;
use staleness::report::SessionReport;
use staleness::session::Session;
use staleness::store::Refusal;
use staleness::{RegistryError, Wait, clock};
use staleness_service::sessions as service;
use staleness_service::words;
use staleness_service::work::as_someone;

use crate::args::SessionCommand;
use crate::error::{CliError, ErrorKind, quoted};
use crate::output::{Cell, Output, Paint, work};
use crate::settings::{Access, Settings};
use staleness_service::when::ago;

pub(crate) fn run(
    settings: &Settings,
    command: &SessionCommand,
    out: &Output,
) -> Result<(), CliError> {
    match command {
        SessionCommand::Start { id } => start(settings, id.as_deref(), out),
        SessionCommand::End { id } => end(settings, id, out),
        SessionCommand::List => list(settings, out),
    }
}

fn start(settings: &Settings, id: Option<&str>, out: &Output) -> Result<(), CliError> {
    let agent = named_agent(settings)?;
    let id = match id {
        Some(text) => words::id("session's id", text)?,
        None => {
            let fresh = clock::fresh_op().to_string();
            words::id("session's id", fresh.replacen("op-", "session-", 1))?
        }
    };
    let registry = settings.open(Access::Write)?;
    let session =
        registry.sessions().start(&settings.project.id, agent, &id, settings.now).wait()?;
    registry.admin().see_project(&settings.project, settings.now).wait()?;
    print(&session, settings, out)
}

fn end(settings: &Settings, text: &str, out: &Output) -> Result<(), CliError> {
    let id = words::id("session's id", text)?;
    let project = &settings.project.id;
    let registry = settings.open(Access::Look)?;
    let known = registry.sessions().list(project).wait()?;
    let Some(session) = known.iter().find(|session| session.key.id == id) else {
        return Err(service::unknown(&registry, settings, text));
    };
    // Ending a session also releases its claims.
    as_someone(settings)?;
    if settings.agent.as_ref().is_some_and(|agent| *agent != session.agent) {
        let owner = quoted(session.agent.as_str());
        return Err(CliError::invalid(format!("the session belongs to {owner}"))
            .hint("only that agent or a person can end it"));
    }
    let ended = settings.open(Access::Write)?.sessions().end(project, &id, settings.now).wait();
    let session = ended.map_err(|error| match error {
        RegistryError::Rejected(Refusal::Unknown { .. }) => {
            service::unknown(&registry, settings, text)
        }
        error => error.into(),
    })?;
    print(&session, settings, out)
}

fn list(settings: &Settings, out: &Output) -> Result<(), CliError> {
    let sessions = settings.open(Access::Look)?.sessions().list(&settings.project.id).wait()?;
    let hours = settings.configured.policy.sessions.close_after_hours;
    let sessions: Vec<Session> =
        sessions.into_iter().map(|session| session.closed(settings.now, hours)).collect();
    let told: Vec<SessionReport> = sessions.iter().map(SessionReport::from).collect();
    let none = "no sessions yet; hooks and `staleness session start` start one\n";
    let row = |session: &Session| -> Vec<Cell> {
        let ended = match session.ended_at {
            Some(at) => format!("ended {}", ago(settings.now, at)),
            None => "open".into(),
        };
        vec![
            (session.key.id.to_string(), Some(Paint::bold)),
            (session.agent.to_string(), None),
            (format!("began {}", ago(settings.now, session.started_at)), Some(Paint::dim)),
            (ended, Some(Paint::dim)),
        ]
    };
    let table = || out.table(sessions.iter().map(row));
    out.list(&json!({ "sessions": told }), (sessions.is_empty(), none), table)
}

fn print(session: &Session, settings: &Settings, out: &Output) -> Result<(), CliError> {
    let told = SessionReport::from(session);
    out.done(&json!({ "session": told }), || work::session(&told, settings.now, out))
}

/// Returns the named agent, or an error if none is named.
pub(super) fn named_agent(settings: &Settings) -> Result<&AgentId, CliError> {
    settings.agent.as_ref().ok_or_else(|| {
        CliError::new(ErrorKind::Usage, "no agent given").hint("set --agent or STALENESS_AGENT")
    })
}
