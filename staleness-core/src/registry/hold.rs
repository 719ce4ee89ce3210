//! Decisions of a person or an agent: restore, demote, pin, ignore or forget a tool; forget a project.

use std::iter;
use std::sync::Arc;

use super::Act;
use super::knowledge::written_in;
use super::queries::history;
use super::routes::{routes_in, routes_to};
use crate::definition::Definition;
use crate::ids::{OpId, ProjectId, Scope, ServerKey, ToolKey, ToolName};
use crate::journal::{Action, JournalEntry, Subject};
use crate::policy::Policy;
use crate::project::Project;
use crate::report::word;
use crate::scan::ProjectRef;
use crate::source::Source;
use crate::store::{
    Conflict, Decision, DefinitionFilter, Draft, Edit, Filter, JournalFilter, OutcomeRange,
    ProjectFilter, Refusal, RouteFilter, Row, Selection, SourceFilter, Step, ToolFilter, View,
};
use crate::time::Timestamp;
use crate::tool::{Hold, Tool, ToolKind};

/// The scope in which a name is looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScopeChoice {
    /// The project's tool, or the global one if the project has none.
    #[default]
    Either,
    /// The global tool.
    Global,
    /// The project's tool.
    Project,
}

impl ScopeChoice {
    /// Returns the keys that a name may mean in a project, most likely first.
    pub fn keys(self, project: &ProjectId, name: &ToolName) -> Vec<ToolKey> {
        let both = ToolKey::both(project, name).into_iter();
        both.filter(|key| match self {
            Self::Either => true,
            Self::Global => key.scope == Scope::Global,
            Self::Project => key.scope != Scope::Global,
        })
        .collect()
    }

    /// Returns the scopes in which to look up an id, most likely first.
    pub(super) fn scopes(self, project: &ProjectId) -> impl Iterator<Item = Scope> {
        let own = (self != Self::Global).then(|| Scope::Project(project.clone()));
        own.into_iter().chain((self != Self::Project).then_some(Scope::Global))
    }
}

const BY_HAND: &str = "by_hand";

/// A manual action on a tool, by a person if no actor is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByHand {
    /// The agent or person that acts, the time and the reason.
    pub act: Act,
    /// The tool's name.
    pub name: ToolName,
    /// The scope in which to look up the name.
    pub scope: ScopeChoice,
    /// The project from which the name is resolved.
    pub project: ProjectRef,
}

impl ByHand {
    /// Returns the keys that the name may mean, most likely first.
    pub fn keys(&self) -> Vec<ToolKey> {
        self.scope.keys(&self.project.id, &self.name)
    }

