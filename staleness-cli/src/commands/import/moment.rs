//! Times in lines of other systems.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use staleness::Timestamp;

/// A time, or a date, which stands for midnight UTC.
pub(super) struct Moment(pub(super) Timestamp);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let day = || {
            let day = text.parse::<jiff::civil::Date>().ok()?;
            Some(Timestamp::from_civil(day.at(0, 0, 0, 0)))
        };
        let at = text.parse().ok().or_else(day);
        at.map(Self).ok_or_else(|| {
            D::Error::custom(format!(
                "cannot read {text:?} as a time; use 2026-11-20 or 2026-11-20T12:30:00Z"
            ))
        })
    }
}
