//! The algorithms of the core, each against the least that would do.
//!
//! `cargo bench -p staleness-benches --bench core [-- --quick]`

mod floors;
mod pair;

use std::collections::{HashMap, VecDeque};
use std::hint::black_box;
use std::sync::Arc;

use criterion::Criterion;
use floors::{Slim, diff_floor, rank_floor, window_floor};
use pair::{Ratio, pair};
use staleness::ids::ToolKey;
use staleness::outcome::Mark;
use staleness::registry::RecordUses;
use staleness::report::{Context, ToolReport, rank};
use staleness::scan::{ApplyScan, ProjectRef};
use staleness::store::{Step, View};
use staleness::tool::{Health, Ring, RingEntry, Tool};
use staleness::{MemoryStore, Policy, Registry, Timestamp};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::scans::{scan_of, seen};
use staleness_benches::{START, quick, registry, uses};

const MANY: usize = 100_000;

fn name(at: usize) -> String {
    format!("mcp__server{}__tool{at}", at % 12)
}

fn diffs(criterion: &mut Criterion<Ratio>, rows: &mut Vec<Row>) {
    let place = ProjectRef::of_root("/bench/project");
    let dir = tempfile::tempdir().expect("a folder");
    let registry = registry(&format!("sqlite:{}", dir.path().join("db").display()));
    let registry = registry.inner();
    let first = scan_of(&place, 0..MANY);
    pollster::block_on(registry.apply_scan(first)).expect("a scan");
    let known: Vec<String> = (0..MANY).map(name).collect();
    let under = pollster::block_on(registry.readings(&place.id)).expect("readings");
    for (work, moved) in [("nothing changed", 0), ("200 changed", 100)] {
        let found: Vec<String> = (moved..MANY + moved).map(name).collect();
        let mut scan = scan_of(&place, moved..MANY + moved);
        scan.read_under = under.clone();
        let step = ApplyScan { scan };
        let view = seen(registry, &step);
        let work = format!("diff of 100,000 names, {work}");
        pair(
            criterion,
            rows,
            (&work, 1, Goal::Times(2.0)),
            || assert_eq!(black_box(diff_floor(&known, &found)), (moved, moved)),
            || drop(black_box(step.decide(&view)).expect("a decision")),
        );
    }
}

fn ranks(criterion: &mut Criterion<Ratio>, rows: &mut Vec<Row>, view: &View, place: &ProjectRef) {
    let policy = Policy::default();
    let now = Timestamp::from_millis(START + MANY as i64 * 1_000);
    let context = Context::new(view, &policy, place, now);
    let mut successes: HashMap<&ToolKey, u32> = HashMap::new();
    let mut counted = 0;
    for outcome in view.last_of_project(&place.id, policy.ranking.window) {
        *successes.entry(&outcome.tool).or_default() += 1;
        counted += 1;
    }
    let slim: Vec<Slim> = context
        .visible()
        .map(|tool| Slim {
            successes: successes.get(&tool.key).copied().unwrap_or(0),
            active: true,
            seen_at: tool.last_used_at.map_or(0, Timestamp::as_millis),
            uses: tool.uses,
        })
        .collect();
    assert_eq!(slim.len(), MANY);
    let tools: Vec<&Tool> = context.visible().collect();
    pair(
        criterion,
        rows,
        ("rank of 100,000, best 20", 1, Goal::Times(2.0)),
        || assert_eq!(black_box(rank_floor(&slim, counted, now.as_millis())).len(), 20),
        || assert_eq!(black_box(rank(&context, tools.iter().copied(), 20)).len(), 20),
    );
    pair(
        criterion,
        rows,
        ("the same from a bare view", 1, Goal::Open),
        || assert_eq!(black_box(rank_floor(&slim, counted, now.as_millis())).len(), 20),
        || {
            let context = Context::new(view, &policy, place, now);
            assert_eq!(black_box(rank(&context, context.visible(), 20)).len(), 20);
        },
    );
    let some = &tools[..1_000];
    pair(
        criterion,
        rows,
        ("verdict of one tool, with its report", some.len(), Goal::Open),
        || some.iter().for_each(|tool| drop(black_box((**tool).clone()))),
        || some.iter().for_each(|tool| drop(black_box(ToolReport::new(&context, tool)))),
    );
}

