//! Work items: plans, traps, constraints, handoffs, candidates, notes and decisions.

mod persons;

use std::collections::BTreeSet;

use staleness::ids::{AgentId, Scope, SessionId, WorkId, WorkKey};
use staleness::registry::{Act, ScopeChoice, WorkListing, WorkPatch};
use staleness::report::WorkReport;
use staleness::session::Session;
use staleness::store::Refusal;
use staleness::work::{Overdue, Warning, Work, WorkKind, WorkStatus};
use staleness::{Registry, RegistryError, Wait, clock};
use staleness_core::registry::{Resolution, nearest};
use staleness_core::work::Claim;

pub use persons::{as_someone, nobody, refuse_other_name};
use persons::{refuse_ended, refuse_typed};

use crate::awaited::note_overdue;
use crate::error::{ErrorKind, ServiceError, quoted};
use crate::model_text::is_plain;
use crate::naming::id_of;
use crate::settings::{Access, Settings};
use crate::when;
use crate::words::{self, word};

/// Maximum length in characters of an id's words. Ids are typed by people and must fit into narrow tables.
const WORDS: usize = 24;

/// Finds the item with this id.
///
/// # Errors
/// If the id is invalid or unknown. The error then suggests the most similar id.
pub fn find(
    registry: &Registry,
    settings: &Settings,
    id: &str,
    scope: ScopeChoice,
) -> Result<Work, ServiceError> {
    let project = &settings.project.id;
    registry.work().get(project, &words::id("id", id)?, scope).wait().map_err(|error| match error {
        RegistryError::Rejected(Refusal::Unknown { .. }) => {
            let message = format!("no work item named {}", quoted(id));
            let known = registry.work().list(project, WorkListing::default()).wait();
            let known = known.unwrap_or_default().into_iter().map(|work| work.key.to_string());
            ServiceError::new(ErrorKind::Unknown, message).hint(words::near(
                id,
                known,
                "staleness work list",
            ))
        }
        error => error.into(),
    })
}

/// Returns the report on an item.
///
/// # Errors
/// If the item no longer exists.
pub fn told(
    registry: &Registry,
    settings: &Settings,
    item: Work,
) -> Result<WorkReport, ServiceError> {
    let item = Work { by_person: item.by_person && settings.is_of_this_machine(), ..item };
    let told = registry.work().reports(&settings.project, vec![item], settings.now).wait()?.pop();
    told.ok_or_else(|| ServiceError::new(ErrorKind::Unknown, "the item no longer exists"))
}

/// Resolves an overdue item. Also returns true if the caller may reopen it.
///
/// # Errors
/// If the id is unknown, the item is not overdue or is a handoff between two other agents, or the store fails.
pub fn resolve(
    settings: &Settings,
    id: &str,
    scope: ScopeChoice,
    act: Act,
) -> Result<(Resolution, bool), ServiceError> {
    let registry = settings.open(Access::Look)?;
    let mut item = find(&registry, settings, id, scope)?;
    // A closed item of the project must not hide an overdue global one.
    if scope == ScopeChoice::Either
        && !item.status.is_open()
        && let Ok(global) = find(&registry, settings, id, ScopeChoice::Global)
    {
        item = global;
    }
    refuse_others(settings, &item, act.actor.as_ref(), false)?;
    if item.status.is_open() {
        refuse_typed(settings, &item, item.kind.resolved(), &act)?;
    }
    // An agent may resolve a person's expired rule, but not reopen it.
    let may_reopen = refuse_typed(settings, &item, Some(item.status), &act).is_ok();
    let registry = settings.open(Access::Write)?;
    let done = registry.work().resolve(&settings.project, item.key, act).wait();
    Ok((done.map_err(|error| not_settled(item.status, error))?, may_reopen))
}

/// Changes fields of an item.
///
/// # Errors
/// If an agent that is not a party changes a handoff, ends another agent's claim or changes something that a person
/// typed or ended; or if the store refuses the change or fails.
pub fn set(
    settings: &Settings,
    item: Work,
    patch: WorkPatch,
    act: Act,
) -> Result<Work, ServiceError> {
    let settles = patch.status.is_some_and(|status| !status.is_open());
    let receiver = patch.to.as_ref().and_then(Option::as_deref);
    let is_holders = |to| item.claim.as_ref().is_some_and(|claim| claim.agent.as_str() == to);
    if settles || receiver.is_some_and(|to| !is_holders(to)) {
        refuse_held(settings, &item, &act)?;
    }
    let keeps_receiver = patch.to.as_ref().is_none_or(|to| *to == item.to);
    let accepts = keeps_receiver && patch.status == Some(WorkStatus::Accepted);
    refuse_others(settings, &item, act.actor.as_ref(), accepts)?;
    // Any agent may change the list of items to which an item refers.
    let is_own = item.to.as_deref() == act.actor.as_ref().map(AgentId::as_str);
    let is_handed_on = patch.to.is_some() && !(item.kind == WorkKind::Handoff && is_own);
    let is_changed = patch.text.is_some() || patch.expires_at.is_some() || patch.after.is_some();
    if is_changed || is_handed_on {
        refuse_typed(settings, &item, None, &act)?;
    }
    if let Some(to) = patch.status.filter(|status| *status != item.status) {
        refuse_typed(settings, &item, Some(to), &act)?;
        refuse_ended(settings, &item, &act)?;
    }
    let done = settings.open(Access::Write)?.work().set(item.key, patch, act).wait();
    done.map_err(|error| if settles { not_settled(item.status, error) } else { error.into() })
}

