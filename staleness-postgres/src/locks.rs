//! The advisory locks of a step.
//!
//! Each collection has three kinds of lock: one for the whole collection, one per part (scope or project),
//! and one per key. A selection of keys takes the first two shared, and the key locks exclusive for rows to
//! change or shared for rows to read, even if a row does not exist. A selection of a range locks its part
//! exclusively, and a selection of everything the collection. Steps on different tools therefore run
//! concurrently, scans and such steps wait for each other, and the data that a step has read does not change
//! until it commits.
//!
//! All locks are taken by one statement before anything is read, ordered by kind and number, each once in its
//! strongest mode. This prevents deadlocks. A lock's number is a hash; a collision only causes an unnecessary
//! wait.
//!
//! A step that looks up the outcome of an op will append the outcome if it is missing, so it locks the tool.
//! This serialises a step and its retry after a lost acknowledgement.
//!
//! Two kinds of read take no lock: other outcomes and journal entries, which are only appended and pruned,
//! and the entries of a server, which every use of an MCP tool reads. A use may miss an entry added at the
//! same moment, as if the use had come first.

use std::collections::{BTreeMap, BTreeSet};

use staleness_core::ids::stable_hash;
use staleness_core::store::{
    Access, CursorFilter, DefinitionFilter, DocumentFilter, ItemFilter, OutcomeFilter, Pick,
    ProjectFilter, RouteFilter, Selection, SessionFilter, SourceFilter, SuggestionFilter,
    ToolFilter, VectorFilter, WorkFilter,
};

/// Maximum number of row locks per part; above this, the part is locked. By default the server has room for
/// about 6,000 locks.
const MAX_ROWS: usize = 64;

/// The rows that a filter can match.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// One row of a part, by key.
    Row(String, Vec<u8>),
    /// Any row of a part. Other rows may come to match.
    Part(String),
    /// Rows of a part that others may change while they are only read.
    Loose(String),
    /// Any row.
    Whole,
}

impl Reach {
    fn row(part: &str, key: &[&[u8]]) -> Self {
        Self::Row(part.to_owned(), key.join(&0))
    }
}

/// Locks in acquisition order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Locks {
    /// Kind and number of each lock, and whether it is exclusive.
    held: BTreeMap<(u8, i64), bool>,
}

impl Locks {
    /// Returns the locks for a selection in a workspace.
    pub(crate) fn of(workspace: &str, selection: &Selection) -> Self {
        let mut locks = Self::default();
        let mut add = |collection: &str, picks: Vec<(Access, Reach)>| {
            locks.add(workspace, collection, &picks);
        };
        add("projects", reaches(&selection.projects, project));
        add("sources", reaches(&selection.sources, source));
        let mut tools = reaches(&selection.tools, tool);
        tools.extend(
            selection
                .summaries
                .iter()
                .map(|scope| (Access::Peek, Reach::Part(scope.as_key().to_owned()))),
        );
        tools.extend(selection.outcomes.iter().filter_map(|filter| match filter {
            OutcomeFilter::Op(key, _) => Some((Access::Lock, tool(&ToolFilter::Key(key.clone())))),
            _ => None,
        }));
        add("tools", tools);
        add("definitions", reaches(&selection.definitions, definition));
        add("knowledge", reaches(&selection.knowledge, item));
        add("documents", reaches(&selection.documents, document));
        add("work", reaches(&selection.work, work));
        add("sessions", reaches(&selection.sessions, session));
        add("cursors", reaches(&selection.cursors, cursor));
        // A step that locks a route may delete its vector.
        let mut routes = reaches(&selection.routes, route);
        routes.extend(reaches(&selection.vectors, vector));
        if let Some(project) = &selection.count_routes {
            routes.push((Access::Peek, Reach::Part(project.as_str().to_owned())));
        }
        add("routes", routes);
        add("suggestions", reaches(&selection.suggestions, suggestion));
        locks
    }

    /// Returns the combined locks of several selections.
    pub(crate) fn of_all(workspace: &str, selections: &[Selection]) -> Self {
        let mut all = Self::default();
        for selection in selections {
            for (lock, exclusive) in Self::of(workspace, selection).held {
                *all.held.entry(lock).or_default() |= exclusive;
            }
        }
        all
    }

