//! What a project was told: read before a session start speaks, moved on after it spoke.

use std::collections::BTreeSet;

use super::record::both_keys;
use crate::ids::{ProjectId, Scope, SessionId, ToolKey};
use crate::journal::Revision;
use crate::project::{Project, Told};
use crate::scan::ProjectRef;
use crate::store::{
    Decision, Draft, Durability, JournalFilter, ProjectFilter, Query, Refusal, Selection, Step,
    ToolFilter, View,
};
use crate::time::Timestamp;
use crate::tool::ToolKind;

/// Where a session's telling begins.
///
/// A session that was told already, and starts again because it lost its context, is told the same
/// again, and what came since.
#[must_use]
pub(crate) fn begins(project: Option<&Project>, session: Option<&SessionId>) -> Revision {
    match project {
        None => Revision(u64::MAX),
        Some(project) if session.is_some() && project.told.session.as_ref() == session => {
            project.told.from
        }
        Some(project) => project.told.revision,
    }
}

/// Looks at what a session start has to tell: the project, then its journal since it was told, then
/// the tools that changed and those that are demoted.
#[derive(Debug)]
pub(crate) struct WhatToTell {
    pub(crate) project: ProjectId,
    pub(crate) session: Option<SessionId>,
}

impl Query for WhatToTell {
    fn selection(&self) -> Selection {
        let own = Scope::Project(self.project.clone());
        Selection::new()
            .peek_projects(ProjectFilter::Id(self.project.clone()))
            .peek_tools(ToolFilter::Demoted(Scope::Global))
            .peek_tools(ToolFilter::Demoted(own))
    }

    fn more(&self, view: &View) -> Option<Selection> {
        let own = Scope::Project(self.project.clone());
        match view.looks {
            1 => {
                let after = begins(view.projects.get(&self.project), self.session.as_ref());
                let mut more = Selection::new();
                if after < view.revision {
                    more = more
                        .journal(JournalFilter::Since { after, scope: Scope::Global })
                        .journal(JournalFilter::Since { after, scope: own.clone() });
                }
                more = of_these_names(&self.project, view, view.tools.keys(), more);
                // A server is shown as demoted with its tools.
                for tool in view.tools.values().filter(|tool| tool.kind == ToolKind::McpTool) {
                    if let Some(server) = tool.server.clone() {
                        more = more
                            .peek_tools(ToolFilter::Server(Scope::Global, server.clone()))
                            .peek_tools(ToolFilter::Server(own.clone(), server));
                    }
                }
                Some(more).filter(|more| *more != Selection::new())
            }
            2 => {
                let changed: BTreeSet<ToolKey> =
                    view.journal.values().filter_map(|entry| entry.subject.tool_key()).collect();
                let more = of_these_names(&self.project, view, changed.iter(), Selection::new());
                Some(more).filter(|more| *more != Selection::new())
            }
            _ => None,
        }
    }
}

/// Adds both entries of each name, where they were not seen: which of the two a project means
/// depends on both.
pub(super) fn of_these_names<'a>(
    project: &ProjectId,
    view: &View,
    keys: impl Iterator<Item = &'a ToolKey>,
    more: Selection,
) -> Selection {
    keys.flat_map(|key| both_keys(project, &key.name))
        .filter(|key| !view.tools.contains_key(key))
        .fold(more, |more, key| more.peek_tools(ToolFilter::Key(key)))
}

/// Notes that a project was told everything up to a revision. Moves forward only, so that of two
/// sessions that start at once neither takes back what the other noted.
#[derive(Debug)]
pub(crate) struct MarkTold {
    pub(crate) project: ProjectRef,
    pub(crate) session: Option<SessionId>,
    pub(crate) from: Revision,
    pub(crate) upto: Revision,
    pub(crate) at: Timestamp,
}

impl Step for MarkTold {
    fn selection(&self) -> Selection {
        Selection::new().lock_projects(ProjectFilter::Id(self.project.id.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        if let Some(project) = view.projects.get(&self.project.id)
            && project.told.revision <= self.upto
        {
            let told = Told { revision: self.upto, session: self.session.clone(), from: self.from };
            draft.put_project(Project { told, ..project.clone() });
        }
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        Durability::Normal
    }
}