/// Adds a step to an item.
///
/// # Errors
/// If an agent adds it to a rule of a person or to a handoff between others, or the store refuses it or fails.
pub fn step(settings: &Settings, item: Work, text: String, act: Act) -> Result<Work, ServiceError> {
    if !item.kind.is_task() {
        refuse_typed(settings, &item, None, &act)?;
    }
    refuse_others(settings, &item, act.actor.as_ref(), false)?;
    Ok(settings.open(Access::Write)?.work().step(item.key, text, act).wait()?)
}

/// Reopens an item.
///
/// # Errors
/// If an agent reopens a rule of a person or an item that a person ended, the item is open, or the store fails.
pub fn reopen(settings: &Settings, item: Work, act: Act) -> Result<Work, ServiceError> {
    if !item.status.is_open() {
        refuse_typed(settings, &item, Some(item.before.unwrap_or(item.kind.first())), &act)?;
    }
    refuse_ended(settings, &item, &act)?;
    Ok(settings.open(Access::Write)?.work().reopen(item.key, act).wait()?)
}

/// Creates the error for an item that was not resolved. Says so if the item has already ended.
fn not_settled(status: WorkStatus, error: RegistryError) -> ServiceError {
    let error = ServiceError::from(error);
    match status.is_open() || error.kind != ErrorKind::Invalid {
        true => error,
        false => error.hint("it is already resolved"),
    }
}

/// Rejects an agent's change that would end another agent's claim. A person, who acts without an agent, may end
/// it.
fn refuse_held(settings: &Settings, item: &Work, act: &Act) -> Result<(), ServiceError> {
    match (item.held(act.at), &act.actor) {
        (Some(_), None) if settings.may_run_for_agent() => Err(nobody()),
        (Some(claim), Some(actor)) if claim.agent != *actor => {
            let (id, holder) = (quoted(item.key.id.as_str()), quoted(claim.agent.as_str()));
            let message = format!("{id} is claimed by {holder} until {}", claim.until);
            Err(ServiceError::invalid(message).hint("only that agent or a person can end it"))
        }
        _ => Ok(()),
    }
}

/// Rejects a change to a handoff by an agent that is neither its sender nor its receiver. Only the receiver `takes` it.
/// A name that is no agent's is a person's.
fn refuse_others(
    settings: &Settings,
    item: &Work,
    agent: Option<&AgentId>,
    takes: bool,
) -> Result<(), ServiceError> {
    let to = item.to.as_deref().filter(|_| item.kind == WorkKind::Handoff);
    let Some((to, agent)) = to.zip(agent) else {
        let is_nobodys = agent.is_none() && item.to.is_some() && settings.may_run_for_agent();
        return if is_nobodys { Err(nobody()) } else { Ok(()) };
    };
    let from = item.from.as_deref().filter(|_| !takes);
    if to == agent.as_str() || from == Some(agent.as_str()) {
        return Ok(());
    }
    let message = format!("{} is a handoff for {}", quoted(item.key.id.as_str()), quoted(to));
    Err(ServiceError::invalid(message).hint(match from {
        Some(from) if from != to => {
            format!("only {}, {} or a person can end it", quoted(from), quoted(to))
        }
        Some(_) => format!("only {} or a person can end it", quoted(to)),
        None => format!("leave it to {}, or ask the user", quoted(to)),
    }))
}

/// A claim to make.
#[derive(Clone, Copy, Debug)]
pub struct Claiming<'a> {
    /// The claiming agent [default: the agent of the session].
    pub agent: Option<&'a AgentId>,
    /// The id of the agent's session [default: the agent's only running session].
    pub session: Option<&'a str>,
    /// The session to use if the agent has no running session or several; if `None`, a new session.
    pub otherwise: Option<&'a SessionId>,
    /// The duration of the claim, such as `30m` [default: from the policy].
    pub lasts: Option<&'a str>,
}

