//! Lists tools, documents, knowledge and work that need attention, worst first.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use staleness::ids::AgentId;
use staleness::knowledge::{self, Document};
use staleness::registry::ToolListing;
use staleness::report::{HealthState, KnowledgeReport, WorkReport};
use staleness::verdict::{Level, Verdict};
use staleness::work::Work;
use staleness::{Registry, Timestamp, Wait};
use staleness_core::report::Context;
use staleness_docs::is_for_agents;

use crate::awaited;
use crate::documents::without_others;
use crate::error::ServiceError;
use crate::findings::{Findings, nothing};
use crate::items::Known;
use crate::knowledge::World;
use crate::rank::{Rank, since};
use crate::remembered::{Remembered, is_open};
use crate::scan::preview;
use crate::settings::{Access, Settings};
use crate::tools::fold_doubtful;
use crate::work::{is_addressed, retain_own, settles_expired};

/// An entry that needs attention.
#[derive(Clone, Debug)]
pub struct Entry {
    /// `tool`, or the kind of the item.
    pub kind: &'static str,
    /// The name, id or place.
    pub id: String,
    /// The description or first line, for display.
    pub title: String,
    /// The verdict, with its reasons.
    pub verdict: Verdict,
    /// The time of the item's or block's last verification, or else of writing.
    pub since: Option<Timestamp>,
    /// The type of the entry, which determines how it can be resolved.
    pub subject: Subject,
}

impl Entry {
    fn rank(&self) -> Rank<'_> {
        let (path, line) = match &self.subject {
            Subject::Block { path, line } => (path.as_str(), *line),
            Subject::Item { path, line, .. } => (path.as_deref().unwrap_or_default(), *line),
            Subject::Tool { .. } | Subject::Work { .. } => ("", None),
        };
        Rank { verdict: &self.verdict, since: self.since, path, line }
    }
}

/// The type of an entry that needs attention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A tool or a server's entry.
    Tool {
        /// The user's action that makes the client load the tool: see
        /// [`ToolReport::remedy`](staleness::report::ToolReport).
        remedy: Option<&'static str>,
        /// The tool's health, which shows who demoted the tool, and whether it may be tried again.
        health: HealthState,
        /// `global` or `project`.
        scope: &'static str,
    },
    /// An item of knowledge. Has a path and line if its text is in a file.
    Item {
        /// The file with the text.
        path: Option<String>,
        /// The line of the text, from 1.
        line: Option<u32>,
        /// The new citations, if all missing sources were moved.
        cite: Vec<String>,
    },
    /// A block of a document.
    Block {
        /// The path of the document.
        path: String,
        /// The first line of the block, from 1.
        line: Option<u32>,
    },
    /// A work item.
    Work {
        /// True if the requesting agent may answer the handoff; `None` if this is unknown or the item is not a handoff.
        is_addressed: Option<bool>,
        /// True if a person typed the item.
        by_person: bool,
    },
}

/// Returns everything that needs attention. Checks documents first, which reads files and runs git.
///
/// # Errors
/// If the store fails, or the check is cancelled.
pub fn entries(world: &World<'_>) -> Result<Vec<Entry>, ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let mut entries = tools(world.settings, &registry)?;
    let report = world.report()?;
    let may_be_others = |each: &&Document| each.loaded || is_for_agents(&each.key.path);
    let loaded: Vec<Document> = report.documents.iter().filter(may_be_others).cloned().collect();
    let mut others: BTreeSet<String> = loaded.iter().map(|each| each.key.path.clone()).collect();
    for own in without_others(world.settings, world.settings.client.as_ref(), loaded) {
        others.remove(&own.key.path);
    }
    let is_told =
        |each: &KnowledgeReport| !each.path.as_ref().is_some_and(|it| others.contains(it));
    let context = world.context();
    let known = world.everything(&registry)?;
    let mut items = with_places(&known, &context);
    items.retain(|(told, _)| is_told(told));
    let found = Findings::new(report, Vec::new(), &nothing, &context);
    let found = found.all().map(|each| &each.told).filter(|each| is_told(each));
    entries.extend(of_files(found, &items));
    entries.extend(items.into_iter().filter_map(item));
    entries.extend(overdue(world.settings, &registry)?);
    entries.sort_by(worst_first);
    Ok(entries)
}

/// Returns the items of knowledge in the store that need attention, worst first, without those in files.
///
/// # Errors
/// As for [`entries`].
pub fn stored_items(world: &World<'_>) -> Result<Vec<Entry>, ServiceError> {
    let known = world.everything(&world.settings.open(Access::Look)?)?;
    let items = with_places(&known, &world.context()).into_iter().filter_map(item);
    let is_stored = |each: &Entry| matches!(each.subject, Subject::Item { path: None, .. });
    let mut entries: Vec<Entry> = items.filter(is_stored).collect();
    entries.sort_by(worst_first);
    Ok(entries)
}

