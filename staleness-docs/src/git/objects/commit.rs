use staleness_core::time::Timestamp;

use super::database::Objects;
use super::oid::Oid;
use super::question::{Object, Sort, Wanted};
use crate::git::process::GitError;

/// A commit: its id and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Commit {
    /// The id of the commit.
    pub id: Oid,
    /// Time of the commit.
    pub at: Timestamp,
}

/// Reads the checked-out commit. `is_named` returns true if a branch or `HEAD` names a commit. It distinguishes a
/// damaged or missing commit from a repository without commits.
pub(crate) fn head(objects: &mut Objects, is_named: impl Fn() -> bool) -> Result<Commit, GitError> {
    let unread = || GitError::Failed("the commit that is checked out cannot be read".into());
    objects.one(Wanted::Head, |object| match object {
        Object::Found(id, Sort::Commit, bytes) => {
            committed_at(bytes).map(|at| Commit { id, at }).ok_or_else(unread)
        }
        Object::Missing if !is_named() => Err(GitError::NoCommits),
        _ => Err(unread()),
    })?
}

pub(crate) fn commit(objects: &mut Objects, wanted: Wanted) -> Result<Option<Commit>, GitError> {
    objects.one(wanted, |object| match object {
        Object::Found(id, Sort::Commit, bytes) => committed_at(bytes).map(|at| Commit { id, at }),
        _ => None,
    })
}

/// Returns the first two parents of a commit. `None` if it is not a merge or cannot be read.
pub(crate) fn sides(objects: &mut Objects, id: Oid) -> Result<Option<[Oid; 2]>, GitError> {
    objects.one(Wanted::Commit(id), |object| {
        let Object::Found(_, Sort::Commit, bytes) = object else { return None };
        let lines = bytes.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
        let mut parents = lines.filter_map(|line| Oid::from_hex(line.strip_prefix(b"parent ")?));
        Some([parents.next()?, parents.next()?])
    })
}

/// Returns the commit time from the text of a commit object.
pub(crate) fn committed_at(commit: &[u8]) -> Option<Timestamp> {
    let line = commit
        .split(|byte| *byte == b'\n')
        .take_while(|line| !line.is_empty())
        .find_map(|line| line.strip_prefix(b"committer "))?;
    let after = &line[line.iter().rposition(|byte| *byte == b'>')? + 1..];
    let seconds = std::str::from_utf8(after).ok()?.split_whitespace().next()?;
    Some(at_seconds(seconds.parse().ok()?))
}

/// Converts git's seconds since 1970 to a timestamp.
pub(crate) const fn at_seconds(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds.saturating_mul(1000))
}
