//! Verdicts on items, blocks and documents.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::score::{Effect, Subject, ages_from};
use super::sentence::{Anchor, sentence};
use super::signals::{Degree, SignalSet};
use super::{Block, Context, Document, Evidence, Fact, Item, ItemKind, KnowledgeRules, SignalKind};
use crate::text::days;
use crate::time::Timestamp;
use crate::verdict::{Ground, Level, NextAction, Signal, Verdict, round};

impl Item {
    /// Judges how far the item can still be trusted, why, and what should be done about it.
    ///
    /// # Freshness
    ///
    /// `days` is the number of whole days since the last verification, or since writing if there was none, and for a
    /// to-do since its due date at the earliest. It is 0 for a date in the future. The base is the [`super::Curve`] of
    /// the item's kind, minus the kind's point terms (for an old version, for a temporal marker), at least 0. Each kind
    /// of evidence then multiplies the base by `1 - weight * strength`, where only the strongest instance counts. An
    /// evergreen item starts at 1, and only statements by people and its expiry date affect it. A preference is
    /// affected only by statements by people.
    ///
    /// # Signals
    ///
    /// Every instance is listed (only once if the words are the same), ordered by `weight * strength`. This is the
    /// share of the freshness that it takes by itself, or the points if the kind's formula has a term for it. If the
    /// item is not fresh, age is also a signal: its weight is the maximum that the curve can take, its strength the
    /// part that it took. A date in the future has weight 0.
    ///
    /// # Action
    ///
    /// | | fresh | otherwise |
    /// |---|---|---|
    /// | to-do | `keep` | `drop` if expired, superseded or contradicted; `reschedule` if its due date has passed or it is recalled repeatedly; else `complete` |
    /// | any other | `keep` | the first that applies: `drop` if expired or superseded; `update` if contradicted, or if something it cites or names is gone; else `verify` |
    ///
    /// A to-do that is overdue or has been open for `todo_pending_days` never has a better level than review. A to-do
    /// that is done is fresh, regardless of evidence.
    pub fn judge(&self, evidence: &[Evidence], context: &Context) -> Verdict {
        verdict(&Subject::item(self, evidence, context.now()), context)
    }

    /// Returns the time at which the item became stale. `None` if it is not stale. The time is never before the item
    /// expired or was contradicted. Other evidence has no date and counts as if it had always existed.
    pub fn stale_since(&self, signals: SignalSet, context: &Context) -> Option<Timestamp> {
        let subject = Subject::scored(self, signals, context.now());
        let is_stale = |days: i64| {
            Subject { days, ..subject }.score(context.rules(self.kind)).1 == Level::Stale
        };
        if !is_stale(subject.days) {
            return None;
        }
        let contradicted = self.contradicted.as_ref().map(|said| said.at);
        let begin = [Some(self.anchored_at()), self.expires_at, contradicted];
        let begin = begin.into_iter().flatten().filter(|at| *at <= context.now()).max();
        let begin = begin.unwrap_or(context.now());
        // Freshness never rises, and falls at the end of whole days, so a binary search works.
        let (aged_from, first) = (ages_from(self), begin.days_since(ages_from(self)));
        let (mut from, mut until) = (first, subject.days);
        while from < until {
            let middle = from.midpoint(until);
            if is_stale(middle) { until = middle } else { from = middle + 1 }
        }
        Some(if from == first { begin } else { aged_from.minus_days(-from) })
    }
}

impl Block {
    /// Judges the block like [`Item::judge`]. `kind` is the kind of the document.
    pub fn judge(&self, kind: ItemKind, context: &Context) -> Verdict {
        verdict(&Subject::block(kind, self, context.now()), context)
    }
}

impl Document {
    /// Returns the verdict on the worst block, the first one among equals. Fresh if no block has evidence.
    pub fn judge(&self, kind: ItemKind, context: &Context) -> Verdict {
        let mut worst: Option<(&Block, Severity)> = None;
        for block in self.found.iter().filter(|block| !block.evidence.is_empty()) {
            let this = severity(kind, block, context);
            if worst.as_ref().is_none_or(|(_, other)| worst_first(&this, other) == Ordering::Less) {
                worst = Some((block, this));
            }
        }
        worst.map_or_else(Verdict::fresh, |(block, _)| block.judge(kind, context))
    }
}

/// The level and the freshness of a block.
pub(crate) type Severity = (Level, f64);

pub(crate) fn severity(kind: ItemKind, block: &Block, context: &Context) -> Severity {
    let subject = Subject::block(kind, block, context.now());
    let (freshness, level) = subject.score(context.rules(kind));
    (level, freshness)
}

