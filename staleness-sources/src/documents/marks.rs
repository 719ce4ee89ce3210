//! Words that were true at a time: the one place that asks for them.

use std::ops::Range;

use staleness_core::knowledge::markers_within;

/// Adds where in a part of a text, which is ordinary text, they stand.
pub(super) fn spans(whole: &str, part: Range<usize>, found: &mut Vec<Range<usize>>) {
    markers_within(whole, part, &mut |marker| found.push(marker.span));
}
