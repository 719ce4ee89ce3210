//! Tests with disk failures and power cuts at every write and sync.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

pub(crate) use staleness_conformance::disk::Did;
use staleness_conformance::disk::{Disk, Draws, Keeps};
use staleness_conformance::life::stride;
use staleness_core::ids::{OpId, ProjectId, ServerKey, ToolKey, ToolName};
use staleness_core::journal::{Action, JournalEntry, Subject};
use staleness_core::outcome::{Mark, Outcome};
use staleness_core::store::{
    Decision, Draft, Durability, OutcomeCut, OutcomeRange, Refusal, Selection, Step, StoreError,
    ToolFilter, View,
};
use staleness_core::time::Timestamp;
use staleness_core::tool::{PresenceCause, Tool, ToolKind};

use super::*;
use crate::OpenOptions;
use crate::inner::Inner;

thread_local! {
    static PLAN: Cell<Plan> = const { Cell::new(Plan::NOTHING) };
    static LOG: RefCell<Vec<Did>> = const { RefCell::new(Vec::new()) };
}

/// The calls of this thread that fail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Number of calls that succeed first.
    pub(crate) after: u64,
    /// Number of calls that fail after that.
    pub(crate) times: u64,
    /// True if reads are counted too and fail with an I/O error. Otherwise calls fail because the disk is
    /// full.
    pub(crate) reads: bool,
}

impl Plan {
    pub(crate) const NOTHING: Self = Self { after: 0, times: 0, reads: false };
}

/// Sets the calls that fail, and clears the log.
pub(crate) fn fail(plan: Plan) {
    PLAN.set(plan);
    LOG.take();
}

/// Stops the failures. Returns the log of calls, and the number of planned failures that did not occur.
pub(crate) fn heal() -> (Vec<Did>, u64) {
    (LOG.take(), PLAN.replace(Plan::NOTHING).times)
}

fn call() -> io::Result<()> {
    let mut plan = PLAN.get();
    if plan.after > 0 {
        plan.after -= 1;
    } else if plan.times > 0 {
        plan.times -= 1;
        PLAN.set(plan);
        let kind = if plan.reads { io::ErrorKind::Other } else { io::ErrorKind::StorageFull };
        return Err(kind.into());
    }
    PLAN.set(plan);
    Ok(())
}

/// Logs a call that changes the file, or makes it fail.
pub(crate) fn note(did: Did) -> io::Result<()> {
    call()?;
    LOG.with_borrow_mut(|log| log.push(did));
    Ok(())
}

/// Makes a read fail, if the plan says so.
pub(crate) fn read() -> io::Result<()> {
    if PLAN.get().reads { call() } else { Ok(()) }
}

/// Uses a tool, writes to the journal, and removes the oldest outcomes.
#[derive(Debug)]
pub(crate) struct Use {
    pub(crate) op: u64,
    pub(crate) durability: Durability,
}

fn key() -> ToolKey {
    ToolKey::global(ToolName::new("t").unwrap())
}

