//! Versions: parses them leniently, and computes the distance by which one is behind another.

use super::Distance;

/// A version of a project: its first three numbers, and a flag for pre-releases.
///
/// Parsing is lenient, because people write versions by hand: `v1.2`, `2.4.0-rc1`, `release 3`, `1.2.3.4`,
/// `2.6.1+build.5`. The names of pre-releases are dropped, because the order among them does not matter here. Otherwise
/// the precedence is that of Semantic Versioning 2.0.0, section 11 (<https://semver.org/#spec-item-11>).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    /// False for a pre-release, so that releases sort after their pre-releases.
    released: bool,
}

/// The maximum length of a version text, in bytes.
const MAX_BYTES: usize = 128;

impl Version {
    /// Parses a version: an optional name or `v`, one to four numbers, and an optional pre-release or build.
    /// `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.len() > MAX_BYTES {
            return None;
        }
        let text = after_name(text);
        let numbers_end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (numbers, rest) = text.split_at(numbers_end.unwrap_or(text.len()));
        let mut parts = [0_u64; 4];
        for (at, part) in numbers.split('.').enumerate() {
            *parts.get_mut(at)? = part.parse().ok()?;
        }
        let rest = rest.split('+').next().unwrap_or("");
        // Accept `1.2-SNAPSHOT`, `3.0rc1`, `3.0_beta`. Reject `1.x`, which stands for many versions.
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~');
        if !rest.chars().all(is_word) {
            return None;
        }
        Some(Self { major: parts[0], minor: parts[1], patch: parts[2], released: rest.is_empty() })
    }

    /// Returns the distance by which this version is behind `now`. `None` if it is the same or ahead. A pre-release is
    /// a patch behind the release of the same version.
    pub fn behind(&self, now: &Self) -> Option<Distance> {
        if self >= now {
            None
        } else if self.major < now.major {
            Some(Distance::Major)
        } else if self.minor < now.minor {
            Some(Distance::Minor)
        } else {
            Some(Distance::Patch)
        }
    }
}

/// Returns the part of a text that begins with its number, without `v`, `version`, `release-` or the name in a tag such
/// as `my-tool-v1.2`.
fn after_name(text: &str) -> &str {
    let starts_number = |at: usize| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| matches!(c, '-' | '_' | '/' | '@' | ' ' | 'v' | 'V' | '='))
    };
    let bytes = text.as_bytes();
    (0..text.len())
        .find(|at| bytes[*at].is_ascii_digit() && starts_number(*at))
        .filter(|at| text[..*at].chars().all(|c| c.is_alphanumeric() || "-_/@ =.".contains(c)))
        .map_or(text, |at| &text[at..])
}
