//! Collections of a store that grows, and what their verbs cost.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::vec::IntoIter;

use staleness::ids::{
    AgentId, ItemId, ItemKey, OpId, ProjectId, Scope, SessionId, WorkId, WorkKey,
};
use staleness::journal::Revision;
use staleness::knowledge::Item;
use staleness::registry::Act;
use staleness::scan::ProjectRef;
use staleness::session::{Session, SessionKey};
use staleness::{BlockingRegistry, Timestamp};

use crate::knowledge::{fill_items, items};
use crate::race::{Samples, timed};
use crate::ratios::{Row, keep};
use crate::svg::{Series, plot};
use crate::{START, plots, roomy, rounds};

/// How many rows a collection holds, in turn.
pub const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
/// Rows that one commit writes.
pub const BATCH: usize = 10_000;

/// What a verb is called, and how many seconds it takes once in a store of so many rows; not a number where it is
/// left out.
pub type Verb = (&'static str, fn(&Site, usize) -> f64);

/// Verbs that are drawn together.
#[derive(Debug)]
pub struct Page {
    /// What the file is called.
    pub name: &'static str,
    /// What is said above.
    pub title: &'static str,
    /// The verbs.
    pub verbs: &'static [Verb],
}

/// A collection: how rows are added to it, and its verbs.
#[derive(Debug)]
pub struct Collection {
    /// What it is called.
    pub name: &'static str,
    /// Adds the rows of these numbers.
    pub grow: fn(&Site, Range<usize>),
    /// The verbs, page by page.
    pub pages: &'static [Page],
}

/// A store, and what numbers its acts.
#[derive(Debug)]
pub struct Site {
    /// The store.
    pub registry: BlockingRegistry,
    /// The project to which the rows belong.
    pub project: ProjectRef,
    acts: Cell<usize>,
    items: RefCell<Option<IntoIter<Item>>>,
}

impl Site {
    /// A new store at a URL, with room for more routes than usual.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self {
            registry: roomy(url),
            project: ProjectRef::of_root("/bench/project"),
            acts: Cell::new(0),
            items: RefCell::new(None),
        }
    }

    /// The id of its project.
    #[must_use]
    pub const fn id(&self) -> &ProjectId {
        &self.project.id
    }

    /// The scope of its project.
    #[must_use]
    pub fn scope(&self) -> Scope {
        Scope::Project(self.project.id.clone())
    }

    /// A time after everything that was done.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(START + 2_000_000_000 + self.acts.get() as i64)
    }

    /// How many acts were begun.
    #[must_use]
    pub const fn acts(&self) -> usize {
        self.acts.get()
    }

    /// The next act.
    ///
    /// # Panics
    /// Never: the id is valid.
    #[must_use]
    pub fn act(&self) -> Act {
        self.acts.set(self.acts.get() + 1);
        Act::new(OpId::new(format!("act-{}", self.acts.get())).expect("a valid id"), self.now())
    }

    /// The number of a row below `size`, another one for each act.
    #[must_use]
    pub const fn some(&self, size: usize) -> usize {
        self.acts.get() * 7_919 % size
    }

    /// The key of an item of knowledge.
    ///
    /// # Panics
    /// For an id that is none.
    #[must_use]
    pub fn item(&self, id: &str) -> ItemKey {
        ItemKey { scope: self.scope(), id: ItemId::new(id).expect("a valid id") }
    }

    /// The key of a work item.
    ///
    /// # Panics
    /// For an id that is none.
    #[must_use]
    pub fn work(&self, id: &str) -> WorkKey {
        WorkKey { scope: self.scope(), id: WorkId::new(id).expect("a valid id") }
    }

    /// The key of one of the work items that are open, where those are the first hundred of every 10,000.
    ///
    /// # Panics
    /// Never: the id is valid.
    #[must_use]
    pub fn open_work(&self, size: usize) -> WorkKey {
        let at = self.some(size.div_ceil(10_000) * 100);
        self.work(&format!("work-{:09}", at / 100 * 10_000 + at % 100))
    }

    /// A session of one of ten agents.
    ///
    /// # Panics
    /// Never: the ids are valid.
    #[must_use]
    pub fn session(&self, at: usize) -> Session {
        Session {
            key: self.session_key(&format!("session-{at}")),
            agent: AgentId::new(format!("agent-{}", at % 10)).expect("a valid id"),
            started_at: Timestamp::from_millis(START + at as i64),
            ended_at: None,
            from_revision: Revision::default(),
            first_contact: false,
        }
    }

    /// The key of a session.
    ///
    /// # Panics
    /// For an id that is none.
    #[must_use]
    pub fn session_key(&self, id: &str) -> SessionKey {
        let id = SessionId::new(id).expect("a valid id");
        SessionKey { project: self.project.id.clone(), id }
    }

    /// Writes down the next items of knowledge, as many as there are numbers.
    ///
    /// # Panics
    /// When the store reports an error.
    pub fn fill_items(&self, range: &Range<usize>) {
        let mut known = self.items.borrow_mut();
        let most = sizes().last().copied().unwrap_or_default();
        let all = known.get_or_insert_with(|| {
            items(&self.project, most, Timestamp::from_millis(START)).into_iter()
        });
        let mut left = range.len();
        while left > 0 {
            let some: Vec<Item> = all.take(left.min(BATCH)).collect();
            left -= some.len();
            fill_items(&self.registry, some);
        }
    }
}

