//! A check that a step writes only rows that it locked.

use std::collections::BTreeSet;
use std::fmt::Debug;

use super::{Access, Change, ChangeSet, Filter, Pick, Row, Selection, View};
use crate::journal::Revision;

impl ChangeSet {
    /// Checks that `selection` locks every row to be written, and that no row is written twice. `view`
    /// contains the rows that the step read.
    ///
    /// # Errors
    /// A description of the first violation.
    pub fn check(&self, selection: &Selection, view: &View) -> Result<(), String> {
        let newest = if self.journal.is_empty() { view.revision } else { Revision(u64::MAX) };
        if let Some(last) = self.pruned.iter().max()
            && (*last > self.floor.revision || *last >= view.revision)
        {
            return Err(format!(
                "revision {last} was pruned, and is the newest or above the floor"
            ));
        }
        if self.floor.revision > Revision(0) && self.floor.revision >= newest {
            return Err(format!("the floor {} has nothing above it", self.floor.revision));
        }
        macro_rules! check {
        ($($field:ident: $row:ty,)*) => {
            $(check::<$row>(selection, view, self, |key| check!(@ $field key))?;)*
        };
        // A vector may be removed with its route without having been read.
        (@ vectors $key:ident) => {
            locked(&selection.routes).any(|filter| filter.matches($key, None))
        };
        (@ $other:ident $key:ident) => {{
            let _ = $key;
            false
        }};
    }
        crate::collections!(check);
        Ok(())
    }
}

fn check<R: Row>(
    selection: &Selection,
    view: &View,
    changes: &ChangeSet,
    is_removable: impl Fn(&R::Key) -> bool,
) -> Result<(), String> {
    // A batch may lock many rows by key. Keys are therefore looked up in a set, and only other filters are tried in
    // turn.
    let (mut keys, mut filters) = (BTreeSet::new(), Vec::new());
    for filter in locked(R::picks(selection)) {
        match filter.key() {
            Some(key) => drop(keys.insert(key)),
            None => filters.push(filter),
        }
    }
    let mut written = BTreeSet::new();
    for change in R::changes(changes) {
        let (key, row) = match change {
            Change::Put(row) => (row.key(), Some(row)),
            Change::Delete(key) => (key, None),
        };
        once(&mut written, key)?;
        let row = R::rows(view).get(key).or(row);
        let is_locked = keys.contains(key) || filters.iter().any(|filter| filter.matches(key, row));
        let may_go = matches!(change, Change::Delete(_)) && is_removable(key);
        if !is_locked && !may_go {
            return Err(format!("{} {key:?} was written and not locked", R::NAME));
        }
    }
    Ok(())
}

fn once<'a, K: Ord + Debug>(written: &mut BTreeSet<&'a K>, key: &'a K) -> Result<(), String> {
    if written.insert(key) { Ok(()) } else { Err(format!("{key:?} was written twice")) }
}

fn locked<F>(picks: &[Pick<F>]) -> impl Iterator<Item = &F> {
    picks.iter().filter(|pick| pick.access == Access::Lock).map(|pick| &pick.filter)
}
