//! The counters of the store.

use std::hash::{BuildHasher, Hasher, RandomState};

use redb::ReadableTable;
use staleness_core::journal::{Floor, Revision};
use staleness_core::store::StoreError;
use staleness_core::time::Timestamp;

use super::stored::FORMAT;
use super::table;
use crate::error::{from_storage, from_table};
use crate::tables::{MAGIC, META, OUTCOMES, Tx};

/// The counters of the store, as read by one transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meta {
    pub(crate) revision: Revision,
    pub(crate) floor: Floor,
    /// The last sequence number ever assigned.
    pub(crate) last_seq: u64,
}

/// Maximum valid counter. Larger values mean damage, and there must be room for one more.
const MOST: u64 = i64::MAX as u64;

/// Checks that this is a store of the supported format, and reads the counters.
pub(crate) fn load(tx: &Tx) -> Result<Meta, StoreError> {
    let foreign = || StoreError::NotAStore("another program's redb database".into());
    let meta = match tx.open_table(META) {
        Ok(table) => table,
        Err(redb::TableError::Storage(error)) => return Err(from_storage(error)),
        // A table with this name has other types.
        Err(_) => return Err(foreign()),
    };
    let number = |name: &str| -> Result<Option<u64>, StoreError> {
        Ok(meta.get(name).map_err(from_storage)?.map(|value| value.value()))
    };
    if number("magic")? != Some(MAGIC) {
        return Err(foreign());
    }
    let missing = |name: &str| StoreError::Corrupt(format!("staleness {name}: it is missing"));
    let sound = |name: &'static str| match number(name)? {
        Some(value) if value <= MOST => Ok(value),
        Some(_) => Err(StoreError::Corrupt(format!("staleness {name}: it cannot be read"))),
        None => Err(missing(name)),
    };
    match sound("format")? {
        FORMAT => {}
        0 => return Err(StoreError::Corrupt("staleness format: it cannot be read".into())),
        found if found > FORMAT => {
            return Err(StoreError::FormatTooNew { found, supported: FORMAT });
        }
        found => return Err(StoreError::FormatTooOld { found, needed: FORMAT }),
    }
    let revision = Revision(sound("revision")?);
    let floor = Revision(sound("floor")?);
    let at = number("floor_at")?.ok_or_else(|| missing("floor_at"))?;
    let floor = Floor { revision: floor, at: Timestamp::from_millis(at.cast_signed()) };
    let least = sound("last_seq")?;
    let outcomes = table(tx, OUTCOMES)?;
    let last = outcomes.last().map_err(from_storage)?.map_or(0, |(seq, _)| seq.value());
    if last > MOST {
        return Err(StoreError::Corrupt(format!("outcomes {last}: seq cannot be read")));
    }
    Ok(Meta { revision, floor, last_seq: least.max(last) })
}

/// Writes the counters of a new store.
pub(crate) fn create(tx: &Tx) -> Result<(), StoreError> {
    let mut meta = tx.open_table(META).map_err(from_table)?;
    for (name, value) in [("magic", MAGIC), ("format", FORMAT), ("generation", anywhere())] {
        meta.insert(name, value).map_err(from_storage)?;
    }
    drop(meta);
    store(tx, Meta { revision: Revision(0), floor: Floor::default(), last_seq: 0 })
}

/// Writes the counters. Magic and format are not written.
pub(crate) fn store(tx: &Tx, Meta { revision, floor, last_seq }: Meta) -> Result<(), StoreError> {
    let mut meta = table(tx, META)?;
    for (name, value) in [
        ("revision", revision.0),
        ("floor", floor.revision.0),
        ("floor_at", floor.at.as_millis().cast_unsigned()),
        ("last_seq", last_seq),
    ] {
        meta.insert(name, value).map_err(from_storage)?;
    }
    Ok(())
}

/// Returns a random starting value.
fn anywhere() -> u64 {
    RandomState::new().build_hasher().finish() / 4
}

/// Reads the generation of search data. It starts at a random number, so that a replaced store is detected.
pub(crate) fn generation(tx: &Tx) -> Result<u64, StoreError> {
    let meta = table(tx, META)?;
    let found = meta.get("generation").map_err(from_storage)?;
    let found = found.map(|value| value.value()).filter(|value| *value <= MOST);
    found.ok_or_else(|| StoreError::Corrupt("staleness generation: it cannot be read".into()))
}

/// Raises the generation of search data.
pub(crate) fn advance(tx: &Tx) -> Result<(), StoreError> {
    let next = generation(tx)? + 1;
    table(tx, META)?.insert("generation", next).map_err(from_storage)?;
    Ok(())
}