/// Like [`entries`], but uses the results of the last document check, and also returns them. Does not run git.
pub fn at_hand(world: &World<'_>) -> Result<(Vec<Entry>, Remembered), ServiceError> {
    let settings = world.settings;
    let registry = settings.open(Access::Look)?;
    let mut entries = tools(settings, &registry)?;
    let context = world.context_at_hand();
    let known = world.at_hand(&registry, &context)?;
    let items = with_places(&known, &context);
    let remembered = Remembered::read(settings, &registry)?;
    entries.extend(of_files(remembered.doubtful.iter(), &items));
    entries.extend(items.into_iter().filter_map(item));
    entries.extend(overdue(settings, &registry)?);
    entries.sort_by(worst_first);
    Ok((entries, remembered))
}

fn worst_first(a: &Entry, b: &Entry) -> Ordering {
    (a.rank().worst_first(&b.rank()))
        .then_with(|| a.kind.cmp(b.kind))
        .then_with(|| a.id.cmp(&b.id))
        .then_with(|| a.title.cmp(&b.title))
}

/// Returns the tools that need attention, as in the overview.
fn tools(settings: &Settings, registry: &Registry) -> Result<Vec<Entry>, ServiceError> {
    let (_, view) = preview(registry, settings, &[])?;
    let policy = &settings.configured.policy;
    let context = Context::new(&view, policy, &settings.project, settings.now);
    let all = ToolListing { hide_ignored: true, ..ToolListing::default() }.of(&context);
    let mut doubtful = all;
    doubtful.retain(|tool| tool.needs_attention(&context));
    fold_doubtful(&mut doubtful);
    let entry = |tool: staleness::report::ToolReport| Entry {
        kind: "tool",
        subject: Subject::Tool {
            remedy: tool.remedy,
            health: tool.health.state,
            scope: tool.key.scope.word(),
        },
        title: tool.description.unwrap_or_else(|| tool.key.name.to_string()),
        id: tool.key.name.into(),
        verdict: tool.verdict,
        since: None,
    };
    Ok(doubtful.into_iter().map(entry).collect())
}

/// Returns overdue work. For an agent, omits handoffs between two others.
fn overdue(settings: &Settings, registry: &Registry) -> Result<Vec<Entry>, ServiceError> {
    let mut items = awaited::open(settings, registry)?;
    let is_left = |it: &Work| !settles_expired(settings, [&it.from, &it.to]);
    items.retain(|it| !(it.is_expired_handoff(settings.now) && is_left(it)));
    let told = registry.work().reports(&settings.project, items, settings.now).wait()?;
    let mut overdue: Vec<WorkReport> =
        told.into_iter().filter(|each| each.verdict.level != Level::Fresh).collect();
    retain_own(settings, registry, settings.agent.as_ref(), &mut overdue, |it| {
        (it.kind, it.from.as_deref(), it.to.as_deref())
    })?;
    awaited::note_waiting(settings, registry, &mut overdue)?;
    for each in &mut overdue {
        if let (Some(id), Some(signal)) = (&each.waits_for, each.verdict.signals.first_mut()) {
            signal.reason.push_str(&format!("; it waits for {id}"));
        }
    }
    let agent = settings.agent.as_ref().map(AgentId::as_str);
    Ok(overdue
        .into_iter()
        .map(|each| Entry {
            kind: each.kind.as_str(),
            id: each.key.to_string(),
            title: each.text.lines().next().unwrap_or_default().to_owned(),
            verdict: each.verdict,
            since: None,
            subject: Subject::Work {
                is_addressed: agent.and_then(|agent| {
                    is_addressed(each.from.as_deref(), each.to.as_deref(), agent)
                }),
                by_person: each.by_person,
            },
        })
        .collect())
}

/// An item with the new places of its citations.
type Placed = (KnowledgeReport, Vec<String>);

fn with_places(known: &[Known], context: &knowledge::Context) -> Vec<Placed> {
    known.iter().map(|each| (each.told(context), each.cited_anew())).collect()
}

fn item((told, cite): Placed) -> Option<Entry> {
    if !is_open(&told) {
        return None;
    }
    let (kind, since) = (told.kind.as_str(), Some(since(&told)));
    let subject = Subject::Item { path: told.path, line: told.line, cite };
    Some(Entry { kind, id: told.id, title: told.title, verdict: told.verdict, since, subject })
}

/// Returns findings in files, except in files that are already listed as items.
fn of_files<'a>(found: impl Iterator<Item = &'a KnowledgeReport>, items: &[Placed]) -> Vec<Entry> {
    let told: BTreeSet<&str> = items.iter().filter_map(|(item, _)| item.path.as_deref()).collect();
    let is_told = |path: &str| told.contains(path);
    found.filter(|each| !each.path.as_deref().is_some_and(is_told)).filter_map(block).collect()
}

fn block(told: &KnowledgeReport) -> Option<Entry> {
    let path = told.path.clone().filter(|_| told.verdict.level != Level::Fresh)?;
    Some(Entry {
        kind: told.kind.as_str(),
        id: told.id.clone(),
        title: told.title.clone(),
        verdict: told.verdict.clone(),
        since: Some(since(told)),
        subject: Subject::Block { path, line: told.line },
    })
}
