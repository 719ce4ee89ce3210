//! Signals that directives suppress.

use staleness_core::knowledge::WordKind;
use staleness_core::time::Timestamp;
use staleness_core::verdict::SignalKind;

use super::directive::{Directive, Kinds};
use super::names::NameSort;

/// The suppressed signals: none, some or all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Aside(Option<Kinds>);

impl Aside {
    /// Suppresses these signals too. An empty set means all of them.
    pub(crate) fn add(&mut self, kinds: &Kinds) {
        match &mut self.0 {
            None => self.0 = Some(kinds.clone()),
            Some(all) if all.is_empty() => {}
            Some(all) if kinds.is_empty() => all.clear(),
            Some(some) => some.extend(kinds),
        }
    }

    fn join(&mut self, other: &Self) {
        if let Some(kinds) = &other.0 {
            self.add(kinds);
        }
    }

    pub(crate) const fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Returns true if the signal is suppressed.
    pub(crate) fn has(&self, kind: SignalKind) -> bool {
        self.0.as_ref().is_some_and(|kinds| kinds.is_empty() || kinds.contains(&kind))
    }

    /// Returns true if all signals that a name of this sort can cause are suppressed.
    pub(crate) fn has_all_of(&self, sort: NameSort) -> bool {
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
        may_become.iter().all(|kind| self.has(*kind))
    }
}

/// All directives for one element or block, merged. The size does not depend on their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Directions {
    pub(crate) aside: Aside,
    /// Date of the last `verified` directive.
    pub(crate) verified: Option<Timestamp>,
}

impl Directions {
    pub(crate) fn add(&mut self, directive: &Directive) {
        match directive {
            Directive::Ignore(_, kinds) => self.aside.add(kinds),
            Directive::Verified(at) => self.verified = Some(*at),
        }
    }

    pub(crate) fn join(&mut self, later: &Self) {
        self.aside.join(&later.aside);
        self.verified = later.verified.or(self.verified);
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.aside.is_none() && self.verified.is_none()
    }
}
