//! `hook`: called by agent clients. It always exits 0, and prints no errors by default.

mod explain;

use std::io::{IsTerminal, Read, Write};
use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

use serde_json::json;
use staleness::RegistryError;
use staleness::clock;
use staleness::ids::{AgentId, OpId, SessionId};
use staleness::outcome::OutcomeKind;
use staleness::registry::Resume;
use staleness::session::SessionKey;
use staleness::store::StoreError;
use staleness::{Registry, Wait};
use staleness_core::registry::TurnEnd;
use staleness_core::session::OpenCall;
use staleness_core::work::LostClaim;
use staleness_service::briefing::reading::{self, Reading};
use staleness_service::briefing::{self, prompt, taken_over};
use staleness_service::limits;
use staleness_service::model_text::ModelText;
use staleness_service::sessions::request;
use staleness_sources::hook::{
    Event, HookClient, HookInput, MAX_PAYLOAD_BYTES, Prompt, ToolEvent, parse,
};

use super::scan::apply;
use crate::args::{Global, HookArgs};
use crate::error::{CliError, ErrorKind, in_words};
use crate::output::Output;
use crate::settings::{Access, Settings};
use staleness_service::spool::{Entry, SessionEvent, Spool};
use staleness_service::told::Told;

/// Maximum number of further bytes to read and discard if a payload is too large.
const MAX_DRAINED: u64 = 256 * 1024 * 1024;

/// Runs the hook. Errors go to stderr, and only with `--verbose`.
pub(crate) fn run(global: &Global, args: &HookArgs, out: &Output) {
    limits::succeed_at_processor_time();
    // Panics are caught below, and their messages must not reach the client's user.
    if !out.verbose {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| go(global, args, out)));
    match done {
        Ok(Ok(())) => {}
        // `--explain` is run by a person, who needs to see errors.
        Ok(Err(error)) if args.explain => out.warn(&error.render(false)),
        Ok(Err(error)) => out.note(&error.render(false)),
        Err(_) => out.note("error: this is a bug in staleness; please report it"),
    }
}

fn go(global: &Global, args: &HookArgs, out: &Output) -> Result<(), CliError> {
    let payload = read_payload()?;
    let input = parse(&payload, args.client.as_deref(), args.event.as_deref())
        .map_err(|error| CliError::invalid(error.to_string()))?;
    drop(payload);
    if matches!(input.event, Event::Ignored(_)) && input.session.is_none() && !args.explain {
        return Ok(());
    }
    let settings = settings(global, &input)?;
    if args.explain {
        return out.text(&explain::explain(&settings, &input)?);
    }
    act(&settings, &input, &mut |text| say(&input, text))
}

/// Sends a text to the agent. Errors if the text did not reach the client.
type Say<'s> = &'s mut dyn FnMut(&ModelText) -> Result<(), CliError>;

/// Records the event, and sends the resulting information to the agent.
fn act(settings: &Settings, input: &HookInput, say: Say<'_>) -> Result<(), CliError> {
    match &input.event {
        Event::ToolOutcome(event) => {
            let project = settings.project.clone();
            let used = input.used(event, clock::fresh_op, settings.now, project);
            let lost = record(settings, Entry::Used(Box::new(used)))?;
            let read = of_documents(settings, input, event)?;
            let reading = read.as_ref().map(|(_, reading)| reading.text.clone());
            say_lost(settings, input, lost, reading, say)?;
            let Some((told, reading)) = read else { return Ok(()) };
            let noted = told.note(&reading.digests);
            noted.map_err(|error| CliError::new(ErrorKind::Io, in_words(&error)))
        }
        Event::CallBegan { tool, op, turn } => {
            let Some(session) = input.session.clone() else { return Ok(()) };
            let (tool, op, turn) = (tool.clone(), op.clone(), Some(turn.clone()));
            let call = OpenCall { op, tool, turn, needs_permission: false, at: settings.now };
            record(settings, happened(settings, session, SessionEvent::CallBegan(call))).map(drop)
        }
        Event::PermissionAsked { tool, turn } => {
            let Some(session) = input.session.clone() else { return Ok(()) };
            let asked = SessionEvent::PermissionAsked(tool.clone(), turn.clone());
            record(settings, happened(settings, session, asked)).map(drop)
        }
        Event::TurnEnded { turn, interrupted } => {
            let Some(session) = input.session.clone() else { return Ok(()) };
            let end = turn_end(settings, input, session, Some(turn.clone()));
            let end = TurnEnd { interrupted: *interrupted, ..end };
            record(settings, Entry::TurnEnded(end)).map(drop)
        }
        Event::SessionStart { source } => session_start(settings, input, source.as_deref(), say),
        Event::ConfigChanged => {
            // If the store is busy, the next scan records the change.
            let registry = open(settings, Access::Write)?;
            unless_busy(apply(&registry, settings, &[], input.session.as_ref()))?;
            renewed(settings, &registry, input).map(drop)
        }
        Event::SessionEnd { cleared } => session_end(settings, input, *cleared),
        Event::UserPrompt(prompt) => user_prompt(settings, input, prompt, say),
        Event::Ignored(_) => {
            let registry = open_in_order(settings, Access::Look)?.map(ManuallyDrop::new);
            registry.map_or(Ok(()), |registry| renewed(settings, &registry, input).map(drop))
        }
    }
}

