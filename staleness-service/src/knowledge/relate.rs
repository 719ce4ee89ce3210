//! Supersedes, contradicts and removes items.

use staleness::knowledge::{Item, ItemKind};
use staleness::registry::{Act, ItemPatch, ScopeChoice};
use staleness::report::KnowledgeReport;
use staleness::{Registry, Wait};
use staleness_core::journal::{Action, JournalEntry, Subject};

use super::filed;
use super::world::{Pretended, Target, World};
use crate::error::{ErrorKind, ServiceError, quoted};
use crate::settings::{Access, Settings};
use crate::words;
use crate::work::{nobody, refuse_other_name};

/// Records that one item supersedes another, and returns the reports on both, the old one first.
///
/// # Errors
/// If an id is unknown, an agent supersedes a person's preference, a file cannot be changed, or the store rejects the
/// change. In all these cases nothing is changed.
pub fn supersede(
    world: &World<'_>,
    old: &str,
    by: &str,
    scope: ScopeChoice,
) -> Result<Vec<KnowledgeReport>, ServiceError> {
    let settings = world.settings;
    let registry = settings.open(Access::Look)?;
    let old = world.target(&registry, &words::id("id", old)?, scope)?;
    let new = world.target(&registry, &words::id("id", by)?, scope)?;
    let keys = [old.item.key.clone(), new.item.key.clone()];
    // An item in a file names the items that it supersedes in that file, so the line can be removed to undo this.
    let mut supersedes = new.item.supersedes.clone();
    supersedes.insert(old.item.key.id.clone());
    let patch = ItemPatch { supersedes: Some(supersedes), ..ItemPatch::default() };
    let files: Vec<Target> = [&new].into_iter().filter(|new| new.filed).cloned().collect();
    let edits = filed::edits(settings, &files, &patch)?;
    let is_filed = old.filed || new.filed;
    let files = files.iter().map(|file| patch.applied_to(&file.item)).collect();
    let superseded = old.item.clone();
    let act = world.act(&[old, new], None);
    refuse_preference(world.settings, &registry, &superseded, &act)?;
    let write = |registry: &Registry| {
        registry.knowledge().supersede(keys[0].clone(), keys[1].clone(), act.clone()).wait()
    };
    // Tries the store first, so that a rejected change edits no file. Saves the file before the real write.
    let (old, new) = write(&world.to_try()?)?;
    let registry = world.to_act()?;
    if world.dry_run {
        let pretended = Pretended { rows: vec![old, new], files };
        return world.told_as(&registry, &keys, pretended);
    }
    edits.iter().try_for_each(filed::Edit::save)?;
    write(&registry)?;
    world.seen(&registry)?;
    let fresh = world.anew();
    if is_filed {
        fresh.report()?;
    }
    fresh.told(&registry, &keys)
}

/// Records that an item is wrong, with the author and the reason.
///
/// # Errors
/// If the id is unknown, an agent acts in another name or on a person's preference, or the store rejects the change.
pub fn contradict(
    world: &World<'_>,
    id: &str,
    by: &str,
    reason: &str,
    scope: ScopeChoice,
) -> Result<Option<KnowledgeReport>, ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let target = world.target(&registry, &words::id("id", id)?, scope)?;
    let (key, item) = (target.item.key.clone(), target.item.clone());
    let act = world.act(&[target], None);
    refuse_other_name(world.settings, &act, by)?;
    refuse_preference(world.settings, &registry, &item, &act)?;
    let (by, reason) = (by.trim().to_owned(), reason.trim().to_owned());
    let registry = world.to_act()?;
    let rows = vec![registry.knowledge().contradict(key.clone(), by, reason, act).wait()?];
    world.seen(&registry)?;
    let pretended = Pretended { rows, files: Vec::new() };
    Ok(world.told_as(&registry, &[key], pretended)?.pop())
}

/// Removes an item from the store if `sure` is true. Returns its last report.
///
/// # Errors
/// If the id is unknown, the item is stored in a file, an agent removes what a person added, `sure` is false, or the
/// store rejects the removal.
pub fn remove(
    world: &World<'_>,
    id: &str,
    sure: bool,
    scope: ScopeChoice,
) -> Result<Option<KnowledgeReport>, ServiceError> {
    let registry = world.settings.open(Access::Look)?;
    let target = world.target_or_row(&registry, &words::id("id", id)?, scope)?;
    if target.filed {
        let path = target.item.path.as_deref().unwrap_or_default();
        let message = format!("{} is stored in {path}", quoted(id));
        return Err(ServiceError::new(ErrorKind::Invalid, message).hint("delete the file"));
    }
    if !sure && !world.dry_run {
        let message = format!("this permanently deletes {} and its text", quoted(id));
        return Err(ServiceError::invalid(message).hint("add --yes to confirm"));
    }
    let (key, act) = (target.item.key.clone(), world.act(&[], None));
    refuse_persons(world.settings, &registry, &target.item, &act)?;
    let told = world.told(&registry, std::slice::from_ref(&key))?.pop();
    let registry = world.to_act()?;
    registry.knowledge().remove(key, act).wait()?;
    Ok(told)
}

/// Rejects an agent's change to a preference, unless an agent added it.
///
/// # Errors
/// If an agent acts, or may be acting without its name; or if the store fails.
pub(super) fn refuse_preference(
    settings: &Settings,
    registry: &Registry,
    item: &Item,
    act: &Act,
) -> Result<(), ServiceError> {
    match item.kind {
        ItemKind::Preference => refuse_persons(settings, registry, item, act),
        _ => Ok(()),
    }
}

/// Rejects an agent's change to an item, unless an agent added it.
pub(super) fn refuse_persons(
    settings: &Settings,
    registry: &Registry,
    item: &Item,
    act: &Act,
) -> Result<(), ServiceError> {
    if act.actor.is_none() && !settings.may_run_for_agent() {
        return Ok(());
    }
    let entries = registry.admin().journal_of(Subject::item(&item.key), u32::MAX).wait()?;
    let added = entries.iter().rposition(|entry| entry.action == Action::Added);
    let is_edit = |entry: &&JournalEntry| [Action::Added, Action::Edited].contains(&entry.action);
    let mut edits = entries[added.unwrap_or(0)..].iter().filter(is_edit);
    match &act.actor {
        _ if added.is_some() && edits.all(|entry| entry.actor.is_some()) => Ok(()),
        None => Err(nobody().hint("a person must run this in a terminal outside the client")),
        Some(_) => {
            let id = item.key.id.as_str();
            let how = match &item.path {
                Some(path) => format!("change it, in {}", quoted(path)),
                None if item.kind == ItemKind::Preference => {
                    format!("change it, as with `staleness knowledge set {id} --body TEXT`")
                }
                None => "remove it or change its kind".into(),
            };
            let message = format!(
                "there is no record that an agent wrote {}, so only a person can {how}",
                quoted(id)
            );
            Err(ServiceError::invalid(message).hint("ask the user whether it is still valid"))
        }
    }
}
