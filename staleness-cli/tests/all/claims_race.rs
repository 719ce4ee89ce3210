//! Claims of racing processes, with a checker over the journal.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{Run, Sandbox};

const BEGIN: &str = "2026-11-29T12:00:00Z";
const LATE: &str = "2026-11-29T12:40:00Z";

/// A claim on an item, as the journal tells it.
#[derive(Clone, Debug)]
struct Held {
    /// Agent and session, in the words of a cause.
    by: String,
    /// When the session ended, if the journal tells it.
    ended: Option<String>,
}

/// The holders of each item in turn, by the journal of an export. Fails if two held one at once. Renewals are not in
/// it, but whoever takes over names when the claim before ended.
fn holders(exported: &str) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, (Option<Held>, Vec<String>)> = BTreeMap::new();
    for line in exported.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let entry = &line["row"];
        if line["kind"] != "journal" || entry["subject"]["kind"] != "work" {
            continue;
        }
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        let (held, turns) = all.entry(word(&entry["subject"]["id"])).or_default();
        let by = format!("{} in session {}", entry["actor"], entry["session"]);
        let (at, cause) = (word(&entry["at"]), word(&entry["cause"]));
        let is_own = held.as_ref().is_some_and(|held| held.by == by);
        match (entry["action"].as_str().unwrap(), cause.as_str()) {
            ("claimed", "by_hand") => {
                assert!(held.is_none() || is_own, "{held:?} {entry}");
                turns.push(by.clone());
                *held = Some(Held { by, ended: None });
            }
            ("claimed", cause) => {
                let left = cause.strip_prefix("abandoned by ").unwrap();
                let (left, until) = left.rsplit_once(" at ").unwrap();
                let before = held.take().unwrap();
                assert!(before.by == left && before.by != by && until <= at.as_str(), "{entry}");
                assert!(before.ended.is_none_or(|ended| ended == until), "{entry}");
                turns.push(by.clone());
                *held = Some(Held { by, ended: None });
            }
            ("released", "session_ended") => {
                assert!(is_own, "{held:?} {entry}");
                *held = Some(Held { by, ended: Some(at) });
            }
            // Another session of the agent may release it, and says so unless it was abandoned.
            ("released", cause) => {
                let before = held.take().unwrap();
                let ended = cause.strip_prefix("held by ");
                assert!(ended.is_none_or(|ended| ended == before.by), "{before:?} {entry}");
            }
            _ => {}
        }
    }
    all.into_iter().map(|(id, (_, turns))| (id, turns)).collect()
}

/// Stores that processes share.
fn stores(sandbox: &Sandbox) -> Vec<String> {
    let schemes: &[&str] = if cfg!(feature = "redb") { &["sqlite", "redb"] } else { &["sqlite"] };
    let store = |scheme: &&str| format!("{scheme}:{}", sandbox.root().join(scheme).display());
    schemes.iter().map(store).collect()
}

fn with_plans(sandbox: &Sandbox, store: &str, count: usize) -> Vec<String> {
    let ids: Vec<String> = (0..count).map(|at| format!("p{at}")).collect();
    for id in &ids {
        let add = ["work", "add", "plan", "Do it", "--id", id, "--now", BEGIN];
        sandbox.ok(&[&["--store", store], &add[..]].concat());
    }
    ids
}