/// Claims an item for an agent, or renews its claim. Returns true if it was renewed.
///
/// # Errors
/// If the id is unknown, the agent or its session is ambiguous, another agent holds the item, it is a handoff for
/// another agent, or the store fails.
pub fn claim(
    settings: &Settings,
    id: &str,
    scope: ScopeChoice,
    asked: Claiming<'_>,
) -> Result<(Work, bool), ServiceError> {
    let registry = settings.open(Access::Look)?;
    let item = find(&registry, settings, id, scope)?;
    let until = asked.lasts.map(|text| when::after("the time", text, settings.now)).transpose()?;
    let (agent, session) = claimer(&registry, settings, asked)?;
    refuse_others(settings, &item, Some(&agent), true)?;
    let same = |claim: Claim| claim.agent == agent && claim.session.as_ref() == Some(&session);
    let is_renewed = item.claim.is_some_and(same);
    let act = Act { session: Some(session), ..act(settings, Some(agent)) };
    let registry = settings.open(Access::Write)?;
    let item = registry.work().claim(&settings.project, item.key, until, act).wait()?;
    Ok((item, is_renewed))
}

fn claimer(
    registry: &Registry,
    settings: &Settings,
    asked: Claiming<'_>,
) -> Result<(AgentId, SessionId), ServiceError> {
    let known = registry.sessions().list(&settings.project.id).wait()?;
    if let Some(text) = asked.session {
        let id = words::id("session's id", text)?;
        let owner = known.iter().find(|session| session.key.id == id).map(|session| &session.agent);
        let agent = asked.agent.or(owner).ok_or_else(nobody)?;
        if let Some(owner) = owner.filter(|owner| *owner != agent) {
            let owner = quoted(owner.as_str());
            let message = format!("the session {} belongs to {owner}", quoted(text));
            return Err(ServiceError::invalid(message).hint("use a session of this agent"));
        }
        return Ok((agent.clone(), id));
    }
    let agent = asked.agent.ok_or_else(nobody)?;
    let running = known.iter().filter(|session| runs(settings, session, agent));
    let mut running = running.map(|session| &session.key.id);
    let only = running.next().filter(|_| running.next().is_none());
    let session = match only.or(asked.otherwise) {
        Some(id) => id.clone(),
        None => words::id(
            "session's id",
            clock::fresh_op().as_str().replacen("op-", SessionId::OF_COMMAND, 1),
        )?,
    };
    Ok((agent.clone(), session))
}

fn runs(settings: &Settings, session: &Session, agent: &AgentId) -> bool {
    let hours = settings.configured.policy.sessions.close_after_hours;
    session.agent == *agent && session.clone().closed(settings.now, hours).ended_at.is_none()
}

/// Returns true if the requesting agent has several running sessions, so that a claim must name one.
///
/// # Errors
/// Errors of the store.
pub fn must_name_session(settings: &Settings, registry: &Registry) -> Result<bool, ServiceError> {
    let Some(agent) = &settings.agent else { return Ok(false) };
    let known = registry.sessions().list(&settings.project.id).wait()?;
    Ok(known.iter().filter(|session| runs(settings, session, agent)).count() > 1)
}

/// Parses a kind of work.
///
/// # Errors
/// If the word is not a kind.
pub fn kind(text: Option<&str>) -> Result<Option<WorkKind>, ServiceError> {
    word(text, "kind of work", WorkKind::from_word, || {
        WorkKind::ALL.map(WorkKind::as_str).join(", ")
    })
}

/// Parses a state of the given kind, or of any kind.
///
/// # Errors
/// If the word is not such a state.
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

/// Derives an id from an item's kind, text and time. The same handoff may be written twice, so its text alone is not
/// enough.
///
/// # Errors
/// Never, if the text contains words.
pub fn id_for(kind: WorkKind, text: &str, settings: &Settings) -> Result<WorkId, ServiceError> {
    words::id("id", id_of(kind.as_str(), text, &settings.now.to_string(), WORDS))
}

/// Returns the ids of other items to which an item refers or for which it waits. A global item may be named in its
/// printed form, `global:ID`.
pub fn others(ids: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    let bare = |id: String| id.strip_prefix(WorkKey::GLOBAL).map(ToOwned::to_owned).unwrap_or(id);
    ids.into_iter().map(bare).collect()
}

/// Returns the key of an item of this project, or of a global item.
pub fn key(settings: &Settings, global: bool, id: WorkId) -> WorkKey {
    let scope = if global { Scope::Global } else { Scope::Project(settings.project.id.clone()) };
    WorkKey { scope, id }
}

