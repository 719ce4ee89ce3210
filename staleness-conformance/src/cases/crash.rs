//! Crashes: after a writer is killed, all acknowledged commits exist, and none is partial.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::case::Case;
use crate::child::{Child, Does, Opens, Role};
use crate::context::{Context, Handle, assert_no_gaps, check, everything, panic_text};
use crate::disk::Draws;
use crate::rows::global;

pub(super) const CASES: &[Case] = &[
    Case::new("crash::a_killed_writer_loses_nothing_acknowledged", alone).persistent(),
    Case::new("crash::a_hundred_writers_killed_among_others_lose_nothing", among_others)
        .persistent()
        .multi_process(),
];

const KILLS: u64 = 30;
/// Number of writers to kill on one store, one after another.
const WRITERS: u64 = 4;
/// Number of stores, for 100 kills in total.
const STORES: u64 = 25;
/// Maximum iterations of an idle loop before the parent kills a child. A loop of this length takes about as long as
/// several steps, so kills happen in every phase of a step, not only after an acknowledgement.
const LONGEST_PAUSE: u64 = 60_000;

/// Acknowledged ops, and the number of killed writers.
#[derive(Debug, Default)]
struct Acknowledgements {
    ops: BTreeSet<String>,
    kills: usize,
}

impl Acknowledgements {
    /// Reads a random number of acknowledged ops below `most` from the child, and kills it shortly after.
    fn kill(&mut self, child: Child, most: u64, draws: &mut Draws) {
        let heard = draws.below(most);
        let ops = child.kill_after(heard, draws.below(LONGEST_PAUSE));
        assert!(ops.len() as u64 >= heard, "the child ended on its own");
        self.ops.extend(ops);
        self.kills += 1;
    }

    /// Like [`Acknowledgements::verify_beside`], once no writer is left. Each killed writer leaves at most one
    /// unacknowledged commit.
    fn verify(&self, store: &Handle) {
        let there = self.verify_beside(store);
        let untold = there - self.ops.len();
        assert!(untold <= self.kills, "{untold} commits untold after {} kills", self.kills);
    }

    /// Verifies that each commit wrote its outcome, journal entry and counter together, and that all
    /// acknowledged ops exist. Returns the number of commits.
    fn verify_beside(&self, store: &Handle) -> usize {
        check(store);
        let seen = everything(store);
        let recorded: Vec<&str> = seen.outcomes.values().map(|row| row.op.as_str()).collect();
        let journalled: Vec<&str> =
            seen.journal.values().filter_map(|row| Some(row.op.as_ref()?.as_str())).collect();
        assert_eq!(recorded, journalled, "outcomes and journal tell different stories");
        assert_no_gaps(&seen);
        assert_eq!(seen.journal.len() as u64, seen.revision.0, "an entry too many");
        let uses = seen.tools.get(&global("x")).map_or(0, |row| row.uses);
        assert_eq!(uses, recorded.len() as u64, "the counter and the outcomes differ");
        let there: BTreeSet<&str> = recorded.into_iter().collect();
        assert_eq!(there.len() as u64, uses, "an op was done twice");
        let lost: Vec<&String> =
            self.ops.iter().filter(|op| !there.contains(op.as_str())).collect();
        assert!(lost.is_empty(), "acknowledged and gone: {lost:?}");
        there.len()
    }
}

fn start(location: &str, ops: String, opens: Opens) -> Child {
    let role = Role::new(location, Does::Uses);
    let mut child = Child::start(&Role { ops, turns: u64::MAX, opens, ..role });
    child.go();
    child
}

fn alone(context: &mut Context) {
    let mut draws = Draws(1);
    let mut told = Acknowledgements::default();
    for round in 0..KILLS {
        context.close();
        let child = start(context.location(), format!("{round}-"), Opens::First);
        told.kill(child, 30, &mut draws);
        context.reopen();
        told.verify(context.store());
    }
}

/// Uses one store per seed, so that a failing seed can be reproduced alone.
fn among_others(context: &mut Context) {
    for seed in 0..STORES {
        let killed = catch_unwind(AssertUnwindSafe(|| kill_all(context, seed)));
        if let Err(payload) = killed {
            panic!("seed {seed}: {}", panic_text(payload.as_ref()));
        }
    }
}

/// Kills several writers of a new store in random order while the others continue. Reopens the store after
/// each kill.
fn kill_all(context: &Context, seed: u64) {
    let mut draws = Draws(seed);
    let mut told = Acknowledgements::default();
    let place = context.backend().place();
    let open = || context.backend().open(place.location()).expect("the store opens");
    // In every other store, the first kills hit writers that are creating it.
    let opens = if seed.is_multiple_of(2) { Opens::First } else { Opens::OnGo };
    let ops = |writer| format!("{writer}-");
    let mut writers: Vec<Child> =
        (0..WRITERS).map(|writer| start(place.location(), ops(writer), opens)).collect();
    while !writers.is_empty() {
        let next = draws.below(writers.len() as u64);
        let writer = writers.swap_remove(usize::try_from(next).expect("a small number"));
        told.kill(writer, 6, &mut draws);
        told.verify_beside(&open());
    }
    told.verify(&open());
}