/// Returns the settings for the payload's folder and the client's agent.
fn settings(global: &Global, input: &HookInput) -> Result<Settings, CliError> {
    let mut settings = Settings::new(global, input.cwd.as_deref(), true)?;
    settings.client = Some(input.client_id());
    if let Ok(agent) = agent(&settings, input) {
        settings.set_agent(agent, Some(input.client_id()));
    }
    Ok(settings)
}

/// Reads the payload up to the end of its JSON value, or of the input. A client may leave the pipe open after the
/// value.
pub(super) fn read_payload() -> Result<Vec<u8>, CliError> {
    let mut stdin = std::io::stdin().lock();
    if stdin.is_terminal() {
        return Err(CliError::invalid("hook reads the payload of a client from standard input"));
    }
    let mut payload = Vec::new();
    let mut chunk = vec![0; 64 * 1024];
    while payload.len() <= MAX_PAYLOAD_BYTES {
        let read = match stdin.read(&mut chunk) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            read => read.map_err(reading)?,
        };
        payload.extend_from_slice(&chunk[..read]);
        if read == 0 || is_whole(&payload) {
            return Ok(payload);
        }
    }
    // Discard the rest of a large payload, so that the client does not write to a closed pipe.
    std::io::copy(&mut stdin.take(MAX_DRAINED), &mut std::io::sink()).map_err(reading)?;
    Ok(payload)
}

fn reading(error: std::io::Error) -> CliError {
    CliError::new(ErrorKind::Io, format!("cannot read stdin: {error}"))
}

/// Returns true if the bytes are a complete JSON object.
fn is_whole(payload: &[u8]) -> bool {
    payload.trim_ascii_end().ends_with(b"}")
        && serde_json::from_slice::<serde::de::IgnoredAny>(payload).is_ok()
}

fn open(settings: &Settings, access: Access) -> Result<Registry, CliError> {
    settings.open_for_hook(access).map_err(|error| settings.opening(error))
}

/// Returns the entry for an event of a session at the current time.
fn happened(settings: &Settings, session: SessionId, event: SessionEvent) -> Entry {
    Entry::Session { project: settings.project.clone(), session, at: settings.now, event }
}

/// Records an entry. Adds it to the spool if the store is locked for too long, full or damaged, or if other entries
/// already wait there. Returns the claims that the entry's session lost to others.
fn record(settings: &Settings, entry: Entry) -> Result<Vec<LostClaim>, CliError> {
    let spool = Spool::of(&settings.url);
    // If the spool is full, records directly, because keeping the entry matters more than the order.
    let waits = |spool: &Spool| spool.has_entries() && spool.add(&entry).is_ok();
    let waits = spool.as_ref().is_some_and(waits);
    // Opening the store for writing records the waiting entries.
    let recorded = settings.open_for_hook(Access::Write).and_then(|registry| {
        let lost = if waits { Vec::new() } else { entry.clone().record(&registry)? };
        // The process exits soon, so closing the store, which would only free memory, is skipped.
        std::mem::forget(registry);
        Ok(lost)
    });
    let error = match recorded {
        Ok(lost) => return Ok(lost),
        Err(error) => error,
    };
    if spool.is_some() && !waits && Spool::keeps(&error) {
        leave(settings, &entry)?;
    }
    if spool.is_some() && error.is_retryable() {
        Ok(Vec::new())
    } else {
        Err(settings.opening(error))
    }
}

/// Reports claims that were lost to other agents or sessions, together with `more`. Forgets these claims even if the
/// policy disables reports.
fn say_lost(
    settings: &Settings,
    input: &HookInput,
    mut lost: Vec<LostClaim>,
    more: Option<ModelText>,
    say: Say<'_>,
) -> Result<(), CliError> {
    let texts: Vec<ModelText> = taken_over(settings, &mut lost).into_iter().chain(more).collect();
    if !texts.is_empty() {
        say(&ModelText::join(texts, "\n"))?;
    }
    let Some(id) = input.session.clone().filter(|_| !lost.is_empty()) else { return Ok(()) };
    let registry = open(settings, Access::Write)?;
    let key = SessionKey { project: settings.project.id.clone(), id };
    let told = lost.into_iter().map(|lost| lost.work.key).collect();
    let forgot = registry.sessions().forget_lost_claims(&key, told, settings.now);
    unless_busy(forgot.wait()).map_err(Into::into).map(drop)
}

