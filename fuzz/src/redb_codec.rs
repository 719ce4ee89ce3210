//! Fuzzes the encoding of records in a redb file.
//!
//! Input: the bytes of a value as in the file. If the first byte is `*`, four-byte seeds follow, each of
//! which generates one record of every kind.

use std::any::TypeId;
use std::fmt::Debug;

use proptest::strategy::BoxedStrategy;
use staleness_conformance::arbitrary::{self, Reach, Sample as _, value};
use staleness_core::knowledge::{Document, Item};
use staleness_core::route::Suggestions;
use staleness_redb::fuzzing::{MAX_RECORD, Record};

use crate::peak::measured;

/// Maximum number of seeds per input. More would only be slower.
const MOST_SEEDS: usize = 2;
/// Memory allowed for decoding beyond a multiple of the input, in bytes. serde allocates up to 1 MiB for a
/// list by its claimed length.
const SPARE: usize = 3 << 20;
/// Memory allowed per decoded byte, in bytes. A ring entry has at least 3 bytes encoded and 24 decoded, and a
/// list grows by doubling.
const PER_BYTE: usize = 256;

thread_local! {
    static KINDS: Vec<Box<dyn Kind>> = {
        macro_rules! all {
            ($($rows:ident: $row:ty,)*) => {
                vec![
                    $(Box::new(<$row>::arbitrary(Reach::Wide)) as Box<dyn Kind>,)*
                    Box::new(arbitrary::outcome(Reach::Wide)),
                    Box::new(arbitrary::journal_entry(Reach::Wide)),
                ]
            };
        }
        staleness_core::collections!(all)
    };
}

/// Decodes bytes as every kind, or encodes and decodes records.
pub fn run(data: &[u8]) {
    KINDS.with(|kinds| match data {
        [b'*', seeds @ ..] => {
            for seed in seeds.as_chunks().0.iter().take(MOST_SEEDS) {
                kinds.iter().for_each(|kind| kind.there_and_back(u32::from_le_bytes(*seed)));
            }
        }
        bytes => kinds.iter().for_each(|kind| kind.read(bytes)),
    });
}

/// A kind of record: the generator of its records.
trait Kind {
    /// Asserts that a record is the same after encoding and decoding.
    fn there_and_back(&self, seed: u32);

    /// Asserts that anything decodable is the same after encoding and decoding again.
    fn read(&self, bytes: &[u8]);
}

impl<R: Record + Debug + PartialEq + 'static> Kind for BoxedStrategy<R> {
    fn there_and_back(&self, seed: u32) {
        let record = value(self, seed);
        let bytes = record.encode().expect("any record of the suite is small enough");
        assert!(bytes.len() <= MAX_RECORD);
        assert_eq!(decoded::<R>(&bytes).as_ref(), Some(&record));
        for end in [bytes.len() / 2, bytes.len() - 1] {
            assert_eq!(decoded::<R>(&bytes[..end]), None, "a record that lost its end");
        }
        let mut longer = bytes;
        longer.push(0);
        assert_eq!(decoded::<R>(&longer), None, "a record with more behind it");
    }

    fn read(&self, bytes: &[u8]) {
        if let Some(record) = &decoded::<R>(bytes) {
            let again = record.encode().expect("what was read can be written");
            // Citations, findings and prompts are JSON texts, which have many spellings.
            let packed =
                [TypeId::of::<Item>(), TypeId::of::<Document>(), TypeId::of::<Suggestions>()]
                    .contains(&TypeId::of::<R>());
            assert!(packed || again.len() <= bytes.len(), "the shortest way to write it");
            assert_eq!(decoded::<R>(&again).as_ref(), Some(record));
            assert_eq!(record.encode().expect("it was written"), again);
        }
    }
}

fn decoded<R: Record>(bytes: &[u8]) -> Option<R> {
    let (found, most) = measured(|| R::decode(bytes));
    assert!(most <= SPARE + PER_BYTE * bytes.len(), "{most} bytes for {} bytes", bytes.len());
    found
}
