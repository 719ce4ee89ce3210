//! Sessions of agents, and the changes to report to an agent that comes back.

use staleness::ids::AgentId;
use staleness::registry::{Resume, ResumeFrom};
use staleness::report::Delta;
use staleness::session::Session;
use staleness::{Registry, Timestamp, Wait};

use crate::awaited::note_awaited;
use crate::briefing::Briefing;
use crate::error::{ErrorKind, ServiceError, quoted};
use crate::settings::{Access, Settings};
use crate::tools::fold_changes;
use crate::when;
use crate::words::id;

/// A request for the changes since an agent's last session.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// The agent's name.
    pub agent: &'a str,
    /// The id of the agent's session, which must exist.
    pub session: Option<&'a str>,
    /// A session or time from which to start, instead of the agent's cursor.
    pub since: Option<&'a str>,
    /// Returns the current state instead of changes.
    pub digest: bool,
    /// Leaves the agent's cursor unchanged, as always if another agent asks.
    pub peek: bool,
}

/// The changes, with the data that [`told`] needs to move the cursor.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The changes for the agent.
    pub delta: Delta,
    registry: Registry,
    resume: Resume,
}

impl Answer {
    /// Returns additional information to report with the changes.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn briefing(&mut self, settings: &Settings) -> Result<Briefing, ServiceError> {
        Briefing::new(settings, &self.registry, &mut self.delta, &self.resume)
    }
}

/// Returns the changes for an agent since its last report. The cursor moves only when [`told`] is called.
///
/// # Errors
/// If a name is invalid, the session is unknown or belongs to another agent, or the store fails.
pub fn resume(settings: &Settings, asked: Asked<'_>) -> Result<Answer, ServiceError> {
    let agent = agent(settings, asked.agent)?;
    let peek = asked.peek || settings.agent.as_ref().is_some_and(|own| *own != agent);
    let looks = peek || asked.digest || asked.since.is_some();
    let registry = settings.open(if looks { Access::Look } else { Access::Write })?;
    let registry = registry.seen_by(settings.client_of(&agent));
    let find = |text: &str| -> Result<Option<Session>, ServiceError> {
        let mut sessions = registry.sessions().list(&settings.project.id).wait()?.into_iter();
        Ok(sessions.find(|session| session.key.id.as_str() == text))
    };
    let session = match asked.session.map(find).transpose()? {
        None => None,
        Some(None) => {
            return Err(unknown(&registry, settings, asked.session.unwrap_or_default()));
        }
        Some(Some(session)) if session.agent != agent => {
            let (id, other) = (session.key.id.as_str(), session.agent.as_str());
            let message = format!("the session {} belongs to {}", quoted(id), quoted(other));
            return Err(
                ServiceError::invalid(message).hint("use a session of this agent, or leave it out")
            );
        }
        Some(Some(session)) => Some(session.key.id),
    };
    let from = match asked.since {
        _ if asked.digest => ResumeFrom::Digest,
        None => ResumeFrom::Cursor,
        Some(text) if find(text)?.is_some() => ResumeFrom::Session(id("session's id", text)?),
        Some(text) => ResumeFrom::Time(moment(&registry, settings, text)?),
    };
    // An explicit start also includes handoffs between other agents.
    let resume = match from {
        ResumeFrom::Cursor => request(settings, agent),
        _ => Resume::new(agent),
    };
    let resume = Resume { session, from, peek, ..resume };
    let mut delta =
        registry.sessions().resume(&settings.project, resume.clone(), settings.now).wait()?;
    fold_changes(&mut delta);
    note_awaited(settings, &registry, &resume.agent, &mut delta)?;
    Ok(Answer { delta, registry, resume })
}

/// Moves the agent's cursor past the changes. Call it after the agent has received them; otherwise they are
/// reported again.
pub fn told(settings: &Settings, answer: &Answer) -> Result<(), ServiceError> {
    let Answer { delta, registry, resume } = answer;
    if registry.sessions().mark_resumed(&settings.project.id, resume, delta, settings.now).wait()? {
        registry.admin().see_project(&settings.project, settings.now).wait()?;
    }
    Ok(())
}

/// Creates a request for the changes that are new to an agent, without handoffs between two other known agents.
pub fn request(settings: &Settings, agent: AgentId) -> Resume {
    Resume { known: Some(settings.known_agents()), ..Resume::new(agent) }
}

/// Parses a time. If the text is not a time, reports an unknown session.
fn moment(registry: &Registry, settings: &Settings, text: &str) -> Result<Timestamp, ServiceError> {
    when::parse_for("since", text, settings.now).map_err(|error| {
        let digits = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+'));
        let unknown = unknown(registry, settings, text);
        match (&error.hint, unknown.hint.as_deref()) {
            (Some(forms), Some(hint)) if digits => {
                let message = format!("{}, and it is not a time", unknown.message);
                ServiceError::new(unknown.kind, message).hint(format!("{hint}; {forms}"))
            }
            _ => unknown,
        }
    })
}

/// Creates the error for an unknown session, suggesting the most similar one.
pub fn unknown(registry: &Registry, settings: &Settings, text: &str) -> ServiceError {
    let message = format!("no session named {}", quoted(text));
    let error = ServiceError::new(ErrorKind::Unknown, message);
    let known = registry.sessions().list(&settings.project.id).wait().unwrap_or_default();
    let known = known.into_iter().map(|session| session.key.id.to_string());
    error.hint(crate::words::near(text, known, "staleness session list"))
}

/// Resolves an agent's name, including aliases.
///
/// # Errors
/// If the name is empty or invalid.
pub fn agent(settings: &Settings, text: &str) -> Result<AgentId, ServiceError> {
    Ok(settings.agent_behind(id("agent's name", text)?))
}
