//! The advisory locks of a step.
//!
//! Each collection has three kinds of lock: one for the whole collection, one per part (scope or project), and one per
//! key. A selection of keys takes the first two shared, and the key locks exclusive for rows to change or shared for
//! rows to read, even if a row does not exist. A selection of a range locks its part exclusively, and a selection of
//! everything the collection. Steps on different tools therefore run concurrently, scans and such steps wait for each
//! other, and data read by a step does not change until it commits.
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

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};

use staleness_core::ids::stable_hash;
use staleness_core::route::{Route, RouteVector};
use staleness_core::store::table::{Cell, Record, Table};
use staleness_core::store::{Access, Filter, OutcomeFilter, Selection, ToolFilter};
use staleness_core::tool::Tool;

/// Maximum number of row locks per part; above this, the part is locked. By default the server has room for
/// about 6,000 locks.
const MAX_ROWS: usize = 64;

/// The rows that a filter can match.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// One row of a part, by key.
    Row(Vec<u8>, Vec<u8>),
    /// Any row of a part. Changes may make other rows match.
    Part(Vec<u8>),
    /// Rows of a part that others may change while they are only read.
    Loose(Vec<u8>),
    /// Any row.
    Whole,
}

impl Reach {
    /// Returns the rows that a filter can match: its first parameter is the part, as is the first column of a
    /// longer key.
    fn of<R: Table>(filter: &R::Filter) -> Self {
        if let Some(ToolFilter::Entries(scope, _)) = (filter as &dyn Any).downcast_ref() {
            return Self::Loose(scope.as_key().into());
        }
        if let Some(key) = filter.key() {
            let mut key: Vec<_> = R::of_key(key).into_iter().map(bytes).collect();
            let part = if key.len() > 1 { key.remove(0) } else { Vec::new() };
            return Self::Row(part, key.join(&0));
        }
        let part = R::condition(filter).args.into_iter().next();
        part.map_or(Self::Whole, |part| Self::Part(bytes(part)))
    }
}

fn bytes(cell: Cell<'_>) -> Vec<u8> {
    match cell {
        Cell::Int(number) => number.unwrap_or_default().to_le_bytes().into(),
        Cell::Text(text) => text.unwrap_or_default().into_owned().into(),
        Cell::Blob(bytes) => bytes.into_owned(),
    }
}

/// Returns the collection whose locks cover a table. A step that locks a route may delete its vector.
fn locked_as<R: Record>() -> &'static str {
    if R::TABLE == RouteVector::TABLE { Route::TABLE } else { R::TABLE }
}

/// Locks in acquisition order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Locks {
    /// Kind and number of each lock, with true if it is exclusive.
    held: BTreeMap<(u8, i64), bool>,
}

impl Locks {
    /// Returns the locks for a selection in a workspace.
    pub(crate) fn of(workspace: &str, selection: &Selection) -> Self {
        let mut all: BTreeMap<&str, Vec<(Access, Reach)>> = BTreeMap::new();
        macro_rules! each {
            ($($field:ident: $row:ty,)*) => {$(
                let picks = selection.$field.iter();
                let picks = picks.map(|pick| (pick.access, Reach::of::<$row>(&pick.filter)));
                all.entry(locked_as::<$row>()).or_default().extend(picks);
            )*};
        }
        staleness_core::collections!(each);
        let part = |part: &str| (Access::Peek, Reach::Part(part.into()));
        let tools = all.entry(Tool::TABLE).or_default();
        tools.extend(selection.summaries.iter().map(|scope| part(scope.as_key())));
        tools.extend(selection.outcomes.iter().filter_map(|filter| match filter {
            OutcomeFilter::Op(key, _) => {
                Some((Access::Lock, Reach::of::<Tool>(&ToolFilter::Key(key.clone()))))
            }
            _ => None,
        }));
        let routes = all.entry(Route::TABLE).or_default();
        routes.extend(selection.count_routes.iter().map(|project| part(project.as_str())));
        let mut locks = Self::default();
        for (collection, picks) in all {
            locks.add(workspace, collection, &picks);
        }
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

    /// Returns the lock numbers, each with true if the lock is exclusive.
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
                Reach::Row(part, _) if many.contains(part.as_slice()) => {
                    self.take(0, &whole, &[], false);
                    self.take(1, &whole, part, true);
                }
                Reach::Row(part, key) => {
                    self.take(0, &whole, &[], false);
                    self.take(1, &whole, part, false);
                    self.take(2, &whole, &[part.as_slice(), key].join(&0), exclusive);
                }
                Reach::Part(part) => {
                    self.take(0, &whole, &[], false);
                    self.take(1, &whole, part, true);
                }
                Reach::Loose(part) => {
                    self.take(0, &whole, &[], false);
                    self.take(1, &whole, part, exclusive);
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
fn crowded(picks: &[(Access, Reach)]) -> BTreeSet<&[u8]> {
    let mut rows: BTreeMap<&[u8], BTreeSet<&[u8]>> = BTreeMap::new();
    for (_, reach) in picks {
        if let Reach::Row(part, key) = reach {
            rows.entry(part).or_default().insert(key);
        }
    }
    rows.into_iter().filter(|(_, rows)| rows.len() > MAX_ROWS).map(|(part, _)| part).collect()
}

#[cfg(test)]
mod tests {
    use staleness_conformance::arbitrary::{self, Sample, value};
    use staleness_core::ids::{OpId, ProjectId, Scope, ServerKey, ToolKey, ToolName};
    use staleness_core::store::{ItemFilter, RouteFilter, VectorFilter};

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

    const POOL: arbitrary::Reach = arbitrary::Reach::Pool;

    /// If a collection had no locks, or a filter locked a different part, two steps could run at the same time.
    #[test]
    fn whoever_locks_a_filter_waits_for_the_keys_that_it_matches() {
        fn holds<R: Table + Sample>() {
            let both = (R::arbitrary(POOL), R::filters(POOL));
            let mut matched = 0;
            for seed in 0..1_000 {
                let (row, filter) = value(&both, seed);
                let all = filter == R::Filter::ALL;
                let range = Selection::new().lock(filter.clone());
                assert_eq!(modes(&range)[0], (0, all), "{filter:?}");
                if filter.matches(row.key(), Some(&row)) {
                    let one = Selection::new().lock(R::Filter::of(row.key().clone()));
                    assert!(wait(&one, &range), "{filter:?}");
                    matched += i32::from(!all);
                }
            }
            assert!(matched > 0, "{}", R::TABLE);
        }
        macro_rules! each {
            ($($rows:ident: $row:ty,)*) => { $(holds::<$row>();)* };
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
