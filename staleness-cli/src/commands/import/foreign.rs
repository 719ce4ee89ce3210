//! Imports outcomes, tools, knowledge, work and routes of other systems, as described in `docs/import.md`.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use staleness::ids::{AgentId, Level, OpId, ServerKey, SessionId, SourceId, ToolKey, ToolName};
use staleness::outcome::OutcomeKind;
use staleness::registry::{Act, Use};
use staleness::scan::{Found, ProjectRef, SourceReading};
use staleness::source::SourceState;
use staleness::store::{Selection, ToolFilter};
use staleness::tool::ToolKind;
use staleness::work::Work;
use staleness::{Registry, Timestamp, Wait, clock};
use staleness_core::ids::IdError;
use staleness_core::registry::{ImportReport, StatedItem, ToldRoute, ToldWork};
use staleness_service::work::party;
use staleness_service::{Silent, documents, scan};
use staleness_sources::systems::System;

use super::batch::Batch;
use super::home::project_of;
use super::knowledge::KnowledgeLine;
use super::lines::Input;
use super::routes::{Dimensions, RouteLine};
use super::work::WorkLine;
use super::{access, opened};
use crate::args::{FormatArg, ImportArgs};
use crate::error::{CliError, quoted};
use crate::output::{Output, Progress};
use crate::settings::{Access, Settings};

