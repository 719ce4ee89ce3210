//! Explains the state of a tool, route, document, item or work item, and lists what depends on it.
//!
//! Nothing is stored for this. It is derived from the journal, definitions, documents, routes, items and
//! work.

mod causes;
mod resting;

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;
use staleness::ids::{ItemId, ItemKey, Scope, ToolKey, ToolName, WorkKey};
use staleness::knowledge::{Evidence, Fact};
use staleness::registry::{ScopeChoice, WorkListing};
use staleness::report::{KnowledgeReport, RouteReport, ToolReport, WorkReport};
use staleness::tool::{Status, ToolKind};
use staleness::verdict::{Level, Verdict};
use staleness::{Registry, Timestamp, Wait};
use staleness_core::journal::{Action, Subject, SubjectKind};
use staleness_core::registry::nearest;
use staleness_core::report::HistoryEntry;
use staleness_docs::git::Oid;

use crate::documents;
use crate::error::{ErrorKind, ServiceError, quoted};
use crate::findings::{Finding, told_evidence};
use crate::knowledge::{World, known};
use crate::model_text::is_plain;
use crate::remembered::Remembered;
use crate::settings::Settings;
use crate::tools::{NamedTool, Unused, did_you_mean, resolve};
use crate::words;
use causes::{Beginning, events, of_references, of_route};
pub use resting::{Counts, Impact, Leading, Line, Link, Still};
use resting::{doubtful_tools, rests_on, text_of};

/// Maximum number of days between the beginning of a state and a journal entry that is shown with it.
const NEAR_DAYS: i64 = 7;

/// The record to which a name refers.
#[derive(Debug)]
enum Thing {
    Tool(Box<ToolReport>, ToolKey),
    Unused(Box<Unused>),
    Route(RouteReport),
    Document(String),
    Item(Box<KnowledgeReport>, Vec<Evidence>),
    Work(Box<WorkReport>, WorkKey),
}

/// The reasons for a record's state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Why {
    /// The kind of the record, such as `mcp_tool` or `document`.
    pub kind: String,
    /// The name or id of the record.
    pub name: String,
    /// The record's description, text or query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The current state, in words.
    pub state: String,
    /// The time at which the state began, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The verdict, for records that have one. For a document, that of its worst finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The known tool most similar to an invented name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
    /// Findings of the last check in a document, worst first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<KnowledgeReport>,
    /// Sentences on likely causes: changes in the day before the state began. For work, also the items for which it
    /// waits. For texts, also the named tools that are gone or failing.
    pub causes: Vec<String>,
    /// Journal entries of the record and its server near the time the state began, latest first.
    pub journal: Vec<Event>,
    /// Numbers of dependents.
    pub counts: Counts,
}

/// A journal entry and its subject.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// The name of the changed record.
    pub of: String,
    /// The journal entry.
    #[serde(flatten)]
    pub entry: HistoryEntry,
}

/// Returns true if the changes concern one name in both scopes.
pub fn are_of_both_scopes<'a>(changes: impl Iterator<Item = (&'a str, &'a HistoryEntry)>) -> bool {
    let mut scopes = HashMap::new();
    changes.into_iter().any(|(name, entry)| {
        *scopes.entry(name).or_insert(entry.scope.word()) != entry.scope.word()
    })
}

