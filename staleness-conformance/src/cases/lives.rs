//! Runs lives of mixed operations in several processes at once, some of which are killed. Each life must leave the same
//! rows as when it runs alone, and the operations of all lives on the shared tool must be linearizable.
//!
//! For longer runs set `STALENESS_TURNS` (length of each life), `STALENESS_KILLS` (number of killed processes) and
//! `STALENESS_SEED`. Those runs print their measurements.

use std::str::FromStr;

use staleness_core::store::View;

use crate::case::Case;
use crate::child::{Child, Does, Role};
use crate::context::{Context, Handle, assert_no_gaps, check, everything};
use crate::disk::Draws;
use crate::life::{Life, Reference, SHARED};
use crate::linear::{self, Done};
use crate::rows::global;

pub(super) const CASES: &[Case] = &[
    Case::new("lives::of_16_processes_are_each_as_if_alone", together).persistent().multi_process(),
    Case::new("lives::that_are_killed_are_whole_to_the_last_turn", killed)
        .persistent()
        .multi_process(),
];

const PROCESSES: u64 = 16;
/// Number of concurrent lives while processes are killed.
const BESIDE: usize = 4;
/// Number of processes killed per store.
const KILLS: u64 = 20;
/// Number of turns of a life in which processes are killed.
const LENGTH: u64 = 28;
/// Maximum iterations of an idle loop before a kill: see [`super::crash`].
const LONGEST_PAUSE: u64 = 200_000;

/// Reads a number from the environment.
fn number<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// A child's line about one turn.
#[derive(Clone, Copy, Debug)]
struct TurnLine {
    turn: u64,
    began: u64,
    ended: u64,
    /// The number of uses of the shared tool, and true if the turn only read it.
    shared: Option<(u64, bool)>,
}

impl TurnLine {
    fn of(line: &str) -> Self {
        let words: Vec<&str> = line.split(' ').collect();
        let [turn, began, ended, how, count] = words[..] else { panic!("a child said {line:?}") };
        let number = |word: &str| word.parse().unwrap_or_else(|_| panic!("a child said {line:?}"));
        let shared = (how != "none").then(|| (number(count), how == "read"));
        Self { turn: number(turn), began: number(began), ended: number(ended), shared }
    }
}

fn start(location: &str, life: Life, from: u64, turns: u64) -> Child {
    Child::start(&Role { turns, ..Role::new(location, Does::Lives(life, from)) })
}

/// Returns the number of uses of the shared tool, which must equal the number of its outcomes.
#[track_caller]
fn shared_uses(seen: &View) -> u64 {
    let key = global(SHARED);
    let uses = seen.tools.get(&key).map_or(0, |row| row.uses);
    let outcomes = seen.outcomes.values().filter(|row| row.tool == key).count();
    assert_eq!(uses, outcomes as u64, "the counter and the outcomes differ");
    uses
}

fn together(context: &mut Context) {
    let turns: Option<u64> = number("STALENESS_TURNS");
    let length = turns.unwrap_or(15);
    let mut children: Vec<Child> =
        (0..PROCESSES).map(|life| start(context.location(), Life(life), 0, length)).collect();
    children.iter_mut().for_each(Child::go);
    let said: Vec<Vec<TurnLine>> = children
        .into_iter()
        .map(|child| child.finish().iter().map(|line| TurnLine::of(line)).collect())
        .collect();
    let seen = everything(context.store());
    for (life, said) in (0..).map(Life).zip(&said) {
        assert_eq!(said.len() as u64, length, "{life:?} ended early");
        let alone = Reference::of(life, length);
        let alone = alone.states.into_iter().next_back().expect("a state").view;
        crate::compare::assert_same(&life.own(seen.clone()), &life.own(alone));
    }
    let all = || said.iter().flatten();
    let history: Vec<Done> = all()
        .filter_map(|said| {
            let (count, reads) = said.shared?;
            Some(Done { began: said.began, ended: said.ended, count, reads })
        })
        .collect();
    linear::check(&history).unwrap_or_else(|why| panic!("{why}"));
    let increments = history.iter().filter(|done| !done.reads).count();
    assert_eq!(shared_uses(&seen), increments as u64);
    if turns.is_some() {
        let longest = all().map(|said| said.ended - said.began).max().unwrap_or_default();
        println!(
            "{}: {PROCESSES} processes, {} turns, {} of them with the tool of all; the longest took {} ms",
            context.backend().name(),
            all().count(),
            history.len(),
            longest / 1_000_000
        );
    }
}

