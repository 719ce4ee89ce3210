//! Sets of kinds of evidence, without the facts themselves.

use super::{Distance, Evidence, Fact, SignalKind};

/// A set of kinds of evidence, as bits, and how far versions are behind: all that a score depends on.
///
/// It takes four bytes per item, while facts need allocations. This helps callers that score many items and
/// explain few.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SignalSet(u32);

/// The lowest bit for distances, above the bits for kinds.
const DISTANCES: u32 = SignalKind::ALL.len() as u32;

// A bit beyond these would be lost in a release build.
const _: () = assert!(DISTANCES + 3 <= u32::BITS, "the kinds do not fit: give SignalSet more bits");

/// Returns the bit for a kind.
pub(super) const fn bit(kind: SignalKind) -> u32 {
    1 << kind as u32
}

/// The bits of all kinds.
pub(super) const ALL: u32 = (1 << SignalKind::ALL.len()) - 1;

impl SignalSet {
    /// Returns the kinds of these pieces of evidence.
    pub fn of(evidence: &[Evidence]) -> Self {
        let mut set = Self::default();
        evidence.iter().for_each(|each| set.insert_fact(&each.fact));
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
        match fact {
            Fact::VersionDrift { distance, .. } => self.insert_drift(*distance),
            _ => self.insert(fact.kind()),
        }
    }

    pub(super) const fn insert(&mut self, kind: SignalKind) {
        self.0 |= bit(kind);
    }

    pub(super) const fn insert_drift(&mut self, distance: Distance) {
        self.0 |= bit(SignalKind::VersionDrift) | 1 << (DISTANCES + distance as u32);
    }

    /// Returns the set without the kinds that are not in `touching`.
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

    /// Returns the distinct distances by which versions are behind.
    pub(super) fn distances(self) -> impl Iterator<Item = Distance> {
        let all = [Distance::Patch, Distance::Minor, Distance::Major];
        all.into_iter().filter(move |each| self.0 & 1 << (DISTANCES + *each as u32) != 0)
    }
}
