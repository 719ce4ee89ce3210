//! Queries for tools, projects and sources: list, show, rank, history.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::Registry;
use super::told::waiting;
use crate::ids::{ProjectId, ServerKey, ToolKey, ToolName};
use crate::journal::{Action, JournalEntry, Subject};
use crate::policy::Policy;
use crate::project::Project;
use crate::registry::{Admin, RegistryError, Tools};
use crate::report::{
    Context, History, HistoryEntry, RankedTool, StatusWord, ToolCost, ToolReport, costs,
    needs_outcomes, rank, status_word,
};
use crate::scan::{ProjectRef, may_be_invented, see_all};
use crate::source::Source;
use crate::store::{
    JournalFilter, OutcomeFilter, ProjectFilter, Query, Refusal, Selection, SourceFilter,
    ToolFilter, View,
};
use crate::time::Timestamp;
use crate::tool::{PresenceCause, Tool, ToolKind};

/// The number of outcomes to read, from all times, to find the days on which clients worked. A day that is missed
/// makes a tool unused later.
const SPREAD: u32 = 2_000;

/// Selects a tool's journal entries, which date its presence in each client and record decisions about it.
pub(super) fn history(key: &ToolKey) -> JournalFilter {
    JournalFilter::Subject { subject: Subject::tool(key), limit: 200 }
}

/// Selects all tools that a project sees, with its latest outcomes.
pub(crate) fn visible(project: &ProjectId, policy: &Policy) -> Selection {
    waiting(project, visible_tools(project))
        .peek_both(project, SourceFilter::Scope)
        .outcomes(last_outcomes(project, policy))
}

fn visible_tools(project: &ProjectId) -> Selection {
    Selection::new().peek_both(project, ToolFilter::Scope)
}

fn last_outcomes(project: &ProjectId, policy: &Policy) -> OutcomeFilter {
    OutcomeFilter::LastOfProject { project: project.clone(), limit: policy.ranking.window }
}

/// A filter for a list of tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolListing {
    /// The [`ToolReport::status_word`] to list. `None` for any.
    pub status: Option<StatusWord>,
    /// The kind to list. `None` for any.
    pub kind: Option<ToolKind>,
    /// True to list the tools of every project, false for those of this one.
    pub all_projects: bool,
    /// True to omit ignored tools and this program's own, as reports do. A list for managing tools shows them.
    pub hide_ignored: bool,
    /// True to include invented names.
    pub invented: bool,
}

impl ToolListing {
    /// Returns the matching tools of a context, in ranking order.
    pub fn of(self, context: &Context<'_>) -> Vec<ToolReport> {
        let is_listed = |tool: &&Tool| {
            let is_invented = tool.presence.cause == PresenceCause::Invented;
            (self.invented || !is_invented)
                && !context.is_guess_of_others(tool)
                && (self.all_projects
                    || context.is_visible(tool)
                    || is_invented && context.reaches(tool))
        };
        let tools = context.view().tools.values().filter(is_listed);
        let wanted = |each: &RankedTool<'_>| {
            self.status.is_none_or(|status| status == status_word(context, each.tool))
                && self.kind.is_none_or(|kind| kind == each.tool.kind)
                && !(self.hide_ignored && context.is_silent(each.tool))
        };
        let ranked = rank(context, tools, usize::MAX);
        ranked
            .iter()
            .filter(|each| wanted(each))
            .map(|each| ToolReport::new(context, each.tool))
            .collect()
    }
}

/// A tool with its ranking score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoredTool {
    /// The tool.
    #[serde(flatten)]
    pub tool: ToolReport,
    /// The ranking score, 0..=1.
    pub score: f64,
}

/// Returns the first of these keys that exists. A tool of the requesting client takes precedence over tools
/// of other clients and over invented names.
pub(super) fn named<'k>(keys: &'k [ToolKey], view: &View) -> Option<&'k ToolKey> {
    let known = || keys.iter().filter_map(|key| Some((key, view.tools.get(key)?)));
    let own = known().find(|(_, tool)| !tool.presence.cause.is_foreign());
    own.or_else(|| known().next()).map(|(key, _)| key)
}

/// Looks up tools by key; for a server also its tools.
#[derive(Debug)]
pub(super) struct Lookup {
    pub(super) keys: Vec<ToolKey>,
    pub(super) project: ProjectId,
}

impl Query for Lookup {
    fn selection(&self) -> Selection {
        let tools = self.keys.iter().cloned().map(ToolFilter::Key);
        let all = tools.fold(Selection::new(), Selection::peek);
        all.peek_both(&self.project, SourceFilter::Scope)
    }

