//! Items of knowledge: their scores, what follows from each other, finding them again, and reading
//! Markdown against the CommonMark parser alone.
//!
//! `cargo bench -p staleness-benches --bench knowledge [-- --quick]`

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use pulldown_cmark::{Options, Parser};
use staleness::knowledge::{
    Context, Item, RecallIndex, SignalSet, gather_signals, recall, score_and_level,
    score_and_level_of,
};
use staleness::policy::KnowledgePolicy;
use staleness::scan::ProjectRef;
use staleness_benches::knowledge::{fill_items, items};
use staleness_benches::process::run;
use staleness_benches::race::{race, timed};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::{registry, rounds};
use staleness_sources::documents::survey;

const CLI: &str = env!("CARGO_BIN_EXE_bench-hook");
const MANY: usize = 10_000;
const QUESTION: &str = "how is the ledger of invoices migrated";

/// The bare formula of the kind `knowledge`, without a policy, kinds or rounding.
fn formula_floor(days: &[i64]) -> f64 {
    days.iter().map(|days| (1.0 - 0.3 * *days as f64 / 90.0).max(0.0)).sum()
}

fn scores(rows: &mut Vec<Row>, items: &[Item], context: &Context) {
    let days: Vec<i64> =
        items.iter().map(|item| context.now().days_since(item.anchored_at())).collect();
    let [floor, ours] = race(
        rounds(401, 3),
        [&mut || timed(|| formula_floor(black_box(&days))), &mut || {
            timed(|| {
                let scored = items.iter().map(|item| score_and_level(item, &[], context));
                scored.map(|(freshness, _)| freshness).sum::<f64>()
            })
        }],
    );
    rows.push(Row::of("score and level of an item", &floor, &ours, MANY, Goal::Within(25e-9)));
    let all: Vec<&Item> = items.iter().collect();
    let [floor, ours] = race(
        rounds(201, 3),
        [&mut || timed(|| formula_floor(black_box(&days))), &mut || {
            timed(|| {
                let mut signals = vec![SignalSet::default(); all.len()];
                gather_signals(&all, &mut signals, context);
                let pairs = all.iter().zip(&signals);
                pairs
                    .map(|(item, signals)| score_and_level_of(item, *signals, context).0)
                    .sum::<f64>()
            })
        }],
    );
    let work = "10,000 items with what follows from each other";
    rows.push(Row::of(work, &floor, &ours, 1, Goal::Within(2e-3)));
}

fn recalls(rows: &mut Vec<Row>, items: &[Item], context: &Context) {
    let all: Vec<&Item> = items.iter().collect();
    let index = RecallIndex::new(&all);
    let needle = "ledger";
    let [floor, ours] = race(
        rounds(101, 3),
        [
            // To look through the texts once for one word.
            &mut || timed(|| items.iter().filter(|item| item.body.contains(needle)).count()),
            &mut || timed(|| recall(&index, &all, black_box(QUESTION), &[], context, 10).len()),
        ],
    );
    rows.push(Row::of("recall among 10,000 items, warm", &floor, &ours, 1, Goal::Within(5e-3)));
}

fn recall_process(rows: &mut Vec<Row>, items: Vec<Item>, project: &Path, store: &Path) {
    let url = format!("sqlite:{}", store.display());
    fill_items(&registry(&url), items);
    let home = project.parent().expect("a folder");
    let cli = |args: &[&str]| {
        let mut command = Command::new(CLI);
        command.env_clear().env("HOME", home).env("STALENESS_STORE", &url);
        run(command.args(args).current_dir(project), "")
    };
    let mut raw = || {
        timed(|| {
            let db = rusqlite::Connection::open(store).expect("the store");
            let mut all = db.prepare("SELECT scope, id, body FROM knowledge").expect("a statement");
            let mut rows = all.query(()).expect("rows");
            let mut bytes = 0;
            while let Some(row) = rows.next().expect("a row") {
                bytes += row.get::<_, String>(2).expect("a text").len();
            }
            bytes
        })
    };
    let [floor, empty, ours] = race(
        rounds(41, 1),
        [
            &mut raw,
            &mut || run(&mut Command::new(env!("CARGO_BIN_EXE_bench-empty")), ""),
            &mut || cli(&["knowledge", "recall", QUESTION, "--json", "--peek"]),
        ],
    );
    eprintln!("an empty process {:.2} ms", empty.median() * 1e3);
    let work = "knowledge recall among 10,000 items, cold process ÷ reading the texts in process";
    rows.push(Row::of(work, &floor, &ours, 1, Goal::Within(60e-3)));
}

/// The Markdown of this workspace, several times.
fn corpus() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = Vec::new();
    for folder in ["", "docs", "docs/decisions", "fuzz"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        let paths = entries.flatten().map(|entry| entry.path());
        let markdown = paths.filter(|path| path.extension().is_some_and(|end| end == "md"));
        texts.extend(markdown.filter_map(|path| std::fs::read_to_string(path).ok()));
    }
    texts.sort();
    texts
}

fn reading(rows: &mut Vec<Row>) {
    let texts = corpus();
    let bytes: usize = texts.iter().map(String::len).sum();
    eprintln!("{} Markdown files of {bytes} bytes", texts.len());
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    let [floor, ours] = race(
        rounds(101, 3),
        [
            &mut || {
                timed(|| {
                    let events = |text| Parser::new_ext(text, options).into_offset_iter();
                    texts.iter().map(|text| events(text).map(black_box).count()).sum::<usize>()
                })
            },
            &mut || {
                timed(|| {
                    let all = survey(&texts).expect("a survey");
                    all.blocks + all.names + all.markers
                })
            },
        ],
    );
    let work = "Markdown: blocks, names and temporal words ÷ the CommonMark parser alone";
    rows.push(Row::of(work, &floor, &ours, 1, Goal::Times(1.5)));
}

fn main() {
    let dir = tempfile::tempdir().expect("a folder");
    let project = dir.path().join("project");
    std::fs::create_dir_all(project.join(".git")).expect("a folder");
    let project = project.canonicalize().expect("a path");
    let place = ProjectRef::of_root(project.display().to_string());
    let now = staleness::clock::now();
    let items = items(&place, MANY, now);
    let context =
        Context::new(now, &KnowledgePolicy::default(), None, None).at_version(Some("2.6.1"));
    let mut rows = Vec::new();
    scores(&mut rows, &items, &context);
    recalls(&mut rows, &items, &context);
    reading(&mut rows);
    recall_process(&mut rows, items, &project, &dir.path().join("store"));
    keep(env!("CARGO_TARGET_TMPDIR"), "knowledge", &rows);
}
