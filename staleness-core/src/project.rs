//! Projects: the roots in which agents work.

use serde::{Deserialize, Serialize};

use crate::ids::{ProjectId, SessionId};
use crate::journal::Revision;
use crate::time::Timestamp;

/// A project that the registry has seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// Its id, derived from the root.
    pub id: ProjectId,
    /// Its root folder.
    pub root: String,
    /// When it was first seen.
    pub first_seen_at: Timestamp,
    /// When it was last scanned, or first used.
    pub last_seen_at: Timestamp,
    /// A digest of every source visible to it at its last evaluated scan, 0 before the first: while
    /// it is unchanged, no tool of the project needs to be looked at.
    pub config_digest: u128,
    /// Up to where the project was told what changed.
    pub told: Told,
}

/// Up to which revision a project was told, and where the session told last began.
///
/// An agent that is new to a project begins at `revision`. Since each agent has a cursor of its own, nothing
/// decides by `session` and `from` any more: they are parts of the stored formats and of exports, which
/// are the same bytes from every store, and go with the next format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// Everything up to this revision was told.
    pub revision: Revision,
    /// The session that was told last.
    pub session: Option<SessionId>,
    /// As `revision`; in rows of earlier versions, the revision from which that session was told.
    pub from: Revision,
}
