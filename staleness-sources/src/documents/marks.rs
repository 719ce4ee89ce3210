//! Words that were true at a time: where the words are defined, `staleness-core` looks for them.

/// Finds them in ordinary text: each with its offset.
pub(super) fn in_prose(_text: &str, _found: &mut impl FnMut(usize, &str)) {}
