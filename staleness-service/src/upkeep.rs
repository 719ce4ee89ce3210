//! Prunes old sessions, cursors, projects, invented names and journal entries.

use std::path::Path;

use staleness::{Registry, Timestamp, Wait, clock};
use staleness_core::registry::PruneReport;

use crate::ServiceError;

/// Numbers of removed rows, or of rows that a dry run would remove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Sessions.
    pub sessions: PruneReport,
    /// Cursors: the last change reported to each agent.
    pub cursors: PruneReport,
    /// Projects. Those that stay are counted only if they are past their retention time.
    pub projects: PruneReport,
    /// Invented names: not listed by any client, and never used successfully.
    pub invented: u64,
    /// Tools that their server no longer lists, and that were never used.
    pub unlisted: u64,
    /// Journal entries. A dry run does not count entries that become removable only after sessions and projects have
    /// been pruned.
    pub entries: u64,
}

/// Removes data that is past the policy's retention times. A dry run only counts it.
///
/// # Errors
/// Errors of the store. Rows that were already removed stay removed.
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
    let (sessions, cursors) = registry.admin().prune_sessions(now, dry_run, &mut || true).wait()?;
    let (invented, unlisted) = registry.admin().prune_names(now, dry_run, &mut || true).wait()?;
    let entries = registry.admin().prune_journal(now, dry_run, &mut || true).wait()?;
    Ok(Left { sessions, cursors, projects, invented, unlisted, entries })
}

/// Returns true if a folder was certainly deleted: its closest existing ancestor is not empty. An empty ancestor may be
/// the mount point of a disk that is not mounted. Errors are not proof.
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
