//! Plans, traps, constraints, handoffs, candidates, notes and decisions.

use std::collections::BTreeSet;

use staleness::ids::{AgentId, Scope, WorkId, WorkKey};
use staleness::registry::{Act, ScopeChoice};
use staleness::report::WorkReport;
use staleness::store::Refusal;
use staleness::work::{Work, WorkKind, WorkStatus};
use staleness::{Registry, RegistryError, Wait, clock};
use staleness_core::registry::{Resolution, nearest};

use crate::error::{ErrorKind, ServiceError, quoted};
use crate::model_text::is_plain;
use crate::naming::id_of;
use crate::sessions;
use crate::settings::{Access, Settings};
use crate::words::word;

/// Characters of the words of an id: it is typed again, and stands in narrow tables.
const WORDS: usize = 24;

/// The item that an id means.
///
/// # Errors
/// When it is none, or unknown: then with the one that is most like it.
pub fn find(
    registry: &Registry,
    settings: &Settings,
    id: &str,
    scope: ScopeChoice,
) -> Result<Work, ServiceError> {
    let project = &settings.project.id;
    registry.work().get(project, &self::id(id)?, scope).wait().map_err(|error| match error {
        RegistryError::Rejected(Refusal::Unknown { .. }) => {
            let message = format!("no work item is known as {}", quoted(id));
            let near = registry.work().nearest(project, id).wait();
            ServiceError::new(ErrorKind::Unknown, message).hint(match near {
                Ok(Some(near)) if is_plain(&near.to_string()) => format!("did you mean {near}?"),
                _ => "see `staleness work list`".into(),
            })
        }
        error => error.into(),
    })
}

/// Returns the report on an item; an error if the item is gone.
pub fn told(
    registry: &Registry,
    settings: &Settings,
    item: Work,
) -> Result<WorkReport, ServiceError> {
    let item = Work { by_person: item.by_person && settings.is_of_this_machine(), ..item };
    let told = registry.work().reports(&settings.project, vec![item], settings.now).wait()?.pop();
    told.ok_or_else(|| ServiceError::new(ErrorKind::Unknown, "the item is gone already"))
}

/// Settles an overdue item.
///
/// # Errors
/// When the id is unknown, the item is not overdue, or what the store reports.
pub fn resolve(
    settings: &Settings,
    id: &str,
    scope: ScopeChoice,
    act: Act,
) -> Result<Resolution, ServiceError> {
    let registry = settings.open(Access::Look)?;
    let mut item = find(&registry, settings, id, scope)?;
    // What has ended hides no overdue item of every project.
    if scope == ScopeChoice::Either
        && !item.status.is_open()
        && let Ok(global) = find(&registry, settings, id, ScopeChoice::Global)
    {
        item = global;
    }
    let registry = settings.open(Access::Write)?;
    Ok(registry.work().resolve(&settings.project, item.key, act).wait()?)
}

/// A kind of work.
///
/// # Errors
/// When the word is none.
pub fn kind(text: Option<&str>) -> Result<Option<WorkKind>, ServiceError> {
    word(text, "kind of work", WorkKind::from_word, || {
        WorkKind::ALL.map(WorkKind::as_str).join(", ")
    })
}

/// A state of a kind; without a kind one of any.
///
/// # Errors
/// When the word is none.
pub fn state(kind: Option<WorkKind>, text: &str) -> Result<WorkStatus, ServiceError> {
    let states: Vec<WorkStatus> =
        kind.map_or_else(|| WorkStatus::ALL.to_vec(), |kind| kind.states().to_vec());
    states.iter().copied().find(|state| state.as_str() == text).ok_or_else(|| {
        let allowed: Vec<&str> = states.iter().map(|state| state.as_str()).collect();
        let message = match kind {
            Some(kind) => format!("a {kind} cannot be {}", quoted(text)),
            None => format!("unknown state {}", quoted(text)),
        };
        ServiceError::invalid(message).hint(format!("use one of: {}", allowed.join(", ")))
    })
}

/// An item's id.
///
/// # Errors
/// When the text is none.
pub fn id(text: &str) -> Result<WorkId, ServiceError> {
    WorkId::new(text).map_err(|why| ServiceError::invalid(format!("the id {why}")))
}

/// An id that says what an item is about. The same handoff may be written twice: not the text alone
/// makes the id.
///
/// # Errors
/// Never for a text of words.
pub fn id_for(kind: WorkKind, text: &str, settings: &Settings) -> Result<WorkId, ServiceError> {
    id(&id_of(kind.as_str(), text, &settings.now.to_string(), WORDS))
}

/// The key of an item of this project, or of every project.
#[must_use]
pub fn key(settings: &Settings, global: bool, id: WorkId) -> WorkKey {
    let scope = if global { Scope::Global } else { Scope::Project(settings.project.id.clone()) };
    WorkKey { scope, id }
}

/// Returns the agent behind the name of one who wrote something, hands it over or should take it; a person's name as
/// it is.
#[must_use]
pub fn party(settings: &Settings, text: String) -> String {
    AgentId::new(&text).map_or(text, |name| settings.agent_behind(name).to_string())
}

/// An agent to whom something is handed that nobody here knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranger {
    /// The known agent whose name is most like its own.
    pub near: Option<String>,
}

/// Returns a stranger unless a client, the policy or a session of the project bears the agent's name.
///
/// # Errors
/// Errors of the store.
pub fn stranger(
    settings: &Settings,
    registry: &Registry,
    name: &str,
) -> Result<Option<Stranger>, ServiceError> {
    let known = sessions::known_agents(settings, registry)?;
    let near = |known: BTreeSet<String>| nearest(name, known.into_iter());
    Ok((!known.contains(name)).then(|| Stranger { near: near(known).filter(|it| is_plain(it)) }))
}

/// An act of now by whoever was named.
#[must_use]
pub fn act(settings: &Settings, actor: Option<AgentId>) -> Act {
    Act { actor, ..Act::new(clock::fresh_op(), settings.now) }
}
