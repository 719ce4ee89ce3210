//! Properties of freshness that hold for any item, evidence and policy.

use crate::items::*;
use proptest::prelude::*;
use staleness_core::ids::Caller;
use staleness_core::knowledge::{Context, Curve, Distance, Evidence, Fact, Item, ItemKind};
use staleness_core::policy::{KnowledgeOverride, KnowledgePolicy};
use staleness_core::verdict::{Level, SignalKind};

fn kinds() -> impl Strategy<Value = ItemKind> {
    proptest::sample::select(ItemKind::ALL.to_vec())
}

fn curves() -> impl Strategy<Value = Curve> {
    prop_oneof![
        Just(Curve::Constant),
        (0.0..=1.0, 1.0..1_000.0, 0.0..=1.0).prop_map(|(drop, days, floor)| Curve::Linear {
            drop,
            days,
            floor
        }),
        (1.0..1_000.0).prop_map(|days| Curve::HalfLife { days }),
        (1.0..1_000.0).prop_map(|stability| Curve::Power { stability }),
    ]
}

fn policies() -> impl Strategy<Value = KnowledgePolicy> {
    let shares = proptest::collection::vec(0.0..=1.0, 6);
    (curves(), shares, proptest::bool::ANY).prop_map(|(curve, shares, by_default)| {
        let mut policy = KnowledgePolicy::default();
        if by_default {
            return policy;
        }
        let set = KnowledgeOverride {
            curve: Some(curve),
            version_term: Some(shares[0]),
            marker_term: Some(shares[1]),
            weight_source_changed: Some(shares[2]),
            weight_version_drift: Some(shares[3]),
            strength_marker: Some(shares[4]),
            strength_minor: Some(shares[5]),
            ..KnowledgeOverride::default()
        };
        policy.kind = ItemKind::ALL.into_iter().map(|kind| (kind, set)).collect();
        policy
    })
}

fn evidence() -> impl Strategy<Value = Vec<Evidence>> {
    let one = prop_oneof![
        Just(drift(Distance::Patch)),
        Just(drift(Distance::Minor)),
        Just(drift(Distance::Major)),
        Just(marker("now")),
        Just(marker("v1.2")),
        Just(superseded()),
        Just(contradicted()),
        Just(expired(3)),
        Just(related_fresher()),
        Just(related_stale()),
        Just(Fact::RecalledWithoutProgress { recalls: 9 }.into()),
        Just(Fact::FutureDate { at: ago(-9) }.into()),
    ];
    proptest::collection::vec(one, 0..6)
}

fn items() -> impl Strategy<Value = Item> {
    (
        kinds(),
        -100_i64..2_000,
        proptest::option::of(-100_i64..2_000),
        0_u32..40,
        proptest::bool::ANY,
    )
        .prop_map(|(kind, added, verified, verifications, evergreen)| {
            let mut item = item(kind, "x", added);
            item.verified_at = verified.map(ago);
            item.verifications = verifications;
            item.evergreen = evergreen;
            item
        })
}

fn context_of(policy: &KnowledgePolicy) -> Context {
    Context::new(NOW, policy, Caller::default())
}

proptest! {
    #[test]
    fn freshness_never_rises_with_age(
        policy in policies(), one in items(), told in evidence(), older in 0_i64..1_000
    ) {
        let context = context_of(&policy);
        let (young, young_level) = one.score(&told, &context);
        let mut old = one.clone();
        let at = old.anchored_at().minus_days(older);
        (old.verified_at, old.added_at) = (one.verified_at.map(|_| at), at);
        let (aged, level) = old.score(&told, &context);
        prop_assert!(aged <= young);
        prop_assert!(level >= young_level);
    }

    #[test]
    fn evidence_never_raises_freshness(
        policy in policies(), one in items(), told in evidence(), more in evidence()
    ) {
        let context = context_of(&policy);
        let (before, level) = one.score(&told, &context);
        let (none, _) = one.score(&[], &context);
        let all: Vec<_> = told.iter().chain(&more).cloned().collect();
        let (after, new_level) = one.score(&all, &context);
        prop_assert!(after <= before && before <= none);
        prop_assert!(new_level >= level);
    }

    #[test]
    fn the_order_of_evidence_does_not_matter(
        policy in policies(), one in items(), told in evidence().prop_shuffle(), by in 0_usize..6
    ) {
        let context = context_of(&policy);
        let mut turned = told.clone();
        turned.rotate_left(by.min(told.len()));
        turned.reverse();
        prop_assert_eq!(one.judge(&told, &context), one.judge(&turned, &context));
    }

    #[test]
    fn repeating_evidence_changes_no_freshness(one in items(), told in evidence()) {
        let twice: Vec<_> = told.iter().chain(&told).cloned().collect();
        let (a, b) = (one.score(&told, &context()), one.score(&twice, &context()));
        prop_assert_eq!(a, b);
    }

    #[test]
    fn everything_stays_within_its_bounds(policy in policies(), one in items(), told in evidence()) {
        let verdict = one.judge(&told, &context_of(&policy));
        prop_assert!((0.0..=1.0).contains(&verdict.freshness));
        for signal in &verdict.signals {
            prop_assert!((0.0..=1.0).contains(&signal.weight), "{:?}", signal);
            prop_assert!((0.0..=1.0).contains(&signal.strength), "{:?}", signal);
            prop_assert!(!signal.reason.is_empty());
        }
        let taken = |n: usize| verdict.signals[n].weight * verdict.signals[n].strength;
        for n in 1..verdict.signals.len() {
            prop_assert!(taken(n - 1) >= taken(n) - 1e-9);
        }
    }

    #[test]
    fn the_quick_way_says_what_the_verdict_says(policy in policies(), one in items(), told in evidence()) {
        let context = context_of(&policy);
        let verdict = one.judge(&told, &context);
        let (freshness, level) = one.score(&told, &context);
        prop_assert_eq!((verdict.freshness.to_bits(), verdict.level), (freshness.to_bits(), level));
    }

    #[test]
    fn what_is_not_fresh_says_why(one in items(), told in evidence()) {
        let verdict = one.judge(&told, &context());
        prop_assert!(verdict.level == Level::Fresh || !verdict.signals.is_empty());
    }

    #[test]
    fn no_curve_rises_or_leaves_its_bounds(curve in curves(), days in -10_i64..50_000, more in 0_i64..5_000, verified in 0_u32..60) {
        let (young, old) = (curve.at(days, verified), curve.at(days + more, verified));
        prop_assert!((0.0..=1.0).contains(&young) && old <= young);
        prop_assert!(curve.at(days, verified + 1) >= young, "a verification never weakens");
    }
}

#[test]
fn no_evidence_changes_nothing() {
    for kind in ItemKind::ALL {
        for days in [0, 50, 500] {
            let one = item(kind, "x", days);
            let weightless = [Fact::FutureDate { at: ago(-1) }.into()];
            let (with, without) = (one.judge(&weightless, &context()), one.judge(&[], &context()));
            assert_eq!(with.freshness.to_bits(), without.freshness.to_bits());
        }
    }
}

#[test]
fn every_kind_of_signal_has_its_place_in_the_tables() {
    for (place, kind) in SignalKind::ALL.into_iter().enumerate() {
        assert_eq!(kind as usize, place, "{kind:?}");
    }
    for (place, kind) in ItemKind::ALL.into_iter().enumerate() {
        assert_eq!(kind as usize, place, "{kind:?}");
    }
}
