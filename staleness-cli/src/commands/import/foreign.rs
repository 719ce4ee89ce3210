//! Imports outcomes, tools, knowledge, work and routes of other systems, as described in `docs/import.md`.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::mem;
use std::sync::Arc;

use serde::Deserialize;
use staleness::ids::{
    AgentId, ItemKey, Level, OpId, ServerKey, SessionId, SourceId, ToolKey, ToolName, WorkKey,
};
use staleness::outcome::OutcomeKind;
use staleness::registry::{Act, Use};
use staleness::scan::{Found, ProjectRef, SourceReading};
use staleness::source::SourceState;
use staleness::store::{ItemFilter, Selection, ToolFilter, WorkFilter};
use staleness::tool::ToolKind;
use staleness::{Registry, Timestamp, Wait};
use staleness_core::ids::IdError;
use staleness_core::outcome::Outcome;
use staleness_core::registry::{ImportReport, Importer};
use staleness_core::route::{Route, RouteKey, RouteVector};
use staleness_core::transfer::Record;
use staleness_service::work::{self, party};
use staleness_service::{Silent, documents, scan};
use staleness_sources::systems::System;

use super::access;
use super::home::project_of;
use super::knowledge::KnowledgeLine;
use super::lines::Input;
use super::routes::{Dimensions, RouteLine};
use super::work::WorkLine;
use crate::args::{FormatArg, ImportArgs};
use crate::error::{CliError, quoted};
use crate::output::{Output, Progress};
use crate::settings::{Access, Settings};

/// Client to which the sources of imported tools belong.
const CLIENT: &str = "import";
/// Maximum number of lines to write at once.
const MAX_ROWS: usize = 500;
/// Maximum size of the lines to write at once, in bytes, so that other writers wait only briefly.
const MAX_BYTES: usize = 4 << 20;
/// Default name of the source of imported tools.
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

/// The content of a line. Items and work items become records when the known record is read.
pub(super) enum Entry {
    Use(Box<Use>),
    Tool(Found),
    Item(ItemKey, Box<KnowledgeLine>),
    Work(WorkKey, Box<WorkLine>),
    Route(Box<Route>, Option<Box<RouteVector>>),
}

/// The identity of a record that occurs once in a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Once {
    Tool(ToolName),
    Item(ItemKey),
    Work(WorkKey),
    /// Contains the query too, for messages.
    Route(RouteKey, String),
}

impl Entry {
    /// Returns the identity of the record, or `None` if it may occur several times.
    pub(super) fn once(&self) -> Option<Once> {
        Some(match self {
            Self::Use(_) => return None,
            Self::Tool(found) => Once::Tool(found.name.clone()),
            Self::Item(key, _) => Once::Item(key.clone()),
            Self::Work(key, _) => Once::Work(key.clone()),
            Self::Route(row, _) => Once::Route(row.key.clone(), row.query.clone()),
        })
    }
}

impl fmt::Display for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(name) => write!(f, "the tool {}", quoted(name.as_str())),
            Self::Item(key) => write!(f, "the item {}", quoted(key.id.as_str())),
            Self::Work(key) => write!(f, "work item {}", quoted(key.id.as_str())),
            Self::Route(_, query) => write!(f, "the route of {}", quoted(query)),
        }
    }
}

