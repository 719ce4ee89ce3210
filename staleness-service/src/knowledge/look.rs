//! Reads items with their evidence.

use staleness::registry::ScopeChoice;
use staleness::report::KnowledgeReport;

use super::world::{Pretended, World, scoped};
use crate::error::{ErrorKind, ServiceError};
use crate::items::Known;
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
    told.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.scope.cmp(&b.scope)));
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
    Ok(known(world, id, scope)?.told(&world.context()))
}

/// Returns one item with its evidence.
///
/// # Errors
/// Errors of [`show`].
pub(crate) fn known(
    world: &World<'_>,
    id: &str,
    scope: ScopeChoice,
) -> Result<Known, ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let (id, scope) = scoped(id, scope)?;
    let target = world.target(&registry, &id, scope)?;
    // A related item may be in a file, and be stale because of findings there.
    if !target.item.related.is_empty() || !target.item.superseded_by.is_empty() {
        world.report()?;
    } else {
        world.look_at_hand(&registry)?;
    }
    let known = world.known_as(&registry, &[target.item.key], Pretended::default())?.pop();
    known.ok_or_else(|| ServiceError::new(ErrorKind::Unknown, "the item no longer exists"))
}
