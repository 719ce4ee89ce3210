use proptest::prelude::*;

use super::*;

fn id(number: usize) -> Oid {
    // What comes first is what is hashed.
    Oid::from_hex(format!("{number:016x}{:024x}", 0).as_bytes()).unwrap()
}

/// Objects of no size, by the number of what each differs from.
fn kept(bases: &[Option<usize>]) -> Vec<Kept> {
    let kept = bases.iter().enumerate().map(|(at, base)| {
        let base = base.map(id);
        Kept { at: at + 100, id: id(at), packed: 0, base }
    });
    kept.collect()
}

#[test]
fn what_differs_comes_before_what_it_differs_from() {
    let shares = shares(&kept(&[None, Some(0), Some(1), Some(0), None]), 1);
    assert_eq!(shares, [[102, 101, 103, 100, 104]]);
}

#[test]
fn differences_from_what_is_not_asked_for_stay_together() {
    let shares = shares(&kept(&[Some(9), Some(8), Some(9), Some(8)]), 2);
    assert_eq!(shares, [[100, 102], [101, 103]]);
}

#[test]
fn shares_are_about_as_large() {
    let mut objects = kept(&[None, None, None, None]);
    for (object, packed) in objects.iter_mut().zip([5, 40, 20, 10]) {
        object.packed = packed;
    }
    assert_eq!(shares(&objects, 2), [vec![101], vec![102, 103, 100]]);
    assert_eq!(shares(&objects, 9).len(), 4, "a git without questions is not started");
}

#[test]
fn a_long_chain_and_a_circle_come_to_an_end() {
    let chain: Vec<_> = (0..200_000).map(|at: usize| at.checked_sub(1)).collect();
    let all = shares(&kept(&chain), 2);
    assert_eq!((all.len(), all[0].len(), all[0][0]), (1, 200_000, 200_099));
    let circle = shares(&kept(&[Some(2), Some(0), Some(1), Some(0), Some(4)]), 1);
    let mut circle = circle.concat();
    circle.sort_unstable();
    assert_eq!(circle, [100, 101, 102, 103, 104]);
    let own: Vec<_> = (0..200_000).map(Some).collect();
    assert_eq!(shares(&kept(&own), 2).concat().len(), 200_000);
}

proptest! {
    #[test]
    fn each_object_is_asked_for_once_and_no_family_is_torn(
        bases in prop::collection::vec(prop::option::of(0_usize..40), 0..40),
        gits in 1_usize..5,
    ) {
        let objects = kept(&bases);
        let shares = shares(&objects, gits);
        prop_assert!(shares.len() <= gits);
        let mut all = shares.concat();
        all.sort_unstable();
        prop_assert_eq!(all, objects.iter().map(|it| it.at).collect::<Vec<_>>());
        let share_of = |at: usize| shares.iter().position(|share| share.contains(&(at + 100)));
        let is_circle = |at: usize| {
            let mut now = at;
            (0..=bases.len()).all(|_| match bases.get(now).copied().flatten() {
                Some(base) => { now = base; base < bases.len() }
                None => false,
            })
        };
        for (at, base) in bases.iter().enumerate() {
            let Some(base) = base.filter(|base| *base < bases.len()) else { continue };
            prop_assert_eq!(share_of(at), share_of(base));
            let share = &shares[share_of(at).unwrap()];
            let place = |at: usize| share.iter().position(|it| *it == at + 100).unwrap();
            prop_assert!(base == at || is_circle(at) || place(at) < place(base));
        }
    }
}
