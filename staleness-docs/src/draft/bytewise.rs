//! A quick check of bytes that rejects most words before they are parsed.

/// Lower-case letters and digits.
pub(crate) const SMALL: u16 = 1;
pub(crate) const UPPER: u16 = 1 << 1;
pub(crate) const UNDERSCORE: u16 = 1 << 2;
pub(crate) const SPACE: u16 = 1 << 3;
/// The end of a line.
pub(crate) const BREAK: u16 = 1 << 4;
/// `.` and `/`, one of which every path contains.
pub(crate) const DOT: u16 = 1 << 5;
pub(crate) const COLON: u16 = 1 << 6;
pub(crate) const DASH: u16 = 1 << 7;
/// Everything else.
pub(crate) const OTHER: u16 = 1 << 8;

const CLASSES: [u16; 256] = {
    let mut classes = [OTHER; 256];
    let mut at = 0;
    while at < 256 {
        classes[at] = match at as u8 {
            b'a'..=b'z' | b'0'..=b'9' => SMALL,
            b'A'..=b'Z' => UPPER,
            b'_' => UNDERSCORE,
            b' ' => SPACE,
            b'\n' => BREAK,
            b'.' | b'/' => DOT,
            b':' => COLON,
            b'-' => DASH,
            _ => OTHER,
        };
        at += 1;
    }
    classes
};

/// Returns the classes of the bytes that occur.
pub(crate) fn seen(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |seen, byte| seen | CLASSES[usize::from(*byte)])
}

/// Returns true if a word of prose may be a name: it contains `_`, `/`, `@`, an inner capital, `::`, `:42`,
/// `()` or `--`.
pub(crate) fn may_be_name(word: &[u8]) -> bool {
    word.iter().any(|byte| matches!(byte, b'_' | b'/' | b'@'))
        || word.windows(2).any(|pair| {
            matches!(pair, b"()" | b"--" | [b':', b'0'..=b':'] | [b'a'..=b'z' | b'0'..=b'9', b'A'..=b'Z'])
        })
}
