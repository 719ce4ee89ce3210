//! Generates work items, journals and cursors of a given size.

use staleness::ids::{AgentId, Scope, WorkId, WorkKey};
use staleness::scan::ProjectRef;
use staleness::work::{Work, WorkKind, WorkStatus};
use staleness::{Registry, Timestamp, Wait};
use staleness_core::journal::{Action, JournalEntry, Subject};
use staleness_core::session::{Cursor, CursorKey};
use staleness_core::store::ChangeSet;

use crate::put::{put, write};

/// Maximum number of rows per commit.
const BATCH: usize = 10_000;
/// Kinds used in turn, each with a state.
const SORTS: [(WorkKind, WorkStatus); 5] = [
    (WorkKind::Plan, WorkStatus::InProgress),
    (WorkKind::Plan, WorkStatus::Todo),
    (WorkKind::Handoff, WorkStatus::Open),
    (WorkKind::Candidate, WorkStatus::Pending),
    (WorkKind::Note, WorkStatus::Visible),
];

fn key(project: &ProjectRef, number: usize) -> WorkKey {
    let id = WorkId::new(format!("work-{number:09}")).expect("a valid id");
    WorkKey { scope: Scope::Project(project.id.clone()), id }
}

/// Writes the work items `range` of a project, of several kinds. `open` of every 10,000 are open. `overdue`
/// of every 100 are as old as `old`, the others as `young`. One in twenty refers to another.
pub fn fill_work(
    registry: &Registry,
    project: &ProjectRef,
    range: std::ops::Range<usize>,
    (open, overdue): (usize, usize),
    (old, young): (Timestamp, Timestamp),
) {
    let item = |number: usize| {
        let (kind, status) = SORTS[number % SORTS.len()];
        let at = if number / 5 % 100 < overdue { old } else { young };
        let text = format!("Somebody should look at number {number}, and say what became of it.");
        let mut work = Work { status, ..Work::new(key(project, number), kind, text, at) };
        if number.is_multiple_of(20) {
            work.refs.insert(format!("work-{:09}", number / 2));
        }
        if number % 10_000 >= open {
            work.status = work.kind.resolved().unwrap_or(work.status);
        }
        work
    };
    let numbers: Vec<usize> = range.collect();
    for part in numbers.chunks(BATCH) {
        put(registry, part.iter().copied().map(item));
    }
}

/// Appends journal entries about the first `items` work items of a project, in commits of `batch` entries.
pub fn fill_journal(
    registry: &Registry,
    project: &ProjectRef,
    items: usize,
    (count, batch): (usize, usize),
    at: Timestamp,
) {
    let entry = |number: usize| {
        let subject = Subject::work(&key(project, number * 7 % items));
        let (from, to) = (Some("todo".into()), Some("todo".into()));
        JournalEntry { from, to, ..JournalEntry::new(at, subject, Action::Stepped, "by_hand") }
    };
    let numbers: Vec<usize> = (0..count).collect();
    for part in numbers.chunks(batch.min(BATCH)) {
        let mut changes = ChangeSet::default();
        changes.journal = part.iter().copied().map(entry).collect();
        write(registry, changes);
    }
}

/// Moves an agent's cursor to the end of the journal.
pub fn tell_all(registry: &Registry, project: &ProjectRef, agent: &str) {
    let agent = AgentId::new(agent).expect("a valid name");
    let key = CursorKey { project: project.id.clone(), agent };
    let revision = registry.admin().revision().wait().expect("the revision");
    put(registry, [Cursor { key, revision, session: None, moved_at: Timestamp::MIN }]);
}
