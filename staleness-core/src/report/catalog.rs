//! The searchable catalog of a project: its tools and the routes learned in it.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::context::Ignored;
use super::own::is_own;
use crate::ids::{ModelId, ProjectId, Scope, ServerKey, ToolKey, ToolName};
use crate::names;
use crate::search::{Meaning, Question, Scores, SearchIndex};
use crate::store::{RouteFilter, Selection, View};
use crate::tool::{Hold, Status, ToolKind, ToolSummary};

/// The tools that a project sees, one per name, with an index of their words and of the project's routes.
#[derive(Debug)]
pub(crate) struct Catalog {
    project: ProjectId,
    /// The store's generation at which the catalog was built.
    generation: Option<u64>,
    index: SearchIndex,
    /// The tools by index. `None` for a tool known only from routes.
    tools: Vec<Option<Listed>>,
    /// The number of routes embedded by each model.
    models: BTreeMap<ModelId, usize>,
}

/// The facts about a tool that decide whether a search may return it.
#[derive(Debug)]
pub(crate) struct Listed {
    is_global: bool,
    server: Option<ServerKey>,
    pub(crate) status: Status,
    is_ignored: bool,
    /// True if the tool may be suggested: it is callable, not this program's own, and its server is neither demoted nor
    /// ignored.
    is_callable: bool,
    /// True if the tool may be retried: it is present and failing, and no person has made a decision about it.
    pub(crate) may_recover: bool,
}

impl Catalog {
    pub(crate) fn selection(project: &ProjectId) -> Selection {
        let mut all = Self::tools(project);
        all.merge(Self::routes(project));
        all.generation()
    }

    pub(crate) fn tools(project: &ProjectId) -> Selection {
        Selection::new().summaries(Scope::Global).summaries(Scope::Project(project.clone()))
    }

    pub(crate) fn routes(project: &ProjectId) -> Selection {
        Selection::new().peek(RouteFilter::Project(project.clone()))
    }

    /// Builds a catalog from the summaries and routes of a view, and removes them from the view.
    pub(crate) fn new(view: &mut View, project: &ProjectId) -> Self {
        Self::learned(SearchIndex::new(), view, project).listing(view)
    }

    /// Builds a catalog of the routes in a view, for a single question. Removes the routes from the view.
    pub(crate) fn for_question(view: &mut View, project: &ProjectId, question: &Question) -> Self {
        Self::learned(SearchIndex::for_question(question), view, project)
    }

    fn learned(mut index: SearchIndex, view: &mut View, project: &ProjectId) -> Self {
        let mut models = BTreeMap::new();
        for (key, route) in std::mem::take(&mut view.routes) {
            if key.project == *project {
                index.put_route(key.id, &key.tool, &route.query, route.confidence);
                if let Some(model) = route.model {
                    *models.entry(model).or_default() += 1;
                }
            }
        }
        let (project, generation) = (project.clone(), view.generation);
        Self { project, generation, index, tools: Vec::new(), models }
    }

    /// Adds the summaries of a view to the catalog, and removes them from the view.
    pub(crate) fn listing(mut self, view: &mut View) -> Self {
        let Self { project, index, tools, .. } = &mut self;
        let scopes = [Scope::Project(project.clone()), Scope::Global];
        let [own, global] = scopes.map(|scope| view.summaries.remove(&scope).unwrap_or_default());
        let servers = Servers::of([&own, &global]);
        let twins = Twins::of(&own, &global);
        index.reserve(own.len() + global.len());
        tools.reserve(index.places() + own.len() + global.len());
        for (is_global, summaries) in [(false, own), (true, global)] {
            for tool in summaries {
                if !twins.means(is_global, &tool.name) {
                    continue;
                }
                let server = tool.server.as_ref().map(ServerKey::as_str);
                let plugin = tool.plugin.as_ref().map(ToolName::as_str);
                let (from, own) = origin(tool.name.as_str(), server, plugin);
                let place = index.put_text(&tool.name, from, own, tool.description.as_slice());
                tools.resize_with(index.places(), || None);
                tools[place as usize] = Some(Listed {
                    is_global,
                    status: tool.status(),
                    is_ignored: tool.hold == Hold::Ignored,
                    is_callable: !matches!(tool.kind, ToolKind::Builtin | ToolKind::Plugin)
                        && !tool.name.is_server_entry()
                        && !is_own(tool.kind, tool.name.as_str(), server, plugin)
                        && !servers.holds(is_global, &tool),
                    may_recover: tool.hold == Hold::None && tool.present && tool.failing,
                    server: tool.server,
                });
            }
        }
        self
    }

    pub(crate) const fn project(&self) -> &ProjectId {
        &self.project
    }

    pub(crate) const fn index(&self) -> &SearchIndex {
        &self.index
    }

    pub(crate) fn is_of(&self, generation: Option<u64>) -> bool {
        generation.is_some() && self.generation == generation
    }

    /// Counts the routes embedded by models other than this one.
    pub(crate) fn embedded_by_others(&self, model: &ModelId) -> usize {
        self.models.iter().filter(|(known, _)| *known != model).map(|(_, count)| count).sum()
    }

