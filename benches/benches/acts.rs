//! What is done to one row, and what is looked up or read: verbs over knowledge, work and routes that
//! `collections` does not draw, in a store of 100 to 1,000,000 rows. Of work, the first hundred of every
//! 10,000 items are open.
//!
//! `cargo bench -p staleness-benches --bench acts [-- --quick]` draws five plots in `docs/plots`; a short
//! run leaves them alone. A full run holds 1,000,000 items, some 2 GB.

use staleness::ids::{ItemKey, WorkKey};
use staleness::knowledge::{Item, ItemKind};
use staleness::registry::{ItemPatch, Learn, ScopeChoice, WorkListing, WorkPatch};
use staleness::route::RouteKey;
use staleness::store::Selection;
use staleness::time::DAY;
use staleness::work::{Work, WorkKind};
use staleness_benches::chance::Chance;
use staleness_benches::collections::{Collection, Page, Site, draw};
use staleness_benches::fill;
use staleness_benches::put::put;
use staleness_benches::race::timed;
use staleness_benches::routes::{fill_routes, route, tool};
use staleness_benches::work::fill_work;

const KNOWLEDGE: Collection = Collection {
    name: "knowledge",
    grow: |site, range| site.fill_items(&range),
    pages: &[
        Page {
            name: "knowledge-acts",
            title: "what is done to one item",
            verbs: &[
                ("edit", |site, size| {
                    let act = site.act();
                    let body = Some(format!("What was found anew, {}.", act.op));
                    let patch = ItemPatch { body, ..ItemPatch::default() };
                    let keys = vec![known(site, size)];
                    timed(|| site.registry.edit_items(keys, patch, act).expect("it is edited"))
                }),
                ("contradict", |site, size| {
                    let act = site.act();
                    let (by, reason) = ("somebody".to_owned(), format!("not so: {}", act.op));
                    let say = || site.registry.contradict_item(known(site, size), by, reason, act);
                    timed(|| say().expect("it is noted"))
                }),
                ("supersede", |site, size| {
                    let (old, new) = (known(site, size), added(site));
                    let act = site.act();
                    timed(|| site.registry.supersede_item(old, new, act).expect("it is noted"))
                }),
                ("done", |site, size| {
                    let (keys, act) = (vec![todo(site, size)], site.act());
                    let time = timed(|| site.registry.done_items(keys.clone(), act).expect("done"));
                    site.registry.reopen_items(keys, site.act()).expect("it is open");
                    time
                }),
                ("reopen", |site, size| {
                    let keys = vec![todo(site, size)];
                    site.registry.done_items(keys.clone(), site.act()).expect("it is done");
                    let act = site.act();
                    timed(|| site.registry.reopen_items(keys, act).expect("it is open"))
                }),
                ("count a recall", |site, size| {
                    let act = site.act();
                    let keys = (0..10).map(|at| item(site, (site.some(size) + at) % size));
                    let keys = keys.collect();
                    timed(|| {
                        let counted = site.registry.count_recalls(keys, act);
                        assert_eq!(counted.expect("it is counted"), 10);
                    })
                }),
            ],
        },
        Page {
            name: "knowledge-looks",
            title: "looking for items, and removing one",
            verbs: &[
                ("remove", |site, _| {
                    let (key, act) = (added(site), site.act());
                    timed(|| site.registry.remove_item(key, act).expect("it is removed"))
                }),
                ("by its id", |site, size| {
                    drop(site.act());
                    let id = known(site, size).id;
                    let find = || site.registry.item(site.id(), &id, ScopeChoice::Either);
                    timed(|| find().expect("an item"))
                }),
                ("ten by their ids", |site, size| {
                    drop(site.act());
                    let keys: Vec<ItemKey> =
                        (0..10).map(|at| item(site, (site.some(size) + at) % size)).collect();
                    timed(|| site.registry.items_of(&keys).expect("items"))
                }),
                ("most alike", |site, _| {
                    timed(|| site.registry.nearest_item(site.id(), "item-0000x7").expect("an id"))
                }),
                ("read all whole", |site, _| {
                    timed(|| site.registry.items(site.id()).expect("items"))
                }),
            ],
        },
    ],
};

