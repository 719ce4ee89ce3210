//! Freshness: a base score, which falls with age, minus the points for versions and wording, times the share that each
//! kind of evidence leaves.

use super::signals::{ALL, Degree, bit};
use super::{
    Block, Context, Distance, Evidence, Item, ItemKind, KnowledgeRules, SignalKind, SignalSet,
};
use crate::time::Timestamp;
use crate::verdict::Level;

/// The kinds of evidence that affect even preferences: statements by people, and dates in the future, which have weight
/// 0.
const SAID: u32 =
    bit(SignalKind::Superseded) | bit(SignalKind::Contradicted) | bit(SignalKind::FutureDate);

/// The subject of a verdict: an item, or a block of a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a> {
    pub(super) kind: ItemKind,
    /// True if neither time nor versions nor code changes affect the subject.
    pub(super) evergreen: bool,
    /// The number of whole days since the last verification, or since writing if there was none, and for a to-do since
    /// its due date at the earliest. 0 if unknown.
    pub(super) days: i64,
    pub(super) verified: bool,
    pub(super) verifications: u32,
    pub(super) done: bool,
    /// The number of whole days since the due date of a to-do. `None` before that date.
    pub(super) overdue: Option<i64>,
    pub(super) evidence: &'a [Evidence],
    /// The kinds and degrees of the evidence.
    pub(super) signals: SignalSet,
}

fn todo_due(item: &Item) -> Option<Timestamp> {
    item.due.filter(|_| item.kind == ItemKind::Todo)
}

/// Returns the time from which an item ages: its last verification, or the time of writing if there was none, but for a
/// to-do not before its due date.
pub(super) fn ages_from(item: &Item) -> Timestamp {
    todo_due(item).map_or(item.anchored_at(), |due| due.max(item.anchored_at()))
}

impl<'a> Subject<'a> {
    pub(super) fn item(item: &Item, evidence: &'a [Evidence], now: Timestamp) -> Self {
        Subject { evidence, ..Self::scored(item, SignalSet::of(evidence), now) }
    }

    /// Creates a subject that can only be scored, because its evidence is not known in detail.
    pub(super) fn scored(item: &Item, signals: SignalSet, now: Timestamp) -> Self {
        let due = todo_due(item);
        Subject {
            kind: item.kind,
            evergreen: item.evergreen,
            days: now.days_since(ages_from(item)),
            verified: item.verified_at.is_some(),
            verifications: item.verifications,
            done: item.is_done(),
            overdue: due.filter(|due| *due <= now).map(|due| now.days_since(due)),
            evidence: &[],
            signals,
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
            overdue: None,
            evidence: &block.evidence,
            signals: SignalSet::of(&block.evidence),
        }
    }

    pub(super) const fn is_touched_by(&self, kind: SignalKind) -> bool {
        self.touching() & bit(kind) != 0
    }

    const fn touching(&self) -> u32 {
        match (self.kind, self.evergreen) {
            (ItemKind::Preference, _) => SAID,
            (_, true) => SAID | bit(SignalKind::Expired),
            (_, false) => ALL,
        }
    }

    pub(super) const fn ages(&self) -> bool {
        !self.evergreen && !matches!(self.kind, ItemKind::Preference)
    }

    /// Returns the score by age alone, 0..=1. 1 if the subject does not age.
    pub(super) fn base(&self, rules: &KnowledgeRules) -> f64 {
        if self.ages() { rules.curve.at(self.days, self.verifications) } else { 1.0 }
    }

    /// Returns true if the subject is a to-do that is overdue or has been open for too long.
    pub(super) fn is_pending(&self, rules: &KnowledgeRules) -> bool {
        self.kind == ItemKind::Todo
            && !self.evergreen
            && (self.overdue.is_some() || self.days >= i64::from(rules.todo_pending_days))
    }

    /// Returns the freshness, rounded, and the level.
    pub(super) fn score(&self, rules: &KnowledgeRules) -> (f64, Level) {
        if self.done {
            return (1.0, Level::Fresh);
        }
        let mut score = self.base(rules);
        if !self.signals.is_empty() {
            score = self.after_evidence(score, rules);
        }
        let freshness = round_share(score);
        let level = Level::between(freshness, rules.fresh_from, rules.review_from);
        if level == Level::Fresh && self.is_pending(rules) {
            return (freshness, Level::Review);
        }
        (freshness, level)
    }

    fn after_evidence(&self, base: f64, rules: &KnowledgeRules) -> f64 {
        let signals = self.signals.among(self.touching());
        // Point terms are subtracted first. Only versions and temporal markers can have one.
        let (mut points, mut left) = (0.0, 1.0);
        for kind in signals.kinds() {
            let taken = |degree| Effect::of(kind, degree, rules).taken();
            let taken = signals.degrees(kind).map(taken).fold(0.0, f64::max);
            if Effect::is_term(kind, rules) {
                points += taken;
            } else {
                left *= 1.0 - taken;
            }
        }
        (base - points).max(0.0) * left
    }
}

/// Clamps a score to 0..=1 and rounds it to 1e-9 like [`crate::verdict::round`], but without a library call, because
/// this runs for every item.
fn round_share(score: f64) -> f64 {
    // The product is at most 1e9, which fits in an i64. The cast truncates.
    (score.clamp(0.0, 1.0) * 1e9 + 0.5) as i64 as f64 / 1e9
}

/// The strength and the weight of one kind of evidence, each 0..=1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    pub(super) strength: f64,
    pub(super) weight: f64,
}

impl Effect {
    pub(super) fn of(kind: SignalKind, degree: Degree, rules: &KnowledgeRules) -> Self {
        let is_term = Self::is_term(kind, rules);
        let strength = match (kind, degree) {
            // A term is taken in full or not at all, and patch releases do not count as behind.
            (_, Degree::Behind(Distance::Patch)) if is_term => 0.0,
            (_, Degree::Behind(distance)) if !is_term => rules.strength(distance),
            (_, Degree::Alone) => rules.strength_alone,
            (SignalKind::TemporalMarker, _) if !is_term => rules.strength_marker,
            _ => 1.0,
        };
        let weight = match kind {
            SignalKind::VersionDrift if is_term => rules.version_term,
            SignalKind::TemporalMarker if is_term => rules.marker_term,
            _ => rules.weight(kind),
        };
        Self { strength, weight }
    }

    /// Returns true if the rules have a point term for this kind of evidence, which is subtracted instead of
    /// multiplied.
    fn is_term(kind: SignalKind, rules: &KnowledgeRules) -> bool {
        match kind {
            SignalKind::VersionDrift => rules.version_term > 0.0,
            SignalKind::TemporalMarker => rules.marker_term > 0.0,
            _ => false,
        }
    }

    /// Returns weight times strength, 0..=1.
    pub(super) const fn taken(&self) -> f64 {
        self.weight * self.strength
    }
}

impl Item {
    /// Returns the freshness, 0..=1, rounded to 1e-9, and the level: those of [`Item::judge`], without explanations.
    #[inline]
    pub fn score(&self, evidence: &[Evidence], context: &Context) -> (f64, Level) {
        Subject::item(self, evidence, context.now()).score(context.rules(self.kind))
    }
}

impl SignalSet {
    /// Returns the freshness and the level of an item with these kinds of evidence.
    #[inline]
    pub fn score(self, item: &Item, context: &Context) -> (f64, Level) {
        Subject::scored(item, self, context.now()).score(context.rules(item.kind))
    }
}
