//! `project`: manages the known projects.

use serde_json::json;
use staleness::ids::{ProjectId, Scope};
use staleness::registry::WorkListing;
use staleness::{Registry, Wait, clock};

use crate::args::ProjectCommand;
use crate::error::{CliError, ErrorKind, quoted};
use crate::output::{Cell, Output, Paint};
use crate::settings::{Access, Settings};
use staleness_service::when::ago;

pub(crate) fn run(
    settings: &Settings,
    command: &ProjectCommand,
    out: &Output,
) -> Result<(), CliError> {
    match command {
        ProjectCommand::List => list(settings, out),
        ProjectCommand::Forget { id, yes } => forget(settings, id, *yes, out),
    }
}

fn list(settings: &Settings, out: &Output) -> Result<(), CliError> {
    let projects = settings.open(Access::Look)?.admin().projects().wait()?;
    let told = projects.iter().map(|project| {
        let (id, path, last_seen_at) = (&project.id, &project.root, project.last_seen_at);
        json!({ "id": id, "path": path, "last_seen_at": last_seen_at })
    });
    let told = json!({ "projects": told.collect::<Vec<_>>() });
    let none = "no projects yet; run `staleness scan` in one\n";
    out.list(&told, (projects.is_empty(), none), || {
        out.table(projects.iter().map(|project| -> Vec<Cell> {
            vec![
                (project.id.to_string(), Some(Paint::dim)),
                (ago(settings.now, project.last_seen_at), None),
                (project.root.clone(), Some(Paint::bold)),
            ]
        }))
    })
}

fn forget(settings: &Settings, id: &str, yes: bool, out: &Output) -> Result<(), CliError> {
    let registry = settings.open(if yes { Access::Write } else { Access::Look })?;
    let projects = registry.admin().projects().wait()?;
    let project = projects
        .iter()
        .find(|each| each.id.as_str() == id || each.root == id)
        .ok_or_else(|| {
            CliError::new(ErrorKind::Unknown, format!("no project named {}", quoted(id)))
                .hint("see `staleness project list`")
        })?;
    let written = Written::count(&registry, &project.id)?;
    if !yes {
        let message = format!(
            "this deletes the tools, outcomes and sessions of {}{}",
            project.root,
            written.words(", and what people wrote: ")
        );
        return Err(CliError::invalid(message).hint("add --yes to confirm"));
    }
    if settings.may_be_agent() {
        return Err(CliError::invalid("an agent cannot delete what people wrote or decided")
            .hint("ask the user to run this in a terminal outside the client"));
    }
    let op = clock::fresh_op();
    registry.admin().forget_project_and_knowledge(project.id.clone(), op, settings.now).wait()?;
    let Written { knowledge, work } = written;
    let value = json!({ "forgotten": project.id, "knowledge": knowledge, "work": work });
    let root = crate::output::escape(&project.root);
    out.done(&value, || format!("forgot {root}{}\n", written.words(", and ")))
}

/// The numbers of items and work items that are deleted with a project.
#[derive(Clone, Copy)]
struct Written {
    knowledge: usize,
    work: usize,
}

impl Written {
    fn count(registry: &Registry, id: &ProjectId) -> Result<Self, CliError> {
        let own = |scope: &Scope| scope.project() == Some(id);
        let items = registry.knowledge().rows(id).wait()?;
        // Items in files do not count, because their files stay.
        let texts = items.iter().filter(|item| own(&item.key.scope) && item.path.is_none());
        let work = registry.work().list(id, WorkListing::default()).wait()?;
        let work = work.iter().filter(|work| own(&work.key.scope)).count();
        Ok(Self { knowledge: texts.count(), work })
    }

    /// Formats `3 items of knowledge and 1 work item` after a prefix. Empty if there are none.
    fn words(self, before: &str) -> String {
        let count = |count: usize, one: &str, more: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {more}")),
        };
        let knowledge = count(self.knowledge, "item of knowledge", "items of knowledge");
        let work = count(self.work, "work item", "work items");
        let counts: Vec<String> = knowledge.into_iter().chain(work).collect();
        if counts.is_empty() { String::new() } else { format!("{before}{}", counts.join(" and ")) }
    }
}
