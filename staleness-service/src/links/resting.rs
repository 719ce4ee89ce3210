//! Finds everything that depends on a record: texts that name it, routes that lead to it, and connected items and
//! work.

use std::collections::BTreeSet;
use std::fs;

use serde::Serialize;
use staleness::ids::{ServerKey, ToolName};
use staleness::knowledge::Citation;
use staleness::registry::ToolListing;
use staleness::report::{RouteReport, ToolReport};
use staleness::tool::{Status, ToolKind};
use staleness::verdict::Level;
use staleness::{Registry, Wait};
use staleness_core::definition::Definition;
use staleness_docs::disk::{Fence, look};

use super::Thing;
use crate::awaited::waiting_for;
use crate::documents;
use crate::error::ServiceError;
use crate::knowledge::World;
use crate::model_text::tool_prefix;
use crate::settings::Settings;
use crate::tools::fold_into_servers;

/// Maximum number of lines, routes, items and work items to list. Further ones are only counted.
const MAX_TOLD: usize = 500;
/// Maximum number of bytes of documents to search.
const MAX_BYTES: u64 = 64 << 20;
/// Maximum number of characters to show of a line.
const LINE_CHARS: usize = 120;
/// Numbers of dependents of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Number of lines in documents.
    pub lines: usize,
    /// Number of documents.
    pub documents: usize,
    /// Number of routes.
    pub routes: usize,
    /// Number of knowledge items.
    pub knowledge: usize,
    /// Number of open work items.
    pub work: usize,
    /// Number of lines, routes, items and work items that still name a lost parameter.
    #[serde(skip_serializing_if = "is_zero")]
    pub still: usize,
    /// The dependents counted in `still`, by kind.
    #[serde(skip_serializing_if = "Still::is_empty")]
    pub still_by: Still,
}

/// The dependents that still name a lost parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Still {
    /// The lost parameters that they name.
    pub names: BTreeSet<String>,
    /// Number of documents.
    pub documents: usize,
    /// Number of routes.
    pub routes: usize,
    /// Number of knowledge items.
    pub knowledge: usize,
    /// Number of open work items.
    pub work: usize,
}

impl Still {
    fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Adds the lost parameters of several dependents, one list for each. Returns the number of nonempty lists.
    fn add<'l>(&mut self, lost: impl Iterator<Item = &'l Vec<String>>) -> usize {
        let some = lost.filter(|lost| !lost.is_empty());
        some.map(|lost| self.names.extend(lost.iter().cloned())).count()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Everything that depends on a record.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Impact {
    /// The kind of the record.
    pub kind: String,
    /// The name or id of the record.
    pub name: String,
    /// The parameters removed from the record's definition.
    pub lost: Vec<String>,
    /// Lines of documents that name the record.
    pub documents: Vec<Line>,
    /// Routes that lead to the record.
    pub routes: Vec<Leading>,
    /// Items that name, cite or depend on the record.
    pub knowledge: Vec<Link>,
    /// Open work that waits for the record, names it or refers to it.
    pub work: Vec<Link>,
    /// The complete numbers, including dependents not listed above.
    pub counts: Counts,
    /// Documents that were not searched, with the reason.
    pub skipped: Vec<(String, String)>,
}

/// A line of a document that names the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The path of the document.
    pub path: String,
    /// The line number, from 1.
    pub line: usize,
    /// The names found in the line: those of the record, or of its lost parameters.
    pub names: Vec<String>,
    /// The text of the line, truncated.
    pub text: String,
}

/// A route that leads to the record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Leading {
    /// The route.
    #[serde(flatten)]
    pub route: RouteReport,
    /// The lost parameters that the route's query names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
}

/// An item or a work item that depends on the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The id of the item.
    pub id: String,
    /// The kind of the item, in one word.
    pub kind: &'static str,
    /// The beginning of the item's text.
    pub title: String,
    /// The kind of connection.
    pub how: &'static str,
    /// The lost parameters that the item names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
}

