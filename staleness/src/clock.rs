//! Reads the clock and creates random ids. No other module in the workspace reads the clock.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::{SystemTime, UNIX_EPOCH};

use staleness_core::Timestamp;
use staleness_core::ids::OpId;

/// Returns the current time. All other code takes the time as an argument.
#[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub fn now() -> Timestamp {
    let millis = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
    };
    Timestamp::from_millis(millis)
}

/// Returns a random 128-bit op id, for callers whose client does not supply one.
///
/// # Panics
/// Never: hexadecimal digits are a valid id.
pub fn fresh_op() -> OpId {
    // The standard library seeds `RandomState` from the system's random numbers, and each new state differs.
    // Two keyed hashes give 128 bits without another dependency.
    let half = || RandomState::new().build_hasher().finish();
    OpId::new(format!("op-{:016x}{:016x}", half(), half())).expect("digits are a valid id")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_ids_differ() {
        let ids: std::collections::BTreeSet<_> = (0..1_000).map(|_| fresh_op()).collect();
        assert_eq!(ids.len(), 1_000);
    }

    #[test]
    fn the_clock_runs_in_this_century() {
        assert!(now() > "2024-01-01T00:00:00Z".parse().unwrap());
    }
}