/// A life in progress, and its known states.
struct Going {
    life: Life,
    child: Option<Child>,
    /// Number of turns acknowledged.
    told: u64,
    /// The states of the life, restricted to its own rows.
    states: Vec<View>,
    ends: Vec<usize>,
}

impl Going {
    fn new(location: &str, life: Life) -> Self {
        let Reference { states, ends } = Reference::of(life, LENGTH);
        let states = states.into_iter().map(|state| life.own(state.view)).collect();
        let mut going = Self { life, child: None, told: 0, states, ends };
        going.go(location, 0);
        going
    }

    /// Continues from a turn in a new process.
    fn go(&mut self, location: &str, from: u64) {
        let mut child = start(location, self.life, from, LENGTH);
        child.go();
        self.child = Some(child);
        self.told = from;
    }

    /// Waits for some turns, and kills the process a little later.
    fn kill(&mut self, draws: &mut Draws) {
        let child = self.child.take().expect("it goes on");
        let said = child.kill_after(draws.below(6), draws.below(LONGEST_PAUSE));
        for line in &said {
            self.told = TurnLine::of(line).turn + 1;
        }
    }

    fn end_of(&self, turns: u64) -> usize {
        turns.checked_sub(1).map_or(0, |last| self.ends[last as usize])
    }

    /// Returns the state in which its rows are, which must not be before the last acknowledged turn.
    fn find(&self, seen: &View, most: usize) -> usize {
        let own = self.life.own(seen.clone());
        let least = self.end_of(self.told);
        (least..=most.min(self.states.len() - 1))
            .rev()
            .find(|at| self.states[*at] == own)
            .unwrap_or_else(|| {
                panic!(
                    "{:?} after {} turns is in no state from {least} to {most}:\n{}",
                    self.life,
                    self.told,
                    crate::compare::differences(&own, &self.states[least])
                )
            })
    }
}

fn verify(store: &Handle) -> View {
    check(store);
    let seen = everything(store);
    shared_uses(&seen);
    assert_no_gaps(&seen);
    seen
}

/// Counts of the states found after kills.
#[derive(Debug, Default)]
struct Tally {
    /// The interrupted turn was not done at all, or no turn was in progress.
    undone: u64,
    /// The turn was done but not acknowledged.
    unsaid: u64,
    /// A turn of several steps was partly done.
    parts: u64,
}

/// Uses a new store after a few kills, because verifying a large store blocks others.
fn killed(context: &mut Context) {
    let kills: Option<u64> = number("STALENESS_KILLS");
    let seed: u64 = number("STALENESS_SEED").unwrap_or(1);
    let mut draws = Draws(seed);
    let mut tally = Tally::default();
    let mut left = kills.unwrap_or(KILLS);
    while left > 0 {
        let some = left.min(KILLS);
        kill_some(context, &mut draws, some, &mut tally);
        left -= some;
    }
    if kills.is_some() {
        println!("{}: seed {seed}, {tally:?}", context.backend().name());
    }
    assert!(tally.undone > 0, "seed {seed}");
}

fn kill_some(context: &Context, draws: &mut Draws, kills: u64, tally: &mut Tally) {
    let place = context.backend().place();
    let location = place.location();
    let mut lives = (0..).map(Life);
    let mut going: Vec<Going> =
        lives.by_ref().take(BESIDE).map(|life| Going::new(location, life)).collect();
    for _ in 0..kills {
        let at = draws.below(BESIDE as u64) as usize;
        going[at].kill(draws);
        let seen = verify(&context.backend().open(location).expect("the store opens"));
        // A running life may have done more than it has acknowledged.
        for life in &going {
            life.find(&seen, usize::MAX);
        }
        let one = &mut going[at];
        let (said, more) = (one.end_of(one.told), one.end_of((one.told + 1).min(LENGTH)));
        let found = one.find(&seen, more);
        match found {
            found if found == said => tally.undone += 1,
            found if found == more => tally.unsaid += 1,
            _ => tally.parts += 1,
        }
        // Continue with the first unfinished turn.
        match one.ends.iter().position(|end| *end > found) {
            Some(from) => one.go(location, from as u64),
            None => *one = Going::new(location, lives.next().expect("no last number")),
        }
    }
}
