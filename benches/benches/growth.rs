//! Measures how operations scale as a SQLite store grows from 100 to 1,000,000 rows.
//!
//! Rows are outcomes, with an equal number of tools up to 100,000. For `recall` they are knowledge items, up
//! to 100,000; for `resume` journal entries; for `check` 10 to 1,000 documents with 20 commits each. At
//! 1,000,000 entries, `resume` is also compared with a raw program that reads the same rows.
//!
//! `cargo bench -p staleness-benches --bench growth [-- --quick]`

use std::collections::BTreeMap;
use std::process::Command;

use staleness::ids::Level;
use staleness::registry::{FindTools, ScopeChoice, ToolListing};
use staleness::scan::Found;
use staleness::store::Selection;
use staleness::{Registry, Timestamp, Wait};
use staleness_benches::history::repository;
use staleness_benches::knowledge::items;
use staleness_benches::process::run;
use staleness_benches::put::put;
use staleness_benches::race::{race, timed};
use staleness_benches::ratios::{Goal, Growth, Row, keep};
use staleness_benches::site::Site;
use staleness_benches::work::{fill_journal, fill_work, tell_all};
use staleness_benches::{QUESTION, START, fill, rounds, uses};
use staleness_conformance::workload::exported;
use staleness_core::transfer::Record;

const CLI: &str = env!("CARGO_BIN_EXE_bench-hook");
const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
/// Numbers of documents in the checked repositories.
const DOCUMENTS: [usize; 3] = [10, 100, 1_000];
/// Maximum number of tools, and of knowledge items.
const MOST: usize = 100_000;
/// Number of journal entries that are new to the agent.
const NEW: usize = 50;
const AGENT: &str = "agent";

/// Operations that touch few rows.
const LEVEL: [&str; 5] = ["record", "unchanged scan", "session start", "resume", "show"];
/// Operations that read or write all rows.
const WHOLE: [&str; 6] = ["list", "suggest", "recall", "export", "import", "check"];

/// Size and seconds for each operation.
type Curves = BTreeMap<&'static str, Vec<(f64, f64)>>;