    /// Returns the lock numbers, and for each whether it is exclusive.
    pub(crate) fn columns(&self) -> (Vec<Option<i64>>, Vec<bool>) {
        self.held.iter().map(|((_, number), exclusive)| (Some(*number), *exclusive)).unzip()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    fn add(&mut self, workspace: &str, collection: &str, picks: &[(Access, Reach)]) {
        let many = crowded(picks);
        for (access, reach) in picks {
            let exclusive = *access == Access::Lock;
            let whole = [workspace, collection];
            match reach {
                Reach::Row(part, _) if many.contains(part.as_str()) => {
                    self.take(0, &whole, &[], false);
                    self.take(1, &whole, part.as_bytes(), true);
                }
                Reach::Row(part, key) => {
                    self.take(0, &whole, &[], false);
                    self.take(1, &whole, part.as_bytes(), false);
                    self.take(2, &whole, &[part.as_bytes(), key].join(&0), exclusive);
                }
                Reach::Part(part) => {
                    self.take(0, &whole, &[], false);
                    self.take(1, &whole, part.as_bytes(), true);
                }
                Reach::Loose(part) => {
                    self.take(0, &whole, &[], false);
                    self.take(1, &whole, part.as_bytes(), exclusive);
                }
                Reach::Whole => self.take(0, &whole, &[], true),
            }
        }
    }

    fn take(&mut self, rank: u8, of: &[&str; 2], name: &[u8], exclusive: bool) {
        let [workspace, collection] = of.map(str::as_bytes);
        let number = stable_hash(&[&[rank], workspace, collection, name].join(&0)) as i64;
        *self.held.entry((rank, number)).or_default() |= exclusive;
    }
}

/// Returns the parts with too many rows to lock one by one.
fn crowded(picks: &[(Access, Reach)]) -> BTreeSet<&str> {
    let mut rows: BTreeMap<&str, BTreeSet<&[u8]>> = BTreeMap::new();
    for (_, reach) in picks {
        if let Reach::Row(part, key) = reach {
            rows.entry(part).or_default().insert(key);
        }
    }
    rows.into_iter().filter(|(_, rows)| rows.len() > MAX_ROWS).map(|(part, _)| part).collect()
}

fn reaches<F>(picks: &[Pick<F>], reach: impl Fn(&F) -> Reach) -> Vec<(Access, Reach)> {
    picks.iter().map(|pick| (pick.access, reach(&pick.filter))).collect()
}

fn project(filter: &ProjectFilter) -> Reach {
    match filter {
        ProjectFilter::Id(id) => Reach::row("", &[id.as_str().as_bytes()]),
        _ => Reach::Whole,
    }
}

fn source(filter: &SourceFilter) -> Reach {
    match filter {
        SourceFilter::Id(id) => Reach::row(
            id.scope().as_key(),
            &[id.client.as_bytes(), &[id.level as u8], id.part.as_bytes()],
        ),
        SourceFilter::Scope(scope) => Reach::Part(scope.as_key().to_owned()),
        _ => Reach::Whole,
    }
}

fn tool(filter: &ToolFilter) -> Reach {
    match filter {
        ToolFilter::Key(key) => Reach::row(key.scope.as_key(), &[key.name.as_str().as_bytes()]),
        ToolFilter::Entries(scope, _) => Reach::Loose(scope.as_key().to_owned()),
        ToolFilter::Scope(scope)
        | ToolFilter::Configured(scope)
        | ToolFilter::Server(scope, _)
        | ToolFilter::Demoted(scope)
        | ToolFilter::Revived(scope) => Reach::Part(scope.as_key().to_owned()),
        _ => Reach::Whole,
    }
}

fn definition(filter: &DefinitionFilter) -> Reach {
    match filter {
        DefinitionFilter::Key(key) => {
            Reach::row(key.scope.as_key(), &[key.name.as_str().as_bytes()])
        }
        DefinitionFilter::Scope(scope) | DefinitionFilter::Pending(scope) => {
            Reach::Part(scope.as_key().to_owned())
        }
        _ => Reach::Whole,
    }
}

fn item(filter: &ItemFilter) -> Reach {
    match filter {
        ItemFilter::Key(key) => Reach::row(key.scope.as_key(), &[key.id.as_str().as_bytes()]),
        ItemFilter::Scope(scope) => Reach::Part(scope.as_key().to_owned()),
        _ => Reach::Whole,
    }
}

fn document(filter: &DocumentFilter) -> Reach {
    match filter {
        DocumentFilter::Key(key) => Reach::row(key.project.as_str(), &[key.path.as_bytes()]),
        DocumentFilter::Project(project)
        | DocumentFilter::Loaded(project)
        | DocumentFilter::Flagged(project) => Reach::Part(project.as_str().to_owned()),
        _ => Reach::Whole,
    }
}

fn work(filter: &WorkFilter) -> Reach {
    match filter {
        WorkFilter::Key(key) => Reach::row(key.scope.as_key(), &[key.id.as_str().as_bytes()]),
        WorkFilter::Scope(scope)
        | WorkFilter::Open(scope)
        | WorkFilter::Aging { scope, .. }
        | WorkFilter::Referring { scope, .. } => Reach::Part(scope.as_key().to_owned()),
        _ => Reach::Whole,
    }
}

fn session(filter: &SessionFilter) -> Reach {
    match filter {
        SessionFilter::Key(key) => Reach::row(key.project.as_str(), &[key.id.as_str().as_bytes()]),
        SessionFilter::Project(project) => Reach::Part(project.as_str().to_owned()),
        _ => Reach::Whole,
    }
}

fn cursor(filter: &CursorFilter) -> Reach {
    match filter {
        CursorFilter::Key(key) => {
            Reach::row(key.project.as_str(), &[key.agent.as_str().as_bytes()])
        }
        CursorFilter::Project(project) => Reach::Part(project.as_str().to_owned()),
        _ => Reach::Whole,
    }
}

fn route(filter: &RouteFilter) -> Reach {
    match filter {
        RouteFilter::Key(key) => {
            Reach::row(key.project.as_str(), &[key.tool.as_str().as_bytes(), &key.id.to_bytes()])
        }
        RouteFilter::Id(project, _)
        | RouteFilter::Tool(project, _)
        | RouteFilter::Project(project) => Reach::Part(project.as_str().to_owned()),
        _ => Reach::Whole,
    }
}

fn vector(filter: &VectorFilter) -> Reach {
    match filter {
        VectorFilter::Key(key) => route(&RouteFilter::Key(key.clone())),
        VectorFilter::First(project, _)
        | VectorFilter::Model(project, _)
        | VectorFilter::Tool(project, _)
        | VectorFilter::Project(project) => Reach::Part(project.as_str().to_owned()),
        _ => Reach::Whole,
    }
}

fn suggestion(filter: &SuggestionFilter) -> Reach {
    match filter {
        SuggestionFilter::Key(key) => {
            Reach::row(key.project.as_str(), &[key.id.as_str().as_bytes()])
        }
        SuggestionFilter::Project(project) => Reach::Part(project.as_str().to_owned()),
        _ => Reach::Whole,
    }
}

#[cfg(test)]
mod tests {
    use staleness_core::ids::{OpId, ProjectId, Scope, ServerKey, ToolKey, ToolName};
    use staleness_core::store::{Filter, Row};

