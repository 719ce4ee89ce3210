//! Finding a few items among all: of those in the store no more is read than finding them takes.

use std::collections::{BTreeMap, BTreeSet};

use staleness::ids::{ItemId, ItemKey, Scope};
use staleness::knowledge::{Item, ItemBrief};

use crate::items::joined;

/// Every item that a project sees, as far as finding it needs.
pub(super) struct All<'a> {
    items: Vec<Item>,
    files: &'a [Item],
    /// The rows of the store that are of items in files.
    filed: Vec<ItemKey>,
    still_there: &'a dyn Fn(Vec<Item>) -> Vec<Item>,
}

impl<'a> All<'a> {
    /// The items of the store and those of files, each once. `still_there` leaves out the rows of items
    /// whose file is gone.
    pub(super) fn new(
        rows: BTreeMap<Scope, Vec<ItemBrief>>,
        files: &'a [Item],
        still_there: &'a dyn Fn(Vec<Item>) -> Vec<Item>,
    ) -> Self {
        let in_scope = |(scope, briefs): (Scope, Vec<ItemBrief>)| {
            briefs.into_iter().map(move |brief| brief.to_find(scope.clone()))
        };
        let rows: Vec<Item> = rows.into_iter().flat_map(in_scope).collect();
        let filed = rows.iter().filter(|row| row.path.is_some()).map(|row| row.key.clone());
        let filed = filed.collect();
        let items = joined(still_there(rows), files.to_vec());
        Self { items, files, filed, still_there }
    }

    /// The items. What only their verdicts need is not in them.
    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    /// The items at these places, whole, and those that their verdicts depend on: what they are related
    /// to, and what stands for them. `read` reads rows of the store.
    ///
    /// # Errors
    /// What `read` reports.
    pub(super) fn concerned<E>(
        &self,
        places: &[usize],
        mut read: impl FnMut(&[ItemKey]) -> Result<Vec<Item>, E>,
    ) -> Result<Vec<Item>, E> {
        let found: Vec<&Item> = places.iter().map(|at| &self.items[*at]).collect();
        // What became of items in files is a matter between all of their rows.
        let keys = found.iter().map(|item| &item.key).chain(&self.filed).cloned();
        let mut rows = read(&keys.collect::<Vec<_>>())?;
        let ids: BTreeSet<&ItemId> = found.iter().map(|item| &item.key.id).collect();
        let own = rows.iter().filter(|row| row.path.is_none() && ids.contains(&row.key.id));
        let related: BTreeSet<ItemId> =
            own.chain(found.iter().copied()).flat_map(|item| &item.related).cloned().collect();
        let concerns = |item: &&Item| {
            ids.contains(&item.key.id)
                || related.contains(&item.key.id)
                || item.supersedes.iter().any(|id| ids.contains(id))
        };
        let concerned: BTreeSet<&ItemKey> =
            self.items.iter().filter(concerns).map(|item| &item.key).collect();
        let known: BTreeSet<&ItemKey> = rows.iter().map(|row| &row.key).collect();
        let more: Vec<ItemKey> =
            concerned.iter().filter(|key| !known.contains(*key)).copied().cloned().collect();
        if !more.is_empty() {
            rows.extend(read(&more)?);
            rows.sort_by(|a, b| a.key.cmp(&b.key));
        }
        let mut whole = joined((self.still_there)(rows), self.files.to_vec());
        whole.retain(|item| concerned.contains(&item.key));
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use staleness::Timestamp;
    use staleness::ids::ProjectId;
    use staleness::knowledge::{Contradiction, ItemKind};

    use super::*;
    use crate::items::without_gone;

    const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];
    /// Files; the last one is gone.
    const PATHS: [&str; 3] = ["a.md", "b.md", "gone.md"];

    fn own() -> Scope {
        Scope::Project(ProjectId::of_root("/p"))
    }

