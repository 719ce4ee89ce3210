//! Where items are in a list, by their keys.

use std::hash::{BuildHasher, Hasher};

use super::Item;
use crate::hash::Keyed;
use crate::ids::{ItemId, Scope};

/// The places of items: a table of eight bytes for each, which stays in the processor's caches where a map
/// of keys would not. Ids alone tell nearly all items apart, so only they are hashed; of items of the same
/// key the last one counts.
#[derive(Debug)]
pub(super) struct Places<'a> {
    items: &'a [&'a Item],
    /// For each item a half of the hash of its id, and its place and one more; zeros where nothing is. A power
    /// of two of them, of which a third stays free at least.
    slots: Vec<(u32, u32)>,
    keyed: Keyed,
}

impl<'a> Places<'a> {
    pub(super) fn of(items: &'a [&'a Item]) -> Self {
        let slots = vec![(0, 0); (items.len() * 3 / 2 + 1).next_power_of_two()];
        let mut places = Self { items, slots, keyed: Keyed::default() };
        for (place, item) in (1..).zip(items) {
            let (at, half) = places.slot(&item.key.scope, &item.key.id);
            places.slots[at] = (half, place);
        }
        places
    }

    /// The place of the item of this key.
    pub(super) fn find(&self, scope: &Scope, id: &ItemId) -> Option<usize> {
        let (_, place) = self.slots[self.slot(scope, id).0];
        (place as usize).checked_sub(1)
    }

    /// The slot of a key, or the free one where it would be, and the half of its hash that is kept there.
    fn slot(&self, scope: &Scope, id: &ItemId) -> (usize, u32) {
        let mut hasher = self.keyed.build_hasher();
        hasher.write(id.as_str().as_bytes());
        let hash = hasher.finish();
        let (mut at, half) = (hash as usize, (hash >> 32) as u32);
        loop {
            at &= self.slots.len() - 1;
            let (other, place) = self.slots[at];
            let is_it = place == 0
                || other == half && {
                    let key = &self.items[place as usize - 1].key;
                    key.id == *id && key.scope == *scope
                };
            if is_it {
                return (at, half);
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ids::{ItemKey, ProjectId};
    use crate::knowledge::ItemKind;
    use crate::time::Timestamp;

    proptest! {
        #[test]
        fn every_item_is_found_at_its_place(
            keys in prop::collection::vec((any::<bool>(), "[a-c]{1,3}"), 0..40),
            asked in prop::collection::vec((any::<bool>(), "[a-c]{1,3}"), 0..10),
        ) {
            let key = |(own, id): &(bool, String)| ItemKey {
                scope: if *own { Scope::Project(ProjectId::of_root("/p")) } else { Scope::Global },
                id: ItemId::new(id).unwrap(),
            };
            let item = |known| Item::new(key(known), ItemKind::Todo, "", Timestamp::MIN);
            let items: Vec<Item> = keys.iter().map(item).collect();
            let items: Vec<&Item> = items.iter().collect();
            let places = Places::of(&items);
            for asked in keys.iter().chain(&asked) {
                let key = key(asked);
                let expected = items.iter().rposition(|item| item.key == key);
                prop_assert_eq!(places.find(&key.scope, &key.id), expected);
            }
        }
    }
}
