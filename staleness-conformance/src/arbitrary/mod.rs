//! Strategies for all records, changes and selections, for property tests and fuzzing.
//!
//! Records are generated as a store keeps them. Any value that a record can hold may occur, within the
//! record's own rules: identifiers obey [`staleness_core::ids::IdError::check`], texts of a source's id
//! contain no control characters, and a ring holds at most its capacity. Texts contain no NUL.

/// Builds a strategy for a struct or a variant with named fields, from one strategy per field.
macro_rules! record {
    ($($of:ident)::+ { $($field:ident: $from:expr),+ $(,)? }) => {
        record!(@from $($from,)+)
            .prop_map(|record!(@names $($field,)+)| $($of)::+ { $($field),+ })
            .boxed()
    };
    (@from $first:expr, $($rest:expr,)*) => { ($first, record!(@from $($rest,)*)) };
    (@from) => { Just(()) };
    (@names $first:ident, $($rest:ident,)*) => { ($first, record!(@names $($rest,)*)) };
    (@names) => { () };
}
pub(crate) use record;

/// Builds a strategy for a filter from a strategy for each variant. `All` is added automatically.
macro_rules! filter {
    ($filter:ident {
        $($variant:ident($($from:expr),+)),* $(,)? $(; $($other:expr),+ $(,)?)?
    }) => {
        prop_oneof![
            $(filter!(@of $filter::$variant, $($from),+),)*
            $($($other,)+)?
            Just($filter::All),
        ]
        .boxed()
    };
    (@of $filter:ident::$variant:ident, $one:expr) => { $one.prop_map($filter::$variant) };
    (@of $filter:ident::$variant:ident, $one:expr, $two:expr) => {
        ($one, $two).prop_map(|(one, two)| $filter::$variant(one, two))
    };
}
pub(crate) use filter;

mod changes;
mod definition;
mod hostile;
mod ids;
mod journal;
mod knowledge;
mod outcome;
mod place;
mod routes;
mod selection;
mod tool;
mod work;

pub use changes::{change_set, outcome_range};
pub use definition::definition;
pub use hostile::{MARK, hostile_name};
pub use ids::{
    agent_id, client_id, cursor_key, document_key, item_id, item_key, level, op_id, project_id,
    scope, server_key, session_id, session_key, source_id, tool_key, tool_name, work_id, work_key,
};
pub use journal::{journal_entry, revision, subject};
pub use knowledge::{block, citation, document, fact, item};
pub use outcome::{mark, outcome};
pub use place::{project, source};
pub use routes::*;
pub use selection::*;
pub use tool::{failing, health, listing, presence, ring, tool};
pub(crate) use work::referred;
pub use work::{cursor, session, work};

use proptest::char;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use staleness_core::time::Timestamp;

pub use crate::rows::Sample;

/// The range of values that a strategy generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Few values, so that keys occur repeatedly. For sequences of steps.
    Pool,
    /// All valid values, often at their limits. For round trips.
    Wide,
}

/// Generates a time, often a limit or a time that also occurs elsewhere.
pub fn timestamp(reach: Reach) -> BoxedStrategy<Timestamp> {
    let few = select(vec![
        Timestamp::MIN,
        Timestamp::from_millis(-1),
        Timestamp::from_millis(0),
        Timestamp::from_millis(1),
        Timestamp::from_millis(2),
        Timestamp::from_millis(1_000),
        Timestamp::MAX,
    ]);
    match reach {
        Reach::Pool => few.boxed(),
        Reach::Wide => prop_oneof![
            1 => few,
            3 => (Timestamp::MIN.as_millis()..=Timestamp::MAX.as_millis())
                .prop_map(Timestamp::from_millis),
        ]
        .boxed(),
    }
}

/// Generates a number, often small or a limit.
pub fn number() -> BoxedStrategy<u64> {
    prop_oneof![
        4 => 0..5u64,
        1 => any::<u64>(),
        1 => select(vec![i64::MAX as u64, 1 << 63, u64::MAX]),
    ]
    .boxed()
}

/// Generates a digest, often 0, which means none.
pub fn digest() -> BoxedStrategy<u128> {
    prop_oneof![Just(0), Just(u128::MAX), 0..3u128, any::<u128>()].boxed()
}

/// Generates text as from a person or a file, of at most `longest` characters: line breaks, tabs, quotes, any
/// script.
pub fn text(longest: usize) -> BoxedStrategy<String> {
    let letter = prop_oneof![
        4 => char::range('a', 'f'),
        2 => select(vec!['\n', '\t', '\'', '"', '\\', '%', '_', '*', ' ', '\u{202e}', '\u{1f680}']),
        1 => any::<char>().prop_filter("no NUL", |letter| *letter != '\0'),
    ];
    let short = longest.min(12);
    prop_oneof![
        9 => prop::collection::vec(letter, 0..=short).prop_map(String::from_iter),
        1 => Just("\u{1f680}".repeat(longest)),
    ]
    .boxed()
}

/// Returns the maximum length, in characters, of texts without their own limit.
const fn longest(reach: Reach) -> usize {
    match reach {
        Reach::Pool => 12,
        Reach::Wide => 300,
    }
}

/// Generates `None` or a value.
fn maybe<T: std::fmt::Debug + Clone + 'static>(
    some: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<T>> {
    prop::option::of(some).boxed()
}

/// Returns the value that a seed selects. For fuzzers, which add, drop, swap and repeat values by seed.
///
/// The strategies consume many more random bytes than a value has choices, and each fork halves the remaining bytes, so
/// a fuzzer could not drive them directly.
///
/// # Panics
/// If a strategy rejects everything.
pub fn value<S: Strategy>(strategy: &S, seed: u32) -> S::Value {
    let mut key = [0x5e; 16];
    key[..4].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, &key);
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, rng);
    strategy.new_tree(&mut runner).expect("a generator gives a value").current()
}