pub(super) fn run(
    settings: &Settings,
    args: &ImportArgs,
    input: &mut Input,
    out: &Output,
) -> Result<ImportReport, CliError> {
    // A system's data about one project must not replace its data about another.
    let of_project = |system: System| format!("{}:{}", system.as_str(), settings.project.id);
    let of_system = args.from.and_then(FormatArg::system).map(of_project);
    let source = args.source.as_deref().or(of_system.as_deref()).unwrap_or(SOURCE);
    IdError::check(source)
        .map_err(|why| CliError::invalid(format!("--source {} {why}", quoted(source))))?;
    let mut tools: Vec<Found> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut dimensions = Dimensions::default();
    let mut progress = Progress::new(out, "read");
    while let Some(text) = input.next()? {
        let entry = entry_of(text, settings);
        let (entry, _) = entry.map_err(|what| input.refused(input.line(), &what))?;
        let repeated = entry.once().filter(|once| !seen.insert(once.clone()));
        let noted = match (repeated, entry) {
            (Some(what), _) => Err(format!("{what} appears twice")),
            (None, Entry::Route(_, Some(vector))) => dimensions.note(&vector),
            (None, Entry::Tool(found)) => {
                tools.push(found);
                Ok(())
            }
            _ => Ok(()),
        };
        noted.map_err(|what| input.refused(input.line(), &what))?;
        progress.add(1);
    }
    progress.end();
    let known = settings.open(Access::Look)?;
    dimensions.check(&known)?;
    let is_work = |once: &Once| matches!(once, Once::Item(_) | Once::Work(_));
    let may_conflict = seen.iter().any(is_work);
    let key = |once: Once| if let Once::Item(key) = once { Some(key) } else { None };
    let ids: BTreeSet<ItemKey> = seen.into_iter().filter_map(key).collect();
    // For items in files, the file is authoritative.
    let files = documents::filed(settings, &known, &ids, &Silent)?;
    let act = Act { files, ..work::act(settings, settings.agent.clone()) };
    if may_conflict && !args.dry_run && !known.admin().is_empty().wait()? {
        // Conflicts with known records are found before anything is written.
        let tried = |entry: &Entry| matches!(entry, Entry::Item(..) | Entry::Work(..));
        write(settings, &known.dry(), input, &act, true, tried, Progress::new(out, "checked"))?;
    }
    drop(known);

    let registry = settings.open(access(args.dry_run))?;
    let registry = if args.dry_run { registry.dry() } else { registry };
    let mut listed = (0, 0);
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
        listed = take_list(&registry, settings, args, list)?;
    }
    let progress = Progress::new(out, "imported");
    let mut report = write(settings, &registry, input, &act, args.dry_run, |_| true, progress)?;
    (report.imported.tools, report.skipped.tools) = listed;
    Ok(report)
}

/// Imports the lines that `takes` accepts.
fn write(
    settings: &Settings,
    registry: &Registry,
    input: &mut Input,
    act: &Act,
    dry_run: bool,
    takes: impl Fn(&Entry) -> bool,
    mut progress: Progress,
) -> Result<ImportReport, CliError> {
    let mut importer = registry.admin().importer(dry_run).wait()?.by(act.clone());
    let (mut uses, mut rows, mut bytes) = (Vec::new(), Vec::new(), 0);
    let (mut imported, mut skipped) = (0, 0);
    // Uses that a dry run has counted, because it does not write them.
    let mut counted = HashSet::new();
    // A record of a project also registers the project.
    let mut seen = BTreeSet::new();
    input.rewind()?;
    loop {
        let entry = match input.next()? {
            Some(text) => {
                bytes += text.len();
                Some(entry_of(text, settings))
            }
            None => None,
        };
        let is_last = entry.is_none();
        let entry = entry.transpose().map_err(|what| input.refused(input.line(), &what))?;
        if let Some((entry, project)) = entry.filter(|(entry, _)| takes(entry)) {
            if let Some(project) = project.filter(|_| !dry_run)
                && seen.insert(project.id.clone())
            {
                registry.admin().see_project(&project, settings.now).wait()?;
            }
            match entry {
                Entry::Use(used) => uses.push(*used),
                other => rows.push(other),
            }
        }
        if is_last || uses.len() + rows.len() == MAX_ROWS || bytes >= MAX_BYTES {
            let all = uses.len();
            let recorded = registry.tools().record_batch(mem::take(&mut uses)).wait()?;
            let is_new = |row: &&Outcome| !dry_run || counted.insert(row.identity());
            let new = recorded.iter().filter(is_new).count();
            (imported, skipped, bytes) = (imported + new, skipped + all - new, 0);
            let put = put(registry, act, mem::take(&mut rows), &mut importer);
            put.map_err(|error| if dry_run { input.nothing(error) } else { error })?;
        }
        if is_last {
            break;
        }
        progress.add(1);
    }
    progress.end();
    let mut report = ImportReport { merged: false, ..importer.finish().wait()? };
    // Vectors belong to their routes.
    (report.imported.vectors, report.skipped.vectors) = (0, 0);
    (report.imported.outcomes, report.skipped.outcomes) = (imported as u64, skipped as u64);
    Ok(report)
}