/// Returns true if `agent` may answer a handoff: it is the recipient, or there is none and another agent sent it.
/// `None` if neither party is known.
pub fn is_addressed(from: Option<&str>, to: Option<&str>, agent: &str) -> Option<bool> {
    to.map(|to| to == agent).or_else(|| from.map(|from| from != agent))
}

/// Removes the handoffs to another receiver that are not from `agent`. Those without a receiver stay, and those without
/// a sender whose receiver is no known agent. Removes nothing without an `agent`. `parties` returns the kind of an
/// item, its sender and its receiver.
pub(crate) fn retain_own<T>(
    settings: &Settings,
    registry: &Registry,
    agent: Option<&AgentId>,
    all: &mut Vec<T>,
    parties: impl Fn(&T) -> (WorkKind, Option<&str>, Option<&str>),
) -> Result<(), ServiceError> {
    let agent = agent.map(AgentId::as_str);
    let receiver = |each: &T| match parties(each) {
        (WorkKind::Handoff, from, Some(to)) => agent
            .is_some_and(|agent| agent != to && from != Some(agent))
            .then(|| (from.is_some(), to.to_owned())),
        _ => None,
    };
    if all.iter().any(|each| receiver(each).is_some()) {
        let known = settings.agents_here(registry)?;
        let is_others = |(is_sent, to): (bool, String)| is_sent || known.contains(&to);
        all.retain(|each| !receiver(each).is_some_and(is_others));
    }
    Ok(())
}

/// Returns the open handoffs to names that no known agent has. Such a handoff is for a person.
///
/// # Errors
/// Errors of the store.
pub fn for_a_person(
    settings: &Settings,
    registry: &Registry,
) -> Result<Vec<WorkReport>, ServiceError> {
    let mut all = crate::awaited::open(settings, registry)?;
    all.retain(|each| each.kind == WorkKind::Handoff && each.claim.is_none() && each.to.is_some());
    if !all.is_empty() {
        let known = settings.agents_here(registry)?;
        all.retain(|each| each.to.as_ref().is_some_and(|to| !known.contains(to)));
    }
    Ok(registry.work().reports(&settings.project, all, settings.now).wait()?)
}

/// Returns warnings about overdue work, oldest first. For a requesting agent, omits handoffs between two others.
///
/// # Errors
/// Errors of the store.
pub fn overdue(settings: &Settings, registry: &Registry) -> Result<Vec<Warning>, ServiceError> {
    let mut all = registry.work().stale(&settings.project, settings.now).wait()?;
    retain_own(settings, registry, settings.agent.as_ref(), &mut all, |it| {
        (it.kind, it.from.as_deref(), it.to.as_deref())
    })?;
    let is_expired =
        |it: &Warning| (it.kind, it.flag.overdue) == (WorkKind::Handoff, Overdue::Expired);
    all.retain(|it| !is_expired(it) || settles_expired(settings, [&it.from, &it.to]));
    if !all.is_empty() {
        let pairs = registry.work().awaited(&settings.project.id).wait()?;
        note_overdue(&pairs, settings.agent.as_ref(), &mut all);
    }
    Ok(all)
}

/// Returns true if the caller may resolve an expired handoff: it is one of the `parties`, or a person.
pub(crate) fn settles_expired(settings: &Settings, parties: [&Option<String>; 2]) -> bool {
    let is_agents =
        |party: &Option<String>, agent: &AgentId| party.as_deref() == Some(agent.as_str());
    settings.agent.as_ref().is_none_or(|agent| parties.iter().any(|it| is_agents(it, agent)))
}

/// Returns the agent for the name of an author, sender or receiver. A person's name is returned unchanged.
pub fn party(settings: &Settings, text: String) -> String {
    AgentId::new(&text).map_or(text, |name| settings.agent_behind(name).to_string())
}

/// An unknown agent that was named as receiver of a handoff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranger {
    /// The known agent with the most similar name.
    pub near: Option<String>,
}

/// Returns a [`Stranger`] if the name is not known from clients, the policy or sessions of the project.
///
/// # Errors
/// Errors of the store.
pub fn stranger(
    settings: &Settings,
    registry: &Registry,
    name: &str,
) -> Result<Option<Stranger>, ServiceError> {
    let known = settings.agents_here(registry)?;
    let near = |known: BTreeSet<String>| nearest(name, known.into_iter());
    Ok((!known.contains(name)).then(|| Stranger { near: near(known).filter(|it| is_plain(it)) }))
}

/// Creates an act at the current time, with a fresh op id.
pub fn act(settings: &Settings, actor: Option<AgentId>) -> Act {
    Act { actor, ..Act::new(clock::fresh_op(), settings.now) }
}
