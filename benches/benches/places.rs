//! Projects, sources, cursors and what was suggested in sessions: what their verbs cost where there are 100 to
//! 1,000,000 of them.
//!
//! `cargo bench -p staleness-benches --bench places [-- --quick]` draws four plots in `docs/plots`; a short
//! run leaves them alone.

use staleness::Timestamp;
use staleness::ids::{AgentId, Level, SourceId, ToolName};
use staleness::journal::Revision;
use staleness::outcome::OutcomeKind;
use staleness::project::{Project, Told};
use staleness::registry::{ByHand, Resume, ScopeChoice, Use};
use staleness::route::{Prompted, SuggestedTool, Suggestions};
use staleness::scan::{Found, ProjectRef, Scan, SourceReading};
use staleness::session::{Cursor, CursorKey};
use staleness::source::{Source, SourceState};
use staleness::store::Selection;
use staleness_benches::START;
use staleness_benches::chance::Chance;
use staleness_benches::collections::{Collection, Page, Site, draw};
use staleness_benches::put::{put, put_all};
use staleness_benches::race::timed;
use staleness_benches::routes::{route, tool};
use staleness_benches::work::{fill_journal, fill_work};

/// Work items that cursors are told of.
const ITEMS: usize = 10;

const PROJECTS: Collection = Collection {
    name: "projects",
    grow: |site, range| {
        let make = |at| project(&place(at));
        put_all(&site.registry, range, make, |draft, row| draft.put_project(row.clone()));
    },
    pages: &[Page {
        name: "projects",
        title: "projects, by their number",
        verbs: &[
            ("see a new one", |site, _| {
                let new = new_place(site);
                timed(|| site.registry.see_project(&new, site.now()).expect("it is seen"))
            }),
            ("see a known one", |site, size| {
                drop(site.act());
                let known = place(site.some(size));
                timed(|| site.registry.see_project(&known, site.now()).expect("it is seen"))
            }),
            ("forget one", |site, _| {
                let new = new_place(site);
                site.registry.see_project(&new, site.now()).expect("it is seen");
                let act = site.act();
                let forget = || site.registry.forget_project(new.id, act.op, act.at);
                timed(|| forget().expect("it is forgotten"))
            }),
            ("forget a tool", |site, _| {
                let name = ToolName::new(format!("new-{}", site.acts())).expect("a valid name");
                let (act, by) = (site.act(), site.act());
                let success = OutcomeKind::Success;
                let one = Use::new(act.op, name.clone(), success, act.at, site.project.clone());
                site.registry.record_quietly(one).expect("it is recorded");
                let by_hand = ByHand {
                    op: by.op,
                    name,
                    scope: ScopeChoice::Either,
                    project: site.project.clone(),
                    at: by.at,
                    note: None,
                    session: None,
                    actor: None,
                };
                timed(|| site.registry.forget(by_hand).expect("it is forgotten"))
            }),
            ("list", |site, _| timed(|| site.registry.projects().expect("projects"))),
            ("prune no route", |site, size| {
                // A look for each project: a million take redb a quarter of an hour.
                if size > 10_000 {
                    return f64::NAN;
                }
                timed(|| site.registry.prune_all_routes(site.now(), true).expect("nothing"))
            }),
        ],
    }],
};

const SOURCES: Collection = Collection {
    name: "sources",
    grow: |site, range| {
        let make = |at| source(site, at);
        put_all(&site.registry, range, make, |draft, row| draft.put_source(row.clone()));
    },
    pages: &[Page {
        name: "sources",
        title: "sources of a project, by their number",
        verbs: &[
            ("scan one", |site, size| {
                let known = source(site, site.some(size));
                let at = site.act().at;
                let read_under = site.registry.readings(site.id()).expect("readings");
                let reading = SourceReading {
                    id: known.id,
                    path: known.path,
                    state: SourceState::Read,
                    root_is_there: true,
                    error: None,
                    found: Found::server(&format!("server{}", site.acts())).into_iter().collect(),
                };
                let scan = Scan {
                    project: site.project.clone(),
                    sources: vec![reading],
                    indexes: Vec::new(),
                    read_under,
                    at,
                    session: None,
                    client: None,
                };
                timed(|| site.registry.apply_scan(scan).expect("a scan"))
            }),
            ("readings", |site, _| timed(|| site.registry.readings(site.id()).expect("readings"))),
            ("list", |site, _| timed(|| site.registry.sources().expect("sources"))),
        ],
    }],
};

