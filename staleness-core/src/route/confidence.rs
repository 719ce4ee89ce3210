//! Confidences of routes.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The confidence of a route, 0..=1, stored in billionths, because an integer is the same in every store, on every
/// platform and in every export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence(u32);

const ONE: u32 = 1_000_000_000;

impl Confidence {
    /// No confidence at all.
    pub const ZERO: Self = Self(0);
    /// Full confidence, 1.
    pub const ONE: Self = Self(ONE);

    /// Creates a confidence from a number in `0..=1`, rounded to 1e-9. `None` outside that range or for NaN.
    pub fn new(value: f64) -> Option<Self> {
        // The product lies in 0..=ONE, so the cast is lossless.
        (0.0..=1.0).contains(&value).then(|| Self((value * f64::from(ONE)).round() as u32))
    }

    /// Creates a confidence from billionths. `None` if above 1_000_000_000.
    pub const fn of_billionths(billionths: u32) -> Option<Self> {
        if billionths <= ONE { Some(Self(billionths)) } else { None }
    }

    /// Returns the confidence in billionths.
    pub const fn billionths(self) -> u32 {
        self.0
    }

    /// Returns the confidence as a number in `0..=1`.
    pub fn get(self) -> f64 {
        f64::from(self.0) / f64::from(ONE)
    }

    /// Returns the confidence after one more signal: an exponential moving average,
    /// `(1 − weight) × self + weight × signal`.
    #[must_use]
    pub fn after(self, signal: Self, weight: f64) -> Self {
        let (old, new) = (f64::from(self.0), f64::from(signal.0));
        let next = (old + (new - old) * weight).round().clamp(0.0, f64::from(ONE));
        Self(next as u32)
    }

    /// Returns the mean of two confidences, weighted by `times` and `other_times` and rounded half up. If both weights
    /// are 0, returns the larger confidence.
    #[must_use]
    pub fn mean(self, times: u64, other: Self, other_times: u64) -> Self {
        let (a, b) = (u128::from(times), u128::from(other_times));
        let all = a + b;
        if all == 0 {
            return self.max(other);
        }
        let sum = u128::from(self.0) * a + u128::from(other.0) * b;
        Self(u32::try_from((2 * sum + all) / (2 * all)).unwrap_or(ONE))
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl Serialize for Confidence {
    /// Serializes as a number in `0..=1` in human-readable formats, otherwise as billionths.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() { to.serialize_f64(self.get()) } else { to.serialize_u32(self.0) }
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let read = if from.is_human_readable() {
            Self::new(f64::deserialize(from)?)
        } else {
            Self::of_billionths(u32::deserialize(from)?)
        };
        read.ok_or_else(|| de::Error::custom("must be between 0 and 1"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: f64) -> Confidence {
        Confidence::new(value).expect("0..=1")
    }

    #[test]
    fn what_lies_outside_is_no_confidence() {
        for value in [-0.000_001, 1.000_001, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Confidence::new(value), None, "{value}");
        }
        assert_eq!(Confidence::new(-0.0), Some(Confidence::ZERO));
        assert_eq!(Confidence::of_billionths(ONE + 1), None);
    }

    #[test]
    fn a_signal_moves_it_by_a_fifth_of_the_way() {
        assert_eq!(Confidence::ONE.after(of(0.75), 0.2), of(0.95));
        assert_eq!(of(0.95).after(Confidence::ZERO, 0.2), of(0.76));
        assert_eq!(of(0.76).after(Confidence::ONE, 0.2), of(0.808));
        // Prints the decimal number without rounding noise.
        assert_eq!(of(0.95).after(Confidence::ZERO, 0.2).to_string(), "0.76");
    }

    #[test]
    fn the_mean_of_two_lies_between_them_however_often_they_count() {
        assert_eq!(of(0.5).mean(3, of(0.9), 1), of(0.6));
        assert_eq!(of(0.5).mean(0, of(0.9), 0), of(0.9));
        assert_eq!(of(0.2).mean(u64::MAX, of(0.2), u64::MAX), of(0.2));
    }

    proptest::proptest! {
        #[test]
        fn it_never_leaves_its_range(old in 0..=ONE, new in 0..=ONE, weight in 0.0..=1.0_f64) {
            let (old, new) = (Confidence(old), Confidence(new));
            let next = old.after(new, weight);
            proptest::prop_assert!(old.min(new) <= next && next <= old.max(new));
        }

        #[test]
        fn a_number_is_what_is_read_back(billionths in 0..=ONE) {
            let confidence = Confidence(billionths);
            proptest::prop_assert_eq!(Confidence::new(confidence.get()), Some(confidence));
        }
    }
}
