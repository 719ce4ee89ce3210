//! `hook --explain`: describes how a payload would be handled.

use staleness_core::text::counted;
use staleness_service::model_text::{ModelName, NameKind};
use staleness_service::rehearsal::rehearsal;
use staleness_sources::hook::{Event, Evidence, HookInput};

use super::act;
use crate::commands::scan::preview;
use crate::error::CliError;
use crate::output::escape;
use crate::settings::{Access, Settings};

/// Describes the effect of the payload without recording it.
pub(super) fn explain(settings: &Settings, input: &HookInput) -> Result<String, CliError> {
    let mut text = String::new();
    let mut line =
        |key: &str, value: String| text.push_str(&format!("{key:<8} {}\n", escape(&value)));
    line("client", input.client_id().to_string());
    let known = match input.evidence {
        Evidence::Payload => "from the payload",
        Evidence::Argument => "from --client; the payload does not name it",
        Evidence::Assumed => "assumed; neither the payload nor --client names it",
    };
    line("known", known.into());
    let (root, id) = (&settings.project.root, &settings.project.id);
    line("project", format!("{} ({id})", ModelName::path(NameKind::Project, root)));
    line("store", settings.url.to_string());
    let session = input.session.as_ref();
    let session = session.map(|id| ModelName::new(NameKind::Session, id.as_str()).to_string());
    line("session", session.unwrap_or_else(|| "-".into()));
    match &input.event {
        Event::ToolOutcome(event) => {
            line("event", "a tool was used".into());
            line("tool", ModelName::tool(None, event.tool.as_str()).to_string());
            line("outcome", format!("{:?}", event.kind).to_lowercase());
            line("id", event.op.as_ref().map_or_else(|| "a new one".into(), ToString::to_string));
            line("would", "record this use".into());
        }
        Event::CallBegan { tool, op, .. } => {
            line("event", "a tool is called".into());
            line("tool", ModelName::tool(None, tool.as_str()).to_string());
            line("id", op.to_string());
            line("would", "wait for it to end, and say nothing".into());
        }
        Event::PermissionAsked { tool, .. } => {
            line("event", "the user is asked to approve a call".into());
            line("tool", ModelName::tool(None, tool.as_str()).to_string());
            line("would", "record the call as unknown if it never ends, and say nothing".into());
        }
        Event::TurnEnded { interrupted, .. } => {
            line("event", "a turn ends".into());
            let became = if *interrupted { "interrupted" } else { "failed" };
            line("would", format!("record unfinished calls as {became}, and say nothing"));
        }
        Event::SessionStart { .. } => {
            line("event", "a session starts".into());
            let registry = settings.open(Access::Look)?;
            let (scan, _) = preview(&registry, settings, &[])?;
            line(
                "would",
                format!(
                    "scan {}: {} added, {} stale, {} restored",
                    counted(scan.sources.len(), "source", "sources"),
                    scan.added.len(),
                    scan.stale.len(),
                    scan.restored.len()
                ),
            );
        }
        Event::ConfigChanged => line("would", "scan, and say nothing".into()),
        Event::SessionEnd { .. } => {
            line("would", "end the session, and delete old usage data".into());
        }
        Event::UserPrompt(_) => {
            line("event", "the user asked something".into());
            line("would", "sometimes suggest tools that fit well".into());
        }
        Event::Ignored(name) => {
            line("would", format!("only renew the claims of the session, for the event {name}"));
        }
    }
    if matches!(
        input.event,
        Event::ToolOutcome(_) | Event::SessionStart { .. } | Event::UserPrompt(_)
    ) {
        let (_folder, rehearsal) = rehearsal(settings)?;
        let mut said = String::from("nothing");
        act(&rehearsal, input, &mut |text| {
            said = text.to_string();
            Ok(())
        })?;
        said.lines().for_each(|told| line("say", told.into()));
    }
    Ok(text)
}
