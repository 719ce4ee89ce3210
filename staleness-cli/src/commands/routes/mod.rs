//! `routes`: manages learned queries and their tools.

mod find;
mod learn;
pub(crate) mod vector;

use staleness::{RegistryError, Wait};
use std::collections::BTreeMap;

use serde_json::json;
use staleness::ids::ModelId;
use staleness::report::RouteReport;
use staleness::store::Refusal;
use staleness_core::registry::nearest;
use staleness_core::route::{Route, RouteId};
use staleness_core::text::counted;
use staleness_service::when::ago;

use crate::args::routes_args::RoutesCommand;
use crate::error::{CliError, ErrorKind, quoted};
use crate::output::{Output, Paint, escape};
use crate::settings::{Access, Settings};

pub(crate) fn run(
    settings: &Settings,
    command: Option<&RoutesCommand>,
    out: &Output,
) -> Result<(), CliError> {
    match command {
        None | Some(RoutesCommand::List) => list(settings, out),
        Some(RoutesCommand::Find(args)) => find::run(settings, args, out),
        Some(RoutesCommand::Learn(args)) => learn::run(settings, args, out),
        Some(RoutesCommand::Prune { dry_run }) => prune(settings, *dry_run, out),
        Some(RoutesCommand::Forget { id, yes }) => forget(settings, id, *yes, out),
    }
}

fn list(settings: &Settings, out: &Output) -> Result<(), CliError> {
    let routes = settings.open(Access::Look)?.routes().list(&settings.project.id).wait()?;
    let told: Vec<RouteReport> = routes.iter().map(RouteReport::from).collect();
    let none = "no routes yet; add one with `staleness routes learn`\n";
    out.list(&json!({ "routes": told }), (routes.is_empty(), none), || {
        let text = out.table(routes.iter().map(|route| row(route, settings)));
        let hint = models(&routes).map(|note| out.hint(&escape(&note)));
        text + &hint.unwrap_or_default()
    })
}

/// Describes how many routes have a vector from each model. Returns `None` for fewer than two models.
fn models(routes: &[Route]) -> Option<String> {
    let mut counts: BTreeMap<&ModelId, usize> = BTreeMap::new();
    for model in routes.iter().filter_map(|route| route.model.as_ref()) {
        *counts.entry(model).or_default() += 1;
    }
    if counts.len() < 2 {
        return None;
    }
    let each: Vec<String> =
        counts.iter().map(|(model, count)| format!("{count} of {model}")).collect();
    Some(format!(
        "vectors of {} models cannot be compared with each other: {}; `staleness routes learn \
         --query Q --tool NAME` embeds a route again",
        counts.len(),
        each.join(", ")
    ))
}

fn row(route: &Route, settings: &Settings) -> Vec<crate::output::Cell> {
    let sure = format!("{:.2}", route.confidence.get());
    let used = format!("used {}", ago(settings.now, route.last_used_at));
    vec![
        (route.key.id.to_string(), Some(Paint::dim)),
        (sure, None),
        (route.key.tool.to_string(), Some(Paint::bold)),
        (used, Some(Paint::dim)),
        (route.query.clone(), None),
    ]
}

fn prune(settings: &Settings, dry_run: bool, out: &Output) -> Result<(), CliError> {
    // A missing registry has nothing to prune and is not created.
    let registry = settings.open(Access::Look)?;
    let report = registry.routes().prune(&settings.project.id, settings.now, dry_run).wait()?;
    out.done(&report, || {
        let mut text = String::new();
        for route in &report.removed {
            let (id, tool) = (route.id, escape(route.tool.as_str()).into_owned());
            text.push_str(&format!("  {id}  {tool}  {}\n", words(route.reason.as_str())));
        }
        let done = if dry_run { "would be removed" } else { "removed" };
        let removed = counted(report.removed.len(), "route", "routes");
        text + &format!("{removed} {done}, {} kept\n", report.kept)
    })
}

fn words(reason: &str) -> String {
    reason.replace('_', " ")
}

fn forget(settings: &Settings, text: &str, yes: bool, out: &Output) -> Result<(), CliError> {
    let registry = settings.open(Access::Look)?;
    let project = &settings.project.id;
    let id: Option<RouteId> = text.trim().to_ascii_lowercase().parse().ok();
    let known =
        registry.routes().list(project).wait()?.into_iter().find(|route| Some(route.key.id) == id);
    let (Some(id), Some(known)) = (id, known) else { return Err(unknown(settings, text)) };
    if !yes {
        let message = format!("this deletes the route from {}", quoted(&known.query));
        return Err(CliError::invalid(message).hint("add --yes to confirm"));
    }
    let forgotten = settings.open(Access::Write)?.routes().forget(project, id, settings.now).wait();
    let route = forgotten.map_err(|error| match error {
        RegistryError::Rejected(Refusal::Unknown { .. }) => unknown(settings, text),
        error => error.into(),
    })?;
    let (query, tool) = (escape(&route.query), escape(route.key.tool.as_str()));
    let value = json!({ "route": RouteReport::from(&route) });
    out.done(&value, || format!("forgotten: {query} → {tool}\n"))
}

/// Returns the error for an unknown route, with the most similar id as a hint.
fn unknown(settings: &Settings, text: &str) -> CliError {
    let error = CliError::new(ErrorKind::Unknown, format!("no route named {}", quoted(text)));
    let near = settings.open(Access::Look).ok().and_then(|registry| {
        let known = registry.routes().list(&settings.project.id).wait().ok()?;
        nearest(text, known.into_iter().map(|route| route.key.id))
    });
    error.hint(match near {
        Some(near) => format!("did you mean {near}?"),
        None => "see `staleness routes list`".into(),
    })
}
