use std::fmt::Display;

/// Returns a count with the matching form of its noun: `1 document`, `2 documents`, `0 documents`.
///
/// ```
/// use staleness_core::text::counted;
///
/// assert_eq!(counted(1, "journal entry", "journal entries"), "1 journal entry");
/// assert_eq!(counted(0, "journal entry", "journal entries"), "0 journal entries");
/// ```
pub fn counted(count: impl Display, one: &str, many: &str) -> String {
    let mut text = count.to_string();
    let noun = if text == "1" { one } else { many };
    text.push(' ');
    text.push_str(noun);
    text
}

/// Returns a number of whole days in words.
pub(crate) fn days(days: i64) -> String {
    counted(days, "day", "days")
}