/// Client of the sources of imported tools.
const CLIENT: &str = "import";
/// Source of imported tools if none is given.
const SOURCE: &str = "import";

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Outcome(OutcomeLine),
    Tool(ToolLine),
    Knowledge(Box<KnowledgeLine>),
    Work(Box<WorkLine>),
    Route(Box<RouteLine>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutcomeLine {
    tool: ToolName,
    result: OutcomeKind,
    at: Timestamp,
    id: OpId,
    session: Option<SessionId>,
    project: Option<String>,
    agent: Option<AgentId>,
    duration_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolLine {
    name: ToolName,
    kind: Option<ToolKind>,
    server: Option<String>,
    description: Option<String>,
}

/// The parsed record of a line.
pub(super) enum Entry {
    Use(Box<Use>),
    Tool(Found),
    Item(Box<StatedItem>, Option<ProjectRef>),
    Work(Box<ToldWork>, Option<ProjectRef>),
    Route(Box<ToldRoute>, ProjectRef),
}

pub(super) fn run(
    settings: &Settings,
    args: &ImportArgs,
    input: &mut Input,
    out: &Output,
) -> Result<ImportReport, CliError> {
    // A system's data about one project must not replace its data about another.
    let of_project = |system: System| format!("{}:{}", system.name(), settings.project.id);
    let of_system = args.from.and_then(FormatArg::system).map(of_project);
    let source = args.source.as_deref().or(of_system.as_deref()).unwrap_or(SOURCE);
    IdError::check(source)
        .map_err(|why| CliError::invalid(format!("--source {} {why}", quoted(source))))?;
    let mut tools: Vec<Found> = Vec::new();
    let mut names = BTreeSet::new();
    let mut ids = BTreeSet::new();
    let mut work = BTreeSet::new();
    let mut routes = BTreeSet::new();
    let mut dimensions = Dimensions::default();
    let mut progress = Progress::new(out, "read");
    while let Some(text) = input.next()? {
        let entry = entry_of(text, settings);
        match entry.map_err(|what| input.refused(input.line(), &what))? {
            Entry::Tool(found) if !names.insert(found.name.clone()) => {
                let what = format!("the tool {} appears twice", quoted(found.name.as_str()));
                return Err(input.refused(input.line(), &what));
            }
            Entry::Tool(found) => tools.push(found),
            Entry::Item(item, _) if !ids.insert(item.key.clone()) => {
                let what = format!("the item {} appears twice", quoted(item.key.id.as_str()));
                return Err(input.refused(input.line(), &what));
            }
            Entry::Work(told, _) if !work.insert(told.work.key.clone()) => {
                let what = format!("work item {} appears twice", quoted(told.work.key.id.as_str()));
                return Err(input.refused(input.line(), &what));
            }
            Entry::Route(told, _) if !routes.insert(told.route.key.clone()) => {
                let what = format!("the route of {} appears twice", quoted(&told.route.query));
                return Err(input.refused(input.line(), &what));
            }
            Entry::Route(told, _) => {
                if let Some((model, vector)) = &told.vector {
                    let noted = dimensions.note(&told.route.key.project, model, vector);
                    noted.map_err(|what| input.refused(input.line(), &what))?;
                }
            }
            Entry::Use(_) | Entry::Item(..) | Entry::Work(..) => {}
        }
        progress.add(1);
    }
    progress.end();
    let known = settings.open(Access::Look)?;
    if !dimensions.is_empty() {
        dimensions.check(&known)?;
    }
    if !work.is_empty() && !args.dry_run && !known.admin().is_empty().wait()? {
        // Conflicts with existing work items are detected before anything is written.
        let act = Act::new(clock::fresh_op(), settings.now);
        let mut tried = Batch::new(
            |counts| &mut counts.work,
            |rows| known.dry().work().import(rows, &act).wait(),
        );
        let mut report = ImportReport::default();
        input.rewind()?;
        while let Some(text) = input.next()? {
            let bytes = text.len();
            if let Ok(Entry::Work(told, _)) = entry_of(text, settings) {
                tried.take(*told, bytes, &mut report).map_err(|error| input.nothing(error))?;
            }
        }
        tried.write(&mut report).map_err(|error| input.nothing(error))?;
    }
    drop(known);

    let registry = settings.open(access(args.dry_run))?;
    let registry = if args.dry_run { registry.dry() } else { registry };
    let mut report = ImportReport::default();
    if !tools.is_empty() {
        let id = SourceId {
            project: None,
            client: CLIENT.into(),
            level: Level::Live,
            part: source.into(),
        };
        let list = SourceReading {
            id,
            path: input.shown().into(),
            state: SourceState::Read,
            root_is_there: true,
            error: None,
            found: tools,
        };
        take_list(&registry, settings, args, list, &mut report)?;
    }
    let mut progress = Progress::new(out, "imported");
    let dry_run = args.dry_run;
    // For items in files, the file is authoritative.
    let files = documents::filed(settings, &registry, &ids, &Silent)?;
    let of_items = Act { files, ..Act::new(clock::fresh_op(), settings.now) };
    let of_work = Act::new(clock::fresh_op(), settings.now);
    // Uses that a dry run has counted, because it does not write them.
    let mut counted = HashSet::new();
    let mut uses = Batch::new(
        |counts| &mut counts.outcomes,
        |rows| {
            let recorded = registry.tools().record_batch(rows).wait()?;
            Ok(recorded.iter().filter(|row| !dry_run || counted.insert(row.identity())).count())
        },
    );
    let mut items = Batch::new(
        |counts| &mut counts.knowledge,
        |rows| registry.knowledge().import(rows, &of_items).wait(),
    );
    let mut works =
        Batch::new(|counts| &mut counts.work, |rows| registry.work().import(rows, &of_work).wait());
    let mut routes =
        Batch::new(|counts| &mut counts.routes, |rows| registry.routes().import(rows).wait());
    // A record of a project also registers the project.
    let mut seen = BTreeSet::new();
    let mut see = |project: Option<ProjectRef>| -> Result<(), CliError> {
        match project.filter(|_| !dry_run) {
            Some(project) if seen.insert(project.id.clone()) => {
                Ok(registry.admin().see_project(&project, settings.now).wait()?)
            }
            _ => Ok(()),
        }
    };
    input.rewind()?;
    while let Some(text) = input.next()? {
        let (entry, bytes) = (entry_of(text, settings), text.len());
        match entry.map_err(|what| input.refused(input.line(), &what))? {
            Entry::Use(used) => uses.take(*used, bytes, &mut report)?,
            Entry::Item(item, project) => {
                see(project)?;
                items.take(*item, bytes, &mut report)?;
            }
            Entry::Work(told, project) => {
                see(project)?;
                works.take(*told, bytes, &mut report)?;
            }
            Entry::Route(told, project) => {
                see(Some(project))?;
                routes.take(*told, bytes, &mut report)?;
            }
            Entry::Tool(_) => {}
        }
        progress.add(1);
    }
    uses.write(&mut report)?;
    items.write(&mut report)?;
    works.write(&mut report)?;
    if report.imported.work > 0 && !dry_run {
        let scopes = work.into_iter().map(|key| key.scope).collect();
        report.untied = registry.work().untie(scopes).wait()?;
    }
    routes.write(&mut report)?;
    progress.end();
    Ok(report)
}

/// Returns a predicate for lines converted from another system. It is false for invalid lines, and for the second
/// copy of a tool that the system has both for this project and for all.
pub(super) fn takes(settings: &Settings) -> impl FnMut(&str) -> bool {
    let mut tools = BTreeSet::new();
    move |line| match entry_of(line, settings) {
        Ok(Entry::Tool(found)) => tools.insert(found.name),
        entry => entry.is_ok(),
    }
}

/// Parses a line. Agent names are mapped to the names used here.
pub(super) fn entry_of(text: &str, settings: &Settings) -> Result<Entry, String> {
    let here = &settings.project;
    let line: Line = serde_json::from_str(text).map_err(|error| {
        error
            .to_string()
            .replace(" at line 1 column ", " at column ")
            .chars()
            .take(200)
            .collect::<String>()
    })?;
    match line {
        Line::Outcome(line) => {
            let project = project_of(line.project.as_deref(), here)?;
            let mut used = Use::new(line.id, line.tool, line.result, line.at, project);
            used.session = line.session;
            used.agent = line.agent.map(|agent| settings.agent_behind(agent));
            used.duration_ms = line.duration_ms;
            Ok(Entry::Use(Box::new(used)))
        }
        Line::Tool(line) => {
            if let Some(why) = line.server.as_deref().and_then(|name| IdError::check(name).err()) {
                return Err(format!("the server's name {why}"));
            }
            let found = match &line.server {
                // Use the name under which clients call the tool.
                Some(server) if !line.name.is_mcp() => {
                    Found::server_tool(server, line.name.as_str())
                }
                Some(server) => ServerKey::of(server).map(|key| {
                    let mut found = Found::new(line.name.clone(), ToolKind::McpTool);
                    found.server = Some(key);
                    found
                }),
                None => {
                    let kind = ToolKind::of_name(line.name.as_str());
                    Some(Found::new(line.name.clone(), kind))
                }
            };
            let mut found = found.ok_or("the server and the name do not form a valid tool name")?;
            found.kind = line.kind.unwrap_or(found.kind);
            Ok(Entry::Tool(found.described(line.description.as_deref())))
        }
        Line::Knowledge(line) => {
            line.item(here).map(|(item, project)| Entry::Item(Box::new(item), project))
        }
        Line::Work(line) => {
            let (mut told, project) = line.told(here)?;
            let work = &mut told.work;
            for name in [&mut work.author, &mut work.from, &mut work.to] {
                *name = name.take().map(|name| party(settings, name));
            }
            Ok(Entry::Work(Box::new(told), project))
        }
        Line::Route(line) => {
            let precision = settings.configured.policy.routes.precision;
            line.told(here, precision).map(|(told, project)| Entry::Route(Box::new(told), project))
        }
    }
}

/// Returns the work items of a file without duplicates. Other lines are skipped.
pub(crate) fn work_in(
    settings: &Settings,
    from: Option<FormatArg>,
    file: &Path,
    out: &Output,
) -> Result<Vec<Work>, CliError> {
    let (mut input, _) = opened(settings, from, Some(file))?;
    let mut progress = Progress::new(out, "read");
    let mut ids = BTreeSet::new();
    let mut items = Vec::new();
    while let Some(text) = input.next()? {
        let entry = entry_of(text, settings);
        if let Entry::Work(told, _) = entry.map_err(|what| input.refused(input.line(), &what))? {
            if !ids.insert(told.work.key.clone()) {
                let what = format!("work item {} appears twice", quoted(told.work.key.id.as_str()));
                return Err(input.refused(input.line(), &what));
            }
            items.push(told.work);
        }
        progress.add(1);
    }
    progress.end();
    Ok(items)
}

/// Replaces the tools of a source with this list.
fn take_list(
    registry: &Registry,
    settings: &Settings,
    args: &ImportArgs,
    list: SourceReading,
    report: &mut ImportReport,
) -> Result<(), CliError> {
    let keys = list.found.iter().map(|found| ToolKey::global(found.name.clone()));
    let known = keys.fold(Selection::new(), |all, key| all.peek(ToolFilter::Key(key)));
    let lists = |tool: &&staleness_core::tool::Tool| {
        let mut listings = tool.listings.iter();
        listings.any(|listing| listing.state.is_listed() && listing.source == list.id)
    };
    let view = registry.store().view(Arc::new(known)).wait()?;
    let held = view.tools.values().filter(lists).count() as u64;
    let all = list.found.len() as u64;
    report.imported.tools = all - held;
    report.skipped.tools = held;
    let same = registry
        .admin()
        .sources()
        .wait()?
        .iter()
        .any(|source| source.id == list.id && source.digest == list.digest());
    if args.dry_run || (same && held == all) {
        return Ok(());
    }
    scan::note(registry, &settings.project, &list, settings.now)?;
    Ok(())
}
