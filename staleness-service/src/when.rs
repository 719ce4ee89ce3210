//! Parses times as people write them.

use staleness::Timestamp;

use crate::error::{ErrorKind, ServiceError, quoted};

const FORMS: &str = "try 2026-11-20, 2026-11-20T12:30, 2026-11-20T12:30:00Z, \
                     2026-11-20T12:30:00+01:00, or relative to now -3d, -12h, -30m, +1d";

/// Parses the time in `--now`.
pub fn parse(text: &str, now: Timestamp) -> Result<Timestamp, ServiceError> {
    parse_for("--now", text, now)
}

/// Parses the time in an option. Dates and times without an offset are UTC, and spans are relative to `now`.
pub fn parse_for(option: &str, text: &str, now: Timestamp) -> Result<Timestamp, ServiceError> {
    let text = text.trim();
    if text.starts_with("--") {
        // The time is another option taken by mistake, because times may begin with a hyphen.
        let message = format!("{option} needs a time");
        return Err(ServiceError::new(ErrorKind::Usage, message).hint(FORMS));
    }
    if let Ok(at) = text.parse() {
        return Ok(at);
    }
    if let Some(at) = span(text, now) {
        return Ok(at);
    }
    let civil = text
        .parse::<jiff::civil::DateTime>()
        .or_else(|_| text.parse::<jiff::civil::Date>().map(|date| date.at(0, 0, 0, 0)));
    civil.map(Timestamp::from_civil).map_err(|_| {
        ServiceError::invalid(format!("cannot read {} as a time", quoted(text))).hint(FORMS)
    })
}

/// Returns the end of a duration that starts now: `30m`, `2h`, `1d`.
///
/// # Errors
/// If the text is not such a duration.
pub fn after(option: &str, text: &str, now: Timestamp) -> Result<Timestamp, ServiceError> {
    let text = text.trim();
    span(&format!("+{}", text.strip_prefix('+').unwrap_or(text)), now).ok_or_else(|| {
        let message = format!("{option}: cannot read {} as a duration", quoted(text));
        ServiceError::invalid(message).hint("try 30m, 2h or 1d")
    })
}

fn span(text: &str, now: Timestamp) -> Option<Timestamp> {
    let sign = match text.chars().next()? {
        '-' => -1,
        '+' => 1,
        _ => return None,
    };
    let unit = text.chars().last()?;
    let millis = match unit {
        'd' => Timestamp::DAY,
        'h' => Timestamp::HOUR,
        'm' => Timestamp::MINUTE,
        's' => Timestamp::SECOND,
        _ => return None,
    };
    let digits = text.get(1..text.len() - 1)?;
    // The span's sign was already read, so its number must not have one.
    let count: i64 =
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
    Some(now.plus_millis(count.saturating_mul(millis).saturating_mul(sign)))
}

/// Formats the time since `at`: `3d ago`, `5h ago`, `just now`.
pub fn ago(now: Timestamp, at: Timestamp) -> String {
    crate::model_text::ago(now, at).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_time_makes_it_panic(
            text in prop_oneof!["[-+0-9dhmsTZ: .é]{0,30}", "[-+][0-9]{1,25}[dhmsé]", "(?s).{0,40}"],
            now in prop_oneof![any::<i64>(), -1_000_000_000_000..4_000_000_000_000_i64],
        ) {
            let now = Timestamp::from_millis(now);
            if let Err(why) = parse(&text, now) {
                prop_assert!(why.hint.is_some() && !why.to_string().contains(char::is_control));
            }
        }
    }

    #[test]
    fn a_duration_has_a_number_and_a_unit_and_never_goes_back() {
        let now: Timestamp = "2026-11-20T12:30:00Z".parse().unwrap();
        for (text, expected) in [("30m", "2026-11-20T13:00:00Z"), ("+2h", "2026-11-20T14:30:00Z")] {
            assert_eq!(after("--for", text, now).unwrap().to_string(), expected, "{text}");
        }
        for text in ["", "30", "m", "-30m", "++1d", "1w", "2026-11-21", "é"] {
            assert!(after("--for", text, now).unwrap_err().hint.is_some(), "{text}");
        }
    }

    #[test]
    fn the_accepted_forms_are_accepted() {
        let now: Timestamp = "2026-11-20T12:30:00Z".parse().unwrap();
        for (text, expected) in [
            ("2026-11-20", "2026-11-20T00:00:00Z"),
            ("2026-11-20T12:30", "2026-11-20T12:30:00Z"),
            ("2026-11-20 12:30:05", "2026-11-20T12:30:05Z"),
            ("2026-11-20T12:30:00+01:00", "2026-11-20T11:30:00Z"),
            ("-3d", "2026-11-17T12:30:00Z"),
            ("+1h", "2026-11-20T13:30:00Z"),
            ("9999-12-31", "9999-12-30T22:00:00Z"),
            ("9999-12-31T12:00", "9999-12-30T22:00:00Z"),
        ] {
            assert_eq!(parse(text, now).unwrap().to_string(), expected, "{text}");
        }
        let others = "|tomorrow|-d|--3d|-+3d|++3d|-3w|2026-13-01|+|\u{1f680}|-é";
        for text in others.split('|') {
            assert!(parse(text, now).unwrap_err().hint.is_some(), "{text}");
        }
    }
}
