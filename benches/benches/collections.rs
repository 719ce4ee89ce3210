//! Knowledge, work, routes, documents, sessions and the journal: what their verbs cost in a store of 100 to 1,000,000
//! rows. Of work, the first hundred of every 10,000 items are open; `history` tells the last 50 entries of one item. Of
//! documents every hundredth has findings, and every ten thousandth is loaded by a client.
//!
//! `cargo bench -p staleness-benches --bench collections [-- --quick]` draws six plots in `docs/plots`; a short
//! run leaves them alone. A full run holds 1,000,000 items, some 2 GB.

use std::collections::BTreeSet;

use staleness::Timestamp;
use staleness::ids::{DocumentKey, SessionId};
use staleness::journal::Subject;
use staleness::knowledge::{Block, Document, Item, ItemKind};
use staleness::registry::{Act, FindRoutes, Learn, Verification, WorkListing};
use staleness::work::{Work, WorkKind};
use staleness_benches::collections::{BATCH, Collection, Page, Site, draw};
use staleness_benches::put::put_all;
use staleness_benches::race::timed;
use staleness_benches::routes::{fill_routes, tool};
use staleness_benches::work::{fill_journal, fill_work};
use staleness_benches::{QUESTION, START, fill};

const TOOLS: usize = 500;
/// Entries that a history tells.
const HISTORY: u32 = 50;

const COLLECTIONS: [Collection; 6] = [
    Collection {
        name: "knowledge",
        grow: |site, range| site.fill_items(&range),
        pages: &[Page {
            name: "knowledge",
            title: "knowledge, by its size",
            verbs: &[
                ("add", |site, _| {
                    let act = site.act();
                    let key = site.item(&format!("new-{}", act.op));
                    let item = Item::new(key, ItemKind::Knowledge, "What was found.", act.at);
                    timed(|| site.registry.add_item(item, act).expect("it is added"))
                }),
                ("verify", |site, size| {
                    let act = site.act();
                    let key = site.item(&format!("item-{:06}", site.some(size)));
                    let (citations, moved) = (BTreeSet::new(), Vec::new());
                    let seen = vec![Verification { key, commit: None, citations, moved }];
                    timed(|| site.registry.verify_items(seen, act).expect("it is verified"))
                }),
                ("read all", |site, _| {
                    timed(|| site.registry.item_briefs(site.id()).expect("items"))
                }),
            ],
        }],
    },
    Collection {
        name: "work",
        grow: |site, range| {
            let at = site.now();
            fill_work(&site.registry, &site.project, range, (100, 0), (at, at));
        },
        pages: &[Page {
            name: "work",
            title: "work, by its size",
            verbs: &[
                ("add", |site, _| add_work(site)),
                ("touch", |site, size| {
                    let at = site.act().at;
                    let key = site.open_work(size);
                    timed(|| site.registry.touch_work(key, at).expect("it is touched"))
                }),
                ("list open", |site, _| {
                    let open = WorkListing { open: true, ..WorkListing::default() };
                    timed(|| site.registry.work_items(site.id(), open).expect("a list"))
                }),
            ],
        }],
    },
    Collection {
        name: "routes",
        grow: |site, range| {
            if range.start == 0 {
                fill(&site.registry, &site.project, TOOLS, 0..TOOLS);
            }
            fill_routes(&site.registry, &site.project, range, |_| 0.9);
        },
        pages: &[Page {
            name: "routes",
            title: "routes, by its size",
            verbs: &[
                ("learn", |site, _| {
                    let act = site.act();
                    let query = format!("something new {}", act.op);
                    let learn = Learn::new(act.op, query, tool(site.acts()), act.at);
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
        }],
    },
    Collection {
        name: "documents",
        grow: |site, range| {
            let make = |at| document(site, at);
            put_all(&site.registry, range, make, |draft, row| draft.put_document(row.clone()));
        },
        pages: &[Page {
            name: "documents",
            title: "documents, by its size",
            verbs: &[
                ("keep one", |site, size| {
                    let mut row = document(site, site.some(size));
                    row.checked_at = site.act().at;
                    row.digest = site.acts() as u128;
                    let (id, at) = (site.id(), row.checked_at);
                    timed(|| {
                        site.registry.put_documents(id, vec![row], None, at).expect("it is kept")
                    })
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
        }],
    },
    Collection {
        name: "sessions",
        grow: |site, range| {
            let make = |at| site.session(at);
            put_all(&site.registry, range, make, |draft, row| draft.put_session(row.clone()));
        },
        pages: &[Page {
            name: "sessions",
            title: "sessions, by its size",
            verbs: &[
                ("start", |site, size| {
                    let known = site.session(site.some(size));
                    let Act { op, at, .. } = site.act();
                    let id = SessionId::new(op.as_str()).expect("a valid id");
                    let start = || site.registry.start_session(site.id(), &known.agent, &id, at);
                    timed(|| start().expect("it begins"))
                }),
                ("end", |site, size| {
                    let known = site.session(site.some(size)).key.id;
                    let at = site.act().at;
                    timed(|| site.registry.end_session(site.id(), &known, at).expect("it ends"))
                }),
                ("list", |site, _| timed(|| site.registry.sessions(site.id()).expect("sessions"))),
            ],
        }],
    },
    Collection {
        name: "journal",
        grow: |site, range| {
            if range.start == 0 {
                let at = site.now();
                fill_work(&site.registry, &site.project, 0..10, (0, 0), (at, at));
                // The item whose history is asked for has one whatever the size.
                fill_journal(&site.registry, &site.project, 1, (HISTORY as usize, BATCH), at);
            }
            // Ten times as many items, so that each has some ten entries.
            let items = (range.end / 10).max(10);
            fill_journal(&site.registry, &site.project, items, (range.len(), BATCH), site.now());
        },
        pages: &[Page {
            name: "journal",
            title: "journal, by its size",
            verbs: &[
                ("add", |site, _| add_work(site)),
                ("history", |site, _| {
                    let subject = Subject::work(&site.work("work-000000000"));
                    timed(|| site.registry.journal_of(subject, HISTORY).expect("a history"))
                }),
            ],
        }],
    },
];

/// Adds a work item, which is an entry of the journal too.
fn add_work(site: &Site) -> f64 {
    let act = site.act();
    let key = site.work(&format!("new-{}", act.op));
    let work = Work::new(key, WorkKind::Plan, "To be done.", act.at);
    timed(|| site.registry.add_work(work, act).expect("it is added"))
}

fn document(site: &Site, at: usize) -> Document {
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
            project: site.project.id.clone(),
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

fn main() {
    draw("collections", env!("CARGO_TARGET_TMPDIR"), &COLLECTIONS);
}
