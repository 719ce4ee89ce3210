//! Words that were true at a time: the one place that asks for them.

use std::ops::Range;

use staleness_core::knowledge::markers_among;

/// Adds where in a part of a text they stand. `prose_at` tells the piece of ordinary text that a place lies in.
pub(super) fn spans(
    whole: &str,
    part: Range<usize>,
    prose_at: impl FnMut(usize) -> Option<Range<usize>>,
    found: &mut Vec<Range<usize>>,
) {
    markers_among(whole, part, prose_at, |marker| found.push(marker.span));
}