    fn more(&self, view: &View) -> Option<Selection> {
        if view.looks > 1 {
            return None;
        }
        // A server is reported with its tools. A client has a tool if it has the server. A live list of the server
        // defines which names exist.
        let mut servers: BTreeMap<&ServerKey, bool> = BTreeMap::new();
        for tool in view.tools.values() {
            // A name without a server may mean any server of its client.
            if tool.server.is_none()
                && may_be_invented(tool)
                && tool.key.name.serverless().is_some()
            {
                return Some(visible_tools(&self.project));
            }
            if let Some(server) = &tool.server {
                *servers.entry(server).or_default() |=
                    tool.kind == ToolKind::McpServer || may_be_invented(tool);
            }
        }
        let mut more = Selection::new();
        // A name that failed in a project may mean the global tool that a source of the user lists.
        for tool in view.tools.values().filter(|tool| tool.failed_only()) {
            more = more.peek(ToolFilter::Key(ToolKey::global(tool.key.name.clone())));
        }
        for (server, with_tools) in servers {
            let filter = if with_tools { ToolFilter::Server } else { ToolFilter::Entries };
            more = more.peek_both(&self.project, |scope| filter(scope, server.clone()));
        }
        (more != Selection::new()).then_some(more)
    }
}

/// Looks up tools with everything that their reports need.
#[derive(Debug)]
struct ReportLookup {
    lookup: Lookup,
    outcomes: OutcomeFilter,
}

impl Query for ReportLookup {
    fn selection(&self) -> Selection {
        waiting(&self.lookup.project, self.lookup.selection()).outcomes(self.outcomes.clone())
    }

    fn more(&self, view: &View) -> Option<Selection> {
        match view.looks {
            1 => Some(self.lookup.more(view).unwrap_or_default()),
            // The journal dates the presence of tools for each client.
            2 => {
                let keys = view.tools.values().filter(|tool| {
                    tool.kind == ToolKind::McpServer || self.lookup.keys.contains(&tool.key)
                });
                Some(keys.fold(Selection::new(), |all, tool| all.journal(history(&tool.key))))
            }
            _ => None,
        }
    }
}

impl Registry {
    pub(super) async fn seen(&self, project: &ProjectRef) -> Result<View, RegistryError> {
        self.ask(visible(&project.id, &self.policy)).await
    }

    pub(super) async fn show_key(
        &self,
        keys: &[ToolKey],
        project: &ProjectRef,
        now: Timestamp,
    ) -> Result<ToolReport, RegistryError> {
        let lookup = Lookup { keys: keys.to_vec(), project: project.id.clone() };
        let outcomes = last_outcomes(&project.id, &self.policy);
        let view = self.ask(ReportLookup { lookup, outcomes }).await?;
        let context = Context::new(&view, &self.policy, project, now);
        named(keys, &view)
            .and_then(|key| view.tools.get(key))
            .map(|tool| ToolReport::new(&context, tool))
            .ok_or_else(|| unknown(keys))
    }
}

