//! Disks that fail, and power that is cut, at every write and sync.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicI64;

use staleness_core::ids::{OpId, ProjectId, ServerKey, ToolKey, ToolName};
use staleness_core::journal::{Action, JournalEntry, Revision, Subject};
use staleness_core::outcome::{Mark, Outcome};
use staleness_core::store::{
    Decision, Draft, Durability, OutcomeCut, OutcomeRange, Refusal, Selection, Step, StoreError,
    ToolFilter, View,
};
use staleness_core::time::Timestamp;
use staleness_core::tool::{PresenceCause, Tool, ToolKind};

use super::*;
use crate::OpenOptions;
use crate::inner::{Inner, carry_out};
use crate::session::Session;

/// What reached the file.
#[derive(Clone, Debug)]
pub(crate) enum Did {
    Write(u64, Vec<u8>),
    SetLen(u64),
    Sync,
}

/// Notes what reaches the file, and fails on demand.
#[derive(Debug)]
pub(crate) struct Probe {
    left: AtomicI64,
    log: Mutex<Vec<Did>>,
}

impl Default for Probe {
    fn default() -> Self {
        Self { left: AtomicI64::new(i64::MAX), log: Mutex::default() }
    }
}

impl Probe {
    pub(super) fn note(&self, did: Did) -> io::Result<()> {
        if self.left.fetch_sub(1, Ordering::Relaxed) <= 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.log.lock().unwrap().push(did);
        Ok(())
    }
}

/// Uses a tool, tells the journal, and forgets the oldest outcomes.
#[derive(Debug)]
struct Use {
    op: u64,
    durability: Durability,
}

fn key() -> ToolKey {
    ToolKey::global(ToolName::new("t").unwrap())
}

