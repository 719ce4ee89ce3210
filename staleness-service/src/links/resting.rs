//! What rests on a thing: texts that name it, routes that lead to it, items and work that are connected to it.

use std::collections::BTreeSet;
use std::fs;

use serde::Serialize;
use staleness::ids::ToolKey;
use staleness::registry::WorkListing;
use staleness::report::RouteReport;
use staleness::{Registry, Wait};
use staleness_docs::disk::{Fence, look};

use super::Thing;
use crate::documents;
use crate::error::ServiceError;
use crate::knowledge::World;
use crate::model_text::tool_prefix;
use crate::settings::Settings;

/// The most lines and items that are told; the rest is counted.
const MAX_TOLD: usize = 500;
/// The most bytes of documents that are searched.
const MAX_BYTES: u64 = 64 << 20;
/// Characters of a line that is told.
const LINE_CHARS: usize = 120;
/// Numbers of what rests on a thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Lines of documents.
    pub lines: usize,
    /// Documents.
    pub documents: usize,
    /// Routes.
    pub routes: usize,
    /// Items.
    pub knowledge: usize,
    /// Open work.
    pub work: usize,
}

/// Everything that rests on a thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Impact {
    /// Its kind.
    pub kind: String,
    /// Its name or id.
    pub name: String,
    /// The parameters that its definition lost.
    pub lost: Vec<String>,
    /// Lines of documents that name it.
    pub documents: Vec<Line>,
    /// Routes that lead to it.
    pub routes: Vec<RouteReport>,
    /// Items that name or cite it, or depend on it.
    pub knowledge: Vec<Link>,
    /// Open work that names or refers to it.
    pub work: Vec<Link>,
    /// Their numbers, with what found no room above.
    pub counts: Counts,
    /// Documents that were not searched, with the reason.
    pub skipped: Vec<(String, String)>,
}

/// A line of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The document.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The names that stand there: its own, and those of lost parameters.
    pub names: Vec<String>,
    /// The line, cut.
    pub text: String,
}

/// An item or work item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: &'static str,
    /// Its beginning.
    pub title: String,
    /// The way in which it is connected.
    pub how: &'static str,
    /// The lost parameters that it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
}

impl Thing {
    /// The words by which texts name it.
    fn terms(&self) -> Vec<Term> {
        let (_, name) = self.names();
        let Self::Tool(..) = self else { return vec![Term::new(&name)] };
        let mut terms = vec![Term::new(&name)];
        if let Some(prefix) = tool_prefix(&name) {
            // The tools of a server begin with that.
            terms = vec![Term { text: prefix, quoted: false, open: true }];
        } else if let Some((_, own)) = name.rsplit_once("__") {
            // A name of several words is nothing else.
            terms.extend(Some(Term::new(own)).filter(|own| !own.quoted));
        }
        terms
    }
}

/// A name as it is looked for.
#[derive(Clone, Debug)]
struct Term {
    text: String,
    /// It is a common word: only in backticks it is a name.
    quoted: bool,
    /// More may follow.
    open: bool,
}

impl Term {
    fn new(name: &str) -> Self {
        let quoted = name.chars().all(|c| c.is_ascii_lowercase());
        Self { text: name.to_owned(), quoted, open: false }
    }

    /// Returns true if a text names it, as a word of its own.
    fn is_in(&self, text: &str) -> bool {
        let joins = |c: char| c.is_alphanumeric() || "_-/".contains(c);
        text.match_indices(self.text.as_str()).any(|(at, found)| {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            if self.quoted {
                return before.ends_with('`') && after.starts_with('`');
            }
            let is_free = before.ends_with("./") || !before.ends_with(joins);
            is_free && (self.open || !after.starts_with(joins))
        })
    }
}