/// Opens the store for a prompt, or for the start or end of a session. Returns `None` if it is locked for too
/// long, or if entries still wait in the spool and must be recorded first.
fn open_in_order(settings: &Settings, access: Access) -> Result<Option<Registry>, CliError> {
    let waits = || Spool::of(&settings.url).is_some_and(|spool| spool.has_entries());
    let access = if waits() { Access::Write } else { access };
    match settings.open_for_hook(access) {
        Ok(registry) => Ok(Some(registry).filter(|_| !waits())),
        Err(error) if error.is_retryable() => Ok(None),
        Err(error) => Err(settings.opening(error)),
    }
}

/// Adds an entry to the spool for a later process.
fn leave(settings: &Settings, entry: &Entry) -> Result<(), CliError> {
    let Some(spool) = Spool::of(&settings.url) else { return Err(StoreError::Busy.into()) };
    spool.add(entry).map_err(|error| {
        spool.count_lost();
        let folder = spool.folder().display();
        CliError::new(ErrorKind::Io, format!("{folder}: {}", in_words(&error)))
    })
}

/// Converts a store that is locked for too long to `None`, so that the caller continues without it.
fn unless_busy<T>(result: Result<T, RegistryError>) -> Result<Option<T>, RegistryError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_retryable() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the findings to report for documents that a use showed to the agent, and the record of the session's
/// reports.
fn of_documents(
    settings: &Settings,
    input: &HookInput,
    event: &ToolEvent,
) -> Result<Option<(Told, Reading)>, CliError> {
    let session = input.session.as_ref().filter(|_| event.kind == OutcomeKind::Success);
    let told = session.and_then(|session| Told::of(settings, session.as_str()));
    let told = told.map(|told| told.to(input.agent_id.as_deref()));
    let Some(told) = told.filter(|_| !event.reads.is_empty()) else { return Ok(None) };
    let registry =
        || Ok(unless_busy(settings.open_for_hook(Access::Look).map_err(RegistryError::Store))?);
    let read = (input.cwd.as_deref(), event.reads.as_slice());
    Ok(reading::look(settings, &registry, &told, read)?.map(|reading| (told, reading)))
}

