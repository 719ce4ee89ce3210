//! Routes and their vectors in a store: loading, learning and pruning.
//!
//! `cargo bench -p staleness-benches --bench routes [-- --quick]`

use std::hint::black_box;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use staleness::Timestamp;
use staleness::ids::OpId;
use staleness::registry::Learn;
use staleness::route::Vectors;
use staleness::scan::ProjectRef;
use staleness_benches::chance::Chance;
use staleness_benches::race::{Samples, race, timed};
use staleness_benches::ratios::{Goal, Row, keep};
use staleness_benches::routes::tool;
use staleness_benches::vectors::{DIMENSIONS, MODEL, fill_vectors, model, numbers};
use staleness_benches::{START, quick, registry, roomy, rounds, twin};

/// The floor of loading from SQLite: the same statement, the numbers of all rows one behind the other.
fn raw_load(store: &Path, project: &ProjectRef) -> (Vec<[u8; 16]>, Vec<f32>) {
    let conn = Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_WRITE);
    let conn = conn.expect("the store opens");
    let sql = "SELECT tool, id, numbers FROM vectors WHERE +project = ?1 AND model = ?2";
    let mut statement = conn.prepare(sql).expect("a statement");
    let mut rows = statement.query((project.id.as_str(), MODEL)).expect("rows");
    let (mut ids, mut all) = (Vec::new(), Vec::<f32>::new());
    while let Some(row) = rows.next().expect("a row") {
        let id = row.get_ref(1).expect("an id").as_blob().expect("bytes");
        ids.push(<[u8; 16]>::try_from(id).expect("16 bytes"));
        let numbers = row.get_ref(2).expect("numbers").as_blob().expect("bytes");
        let numbers = numbers.chunks_exact(4);
        all.extend(numbers.map(|four| f32::from_le_bytes(four.try_into().expect("four"))));
    }
    (ids, all)
}

fn load(store: &Path, url: &str, project: &ProjectRef, count: usize) -> [Samples; 2] {
    let is_sqlite = url.starts_with("sqlite");
    // Giving the memory back is no part of loading.
    let (mut raw, mut ours) = (None, None);
    race(
        rounds(15, 2),
        [
            &mut || {
                if !is_sqlite {
                    return f64::NAN;
                }
                raw = None;
                let time = timed(|| raw = Some(raw_load(store, project)));
                assert_eq!(black_box(&raw).as_ref().map(|(ids, _)| ids.len()), Some(count));
                time
            },
            &mut || {
                ours = None;
                let time = timed(|| {
                    let vectors = registry(url).route_vectors(&project.id, &model());
                    ours = Some(vectors.expect("vectors"));
                });
                assert_eq!(black_box(&ours).as_ref().map(Vectors::len), Some(count));
                time
            },
        ],
    )
}

fn learn(url: &str, project: &ProjectRef) -> Samples {
    let registry = roomy(url);
    let mut chance = Chance(11);
    let mut samples = Samples::default();
    for at in 0..rounds(300, 3) {
        let op = OpId::new(format!("learn-{at}")).expect("a valid id");
        let time = Timestamp::from_millis(START + 1_000_000 + at as i64);
        let query = format!("{} anew {at}", chance.words(6));
        let mut learn = Learn::new(op, query, tool(at), time);
        learn.vector = Some((model(), numbers(&mut chance)));
        samples.push(timed(|| registry.learn_route(project, learn).expect("it learns")));
    }
    samples
}

/// Removing the weak half, each time from a copy.
fn prune(backend: &str, store: &Path, project: &ProjectRef, count: usize) -> Samples {
    let now = Timestamp::from_millis(START + 2_000_000);
    let mut samples = Samples::default();
    for _ in 0..rounds(5, 1) {
        let copy = twin(store);
        let registry = roomy(&format!("{backend}:{}", copy.display()));
        samples.push(timed(|| {
            let report = registry.prune_routes(&project.id, now, false).expect("it prunes");
            assert!(report.removed.len() >= count / 2);
        }));
    }
    samples
}

fn main() {
    let mut rows = Vec::new();
    for backend in ["sqlite", "redb"] {
        for count in [5_000, if quick() { 5_000 } else { 50_000 }] {
            let dir = tempfile::tempdir().expect("a folder");
            let store = dir.path().join("registry.db");
            let url = format!("{backend}:{}", store.display());
            let project = ProjectRef::of_root(dir.path().display().to_string());
            fill_vectors(&registry(&url), &project, 0..count);
            let [floor, ours] = load(&store, &url, &project, count);
            let work = format!("{backend}: load {count} × {DIMENSIONS} × f32");
            let goal = if count == 50_000 { Goal::Within(0.08) } else { Goal::Open };
            rows.push(Row::of(work, &floor, &ours, 1, goal));
            let pruned = prune(backend, &store, &project, count);
            let work = format!("{backend}: prune {count} routes to a half");
            rows.push(Row::new(work, f64::NAN, pruned.median(), Goal::Open));
            let learned = learn(&url, &project);
            let work = format!("{backend}: learn a route with its vector, {count} known");
            rows.push(Row::new(work, f64::NAN, learned.median(), Goal::Open));
        }
    }
    keep(env!("CARGO_TARGET_TMPDIR"), "routes", &rows);
}