    pub(super) fn find<'v>(&self, view: &'v View) -> Result<&'v Tool, Refusal> {
        self.keys()
            .iter()
            .find_map(|key| view.tools.get(key))
            .ok_or_else(|| Refusal::Unknown { what: "tool", id: self.name.to_string() })
    }

    /// Refuses an agent that tries to replace a person's decision.
    fn may_set(&self, hold: Hold, view: &View, tool: &Tool) -> Result<(), Refusal> {
        let is_persons = || view.decision(tool).is_none_or(|entry| entry.actor.is_none());
        let is_kept = [Hold::None, hold].contains(&tool.hold);
        if self.act.actor.is_none() || is_kept || !is_persons() {
            return Ok(());
        }
        let (tool, hold) = (tool.key.name.clone(), tool.hold.as_str());
        Err(Conflict::HeldByPerson { typed: typed(&tool), tool, hold }.into())
    }

    /// Refuses an agent that pins or ignores a tool, which would affect other clients, or that demotes a tool again
    /// after a person restored it.
    fn may_choose(&self, hold: Hold, view: &View, tool: &Tool) -> Result<(), Refusal> {
        let subject = Subject::tool(&tool.key);
        let is_decision = |entry: &&JournalEntry| {
            let kinds = [Action::Demoted, Action::Restored, Action::Pinned, Action::Ignored];
            entry.subject == subject && entry.cause == BY_HAND && kinds.contains(&entry.action)
        };
        let by_agent = |it: Option<&JournalEntry>, action| {
            it.filter(|it| it.action == action).map(|it| it.actor.is_some())
        };
        let is_agents_own =
            |it: &&JournalEntry| it.action == Action::Restored && it.actor.is_some();
        let decisions = view.journal.values().rev().filter(is_decision);
        let mut last = decisions.filter(|it| !is_agents_own(it));
        let is_restored = by_agent(last.next(), Action::Restored) == Some(false)
            && by_agent(last.next(), Action::Demoted) == Some(true);
        let verb = match hold {
            Hold::Pinned => "pin",
            Hold::Ignored => "ignore",
            Hold::Demoted if is_restored => "demote",
            Hold::None | Hold::Demoted => return Ok(()),
        };
        if self.act.actor.is_none() || tool.hold == hold {
            return Ok(());
        }
        let tool = tool.key.name.clone();
        Err(Conflict::NotByAgent { typed: typed(&tool), tool, verb }.into())
    }

    pub(super) fn selection(&self) -> Selection {
        let mut selection = Selection::new().journal(JournalFilter::Op(self.act.op.clone()));
        for key in ToolKey::both(&self.project.id, &self.name) {
            selection = selection.journal(history(&key)).lock(ToolFilter::Key(key));
        }
        for server in ServerKey::owners_of(self.name.as_str()) {
            let entry = ToolName::of_server(server.as_str());
            let keys = entry.map(|name| ToolKey::both(&self.project.id, &name));
            for key in keys.into_iter().flatten() {
                let entries = ToolFilter::Entries(key.scope.clone(), server.clone());
                selection = selection.journal(history(&key)).lock(entries);
            }
        }
        selection
    }

    pub(super) fn entry(
        &self,
        key: &ToolKey,
        action: Action,
        from: &str,
        to: Option<&str>,
    ) -> JournalEntry {
        self.act.entry(Subject::tool(key), action, (Some(from), to), BY_HAND)
    }
}

/// Returns the name of a tool, or of its server, quoted for a command line.
fn typed(tool: &ToolName) -> String {
    word(tool.spelled_server().unwrap_or(tool.as_str())).to_owned()
}

/// Sets a hold. [`Hold::None`] restores the tool: it lifts a pin or an ignore, or otherwise a demotion (by hand or for
/// failures), including the demotions of a server's other entries. Does nothing if the tool is already in that state.
/// An agent cannot lift a person's decision, pin or ignore tools; a person takes over an agent's demotion.
#[derive(Debug)]
pub(super) struct SetHold {
    pub by_hand: ByHand,
    pub hold: Hold,
    pub policy: Arc<Policy>,
}

impl Step for SetHold {
    fn selection(&self) -> Selection {
        self.by_hand.selection()
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let (by_hand, hold) = (&self.by_hand, self.hold);
        let mut draft = Draft::new(view, by_hand.act.at);
        let tool = by_hand.find(view)?;
        if by_hand.act.was_done(view) {
            return Ok(Decision::Write(draft.finish()));
        }
        // A server's entries may be spelled differently from the given name.
        let known = self.selection().journal;
        let others = view.tools.keys().map(history).filter(|each| !known.contains(each));
        let more = others.fold(Selection::new(), Selection::journal);
        if view.looks <= 1 && more != Selection::new() {
            return Ok(Decision::Need(more));
        }
        // Lifting a pin or an ignore keeps a failing state, which then takes effect again.
        let lifts = hold == Hold::None && !matches!(tool.hold, Hold::Pinned | Hold::Ignored);
        // A demotion applies to a server's name, and a tool with a hold does not follow its server.
        let is_concerned = tool.kind == ToolKind::McpServer || hold != Hold::None;
        let others = view.tools.values().filter(|other| {
            let is_its = other.kind == ToolKind::McpServer && other.server == tool.server;
            // An agent cannot demote a server whose tools a person pinned or ignores one by one.
            let counts = match other.hold {
                Hold::Pinned | Hold::Ignored => hold == Hold::Demoted && tool.hold == Hold::None,
                held => held == Hold::Demoted,
            };
            is_concerned && is_its && other.key != tool.key && counts
        });
        let all = || iter::once(tool).chain(others.clone());
        all().try_for_each(|tool| by_hand.may_set(hold, view, tool))?;
        by_hand.may_choose(hold, view, tool)?;
        let policy = self.policy.tools_for(tool.kind, by_hand.project.caller(None));
        for tool in all().take(if lifts { usize::MAX } else { 1 }) {
            let mut edited = tool.clone();
            edited.hold = hold;
            let is_lifted = lifts && edited.health.lift(&policy);
            let is_agents = || view.decision(tool).is_some_and(|entry| entry.actor.is_some());
            let takes_over = || hold != Hold::None && by_hand.act.actor.is_none() && is_agents();
            if tool.hold == hold && !is_lifted && !takes_over() {
                continue;
            }
            let action = match hold {
                Hold::None => Action::Restored,
                Hold::Demoted => Action::Demoted,
                Hold::Pinned => Action::Pinned,
                Hold::Ignored => Action::Ignored,
            };
            let (before, after) = (tool.status(), edited.status());
            let entry = by_hand.entry(&tool.key, action, before.as_str(), Some(after.as_str()));
            draft.append_journal(entry);
            draft.put(edited);
        }
        Ok(Decision::Write(draft.finish()))
    }
}

