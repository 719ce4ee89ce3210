//! `resume`: what changed for an agent while it was away.

use staleness::BlockingRegistry;
use staleness::registry::{Resume, ResumeFrom};
use staleness::session::Session;

use super::sessions::{agent, id, unknown};
use crate::args::ResumeArgs;
use crate::error::{CliError, quoted};
use crate::output::{Output, work};
use crate::settings::{Access, Settings};
use crate::when;

pub(crate) fn run(settings: &Settings, args: &ResumeArgs, out: &Output) -> Result<(), CliError> {
    let agent = agent(&args.agent)?;
    let looks = args.peek || args.digest || args.since.is_some();
    let registry = settings.open(if looks { Access::Look } else { Access::Write })?;
    let find = |text: &str| -> Result<Option<Session>, CliError> {
        let mut sessions = registry.sessions(&settings.project.id)?.into_iter();
        Ok(sessions.find(|session| session.key.id.as_str() == text))
    };
    let session = match args.session.as_deref().map(find).transpose()? {
        None => None,
        Some(None) => {
            let text = args.session.as_deref().unwrap_or_default();
            return Err(unknown(&registry, settings, text));
        }
        Some(Some(session)) if session.agent != agent => {
            let (id, other) = (session.key.id.as_str(), session.agent.as_str());
            let message = format!("the session {} is one of {}", quoted(id), quoted(other));
            return Err(CliError::invalid(message).hint("name one of this agent, or leave it out"));
        }
        Some(Some(session)) => Some(session.key.id),
    };
    let from = match &args.since {
        _ if args.digest => ResumeFrom::Digest,
        None => ResumeFrom::Cursor,
        Some(text) if find(text)?.is_some() => ResumeFrom::Session(id(text)?),
        Some(text) => ResumeFrom::Time(moment(&registry, settings, text)?),
    };
    let resume = Resume { agent, session, from, peek: args.peek };
    let delta = registry.resume(&settings.project, resume.clone(), settings.now)?;
    let delivered = if out.json {
        out.deliver_json(&delta)?
    } else {
        out.deliver(&work::delta(&delta, settings.now, out))?
    };
    // What nobody read was not told: it is told again.
    if delivered && registry.mark_resumed(&settings.project.id, &resume, &delta, settings.now)? {
        registry.see_project(&settings.project, settings.now)?;
    }
    Ok(())
}

/// A time; what is none was meant to be a session.
fn moment(
    registry: &BlockingRegistry,
    settings: &Settings,
    text: &str,
) -> Result<staleness::Timestamp, CliError> {
    when::parse_for("--since", text, settings.now).map_err(|error| {
        let digits = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+'));
        let unknown = unknown(registry, settings, text);
        match (&error.hint, unknown.hint.as_deref()) {
            (Some(forms), Some(hint)) if digits => {
                CliError::new(unknown.kind, format!("{}, and it is not a time", unknown.message))
                    .hint(format!("{hint}; {forms}"))
            }
            _ => unknown,
        }
    })
}
