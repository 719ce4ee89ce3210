//! Child processes: the test executable started again as another user of the store.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use staleness_core::registry::Learn;
use staleness_core::scan::ProjectRef;
use staleness_core::store::{Durability, StoreError};
use staleness_core::{Policy, Registry};

use crate::backend::Backend;
use crate::context::{Handle, act, check, everything};
use crate::life::{Life, SharedUses};
use crate::rows::{at, global, model, name, op};
use crate::steps::Use;
use crate::support::{self, step, tool, transact, use_tool};

/// The first argument of a child process.
pub(crate) const WORD: &str = "--staleness-conformance-child";

/// The line a child prints when it waits for the start signal.
const READY: &str = "ready";

/// The time at which a child opens the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opens {
    /// Before it prints that it is ready.
    First,
    /// After the start signal.
    OnGo,
}

/// The steps that a child runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// [`Use`] of the tool `x`.
    Uses,
    /// A [`Life`] from this turn up to the total number of turns, which prints more than one op per turn: see [`live`].
    Lives(Life, u64),
    /// Learns one route of tool `x` in project `/p` repeatedly.
    Learns,
    /// Reads and checks a read-only store, and verifies that writes fail. Prints `read`.
    Reads,
    /// Uses a tool, begins another step, prints `begun`, and never ends the step.
    Sticks,
}

/// The role of a child process: opens the store and runs steps until `turns` are done.
#[derive(Clone, Debug)]
pub(crate) struct Role {
    /// The location of the store.
    pub(crate) location: String,
    /// The steps to run.
    pub(crate) does: Does,
    /// The prefix of the op ids, followed by a number. A life has its own op ids.
    pub(crate) ops: String,
    /// The number of steps. For a life, the last turn.
    pub(crate) turns: u64,
    /// The time at which it opens the store.
    pub(crate) opens: Opens,
}

impl Role {
    /// Creates a role with one step or turn. The store is opened before the start signal.
    pub(crate) fn new(location: &str, does: Does) -> Self {
        let (location, ops) = (location.to_owned(), String::new());
        Self { location, does, ops, turns: 1, opens: Opens::First }
    }
}

/// Runs the role described by the arguments.
///
/// Prints that it is ready, waits for a line, and prints each op id once its commit is acknowledged. Ends when its
/// output is closed.
pub(crate) fn play(backend: &dyn Backend, arguments: &[OsString]) {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let [location, does, ops, turns, opens] = words[..] else {
        panic!("a child of the suite takes five words, not {arguments:?}");
    };
    let number = |word: &str| word.parse::<u64>().expect("a number");
    let open = || -> Handle {
        backend.open(location).unwrap_or_else(|error| panic!("opening: {error} ({error:?})"))
    };
    let early = (opens == "first").then(open);
    say(READY);
    let mut go = String::new();
    if std::io::stdin().lock().read_line(&mut go).unwrap_or(0) == 0 {
        return;
    }
    let store = early.unwrap_or_else(open);
    match does.split(' ').collect::<Vec<_>>()[..] {
        ["lives", life, from] => {
            return live(&store, Life(number(life)), number(from)..number(turns));
        }
        ["reads"] => return read(&store),
        ["sticks"] => return stick(&store),
        _ => {}
    }
    for turn in 0..number(turns) {
        let op = format!("{ops}{turn}");
        let durability = if turn % 4 == 3 { Durability::Full } else { Durability::Normal };
        if does == "learns" {
            learn(&store, &op);
        } else {
            act(&store, Use { durability, ..Use::new(global("x"), &op) });
        }
        say(&op);
    }
}

/// Runs turns of a life. For each turn prints its number, start and end in nanoseconds of the system clock,
/// and what it saw of the shared tool: `none`, or `read` or `use` with a count.
fn live(store: &Handle, life: Life, turns: std::ops::Range<u64>) {
    let registry = Registry::new(Arc::clone(store), Policy::default());
    for turn in turns {
        let began = now();
        let shared = life.turn(&registry, turn);
        let shared =
            shared.unwrap_or_else(|error| panic!("turn {turn} of {life:?}: {error} ({error:?})"));
        let ended = now();
        let (how, count) = match shared {
            None => ("none", 0),
            Some(SharedUses { count, reads: true }) => ("read", count),
            Some(SharedUses { count, reads: false }) => ("use", count),
        };
        say(&format!("{turn} {began} {ended} {how} {count}"));
    }
}

