//! Items with everything that speaks against them.

use staleness::registry::ScopeChoice;
use staleness::report::KnowledgeReport;

use super::item_id;
use super::world::World;
use crate::error::{ErrorKind, ServiceError};
use crate::settings::Access;

/// Every item that the project sees, in the order of ids.
///
/// # Errors
/// Errors of the store; the check was ended.
pub fn everything(world: &World<'_>) -> Result<Vec<KnowledgeReport>, ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let known = world.everything(&registry)?;
    let context = world.context();
    let mut told: Vec<KnowledgeReport> = known.iter().map(|each| each.told(&context)).collect();
    told.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.scope.cmp(b.scope)));
    Ok(told)
}

/// One item.
///
/// # Errors
/// When the id is unknown, or what the store reports.
pub fn show(
    world: &World<'_>,
    id: &str,
    scope: ScopeChoice,
) -> Result<KnowledgeReport, ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let target = world.target(&registry, &item_id(id)?, scope)?;
    // What the item depends on may live in a file, and be stale for what was found there.
    if !target.item.related.is_empty() || !target.item.superseded_by.is_empty() {
        world.report()?;
    } else {
        world.look_at_hand(&registry)?;
    }
    let told = world.told(&registry, &[target.item.key])?.pop();
    told.ok_or_else(|| ServiceError::new(ErrorKind::Unknown, "the item is gone already"))
}
