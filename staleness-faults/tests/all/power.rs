//! Power that is cut after every write, truncation and sync of a life on SQLite.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::*;
use staleness_conformance::disk::{Did, Disk, Draws, Keeps};
use staleness_conformance::life::{Reference, stride};
use staleness_faults::Event;
use staleness_sqlite::SqliteStore;

/// Turns of the life that are lived: the store is created in the first.
const TURNS: usize = 28;

/// Lives the life, and returns what each turn did to files. A store is opened for every turn but those
/// that follow an even one, so that both short lives and longer ones are met.
fn lived(folder: &Path) -> Vec<Vec<Event>> {
    staleness_faults::install();
    staleness_faults::watch();
    let mut store: Option<SqliteStore> = None;
    (0..TURNS)
        .map(|number| {
            let open = store.take().unwrap_or_else(|| open(folder).unwrap());
            LIFE.turn(&registry(&open), number as u64).unwrap();
            if number % 5 == 4 {
                open.checkpoint().unwrap();
            }
            store = (number % 2 == 0).then_some(open);
            staleness_faults::seen()
        })
        .collect()
}

/// Counts of what the power cuts showed.
#[derive(Debug, Default)]
struct Found {
    cuts: usize,
    /// Cuts by how many commits were lost.
    lost: BTreeMap<usize, usize>,
}

/// Cuts the power after events at a stride and looks at what is left. An error says what is wrong with it.
fn cut_everywhere(
    reference: &Reference,
    turns: &[Vec<Event>],
    forgets: impl Fn(&Did) -> bool,
) -> Result<Found, String> {
    let folder = tempfile::tempdir().unwrap();
    let mut disk = Disk::default();
    let mut draws = Draws(1);
    let mut found = Found::default();
    for (turn, events) in turns.iter().enumerate() {
        let (before, end) = (reference.before(turn), reference.ends[turn]);
        for (number, event) in events.iter().enumerate() {
            // Temporary files of SQLite have no name.
            // A new store gets its name when it is whole and synced: see `NewFile`.
            if event.file == format!("{NAME}.new") {
                disk.take(NAME, event.did.clone());
                disk.take(NAME, Did::Sync);
                continue;
            }
            if (event.file.is_empty() && event.did != Did::SyncFolder) || forgets(&event.did) {
                continue;
            }
            disk.take(&event.file, event.did.clone());
            // Behind the last event of a turn everything that it did was acknowledged.
            let acknowledged = if number + 1 == events.len() { end } else { before };
            if (turn + number) % stride() > 0 && number + 1 < events.len() {
                continue;
            }
            let least = surely(reference, acknowledged);
            for keeps in Keeps::ALL {
                let image = disk.after_power_cut(keeps, &mut draws);
                let told = format!("turn {turn}, event {number} ({}), keeps {keeps:?}", event.file);
                lay_out(folder.path(), &image);
                if keeps == Keeps::Some {
                    // What lies in the index of the log after a power cut is anything.
                    let garbage = vec![draws.below(256) as u8; 32_768];
                    std::fs::write(folder.path().join(format!("{NAME}-shm")), garbage).unwrap();
                }
                let store = open(folder.path()).map_err(|error| format!("{told}: {error:?}"))?;
                check(&store).map_err(|error| format!("{told}: {error:?}"))?;
                let view = everything(&store).map_err(|error| format!("{told}: {error:?}"))?;
                let at = reference.find(&view, least, end).ok_or_else(|| {
                    format!(
                        "{told}: not a state from {least} to {end} (revision {})",
                        view.revision
                    )
                })?;
                *found.lost.entry(acknowledged.saturating_sub(at)).or_default() += 1;
                found.cuts += 1;
                if found.cuts % 8 == 0 && (at == before || at == end) {
                    goes_on(&store, reference, turn, at).map_err(|why| format!("{told}: {why}"))?;
                }
            }
        }
    }
    Ok(found)
}

/// The life goes on from where the store is found.
fn goes_on(
    store: &SqliteStore,
    reference: &Reference,
    turn: usize,
    at: usize,
) -> Result<(), String> {
    let next = if at == reference.ends[turn] { turn + 1 } else { turn };
    if next == TURNS {
        return Ok(());
    }
    LIFE.turn(&registry(store), next as u64).map_err(|error| error.to_string())?;
    let view = everything(store).map_err(|error| error.to_string())?;
    let end = reference.ends[next];
    reference.find(&view, end, end).map(drop).ok_or_else(|| "it goes on wrongly".to_owned())
}

#[test]
fn a_power_cut_takes_what_was_not_synced_at_most_and_leaves_a_whole_store() {
    let reference = Reference::of(LIFE, TURNS as u64);
    let folder = tempfile::tempdir().unwrap();
    let lived = lived(folder.path());
    let found = cut_everywhere(&reference, &lived, |_| false).unwrap();
    println!("{found:?}");
    assert!(found.cuts > 1_000 / stride(), "{found:?}");
    // Both happened: a cut that lost nothing, and one that took commits of normal durability.
    assert!(found.lost.len() > 1, "{found:?}");
}

/// The test above can fail: on a disk that only says that it has synced, steps are lost that had to
/// survive.
#[test]
fn a_disk_that_lies_about_syncs_loses_what_had_to_survive() {
    let reference = Reference::of(LIFE, TURNS as u64);
    let folder = tempfile::tempdir().unwrap();
    let lived = lived(folder.path());
    let why = cut_everywhere(&reference, &lived, |did| *did == Did::Sync).unwrap_err();
    assert!(!why.is_empty());
}