impl Step for Use {
    fn selection(&self) -> Selection {
        Selection::new().lock(ToolFilter::Key(key()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let at = Timestamp::from_millis(self.op as i64);
        let op = OpId::new(self.op.to_string()).unwrap();
        let mut draft = Draft::new(view, at);
        let mut row = draft
            .get::<Tool>(&key())
            .cloned()
            .unwrap_or_else(|| Tool::new(key(), ToolKind::McpTool, PresenceCause::Used, at));
        row.note_use(Mark::Success, at, self.op, 5);
        row.presence.revived = self.op.is_multiple_of(2);
        draft.put(row);
        let cut = OutcomeCut { until: Timestamp::MAX, keep_newest: 20 };
        draft.delete_outcomes(OutcomeRange::Cut { cut, limit: 5 });
        draft.append_outcome(Outcome {
            seq: 0,
            op: op.clone(),
            tool: key(),
            server: Some(ServerKey::new("s").unwrap()),
            credits: Vec::new(),
            mark: Mark::Success,
            at,
            project: ProjectId::new("p").unwrap(),
            session: None,
            agent: None,
            client: None,
            duration_ms: None,
        });
        let cause = "x".repeat(self.op as usize * 37 % 900);
        let entry = JournalEntry::new(at, Subject::tool(&key()), Action::Present, cause);
        draft.append_journal(JournalEntry { op: Some(op), ..entry });
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Runs a step and logs its calls. The first `left` writes and syncs succeed.
fn watched(
    store: &Inner,
    op: u64,
    durability: Durability,
    left: u64,
) -> (Result<(), StoreError>, Vec<Did>) {
    fail(Plan { after: left, times: u64::MAX, reads: false });
    let done = store.transact(&Use { op, durability }).map(drop);
    (done, heal().0)
}

const NAME: &str = "registry.redb";

fn fresh() -> (tempfile::TempDir, std::path::PathBuf, Inner) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(NAME);
    let store = Inner::open(&path, OpenOptions::default()).unwrap();
    (folder, path, store)
}

/// Returns the number of recorded uses. The store must be valid.
fn uses(store: &Inner) -> u64 {
    store.check().unwrap();
    let view = store.view(&Selection::everything()).unwrap();
    let uses = view.tools.get(&key()).map_or(0, |row| row.uses);
    assert_eq!(view.revision.0, uses);
    assert_eq!(view.journal.len() as u64, uses);
    assert_eq!(view.outcomes.values().next_back().map_or(0, |row| row.seq), uses);
    uses
}

/// After any failure, the step was either done or not done, and an error that says "not done" is true.
#[test]
fn a_disk_that_fails_leaves_the_step_done_or_undone() {
    let (_folder, _, store) = fresh();
    let mut before = 0;
    let mut seen = BTreeSet::new();
    for durability in [Durability::Normal, Durability::Full] {
        for left in 0.. {
            let (done, _) = watched(&store, before + 1, durability, left);
            let after = uses(&store);
            match &done {
                Ok(()) => assert_eq!(after, before + 1),
                Err(StoreError::Unknown(_)) => assert!((before..=before + 1).contains(&after)),
                Err(StoreError::Full) => assert_eq!(after, before),
                Err(other) => panic!("{other:?}"),
            }
            before = after;
            seen.insert(match &done {
                Ok(()) => "done",
                Err(StoreError::Full) => "not done",
                Err(_) => "unknown",
            });
            if done.is_ok() {
                assert!(left > 3, "{left}");
                break;
            }
        }
    }
    assert!(seen.into_iter().eq(["done", "not done", "unknown"]));
    store.transact(&Use { op: before + 1, durability: Durability::Full }).unwrap();
}

/// Cuts the power after every n-th write, for steps of both durabilities. Each time the disk keeps a
/// different part of the unsynced data. The store must be valid and contain all acknowledged steps.
#[test]
fn a_power_cut_takes_no_step_that_was_acknowledged() {
    let (_folder, path, store) = fresh();
    let mut disk = Disk::with([(NAME.to_owned(), std::fs::read(&path).unwrap())]);
    let (cut_folder, cut_path, cut) = fresh();
    let mut draws = Draws(1);
    let mut cuts = 0;
    let mut surely = 0;
    for op in 1..=24 {
        let durability = if op % 3 == 0 { Durability::Full } else { Durability::Normal };
        let (done, log) = watched(&store, op, durability, u64::MAX);
        done.unwrap();
        for (number, did) in log.into_iter().enumerate() {
            disk.take(NAME, did);
            if !(op as usize + number).is_multiple_of(stride()) {
                continue;
            }
            for keeps in Keeps::ALL {
                std::fs::write(&cut_path, &disk.after_power_cut(keeps, &mut draws)[NAME]).unwrap();
                let found = uses(&cut);
                assert!((surely..=op).contains(&found), "{found} of {op}, {surely} for certain");
                cuts += 1;
            }
        }
        surely = op;
    }
    assert!(cuts > 600 / stride(), "{cuts}");
    assert_eq!(uses(&store), 24);
    drop(cut_folder);
}
