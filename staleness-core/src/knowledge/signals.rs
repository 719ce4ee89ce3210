//! Sets of kinds of evidence, without the facts themselves.

use super::{Distance, Evidence, Fact, SignalKind};

/// A set of kinds of evidence and their degrees, as bits: all that a score depends on.
///
/// A set takes four bytes per item, while facts need allocations. This helps callers that score many items and explain
/// few.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SignalSet(u32);

/// The lowest bit for distances, above the bits for kinds.
const DISTANCES: u32 = SignalKind::ALL.len() as u32;

/// The bit of names without other evidence, which are a weak sign. [`CERTAIN`] is the bit of other missing names.
const ALONE: u32 = 1 << (DISTANCES + 3);
const CERTAIN: u32 = ALONE << 1;

// An overflow would lose bits in a release build.
const _: () = assert!(DISTANCES + 5 <= u32::BITS, "the kinds do not fit: give SignalSet more bits");

/// The degree to which a piece of evidence counts within its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Degree {
    /// All of the kind's weight.
    Full,
    /// Part of the weight, for a name that no other evidence supports.
    Alone,
    /// Part of the weight, for an old version.
    Behind(Distance),
}

impl Degree {
    pub(super) const fn of(fact: &Fact) -> Self {
        match fact {
            Fact::VersionDrift { distance, .. } => Self::Behind(*distance),
            Fact::ReferenceDrift { alone: true, .. } => Self::Alone,
            _ => Self::Full,
        }
    }
}

pub(super) const fn bit(kind: SignalKind) -> u32 {
    1 << kind as u32
}

pub(super) const ALL: u32 = (1 << SignalKind::ALL.len()) - 1;

impl SignalSet {
    /// Returns the set of the kinds and degrees of these pieces of evidence.
    pub fn of<'e>(evidence: impl IntoIterator<Item = &'e Evidence>) -> Self {
        let mut set = Self::default();
        evidence.into_iter().for_each(|each| set.insert_fact(&each.fact));
        set
    }

    /// Returns true if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if the set contains this kind.
    pub const fn holds(self, kind: SignalKind) -> bool {
        self.0 & bit(kind) != 0
    }

    fn insert_fact(&mut self, fact: &Fact) {
        self.0 |= bit(fact.kind());
        self.0 |= match (Degree::of(fact), fact) {
            (Degree::Behind(distance), _) => 1 << (DISTANCES + distance as u32),
            (Degree::Alone, _) => ALONE,
            (Degree::Full, Fact::ReferenceDrift { .. }) => CERTAIN,
            (Degree::Full, _) => 0,
        };
    }

    /// Returns the set with only the kinds whose bits are in `touching`.
    pub(super) const fn among(self, touching: u32) -> Self {
        Self(self.0 & (touching | !ALL))
    }

    /// Returns the kinds in declaration order.
    pub(super) fn kinds(self) -> impl Iterator<Item = SignalKind> {
        let mut rest = self.0 & ALL;
        std::iter::from_fn(move || {
            let at = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            SignalKind::ALL.get(at).copied()
        })
    }

    /// Returns the distinct degrees of a kind in the set.
    pub(super) fn degrees(self, kind: SignalKind) -> impl Iterator<Item = Degree> {
        use Distance::{Major, Minor, Patch};
        let is_behind = kind == SignalKind::VersionDrift;
        let is_weak = kind == SignalKind::ReferenceDrift && self.0 & (ALONE | CERTAIN) == ALONE;
        let one = if is_weak { Degree::Alone } else { Degree::Full };
        let behind = [Patch, Minor, Major].into_iter();
        let behind = behind.filter(move |it| self.0 & 1 << (DISTANCES + *it as u32) != 0);
        let behind = behind.map(Degree::Behind).filter(move |_| is_behind);
        behind.chain((!is_behind).then_some(one))
    }
}
