//! Limits on what an agent may import.

use std::sync::Arc;

use staleness::ids::{ItemKey, Scope};
use staleness::knowledge::Item;
use staleness::store::{ItemFilter, Selection, WorkFilter};
use staleness::work::Work;
use staleness::{Registry, Wait};
use staleness_core::transfer::Record;

use crate::error::ServiceError;
use crate::knowledge::refuse_preference;
use crate::settings::Settings;
use crate::work::{act, refuse_others, refuse_typed};

/// Returns what agents are told of an item.
fn told(it: &Work) -> impl PartialEq {
    let texts = (it.text.clone(), it.steps.clone());
    (it.kind, it.status, it.expires_at, it.to.clone(), it.from.clone(), it.after.clone(), texts)
}

/// Rejects a record that would change a person's rule or preference, or a handoff between others, if an agent may be
/// importing it.
///
/// # Errors
/// If the record would change one, or the store fails.
pub fn refuse_persons(
    settings: &Settings,
    registry: &Registry,
    record: &Record,
) -> Result<(), ServiceError> {
    if !settings.may_be_agent() {
        return Ok(());
    }
    let act = act(settings, settings.agent.clone());
    let all = match record {
        Record::Work(new) => Selection::new().peek(WorkFilter::Key(new.key.clone())),
        Record::Item(new) => {
            let beside = new.supersedes.iter().map(|id| (new.key.scope.clone(), id));
            let hidden = [new.key.scope.clone(), Scope::Global].map(|scope| (scope, &new.key.id));
            let keys = beside.chain(hidden).map(|(scope, id)| ItemKey { scope, id: id.clone() });
            keys.map(ItemFilter::Key).fold(Selection::new(), Selection::peek)
        }
        _ => return Ok(()),
    };
    let known = registry.store().view(Arc::new(all)).wait()?;
    match record {
        Record::Work(new) => {
            let wins = |it: &&Work| new.updated_at > it.updated_at && told(it) != told(new);
            known.work.values().filter(wins).try_for_each(|it| {
                let is_same = it.text == new.text && it.expires_at == new.expires_at;
                refuse_typed(settings, it, is_same.then_some(new.status), &act)?;
                refuse_others(settings, registry, it, act.actor.as_ref(), it.from.as_deref())
            })
        }
        Record::Item(new) => {
            let is_changed = |it: &&Item| match it.key == new.key {
                true => it.path.is_none() && new.updated_at > it.updated_at,
                false if it.key.id == new.key.id => !known.knowledge.contains_key(&new.key),
                false => !it.superseded_by.contains(&new.key.id),
            };
            let mut changed = known.knowledge.values().filter(is_changed);
            Ok(changed.try_for_each(|it| refuse_preference(settings, registry, it, &act))?)
        }
        _ => Ok(()),
    }
}
