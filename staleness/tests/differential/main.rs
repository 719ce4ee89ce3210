//! One random life, lived on every backend at once: every report, list, ranking, history and export
//! must be the same on all of them.

mod backends;
mod items;
mod life;
mod routes;
mod work;

use backends::{Backend, exported, fresh_backends};
use life::{Life, NAMES, ROOTS};

/// Lives that are lived, each by its own seed.
const SEEDS: [u64; 4] = [1, 20_261_120, 0x5eed, u64::MAX];
/// What happens in each.
const EVENTS: usize = 80;

/// Whether every backend gave the same answer; which, and after what.
#[track_caller]
fn assert_same(answers: &[(&str, String)], what: &str) {
    let (first, expected) = &answers[0];
    for (name, answer) in &answers[1..] {
        assert_eq!(answer, expected, "{name} against {first}, {what}");
    }
}

fn live(seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let mut backends = fresh_backends(folder.path(), "");
    let mut life = Life::new(seed);
    for turn in 0..EVENTS {
        let event = life.next();
        let what = format!("seed {seed}, event {turn}: {event:?}");
        // However the dice fall, each life is interrupted once.
        if event.is_reopening() || turn == EVENTS / 2 {
            backends.iter_mut().for_each(Backend::reopen);
        }
        let answers: Vec<_> =
            backends.iter().map(|each| (each.name, event.carry_out(&each.registry))).collect();
        assert_same(&answers, &what);
        // Asking for everything each time would take most of the time.
        let name = &NAMES[turn / 2 % NAMES.len()..][..1];
        let root = &ROOTS[turn % ROOTS.len()..][..1];
        let answers: Vec<_> = backends
            .iter()
            .map(|each| (each.name, life.look(&each.registry, root, name)))
            .collect();
        assert_same(&answers, &what);
    }
    let answers: Vec<_> = backends.iter().map(|each| (each.name, exported(each))).collect();
    assert_same(&answers, &format!("seed {seed}: the export"));
    assert!(answers[0].1.lines().count() > EVENTS, "seed {seed} is a dull life");
    let copies = fresh_backends(folder.path(), "copy-");
    for (copy, original) in copies.iter().zip(backends.iter().cycle().skip(1)) {
        backends::import(copy, &exported(original));
    }
    let mut answers = answers;
    answers.truncate(1);
    answers.extend(copies.iter().map(|each| (each.name, exported(each))));
    assert_same(&answers, &format!("seed {seed}: the export of an import"));
    for (copy, original) in copies.iter().zip(&backends) {
        assert_same(
            &[
                ("original", life.look(&original.registry, &ROOTS, &NAMES)),
                (copy.name, life.look(&copy.registry, &ROOTS, &NAMES)),
            ],
            &format!("seed {seed}: what is seen of an import"),
        );
        backends::import(copy, &exported(original));
        assert_same(
            &[("original", exported(original)), (copy.name, exported(copy))],
            &format!("seed {seed}: importing twice"),
        );
        original.registry.check().unwrap();
        copy.registry.check().unwrap();
    }
}

#[test]
fn the_first_life_is_the_same_on_every_backend() {
    live(SEEDS[0]);
}

#[test]
fn the_second_life_is_the_same_on_every_backend() {
    live(SEEDS[1]);
}

#[test]
fn the_third_life_is_the_same_on_every_backend() {
    live(SEEDS[2]);
}

#[test]
fn the_fourth_life_is_the_same_on_every_backend() {
    live(SEEDS[3]);
}
