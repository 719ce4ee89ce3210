//! Explains the state of a tool, route, document, item or work item, and lists what depends on it.
//!
//! Nothing is stored for this. It is derived from the journal, definitions, documents, routes, items and
//! work.

mod causes;
mod resting;

use serde::Serialize;
use staleness::ids::{ItemKey, Scope, ToolKey};
use staleness::knowledge::{Evidence, Fact};
use staleness::registry::ScopeChoice;
use staleness::report::{KnowledgeReport, RouteReport, ToolReport, WorkReport};
use staleness::tool::{Hold, Status};
use staleness::verdict::{Ground, Level, Verdict};
use staleness::{Registry, Timestamp, Wait};
use staleness_core::journal::Subject;
use staleness_core::registry::nearest;
use staleness_core::report::HistoryEntry;
use staleness_docs::git::Oid;

use crate::documents;
use crate::error::{ErrorKind, ServiceError, quoted};
use crate::findings::Finding;
use crate::knowledge::{World, show};
use crate::model_text::{is_plain, tool_prefix};
use crate::remembered::Remembered;
use crate::settings::Settings;
use crate::tools::{NamedTool, did_you_mean, resolve};
use crate::words::tool_name;
use causes::{began, causes};
use resting::rests_on;
pub use resting::{Counts, Impact, Leading, Line, Link};

/// Maximum number of journal entries to read for one subject.
const ENTRIES: u32 = 200;
/// Maximum number of days between a journal entry and the beginning of a state to show the entry.
const NEAR_DAYS: i64 = 7;

/// The thing that a name refers to.
#[derive(Clone, Debug)]
enum Thing {
    Tool(Box<ToolReport>, ToolKey),
    Route(RouteReport),
    Document(String),
    Item(Box<KnowledgeReport>),
    Work(Box<WorkReport>),
}

/// The reasons for a thing's state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Why {
    /// The kind of the thing, such as `mcp_tool` or `document`.
    pub kind: String,
    /// The name or id of the thing.
    pub name: String,
    /// Its description, text or query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The current state, in words.
    pub state: String,
    /// When the state began, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The verdict, for things that have one. For a document, that of its worst finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The known tool most similar to an invented name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
    /// Findings of the last check in a document, worst first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<KnowledgeReport>,
    /// Sentences on likely causes: changes in the day before the state began.
    pub causes: Vec<String>,
    /// Journal entries of the thing and its server near the time the state began, latest first.
    pub journal: Vec<Event>,
    /// Number of things that depend on it.
    pub counts: Counts,
}

/// A journal entry and its subject.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// The name of the thing that changed.
    pub of: String,
    /// The journal entry.
    #[serde(flatten)]
    pub entry: HistoryEntry,
}

/// Explains why a thing is in its current state.
///
/// # Errors
/// If nothing has this name (with a suggestion), or the store fails.
pub fn why(world: &World<'_>, registry: &Registry, name: &str) -> Result<Why, ServiceError> {
    let settings = world.settings;
    let thing = find(world, registry, name)?;
    let counts = rests_on(world, registry, &thing)?.counts;
    let (kind, name) = thing.names();
    let mut why = Why {
        kind,
        name,
        title: None,
        state: String::new(),
        since: None,
        verdict: None,
        did_you_mean: None,
        findings: Vec::new(),
        causes: Vec::new(),
        journal: Vec::new(),
        counts,
    };
    let of = |subject: Subject| -> Result<Vec<Event>, ServiceError> {
        let of = subject.id.clone();
        let entries = registry.admin().journal_of(subject, ENTRIES).wait()?;
        Ok(entries.iter().map(|entry| Event { of: of.clone(), entry: entry.into() }).collect())
    };
    let scope = |word: &str| match word {
        "global" => Scope::Global,
        _ => Scope::Project(settings.project.id.clone()),
    };
    let mut journal = Vec::new();
    match thing {
        Thing::Tool(tool, key) => {
            let all = of(Subject::tool(&key))?;
            let mut server = None;
            for key in server_keys(registry, settings, &tool)? {
                journal.extend(of(Subject::tool(&key))?);
                let (project, now) = (&settings.project, settings.now);
                server = Some(registry.tools().show(project, &[key], now).wait()?);
            }
            let definitions = registry.tools().definitions(&settings.project.id, &key).wait()?;
            let since = began(&tool, &all);
            why.causes = causes(&tool, since, &definitions, &all, &journal);
            let server = server.filter(|_| tool.hold != Hold::Demoted);
            // A server speaks for its tools.
            if let Some(server) = server {
                let signals = server.verdict.signals.into_iter();
                let (unheard, others): (Vec<_>, Vec<_>) =
                    signals.partition(|signal| signal.kind == Ground::DidNotAnswer);
                let reasons: Vec<String> = others.into_iter().map(|each| each.reason).collect();
                if server.status != Status::Active {
                    let (name, word) = (&server.key.name, server.status_word);
                    let reasons = reasons.join("; ");
                    why.causes.insert(0, format!("its server {name} is {word}: {reasons}"));
                }
                why.causes.extend(unheard.iter().map(|each| format!("its server {}", each.reason)));
            }
            journal.extend(all);
            why.state = tool_state(&tool);
            why.did_you_mean = did_you_mean(registry, settings, &tool);
            why.title = tool.description;
            (why.since, why.verdict) = (Some(since), Some(tool.verdict));
        }
        Thing::Route(route) => {
            why.title = Some(format!("{} → {}", route.query, route.tool));
            why.state = format!("confidence {:.2}", route.confidence.get());
            why.since = Some(route.created_at);
        }
        Thing::Document(path) => {
            let (known, found) = Remembered::with_findings(settings, registry, None)?;
            let all = found.groups.into_iter().filter(|group| group.path == path);
            let mut found: Vec<Finding> = all.flat_map(|group| group.found).collect();
            found.retain(|each| each.told.verdict.level != Level::Fresh);
            why.since = not_since(settings, &found);
            why.findings = found.into_iter().map(|each| each.told).collect();
            let worst = why.findings.first();
            why.state = match worst {
                Some(worst) => worst.verdict.level.as_str().to_owned(),
                None if known.checked_at.is_none() => "not checked yet".to_owned(),
                None => "fresh".to_owned(),
            };
            why.title = worst.map(|worst| worst.title.clone());
            why.verdict = worst.map(|worst| worst.verdict.clone());
        }
        Thing::Item(item) => {
            let id = crate::knowledge::item_id(&item.id)?;
            journal = of(Subject::item(&ItemKey { scope: scope(item.scope), id }))?;
            why.since = Some(crate::rank::since(&item));
            why.state = item.verdict.level.as_str().to_owned();
            (why.title, why.verdict) = (Some(item.title), Some(item.verdict));
        }
        Thing::Work(work) => {
            let keys = ScopeChoice::Either.work_keys(&settings.project.id, &work.id);
            for key in keys {
                journal.extend(of(Subject::work(&key))?);
            }
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

/// Returns everything that depends on a thing.
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
            Self::Route(route) => ("route", route.id.to_string()),
            Self::Document(path) => ("document", path.clone()),
            Self::Item(item) => (item.kind.as_str(), item.id.clone()),
            Self::Work(work) => (work.kind.as_str(), work.id.to_string()),
        };
        (kind.to_owned(), name)
    }
}

