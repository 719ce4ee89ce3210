//! Freshness by kind, age, version and wording, against values that were computed apart from the
//! code, with fractions.

use crate::items::*;
use staleness_core::Timestamp;
use staleness_core::knowledge::{Curve, Distance, Evidence, Item, ItemKind};
use staleness_core::verdict::Level;

const AGES: [i64; 13] = [-30, 0, 15, 30, 42, 60, 90, 120, 150, 180, 300, 420, 600];

/// One row each: neither, a marker, a minor version behind, both.
type Table = [[f64; 13]; 4];

const KNOWLEDGE: Table = [
    [1.0, 1.0, 0.95, 0.9, 0.86, 0.8, 0.7, 0.6, 0.5, 0.4, 0.0, 0.0, 0.0],
    [0.8, 0.8, 0.75, 0.7, 0.66, 0.6, 0.5, 0.4, 0.3, 0.2, 0.0, 0.0, 0.0],
    [0.6, 0.6, 0.55, 0.5, 0.46, 0.4, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0, 0.0],
    [0.4, 0.4, 0.35, 0.3, 0.26, 0.2, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
];

const REFERENCE: Table = [
    [1.0, 1.0, 0.975, 0.95, 0.93, 0.9, 0.85, 0.8, 0.75, 0.7, 0.5, 0.3, 0.3],
    [0.8, 0.8, 0.78, 0.76, 0.744, 0.72, 0.68, 0.64, 0.6, 0.56, 0.4, 0.24, 0.24],
    [0.8, 0.8, 0.775, 0.75, 0.73, 0.7, 0.65, 0.6, 0.55, 0.5, 0.3, 0.1, 0.1],
    [0.64, 0.64, 0.62, 0.6, 0.584, 0.56, 0.52, 0.48, 0.44, 0.4, 0.24, 0.08, 0.08],
];

const TODO: Table = [
    [1.0, 1.0, 0.75, 0.5, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3],
    [0.8, 0.8, 0.6, 0.4, 0.24, 0.24, 0.24, 0.24, 0.24, 0.24, 0.24, 0.24, 0.24],
    [0.76, 0.76, 0.57, 0.38, 0.228, 0.228, 0.228, 0.228, 0.228, 0.228, 0.228, 0.228, 0.228],
    [
        0.608, 0.608, 0.456, 0.304, 0.182_4, 0.182_4, 0.182_4, 0.182_4, 0.182_4, 0.182_4, 0.182_4,
        0.182_4, 0.182_4,
    ],
];

const DOCUMENT: Table = [
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9],
    [0.76, 0.76, 0.76, 0.76, 0.76, 0.76, 0.76, 0.76, 0.76, 0.76, 0.76, 0.76, 0.76],
    [0.684, 0.684, 0.684, 0.684, 0.684, 0.684, 0.684, 0.684, 0.684, 0.684, 0.684, 0.684, 0.684],
];

const UNTOUCHED: Table = [[1.0; 13]; 4];

fn check(kind: ItemKind, evergreen: bool, table: &Table) {
    let told: [&[Evidence]; 4] = [
        &[],
        &[marker("now")],
        &[drift(Distance::Minor)],
        &[marker("now"), drift(Distance::Minor)],
    ];
    for (evidence, row) in told.iter().zip(table) {
        for (days, expected) in AGES.iter().zip(row) {
            let mut item = item(kind, "x", *days);
            item.evergreen = evergreen;
            let (freshness, _) = item.score(evidence, &context());
            let what = format!("{kind:?} after {days} days with {}", evidence.len());
            assert!((freshness - expected).abs() < 1e-9, "{what}: {freshness}, not {expected}");
        }
    }
}

#[test]
fn knowledge_follows_its_table() {
    check(ItemKind::Knowledge, false, &KNOWLEDGE);
}

#[test]
fn references_follow_their_table() {
    check(ItemKind::Reference, false, &REFERENCE);
}

#[test]
fn to_dos_follow_their_table() {
    check(ItemKind::Todo, false, &TODO);
}

#[test]
fn age_never_condemns_a_document() {
    check(ItemKind::Document, false, &DOCUMENT);
}

#[test]
fn time_versions_and_wording_leave_preferences_and_what_is_evergreen_untouched() {
    check(ItemKind::Preference, false, &UNTOUCHED);
    for kind in ItemKind::ALL {
        check(kind, true, &UNTOUCHED);
    }
}