/// Lets operations take turns, and notes the median of each.
fn measure<const N: usize>(
    curves: &mut Curves,
    size: usize,
    turns: usize,
    operations: [(&'static str, &mut dyn FnMut() -> f64); N],
) {
    let verbs = operations.each_ref().map(|(verb, _)| *verb);
    let measured = race(turns, operations.map(|(_, operation)| operation));
    for (verb, samples) in verbs.into_iter().zip(&measured) {
        eprintln!("{size}, {verb}: {:.3} ms", samples.median() * 1e3);
        curves.entry(verb).or_default().push((size as f64, samples.median()));
    }
}

fn sizes(most: usize) -> impl Iterator<Item = usize> {
    SIZES.into_iter().take(rounds(SIZES.len(), 2)).filter(move |size| *size <= most)
}

fn export(registry: &Registry) -> String {
    exported(registry, &Selection::everything()).expect("an export")
}

/// Returns the seconds that importing an export into a new store takes.
fn import(newcomer: &Site, lines: &str) -> f64 {
    let empty = newcomer.registry();
    timed(|| {
        let mut importer = empty.admin().importer(false).wait().expect("an empty store");
        for line in lines.lines().skip(1) {
            importer.put(Record::read(line).expect("a record")).wait().expect("it is written");
        }
        importer.finish().wait().expect("an import")
    })
}

/// Measures a scan of one source with 12 servers.
fn scan(site: &Site, registry: &Registry, at: Timestamp) -> f64 {
    let found = (0..12).filter_map(|at| Found::server(&format!("server{at}"))).collect();
    timed(|| staleness_benches::scan(registry, site.place(), (Level::User, "mcp"), found, at))
}

fn of_outcomes(curves: &mut Curves) {
    let site = Site::new("sqlite", CLI);
    let (registry, place) = (site.registry(), site.place());
    let now = Timestamp::from_millis(START + 1_000_000_000);
    let (mut outcomes, mut sessions) = (0, 0);
    for size in sizes(usize::MAX) {
        let tools = size.min(MOST);
        fill(&registry, &place, tools, outcomes..size);
        outcomes = size;
        scan(&site, &registry, now);
        let name = format!("mcp__server{}__tool{}", (tools - 1) % 12, tools - 1);
        let key = registry
            .tools()
            .find_key(&place.id, &name, ScopeChoice::Either)
            .wait()
            .expect("the tool");
        let lines = export(&registry);
        let turns = if size < 100_000 { 11 } else { 3 };
        let find = || FindTools::by_words(QUESTION, 10);
        let tools_of = || registry.tools();
        let list = || tools_of().list(&place, ToolListing::default(), now).wait().expect("tools");
        let suggest = || tools_of().suggest(&place, find(), now).wait().expect("tools");
        measure(
            curves,
            size,
            rounds(turns, 1),
            [
                ("list", &mut || timed(list)),
                ("suggest", &mut || timed(suggest)),
                ("export", &mut || timed(|| export(&registry))),
            ],
        );
        let mut import = || import(&site.newcomer(), &lines);
        measure(curves, size, rounds(turns / 3, 1), [("import", &mut import)]);
        drop(lines);
        let mut one = outcomes;
        let show = || tools_of().show(&place, std::slice::from_ref(&key), now).wait();
        let mut record = || {
            one += 1;
            let used = uses(&place, "one", tools, one..one + 1).next().expect("a use");
            timed(|| tools_of().record_quietly(used).wait().expect("it is recorded"))
        };
        measure(
            curves,
            size,
            rounds(101, 3),
            [
                ("record", &mut record),
                ("unchanged scan", &mut || scan(&site, &registry, now)),
                ("show", &mut || timed(|| show().expect("the tool"))),
            ],
        );
        let mut start = || {
            sessions += 1;
            run(&mut site.cli(&["hook"]), &site.start(sessions))
        };
        measure(curves, size, rounds(21, 1), [("session start", &mut start)]);
    }
}

/// Measures recall as a whole process, which builds the index for one question.
fn of_items(curves: &mut Curves) {
    let now = staleness::clock::now();
    for size in sizes(MOST) {
        let site = Site::new("sqlite", CLI);
        let registry = site.registry();
        for part in items(&site.place(), size, now).chunks(10_000) {
            put(&registry, part.to_vec());
        }
        drop(registry);
        let args = ["knowledge", "recall", "how is the ledger migrated", "--json", "--peek"];
        let mut recall = || run(&mut site.cli(&args), "");
        measure(curves, size, rounds(5, 1), [("recall", &mut recall)]);
    }
}

/// Measures resume as a whole process. The journal is about work items, one per ten entries. 1 in 100 of
/// these is open, and half of the open ones are overdue. The agent was told everything except the last
/// entries.
fn of_journal(curves: &mut Curves, rows: &mut Vec<Row>) {
    let site = Site::new("sqlite", CLI);
    let (registry, place, now) = (site.registry(), site.place(), staleness::clock::now());
    let ages = (now.plus_millis(-60 * Timestamp::DAY), now);
    let resume = || run(&mut site.cli(&["resume", "--agent", AGENT, "--peek", "--json"]), "");
    let mut known = 0;
    for size in sizes(usize::MAX) {
        let work = (size / 10).max(NEW);
        fill_work(&registry, &place, known / 10..work, (100, 50), ages);
        let old = (size - NEW).saturating_sub(known);
        fill_journal(&registry, &place, work, (old, usize::MAX), now);
        tell_all(&registry, &place, AGENT);
        fill_journal(&registry, &place, work, (NEW, 1), now);
        known = size;
        measure(curves, size, rounds(21, 1), [("resume", &mut || resume())]);
    }
    let until = now.plus_millis(-45 * Timestamp::DAY).as_millis().to_string();
    let raw = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench-raw-work"));
        command.arg(site.store()).args([place.id.as_str(), &until, AGENT]);
        run(&mut command, "")
    };
    let [floor, ours] = race(rounds(51, 3), [&mut || raw(), &mut || resume()]);
    let work = "resume, journal of 1,000,000, 50 new";
    rows.push(Row::of(work, &floor, &ours, 1, Goal::Within(10e-3)));
    rows.push(Row::of(format!("{work}: the ratio"), &floor, &ours, 1, Goal::Times(1.5)));
}

/// Measures the first check of a repository.
fn of_documents(curves: &mut Curves) {
    for documents in DOCUMENTS.into_iter().take(rounds(DOCUMENTS.len(), 2)) {
        let site = Site::new("sqlite", CLI);
        repository(&site.project(), documents);
        let mut check = || run(&mut site.newcomer().cli(&["check", "--json"]), "");
        measure(curves, documents, rounds(3, 1), [("check", &mut check)]);
    }
}

fn main() {
    let (mut curves, mut rows) = (Curves::new(), Vec::new());
    of_outcomes(&mut curves);
    of_items(&mut curves);
    of_journal(&mut curves, &mut rows);
    of_documents(&mut curves);
    for (verbs, goal) in [(&LEVEL[..], Growth::InAll(3.0)), (&WHOLE[..], Growth::Step(20.0))] {
        for verb in verbs {
            rows.push(Row::of_growth(format!("growth: {verb}"), &curves[verb], goal));
        }
    }
    keep(env!("CARGO_TARGET_TMPDIR"), "growth", &rows);
}
