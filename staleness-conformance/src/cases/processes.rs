use crate::case::Case;
pub(super) const CASES: &[Case] = &[];
