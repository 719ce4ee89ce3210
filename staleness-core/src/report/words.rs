//! Words for the types of a report where JSON shows them otherwise than stores do.

use serde::ser::{SerializeMap, Serializer};

use crate::ids::{SourceId, ToolKey};
use crate::tool::Presence;

/// Writes a tool's name, its scope and, of a project's tool, the project.
pub(super) fn key<S: Serializer>(key: &ToolKey, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    map.serialize_entry("name", &key.name)?;
    map.serialize_entry("scope", key.scope.word())?;
    if let Some(project) = key.scope.project() {
        map.serialize_entry("project", project)?;
    }
    map.end()
}

/// Writes sources as `client/level/part`.
pub(super) fn sources<S: Serializer>(sources: &[SourceId], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(sources.iter().map(ToString::to_string))
}

/// Writes a presence with its state, `present` or `absent`.
pub(super) fn presence<S: Serializer>(presence: &Presence, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(3))?;
    map.serialize_entry("state", if presence.is_present() { "present" } else { "absent" })?;
    map.serialize_entry("cause", &presence.cause)?;
    map.serialize_entry("since", &presence.since)?;
    map.end()
}