const WORK: Collection = Collection {
    name: "work",
    grow: |site, range| {
        let at = site.now();
        fill_work(&site.registry, &site.project, range, (100, 0), (at, at));
    },
    pages: &[
        Page {
            name: "work-acts",
            title: "what is done to one work item",
            verbs: &[
                ("edit", |site, size| {
                    let (key, act) = (site.open_work(size), site.act());
                    let text = Some(format!("What is to be done anew, {}.", act.op));
                    let patch = WorkPatch { text, ..WorkPatch::default() };
                    timed(|| site.registry.set_work(key, patch, act).expect("it is edited"))
                }),
                ("step", |site, size| {
                    let (key, act) = (site.open_work(size), site.act());
                    let text = "One step of it.".to_owned();
                    timed(|| site.registry.step_work(key, text, act).expect("it is noted"))
                }),
                ("resolve", |site, _| {
                    let (key, act) = (overdue(site), site.act());
                    let resolve = || site.registry.resolve_work(&site.project, key, act);
                    timed(|| resolve().expect("it is resolved"))
                }),
                ("reopen", |site, _| {
                    let (key, act) = (overdue(site), site.act());
                    let resolve = || site.registry.resolve_work(&site.project, key.clone(), act);
                    resolve().expect("it is resolved");
                    let act = site.act();
                    timed(|| site.registry.reopen_work(key, act).expect("it is open"))
                }),
            ],
        },
        Page {
            name: "work-looks",
            title: "looking for work items",
            verbs: &[
                ("by its id", |site, size| {
                    drop(site.act());
                    let id = site.open_work(size).id;
                    let find = || site.registry.work_item(site.id(), &id, ScopeChoice::Either);
                    timed(|| find().expect("a work item"))
                }),
                ("judge one", |site, _| {
                    let id = overdue(site).id;
                    let find = || site.registry.work_item(site.id(), &id, ScopeChoice::Either);
                    let (work, now) = (vec![find().expect("a work item")], site.now());
                    let judge = || site.registry.work_reports(&site.project, work, now);
                    timed(|| judge().expect("a report"))
                }),
                ("most alike", |site, _| {
                    timed(|| site.registry.nearest_work(site.id(), "work-0000x7").expect("an id"))
                }),
                ("read all", |site, _| {
                    let all = WorkListing::default();
                    timed(|| site.registry.work_items(site.id(), all).expect("a list"))
                }),
            ],
        },
    ],
};

const ROUTES: Collection = Collection {
    name: "routes",
    grow: |site, range| {
        if range.start == 0 {
            fill(&site.registry, &site.project, 500, 0..500);
        }
        fill_routes(&site.registry, &site.project, range, |_| 0.9);
    },
    pages: &[Page {
        name: "routes-acts",
        title: "what is done to one route, and looking for one",
        verbs: &[
            ("note a use", |site, _| {
                let (key, act) = (learned(site), site.act());
                timed(|| {
                    let noted = site.registry.use_routes(vec![key], &act.op, act.at);
                    assert_eq!(noted.expect("it is noted"), 1);
                })
            }),
            ("forget", |site, _| {
                let (key, at) = (learned(site), site.act().at);
                timed(|| site.registry.forget_route(site.id(), key.id, at).expect("forgotten"))
            }),
            ("preview learning", |site, _| {
                let act = site.act();
                let query = format!("something new {}", act.op);
                let learn = Learn::new(act.op, query, tool(site.acts()), act.at);
                timed(|| site.registry.preview_learn(&site.project, learn).expect("a route"))
            }),
            ("most alike", |site, _| {
                timed(|| site.registry.nearest_route(site.id(), "0123x").expect("an id"))
            }),
        ],
    }],
};

fn item(site: &Site, at: usize) -> ItemKey {
    site.item(&format!("item-{at:06}"))
}

fn known(site: &Site, size: usize) -> ItemKey {
    item(site, site.some(size))
}

/// Kinds of items take turns.
fn todo(site: &Site, size: usize) -> ItemKey {
    let kinds = ItemKind::ALL.len();
    let place = ItemKind::ALL.iter().position(|kind| *kind == ItemKind::Todo).expect("a kind");
    item(site, site.some(size / kinds) * kinds + place)
}

/// An item that was just added.
fn added(site: &Site) -> ItemKey {
    let act = site.act();
    let key = site.item(&format!("new-{}", act.op));
    let item = Item::new(key.clone(), ItemKind::Knowledge, "What was found.", act.at);
    site.registry.add_item(item, act).expect("it is added");
    key
}

/// A work item that was written down long ago.
fn overdue(site: &Site) -> WorkKey {
    let key = site.work(&format!("old-{}", site.act().op));
    let long_ago = site.now().plus_millis(-60 * DAY);
    let work = Work::new(key.clone(), WorkKind::Handoff, "To be done.", long_ago);
    put(&site.registry, Selection::new(), move |_, draft| draft.put_work(work.clone()));
    key
}

/// A route that was just learned.
fn learned(site: &Site) -> RouteKey {
    let at = site.acts() + 10_000_000;
    drop(site.act());
    let row = route(site.id(), at, 0.9, &mut Chance(at as u64));
    let key = row.key.clone();
    put(&site.registry, Selection::new(), move |_, draft| draft.put_route(row.clone()));
    key
}

fn main() {
    draw("acts", env!("CARGO_TARGET_TMPDIR"), &[KNOWLEDGE, WORK, ROUTES]);
}