impl Tools<'_> {
    /// Returns the tools that the project sees and that match the filter, in ranking order.
    pub async fn list(
        self,
        project: &ProjectRef,
        listing: ToolListing,
        now: Timestamp,
    ) -> Result<Vec<ToolReport>, RegistryError> {
        let mut selection = visible(&project.id, &self.0.policy);
        if listing.all_projects {
            selection = selection.peek(ToolFilter::All).peek(SourceFilter::All);
        }
        let view = self.0.ask(selection).await?;
        let context = Context::new(&view, &self.0.policy, project, now);
        Ok(listing.of(&context))
    }

    /// Returns the report of the first of these tools that exists. [`Tools::find_key`] turns a short name into a key.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if none exists.
    pub async fn show(
        self,
        project: &ProjectRef,
        keys: &[ToolKey],
        now: Timestamp,
    ) -> Result<ToolReport, RegistryError> {
        self.0.show_key(keys, project, now).await
    }

    /// Returns the tools that the requesting client loads, or those of all clients if there is none, with their costs
    /// in a session. A tool is unused after `days` days; `None` for the policy's default. Of a server's tools, returns
    /// only unused ones, and none if the whole server is unused. `names_only` takes a client and returns true if its
    /// sessions begin with only the names of MCP tools.
    pub async fn costs(
        self,
        project: &ProjectRef,
        days: Option<u32>,
        names_only: fn(&str) -> bool,
        now: Timestamp,
    ) -> Result<Vec<ToolCost>, RegistryError> {
        let mut view = self.0.store.view(Arc::new(visible_tools(&project.id))).await?;
        let client = self.0.client.as_ref();
        if needs_outcomes(&view, client, days.unwrap_or(self.0.policy.tools.unseen_days)) {
            let spread = Selection::new().outcomes(OutcomeFilter::Spread { limit: SPREAD });
            view.outcomes = self.0.store.view(Arc::new(spread)).await?.outcomes;
        }
        see_all(&mut view, &self.0.policy.account_servers);
        let context = Context::new(&view, &self.0.policy, project, now);
        Ok(costs(&context, client, days, &names_only))
    }

    /// Returns the project's tools, ranked by their recent successes in the project.
    pub async fn rank(
        self,
        project: &ProjectRef,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<ScoredTool>, RegistryError> {
        let view = self.0.seen(project).await?;
        let context = Context::new(&view, &self.0.policy, project, now);
        let tools = context.visible();
        let tools = tools.filter(|tool| context.is_told_of(tool) && !context.is_ignored(tool));
        Ok(rank(&context, tools, limit)
            .iter()
            .map(|each| ScoredTool {
                tool: ToolReport::new(&context, each.tool),
                score: each.score,
            })
            .collect())
    }

    /// Returns the last `limit` changes of a tool: the one with the first known key, including entries of tools with
    /// the same name in other scopes. A forgotten tool still has a history.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] if there is neither a tool nor a history.
    pub async fn history(self, keys: &[ToolKey], limit: u32) -> Result<History, RegistryError> {
        let selection = keys.iter().fold(Selection::new(), |all, key| {
            all.peek(ToolFilter::Key(key.clone()))
                .journal(JournalFilter::Subject { subject: Subject::tool(key), limit })
        });
        let view = self.0.ask(selection).await?;
        let known = keys.iter().find(|key| {
            view.tools.contains_key(key)
                || view.journal.values().any(|entry| entry.subject == Subject::tool(key))
        });
        let name = known.ok_or_else(|| unknown(keys))?.name.as_str();
        let own = view.journal.values().rev().filter(|entry| entry.subject.id == name);
        // If only some clients lost or regained a server, its tools have no entries of their own.
        let tool = keys.iter().find_map(|key| view.tools.get(key));
        let server = tool.filter(|tool| tool.kind == ToolKind::McpTool);
        let server = server.and_then(|tool| ToolName::of_server(tool.server.as_ref()?.as_str()));
        let servers = keys.iter().filter_map(|ToolKey { scope, .. }| {
            Some(ToolKey { scope: scope.clone(), name: server.clone()? })
        });
        let selection = servers.fold(Selection::new(), |all, key| {
            all.journal(JournalFilter::Subject { subject: Subject::tool(&key), limit })
        });
        let servers = self.0.ask(selection).await?.journal;
        let of_clients = servers.values().rev().filter(|entry| {
            let is_move = matches!(entry.action, Action::Absent | Action::Present);
            is_move && !entry.clients.is_empty()
        });
        let mut all: Vec<&JournalEntry> = own.chain(of_clients).collect();
        all.sort_by_key(|entry| Reverse(entry.revision));
        let entries: Vec<HistoryEntry> =
            all.into_iter().take(limit as usize).map(HistoryEntry::from).collect();
        let reaches = entries.last().is_some_and(|oldest| oldest.revision <= view.floor.revision);
        let pruned_until = reaches.then_some(view.floor.at);
        Ok(History { entries, pruned_until })
    }
}

impl Admin<'_> {
    /// Returns all projects, last seen first.
    pub async fn projects(self) -> Result<Vec<Project>, RegistryError> {
        let view = self.0.ask(Selection::new().peek(ProjectFilter::All)).await?;
        let mut projects: Vec<Project> = view.projects.into_values().collect();
        projects.sort_by(|a, b| b.last_seen_at.cmp(&a.last_seen_at).then_with(|| a.id.cmp(&b.id)));
        Ok(projects)
    }

    /// Returns all sources, in the order of their identities.
    pub async fn sources(self) -> Result<Vec<Source>, RegistryError> {
        let view = self.0.ask(Selection::new().peek(SourceFilter::All)).await?;
        Ok(view.sources.into_values().collect())
    }

    /// Returns the last `limit` journal entries about a subject, oldest first.
    pub async fn journal_of(
        self,
        subject: Subject,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, RegistryError> {
        let view =
            self.0.ask(Selection::new().journal(JournalFilter::Subject { subject, limit })).await?;
        Ok(view.journal.into_values().collect())
    }
}

fn unknown(keys: &[ToolKey]) -> RegistryError {
    let id = keys.first().map_or_else(String::new, |key| key.name.to_string());
    Refusal::Unknown { what: "tool", id }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ToolName;

    #[test]
    fn the_entries_of_a_server_are_asked_for_once_however_many_of_its_tools_are() {
        let key = |name: &str| ToolKey::global(ToolName::new(name).unwrap());
        let tools = ["mcp__a__x", "mcp__a__y"].map(|name| {
            let mut tool =
                Tool::new(key(name), ToolKind::McpTool, PresenceCause::Used, Timestamp::default());
            tool.server = ServerKey::of("a");
            (tool.key.clone(), tool)
        });
        let lookup = Lookup {
            keys: tools.iter().map(|each| each.0.clone()).collect(),
            project: ProjectId::of_root("/p"),
        };
        let more = lookup.more(&View { looks: 1, tools: tools.into(), ..View::default() }).unwrap();
        assert_eq!(more.tools.len(), 2, "in each scope");
    }
}
