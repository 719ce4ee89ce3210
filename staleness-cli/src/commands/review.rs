//! `review`: what needs attention, worst first, across tools, documents, knowledge and work.

use std::cmp::Ordering;

use serde::Serialize;
use serde_json::json;
use staleness::knowledge::ItemKind;
use staleness::registry::{ToolListing, WorkListing, list};
use staleness::report::{Context, KnowledgeReport, ToolReport};
use staleness::verdict::{Level, NextAction, Verdict};

use super::check::findings::{Findings, nothing};
use super::knowledge::{World, everything};
use super::scan::preview;
use super::shell::{editor, quoted};
use crate::args::ReviewArgs;
use crate::error::CliError;
use crate::output::{Output, review};
use crate::settings::{Access, Settings};

/// Something that needs attention.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry {
    /// `tool`, or the kind of an item.
    pub kind: &'static str,
    /// Its name, id or place.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// How far it can be trusted, and why.
    pub verdict: Verdict,
    /// A command line to go on with.
    pub suggested_action: String,
}

pub(crate) fn run(settings: &Settings, args: &ReviewArgs, out: &Output) -> Result<(), CliError> {
    let world = World::new(settings, super::documents::named_version(&args.version)?, out);
    let mut entries = tools(settings)?;
    entries.extend(everything(&world)?.into_iter().filter_map(item));
    let report = world.report()?;
    let found = Findings::new(report, Vec::new(), &nothing, &world.context(), false);
    let blocks = found.all().filter(|each| each.told.kind == ItemKind::Document);
    entries.extend(blocks.filter_map(|each| block(&each.told)));
    entries.extend(stuck(settings)?);
    entries.sort_by(worst_first);
    let total = entries.len();
    entries.truncate(args.limit);
    if out.json {
        return out.json(&json!({ "items": entries, "total": total }));
    }
    out.text(&review::render(&entries, total, out))
}

fn worst_first(a: &Entry, b: &Entry) -> Ordering {
    (b.verdict.level.cmp(&a.verdict.level))
        .then_with(|| a.verdict.freshness.total_cmp(&b.verdict.freshness))
        .then_with(|| a.kind.cmp(b.kind))
        .then_with(|| a.id.cmp(&b.id))
        .then_with(|| a.title.cmp(&b.title))
}

/// Tools that cannot be trusted, as the overview has them.
fn tools(settings: &Settings) -> Result<Vec<Entry>, CliError> {
    let registry = settings.open(Access::Look)?;
    let (_, view) = preview(&registry, settings, None)?;
    let policy = &settings.configured.policy;
    let context = Context::new(&view, policy, &settings.project, settings.now);
    let all = list(&context, ToolListing { hide_ignored: true, ..ToolListing::default() });
    Ok(all.into_iter().filter(|tool| tool.verdict.level != Level::Fresh).map(tool).collect())
}

fn tool(tool: ToolReport) -> Entry {
    let name = quoted(&tool.name);
    let suggested_action = match tool.verdict.action {
        NextAction::Drop => format!("staleness tools ignore {name}"),
        NextAction::Update => format!("staleness tools history {name}"),
        _ => format!("staleness tools show {name}"),
    };
    let title = tool.description.unwrap_or_else(|| tool.name.clone());
    Entry { kind: "tool", id: tool.name, title, verdict: tool.verdict, suggested_action }
}

/// Work that is overdue.
fn stuck(settings: &Settings) -> Result<Vec<Entry>, CliError> {
    let registry = settings.open(Access::Look)?;
    let open = WorkListing { open: true, ..WorkListing::default() };
    let items = registry.work_items(&settings.project.id, open)?;
    let told = registry.work_reports(&settings.project, items, settings.now)?;
    let overdue = told.into_iter().filter(|each| each.verdict.level != Level::Fresh);
    Ok(overdue
        .map(|each| Entry {
            kind: each.kind.as_str(),
            suggested_action: format!("staleness stale resolve {}", quoted(each.id.as_str())),
            id: each.id.to_string(),
            title: each.text.lines().next().unwrap_or_default().to_owned(),
            verdict: each.verdict,
        })
        .collect())
}

fn item(told: KnowledgeReport) -> Option<Entry> {
    if told.verdict.level == Level::Fresh {
        return None;
    }
    // The id comes last: after one that begins with `-` there are no options any more.
    let id = quoted(&told.id);
    let suggested_action = match (told.verdict.action, &told.path) {
        (NextAction::Complete, _) => format!("staleness knowledge done {id}"),
        (NextAction::Reschedule, _) => format!("staleness knowledge set --due +14d {id}"),
        (NextAction::Update | NextAction::Drop, Some(path)) => editor(path, told.line),
        (NextAction::Update, None) => format!("staleness knowledge set --body - {id}"),
        (NextAction::Drop, None) => format!("staleness knowledge remove --yes {id}"),
        _ => format!("staleness knowledge verify {id}"),
    };
    let kind = told.kind.as_str();
    Some(Entry { kind, id: told.id, title: told.title, verdict: told.verdict, suggested_action })
}

fn block(told: &KnowledgeReport) -> Option<Entry> {
    let path = told.path.as_deref().filter(|_| told.verdict.level != Level::Fresh)?;
    Some(Entry {
        kind: told.kind.as_str(),
        id: told.id.clone(),
        title: told.title.clone(),
        verdict: told.verdict.clone(),
        suggested_action: editor(path, told.line),
    })
}
