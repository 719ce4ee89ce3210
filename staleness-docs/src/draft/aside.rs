//! Signals that directives suppress.

use staleness_core::knowledge::WordKind;
use staleness_core::time::Timestamp;
use staleness_core::verdict::SignalKind;

use super::directive::{Directive, Kinds};
use super::names::NameSort;

/// Returns true if all signals that a name of this sort can cause are suppressed.
pub(crate) fn has_all_of(aside: &Kinds, sort: NameSort) -> bool {
    let may_become: &[SignalKind] = match sort {
        NameSort::Link => {
            &[SignalKind::SourceMissing, SignalKind::SourceChanged, SignalKind::BrokenLink]
        }
        NameSort::Import => &[SignalKind::SourceMissing],
        NameSort::Word(WordKind::Path) => {
            &[SignalKind::SourceMissing, SignalKind::SourceChanged, SignalKind::ReferenceDrift]
        }
        NameSort::Word(_) => &[SignalKind::ReferenceDrift],
    };
    may_become.iter().all(|kind| aside.contains(kind))
}

/// All directives for one element or block, merged. Its size does not depend on their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Directions {
    pub(crate) aside: Kinds,
    /// Date of the last `verified` directive.
    pub(crate) verified: Option<Timestamp>,
}

impl Directions {
    pub(crate) fn add(&mut self, directive: &Directive) {
        match directive {
            Directive::Ignore(_, kinds) => self.aside.extend(kinds),
            Directive::Verified(at) => self.verified = Some(*at),
        }
    }

    pub(crate) fn join(&mut self, later: &Self) {
        self.aside.extend(&later.aside);
        self.verified = later.verified.or(self.verified);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.aside.is_empty() && self.verified.is_none()
    }
}