    use super::*;

    fn key(name: &str) -> ToolFilter {
        ToolFilter::Key(ToolKey::global(ToolName::new(name).unwrap()))
    }

    /// Returns the kinds and modes of a selection's locks.
    fn modes(selection: &Selection) -> Vec<(u8, bool)> {
        let locks = Locks::of("w", selection);
        locks.held.into_iter().map(|((rank, _), exclusive)| (rank, exclusive)).collect()
    }

    fn wait(one: &Selection, other: &Selection) -> bool {
        let (one, other) = (Locks::of("w", one), Locks::of("w", other));
        one.held.iter().any(|(lock, mode)| other.held.get(lock).is_some_and(|its| *mode || *its))
    }

    #[test]
    fn keys_wait_for_the_same_key_and_for_ranges_only() {
        let lock = |filter| Selection::new().lock(filter);
        let peek = |filter| Selection::new().peek(filter);
        let scope = || ToolFilter::Scope(Scope::Global);
        let other = || ToolFilter::Scope(Scope::Project(ProjectId::new("p").unwrap()));
        assert_eq!(modes(&lock(key("a"))), [(0, false), (1, false), (2, true)]);
        assert!(wait(&lock(key("a")), &lock(key("a"))));
        assert!(wait(&lock(key("a")), &peek(key("a"))));
        assert!(!wait(&peek(key("a")), &peek(key("a"))));
        assert!(!wait(&lock(key("a")), &lock(key("b"))));
        assert!(wait(&lock(key("a")), &lock(scope())));
        assert!(wait(&lock(key("a")), &peek(scope())));
        assert!(!wait(&lock(key("a")), &lock(other())));
        assert!(wait(&lock(key("a")), &peek(ToolFilter::All)));
        assert!(wait(&lock(other()), &peek(ToolFilter::All)));
        let items = Selection::new().lock(ItemFilter::All);
        assert!(!wait(&lock(ToolFilter::All), &items));
    }