fn windows(criterion: &mut Criterion<Ratio>, rows: &mut Vec<Row>) {
    let policy = Policy::default().tools;
    let letters = || "SSFSFFSSSFFFFSS".chars().cycle().take(1_000);
    let marks: Vec<Mark> = letters().filter_map(Mark::from_letter).collect();
    let bytes: Vec<u8> = letters().map(|letter| letter as u8).collect();
    let mut slim = (VecDeque::with_capacity(33), false);
    let (mut ring, mut health) = (Ring::default(), Health::default());
    let mut op = 0;
    pair(
        criterion,
        rows,
        ("failure window, one outcome", marks.len(), Goal::Open),
        || {
            for mark in &bytes {
                window_floor(&mut slim.0, *mark, &mut slim.1);
                black_box(slim.1);
            }
        },
        || {
            for mark in &marks {
                op += 1;
                let at = Timestamp::from_millis(op as i64);
                ring.push(RingEntry { mark: *mark, at, op }, policy.rule.window());
                black_box(health.follow(&ring, *mark, at, &policy));
            }
        },
    );
}

fn records(criterion: &mut Criterion<Ratio>, rows: &mut Vec<Row>, place: &ProjectRef) {
    let registry = Registry::new(Arc::new(MemoryStore::new()), Policy::default());
    let blocking = registry.blocking();
    staleness_benches::fill(&blocking, place, 20, 0..1_000);
    let policy = Arc::new(Policy::default());
    let steps: Vec<RecordUses> = uses(place, "bench", 20, 0..200)
        .map(|used| RecordUses { uses: vec![used], policy: Arc::clone(&policy) })
        .collect();
    let views: Vec<View> = steps
        .iter()
        .map(|step| {
            pollster::block_on(registry.store().view(Arc::new(step.selection()))).expect("a view")
        })
        .collect();
    pair(
        criterion,
        rows,
        ("decision to record one outcome", steps.len(), Goal::Open),
        || {
            // A row that is to be written must be copied, whatever is decided.
            for (step, view) in steps.iter().zip(&views) {
                let mut tool = view.tools.values().next().expect("the tool").clone();
                tool.uses += 1;
                black_box((tool, step.uses[0].op.clone(), step.uses[0].project.id.clone()));
            }
        },
        || {
            for (step, view) in steps.iter().zip(&views) {
                black_box(step.selection());
                drop(black_box(step.decide(view)).expect("a decision"));
            }
        },
    );
}

fn main() {
    let mut criterion = Criterion::default()
        .with_measurement(Ratio)
        .measurement_time(std::time::Duration::from_secs(if quick() { 1 } else { 4 }))
        .warm_up_time(std::time::Duration::from_millis(if quick() { 100 } else { 1_000 }));
    let mut rows = Vec::new();
    eprintln!("each ratio is our time divided by the floor's");
    diffs(&mut criterion, &mut rows);
    let place = ProjectRef::of_root("/bench/project");
    let dir = tempfile::tempdir().expect("a folder");
    let registry = registry(&format!("sqlite:{}", dir.path().join("db").display()));
    staleness_benches::fill(&registry, &place, MANY, 0..MANY);
    let everything = staleness::store::Selection::everything();
    let view = pollster::block_on(registry.inner().store().view(Arc::new(everything)));
    ranks(&mut criterion, &mut rows, &view.expect("a view"), &place);
    windows(&mut criterion, &mut rows);
    records(&mut criterion, &mut rows, &place);
    keep(env!("CARGO_TARGET_TMPDIR"), "core", &rows);
}
