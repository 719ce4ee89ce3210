//! Verbs that only look at items.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{ItemId, ItemKey, ProjectId, Scope};
use crate::knowledge::Item;
use crate::registry::{Knowledge, RegistryError, ScopeChoice, nearest};
use crate::store::{ItemFilter, Selection};

use super::unknown;

/// Items that are read one by one, at most; more are read with all others of their scopes.
const MANY: usize = 200;

impl ScopeChoice {
    /// The keys that an id may mean in a project, most likely first.
    #[must_use]
    pub fn item_keys(self, project: &ProjectId, id: &ItemId) -> Vec<ItemKey> {
        self.scopes(project).map(|scope| ItemKey { scope, id: id.clone() }).collect()
    }
}

impl Knowledge<'_> {
    /// The item that an id means to a project.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Unknown`] for an unknown id, for which [`Knowledge::nearest`] knows the one that
    /// is most like it; else what the store reports.
    pub async fn get(
        self,
        project: &ProjectId,
        id: &ItemId,
        scope: ScopeChoice,
    ) -> Result<Item, RegistryError> {
        let found = self.0.first(scope.item_keys(project, id)).await?;
        found.ok_or_else(|| unknown(id).into())
    }

    /// Every item that a project sees, in the order of ids: its own, and the global ones but those
    /// that it has an item of the same id for.
    pub async fn list(self, project: &ProjectId) -> Result<Vec<Item>, RegistryError> {
        // Global ones come first in the order of keys.
        let rows = self.rows(project).await?;
        let seen: BTreeMap<ItemId, Item> =
            rows.into_iter().map(|item| (item.key.id.clone(), item)).collect();
        Ok(seen.into_values().collect())
    }

    /// Every item of a project and every global one, in the order of keys: those that are hidden
    /// included, for callers who know whether the file of a hiding one is still there.
    pub async fn rows(self, project: &ProjectId) -> Result<Vec<Item>, RegistryError> {
        let selection = Selection::new()
            .peek(ItemFilter::Scope(Scope::Global))
            .peek(ItemFilter::Scope(Scope::Project(project.clone())));
        Ok(self.0.ask(selection).await?.knowledge.into_values().collect())
    }

    /// Those of these items that are there, in the order of keys.
    pub async fn get_all(self, keys: &[ItemKey]) -> Result<Vec<Item>, RegistryError> {
        let keys: BTreeSet<&ItemKey> = keys.iter().collect();
        let keys: Vec<&ItemKey> = keys.into_iter().collect();
        let mut all = Vec::with_capacity(keys.len());
        for some in keys.chunks(MANY) {
            let one_by_one = some.iter().map(|key| ItemFilter::Key((*key).clone()));
            let selection = one_by_one.fold(Selection::new(), Selection::peek);
            all.extend(self.0.ask(selection).await?.knowledge.into_values());
        }
        Ok(all)
    }

    /// The id of an item that the project sees that is most like `text`, for a helpful error.
    pub async fn nearest(
        self,
        project: &ProjectId,
        text: &str,
    ) -> Result<Option<ItemId>, RegistryError> {
        Ok(nearest(text, self.list(project).await?.into_iter().map(|item| item.key.id)))
    }
}
