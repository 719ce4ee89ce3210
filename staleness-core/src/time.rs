//! Timestamps in milliseconds. Callers pass the current time in; this crate never reads a clock.

use std::fmt;
use std::str::FromStr;

use jiff::civil::DateTime;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A point in time, in milliseconds since 1970-01-01T00:00:00Z.
///
/// Values are clamped to the years that RFC 3339 can represent (-9999 to 9999), so arithmetic never overflows and every
/// timestamp has a textual form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Milliseconds in one second.
    pub const SECOND: i64 = 1_000;
    /// Milliseconds in one minute.
    pub const MINUTE: i64 = 60 * Self::SECOND;
    /// Milliseconds in one hour.
    pub const HOUR: i64 = 60 * Self::MINUTE;
    /// Milliseconds in one day: 24 hours of elapsed time, not a calendar day.
    pub const DAY: i64 = 24 * Self::HOUR;
    /// The earliest timestamp.
    pub const MIN: Self = Self(-377_705_023_201_000);
    /// The latest timestamp.
    pub const MAX: Self = Self(253_402_207_200_000);

    /// Creates a timestamp from milliseconds since the Unix epoch, clamped to
    /// [`Timestamp::MIN`]..=[`Timestamp::MAX`].
    pub const fn from_millis(millis: i64) -> Self {
        if millis < Self::MIN.0 {
            Self::MIN
        } else if millis > Self::MAX.0 {
            Self::MAX
        } else {
            Self(millis)
        }
    }

    /// Converts a civil date and time in UTC, clamped: `9999-12-31`, which people write to mean "never", becomes
    /// [`Timestamp::MAX`].
    pub fn from_civil(at: DateTime) -> Self {
        let since = at.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0));
        Self::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// Returns the milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns this timestamp plus `millis` milliseconds, which may be negative, clamped.
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// Returns this timestamp minus `days` days, clamped.
    #[must_use]
    pub const fn minus_days(self, days: i64) -> Self {
        self.plus_millis(days.saturating_mul(Self::DAY).saturating_neg())
    }

    /// Returns the number of whole days elapsed since `earlier`: `floor(ms / 86 400 000)`, or 0 if `earlier` is in the
    /// future.
    pub const fn days_since(self, earlier: Self) -> i64 {
        let elapsed = self.0.saturating_sub(earlier.0);
        if elapsed <= 0 { 0 } else { elapsed / Self::DAY }
    }

    /// Returns the number of milliseconds elapsed since `earlier`, or 0 if `earlier` is in the future.
    pub const fn millis_since(self, earlier: Self) -> i64 {
        let elapsed = self.0.saturating_sub(earlier.0);
        if elapsed < 0 { 0 } else { elapsed }
    }
}

impl Timestamp {
    /// Returns the date in UTC, `YYYY-MM-DD`.
    pub fn date(self) -> String {
        let text = self.to_string();
        text.split('T').next().unwrap_or(&text).to_owned()
    }
}

impl fmt::Display for Timestamp {
    /// Prints RFC 3339 in UTC, with milliseconds only if they are not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(at) => at.fmt(f),
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

/// The error for a text that is not an RFC 3339 timestamp.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an RFC 3339 timestamp")]
pub struct ParseTimestampError(String);

impl FromStr for Timestamp {
    type Err = ParseTimestampError;

    /// Parses RFC 3339 and truncates to milliseconds. Clamps a time in UTC.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<jiff::Timestamp>()
            .map(|at| Self::from_millis(at.as_millisecond()))
            .or_else(|_| DateTime::strptime("%Y-%m-%dT%H:%M:%S%.fZ", text).map(Self::from_civil))
            .map_err(|_| ParseTimestampError(text.chars().take(64).collect()))
    }
}

impl Serialize for Timestamp {
    /// Serializes as RFC 3339 in human-readable formats, otherwise as milliseconds.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_i64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            return text.parse().map_err(de::Error::custom);
        }
        let millis = i64::deserialize(deserializer)?;
        let at = Self::from_millis(millis);
        if at.0 == millis { Ok(at) } else { Err(de::Error::custom("beyond the latest time")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_days_are_floored_and_never_negative() {
        let start = Timestamp::from_millis(0);
        assert_eq!(start.plus_millis(Timestamp::DAY - 1).days_since(start), 0);
        assert_eq!(start.plus_millis(Timestamp::DAY).days_since(start), 1);
        assert_eq!(start.days_since(start.plus_millis(5 * Timestamp::DAY)), 0);
    }

    #[test]
    fn text_round_trips_and_extremes_print() {
        for millis in [0, 1, -1, 1_700_000_000_123, Timestamp::MIN.0, Timestamp::MAX.0] {
            let at = Timestamp::from_millis(millis);
            assert_eq!(at.to_string().parse(), Ok(at));
        }
        assert_eq!(Timestamp::from_millis(i64::MAX), Timestamp::MAX);
        assert_eq!(Timestamp::MIN.minus_days(i64::MAX), Timestamp::MIN);
        assert!("yesterday".parse::<Timestamp>().is_err());
        assert!("2026-11-20T12:00:00+01:00Z".parse::<Timestamp>().is_err());
    }

    #[test]
    fn the_last_day_of_all_is_the_latest_moment() {
        for text in ["9999-12-31T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999Z"] {
            assert_eq!(text.parse(), Ok(Timestamp::MAX), "{text}");
        }
        assert_eq!(Timestamp::from_civil(DateTime::MAX), Timestamp::MAX);
        assert_eq!(Timestamp::from_civil(DateTime::MIN), Timestamp::MIN);
    }
}
