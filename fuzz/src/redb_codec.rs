//! Fuzzes the encoding of records in a redb file.
//!
//! Input: the bytes of a value as in the file. If the first byte is `*`, four-byte seeds follow, each of
//! which generates one record of every kind.

use proptest::strategy::{BoxedStrategy, Strategy};
use staleness_conformance::arbitrary::{self, Reach, value};
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
    static ANY: [BoxedStrategy<Record>; 14] = [
        arbitrary::project(Reach::Wide).prop_map(Record::Project).boxed(),
        arbitrary::source(Reach::Wide).prop_map(Record::Source).boxed(),
        arbitrary::tool(Reach::Wide).prop_map(Record::Tool).boxed(),
        arbitrary::definition(Reach::Wide).prop_map(Record::Definition).boxed(),
        arbitrary::item(Reach::Wide).prop_map(Record::Item).boxed(),
        arbitrary::document(Reach::Wide).prop_map(Record::Document).boxed(),
        arbitrary::work(Reach::Wide).prop_map(Record::Work).boxed(),
        arbitrary::session(Reach::Wide).prop_map(Record::Session).boxed(),
        arbitrary::cursor(Reach::Wide).prop_map(Record::Cursor).boxed(),
        arbitrary::route(Reach::Wide).prop_map(Record::Route).boxed(),
        arbitrary::route_vector(Reach::Wide).prop_map(Record::Vector).boxed(),
        arbitrary::suggestions(Reach::Wide).prop_map(Record::Suggestions).boxed(),
        arbitrary::outcome(Reach::Wide).prop_map(Record::Outcome).boxed(),
        arbitrary::journal_entry(Reach::Wide).prop_map(Record::Entry).boxed(),
    ];
    /// One record of each kind.
    static KINDS: Vec<Record> = ANY.with(|any| any.iter().map(|kind| value(kind, 0)).collect());
}

/// Decodes bytes as every kind, or encodes and decodes records.
pub fn run(data: &[u8]) {
    match data {
        [b'*', seeds @ ..] => {
            for seed in seeds.as_chunks().0.iter().take(MOST_SEEDS) {
                ANY.with(|any| {
                    for kind in any {
                        there_and_back(&value(kind, u32::from_le_bytes(*seed)));
                    }
                });
            }
        }
        bytes => KINDS.with(|kinds| kinds.iter().for_each(|kind| read(kind, bytes))),
    }
}

/// Asserts that a record is the same after encoding and decoding.
fn there_and_back(record: &Record) {
    let bytes = record.encode().expect("any record of the suite is small enough");
    assert!(bytes.len() <= MAX_RECORD);
    assert_eq!(decoded(record, &bytes).as_ref(), Some(record));
    for end in [bytes.len() / 2, bytes.len() - 1] {
        assert_eq!(decoded(record, &bytes[..end]), None, "a record that lost its end");
    }
    let mut longer = bytes;
    longer.push(0);
    assert_eq!(decoded(record, &longer), None, "a record with more behind it");
}

/// Asserts that anything decodable is the same after encoding and decoding again.
fn read(kind: &Record, bytes: &[u8]) {
    if let Some(record) = &decoded(kind, bytes) {
        let again = record.encode().expect("what was read can be written");
        // Citations, findings and prompts are JSON texts, which have many spellings.
        let packed =
            matches!(record, Record::Item(_) | Record::Document(_) | Record::Suggestions(_));
        assert!(packed || again.len() <= bytes.len(), "the shortest way to write it");
        assert_eq!(decoded(record, &again).as_ref(), Some(record));
        assert_eq!(record.encode().expect("it was written"), again);
    }
}

fn decoded(kind: &Record, bytes: &[u8]) -> Option<Record> {
    let (found, most) = measured(|| kind.decode(bytes));
    assert!(most <= SPARE + PER_BYTE * bytes.len(), "{most} bytes for {} bytes", bytes.len());
    found
}