    pub(crate) fn scores<'a>(
        &'a self,
        question: &'a Question,
        meaning: &Meaning,
        wanted: impl Fn(u32, &Listed) -> bool,
    ) -> Scores<'a> {
        let wanted = |place| self.at(place).is_some_and(|tool| wanted(place, tool));
        self.index.scores_at(question, meaning, wanted)
    }

    /// Returns a filter for tools that may be suggested, with any status, except those in `but`.
    pub(crate) fn suggestible<'a>(
        &'a self,
        ignored: &'a Ignored,
        but: &[&ToolKey],
    ) -> impl Fn(u32, &Listed) -> bool + use<'a> {
        let but: HashSet<u32> = but.iter().filter_map(|key| self.place(key)).collect();
        move |place, tool| {
            tool.is_callable && self.may_tell(ignored, place, tool) && !but.contains(&place)
        }
    }

    /// Returns true if a tool is not ignored, by hand or by policy.
    pub(crate) fn may_tell(&self, ignored: &Ignored, place: u32, tool: &Listed) -> bool {
        let server = tool.server.as_ref().map(ServerKey::as_str);
        !tool.is_ignored
            && self.index.name(place).is_some_and(|name| !ignored.holds(name.as_str(), server))
    }

    /// Returns the indices of the tools that `wanted` accepts.
    pub(crate) fn places(&self, wanted: impl Fn(u32, &Listed) -> bool) -> Vec<u32> {
        let is_wanted = |place: &u32| self.at(*place).is_some_and(|tool| wanted(*place, tool));
        (0..self.tools.len() as u32).filter(is_wanted).collect()
    }

    /// Returns the key of the tool at an index. `None` if no tool is known there.
    pub(crate) fn key(&self, place: u32) -> Option<ToolKey> {
        let is_global = self.at(place)?.is_global;
        let scope = if is_global { Scope::Global } else { Scope::Project(self.project.clone()) };
        Some(ToolKey { scope, name: self.index.name(place)?.clone() })
    }

    /// Returns the index of a tool. `None` if the project does not see it.
    pub(crate) fn place(&self, key: &ToolKey) -> Option<u32> {
        self.index.place_of(&key.name).filter(|place| self.key(*place).as_ref() == Some(key))
    }

    fn at(&self, place: u32) -> Option<&Listed> {
        self.tools.get(place as usize)?.as_ref()
    }
}

/// Names that exist both in the project and globally. The value is true if the name means the global tool, because only
/// that one is present. Each name therefore means one tool, as in [`Context::visible`](super::Context::visible).
struct Twins(HashMap<ToolName, bool>);

impl Twins {
    fn of(own: &[ToolSummary], global: &[ToolSummary]) -> Self {
        let own: HashMap<&ToolName, bool> =
            own.iter().map(|tool| (&tool.name, tool.present)).collect();
        let twin = |tool: &ToolSummary| {
            own.get(&tool.name).map(|is_there| (tool.name.clone(), !is_there && tool.present))
        };
        Self(if own.is_empty() { HashMap::new() } else { global.iter().filter_map(twin).collect() })
    }

    fn means(&self, is_global: bool, name: &ToolName) -> bool {
        self.0.is_empty() || self.0.get(name).is_none_or(|global| *global == is_global)
    }
}

/// Server entries, by scope (true for global) and server key. The first value is true if the entry is present, the
/// second if a person demoted or ignored it.
struct Servers(HashMap<(bool, ServerKey), (bool, bool)>);

impl Servers {
    fn of([own, global]: [&[ToolSummary]; 2]) -> Self {
        let mut servers = Vec::new();
        for (is_global, tools) in [(false, own), (true, global)] {
            let entries = tools.iter().filter(|tool| tool.kind == ToolKind::McpServer);
            let server = |entry: &'_ ToolSummary| Some((is_global, entry.server.clone()?));
            servers.extend(entries.filter_map(|entry| Some((server(entry)?, entry))));
        }
        servers.sort_unstable_by_key(|(_, entry)| &entry.name);
        let mut entries = HashMap::new();
        for (server, entry) in servers {
            let is_held = matches!(entry.hold, Hold::Demoted | Hold::Ignored);
            let known = entries.entry(server).or_insert((entry.present, is_held));
            if !known.0 {
                *known = (entry.present, is_held);
            }
        }
        Self(entries)
    }

    /// Returns true if a person demoted or ignored the server entry that provides a tool. A present entry takes
    /// precedence over an absent one, and the project's over the global one.
    fn holds(&self, is_global: bool, tool: &ToolSummary) -> bool {
        let Some(server) = tool.server.as_ref().filter(|_| tool.kind == ToolKind::McpTool) else {
            return false;
        };
        let of = |is_global| self.0.get(&(is_global, server.clone()));
        let (own, global) = (of(is_global), of(true));
        let there = own.into_iter().chain(global).find(|(is_there, _)| *is_there);
        there.or(own).or(global).is_some_and(|(_, is_held)| *is_held)
    }
}

/// Returns the server or plugin of a tool, and the tool's own part of the name.
fn origin<'a>(
    name: &'a str,
    server: Option<&'a str>,
    plugin: Option<&'a str>,
) -> (Option<&'a str>, &'a str) {
    let own = match server.and_then(|server| names::part_behind(name, server)) {
        // The entry of a whole server has the server's name.
        Some("*") => "",
        Some(part) => part,
        None => name.strip_prefix("mcp__").unwrap_or(name),
    };
    (server.or(plugin), own)
}