pub(super) fn rests_on(
    world: &World<'_>,
    registry: &Registry,
    thing: &Thing,
) -> Result<Impact, ServiceError> {
    let (settings, project) = (world.settings, &world.settings.project.id);
    let (kind, name) = thing.names();
    let lost: Vec<String> = match thing {
        Thing::Tool(_, key) => lost(registry, settings, key)?.into_iter().collect(),
        _ => Vec::new(),
    };
    let lost_terms: Vec<Term> = lost.iter().map(|name| Term::new(name)).collect();
    let (terms, mut told) = (thing.terms(), Impact { kind, name, lost, ..Impact::default() });
    lines(settings, &told.name.clone(), (&terms, &lost_terms), &mut told)?;
    told.documents.truncate(MAX_TOLD);

    if let Thing::Tool(tool, key) = thing {
        let prefix = tool_prefix(&tool.name);
        let leads = |name: &str| {
            name == key.name.as_str() || prefix.as_deref().is_some_and(|it| name.starts_with(it))
        };
        let routes = registry.routes().list(project).wait()?;
        told.routes =
            routes.iter().filter(|it| leads(it.key.tool.as_str())).map(RouteReport::from).collect();
    }
    let named = |text: &str| terms.iter().any(|term| term.is_in(text));
    let also = |text: &str| -> Vec<String> {
        lost_terms.iter().filter(|term| term.is_in(text)).map(|term| term.text.clone()).collect()
    };
    let context = world.context_at_hand();
    for item in world.at_hand(registry, &context)?.iter().map(|each| each.told(&context)) {
        let is_own = matches!(thing, Thing::Item(own) if own.id == item.id)
            || matches!(thing, Thing::Document(path) if item.path.as_ref() == Some(path));
        let text = item.body.as_deref().unwrap_or(&item.title);
        let cites = |cited: &String| cited.split([':', '#']).next() == Some(told.name.as_str());
        let how = if is_own {
            continue;
        } else if item.related.contains(&told.name) {
            "depends on it"
        } else if item.supersedes.contains(&told.name) {
            "stands for it"
        } else if item.citations.iter().any(cites) {
            "cites it"
        } else if named(text) || item.keywords.contains(&told.name) {
            "names it"
        } else {
            continue;
        };
        let lost = also(text);
        told.knowledge.push(Link {
            id: item.id,
            kind: item.kind.as_str(),
            title: item.title,
            how,
            lost,
        });
    }
    let open = WorkListing { open: true, ..WorkListing::default() };
    for work in registry.work().list(project, open).wait()? {
        let id = work.key.id.to_string();
        let is_own = matches!(thing, Thing::Work(own) if own.id == work.key.id);
        let texts: Vec<&str> = std::iter::once(work.text.as_str())
            .chain(work.steps.iter().map(|step| step.text.as_str()))
            .collect();
        let how = if work.refs.contains(&told.name) {
            "refers to it"
        } else if texts.iter().any(|text| named(text)) {
            "names it"
        } else {
            continue;
        };
        let title = cut(work.text.lines().next().unwrap_or_default());
        let lost: BTreeSet<String> = texts.iter().flat_map(|text| also(text)).collect();
        if !is_own {
            told.work.push(Link {
                id,
                kind: work.kind.as_str(),
                title,
                how,
                lost: lost.into_iter().collect(),
            });
        }
    }
    let counts = &mut told.counts;
    (counts.routes, counts.knowledge, counts.work) =
        (told.routes.len(), told.knowledge.len(), told.work.len());
    told.routes.truncate(MAX_TOLD);
    told.knowledge.truncate(MAX_TOLD);
    told.work.truncate(MAX_TOLD);
    Ok(told)
}

/// Finds the lines of documents that name a thing, and those that name a lost parameter in a document that does.
fn lines(
    settings: &Settings,
    own: &str,
    (terms, lost): (&[Term], &[Term]),
    told: &mut Impact,
) -> Result<(), ServiceError> {
    let fence = settings.place.fence();
    let most = settings.configured.policy.documents.max_file_bytes;
    let mut left = MAX_BYTES;
    for path in documents::paths(settings)?.into_iter().filter(|path| path != own) {
        let text = match read(settings, &path, &fence, most.min(left)) {
            Ok(text) => text,
            Err(why) => {
                told.skipped.push((path, why.to_owned()));
                continue;
            }
        };
        left -= text.len() as u64;
        if !terms.iter().any(|term| term.is_in(&text)) {
            continue;
        }
        told.counts.documents += 1;
        for (at, line) in text.lines().enumerate() {
            let names = terms.iter().chain(lost).filter(|term| term.is_in(line));
            let names: Vec<String> = names.map(|term| term.text.clone()).collect();
            if !names.is_empty() {
                told.counts.lines += 1;
                if told.documents.len() < MAX_TOLD {
                    told.documents.push(Line {
                        path: path.clone(),
                        line: at + 1,
                        names,
                        text: cut(line),
                    });
                }
            }
        }
    }
    Ok(())
}

fn read(settings: &Settings, path: &str, fence: &Fence, most: u64) -> Result<String, &'static str> {
    let file = documents::on_disk(settings, path);
    let fence = (!path.starts_with("~/")).then_some(fence);
    let meta = look(&file, fence)?.ok_or("does not exist")?;
    if !meta.is_file() || meta.len() > most {
        return Err("is larger than what is searched");
    }
    let bytes = fs::read(&file).map_err(|_| "cannot be read")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cut(text: &str) -> String {
    text.trim().chars().take(LINE_CHARS).collect()
}

/// The parameters that the definition of a tool, or those of a server's tools, lost.
pub(super) fn lost(
    registry: &Registry,
    settings: &Settings,
    key: &ToolKey,
) -> Result<BTreeSet<String>, ServiceError> {
    let rows = registry.tools().definitions(&settings.project.id, key).wait()?;
    let all = rows.iter().flat_map(staleness_core::definition::Definition::differences);
    let lost = all.filter(|each| each.what == "lost").filter_map(|each| each.name);
    Ok(lost.filter_map(|name| Some(name.rsplit(['.', ':']).next()?.to_owned())).collect())
}