impl Thing {
    /// Returns the terms to search for in texts. `servers` are all servers of the project.
    fn terms(&self, servers: &[ToolReport]) -> Vec<Term> {
        match self {
            Self::Tool(tool, _) => terms_of(tool, servers),
            Self::Unused(unused) => terms_of_tool(&unused.name, unused.server.server.as_deref()),
            _ => vec![Term::new(&self.names().1)],
        }
    }
}

/// Returns the terms to search for a tool in texts. `servers` are all servers of the project.
fn terms_of(tool: &ToolReport, servers: &[ToolReport]) -> Vec<Term> {
    let name = tool.key.name.as_str();
    if let Some(prefix) = tool_prefix(name) {
        let others = servers.iter().filter_map(|other| tool_prefix(other.key.name.as_str()));
        let except = others.filter(|it| it.len() > prefix.len() && it.starts_with(&prefix));
        let except = except.collect();
        return vec![Term { text: prefix, quoted: false, open: true, except }];
    }
    terms_of_tool(&tool.key.name, tool.server.as_deref())
}

/// Returns the terms to search for a tool of a server.
fn terms_of_tool(name: &ToolName, server: Option<&str>) -> Vec<Term> {
    let (name, server) = (name.as_str(), server.and_then(ServerKey::of));
    // The tool's own part of the name counts as a match only if it is not a single common word.
    let own = server.and_then(|server| Some(Term::new(server.tool_part(name)?)));
    let own = own.filter(|own| !own.quoted);
    [Term::new(name)].into_iter().chain(own).collect()
}

#[derive(Clone, Debug)]
struct Term {
    text: String,
    /// True for a term that may be a common word, which matches only inside backticks.
    quoted: bool,
    /// True if the term is a prefix of all tool names of a server.
    open: bool,
    /// Longer prefixes, which belong to other servers.
    except: Vec<String>,
}

impl Term {
    fn new(name: &str) -> Self {
        let quoted = name.chars().all(|c| c.is_ascii_lowercase());
        Self { text: name.to_owned(), quoted, open: false, except: Vec::new() }
    }

    /// Returns true if the text contains the term as a whole word.
    fn is_in(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// Returns the first word of the text that equals the term, or begins with a term that is a prefix.
    fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        let joins = |c: char| c.is_alphanumeric() || "_-/".contains(c);
        text.match_indices(self.text.as_str()).find_map(|(at, found)| {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            if self.quoted {
                return (before.ends_with('`') && after.starts_with('`')).then_some(found);
            }
            let is_free = before.ends_with("./") || !before.ends_with(joins);
            let is_of_other = self.except.iter().any(|it| text[at..].starts_with(it));
            let more = after.find(|c| !joins(c)).unwrap_or(after.len());
            let is_whole = is_free && !is_of_other && (self.open || more == 0);
            is_whole.then(|| &text[at..at + found.len() + more])
        })
    }
}

/// Returns true if the text names a parameter: in backticks, as a word that is not common, or as an argument such as
/// `x="repo"`, `{"repo": 1}`, `f(repo=1)`, `repo: 1` or `--repo 1`.
fn is_said_in(name: &str, text: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || "_-/.".contains(c);
    let is_argument = |(at, found): (usize, &str)| {
        let (before, after) = (&text[..at], &text[at + found.len()..]);
        let start = before.trim_end_matches(' ');
        let is_quoted = ['"', '\''].iter().any(|c| before.ends_with(*c) && after.starts_with(*c));
        let is_flag = before.strip_suffix("--").is_some_and(|it| !it.ends_with(joins))
            && !after.starts_with(|c: char| joins(c) && c != '.');
        let assigned = after.trim_start_matches(' ').strip_prefix('=');
        let is_assigned =
            !before.ends_with(joins) && assigned.is_some_and(|it| !it.starts_with(['=', '>']));
        let begins = start.is_empty() || start.ends_with(['{', '(', ',', '\n']);
        let is_member = (begins || before.ends_with("- "))
            && after.starts_with(':')
            && !after.starts_with("::");
        is_quoted || is_flag || is_assigned || is_member
    };
    Term::new(name).is_in(text) || text.match_indices(name).any(is_argument)
}

