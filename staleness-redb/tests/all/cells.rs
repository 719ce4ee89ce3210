//! Records that somebody changed, in pages that redb finds sound: what cannot be read is named, and nothing panics.
//!
//! Each byte is changed in one of four ways. One change in 64 is tried, with `STALENESS_CELLS=all` each, which takes
//! minutes.

use std::path::Path;
use std::sync::Arc;

use redb::{Key, ReadableDatabase, ReadableTable, TableDefinition};
use staleness_conformance::cells::{self, Changed, SECRET, fill, read};
use staleness_core::store::table::Record;
use staleness_core::{Policy, Registry};
use staleness_redb::{OpenOptions, RedbStore};

fn registry(path: &Path) -> Registry {
    let store = RedbStore::open(path, OpenOptions::default()).unwrap();
    Registry::new(Arc::new(store), Policy::default())
}

/// The ways in which a record is changed at one of its bytes.
const HOW: [fn(&mut Vec<u8>, usize); 4] = [
    |record, at| record.truncate(at),
    |record, at| record[at] = 0xff,
    |record, at| drop(record.splice(at..at, SECRET.bytes())),
    |record, at| record[at] ^= 1,
];

type Records<K> = TableDefinition<'static, K, &'static [u8]>;

/// Hands each of the changes of a table's first record to `visit`, in a copy of the store.
fn changes<K: Key + 'static>(
    whole: &Path,
    name: &'static str,
    visit: &mut dyn FnMut(&Registry, Changed<'_>),
) {
    let table = Records::<K>::new(name);
    let db = staleness_redb::database(whole).unwrap();
    let length = {
        let rows = db.begin_read().unwrap().open_table(table).unwrap();
        rows.first().unwrap().expect(name).1.value().len()
    };
    drop(db);
    // Every eighth of an eighth of them.
    let step = cells::every().pow(2);
    for (turn, at) in (0..length).step_by(step).enumerate() {
        let path = whole.with_extension("copy");
        std::fs::copy(whole, &path).unwrap();
        let db = staleness_redb::database(&path).unwrap();
        let tx = db.begin_write().unwrap();
        {
            let mut rows = tx.open_table(table).unwrap();
            let (key, mut record) = {
                let (key, record) = rows.first().unwrap().unwrap();
                (K::as_bytes(&key.value()).as_ref().to_vec(), record.value().to_vec())
            };
            HOW[turn % HOW.len()](&mut record, at);
            rows.insert(K::from_bytes(&key), record.as_slice()).unwrap();
        }
        tx.commit().unwrap();
        drop(db);
        let how = format!("{name}: change {} at byte {at}", turn % HOW.len());
        visit(&registry(&path), Changed { how: &how, table: name, is_key: false });
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn whatever_stands_in_a_record_is_read_or_named() {
    // In memory where there is such a folder: a thousand copies are synced, and none has to last.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let whole = folder.path().join("whole.redb");
    let site = registry(&whole);
    fill(&site);
    assert!(read(&site).iter().all(Result::is_ok));
    drop(site);
    let (mut changed, mut named) = (0, 0);
    let mut visit = |registry: &Registry, cell: Changed<'_>| {
        changed += 1;
        named += cell.try_out(registry, &["the journal has"]);
    };
    macro_rules! each {
        ($($rows:ident: $row:ty,)*) => {
            $(changes::<(&str, &str, &str)>(&whole, <$row as Record>::TABLE, &mut visit);)*
        };
    }
    staleness_core::collections!(each);
    changes::<u64>(&whole, "outcomes", &mut visit);
    changes::<(u64, u32)>(&whole, "journal", &mut visit);
    eprintln!("{changed} records changed, {named} errors");
    assert!(changed > 50 && named > 50, "{changed}, {named}");
}