/// Forgets a tool with its outcomes and routes. For a server, forgets all of its tools in the same scope as well. The
/// history stays in the journal. A tool that a source still lists returns as new with the next scan.
#[derive(Debug)]
pub(crate) struct Forget {
    pub by_hand: ByHand,
}

impl Forget {
    /// Adds the rows needed to forget a tool and to find routes to it. Routes to a global tool may be in any project
    /// that has no tool of its own with that name.
    fn around(more: Selection, tool: &Tool) -> Selection {
        let sources = tool.listings.iter().map(|listing| SourceFilter::Id(listing.source.clone()));
        let more = sources.fold(more, Selection::lock);
        let more = more.lock(DefinitionFilter::Key(tool.key.clone())).journal(history(&tool.key));
        let name = &tool.key.name;
        match &tool.key.scope {
            Scope::Project(_) => more.peek(ToolFilter::Key(ToolKey::global(name.clone()))),
            Scope::Global => more.peek(ProjectFilter::All),
        }
    }

    /// Adds the routes that may lead to a tool.
    fn routes(view: &View, more: Selection, tool: &Tool) -> Selection {
        let name = &tool.key.name;
        routes_in(view, &tool.key).into_iter().fold(more, |more, project| {
            let own = ToolKey::project(project.clone(), name.clone());
            more.lock(RouteFilter::Tool(project, name.clone())).peek(ToolFilter::Key(own))
        })
    }

    fn forget(&self, draft: &mut Draft<'_>, tool: &Tool) {
        for key in routes_to(draft.view(), &tool.key) {
            draft.delete_route(key);
        }
        // Makes the next scan read the tool's sources again.
        for listing in &tool.listings {
            draft.edit::<Source, _>(&listing.source, |source| source.digest = 0);
        }
        let entry = self.by_hand.entry(&tool.key, Action::Forgotten, tool.status().as_str(), None);
        draft.append_journal(entry);
        draft.delete_outcomes(OutcomeRange::OfTool(tool.key.clone()));
        draft.delete::<Definition>(&tool.key);
        draft.delete::<Tool>(&tool.key);
    }
}