/// Sessions of one agent claim, release and go on at the same items, or end; time passes with each deed.
fn sessions_race(sandbox: &Sandbox, store: &str) {
    const DEEDS: usize = 18;
    let items = with_plans(sandbox, store, 2);
    let clock = AtomicU32::new(0);
    let session_race = |agent: usize| -> Vec<String> {
        let (mut lives, mut won) = (0, Vec::new());
        for deed in 0..DEEDS {
            let minute = clock.fetch_add(4, Ordering::Relaxed);
            let now = format!("2026-11-29T{:02}:{:02}:00Z", minute / 60, minute % 60);
            let session = format!("s-{agent}-{lives}");
            let id = &items[(deed / 3 + agent) % items.len()];
            let run = |verb: &str| {
                let who = ["--agent", "claude-code", "--session", &session, "--now", &now];
                let args = [&["--store", store, "work", verb, id][..], &who].concat();
                let run = sandbox.run(&args);
                assert!(matches!(run.code, 0 | 3), "{run:?}");
                run
            };
            let hook = |event: &str| {
                let payload = json!({
                    "session_id": session, "hook_event_name": event, "cwd": sandbox.project,
                    "tool_name": "Bash", "tool_use_id": now, "source": "startup",
                });
                let args = ["--store", store, "--client", "claude-code", "--now", &now];
                let run = sandbox.hook_with(&args, payload.to_string().as_bytes());
                assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
            };
            match (deed * 5 + agent * 2) % 9 {
                0 => {
                    hook("SessionEnd");
                    lives += 1;
                }
                1 => drop(run("release")),
                2 | 6 => hook("PostToolUse"),
                3 => hook("SessionStart"),
                _ => {
                    let claimed = run("claim");
                    let is_new = claimed.code == 0 && !claimed.out.contains("renewed");
                    won.extend(
                        is_new.then(|| format!("{id} \"claude-code\" in session \"{session}\"")),
                    );
                }
            }
        }
        won
    };
    let mut won: Vec<String> = thread::scope(|scope| {
        let race = &session_race;
        let racing: Vec<_> = (0..3).map(|agent| scope.spawn(move || race(agent))).collect();
        racing.into_iter().flat_map(|each| each.join().unwrap()).collect()
    });
    // Whatever the race brought: one claims and goes silent, another takes over and ends.
    for (session, at) in [("silent", "2026-11-30T00:00:00Z"), ("next", "2026-11-30T02:00:00Z")] {
        let who = ["--agent", "claude-code", "--session", session, "--now", at];
        sandbox.ok(&[&["--store", store, "work", "claim", "p0"][..], &who].concat());
        won.push(format!("p0 \"claude-code\" in session \"{session}\""));
    }
    let payload =
        json!({ "session_id": "next", "hook_event_name": "SessionEnd", "cwd": sandbox.project });
    let args = ["--store", store, "--client", "claude-code", "--now", "2026-11-30T02:04:00Z"];
    sandbox.hook_with(&args, payload.to_string().as_bytes());
    // What waits in the spool is recorded.
    sandbox.ok(&["--store", store, "work", "add", "plan", "The end", "--now", BEGIN]);
    let exported = sandbox.ok(&["--store", store, "export"]);
    let held = holders(&exported);
    let turns =
        held.iter().flat_map(|(id, turns)| turns.iter().map(move |by| format!("{id} {by}")));
    let mut turns: Vec<String> = turns.collect();
    // A session may hold an item again after its claim ran out, which it may be told as a renewal.
    for all in [&mut turns, &mut won] {
        all.sort();
        all.dedup();
    }
    assert_eq!(turns, won, "whoever was told to hold an item does, by the journal");
    for cause in ["abandoned by", "session_ended"] {
        assert!(exported.contains(cause), "{cause} did not occur: {exported}");
    }
}

#[test]
fn of_racing_sessions_that_go_on_and_end_one_holds_an_item() {
    let sandbox = Sandbox::new();
    stores(&sandbox).iter().for_each(|store| sessions_race(&sandbox, store));
}

#[cfg(feature = "postgres")]
#[test]
#[ignore = "needs a Postgres server"]
fn of_racing_sessions_one_holds_an_item_in_postgres() {
    let places = crate::postgres_places::Places::shared();
    sessions_race(&Sandbox::new(), &places.url("race"));
}

#[test]
fn of_racing_processes_one_holds_an_item_and_a_killed_one_is_followed() {
    const AGENTS: usize = 4;
    let sandbox = Sandbox::new();
    for store in stores(&sandbox) {
        let items = with_plans(&sandbox, &store, 6);
        let command = |args: &[&str]| {
            let mut command = sandbox.command();
            command.args(["--store", &store]).args(args);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command
        };
        // Returns the ids that this agent has won.
        let race = |agent: usize, now: &str| -> Vec<String> {
            let (name, session) = (format!("agent-{agent}"), format!("s-{agent}"));
            let mut won = Vec::new();
            for at in 0..items.len() {
                let id = &items[(at + agent) % items.len()];
                let args = ["--agent", &name, "--session", &session, "--now", now];
                let args = [&["work", "claim", id][..], &args].concat();
                if agent == 0 {
                    // This one is killed at work, before or after it has claimed something.
                    let mut child = command(&args).spawn().unwrap();
                    let until = Instant::now() + Duration::from_millis(at as u64);
                    while Instant::now() < until {
                        thread::yield_now();
                    }
                    child.kill().unwrap();
                    child.wait().unwrap();
                    continue;
                }
                let run = Run::of(command(&args).output().unwrap());
                assert!(run.code == 0 || run.err.contains("is claimed by"), "{run:?}");
                won.extend((run.code == 0).then(|| id.clone()));
            }
            won
        };
        let all_race = |now: &str| -> Vec<String> {
            thread::scope(|scope| {
                let race = &race;
                let racing: Vec<_> =
                    (0..AGENTS).map(|agent| scope.spawn(move || race(agent, now))).collect();
                racing.into_iter().flat_map(|each| each.join().unwrap()).collect()
            })
        };
        let first = all_race(BEGIN);
        let exported = |sandbox: &Sandbox| sandbox.ok(&["--store", &store, "export"]);
        let before = holders(&exported(&sandbox));
        for id in &items {
            // An item without a winner was claimed by the killed one, or will be free.
            let wins = first.iter().filter(|won| *won == id).count();
            let held = before.get(id).map_or(0, Vec::len);
            assert!(
                held == 1 && (wins == 1 || before[id][0].contains("agent-0")),
                "{id}: {before:?}"
            );
        }
        // Half an hour later nothing is blocked: each item has another holder, one again.
        let taken = |agent: usize| race(agent, LATE);
        let second = taken(AGENTS);
        assert_eq!(second.len(), items.len(), "{second:?}");
        for (id, held) in holders(&exported(&sandbox)) {
            assert_eq!((held.len(), held[1].contains("agent-4")), (2, true), "{id}: {held:?}");
        }
    }
}
