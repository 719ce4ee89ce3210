//! Matches the lines of two versions of a file.

use foldhash::HashMap as Map;
use imara_diff::{Algorithm, Diff, InternedInput, Interner, Token};
use staleness_core::knowledge::Lines;

use crate::symbols::split;

/// File name endings that mark binary files. These files are not read.
const NO_TEXT: [&str; 40] = [
    "7z", "a", "avi", "bin", "bmp", "bz2", "class", "db", "dll", "dylib", "eot", "exe", "gif",
    "gz", "ico", "jar", "jpeg", "jpg", "map", "mov", "mp3", "mp4", "o", "ogg", "otf", "pdf", "png",
    "pyc", "so", "sqlite", "tar", "tgz", "tiff", "ttf", "wasm", "webm", "webp", "woff", "woff2",
    "zip",
];

/// Maximum number of comparisons for finding lines in another place.
const MAX_COMPARED: usize = 20_000_000;

/// Gives equal lines equal numbers. Trailing white space does not count, so different line endings do not
/// change a whole file.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    known: Map<Box<[u8]>, u32>,
}

/// A text as a list of line numbers from [`Numbers`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    lines: Vec<Token>,
}

impl Numbers {
    pub(crate) fn text(&mut self, bytes: &[u8]) -> Text {
        Text { lines: split(bytes).map(|line| Token(self.number(line))).collect() }
    }

    fn number(&mut self, line: &[u8]) -> u32 {
        let line = line.trim_ascii_end();
        if let Some(number) = self.known.get(line) {
            return *number;
        }
        // All further lines would share the maximum number, but no text that is read has so many lines.
        let number = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.known.insert(line.into(), number);
        number
    }
}

impl Text {
    /// Returns true if searching both texts for this many lines stays within the limit.
    pub(crate) fn may_compare(&self, lines: usize, other: &Self) -> bool {
        lines.saturating_mul(other.lines.len().max(self.lines.len())) <= MAX_COMPARED
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns for each line of this text its index in `old`, if `old` contains it.
    pub(crate) fn origins(&self, old: &Self) -> Vec<Option<u32>> {
        let mut origins = Vec::with_capacity(self.lines.len());
        let (mut before, mut after) = (0, 0);
        for hunk in hunks(old, self) {
            while after < hunk.after.start {
                origins.push(Some(before));
                (before, after) = (before + 1, after + 1);
            }
            origins.extend(hunk.after.clone().map(|_| None));
            (before, after) = (hunk.before.end, hunk.after.end);
        }
        origins.extend((after..to_u32(self.lines.len())).zip(before..).map(|(_, old)| Some(old)));
        origins
    }

    /// Returns the lines of this text that were added or changed since `old`, as ranges.
    pub(crate) fn changed(&self, old: &Self) -> Vec<Lines> {
        hunks(old, self)
            .into_iter()
            .filter(|hunk| !hunk.after.is_empty())
            .map(|hunk| Lines { first: hunk.after.start + 1, last: hunk.after.end })
            .collect()
    }

    /// Returns true if these lines, counted from 0, occur in `other` as a run at least as often as in this text. This
    /// means that none of their copies changed.
    pub(crate) fn as_often(&self, lines: std::ops::Range<usize>, other: &Self) -> bool {
        let Some(wanted) = self.lines.get(lines).filter(|lines| !lines.is_empty()) else {
            return false;
        };
        if !self.may_compare(wanted.len(), other) {
            return false;
        }
        let count =
            |lines: &[Token]| lines.windows(wanted.len()).filter(|it| *it == wanted).count();
        let (then, now) = (count(&self.lines), count(&other.lines));
        now > 0 && now >= then
    }
}

impl Text {
    /// Returns the nearest position in `other` at which these lines occur as a run.
    pub(crate) fn nearest(&self, lines: std::ops::Range<usize>, other: &Self) -> Option<usize> {
        let start = lines.start;
        let wanted = self.lines.get(lines).filter(|lines| !lines.is_empty())?;
        let places = other.lines.windows(wanted.len()).enumerate();
        let found = places.filter(|(_, it)| *it == wanted).map(|(place, _)| place);
        found.min_by_key(|place| place.abs_diff(start))
    }
}

fn hunks(old: &Text, new: &Text) -> Vec<imara_diff::Hunk> {
    let mut diff = Diff::default();
    // Line numbers are shared by many versions, so the number of distinct lines is unknown here.
    diff.compute_with(Algorithm::Myers, &old.lines, &new.lines, 0);
    let input = InternedInput::<&[u8]> {
        before: old.lines.clone(),
        after: new.lines.clone(),
        interner: Interner::new(0),
    };
    // If an inserted line fits in two places, git's choice is used.
    diff.postprocess_no_heuristic(&input);
    diff.hunks().collect()
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns true unless the name of a file marks it as binary.
pub(crate) fn may_be_text(name: &[u8]) -> bool {
    let Some(dot) = name.iter().rposition(|byte| *byte == b'.') else { return true };
    let end = &name[dot + 1..];
    !NO_TEXT.iter().any(|known| end.eq_ignore_ascii_case(known.as_bytes()))
}

/// Returns true if the contents are text by git's rule: no zero byte near the beginning.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    !bytes[..bytes.len().min(8_000)].contains(&0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_that_stayed_did_in_their_order_and_all_others_changed(
            old in "[ab \n]{0,60}", new in "[ab \n]{0,60}",
        ) {
            let mut numbers = Numbers::default();
            let (older, newer) = (numbers.text(old.as_bytes()), numbers.text(new.as_bytes()));
            let old: Vec<_> = split(old.as_bytes()).map(<[u8]>::trim_ascii_end).collect();
            let new: Vec<_> = split(new.as_bytes()).map(<[u8]>::trim_ascii_end).collect();
            let (origins, changed) = (newer.origins(&older), newer.changed(&older));
            prop_assert_eq!(origins.len(), new.len());
            let stayed: Vec<u32> = origins.iter().flatten().copied().collect();
            prop_assert!(stayed.is_sorted_by(|a, b| a < b));
            for (line, origin) in (1_u32..).zip(&origins) {
                let is_changed = changed.iter().any(|it| (it.first..=it.last).contains(&line));
                prop_assert_eq!(is_changed, origin.is_none());
                prop_assert!(origin.is_none_or(|at| old[at as usize] == new[line as usize - 1]));
            }
        }
    }
}
