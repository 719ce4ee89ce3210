//! Freshness: a base score that age, versions and wording lower, times what each sort of evidence
//! leaves of it.

use super::context::Resolved;
use super::{Block, Context, Distance, Evidence, Fact, Item, ItemKind, SignalKind};
use crate::time::Timestamp;
use crate::verdict::Level;

/// Kinds of signals, as bits.
type Kinds = u16;

const fn bit(kind: SignalKind) -> Kinds {
    1 << kind as u16
}

const ALL: Kinds = (1 << SignalKind::ALL.len()) - 1;
/// What somebody said about an item, and facts that change nothing.
const SAID: Kinds =
    bit(SignalKind::Superseded) | bit(SignalKind::Contradicted) | bit(SignalKind::FutureDate);

/// What is judged: an item, or a block of a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a> {
    pub(super) kind: ItemKind,
    /// Whether age, versions and code leave it untouched.
    pub(super) evergreen: bool,
    /// Whole days since it was verified, else since it was written; 0 when that is not known.
    pub(super) days: i64,
    pub(super) verified: bool,
    pub(super) verifications: u32,
    pub(super) done: bool,
    pub(super) due: Option<Timestamp>,
    pub(super) evidence: &'a [Evidence],
}

impl<'a> Subject<'a> {
    pub(super) fn item(item: &Item, evidence: &'a [Evidence], now: Timestamp) -> Self {
        Subject {
            kind: item.kind,
            evergreen: item.evergreen,
            days: now.days_since(item.anchored_at()),
            verified: item.verified_at.is_some(),
            verifications: item.verifications,
            done: item.is_done(),
            due: item.due,
            evidence,
        }
    }

    pub(super) fn block(kind: ItemKind, block: &'a Block, now: Timestamp) -> Self {
        Subject {
            kind,
            evergreen: false,
            days: block.anchored_at.map_or(0, |at| now.days_since(at)),
            verified: false,
            verifications: 0,
            done: false,
            due: None,
            evidence: &block.evidence,
        }
    }

    /// Whether a kind of signal says anything about it.
    pub(super) const fn is_touched_by(&self, kind: SignalKind) -> bool {
        self.touching() & bit(kind) != 0
    }

    const fn touching(&self) -> Kinds {
        match (self.kind, self.evergreen) {
            (ItemKind::Preference, _) => SAID,
            (_, true) => SAID | bit(SignalKind::Expired),
            (_, false) => ALL,
        }
    }

    /// Whether it ages at all.
    pub(super) const fn ages(&self) -> bool {
        !self.evergreen && !matches!(self.kind, ItemKind::Preference)
    }

    /// What age leaves, 0..=1.
    pub(super) fn base(&self, resolved: &Resolved) -> f64 {
        if self.ages() { resolved.rules.curve.at(self.days, self.verifications) } else { 1.0 }
    }

    /// Whether it is a to-do that is open for too long.
    pub(super) fn is_pending(&self, resolved: &Resolved) -> bool {
        self.kind == ItemKind::Todo
            && !self.evergreen
            && self.days >= i64::from(resolved.rules.todo_pending_days)
    }

    /// The freshness, rounded, and the level.
    pub(super) fn score(&self, resolved: &Resolved) -> (f64, Level) {
        if self.done {
            return (1.0, Level::Fresh);
        }
        let mut score = self.base(resolved);
        if !self.evidence.is_empty() {
            score = self.after_evidence(score, resolved);
        }
        let freshness = round_share(score);
        let rules = &resolved.rules;
        let level = Level::between(freshness, rules.fresh_from, rules.review_from);
        if level == Level::Fresh && self.is_pending(resolved) {
            return (freshness, Level::Review);
        }
        (freshness, level)
    }

    fn after_evidence(&self, base: f64, resolved: &Resolved) -> f64 {
        let touching = self.touching();
        if let [one] = self.evidence {
            if touching & bit(one.fact.kind()) == 0 {
                return base;
            }
            let effect = Effect::of(&one.fact, resolved);
            let taken = effect.taken();
            return if effect.is_term { (base - taken).max(0.0) } else { base * (1.0 - taken) };
        }
        let mut strongest = [0.0_f64; SignalKind::ALL.len()];
        // The terms of the formula: only versions and markers have one.
        let (mut version, mut marker) = (0.0_f64, 0.0_f64);
        for each in self.evidence {
            let kind = each.fact.kind();
            if touching & bit(kind) == 0 {
                continue;
            }
            let effect = Effect::of(&each.fact, resolved);
            let most = match (effect.is_term, kind) {
                (true, SignalKind::VersionDrift) => &mut version,
                (true, _) => &mut marker,
                (false, _) => &mut strongest[kind as usize],
            };
            *most = most.max(effect.taken());
        }
        let base = (base - version - marker).max(0.0);
        strongest.iter().fold(base, |score, taken| score * (1.0 - taken))
    }
}

/// A score as a share, rounded to 1e-9 like [`crate::verdict::round`], without a call to the
/// mathematics library: it is made for every item there is.
fn round_share(score: f64) -> f64 {
    // At most 1e9, which an i64 holds; the cast cuts off.
    (score.clamp(0.0, 1.0) * 1e9 + 0.5) as i64 as f64 / 1e9
}

/// What one piece of evidence takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    pub(super) strength: f64,
    pub(super) weight: f64,
    /// Whether it is taken off in points, as a term of the formula of its kind, rather than as a
    /// share of what is left.
    pub(super) is_term: bool,
}

impl Effect {
    /// The effect of a fact under the rules of a kind.
    pub(super) fn of(fact: &Fact, resolved: &Resolved) -> Self {
        let rules = &resolved.rules;
        let (strength, term) = match fact {
            Fact::VersionDrift { distance, .. } if rules.version_term > 0.0 => {
                // The formula knows behind and not behind; patch releases are not behind.
                (if *distance == Distance::Patch { 0.0 } else { 1.0 }, rules.version_term)
            }
            Fact::VersionDrift { distance, .. } => (rules.strength(*distance), 0.0),
            Fact::TemporalMarker { .. } if rules.marker_term > 0.0 => (1.0, rules.marker_term),
            Fact::TemporalMarker { .. } => (rules.strength_marker, 0.0),
            _ => (1.0, 0.0),
        };
        if term > 0.0 {
            Self { strength, weight: term, is_term: true }
        } else {
            Self { strength, weight: resolved.weights[fact.kind() as usize], is_term: false }
        }
    }

    /// Its weight times its strength, 0..=1.
    pub(super) const fn taken(&self) -> f64 {
        self.weight * self.strength
    }
}

/// The freshness of an item, 0..=1 and rounded to 1e-9, and its level: what [`super::judge`] says,
/// without the sentences.
#[inline]
#[must_use]
pub fn score_and_level(item: &Item, evidence: &[Evidence], context: &Context) -> (f64, Level) {
    Subject::item(item, evidence, context.now()).score(context.resolved(item.kind))
}
