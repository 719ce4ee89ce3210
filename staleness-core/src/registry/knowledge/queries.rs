//! Queries for items.

use std::collections::BTreeMap;

use crate::ids::{ItemId, ItemKey, ProjectId};
use crate::knowledge::Item;
use crate::registry::{Knowledge, RegistryError, ScopeChoice};
use crate::store::{ItemFilter, Selection};

use super::unknown;

impl ScopeChoice {
    /// Returns the keys that an id may mean in a project, most likely first.
    pub fn item_keys(self, project: &ProjectId, id: &ItemId) -> Vec<ItemKey> {
        self.scopes(project).map(|scope| ItemKey { scope, id: id.clone() }).collect()
    }
}

impl Knowledge<'_> {
    /// Returns the item that an id means in a project.
    ///
    /// # Errors
    /// [`crate::store::Refusal::Unknown`] if the id is unknown.
    pub async fn get(
        self,
        project: &ProjectId,
        id: &ItemId,
        scope: ScopeChoice,
    ) -> Result<Item, RegistryError> {
        let found = self.0.first(scope.item_keys(project, id)).await?;
        found.ok_or_else(|| unknown(id).into())
    }

    /// Returns the items that a project sees, by id: its own, and the global ones whose ids it does not use itself.
    pub async fn list(self, project: &ProjectId) -> Result<Vec<Item>, RegistryError> {
        // Global items come first, so a project's own item replaces one with the same id.
        let rows = self.rows(project).await?;
        let seen: BTreeMap<ItemId, Item> =
            rows.into_iter().map(|item| (item.key.id.clone(), item)).collect();
        Ok(seen.into_values().collect())
    }

    /// Returns all items of a project and all global ones, by key. Includes global items that the project's own items
    /// hide, for callers that can check whether the file of the hiding item still exists.
    pub async fn rows(self, project: &ProjectId) -> Result<Vec<Item>, RegistryError> {
        let selection = Selection::new().peek_both(project, ItemFilter::Scope);
        Ok(self.0.ask(selection).await?.knowledge.into_values().collect())
    }
}
