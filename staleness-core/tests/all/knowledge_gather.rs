//! Evidence that follows from the items themselves.

use crate::items::*;
use proptest::prelude::*;
use staleness_core::ids::Scope;
use staleness_core::knowledge::{
    Context, Contradiction, Distance, Evidence, Fact, Item, ItemKind, SignalSet,
};
use staleness_core::verdict::Level;

fn gathered(items: &[Item], context: &Context) -> Vec<Vec<Evidence>> {
    let mut evidence = vec![Vec::new(); items.len()];
    Evidence::gather(&items.iter().collect::<Vec<_>>(), &mut evidence, context);
    evidence
}

fn kinds(evidence: &[Evidence]) -> Vec<&'static str> {
    evidence.iter().map(|each| each.fact.kind().as_str()).collect()
}

#[test]
fn an_items_own_fields_speak() {
    let mut one = item(ItemKind::Knowledge, "x", 3);
    one.expires_at = Some(NOW);
    one.version_context = Some("2.4.0".into());
    one.superseded_by.insert(id("y"));
    one.contradicted = Some(Contradiction { by: "ops".into(), reason: "no".into(), at: ago(1) });
    let context = context().at_version(Some("2.6.1"));
    let evidence = gathered(&[one.clone()], &context);
    assert_eq!(kinds(&evidence[0]), ["expired", "superseded", "contradicted", "version_drift"]);
    let drifted = Fact::VersionDrift {
        written_for: "2.4.0".into(),
        project_at: "2.6.1".into(),
        distance: Distance::Minor,
    };
    assert!(evidence[0].iter().any(|each| each.fact == drifted));
    one = item(ItemKind::Knowledge, "x", 3);
    one.expires_at = Some(ago(-1));
    one.version_context = Some("9.0".into());
    assert_eq!(gathered(&[one], &context), [Vec::new()]);
}

#[test]
fn an_item_expires_at_its_moment() {
    for (millis, is_expired) in [(-1, true), (0, true), (1, false)] {
        let mut one = item(ItemKind::Knowledge, "x", 3);
        one.expires_at = Some(NOW.plus_millis(millis));
        assert_eq!(!gathered(&[one], &context())[0].is_empty(), is_expired, "{millis}");
    }
}

#[test]
fn a_to_do_that_is_read_five_times_since_its_edit_is_not_getting_done() {
    let told = |kind, recalls| {
        let mut one = item(kind, "x", 3);
        (one.recalls, one.recalls_since_edit) = (100, recalls);
        kinds(&gathered(&[one], &context())[0])
    };
    assert_eq!(told(ItemKind::Todo, 4), Vec::<&str>::new());
    assert_eq!(told(ItemKind::Todo, 5), ["recalled_without_progress"]);
    assert_eq!(told(ItemKind::Knowledge, 50), Vec::<&str>::new());
}

#[test]
fn a_date_in_the_future_is_told_once_with_the_later_date() {
    let mut one = item(ItemKind::Knowledge, "x", -2);
    one.verified_at = Some(ago(-3));
    let expected: Evidence = Fact::FutureDate { at: ago(-3) }.into();
    assert_eq!(gathered(&[one], &context()), [vec![expected]]);
}

#[test]
fn an_item_that_another_one_supersedes_is_superseded_whichever_of_them_says_so() {
    let (mut old, mut new) =
        (item(ItemKind::Knowledge, "old", 9), item(ItemKind::Knowledge, "new", 1));
    new.supersedes.insert(id("old"));
    let expected = [vec![Fact::Superseded { by: "new".into() }.into()], Vec::new()];
    assert_eq!(gathered(&[old.clone(), new.clone()], &context()), expected);
    old.superseded_by.insert(id("new"));
    assert_eq!(gathered(&[old.clone(), new.clone()], &context()), expected, "told once");
    new.supersedes.insert(id("new"));
    new.supersedes.insert(id("nobody"));
    new.superseded_by.insert(id("new"));
    assert_eq!(gathered(&[old, new], &context()), expected, "nobody supersedes himself");
}

#[test]
fn an_item_of_a_project_does_not_supersede_one_of_the_user() {
    let (mut old, mut new) =
        (item(ItemKind::Knowledge, "old", 9), item(ItemKind::Knowledge, "new", 1));
    new.supersedes.insert(id("old"));
    let (own, users) = (Some("notes/a.md"), Some("~/.claude/rules/b.md"));
    let cases = [
        (own, users, false),
        (own, own, true),
        (own, None, true),
        (users, users, true),
        (users, own, true),
        (None, users, true),
    ];
    for (by, of, is_told) in cases {
        (new.path, old.path) = (by.map(Into::into), of.map(Into::into));
        let told = gathered(&[old.clone(), new.clone()], &context());
        assert_eq!(!told[0].is_empty(), is_told, "{by:?} of {of:?}");
    }
    // Nor one that the user noted for all projects.
    let scope = std::mem::replace(&mut old.key.scope, Scope::Global);
    for (by, is_told) in [(own, false), (users, true), (None, true)] {
        (new.path, old.path) = (by.map(Into::into), None);
        let told = gathered(&[old.clone(), new.clone()], &context());
        assert_eq!(!told[0].is_empty(), is_told, "{by:?}");
    }
    old.key.scope = scope;
    // What the user said himself holds.
    (new.path, old.path) = (own.map(Into::into), users.map(Into::into));
    old.superseded_by.insert(id("new"));
    assert_eq!(kinds(&gathered(&[old, new], &context())[0]), ["superseded"]);
}

