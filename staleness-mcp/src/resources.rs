//! The resources: an overview of the project, and the policy in force.

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResponse, ReadResourceResult, Resource, ResourceContents};
use staleness::ids::AgentId;
use staleness_service::ServiceError;
use staleness_service::knowledge::World;
use staleness_service::review::at_hand;

use crate::answer::{Rows, line};
use crate::server::Server;

/// What cannot be trusted in the server's project.
pub const OVERVIEW: &str = "staleness://overview";
/// Every value of the policy that is in force, with where it came from.
pub const POLICY: &str = "staleness://policy";

/// Both.
pub(crate) fn list() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, what: &str| {
        Resource::new(uri, name).with_description(what).with_mime_type("text/plain")
    };
    vec![
        resource(OVERVIEW, "overview", "What cannot be trusted in this project, worst first"),
        resource(POLICY, "policy", "The policy in force, each value with where it came from"),
    ]
}

/// Whether a client may ask to be told when one changes.
pub(crate) fn can_be_watched(uri: &str) -> Result<(), ErrorData> {
    match uri {
        OVERVIEW => Ok(()),
        POLICY => {
            let why = "the policy is read from files, and nobody is told when those change: read it again";
            Err(ErrorData::invalid_params(why, None))
        }
        _ => Err(unknown(uri)),
    }
}

fn unknown(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("unknown resource: {}", line(uri)), None)
}

/// Reads one of them. It blocks.
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
    let text = text.map_err(|error| ErrorData::internal_error(line(&error.message), None))?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri)]).into())
}

/// What cannot be trusted in the server's project, as text for an agent. It blocks.
pub(crate) fn overview(server: &Server, agent: Option<AgentId>) -> Result<String, ServiceError> {
    let settings = server.settings(None, agent)?;
    let entries = at_hand(&World::new(&settings, None, &staleness_service::Silent))?;
    let rows = Rows::fit(&entries, 30, |each| {
        let why = each.verdict.signals.first().map_or("", |signal| signal.reason.as_str());
        let (level, action) = (each.verdict.level.as_str(), each.verdict.action.as_str());
        let text = format!("- {level} {} {}: {} ({action})", each.kind, line(&each.id), line(why));
        (serde_json::Value::Null, text)
    });
    let head = match entries.len() {
        0 => "nothing here is known to be stale".to_owned(),
        count => format!("{count} cannot be trusted blindly"),
    };
    let trouble =
        settings.policy_trouble.map(|error| format!("policy: {}\n", line(&error.message)));
    let place = line(&settings.project.root);
    let text = rows.text(&head, "call list_stale with a kind");
    Ok(format!("project {place}\n{}{text}\n", trouble.unwrap_or_default()))
}

fn policy(server: &Server) -> Result<String, ServiceError> {
    let settings = server.settings(None, None)?;
    let values = settings.configured.values()?;
    let row = |each: &staleness_service::config::PolicyValue| {
        let source = match each.source.as_str() {
            "default" => String::new(),
            other => format!("  # {}", line(other)),
        };
        format!("{} = {}{source}\n", each.key, line(&each.value.to_string()))
    };
    Ok(values.iter().map(row).collect())
}
