//! Knowledge, work, routes, documents, sessions and the journal: what their verbs cost in a store of 100 to 1,000,000
//! rows. Of work, the first hundred of every 10,000 items are open; `history` tells the last 50 entries of one item. Of
//! documents every hundredth has findings, and every ten thousandth is loaded by a client.
//!
//! `cargo bench -p staleness-benches --bench collections [-- --quick]` draws six plots in `docs/plots`; a short
//! run leaves them alone. A full run holds 1,000,000 items, some 2 GB.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

use staleness::ids::{
    AgentId, DocumentKey, ItemId, ItemKey, OpId, ProjectId, Scope, SessionId, WorkId, WorkKey,
};
use staleness::journal::{Revision, Subject};
use staleness::knowledge::{Block, Document, Item, ItemKind};
use staleness::registry::{Act, FindRoutes, Learn, Verification, WorkListing};
use staleness::scan::ProjectRef;
use staleness::session::{Session, SessionKey};
use staleness::work::{Work, WorkKind};
use staleness::{BlockingRegistry, Timestamp};
use staleness_benches::knowledge::{fill_items, items};
use staleness_benches::put::put_all;
use staleness_benches::race::{race, timed};
use staleness_benches::ratios::{Row, keep};
use staleness_benches::routes::{fill_routes, tool};
use staleness_benches::svg::{Series, plot};
use staleness_benches::work::{fill_journal, fill_work};
use staleness_benches::{QUESTION, START, fill, plots, roomy, rounds};

const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
const TOOLS: usize = 500;
/// Rows that one commit writes.
const BATCH: usize = 10_000;

/// A store, and what numbers its acts.
struct Site {
    registry: BlockingRegistry,
    project: ProjectRef,
    acts: Cell<usize>,
}