impl Step for Forget {
    fn selection(&self) -> Selection {
        self.by_hand.selection()
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.by_hand.act.at);
        if self.by_hand.act.was_done(view) {
            return Ok(Decision::Write(draft.finish()));
        }
        let tool = self.by_hand.find(view)?;
        let server = tool.server.as_ref().filter(|_| tool.kind == ToolKind::McpServer);
        // A server needs one more read, for its tools.
        if let (Some(server), true) = (server, view.looks <= 1) {
            let own = ToolFilter::Server(tool.key.scope.clone(), server.clone());
            return Ok(Decision::Need(Selection::new().lock(own)));
        }
        let is_own = |each: &&Tool| {
            each.key == tool.key
                || server.is_some_and(|server| {
                    each.key.scope == tool.key.scope && each.server.as_ref() == Some(server)
                })
        };
        let tools: Vec<&Tool> = view.tools.values().filter(is_own).collect();
        let more = match view.looks.saturating_sub(server.is_some().into()) {
            0 | 1 => tools.iter().fold(Selection::new(), |more, tool| Self::around(more, tool)),
            2 => tools.iter().fold(Selection::new(), |more, tool| Self::routes(view, more, tool)),
            _ => Selection::new(),
        };
        if more != Selection::new() {
            return Ok(Decision::Need(more));
        }
        for tool in tools {
            self.by_hand.may_set(Hold::None, view, tool)?;
            self.forget(&mut draft, tool);
        }
        Ok(Decision::Write(draft.finish()))
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Forgetting {
    /// A person requested it. Refused if items of knowledge or work items belong to the project.
    ByHand,
    /// A person requested it, including items of knowledge and work items.
    WithKnowledge,
    /// The project's folder is gone. The project stays if it was used after this time, or contains anything that a
    /// person wrote or decided.
    UnusedSince(Timestamp),
}

impl Forgetting {
    /// Returns true if the project may be forgotten. The view contains only rows of the project.
    fn applies(self, view: &View, project: &Project) -> Result<bool, Refusal> {
        match self {
            Self::ByHand => Ok(written_in(view).map(|()| true)?),
            Self::WithKnowledge => Ok(true),
            Self::UnusedSince(until) => Ok(project.last_seen_at <= until
                && view.knowledge.is_empty()
                && view.work.is_empty()
                && view.tools.values().all(|tool| tool.hold == Hold::None)),
        }
    }
}

/// Forgets a project: its row, the rows that belong to it in every collection, and the outcomes recorded in it.
pub(super) fn forget_project(
    id: ProjectId,
    op: OpId,
    at: Timestamp,
    forgetting: Forgetting,
) -> impl Step {
    let all = rows_of(&id).journal(JournalFilter::Op(op.clone()));
    let cause = match forgetting {
        Forgetting::ByHand | Forgetting::WithKnowledge => "by_hand",
        Forgetting::UnusedSince(_) => "folder_gone",
    };
    let forget = Edit::new(at, all, move |draft| {
        let view = draft.view();
        if view.journal.values().any(|entry| entry.op.as_ref() == Some(&op)) {
            return Ok(());
        }
        let Some(project) = view.projects.get(&id) else {
            return match forgetting {
                Forgetting::UnusedSince(_) => Ok(()),
                _ => Err(Refusal::Unknown { what: "project", id: id.to_string() }),
            };
        };
        if !forgetting.applies(view, project)? {
            return Ok(());
        }
        let entry = |subject: Subject, action: Action| {
            let op = Some(op.clone());
            JournalEntry { op, ..JournalEntry::new(at, subject, action, cause) }
        };
        for key in view.knowledge.keys() {
            draft.append_journal(entry(Subject::item(key), Action::Removed));
        }
        for key in view.work.keys() {
            draft.append_journal(entry(Subject::work(key), Action::Removed));
        }
        // Removes vectors along with the routes, without reading them: they are the largest part of a project.
        for key in view.routes.keys() {
            draft.delete_route(key);
        }
        clear_rows_of(&id, draft);
        draft.delete_outcomes(OutcomeRange::OfProject(id.clone()));
        let note = Some(project.root.clone());
        let entry = entry(Subject::project(&id), Action::Forgotten);
        draft.append_journal(JournalEntry { note, ..entry });
        Ok(())
    });
    match forgetting {
        Forgetting::UnusedSince(_) => forget,
        Forgetting::ByHand | Forgetting::WithKnowledge => forget.durable(),
    }
}

macro_rules! of_project {
    ($($rows:ident: $row:ty,)*) => {
        /// Selects the rows that are forgotten with a project.
        fn rows_of(id: &ProjectId) -> Selection {
            let mut all = Selection::new();
            $(if let Some(filter) = <$row as Row>::Filter::of_project(id) {
                all = all.lock(filter);
            })*
            all
        }

        /// Deletes the rows in the view that are forgotten with a project.
        fn clear_rows_of(id: &ProjectId, draft: &mut Draft<'_>) {
            $(if <$row as Row>::Filter::of_project(id).is_some() {
                draft.view().$rows.keys().for_each(|key| draft.delete::<$row>(key));
            })*
        }
    };
}
crate::collections!(of_project);
