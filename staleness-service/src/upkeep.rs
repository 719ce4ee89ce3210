//! Pruning of old sessions, cursors, projects, invented names and journal entries.

use std::path::Path;

use staleness::{Registry, Timestamp, Wait, clock};
use staleness_core::registry::{PruneReport, SessionPruneReport};

use crate::ServiceError;

/// Sessions, cursors, projects, invented names and journal entries that went, or would go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Sessions, and up to where agents were told what changed.
    pub sessions: SessionPruneReport,
    /// Projects. Of those that stay only the ones count whose time is over.
    pub projects: PruneReport,
    /// Names that no client lists and that never worked.
    pub invented: u64,
    /// Journal entries. A dry run counts none that only the pruning of sessions and projects lets go.
    pub entries: u64,
}

/// Removes what nobody came back to, as the policy says, or tells what it would remove.
///
/// # Errors
/// Errors of the store; rows that were removed stay removed.
pub fn prune_left(
    registry: &Registry,
    now: Timestamp,
    dry_run: bool,
) -> Result<Left, ServiceError> {
    let mut projects = PruneReport::default();
    for project in registry.admin().projects_left(now).wait()? {
        if is_gone(Path::new(&project.root))
            && registry.admin().prune_project(project.id, clock::fresh_op(), now, dry_run).wait()?
        {
            projects.removed += 1;
        } else {
            projects.kept += 1;
        }
    }
    let sessions = registry.admin().prune_sessions(now, dry_run).wait()?;
    let invented = registry.admin().prune_invented(now, dry_run).wait()?;
    let entries = registry.admin().prune_journal(now, dry_run, &mut || true).wait()?;
    Ok(Left { sessions, projects, invented, entries })
}

/// Returns true if a folder is proven to be gone: the closest folder above it that is left holds something
/// else. An empty one may be the place of a disk that is not mounted, and an error proves nothing.
fn is_gone(folder: &Path) -> bool {
    for above in folder.ancestors() {
        match above.try_exists() {
            Ok(false) => {}
            Ok(true) if above == folder => return false,
            Ok(true) => {
                return std::fs::read_dir(above).is_ok_and(|mut entries| entries.next().is_some());
            }
            Err(_) => return false,
        }
    }
    false
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