#[test]
fn a_major_version_behind_is_a_mismatch_and_a_patch_is_none() {
    for kind in [ItemKind::Knowledge, ItemKind::Reference] {
        let new = item(kind, "x", 0);
        let score = |distance| new.score(&[drift(distance)], &context()).0;
        assert_eq!(score(Distance::Major).to_bits(), score(Distance::Minor).to_bits());
        assert_eq!(score(Distance::Patch).to_bits(), 1.0_f64.to_bits(), "{kind:?}");
    }
    let new = item(ItemKind::Todo, "x", 0);
    for (distance, expected) in
        [(Distance::Patch, 0.9), (Distance::Minor, 0.76), (Distance::Major, 0.6)]
    {
        let (freshness, _) = new.score(&[drift(distance)], &context());
        assert!((freshness - expected).abs() < 1e-9, "{distance:?}: {freshness}");
    }
}

#[test]
fn age_counts_from_the_last_verification_in_whole_elapsed_days() {
    let mut one = item(ItemKind::Knowledge, "x", 300);
    let freshness = |one: &Item| one.score(&[], &context()).0;
    assert!(freshness(&one).abs() < 1e-9);
    one.verified_at = Some(ago(90));
    assert!((freshness(&one) - 0.7).abs() < 1e-9);
    one.verified_at = Some(Timestamp::from_millis(ago(91).as_millis() + 1));
    assert!((freshness(&one) - 0.7).abs() < 1e-9, "91 days but a millisecond are 90");
    one.verified_at = Some(Timestamp::from_millis(ago(90).as_millis() - Timestamp::DAY));
    assert!(freshness(&one) < 0.7);
}

#[test]
fn bounds_belong_to_the_better_level() {
    for (kind, days, level) in [
        (ItemKind::Knowledge, 89, Level::Fresh),
        (ItemKind::Knowledge, 90, Level::Fresh),
        (ItemKind::Knowledge, 91, Level::Review),
        (ItemKind::Knowledge, 180, Level::Review),
        (ItemKind::Knowledge, 181, Level::Stale),
        (ItemKind::Reference, 180, Level::Fresh),
        (ItemKind::Reference, 181, Level::Review),
    ] {
        let one = item(kind, "x", days);
        assert_eq!(one.score(&[], &context()).1, level, "{kind:?} {days}");
    }
}

#[test]
fn a_to_do_is_looked_at_after_thirty_days_whatever_its_curve_says() {
    let slow = under("kind.todo.curve = { half_life = { days = 3650 } }");
    for (days, level) in [(29, Level::Fresh), (30, Level::Review), (31, Level::Review)] {
        let one = item(ItemKind::Todo, "x", days);
        assert_eq!(one.score(&[], &slow).1, level, "{days}");
        let verdict = one.judge(&[], &slow);
        assert_eq!(verdict.level, level);
        assert!(verdict.freshness > 0.99, "the freshness is that of the curve");
    }
    let told = item(ItemKind::Todo, "x", 30).judge(&[], &slow);
    assert_eq!(told.signals[0].reason, "open for 30 days");
    assert_eq!(item(ItemKind::Todo, "x", 10_000).judge(&[], &slow).level, Level::Stale);
}

#[test]
fn other_curves_halve_or_fade_by_their_formulas() {
    let half = Curve::HalfLife { days: 60.0 };
    for (days, expected) in [(-5, 1.0), (0, 1.0), (60, 0.5), (120, 0.25), (600, 0.000_976_562_5)] {
        assert!((half.at(days, 0) - expected).abs() < 1e-12, "{days}");
    }
    // R(t, 90) = (1 + 19/81 * t / 90) ^ -0.5
    let power = Curve::Power { stability: 90.0 };
    for (days, expected) in
        [(0, 1.0), (45, 0.946_058_996), (90, 0.9), (180, 0.825_028_647), (900, 0.546_711_065)]
    {
        assert!((power.at(days, 0) - expected).abs() < 1e-8, "{days}: {}", power.at(days, 0));
    }
    // S' = 90 * (1 + e^1.6474 * 6 * 90^-0.1367 * (e^0.10461 - 1)) = 257.18, and so on
    let once = (power.at(257, 1), power.at(258, 1));
    assert!(once.0 > 0.9 && once.1 < 0.9, "{once:?}");
    assert!((power.at(36_500, 100) - 0.9).abs() < 1e-12, "a hundred years is the most");
}

#[test]
fn a_policy_gives_a_kind_another_curve() {
    let context = under("kind.knowledge.curve = { power = { stability = 90 } }");
    let mut one = item(ItemKind::Knowledge, "x", 90);
    assert!((one.score(&[], &context).0 - 0.9).abs() < 1e-9);
    one.verifications = 3;
    assert!(one.score(&[], &context).0 > 0.98, "what was verified fades slower");
    one.recalls = 100;
    let read = one.score(&[], &context).0;
    one.recalls = 0;
    assert_eq!(read.to_bits(), one.score(&[], &context).0.to_bits());
}