/// Returns sentences on gone or failing tools that any of the texts names.
pub(super) fn doubtful_tools(
    registry: &Registry,
    settings: &Settings,
    texts: &[&str],
) -> Result<Vec<String>, ServiceError> {
    let listing = ToolListing { hide_ignored: true, ..ToolListing::default() };
    let all = registry.tools().list(&settings.project, listing, settings.now).wait()?;
    let servers = all.iter().filter(|each| each.kind == ToolKind::McpServer);
    let servers: Vec<ToolReport> = servers.cloned().collect();
    let mut doubtful = all;
    doubtful.retain(|it| it.status != Status::Active && it.verdict.level != Level::Fresh);
    fold_into_servers(&mut doubtful);
    let cause = |tool: &ToolReport| {
        let terms = terms_of(tool, &servers);
        let name = texts.iter().find_map(|text| terms.iter().find_map(|term| term.find(text)))?;
        let why = tool.verdict.signals.first().map_or("", |signal| &signal.reason);
        let whose = if tool.kind == ToolKind::McpServer { ", whose server" } else { ", which" };
        Some(format!("names {name}{whose} is {}: {why}", tool.status_word.as_str()))
    };
    Ok(doubtful.iter().filter_map(cause).collect())
}

/// Returns the text of a document; `None` if it cannot be searched.
pub(super) fn text_of(settings: &Settings, path: &str) -> Option<String> {
    let most = settings.configured.policy.documents.max_file_bytes;
    read(settings, path, &settings.place.fence(), most).ok()
}

