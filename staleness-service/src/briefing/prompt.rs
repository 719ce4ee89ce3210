//! Suggestions of a hook for a user's prompt: names of tools and this program's own words, without text from the
//! prompt.

use crate::model_text::{ModelName, ModelText};
use staleness::ids::ClientId;
use staleness::session::SessionKey;
use staleness::{Registry, Wait};
use staleness_core::route::{Prompted, SuggestedTool};
use staleness_sources::hook::{HookClient, HookInput, Prompt};

use crate::ServiceError;
use crate::settings::Settings;

/// Maximum length of the text, in characters.
const MAX_CHARS: usize = 400;

const BEGIN: &str = "Known tools that may fit this request: ";
const END: &str =
    ". They fit by name, description or what worked before; use one only if it helps.";

/// The tools found for a prompt, and the record of the prompt.
#[derive(Debug)]
pub struct Found {
    /// The session in which the prompt is recorded.
    pub key: SessionKey,
    /// The tools that are named.
    pub tools: Vec<SuggestedTool>,
    /// The prompt as it will be recorded.
    pub prompted: Prompted,
}

impl Found {
    /// Returns true if tools were suggested or there is a query to learn.
    pub const fn is_worth_noting(&self) -> bool {
        !self.prompted.tools.is_empty() || self.prompted.query.is_some()
    }
}

/// Finds tools to suggest. `None` outside a session, where neither the cool-down nor the limit could be applied, and
/// for clients that accept no context from this hook.
pub fn look(
    settings: &Settings,
    registry: &Registry,
    input: &HookInput,
    prompt: &Prompt,
) -> Result<Option<Found>, ServiceError> {
    let takes_context =
        matches!(input.client, HookClient::ClaudeCode | HookClient::Codex | HookClient::Gemini);
    let Some(session) = input.session.as_ref().filter(|_| takes_context) else { return Ok(None) };
    let (project, now) = (&settings.project, settings.now);
    let mut tools = registry.tools().suggest_for_prompt(project, session, &prompt.0, now).wait()?;
    // A client cannot call a tool whose name cannot be shown.
    tools.retain(|each| ModelName::tool(None, each.tool.as_str()).is_shown());
    // Tools whose names do not fit are not suggested.
    while text(settings.client.as_ref(), &tools).is_none() && tools.pop().is_some() {}
    // If the policy cannot be read, it might forbid storing prompts, so they are not stored.
    let learns =
        settings.configured.policy.routes.learn_from_prompts && settings.policy_trouble.is_none();
    let query = if learns { Prompted::text(&prompt.0) } else { None };
    let prompted = Prompted { at: now, query, tools: tools.clone(), taught: Vec::new() };
    let key = SessionKey { project: project.id.clone(), id: session.clone() };
    Ok(Some(Found { key, tools, prompted }))
}

/// Returns the sentence, if there is a suggestion and the sentence is short enough.
pub fn text(client: Option<&ClientId>, tools: &[SuggestedTool]) -> Option<ModelText> {
    if tools.is_empty() {
        return None;
    }
    let names = tools.iter().map(|each| ModelName::tool(client, each.tool.as_str()).into());
    let text = ModelText::from(BEGIN).and(ModelText::join(names, ", ")).and(END);
    (text.chars() <= MAX_CHARS).then_some(text)
}

#[cfg(test)]
mod tests {
    use staleness::ids::ToolName;

    use super::*;

    fn tools(names: &[&str]) -> Vec<SuggestedTool> {
        let tool = |name: &&str| SuggestedTool { tool: ToolName::new(*name).unwrap(), route: None };
        names.iter().map(tool).collect()
    }

    #[test]
    fn what_is_said_is_short_or_not_said() {
        let text = |tools: &[SuggestedTool]| super::text(None, tools);
        assert_eq!(text(&[]), None);
        let said = text(&tools(&["/deploy", "mcp__hub__merge"])).unwrap();
        let named = "Known tools that may fit this request: `/deploy`, `mcp__hub__merge`. ";
        assert!(said.as_str().starts_with(named), "{said}");
        assert!(said.chars() < 200);
        let many = vec!["mcp__hub__merge"; 20];
        assert_eq!(text(&tools(&many)), None);
    }
}