/// Orders severities from worst to best.
pub(crate) fn worst_first(a: &Severity, b: &Severity) -> Ordering {
    b.0.cmp(&a.0).then_with(|| a.1.total_cmp(&b.1))
}

struct Ranked {
    signal: Signal,
    order: usize,
}

impl Ranked {
    fn taken(&self) -> f64 {
        round(self.signal.weight * self.signal.strength)
    }
}

fn verdict(subject: &Subject<'_>, context: &Context) -> Verdict {
    if subject.done {
        return Verdict::fresh();
    }
    let rules = context.rules(subject.kind);
    let (freshness, level) = subject.score(rules);
    let anchor = Anchor { now: context.now(), verified: subject.verified };
    let mut ranked: Vec<Ranked> = subject
        .evidence
        .iter()
        .filter(|each| subject.is_touched_by(each.fact.kind()))
        .map(|each| ranked(each, rules, &anchor))
        .collect();
    let action = action(subject, level, &ranked);
    if level != Level::Fresh {
        ranked.extend(age(subject, rules));
    }
    ranked.sort_by(|a, b| {
        (b.taken().total_cmp(&a.taken()))
            .then_with(|| a.order.cmp(&b.order))
            .then_with(|| b.signal.strength.total_cmp(&a.signal.strength))
            .then_with(|| a.signal.line.cmp(&b.signal.line))
            .then_with(|| a.signal.reason.cmp(&b.signal.reason))
            .then_with(|| a.signal.note.cmp(&b.signal.note))
    });
    let mut signals: Vec<Signal> = ranked.into_iter().map(|each| each.signal).collect();
    // Signals of one kind with the same words concern the same thing.
    let mut told = BTreeSet::new();
    signals.retain(|each| {
        let (kind, reason, note) = (each.kind, each.reason.clone(), each.note.clone());
        told.insert((kind, reason, note, each.strength.to_bits()))
    });
    Verdict { level, freshness, signals, action }
}

fn ranked(evidence: &Evidence, rules: &KnowledgeRules, anchor: &Anchor) -> Ranked {
    let kind = evidence.fact.kind();
    let effect = Effect::of(kind, Degree::of(&evidence.fact), rules);
    let reason = sentence(evidence, anchor);
    let mut signal = Signal::new(kind.into(), round(effect.strength), round(effect.weight), reason);
    signal.line = evidence.line;
    if let Fact::Contradicted { reason, .. } = &evidence.fact {
        signal.note = (!reason.trim().is_empty()).then(|| reason.clone());
    }
    Ranked { signal, order: kind as usize }
}

/// Returns the signal for age. `None` if age took nothing, unless the item is a to-do that is overdue or has been open
/// for too long.
fn age(subject: &Subject<'_>, rules: &KnowledgeRules) -> Option<Ranked> {
    let reach = rules.curve.reach();
    let lost = 1.0 - subject.base(rules);
    let pending = subject.is_pending(rules);
    if !pending && round(lost) <= 0.0 {
        return None;
    }
    let in_words = days(subject.days);
    let reason = match subject.overdue {
        Some(0) => "due less than a day ago".into(),
        Some(overdue) => format!("due {} ago", days(overdue)),
        None if subject.kind == ItemKind::Todo => format!("open for {in_words}"),
        None if subject.verified => format!("not verified for {in_words}"),
        None => format!("written {in_words} ago and never verified"),
    };
    let strength = if reach > 0.0 { (lost / reach).clamp(0.0, 1.0) } else { 0.0 };
    let signal = Signal::new(Ground::Age, round(strength), round(reach), reason);
    Some(Ranked { signal, order: SignalKind::ALL.len() })
}

/// Picks the action according to the table of [`Item::judge`].
fn action(subject: &Subject<'_>, level: Level, signals: &[Ranked]) -> NextAction {
    if level == Level::Fresh {
        return NextAction::Keep;
    }
    let tells = |kinds: &[SignalKind]| {
        signals
            .iter()
            .any(|each| each.taken() > 0.0 && kinds.iter().any(|kind| *kind as usize == each.order))
    };
    let ended = tells(&[SignalKind::Expired, SignalKind::Superseded]);
    let contradicted = tells(&[SignalKind::Contradicted]);
    if subject.kind == ItemKind::Todo {
        return if ended || contradicted {
            NextAction::Drop
        } else if subject.overdue.is_some() || tells(&[SignalKind::RecalledWithoutProgress]) {
            NextAction::Reschedule
        } else {
            NextAction::Complete
        };
    }
    let is_gone =
        tells(&[SignalKind::SourceMissing, SignalKind::ReferenceDrift, SignalKind::BrokenLink]);
    if ended {
        NextAction::Drop
    } else if contradicted || is_gone {
        NextAction::Update
    } else {
        NextAction::Verify
    }
}