/// Reads a store without write permission.
fn read(store: &Handle) {
    assert_eq!(everything(store).tools.len(), 1);
    check(store);
    let written = transact(store.as_ref(), use_tool("b", 2));
    assert!(matches!(written, Err(StoreError::ReadOnly)), "{written:?}");
    say("read");
}

/// Stops in the middle of a step.
fn stick(store: &Handle) {
    transact(store.as_ref(), use_tool("a", 50)).expect("a commit");
    let stuck = step(|draft| {
        draft.put(tool("half"));
        say("begun");
        loop {
            std::thread::park();
        }
    });
    let _ = transact(store.as_ref(), stuck);
}

/// Returns the time in nanoseconds of the clock that all processes share.
#[expect(clippy::disallowed_methods, reason = "what overlapped is told by a clock alone")]
fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}

/// Learns the route that all children share, with its vector.
fn learn(store: &Handle, of: &str) {
    let registry = Registry::new(Arc::clone(store), Policy::default());
    let vector = Some((model("m"), vec![3.0, 4.0]));
    let lesson = Learn { vector, ..Learn::new(op(of), "query", name("x"), at(1)) };
    support::learn(&registry, &ProjectRef::of_root("/p"), lesson);
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        // The parent is gone.
        std::process::exit(1);
    }
}

/// A child process, as seen from its parent. Killed when dropped.
#[derive(Debug)]
pub(crate) struct Child {
    process: std::process::Child,
    go: Option<ChildStdin>,
    says: Lines<BufReader<ChildStdout>>,
}

impl Child {
    /// Starts a child and waits until it is ready.
    pub(crate) fn start(role: &Role) -> Self {
        Self::start_as(&std::env::current_exe().expect("the test executable"), None, role)
    }

    /// Starts a copy of the test executable, as another user if given.
    pub(crate) fn start_as(program: &Path, user: Option<u32>, role: &Role) -> Self {
        let does = match role.does {
            Does::Uses => "uses".into(),
            Does::Learns => "learns".into(),
            Does::Reads => "reads".into(),
            Does::Sticks => "sticks".into(),
            Does::Lives(Life(life), from) => format!("lives {life} {from}"),
        };
        let mut command = Command::new(program);
        #[cfg(unix)]
        if let Some(user) = user {
            use std::os::unix::process::CommandExt as _;
            command.uid(user).gid(user);
        }
        let mut process = command
            .arg(WORD)
            .args([&role.location, &does, &role.ops, &role.turns.to_string()])
            .arg(match role.opens {
                Opens::First => "first",
                Opens::OnGo => "on go",
            })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child process");
        let go = process.stdin.take();
        let says = BufReader::new(process.stdout.take().expect("its output")).lines();
        let mut child = Self { process, go, says };
        assert_eq!(child.says().as_deref(), Some(READY), "the child did not get ready");
        child
    }

    /// Sends the start signal.
    pub(crate) fn go(&mut self) {
        let mut go = self.go.take().expect("a child goes once");
        go.write_all(b"go\n").expect("the child listens");
    }

    /// Returns its next line, or `None` at the end of its output.
    pub(crate) fn says(&mut self) -> Option<String> {
        self.says.next()?.ok()
    }

    /// Returns its remaining output, and verifies that the child exits successfully.
    pub(crate) fn finish(mut self) -> Vec<String> {
        let said = std::iter::from_fn(|| self.says()).collect();
        let status = self.process.wait().expect("the end of the child");
        assert!(status.success(), "a child ended with {status}");
        said
    }

    /// Reads up to `heard` lines, and kills the child after `pause` iterations of an idle loop. Returns its output.
    pub(crate) fn kill_after(mut self, heard: u64, pause: u64) -> Vec<String> {
        let mut said: Vec<String> = (0..heard).map_while(|_| self.says()).collect();
        (0..pause).for_each(|_| std::hint::spin_loop());
        said.extend(self.kill());
        said
    }

    /// Kills the child. Returns its output that was not read yet.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.process.kill().expect("to kill the child");
        self.process.wait().expect("the end of the child");
        std::iter::from_fn(|| self.says()).collect()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