pub(super) fn rests_on(
    world: &World<'_>,
    registry: &Registry,
    thing: &Thing,
) -> Result<Impact, ServiceError> {
    let (settings, project) = (world.settings, &world.settings.project.id);
    let (kind, name) = thing.names();
    let lost: Vec<String> = match thing {
        Thing::Tool(_, key) => {
            let definitions = registry.tools().definitions(project, key).wait()?;
            lost(&definitions)
        }
        _ => Vec::new(),
    };
    let servers = ToolListing { kind: Some(ToolKind::McpServer), ..ToolListing::default() };
    let servers = registry.tools().list(&settings.project, servers, settings.now).wait()?;
    let terms = thing.terms(&servers);
    let mut told = Impact { kind, name, lost, ..Impact::default() };
    lines(settings, &terms, &mut told)?;
    told.documents.truncate(MAX_TOLD);

    if let Thing::Tool(_, key) = thing {
        let leads = |name: &str| {
            name == key.name.as_str() || terms.iter().any(|term| term.open && term.is_in(name))
        };
        let routes = registry.routes().list(project).wait()?;
        let leading = routes.iter().filter(|it| leads(it.key.tool.as_str()));
        let leading =
            leading.map(|it| Leading { route: it.into(), lost: asks_for(&it.query, &told.lost) });
        told.routes = leading.collect();
    }
    let named = |text: &str| terms.iter().any(|term| term.is_in(text));
    let lost = told.lost.clone();
    // In a short text that names the tool, any word may be a parameter.
    let also = |is_named: bool, text: &str| match is_named {
        true => asks_for(text, &lost),
        false => lost.iter().filter(|name| is_said_in(name, text)).cloned().collect(),
    };
    let context = world.context_at_hand();
    for item in world.at_hand(registry, &context)?.iter().map(|each| each.told(&context)) {
        let is_own = matches!(thing, Thing::Item(own, _) if own.id == item.id)
            || matches!(thing, Thing::Document(path) if item.path.as_ref() == Some(path));
        let text = item.body.as_deref().unwrap_or(&item.title);
        let cites = |cited: &Citation| cited.path == told.name;
        let how = if is_own {
            continue;
        } else if item.related.contains(told.name.as_str()) {
            "depends on it"
        } else if item.supersedes.contains(told.name.as_str()) {
            "stands for it"
        } else if item.citations.iter().any(cites) {
            "cites it"
        } else if named(text) || item.keywords.contains(&told.name) {
            "names it"
        } else {
            continue;
        };
        let lost = also(named(text), text);
        told.knowledge.push(Link {
            id: item.id,
            kind: item.kind.as_str(),
            title: item.title,
            how,
            lost,
        });
    }
    let waiting = match thing {
        Thing::Work(_, key) => waiting_for(settings, registry, key)?,
        _ => Vec::new(),
    };
    for work in crate::awaited::open(settings, registry)? {
        let id = work.key.id.to_string();
        let is_own = matches!(thing, Thing::Work(_, own) if *own == work.key);
        let texts: Vec<&str> = std::iter::once(work.text.as_str())
            .chain(work.steps.iter().map(|step| step.text.as_str()))
            .collect();
        let is_named = texts.iter().any(|text| named(text));
        let how = if waiting.contains(&work.key.id) {
            "waits for it"
        } else if work.refs.contains(&told.name) {
            "refers to it"
        } else if is_named {
            "names it"
        } else {
            continue;
        };
        let title = cut(work.text.lines().next().unwrap_or_default());
        let lost: BTreeSet<String> = texts.iter().flat_map(|text| also(is_named, text)).collect();
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
    let still = &mut counts.still_by;
    still.routes = still.add(told.routes.iter().map(|it| &it.lost));
    still.knowledge = still.add(told.knowledge.iter().map(|it| &it.lost));
    still.work = still.add(told.work.iter().map(|it| &it.lost));
    counts.still += still.routes + still.knowledge + still.work;
    told.routes.truncate(MAX_TOLD);
    told.knowledge.truncate(MAX_TOLD);
    told.work.truncate(MAX_TOLD);
    Ok(told)
}

/// Finds lines that name the record, and, in documents with such a line, lines that name a lost parameter.
fn lines(settings: &Settings, terms: &[Term], told: &mut Impact) -> Result<(), ServiceError> {
    let fence = settings.place.fence();
    let most = settings.configured.policy.documents.max_file_bytes;
    let mut left = MAX_BYTES;
    for path in documents::paths(settings)?.into_iter().filter(|it| *it != told.name) {
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
        let before = told.counts.still;
        for (at, line) in text.lines().enumerate() {
            let names = terms.iter().filter(|term| term.is_in(line)).map(|term| &term.text);
            let lost: Vec<_> = told.lost.iter().filter(|name| is_said_in(name, line)).collect();
            let names: Vec<String> = names.chain(lost.iter().copied()).cloned().collect();
            if !names.is_empty() {
                told.counts.lines += 1;
                told.counts.still += usize::from(!lost.is_empty());
                told.counts.still_by.names.extend(lost.into_iter().cloned());
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
        told.counts.still_by.documents += usize::from(told.counts.still > before);
    }
    Ok(())
}

fn read(settings: &Settings, path: &str, fence: &Fence, most: u64) -> Result<String, &'static str> {
    let file = documents::on_disk(settings, path);
    let fence = (!path.starts_with("~/")).then_some(fence);
    let meta = look(&file, fence)?.ok_or("does not exist")?;
    if !meta.is_file() || meta.len() > most {
        return Err("is too large to search");
    }
    let bytes = fs::read(&file).map_err(|_| "cannot be read")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cut(text: &str) -> String {
    text.trim().chars().take(LINE_CHARS).collect()
}

/// Returns the parameters that the query of a route names. A query concerns the tool, so any of its words may be a
/// parameter.
pub(super) fn asks_for(query: &str, lost: &[String]) -> Vec<String> {
    let term = |name: &String| Term { quoted: false, ..Term::new(name) };
    lost.iter().filter(|name| term(name).is_in(query)).cloned().collect()
}

/// Returns the parameters that were removed from definitions and not added again.
pub(super) fn lost(definitions: &[Definition]) -> Vec<String> {
    let lost = definitions.iter().flat_map(|each| &each.listed().lost);
    lost.collect::<BTreeSet<_>>().into_iter().cloned().collect()
}
