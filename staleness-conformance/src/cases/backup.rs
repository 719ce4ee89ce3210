//! Backups: a backup is a valid store and never overwrites a file.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use pollster::block_on;
use staleness_core::journal::Subject;

use super::snapshots::{agreed, generation};
use crate::backend::Place;
use crate::case::Case;
use crate::compare::assert_same;
use crate::context::{Context, Handle, act, check, everything};
use crate::rows::{AWKWARD, entry, global, outcome, samples};
use crate::steps::{Use, Write};

pub(super) const CASES: &[Case] = &[
    Case::new("backup::opens_as_an_equal_store", |context| {
        fill(context.store());
        equal(context);
    })
    .backup(),
    Case::new("backup::of_an_empty_store_is_an_empty_store", equal).backup(),
    Case::new("backup::refuses_to_overwrite", no_overwrite).backup(),
    Case::new("backup::lives_on_its_own", independent).backup(),
    Case::new("backup::made_while_others_write_is_one_moment", while_writing).backup(),
];

pub(super) fn fill(store: &Handle) {
    let mut write = Write::new();
    for text in AWKWARD {
        write = samples(write, Some(text), text)
            .outcome(outcome(global(text), text))
            .entry(entry(Subject::tool(&global(text))));
    }
    act(store, write);
    for turn in 0..10 {
        act(store, Use::new(global("x"), turn.to_string()));
    }
}

/// Creates a backup and opens it.
fn copy(context: &Context, store: &Handle) -> (Place, Handle) {
    let place = Place::temporary("backup");
    block_on(store.backup(&PathBuf::from(place.location()))).expect("a backup");
    let copy = context.backend().open(place.location()).expect("the backup is a store");
    (place, copy)
}

fn equal(context: &mut Context) {
    let (_place, copy) = copy(context, context.store());
    check(&copy);
    assert_same(&everything(&copy), &everything(context.store()));
}

fn no_overwrite(context: &mut Context) {
    let store = context.store();
    fill(store);
    let place = Place::temporary("precious");
    let path = PathBuf::from(place.location());
    std::fs::write(&path, "a letter").expect("a file");
    let result = block_on(store.backup(&path));
    assert!(result.is_err(), "the backup took the place of another file");
    let kept = std::fs::read_to_string(&path).expect("the file");
    assert_eq!(kept, "a letter");
    assert_eq!(
        std::fs::read_dir(path.parent().expect("a folder")).expect("the folder").count(),
        1,
        "a refused backup left something behind"
    );
}

fn independent(context: &mut Context) {
    let store = context.store();
    fill(store);
    let (_place, copy) = copy(context, store);
    let before = everything(&copy);
    act(store, Use::new(global("x"), "in the store"));
    assert_same(&everything(&copy), &before);
    act(&copy, Use::new(global("x"), "in the copy"));
    let (here, there) = (everything(store), everything(&copy));
    assert_eq!(here.revision, there.revision);
    assert_eq!(here.tools, there.tools);
    assert_ne!(here.outcomes, there.outcomes);
}

fn while_writing(context: &mut Context) {
    const LAST: u64 = 100;
    let store = context.store();
    act(store, generation(1));
    let (begun, wait) = sync_channel::<()>(1);
    let writer = {
        let store = Arc::clone(store);
        std::thread::spawn(move || {
            for number in 2..=LAST {
                act(&store, generation(number));
                let _ = begun.try_send(());
            }
        })
    };
    wait.recv().expect("the writer began");
    for _ in 0..3 {
        let (_place, copy) = copy(context, store);
        check(&copy);
        assert!((2..=LAST).contains(&agreed(&everything(&copy))));
    }
    writer.join().expect("the writer");
    assert_eq!(agreed(&everything(store)), LAST);
}
