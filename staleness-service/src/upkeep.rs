//! What is let go as time passes.

use std::path::Path;

use staleness::registry::{PruneReport, SessionPruneReport};
use staleness::{BlockingRegistry, Timestamp, clock};

use crate::ServiceError;

/// Projects whose folder is looked for at the end of a session, at most.
const FEW: usize = 16;

/// Sessions, cursors and projects that went, or would go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Sessions, and up to where agents were told what changed.
    pub sessions: SessionPruneReport,
    /// Projects. Of those that stay only the ones count whose time is over.
    pub projects: PruneReport,
}

/// Removes what nobody came back to, as the policy says, or tells what it would remove.
///
/// # Errors
/// What the store reports; what was removed stays removed.
pub fn prune_left(
    registry: &BlockingRegistry,
    now: Timestamp,
    dry_run: bool,
) -> Result<Left, ServiceError> {
    prune(registry, now, dry_run, usize::MAX)
}

/// Does the same at the end of a session, where somebody waits: the next ends do the rest.
///
/// # Errors
/// As [`prune_left`].
pub fn prune_some(registry: &BlockingRegistry, now: Timestamp) -> Result<(), ServiceError> {
    prune(registry, now, false, FEW).map(drop)
}

/// Returns true if a folder is proven to be gone: the closest folder above it that is left holds something
/// else. An empty one may be the place of a disk that is not mounted.
fn is_gone(folder: &Path) -> bool {
    let holds_something =
        |above: &Path| std::fs::read_dir(above).is_ok_and(|mut entries| entries.next().is_some());
    !folder.exists()
        && folder.ancestors().skip(1).find(|above| above.exists()).is_some_and(holds_something)
}

fn prune(
    registry: &BlockingRegistry,
    now: Timestamp,
    dry_run: bool,
    at_most: usize,
) -> Result<Left, ServiceError> {
    let mut projects = PruneReport::default();
    for project in registry.projects_left(now)?.into_iter().take(at_most) {
        if is_gone(Path::new(&project.root))
            && registry.prune_project(project.id, clock::fresh_op(), now, dry_run)?
        {
            projects.removed += 1;
        } else {
            projects.kept += 1;
        }
    }
    Ok(Left { sessions: registry.prune_sessions(now, dry_run)?, projects })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trap_a_folder_on_a_disk_that_is_not_mounted_is_not_gone() {
        let disk = tempfile::tempdir().unwrap();
        let project = disk.path().join("me/project");
        assert!(!is_gone(&project), "the disk is empty");
        std::fs::create_dir(disk.path().join("others")).unwrap();
        assert!(is_gone(&project));
        std::fs::create_dir_all(&project).unwrap();
        assert!(!is_gone(&project));
    }
}