/// What a verb is called, and how many seconds it takes once in a store of so many rows.
type Verb = (&'static str, fn(&Site, usize) -> f64);

/// A collection: how rows are added to it, and its verbs.
struct Collection {
    name: &'static str,
    grow: fn(&Site, Range<usize>, &mut dyn Iterator<Item = Item>),
    verbs: &'static [Verb],
}

const COLLECTIONS: [Collection; 6] = [
    Collection {
        name: "knowledge",
        grow: |site, range, items| {
            let mut left = range.len();
            while left > 0 {
                let some: Vec<Item> = items.take(left.min(BATCH)).collect();
                left -= some.len();
                fill_items(&site.registry, some);
            }
        },
        verbs: &[
            ("add", |site, _| {
                let act = site.act();
                let id = ItemId::new(format!("new-{}", act.op)).expect("a valid id");
                let item = Item::new(site.item(id), ItemKind::Knowledge, "What was found.", act.at);
                timed(|| site.registry.add_item(item, act).expect("it is added"))
            }),
            ("verify", |site, size| {
                let act = site.act();
                let at = site.acts.get() * 7_919 % size;
                let id = ItemId::new(format!("item-{at:06}")).expect("a valid id");
                let key = site.item(id);
                let seen = vec![Verification { key, commit: None, citations: BTreeSet::new() }];
                timed(|| site.registry.verify_items(seen, act).expect("it is verified"))
            }),
            ("read all", |site, _| timed(|| site.registry.item_briefs(site.id()).expect("items"))),
        ],
    },
    Collection {
        name: "work",
        grow: |site, range, _| {
            let at = site.now();
            fill_work(&site.registry, &site.project, range, (100, 0), (at, at));
        },
        verbs: &[
            ("add", |site, _| site.add_work()),
            ("touch", |site, _| {
                let at = site.act().at;
                let id = WorkId::new(format!("work-{:09}", 7)).expect("a valid id");
                let key = site.work(id);
                timed(|| site.registry.touch_work(key, at).expect("it is touched"))
            }),
            ("list open", |site, _| {
                let open = WorkListing { open: true, ..WorkListing::default() };
                timed(|| site.registry.work_items(site.id(), open).expect("a list"))
            }),
        ],
    },
    Collection {
        name: "routes",
        grow: |site, range, _| {
            fill_routes(&site.registry, &site.project, range, |_| 0.9);
        },
        verbs: &[
            ("learn", |site, _| {
                let act = site.act();
                let query = format!("something new {}", act.op);
                let learn = Learn::new(act.op, query, tool(site.acts.get()), act.at);
                timed(|| site.registry.learn_route(&site.project, learn).expect("it learns"))
            }),
            ("find", |site, _| {
                let find = FindRoutes { query: QUESTION.to_owned(), vector: None, limit: 10 };
                timed(|| {
                    site.registry.find_routes(&site.project, find, site.now()).expect("routes")
                })
            }),
            ("list", |site, _| timed(|| site.registry.routes(site.id()).expect("routes"))),
        ],
    },
    Collection {
        name: "documents",
        grow: |site, range, _| {
            let make = |at| site.document(at);
            put_all(&site.registry, range, make, |draft, row| draft.put_document(row.clone()));
        },
        verbs: &[
            ("keep one", |site, size| {
                let mut row = site.document(site.acts.get() * 7_919 % size);
                row.checked_at = site.act().at;
                row.digest = site.acts.get() as u128;
                let (id, at) = (site.id(), row.checked_at);
                timed(|| site.registry.put_documents(id, vec![row], None, at).expect("it is kept"))
            }),
            ("loaded", |site, _| {
                timed(|| site.registry.loaded_documents(site.id()).expect("documents"))
            }),
            ("flagged", |site, _| {
                timed(|| site.registry.flagged_documents(site.id()).expect("documents"))
            }),
            ("read all", |site, _| {
                timed(|| site.registry.documents(site.id()).expect("documents"))
            }),
        ],
    },
    Collection {
        name: "sessions",
        grow: |site, range, _| {
            let make = |at| site.session(at);
            put_all(&site.registry, range, make, |draft, row| draft.put_session(row.clone()));
        },
        verbs: &[
            ("start", |site, size| {
                let known = site.session(site.acts.get() * 7_919 % size);
                let Act { op, at, .. } = site.act();
                let id = SessionId::new(op.as_str()).expect("a valid id");
                let start = || site.registry.start_session(site.id(), &known.agent, &id, at);
                timed(|| start().expect("it begins"))
            }),
            ("end", |site, size| {
                let known = site.session(site.acts.get() * 7_919 % size).key.id;
                let at = site.act().at;
                timed(|| site.registry.end_session(site.id(), &known, at).expect("it ends"))
            }),
            ("list", |site, _| timed(|| site.registry.sessions(site.id()).expect("sessions"))),
        ],
    },
    Collection {
        name: "journal",
        grow: |site, range, _| {
            if range.start == 0 {
                fill_work(&site.registry, &site.project, 0..10, (0, 0), (site.now(), site.now()));
            }
            // Ten times as many items, so that each has some ten entries.
            let items = (range.end / 10).max(10);
            fill_journal(&site.registry, &site.project, items, (range.len(), BATCH), site.now());
        },
        verbs: &[
            ("add", |site, _| site.add_work()),
            ("history", |site, _| {
                let id = WorkId::new(format!("work-{:09}", 7)).expect("a valid id");
                let subject = Subject::work(&site.work(id));
                timed(|| site.registry.journal_of(subject, 50).expect("a history"))
            }),
        ],
    },
];

impl Site {
    fn new(url: &str) -> Self {
        let site = Self {
            registry: roomy(url),
            project: ProjectRef::of_root("/bench/project"),
            acts: Cell::new(0),
        };
        fill(&site.registry, &site.project, TOOLS, 0..TOOLS);
        site
    }

    fn id(&self) -> &ProjectId {
        &self.project.id
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(START + 2_000_000 + self.acts.get() as i64)
    }

    /// The next act.
    fn act(&self) -> Act {
        self.acts.set(self.acts.get() + 1);
        Act::new(OpId::new(format!("act-{}", self.acts.get())).expect("a valid id"), self.now())
    }

    fn item(&self, id: ItemId) -> ItemKey {
        ItemKey { scope: Scope::Project(self.project.id.clone()), id }
    }

    fn work(&self, id: WorkId) -> WorkKey {
        WorkKey { scope: Scope::Project(self.project.id.clone()), id }
    }

    /// Adds a work item, which is an entry of the journal too.
    fn add_work(&self) -> f64 {
        let act = self.act();
        let id = WorkId::new(format!("new-{}", act.op)).expect("a valid id");
        let work = Work::new(self.work(id), WorkKind::Plan, "To be done.", act.at);
        timed(|| self.registry.add_work(work, act).expect("it is added"))
    }

    fn document(&self, at: usize) -> Document {
        let block = Block {
            line: 3,
            last_line: 4,
            title: "What does the shop ask for?".to_owned(),
            digest: at as u64,
            anchored_at: Some(Timestamp::from_millis(START)),
            anchor: None,
            evidence: Vec::new(),
        };
        Document {
            key: DocumentKey {
                project: self.project.id.clone(),
                path: format!("docs/part{}/page{at:07}.md", at % 100),
            },
            loaded: at.is_multiple_of(10_000),
            checked_at: Timestamp::from_millis(START),
            head: None,
            digest: at as u128,
            blocks: 20,
            found: if at.is_multiple_of(100) { vec![block] } else { Vec::new() },
        }
    }

    fn session(&self, at: usize) -> Session {
        Session {
            key: SessionKey {
                project: self.project.id.clone(),
                id: SessionId::new(format!("session-{at}")).expect("a valid id"),
            },
            agent: AgentId::new(format!("agent-{}", at % 10)).expect("a valid id"),
            started_at: Timestamp::from_millis(START + at as i64),
            ended_at: None,
            from_revision: Revision::default(),
            first_contact: false,
        }
    }
}

/// One line for each verb, over growing sizes.
fn measure(backend: &str, collection: &Collection) -> Vec<Series> {
    let dir = tempfile::tempdir().expect("a folder");
    let site = Site::new(&format!("{backend}:{}", dir.path().join("registry.db").display()));
    let sizes = &SIZES[..rounds(SIZES.len(), 2)];
    let most = if collection.name == "knowledge" { sizes[sizes.len() - 1] } else { 0 };
    let mut items = items(&site.project, most, Timestamp::from_millis(START)).into_iter();
    let named =
        |(verb, _): &Verb| Series { name: format!("{verb}, {backend}"), points: Vec::new() };
    let mut all: Vec<Series> = collection.verbs.iter().map(named).collect();
    let mut known = 0;
    for size in sizes.iter().copied() {
        let filled = timed(|| (collection.grow)(&site, known..size, &mut items));
        known = size;
        for (series, (verb, time)) in all.iter_mut().zip(collection.verbs) {
            let reads_all = matches!(*verb, "read all" | "find" | "list");
            let turns = if reads_all && size >= 100_000 { 3 } else { 31 };
            let [samples] = race(rounds(turns, 2), [&mut || time(&site, size)]);
            series.points.push((size as f64, samples.median()));
        }
        eprintln!("{}, {backend}, {size}: filled in {filled:.1} s", collection.name);
    }
    all
}

fn main() {
    let folder = plots(env!("CARGO_TARGET_TMPDIR"));
    let mut rows = Vec::new();
    for collection in &COLLECTIONS {
        let name = collection.name;
        let series = ["sqlite", "redb"].map(|backend| measure(backend, collection)).concat();
        let svg = plot(&format!("{name}, by its size"), "rows", &series);
        std::fs::write(folder.join(format!("{name}.svg")), svg).expect("a plot");
        for each in &series {
            rows.push(Row::of_growth(format!("{name}: growth of {}", each.name), &each.points));
        }
    }
    keep(env!("CARGO_TARGET_TMPDIR"), "collections", &rows);
}
