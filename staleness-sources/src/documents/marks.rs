//! Words that were true at a time: the one place that asks for them.

use std::ops::Range;

use staleness_core::knowledge::markers;

/// Where in ordinary text they stand.
pub(super) fn spans(text: &str) -> impl Iterator<Item = Range<usize>> {
    markers(text).into_iter().map(|marker| marker.span)
}