/// Explains the current state of a record.
///
/// # Errors
/// If nothing has this name (with a suggestion), or the store fails.
pub fn why(world: &World<'_>, registry: &Registry, name: &str) -> Result<Why, ServiceError> {
    let settings = world.settings;
    let thing = match find(world, registry, name) {
        Err(error) if error.kind == ErrorKind::Unknown => {
            return removed(settings, registry, name)?.ok_or(error);
        }
        thing => thing?,
    };
    let counts = rests_on(world, registry, &thing)?.counts;
    let (kind, name) = thing.names();
    let mut why = Why { kind, name, counts, ..Why::default() };
    let mut journal = Vec::new();
    match thing {
        Thing::Tool(tool, key) => {
            let beginning = Beginning::of(registry, settings, &tool, &key)?;
            (journal, why.causes) = (beginning.journal, beginning.causes);
            why.state = tool_state(&tool);
            why.did_you_mean = did_you_mean(registry, settings, &tool);
            why.title = tool.description;
            (why.since, why.verdict) = (Some(beginning.since), Some(tool.verdict));
        }
        Thing::Unused(unused) => {
            why.state = "not used yet".to_owned();
            why.causes = vec![unused.reason()];
        }
        Thing::Route(route) => {
            why.title = Some(format!("{} → {}", route.query, route.tool));
            why.state = format!("confidence {:.2}", route.confidence.get());
            why.since = Some(route.created_at);
            why.causes = of_route(registry, settings, &route)?;
        }
        Thing::Document(path) => {
            let (known, found) = Remembered::with_findings(settings, registry, None)?;
            let all = found.groups.into_iter().filter(|group| group.path == path);
            let mut found: Vec<Finding> = all.flat_map(|group| group.found).collect();
            found.retain(|each| each.told.verdict.level != Level::Fresh);
            let level = found.first().map(|worst| worst.told.verdict.level);
            let worst = found.iter().filter(|each| Some(each.told.verdict.level) == level);
            let dates = worst.map(|each| not_since(settings, &each.told, &each.evidence));
            why.since = dates.collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().min());
            why.findings = found.into_iter().map(|each| each.told).collect();
            let worst = why.findings.first();
            why.state = match worst {
                Some(worst) => worst.verdict.level.as_str().to_owned(),
                None if known.checked_at.is_none() => "not checked yet".to_owned(),
                None if known.elsewhere.contains(&path) => "checked at another commit".to_owned(),
                None => "fresh".to_owned(),
            };
            why.title = worst.map(|worst| worst.title.clone());
            why.verdict = worst.map(|worst| worst.verdict.clone());
            let text = text_of(settings, &path).unwrap_or_default();
            why.causes = doubtful_tools(registry, settings, &[&text])?;
        }
        Thing::Item(item, evidence) => {
            let id = words::id("id", item.id.as_str())?;
            journal = events(registry, Subject::item(&ItemKey { scope: item.scope.clone(), id }))?;
            why.since = match item.verdict.level {
                Level::Fresh => None,
                _ => not_since(settings, &item, &evidence)
                    .or_else(|| journal.last().map(|event| event.entry.at)),
            };
            why.since = why.since.or_else(|| Some(crate::rank::since(&item)));
            why.state = item.verdict.level.as_str().to_owned();
            let text = item.body.as_ref().unwrap_or(&item.title);
            why.causes = doubtful_tools(registry, settings, &[text])?;
            (why.title, why.verdict) = (Some(item.title), Some(item.verdict));
        }
        Thing::Work(work, key) => {
            journal.extend(events(registry, Subject::work(&key))?);
            why.causes = of_references(world, registry, &work)?;
            let steps = work.steps.iter().map(|step| step.text.as_str());
            let texts: Vec<&str> = steps.chain([work.text.as_str()]).collect();
            why.causes.extend(doubtful_tools(registry, settings, &texts)?);
            let waiting = crate::awaited::waiting_for(settings, registry, &key)?;
            why.causes.extend(waiting.iter().map(|by| format!("{by} waits for it")));
            (why.state, why.since) = (work.status.as_str().to_owned(), Some(work.updated_at));
            (why.title, why.verdict) = (Some(work.text), Some(work.verdict));
        }
    }
    let near = |event: &Event| {
        why.since.is_none_or(|since| {
            event.entry.at.millis_since(since).abs() <= NEAR_DAYS * Timestamp::DAY
        })
    };
    journal.retain(near);
    journal.sort_by(|one, other| {
        (other.entry.revision, &one.of).cmp(&(one.entry.revision, &other.of))
    });
    why.journal = journal;
    Ok(why)
}

/// Returns the history of a removed item of knowledge; `None` if there was none with this name.
fn removed(
    settings: &Settings,
    registry: &Registry,
    name: &str,
) -> Result<Option<Why>, ServiceError> {
    let Ok(id) = ItemId::new(name) else { return Ok(None) };
    let mut journal = Vec::new();
    for scope in [Scope::Global, Scope::Project(settings.project.id.clone())] {
        journal.extend(events(registry, Subject::item(&ItemKey { scope, id: id.clone() }))?);
    }
    journal.sort_by_key(|event| Reverse(event.entry.revision));
    let removed = journal.first().filter(|last| last.entry.action == Action::Removed);
    let Some(since) = removed.map(|last| last.entry.at) else { return Ok(None) };
    Ok(Some(Why {
        kind: SubjectKind::Item.as_str().to_owned(),
        name: name.to_owned(),
        state: Action::Removed.as_str().to_owned(),
        since: Some(since),
        journal,
        ..Why::default()
    }))
}

/// Returns everything that depends on a record.
///
/// # Errors
/// Errors of [`why`].
pub fn impact(world: &World<'_>, registry: &Registry, name: &str) -> Result<Impact, ServiceError> {
    let thing = find(world, registry, name)?;
    rests_on(world, registry, &thing)
}