/// Writes the records of these lines, grouped by kind.
fn put(
    registry: &Registry,
    act: &Act,
    lines: Vec<Entry>,
    importer: &mut Importer,
) -> Result<(), CliError> {
    let keys = lines.iter().fold(Selection::new(), |all, line| match line {
        Entry::Item(key, _) => all.peek(ItemFilter::Key(key.clone())),
        Entry::Work(key, _) => all.peek(WorkFilter::Key(key.clone())),
        _ => all,
    });
    let known = registry.store().view(Arc::new(keys)).wait()?;
    let (mut items, mut work) = (Vec::new(), Vec::new());
    let (mut routes, mut vectors) = (Vec::new(), Vec::new());
    for line in lines {
        match line {
            Entry::Item(key, line) => {
                let beside = line.item(key.clone(), known.knowledge.get(&key));
                let mut item = beside.map_err(CliError::invalid)?;
                if act.files.contains_key(&key) {
                    // The earlier verifications were of a different text.
                    item.verifications = 0;
                }
                items.push(Record::Item(Box::new(item)));
            }
            Entry::Work(key, line) => {
                let beside = line.work(key.clone(), known.work.get(&key));
                work.push(Record::Work(Box::new(beside.map_err(CliError::invalid)?)));
            }
            Entry::Route(route, vector) => {
                routes.push(Record::Route(route));
                vectors.extend(vector.map(Record::Vector));
            }
            Entry::Use(_) | Entry::Tool(_) => {}
        }
    }
    for record in [items, work, routes, vectors].into_iter().flatten() {
        importer.put(record).wait()?;
    }
    Ok(())
}

/// Parses a line. Agent names are mapped to the names used here. Also returns the project to register.
pub(super) fn entry_of(
    text: &str,
    settings: &Settings,
) -> Result<(Entry, Option<ProjectRef>), String> {
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
            Ok((Entry::Use(Box::new(used)), None))
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
            Ok((Entry::Tool(found.described(line.description.as_deref())), None))
        }
        Line::Knowledge(line) => {
            let (key, project) = line.key(here)?;
            line.item(key.clone(), None)?;
            Ok((Entry::Item(key, line), project))
        }
        Line::Work(mut line) => {
            line.rename(|name| party(settings, name));
            let (key, project) = line.key(here)?;
            line.work(key.clone(), None)?;
            Ok((Entry::Work(key, line), project))
        }
        Line::Route(line) => {
            let precision = settings.configured.policy.routes.precision;
            let (route, vector, project) = line.route(here, precision)?;
            Ok((Entry::Route(Box::new(route), vector.map(Box::new)), Some(project)))
        }
    }
}

/// Replaces the tools of a source with this list. Returns the numbers of new and of known tools.
fn take_list(
    registry: &Registry,
    settings: &Settings,
    args: &ImportArgs,
    list: SourceReading,
) -> Result<(u64, u64), CliError> {
    let keys = list.found.iter().map(|found| ToolKey::global(found.name.clone()));
    let known = keys.fold(Selection::new(), |all, key| all.peek(ToolFilter::Key(key)));
    let lists = |tool: &&staleness_core::tool::Tool| {
        let mut listings = tool.listings.iter();
        listings.any(|listing| listing.state.is_listed() && listing.source == list.id)
    };
    let view = registry.store().view(Arc::new(known)).wait()?;
    let held = view.tools.values().filter(lists).count() as u64;
    let all = list.found.len() as u64;
    let same = registry
        .admin()
        .sources()
        .wait()?
        .iter()
        .any(|source| source.id == list.id && source.digest == list.digest());
    if !(args.dry_run || same && held == all) {
        scan::note(registry, &settings.project, &list, settings.now)?;
    }
    Ok((all - held, held))
}
