//! Parses dates as people write them.

use jiff::civil::{Date, DateTime};
use jiff::fmt::strtime::BrokenDownTime;
use staleness_core::time::Timestamp;

/// The longest text to parse as a date, in bytes.
const MAX_DATE_BYTES: usize = 64;

/// Accepted formats of a time without a zone, which counts as UTC.
const MOMENTS: [&str; 6] = [
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
];

/// Accepted formats of a date. A date like `10/01/2026` is not accepted, because it is ambiguous.
#[rustfmt::skip]
const DAYS: [&str; 9] = [
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y",
    "%b %d, %Y", "%Y%m%d",
];

/// The forms that [`parse`] accepts, for messages.
pub(crate) const FORMS: &str = "2026-10-01, 2026-10-01T12:00:00Z, 2026-10-01 12:00, 2026/10/01, \
                         01.10.2026, 1 October 2026, Oct 1, 2026, 20261001, 2026-10, or RFC 2822";

/// Parses a date. A date without a time means the beginning of that day in UTC. A month means its first day. Returns
/// `None` if the text is not a date or is ambiguous.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_DATE_BYTES || !text.is_ascii() {
        return None;
    }
    if let Ok(at) = text.parse() {
        return Some(at);
    }
    let of_zone =
        |format: &str| BrokenDownTime::parse(format, text).ok()?.to_timestamp().ok().map(millis);
    let of_moment = |format: &str| DateTime::strptime(format, text).ok().map(Timestamp::from_civil);
    let of_day = |format: &str| {
        let day = Date::strptime(format, text).ok()?;
        // `1.1.26` does not mean the year 26.
        (day.year() >= 1000).then(|| Timestamp::from_civil(day.at(0, 0, 0, 0)))
    };
    DAYS.iter()
        .find_map(|format| of_day(format))
        .or_else(|| month(text))
        .or_else(|| MOMENTS.iter().find_map(|format| of_moment(format)))
        .or_else(|| {
            ["%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d %H:%M:%S%z", "%Y-%m-%d %H:%M %z", "%Y-%m-%dT%H:%M%z"]
                .iter()
                .find_map(|format| of_zone(format))
        })
        .or_else(|| jiff::fmt::rfc2822::parse(text).ok().map(|zoned| millis(zoned.timestamp())))
}

fn month(text: &str) -> Option<Timestamp> {
    let (year, month) = text.split_once('-').or_else(|| text.split_once('/'))?;
    let digits =
        |part: &str, count| part.len() == count && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(year, 4) || !digits(month, 2) {
        return None;
    }
    let first = Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok()?;
    Some(Timestamp::from_civil(first.at(0, 0, 0, 0)))
}

fn millis(at: jiff::Timestamp) -> Timestamp {
    Timestamp::from_millis(at.as_millisecond())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_in_many_forms_are_read() {
        let day: Timestamp = "2026-10-01T00:00:00Z".parse().unwrap();
        let dates = "2026-10-01|2026/10/01|2026.10.01|01.10.2026|1.10.2026|1 October 2026|\
                     01 Oct 2026|October 1, 2026|Oct 01, 2026|20261001|2026-10| 2026-10-01 |\
                     2026-10-01 00:00|2026-10-01T00:00:00|2026-10-01 00:00:00|2026-10-01T00:00:00Z|\
                     2026-10-01T02:00:00+02:00|2026-10-01 02:00:00 +0200|\
                     Thu, 01 Oct 2026 00:00:00 +0000";
        for text in dates.split('|') {
            assert_eq!(parse(text), Some(day), "{text}");
        }
    }

    #[test]
    fn the_last_day_of_all_is_a_date_like_any_other() {
        for text in ["9999-12-31", "31.12.9999", "9999-12-31 23:59", "9999-12-31T23:59:59Z"] {
            assert_eq!(parse(text), Some(Timestamp::MAX), "{text}");
        }
    }

    #[test]
    fn what_means_no_day_or_two_is_none() {
        for text in
            ["", "soon", "10/01/2026", "2026", "2026-13-01", "2026-02-30", "1.1.26", "2026-1", "Q3"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,70}", digits in "[0-9TZ:./ +-]{0,40}") {
            let _ = parse(&text);
            let _ = parse(&digits);
        }
    }
}
