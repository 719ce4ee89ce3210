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

fn shares(objects: &[Kept], gits: usize) -> Vec<Vec<usize>> {
    let Divided { shares, endless } = divide(objects, gits);
    assert_eq!(endless, [0; 0]);
    shares
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
fn shares_are_about_as_large_and_in_order() {
    let mut objects = kept(&[None, None, None, None]);
    for (object, packed) in objects.iter_mut().zip([10, 20, 40, 5]) {
        object.packed = packed;
    }
    assert_eq!(shares(&objects, 2), [[100, 101, 102].to_vec(), vec![103]]);
    assert_eq!(shares(&kept(&[None; 4]), 2), [[100, 101], [102, 103]]);
    assert_eq!(shares(&kept(&[None; 4]), 9).len(), 4, "a git without questions is not started");
    assert_eq!(divide(&[], 2), Divided::default());
}

#[test]
fn a_long_chain_comes_to_an_end() {
    let chain: Vec<_> = (0..200_000).map(|at: usize| at.checked_sub(1)).collect();
    let all = shares(&kept(&chain), 2);
    assert_eq!((all.len(), all[0].len(), all[0][0]), (1, 200_000, 200_099));
}

#[test]
fn what_differs_in_a_circle_is_asked_of_nobody() {
    let circle = divide(&kept(&[Some(2), Some(0), Some(1), Some(0), Some(4), None, Some(5)]), 1);
    let mut endless = circle.endless;
    endless.sort_unstable();
    assert_eq!((circle.shares, endless), (vec![vec![106, 105]], vec![100, 101, 102, 103, 104]));
    let own: Vec<_> = (0..200_000).map(Some).collect();
    assert_eq!(divide(&kept(&own), 2).endless.len(), 200_000);
}

proptest! {
    #[test]
    fn each_object_is_in_one_place_and_no_family_is_torn(
        bases in prop::collection::vec(prop::option::of(0_usize..40), 0..40),
        gits in 1_usize..5,
    ) {
        let Divided { shares, endless } = divide(&kept(&bases), gits);
        prop_assert!(shares.len() <= gits);
        let mut all = [shares.concat(), endless.clone()].concat();
        all.sort_unstable();
        prop_assert_eq!(all, (100..100 + bases.len()).collect::<Vec<_>>());
        let is_endless = |at: usize| {
            let mut now = Some(at);
            (0..=bases.len()).all(|_| {
                now = now.and_then(|at| bases[at]).filter(|base| *base < bases.len());
                now.is_some()
            })
        };
        for at in 0..bases.len() {
            prop_assert_eq!(endless.contains(&(at + 100)), is_endless(at));
        }
        let place = |at: usize| {
            let share = shares.iter().position(|share| share.contains(&(at + 100)))?;
            Some((share, shares[share].iter().position(|it| *it == at + 100)?))
        };
        for (at, base) in bases.iter().enumerate() {
            let (Some(one), Some(base)) = (place(at), base.filter(|it| *it < bases.len())) else { continue };
            let base = place(base).unwrap();
            prop_assert!(one.0 == base.0 && one.1 < base.1);
        }
    }
}
