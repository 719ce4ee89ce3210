//! `project`: the projects that were seen.

use serde_json::json;
use staleness::clock;

use crate::args::ProjectCommand;
use crate::error::{CliError, ErrorKind, quoted};
use crate::output::{Output, Paint, Table};
use crate::settings::{Access, Settings};
use crate::when::ago;

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
    let projects = settings.open(Access::Look)?.projects()?;
    if out.json {
        let rows: Vec<_> = projects
            .iter()
            .map(|project| {
                json!({
                    "id": project.id,
                    "path": project.root,
                    "last_seen_at": project.last_seen_at,
                })
            })
            .collect();
        return out.json(&json!({ "projects": rows }));
    }
    if projects.is_empty() && !out.quiet {
        return out.text("no projects are known; run `staleness scan` in one\n");
    }
    let mut table = Table::new();
    for project in &projects {
        table.row(vec![
            (project.id.to_string(), Some(Paint::dim)),
            (ago(settings.now, project.last_seen_at), None),
            (project.root.clone(), Some(Paint::bold)),
        ]);
    }
    out.text(&table.render(out.paint, out.width))
}

fn forget(settings: &Settings, id: &str, yes: bool, out: &Output) -> Result<(), CliError> {
    let registry = settings.open(if yes { Access::Write } else { Access::Look })?;
    let projects = registry.projects()?;
    let project = projects
        .iter()
        .find(|each| each.id.as_str() == id || each.root == id)
        .ok_or_else(|| {
            CliError::new(ErrorKind::Unknown, format!("no project is known as {}", quoted(id)))
                .hint("see `staleness project list`")
        })?;
    if !yes {
        let message = format!("forgetting {} removes its tools and outcomes", project.root);
        return Err(CliError::invalid(message).hint("say --yes to do it"));
    }
    registry.forget_project(project.id.clone(), clock::fresh_op(), settings.now)?;
    if out.json {
        return out.json(&json!({ "forgotten": project.id }));
    }
    let root = crate::output::escape(&project.root).into_owned();
    if out.quiet { Ok(()) } else { out.text(&format!("forgot {root}\n")) }
}
