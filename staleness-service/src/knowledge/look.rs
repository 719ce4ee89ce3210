//! Reads items with their evidence.

use staleness::registry::ScopeChoice;
use staleness::report::KnowledgeReport;

use super::item_id;
use super::world::World;
use crate::error::{ErrorKind, ServiceError};
use crate::settings::Access;

/// Returns reports on all items that the project sees, sorted by id.
///
/// # Errors
/// If the store fails, or the check is cancelled.
pub fn everything(world: &World<'_>) -> Result<Vec<KnowledgeReport>, ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let known = world.everything(&registry)?;
    let context = world.context();
    let mut told: Vec<KnowledgeReport> = known.iter().map(|each| each.told(&context)).collect();
    told.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.scope.cmp(b.scope)));
    Ok(told)
}

/// Returns the report on one item.
///
/// # Errors
/// If the id is unknown, or the store fails.
pub fn show(
    world: &World<'_>,
    id: &str,
    scope: ScopeChoice,
) -> Result<KnowledgeReport, ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let target = world.target(&registry, &item_id(id)?, scope)?;
    // A related item may live in a file, and be stale because of what was found there.
    if !target.item.related.is_empty() || !target.item.superseded_by.is_empty() {
        world.report()?;
    } else {
        world.look_at_hand(&registry)?;
    }
    let told = world.told(&registry, &[target.item.key])?.pop();
    told.ok_or_else(|| ServiceError::new(ErrorKind::Unknown, "the item no longer exists"))
}