fn sizes() -> &'static [usize] {
    &SIZES[..rounds(SIZES.len(), 2)]
}

/// How long a verb takes: the median of 31 turns, of three where one takes long, and of one where that takes
/// very long.
fn median(site: &Site, size: usize, verb: fn(&Site, usize) -> f64) -> f64 {
    let first = verb(site, size);
    if first > 4.0 {
        return first;
    }
    let mut samples = Samples::new();
    let turns = if first > 0.1 { 3 } else { 31 };
    (0..rounds(turns, 2)).for_each(|_| samples.push(verb(site, size)));
    samples.median()
}

/// One line for each verb of each page, over growing sizes.
fn measure(backend: &str, collection: &Collection) -> Vec<Vec<Series>> {
    let dir = tempfile::tempdir().expect("a folder");
    let site = Site::new(&format!("{backend}:{}", dir.path().join("registry.db").display()));
    let named =
        |(verb, _): &Verb| Series { name: format!("{verb}, {backend}"), points: Vec::new() };
    let lines = |page: &Page| page.verbs.iter().map(named).collect();
    let mut all: Vec<Vec<Series>> = collection.pages.iter().map(lines).collect();
    let mut known = 0;
    for size in sizes().iter().copied() {
        let filled = timed(|| (collection.grow)(&site, known..size));
        known = size;
        eprintln!("{}, {backend}, {size}: filled in {filled:.1} s", collection.name);
        for (series, page) in all.iter_mut().zip(collection.pages) {
            for (series, (verb, time)) in series.iter_mut().zip(page.verbs) {
                let took = median(&site, size, *time);
                eprintln!("  {verb}: {:.3} ms", took * 1e3);
                if !took.is_nan() {
                    series.points.push((size as f64, took));
                }
            }
        }
    }
    all
}

/// Measures collections in SQLite and redb, draws their pages and keeps a row for each line.
///
/// # Panics
/// When a store reports an error, and when a plot cannot be written.
pub fn draw(bench: &str, scratch: &str, collections: &[Collection]) {
    let folder = plots(scratch);
    let mut rows = Vec::new();
    for collection in collections {
        let of_each = ["sqlite", "redb"].map(|backend| measure(backend, collection));
        let [sqlite, redb] = of_each;
        for ((page, one), other) in collection.pages.iter().zip(sqlite).zip(redb) {
            let series = [one, other].concat();
            let svg = plot(page.title, "rows", &series);
            let file = format!("{}.svg", page.name);
            std::fs::write(folder.join(file), svg).expect("a plot");
            let name = collection.name;
            let row = |each: &Series| {
                Row::of_growth(format!("{name}: growth of {}", each.name), &each.points)
            };
            rows.extend(series.iter().map(row));
        }
    }
    keep(scratch, bench, &rows);
}