#[test]
fn a_change_of_what_an_item_depends_on_is_told() {
    let (mut one, mut base) =
        (item(ItemKind::Knowledge, "x", 30), item(ItemKind::Knowledge, "base", 90));
    one.related.insert(id("base"));
    one.related.insert(id("gone"));
    one.verified_at = Some(ago(10));
    for (edited, fresher) in [(11, false), (10, false), (9, true)] {
        base.updated_at = ago(edited);
        let told = kinds(&gathered(&[one.clone(), base.clone()], &context())[0]);
        assert_eq!(told.contains(&"related_fresher"), fresher, "{edited} days ago");
    }
}

#[test]
fn trap_staleness_spreads_one_step_and_circles_end() {
    let chain: Vec<Item> = (0..4)
        .map(|n| {
            let mut one = item(ItemKind::Reference, &format!("n{n}"), if n == 0 { 0 } else { 1 });
            if n > 0 {
                one.related.insert(id(&format!("n{}", n - 1)));
                one.updated_at = ago(400);
            }
            one
        })
        .collect();
    let mut chain = chain;
    chain[0].contradicted = Some(Contradiction { by: "x".into(), reason: "y".into(), at: NOW });
    chain[0].updated_at = ago(400);
    let told: Vec<_> = gathered(&chain, &context()).iter().map(|each| kinds(each)).collect();
    assert_eq!(told, [vec!["contradicted"], vec!["related_stale"], vec![], vec![]]);

    let mut circle = [item(ItemKind::Knowledge, "a", 400), item(ItemKind::Knowledge, "b", 400)];
    circle[0].related.extend([id("a"), id("b")]);
    circle[1].related.insert(id("a"));
    let told: Vec<_> = gathered(&circle, &context()).iter().map(|each| kinds(each)).collect();
    assert_eq!(told, [vec!["related_stale"], vec!["related_stale"]]);
}

#[test]
fn what_was_found_outside_makes_an_item_stale_for_others() {
    let (mut one, base) = (item(ItemKind::Reference, "x", 0), item(ItemKind::Knowledge, "base", 1));
    one.related.insert(id("base"));
    let mut evidence = vec![Vec::new(), vec![contradicted()]];
    Evidence::gather(&[&one, &base], &mut evidence, &context());
    assert_eq!(kinds(&evidence[0]), ["related_stale"]);
    assert_eq!(one.judge(&evidence[0], &context()).level, Level::Fresh);
}

#[test]
fn ids_mean_items_of_the_same_scope_before_global_ones() {
    let mut one = item(ItemKind::Reference, "x", 0);
    one.related.insert(id("base"));
    let own = item(ItemKind::Reference, "base", 1);
    let mut global = item(ItemKind::Knowledge, "base", 400);
    global.key.scope = Scope::Global;
    let stale = |items: &[Item]| kinds(&gathered(items, &context())[0]) == ["related_stale"];
    assert!(stale(&[one.clone(), global.clone()]));
    assert!(!stale(&[one.clone(), global.clone(), own]));
    one.key.scope = Scope::Global;
    let mut local = item(ItemKind::Knowledge, "base", 400);
    local.updated_at = ago(500);
    assert!(!stale(&[one, local]), "a global item depends on nothing in a project");
}

proptest! {
    #[test]
    fn what_is_gathered_does_not_depend_on_the_order_of_the_items(
        links in proptest::collection::vec((0_usize..8, 0_usize..8, proptest::bool::ANY), 0..16),
        ages in proptest::collection::vec(0_i64..400, 8),
        turn in 0_usize..8,
    ) {
        let mut all: Vec<Item> = ages
            .iter()
            .enumerate()
            .map(|(n, days)| {
                let mut one = item(ItemKind::ALL[n % 5], &format!("n{n}"), *days - 9);
                one.version_context = ["2.6.0", "2.4.0", "1.0.0", "3.0"].get(n / 2).map(|v| (*v).into());
                one.expires_at = (days % 7 == 0).then(|| ago(*days - 100));
                one.recalls_since_edit = *days as u64 % 9;
                one
            })
            .collect();
        for (from, to, supersedes) in links {
            let to = id(&format!("n{to}"));
            let set = if supersedes { &mut all[from].supersedes } else { &mut all[from].related };
            set.insert(to);
        }
        let context = context().at_version(Some("2.6.1"));
        let straight = gathered(&all, &context);
        // Scored without the facts it is the same.
        for (item, told) in all.iter().zip(&straight) {
            let (freshness, level) = SignalSet::of(told).score(item, &context);
            let verdict = item.judge(told, &context);
            prop_assert_eq!((freshness, level), (verdict.freshness, verdict.level));
        }
        let verdicts: Vec<_> =
            all.iter().zip(&straight).map(|(item, told)| item.judge(told, &context)).collect();
        all.rotate_left(turn);
        let turned = gathered(&all, &context);
        for (n, (item, told)) in all.iter().zip(&turned).enumerate() {
            prop_assert_eq!(&item.judge(told, &context), &verdicts[(n + turn) % 8]);
        }
    }
}