/// Scans, begins or resumes the session, and reports the changes. After a full report, marks them as
/// reported.
fn session_start(
    settings: &Settings,
    input: &HookInput,
    source: Option<&str>,
    say: Say<'_>,
) -> Result<(), CliError> {
    let (project, now) = (&settings.project, settings.now);
    // After these events, the agent no longer has earlier reports in its context.
    let cleared = matches!(source, Some(CLEAR | "compact"));
    let mut resume = Resume { cleared, ..request(settings, agent(settings, input)?) };
    let started = SessionEvent::Started(resume.agent.clone());
    let later = |id: &SessionId| leave(settings, &happened(settings, id.clone(), started.clone()));
    let Some(registry) = open_in_order(settings, Access::Write)? else {
        return input.session.as_ref().map_or(Ok(()), later);
    };
    unless_busy(apply(&registry, settings, &[], input.session.as_ref()))?;
    if let Some(id) = &input.session {
        if cleared && let Some(told) = Told::of(settings, id.as_str()) {
            told.forget();
        }
        match unless_busy(registry.sessions().start(&project.id, &resume.agent, id, now).wait()) {
            Ok(Some(_)) => {
                resume.session = Some(id.clone());
                if source == Some(CLEAR) {
                    let key = SessionKey { project: project.id.clone(), id: id.clone() };
                    let sessions = registry.sessions();
                    unless_busy(sessions.inherit_claims(&resume.agent, &key, now).wait())?;
                }
                // Lost claims are reported at the next event.
                renewed(settings, &registry, input)?;
            }
            Ok(None) => later(id)?,
            // The session belongs to another agent. Report the changes without it.
            Err(RegistryError::Rejected(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut delta = registry.sessions().resume(project, resume.clone(), now).wait()?;
    let (told, lock) = briefing::session_start(settings, &registry, &mut delta, &resume)?;
    if let Some(text) = &told.text {
        say(text)?;
    }
    if let Some(lock) = lock {
        lock.told(settings);
    }
    // Changes that did not fit or were withheld are reported later.
    if told.whole {
        unless_busy(registry.sessions().mark_resumed(&project.id, &resume, &delta, now).wait())?;
    }
    Ok(())
}

/// The source that Claude Code gives when it clears a context and continues under a new session id.
const CLEAR: &str = "clear";

/// Suggests tools that fit a prompt well, and records the suggestion.
fn user_prompt(
    settings: &Settings,
    input: &HookInput,
    asked: &Prompt,
    say: Say<'_>,
) -> Result<(), CliError> {
    // Nothing is written, so closing would only free memory.
    let registry = open_in_order(settings, Access::Look)?.map(ManuallyDrop::new);
    let Some(registry) = registry else { return Ok(()) };
    let lost = renewed(settings, &registry, input)?;
    let Some(found) = prompt::look(settings, &registry, input, asked)? else { return Ok(()) };
    let fitting = prompt::text(settings.client.as_ref(), &found.tools);
    say_lost(settings, input, lost, fitting, say)?;
    if !found.is_worth_noting() {
        return Ok(());
    }
    let prompted = SessionEvent::Prompted(found.prompted);
    record(settings, happened(settings, found.key.id, prompted)).map(drop)
}

/// Renews the claims of the session. Returns the claims that it lost to others.
fn renewed(
    settings: &Settings,
    registry: &Registry,
    input: &HookInput,
) -> Result<Vec<LostClaim>, CliError> {
    let Some(id) = &input.session else { return Ok(Vec::new()) };
    let key = SessionKey { project: settings.project.id.clone(), id: id.clone() };
    let known = registry.sessions().suggestions(&key).wait()?;
    if known.is_none_or(|known| known.claims.is_empty()) {
        return Ok(Vec::new());
    }
    record(settings, happened(settings, key.id, SessionEvent::Renewed))
}

/// Ends the session and prunes what exceeds the policy's limits.
fn session_end(settings: &Settings, input: &HookInput, cleared: bool) -> Result<(), CliError> {
    let begun = Instant::now();
    let registry = open_in_order(settings, Access::Look)?;
    if let Some(id) = &input.session {
        Told::of(settings, id.as_str()).iter().for_each(Told::forget);
        let calls = turn_end(settings, input, id.clone(), None);
        let ended = match &registry {
            Some(registry) => {
                let (sessions, project) = (registry.sessions(), &settings.project.id);
                if unless_busy(sessions.end_turn(calls.clone()).wait())?.is_none() {
                    leave(settings, &Entry::TurnEnded(calls))?;
                }
                unless_busy(match cleared {
                    true => sessions.clear(project, id, settings.now).wait(),
                    false => sessions.end(project, id, settings.now).wait(),
                })
            }
            None => {
                leave(settings, &Entry::TurnEnded(calls))?;
                Ok(None)
            }
        };
        match ended {
            Ok(Some(_)) => {}
            Ok(None) => {
                leave(settings, &happened(settings, id.clone(), SessionEvent::Ended))?;
            }
            // The session was never started.
            Err(RegistryError::Rejected(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let Some(registry) = registry else { return Ok(()) };
    // An unreadable policy might set the retention period, so do not prune.
    if let Some(trouble) = &settings.policy_trouble {
        return Err(trouble.clone());
    }
    let most = Duration::from_millis(settings.configured.policy.hooks.prune_ms.into());
    let mut more = || begun.elapsed() < most;
    let pruned = registry.admin().prune_while(&settings.project.id, settings.now, &mut more);
    unless_busy(pruned.wait()).map_err(Into::into).map(drop)
}

/// Returns the end of a turn of a session, or of the whole session if `turn` is None.
fn turn_end(
    settings: &Settings,
    input: &HookInput,
    session: SessionId,
    turn: Option<OpId>,
) -> TurnEnd {
    TurnEnd {
        project: settings.project.clone(),
        session,
        turn,
        client: Some(input.client_id()),
        interrupted: false,
        at: settings.now,
    }
}

/// Returns the agent for the client's name.
fn agent(settings: &Settings, input: &HookInput) -> Result<AgentId, CliError> {
    staleness_service::sessions::agent(settings, input.client_id().as_str())
}

/// Prints the answer that gives a text to the agent.
fn say(input: &HookInput, text: &ModelText) -> Result<(), CliError> {
    let text = text.as_str();
    let mut answer = json!({
        "hookSpecificOutput": { "hookEventName": input.event_name, "additionalContext": text }
    });
    // These two clients expect the text at the top level, each under a different key.
    match input.client {
        HookClient::Cursor => answer["additional_context"] = text.into(),
        HookClient::Copilot => answer["additionalContext"] = text.into(),
        HookClient::ClaudeCode | HookClient::Codex | HookClient::Gemini | HookClient::Vscode => {}
    }
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{answer}")
        .and_then(|()| stdout.flush())
        .map_err(|error| CliError::new(ErrorKind::Io, format!("cannot write to stdout: {error}")))
}
