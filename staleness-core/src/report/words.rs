//! Serialization of report types whose JSON differs from the stored form.

use serde::ser::{SerializeMap, Serializer};

use super::DeltaSubject;
use crate::ids::{Scope, ToolKey};
use crate::journal::Action;
use crate::tool::{Hold, Presence};

/// Writes a tool's name, its scope and, for a project's tool, the project.
pub(super) fn key<S: Serializer>(key: &ToolKey, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    map.serialize_entry("name", &key.name)?;
    map.serialize_entry("scope", key.scope.word())?;
    if let Some(project) = key.scope.project() {
        map.serialize_entry("project", project)?;
    }
    map.end()
}

/// Writes a tool's name and its scope.
pub(super) fn name<S: Serializer>(key: &ToolKey, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(2))?;
    map.serialize_entry("name", &key.name)?;
    map.serialize_entry("scope", key.scope.word())?;
    map.end()
}

/// Writes a scope as `global` or `project`.
pub(super) fn scope<S: Serializer>(scope: &Scope, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(scope.word())
}

/// Writes the id and the kind of a record, and the scope of a global work item.
pub(super) fn subject<S: Serializer>(of: &DeltaSubject, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    map.serialize_entry("id", of.id())?;
    map.serialize_entry("kind", of.kind())?;
    if matches!(of, DeltaSubject::Work(_, key) if key.scope == Scope::Global) {
        map.serialize_entry("scope", Scope::Global.word())?;
    }
    map.end()
}

/// Writes an action, or `there` if there is none.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
pub(super) fn action<S: Serializer>(action: &Option<Action>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(action.map_or("there", Action::as_str))
}

/// Writes sources, as `client/level/part`, or citations as text.
pub(super) fn texts<'t, T, S>(all: &'t T, to: S) -> Result<S::Ok, S::Error>
where
    &'t T: IntoIterator<Item: ToString>,
    S: Serializer,
{
    to.collect_seq(all.into_iter().map(|each| each.to_string()))
}

/// Writes a presence with its state, `present` or `absent`.
pub(super) fn presence<S: Serializer>(presence: &Presence, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(3))?;
    map.serialize_entry("state", if presence.is_present() { "present" } else { "absent" })?;
    map.serialize_entry("cause", &presence.cause)?;
    map.serialize_entry("since", &presence.since)?;
    map.end()
}

/// Returns true if there is no hold.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
pub(super) const fn is_none(hold: &Hold) -> bool {
    matches!(hold, Hold::None)
}
