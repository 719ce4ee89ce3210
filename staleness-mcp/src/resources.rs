//! Resources: an overview of the project, and the policy in force.

use rmcp::ErrorData;
use rmcp::model::{
    ErrorCode, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
};
use staleness::ids::AgentId;
use staleness_service::ServiceError;
use staleness_service::knowledge::World;
use staleness_service::model_text::{ModelName, NameKind, Word};
use staleness_service::review::at_hand;

use crate::answer::Rows;
use crate::server::Server;
use crate::text::{Json, Message, Quoted, Reason, Text, audience};
use crate::tools::overdue::{head, name};

/// URI of the overview: everything in the server's project that needs attention.
pub const OVERVIEW: &str = "staleness://overview";
/// URI of the policy: all values in force, with their sources.
pub const POLICY: &str = "staleness://policy";

pub(crate) fn list() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, what: &str| {
        Resource::new(uri, name).with_description(what).with_mime_type("text/plain")
    };
    vec![
        resource(OVERVIEW, "overview", "What needs attention in this project, worst first"),
        resource(POLICY, "policy", "The policy in force, and where each value comes from"),
    ]
}

/// Checks that a resource can be subscribed to. Only the overview can.
pub(crate) fn can_be_watched(uri: &str) -> Result<(), ErrorData> {
    match uri {
        OVERVIEW => Ok(()),
        POLICY => {
            let why = "the policy has no notifications; read it again instead";
            Err(Text::new(why).into_error(ErrorCode::INVALID_PARAMS))
        }
        _ => Err(unknown(uri)),
    }
}

fn unknown(uri: &str) -> ErrorData {
    let text = Text::new("unknown resource: ").and(Quoted(uri));
    text.into_error(ErrorCode::RESOURCE_NOT_FOUND)
}

/// Reads a resource. Blocks.
pub(crate) fn read(
    server: &Server,
    agent: Option<AgentId>,
    uri: &str,
) -> Result<ReadResourceResponse, ErrorData> {
    let text = match uri {
        OVERVIEW => overview(server, agent),
        POLICY => policy(server),
        _ => return Err(unknown(uri)),
    };
    let text = text.map_err(|error| {
        Text::new(Message(&error.message)).into_error(ErrorCode::INTERNAL_ERROR)
    })?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri)]).into())
}

/// Returns the 30 worst problems in the server's project as text. Blocks.
pub(crate) fn overview(server: &Server, agent: Option<AgentId>) -> Result<String, ServiceError> {
    let settings = server.settings(None, agent)?;
    let (entries, remembered) = at_hand(&World::new(&settings, None, &staleness_service::Silent))?;
    let client = settings.client.as_ref();
    let rows = Rows::fit(&entries, 30, |each| {
        let why = each.verdict.signals.first().map_or("", |signal| signal.reason.as_str());
        let text = Text::new("- ").and(each.verdict.level.as_str()).and(" ").and(each.kind);
        let text = text.and(" ").and(name(client, each)).and(": ").and(Reason(why));
        let text = text.and(" (").and(each.verdict.action.as_str()).and(")");
        ((), text)
    });
    let mut text = Text::new("project ");
    text.push(ModelName::path(NameKind::Project, &settings.project.root));
    if let Some(error) = &settings.policy_trouble {
        text = text.and("\npolicy: ").and(Quoted(&error.message));
    }
    let rows =
        rows.text(head(entries.len(), &remembered), Text::new("call list_stale with a kind"));
    Ok(text.and("\n").and(rows).and(audience(&settings)).and("\n").into_string())
}

fn policy(server: &Server) -> Result<String, ServiceError> {
    let settings = server.settings(None, None)?;
    let values = settings.configured.values()?;
    let word = |text: &str| match Word::new(text) {
        Some(word) => Text::new(word),
        None => Text::new(ModelName::path(NameKind::Setting, text)),
    };
    let row = |each: &staleness_service::config::PolicyValue| {
        let row = word(&each.key).and(" = ").and(Json(&each.value));
        match each.source.as_str() {
            "default" => row.and("\n"),
            other => row.and("  # ").and(word(other)).and("\n"),
        }
    };
    Ok(Text::join(values.iter().map(row), "").into_string())
}
