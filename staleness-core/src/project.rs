//! Projects: the root folders in which agents work.

use serde::{Deserialize, Serialize};

use crate::ids::ProjectId;
use crate::journal::Revision;
use crate::time::Timestamp;

/// A project known to the registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// The project's id, derived from the root.
    pub id: ProjectId,
    /// The project's root folder.
    pub root: String,
    /// The time at which the project was first seen.
    pub first_seen_at: Timestamp,
    /// The time of the last scan, or of the first use if the project was never scanned.
    pub last_seen_at: Timestamp,
    /// A digest of all sources visible to the project at its last evaluated scan. 0 before the first. A scan with the
    /// same digest can skip the project's tools.
    pub config_digest: u128,
    /// The last revision that was reported in this project. New agents of the project start there.
    pub told: Revision,
}