    fn ids() -> impl Strategy<Value = BTreeSet<ItemId>> {
        let id = prop::sample::select(&IDS[..]).prop_map(|id| ItemId::new(id).unwrap());
        prop::collection::btree_set(id, 0..3)
    }

    fn item(path: impl Strategy<Value = Option<&'static str>>) -> impl Strategy<Value = Item> {
        let id = prop::sample::select(&IDS[..]);
        let kind = prop::sample::select(&ItemKind::ALL[..]);
        let flags = (any::<bool>(), any::<bool>(), 0..3_i64, "[xy ]{0,3}");
        (id, kind, path, ids(), ids(), ids(), flags).prop_map(
            |(id, kind, path, supersedes, superseded_by, related, (global, done, at, body))| {
                let scope = if global && path.is_none() { Scope::Global } else { own() };
                let key = ItemKey { scope, id: ItemId::new(id).unwrap() };
                let at = Timestamp::from_millis(at);
                let said = || Contradiction { by: "n".into(), reason: "r".into(), at };
                Item {
                    path: path.map(str::to_owned),
                    supersedes,
                    superseded_by,
                    related,
                    keywords: BTreeSet::from([body.clone()]),
                    done_at: (done && kind == ItemKind::Todo).then_some(at),
                    verified_at: done.then_some(at),
                    contradicted: global.then(said),
                    recalls: 7,
                    ..Item::new(key, kind, body, at)
                }
            },
        )
    }

    fn by_key(items: Vec<Item>) -> BTreeMap<ItemKey, Item> {
        items.into_iter().map(|item| (item.key.clone(), item)).collect()
    }

    /// The items that are found and those that they depend on, of all as they are whole.
    fn of_all<'a>(all: &'a [Item], found: &[usize]) -> Vec<&'a Item> {
        let ids: BTreeSet<&ItemId> = found.iter().map(|at| &all[*at].key.id).collect();
        let related: BTreeSet<&ItemId> = found.iter().flat_map(|at| &all[*at].related).collect();
        let concerns = |item: &&Item| {
            ids.contains(&item.key.id)
                || related.contains(&item.key.id)
                || item.supersedes.iter().any(|id| ids.contains(id))
        };
        all.iter().filter(concerns).collect()
    }

    proptest! {
        #[test]
        fn a_few_of_many_are_as_they_are_among_all(
            rows in prop::collection::vec(
                item(prop::option::weighted(0.3, prop::sample::select(&PATHS[..]))), 0..9,
            ),
            files in prop::collection::vec(
                item(prop::sample::select(&PATHS[..2]).prop_map(Some)), 0..4,
            ),
            picks in prop::collection::vec(0..99_usize, 0..3),
        ) {
            let rows = by_key(rows);
            let files: Vec<Item> = by_key(files).into_values().collect();
            let still_there = |rows| without_gone(rows, &files, &|path| path != PATHS[2]);
            let mut briefs: BTreeMap<Scope, Vec<ItemBrief>> = BTreeMap::new();
            for row in rows.values() {
                briefs.entry(row.key.scope.clone()).or_default().push(row.clone().into());
            }
            let all = All::new(briefs, &files, &still_there);
            let whole = joined(still_there(rows.values().cloned().collect()), files.clone());
            let words = |item: &Item| {
                (item.key.clone(), item.kind, item.body.clone(), item.keywords.clone(), item.is_done())
            };
            prop_assert_eq!(
                all.items().iter().map(words).collect::<Vec<_>>(),
                whole.iter().map(words).collect::<Vec<_>>()
            );
            let picks: Vec<usize> =
                picks.into_iter().filter(|_| !whole.is_empty()).map(|at| at % whole.len()).collect();
            let read = |keys: &[ItemKey]| {
                let there = keys.iter().filter_map(|key| rows.get(key).cloned());
                Ok::<_, ()>(by_key(there.collect()).into_values().collect())
            };
            let concerned = all.concerned(&picks, read).unwrap();
            prop_assert_eq!(concerned.iter().collect::<Vec<_>>(), of_all(&whole, &picks));
        }
    }
}