impl Step for Use {
    fn selection(&self) -> Selection {
        Selection::new().lock_tools(ToolFilter::Key(key()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let at = Timestamp::from_millis(self.op as i64);
        let op = OpId::new(self.op.to_string()).unwrap();
        let mut draft = Draft::new(view, at);
        let mut row = draft
            .tool(&key())
            .cloned()
            .unwrap_or_else(|| Tool::new(key(), ToolKind::McpTool, PresenceCause::Used, at));
        row.note_use(Mark::Success, at, self.op, 5);
        row.presence.revived = self.op.is_multiple_of(2);
        draft.put_tool(row);
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
        draft.append_journal(JournalEntry {
            revision: Revision(0),
            index: 0,
            at,
            subject: Subject::tool(&key()),
            action: Action::Present,
            from: None,
            to: None,
            cause: "x".repeat(self.op as usize * 37 % 900),
            note: None,
            session: None,
            actor: None,
            op: Some(op),
        });
        Ok(Decision::Write(draft.finish()))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// A step with an eye on what reaches the file; `left` writes and syncs succeed.
fn watched(
    path: &Path,
    op: u64,
    durability: Durability,
    left: i64,
) -> (Result<(), StoreError>, Vec<Did>) {
    let session = Session::write(path).unwrap();
    let control = Arc::clone(session.control().unwrap());
    control.probe.left.store(left, Ordering::Relaxed);
    let step = Use { op, durability };
    let done = session.with(|session| carry_out(session, &step, durability)).map(drop);
    let log = std::mem::take(&mut *control.probe.log.lock().unwrap());
    (done, log)
}

fn fresh() -> (tempfile::TempDir, std::path::PathBuf, Inner) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.redb");
    let store = Inner::open(&path, OpenOptions::new()).unwrap();
    (folder, path, store)
}

/// Uses so far, by a store that must be sound.
fn uses(store: &Inner) -> u64 {
    store.check().unwrap();
    let view = store.view(&Selection::everything()).unwrap();
    let uses = view.tools.get(&key()).map_or(0, |row| row.uses);
    assert_eq!(view.revision.0, uses);
    assert_eq!(view.journal.len() as u64, uses);
    assert_eq!(view.outcomes.values().next_back().map_or(0, |row| row.seq), uses);
    uses
}

/// Whatever fails and wherever: it is done or not, and an error that says "not" is true.
#[test]
fn a_disk_that_fails_leaves_the_step_done_or_undone() {
    let (_folder, path, store) = fresh();
    let mut before = 0;
    let mut seen = BTreeSet::new();
    for durability in [Durability::Normal, Durability::Full] {
        for left in 0.. {
            let (done, _) = watched(&path, before + 1, durability, left);
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

/// A disk: what is on it for certain, and what was written since the last sync.
#[derive(Clone)]
struct Disk {
    sure: Vec<u8>,
    since: Vec<Did>,
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes and {} writes", self.sure.len(), self.since.len())
    }
}

impl Disk {
    fn take(&mut self, did: &Did) {
        match did {
            Did::Sync => {
                self.sure = self.after_power_cut(|_| true);
                self.since.clear();
            }
            other => self.since.push(other.clone()),
        }
    }

    /// What is found when the power comes back: of the last writes those that `kept` names.
    fn after_power_cut(&self, mut kept: impl FnMut(usize) -> bool) -> Vec<u8> {
        let mut image = self.sure.clone();
        for (number, did) in self.since.iter().enumerate() {
            match did {
                // The length of a file follows its own rules: it never comes after the data.
                Did::SetLen(len) => image.resize(*len as usize, 0),
                Did::Write(offset, data) if kept(number) => {
                    let offset = *offset as usize;
                    image[offset..offset + data.len()].copy_from_slice(data);
                }
                _ => {}
            }
        }
        image
    }
}

/// Steps of both durabilities; the power is cut after every write, and each time the disk keeps
/// another part of what was not synced. The store is sound, has every step that had to survive and
/// at most one of the others less than was acknowledged.
#[test]
fn a_power_cut_takes_the_last_normal_step_at_most() {
    let (_folder, path, store) = fresh();
    let mut disk = Disk { sure: std::fs::read(&path).unwrap(), since: Vec::new() };
    let (cut_folder, cut_path, cut) = fresh();
    let mut draws = 1_u64;
    let mut cuts = 0;
    let mut surely = 0;
    for op in 1..=24 {
        let durability = if op % 3 == 0 { Durability::Full } else { Durability::Normal };
        let (done, log) = watched(&path, op, durability, i64::MAX);
        done.unwrap();
        for did in log {
            disk.take(&did);
            draws = draws
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let kept = draws >> 20;
            let images = [
                disk.after_power_cut(|_| false),
                disk.after_power_cut(|number| kept >> (number % 40) & 1 == 1),
                disk.after_power_cut(|number| number + 1 == disk.since.len()),
            ];
            for image in images {
                std::fs::write(&cut_path, image).unwrap();
                let found = uses(&cut);
                assert!((surely..=op).contains(&found), "{found} of {op}, {surely} for certain");
                cuts += 1;
            }
        }
        // The next step begins with the sync that this one may owe.
        surely = if durability == Durability::Full { op } else { op - 1 };
    }
    assert!(cuts > 300, "{cuts}");
    assert_eq!(uses(&store), 24);
    drop(cut_folder);
}

/// What a step costs: how many syncs, and nothing to do for a reader.
#[test]
fn a_normal_step_syncs_twice_and_a_full_one_three_times() {
    let (_folder, path, store) = fresh();
    watched(&path, 1, Durability::Full, i64::MAX).0.unwrap();
    for (op, durability, expected) in [(2, Durability::Normal, 2), (3, Durability::Full, 3)] {
        let (done, log) = watched(&path, op, durability, i64::MAX);
        done.unwrap();
        assert_eq!(log.iter().filter(|did| matches!(did, Did::Sync)).count(), expected);
    }
    let before = std::fs::read(&path).unwrap();
    assert_eq!(uses(&store), 3);
    assert!(std::fs::read(&path).unwrap() == before);
}