const CURSORS: Collection = Collection {
    name: "cursors",
    grow: |site, range| {
        if range.start == 0 {
            // What the journal will be about.
            fill_work(
                &site.registry,
                &site.project,
                0..ITEMS,
                (ITEMS, 0),
                (site.now(), site.now()),
            );
        }
        let make = |at| cursor(site, at);
        put_all(&site.registry, range, make, |draft, row| draft.put_cursor(row.clone()));
    },
    pages: &[Page {
        name: "cursors",
        title: "cursors of agents, by their number",
        verbs: &[
            ("resume", |site, size| {
                drop(site.act());
                fill_journal(&site.registry, &site.project, ITEMS, (1, 1), site.now());
                let resume = Resume::new(agent(site.some(size)));
                tell(site, &resume);
                fill_journal(&site.registry, &site.project, ITEMS, (1, 1), site.now());
                let ask = || site.registry.resume(&site.project, resume, site.now());
                timed(|| ask().expect("what changed"))
            }),
            ("note what was told", |site, size| {
                drop(site.act());
                fill_journal(&site.registry, &site.project, ITEMS, (1, 1), site.now());
                tell(site, &Resume::new(agent(site.some(size))))
            }),
            ("the same, a new agent", |site, _| {
                let new = AgentId::new(site.act().op.as_str()).expect("a valid name");
                fill_journal(&site.registry, &site.project, ITEMS, (1, 1), site.now());
                tell(site, &Resume::new(new))
            }),
        ],
    }],
};

const SUGGESTIONS: Collection = Collection {
    name: "suggestions",
    grow: |site, range| {
        let make = |at| suggestions(site, at);
        put_all(&site.registry, range, make, |draft, row| draft.put_suggestions(row.clone()));
    },
    pages: &[Page {
        name: "suggestions",
        title: "sessions with suggestions, by their number",
        verbs: &[
            ("read", |site, size| {
                drop(site.act());
                let key = suggestions(site, site.some(size)).key;
                timed(|| site.registry.suggestions(&key).expect("suggestions"))
            }),
            ("note a prompt", |site, size| {
                let at = site.act().at;
                let key = suggestions(site, site.some(size)).key;
                timed(|| site.registry.note_prompt(key, prompted(at)).expect("it is noted"))
            }),
            ("note what was asked", |site, _| {
                let act = site.act();
                let key = site.session_key(act.op.as_str());
                timed(|| site.registry.note_suggested(key, prompted(act.at)).expect("it is noted"))
            }),
            ("forget", |site, _| {
                let act = site.act();
                let key = site.session_key(act.op.as_str());
                site.registry.note_prompt(key.clone(), prompted(act.at)).expect("it is noted");
                timed(|| site.registry.forget_suggestions(key, act.at).expect("forgotten"))
            }),
            ("forget a route", |site, _| {
                let at = site.act().at;
                let number = site.acts() + 10_000_000;
                let row = route(site.id(), number, 0.9, &mut Chance(number as u64));
                let id = row.key.id;
                put(&site.registry, Selection::new(), move |_, draft| draft.put_route(row.clone()));
                timed(|| site.registry.forget_route(site.id(), id, at).expect("it is forgotten"))
            }),
        ],
    }],
};

fn place(at: usize) -> ProjectRef {
    ProjectRef::of_root(format!("/bench/projects/{at}"))
}

fn new_place(site: &Site) -> ProjectRef {
    ProjectRef::of_root(format!("/bench/new/{}", site.act().op))
}

fn project(place: &ProjectRef) -> Project {
    Project {
        id: place.id.clone(),
        root: place.root.clone(),
        first_seen_at: Timestamp::from_millis(START),
        last_seen_at: Timestamp::from_millis(START),
        config_digest: 0,
        told: Told::default(),
    }
}

fn source(site: &Site, at: usize) -> Source {
    let (client, part) = ("bench".to_owned(), format!("plugin:{at}"));
    let read_at = Timestamp::from_millis(START);
    Source {
        id: SourceId { project: Some(site.id().clone()), client, level: Level::Project, part },
        path: format!("/bench/project/plugins/{at}"),
        state: SourceState::Read,
        found: 0,
        digest: at as u128,
        readings: 1,
        last_read_at: Some(read_at),
        last_scan_at: read_at,
    }
}

fn agent(at: usize) -> AgentId {
    AgentId::new(format!("agent-{at}")).expect("a valid name")
}

fn cursor(site: &Site, at: usize) -> Cursor {
    Cursor {
        key: CursorKey { project: site.id().clone(), agent: agent(at) },
        revision: Revision(0),
        session: None,
        moved_at: Timestamp::from_millis(START),
    }
}

/// Asks what changed, and notes that it was told: how long the second takes.
fn tell(site: &Site, resume: &Resume) -> f64 {
    let now = site.now();
    let delta = site.registry.resume(&site.project, resume.clone(), now).expect("what changed");
    timed(|| {
        let moved = site.registry.mark_resumed(site.id(), resume, &delta, now);
        assert!(moved.expect("it is noted"), "the cursor moves");
    })
}

fn prompted(at: Timestamp) -> Prompted {
    let suggested = SuggestedTool { tool: tool(7), route: None };
    let query = Some("find the invoice of a customer".to_owned());
    Prompted { at, query, tools: vec![suggested], taught: Vec::new() }
}

fn suggestions(site: &Site, at: usize) -> Suggestions {
    let mut row = Suggestions::new(site.session_key(&format!("session-{at}")));
    row.note(prompted(Timestamp::from_millis(START + at as i64)));
    row
}

fn main() {
    let collections = [PROJECTS, SOURCES, CURSORS, SUGGESTIONS];
    draw("places", env!("CARGO_TARGET_TMPDIR"), &collections);
}