    #[test]
    fn every_collection_is_locked() {
        macro_rules! each {
            ($($field:ident: $row:ty,)*) => {$(
                let all = Selection::new().lock(<$row as Row>::Filter::ALL);
                let name = <$row as Row>::NAME;
                assert!(!Locks::of("w", &all).is_empty(), "add `{name}` to `Locks::of`");
            )*};
        }
        staleness_core::collections!(each);
    }

    #[test]
    fn uses_that_look_at_the_entries_of_a_server_run_side_by_side() {
        let server = ServerKey::new("s").unwrap();
        let used = |name: &str| {
            let entries = ToolFilter::Entries(Scope::Global, server.clone());
            Selection::new().lock(key(name)).peek(entries)
        };
        assert!(!wait(&used("a"), &used("b")));
        assert!(wait(&used("a"), &Selection::new().lock(ToolFilter::Scope(Scope::Global))));
    }

    #[test]
    fn a_lock_is_taken_once_in_its_strongest_mode_and_in_one_order() {
        let both = Selection::new().peek(key("a")).lock(key("a"));
        assert_eq!(Locks::of("w", &both), Locks::of("w", &Selection::new().lock(key("a"))));
        let turned = |names: [&str; 3]| {
            names.into_iter().fold(Selection::new(), |all, name| all.lock(key(name)))
        };
        assert_eq!(
            Locks::of("w", &turned(["a", "b", "c"])),
            Locks::of("w", &turned(["c", "a", "b"]))
        );
        assert_ne!(Locks::of("w", &both), Locks::of("v", &both));
        let apart = [Selection::new().peek(key("a")), Selection::new().lock(key("a"))];
        assert_eq!(Locks::of_all("w", &apart), Locks::of("w", &both));
        assert!(Locks::of("w", &Selection::new()).is_empty());
    }

    #[test]
    fn many_keys_lock_their_part() {
        let many = (0..=MAX_ROWS)
            .fold(Selection::new(), |all, turn| all.lock(key(&format!("tool {turn}"))));
        assert_eq!(modes(&many), [(0, false), (1, true)]);
        let same = (0..=MAX_ROWS).fold(Selection::new(), |all, _| all.lock(key("a")));
        assert_eq!(modes(&same), modes(&Selection::new().lock(key("a"))));
    }

    #[test]
    fn who_looks_for_an_op_of_a_tool_keeps_others_from_appending_it() {
        let of = |tool: &str, op: &str| {
            let key = ToolKey::global(ToolName::new(tool).unwrap());
            Selection::new().outcomes(OutcomeFilter::Op(key, OpId::new(op).unwrap()))
        };
        assert!(wait(&of("a", "1"), &of("a", "1")));
        assert!(wait(&of("a", "1"), &Selection::new().lock(key("a"))));
        assert!(!wait(&of("a", "1"), &of("b", "1")));
        assert!(Locks::of("w", &Selection::new().outcomes(OutcomeFilter::All)).is_empty());
    }

    #[test]
    fn the_vector_of_a_route_goes_with_it() {
        let project = ProjectId::new("p").unwrap();
        let routes = Selection::new().lock(RouteFilter::Project(project.clone()));
        let vectors = Selection::new().lock(VectorFilter::Project(project.clone()));
        assert!(wait(&routes, &vectors));
        assert!(wait(&routes, &Selection::new().count_routes(project)));
    }
}