impl Thing {
    fn names(&self) -> (String, String) {
        let (kind, name) = match self {
            Self::Tool(tool, _) => (tool.kind.as_str(), tool.key.name.to_string()),
            Self::Unused(unused) => (ToolKind::McpTool.as_str(), unused.name.to_string()),
            Self::Route(route) => ("route", route.id.to_string()),
            Self::Document(path) => ("document", path.clone()),
            Self::Item(item, _) => (item.kind.as_str(), item.id.clone()),
            Self::Work(work, _) => (work.kind.as_str(), work.key.to_string()),
        };
        (kind.to_owned(), name)
    }
}

/// Finds the record with this name. Tries tools, then routes, documents, items and work.
fn find(world: &World<'_>, registry: &Registry, name: &str) -> Result<Thing, ServiceError> {
    let (settings, project) = (world.settings, &world.settings.project);
    words::id::<ToolName>("tool's name", name)?;
    let tool = resolve(registry, settings, name, ScopeChoice::Either);
    if let Ok(NamedTool::Known(key)) = tool {
        let tool =
            registry.tools().show(project, std::slice::from_ref(&key), settings.now).wait()?;
        return Ok(Thing::Tool(Box::new(tool), key));
    }
    let routes = registry.routes().list(&project.id).wait()?;
    if let Some(route) = routes.iter().find(|route| route.key.id.to_string() == name) {
        return Ok(Thing::Route(route.into()));
    }
    let paths = documents::paths(settings)?;
    let path = name.strip_prefix("./").unwrap_or(name);
    if paths.iter().any(|each| each == path) {
        return Ok(Thing::Document(path.to_owned()));
    }
    match known(world, name, ScopeChoice::Either) {
        Ok(known) => {
            let told = known.told(&world.context());
            return Ok(Thing::Item(Box::new(told), known.evidence));
        }
        Err(error) if matches!(error.kind, ErrorKind::Unknown | ErrorKind::Invalid) => {}
        Err(error) => return Err(error),
    }
    match crate::work::find(registry, settings, name, ScopeChoice::Either) {
        Ok(work) => {
            let key = work.key.clone();
            return crate::work::told(registry, settings, work)
                .map(|work| Thing::Work(Box::new(work), key));
        }
        Err(error) if matches!(error.kind, ErrorKind::Unknown | ErrorKind::Invalid) => {}
        Err(error) => return Err(error),
    }
    if let Some(unused) = Unused::of(registry, settings, name)? {
        return Ok(Thing::Unused(Box::new(unused)));
    }
    let (tools, _) = registry.tools().similar(project, name).wait()?;
    let tool = tools.first().map(ToString::to_string);
    let items = registry.knowledge().list(&project.id).wait()?.into_iter();
    let work = registry.work().list(&project.id, WorkListing::default()).wait()?.into_iter();
    let known = paths.into_iter().chain(items.map(|item| item.key.id.to_string()));
    let known = known.chain(work.map(|work| work.key.to_string()));
    let near = nearest(name, known).or(tool).filter(|near| near.split('/').all(is_plain));
    let message = format!("no tool, route, document, item or work named {}", quoted(name));
    let file = settings.place.folder.join(path);
    let found = staleness_docs::disk::look(&file, Some(&settings.place.fence()));
    let is_file = matches!(found, Ok(Some(meta)) if meta.is_file());
    Err(ServiceError::new(ErrorKind::Unknown, message).hint(match near {
        _ if is_file => {
            "it is a file: `staleness check --impact` lists documents that name changed files"
                .into()
        }
        Some(near) => format!("did you mean {near}?"),
        None => {
            "see `staleness tools list`, `staleness knowledge list` or `staleness work list`".into()
        }
    }))
}

/// Returns the time at which a text became doubtful: when the first of its names was removed, or when it was written,
/// whichever is later. `None` if no removal has a date.
fn not_since(
    settings: &Settings,
    told: &KnowledgeReport,
    evidence: &[Evidence],
) -> Option<Timestamp> {
    let mut repo = settings.repo();
    let written = crate::rank::since(told);
    let of = |one: &Evidence| match &one.fact {
        Fact::Expired { at } => Some(*at),
        Fact::BrokenLink { .. } => Some(written),
        fact => {
            let id = Oid::from_hex(fact.commit()?.as_bytes())?;
            let commit = repo.get().ok()?.commit(id).ok().flatten()?;
            Some(commit.at.max(written))
        }
    };
    told_evidence(told, evidence).filter_map(of).min()
}

fn tool_state(tool: &ToolReport) -> String {
    let (word, cause) = (tool.status_word.as_str(), tool.presence.cause.as_str());
    match tool.status {
        Status::Stale if tool.is_withheld() => {
            format!("{word}: its definition is not accepted")
        }
        Status::Stale if word != cause => format!("{word}: {}", cause.replace('_', " ")),
        _ => word.to_owned(),
    }
}
