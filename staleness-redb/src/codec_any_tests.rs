//! Tests with any record, and with any bytes.

use std::fmt::Debug;

use staleness_conformance::arbitrary::Sample as _;

use super::*;

fn comes_back<R: Coded + Clone + PartialEq + Debug>(records: BoxedStrategy<R>) {
    let config = Config { failure_persistence: None, ..Config::default() };
    proptest!(config, |(record in records)| {
        prop_assert_eq!(decode(&encode(&record).unwrap()), Ok(record));
    });
}

#[test]
fn any_record_comes_back() {
    macro_rules! each {
        ($($rows:ident: $row:ty,)*) => { $(comes_back(<$row>::arbitrary(Reach::Wide));)* };
    }
    staleness_core::collections!(each);
    comes_back(arbitrary::outcome(Reach::Wide));
    comes_back(arbitrary::journal_entry(Reach::Wide));
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    /// A record decoded from any bytes is unchanged after encoding and decoding it again.
    #[test]
    fn any_bytes_are_an_error_or_a_record(body in prop::collection::vec(any::<u8>(), 0..200)) {
        macro_rules! read {
            ($type:ty, $json:literal, $bytes:literal) => {{
                let bytes = [&bytes($bytes)[..2], body.as_slice()].concat();
                if let Ok(record) = decode::<$type>(&bytes) {
                    prop_assert_eq!(decode::<$type>(&encode(&record).unwrap()), Ok(record));
                }
            }};
        }
        golden!(read);
    }
}