/// Finds the thing with this name. Tries tools, then routes, documents, items and work.
fn find(world: &World<'_>, registry: &Registry, name: &str) -> Result<Thing, ServiceError> {
    let (settings, project) = (world.settings, &world.settings.project);
    tool_name(name)?;
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
    match show(world, name, ScopeChoice::Either) {
        Ok(item) => return Ok(Thing::Item(Box::new(item))),
        Err(error) if matches!(error.kind, ErrorKind::Unknown | ErrorKind::Invalid) => {}
        Err(error) => return Err(error),
    }
    match crate::work::find(registry, settings, name, ScopeChoice::Either) {
        Ok(work) => {
            return crate::work::told(registry, settings, work)
                .map(|work| Thing::Work(Box::new(work)));
        }
        Err(error) if matches!(error.kind, ErrorKind::Unknown | ErrorKind::Invalid) => {}
        Err(error) => return Err(error),
    }
    if let Ok(NamedTool::Unused(unused)) = tool {
        return Err(unused.refused(name));
    }
    let (tools, _) = registry.tools().similar(project, name).wait()?;
    let tool = tools.first().map(ToString::to_string);
    let item = registry.knowledge().nearest(&project.id, name).wait()?.map(|id| id.to_string());
    let work = registry.work().nearest(&project.id, name).wait()?.map(|id| id.to_string());
    let known = paths.into_iter().chain(item).chain(work);
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

/// Returns the key of the entry of the tool's server. Empty if `tool` is such an entry itself.
fn server_keys(
    registry: &Registry,
    settings: &Settings,
    tool: &ToolReport,
) -> Result<Vec<ToolKey>, ServiceError> {
    let is_tool = tool_prefix(tool.key.name.as_str()).is_none();
    let Some(server) = tool.server.as_ref().filter(|_| is_tool) else {
        return Ok(Vec::new());
    };
    let own = format!("mcp__{server}__*");
    let found = registry.tools().find_key(&settings.project.id, &own, ScopeChoice::Either).wait();
    Ok(found.into_iter().collect())
}

/// Returns when a document came to the level of its worst finding: when the first of what such findings name
/// was removed, or when it was written if that was later. `None` unless all of them have a date.
fn not_since(settings: &Settings, found: &[Finding]) -> Option<Timestamp> {
    let mut repo = settings.repo();
    let level = found.first()?.told.verdict.level;
    let worst = found.iter().filter(|each| each.told.verdict.level == level);
    let dates = worst.map(|each| {
        let written = crate::rank::since(&each.told);
        let of = |one: &Evidence| match &one.fact {
            Fact::Expired { at } => Some(*at),
            Fact::BrokenLink { .. } => Some(written),
            fact => {
                let id = Oid::from_hex(fact.commit()?.as_bytes())?;
                let commit = repo.get().ok()?.commit(id).ok().flatten()?;
                Some(commit.at.max(written))
            }
        };
        each.told_evidence().filter_map(of).min()
    });
    dates.collect::<Option<Vec<_>>>()?.into_iter().min()
}

fn tool_state(tool: &ToolReport) -> String {
    let (word, cause) = (tool.status_word, tool.presence.cause.as_str());
    match tool.status {
        Status::Stale if word != cause => format!("{word}: {}", cause.replace('_', " ")),
        _ => word.to_owned(),
    }
}
