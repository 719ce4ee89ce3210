//! Finding the repository of a project.

use std::path::Path;

use staleness_core::time::Timestamp;

use super::objects::{Object, Objects, Sort, Wanted};
use super::process::Process;
use super::{Commit, GitError, Limits, Oid, Program};

/// The longest list of the commits at which a history ends, in bytes.
const MAX_BOUNDARY: u64 = 1024 * 1024;

/// A project inside a repository, as its checked-out commit and the commits before it hold it. Its
/// files on disk are not looked at.
#[derive(Debug)]
pub struct Repo {
    pub(crate) place: Place,
    pub(crate) limits: Limits,
    pub(crate) head: Commit,
    pub(crate) objects: Objects,
    pub(crate) past: Option<super::past::Past>,
    /// The list of changes, while git makes it and nobody has read it.
    pub(crate) listing: Option<Process>,
    pub(crate) trees: super::tree::Trees,
    pub(crate) searched: Option<super::words::Searched>,
    pub(crate) moved: super::moved::Moved,
    /// The earlier names of the documents that were dated, as in [`super::follow::Trail::names`].
    pub(crate) names: std::collections::HashMap<String, Vec<(u32, String)>>,
    pub(crate) cut: bool,
    /// How many bytes of files in earlier commits may still be searched.
    pub(crate) left: u64,
    /// How much of cited files may still be compared.
    pub(crate) room: super::version::Room,
    shallow: bool,
}

/// How to ask git about the project.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) program: Program,
    /// The project's folder.
    pub(crate) folder: std::path::PathBuf,
    /// The project's path within the repository: empty, or ending in `/`.
    pub(crate) prefix: String,
}

impl Place {
    /// The project's path within the repository as a path of git's: without the `/` at its end.
    pub(crate) fn within(&self) -> &str {
        self.prefix.strip_suffix('/').unwrap_or(&self.prefix)
    }

    /// Starts git with these arguments, which are fixed or ids.
    pub(crate) fn start(&self, arguments: &[&str]) -> Result<Process, GitError> {
        let mut command = self.program.command(&self.folder);
        command.args(arguments);
        Process::start(command)
    }

    /// Starts git with these arguments, to be asked through its standard input.
    pub(crate) fn start_asked(&self, arguments: &[&str]) -> Result<Process, GitError> {
        let mut command = self.program.command(&self.folder);
        command.args(arguments);
        Process::start_asked(command)
    }

    /// The path of a file of the project, relative to the project; `None` for other files.
    pub(crate) fn own<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        path.strip_prefix(self.prefix.as_bytes())
    }
}

impl Repo {
    /// Opens the repository that the project's folder lies in. The folder may be the root of the
    /// work tree or any folder below, of a linked work tree or a submodule as well.
    ///
    /// # Errors
    /// Why there is no history to ask.
    pub fn open(program: &Program, root: &Path, limits: Limits) -> Result<Self, GitError> {
        if !root.is_dir() {
            return Err(GitError::NoRepository);
        }
        super::regular::check(root)?;
        let mut place =
            Place { program: program.clone(), folder: root.to_path_buf(), prefix: String::new() };
        let answer = place
            .start(&[
                "rev-parse",
                "--is-inside-work-tree",
                "--is-shallow-repository",
                "--show-prefix",
                "--absolute-git-dir",
            ])?
            .all()?;
        let answer = String::from_utf8(answer).map_err(|_| GitError::garbled("a path"))?;
        let mut lines = answer.splitn(4, '\n');
        let (inside, shallow) = (lines.next() == Some("true"), lines.next() == Some("true"));
        if !inside {
            return Err(GitError::NoRepository);
        }
        let (Some(prefix), Some(git)) = (lines.next(), lines.next()) else {
            return Err(GitError::garbled("a path"));
        };
        super::regular::holds(root, prefix, Path::new(git.strip_suffix('\n').unwrap_or(git)))?;
        prefix.clone_into(&mut place.prefix);
        let mut objects =
            Objects::new(place.program.clone(), place.folder.clone(), limits.object_bytes);
        let head = head(&mut objects)?;
        objects.unread = super::Unread::default();
        let trees = super::tree::Trees::default();
        let moved = super::moved::Moved::default();
        let names = std::collections::HashMap::new();
        let (past, listing, searched, cut) = (None, None, None, false);
        Ok(Self {
            place,
            limits,
            head,
            objects,
            past,
            listing,
            trees,
            searched,
            moved,
            names,
            cut,
            left: limits.searched_bytes,
            room: super::version::Room::of(limits.compared_bytes),
            shallow,
        })
    }

    /// The commit that is checked out.
    #[must_use]
    pub const fn head(&self) -> Commit {
        self.head
    }

    /// Returns true if the repository holds only the latest part of its history.
    #[must_use]
    pub const fn is_shallow(&self) -> bool {
        self.shallow
    }

    /// A hash of the commits at which a shallow history ends; 0 for a history that is whole.
    #[must_use]
    pub fn boundary(&self) -> u128 {
        if !self.shallow {
            return 0;
        }
        let read = || {
            let path =
                self.place.start(&["rev-parse", "--git-path", "shallow"]).ok()?.all().ok()?;
            let path = String::from_utf8(path).ok()?;
            let path = self.place.folder.join(path.strip_suffix('\n')?);
            crate::text::read_small(&path, MAX_BOUNDARY)
        };
        staleness_core::ids::stable_hash(read().unwrap_or_default().as_bytes()).max(1)
    }

    /// What could not be looked at so far.
    #[must_use]
    pub const fn unread(&self) -> super::Unread {
        self.objects.unread
    }

    /// Returns true if something was left out so far because there is too much of it, or because it is too
    /// deep. Nothing is said to be missing then that may be there.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut || self.place.program.watchdog().is_cut()
    }

    /// A commit by its full id, such as one that was recorded earlier; `None` when the repository
    /// does not hold it.
    ///
    /// # Errors
    /// When git fails.
    pub fn commit(&mut self, id: Oid) -> Result<Option<Commit>, GitError> {
        commit(&mut self.objects, Wanted::Commit(id))
    }
}

/// Reads the commit that is checked out. One that is damaged is not the same as none.
fn head(objects: &mut Objects) -> Result<Commit, GitError> {
    let unread = || GitError::Failed("the commit that is checked out cannot be read".into());
    objects.one(Wanted::Head, |object| match object {
        Object::Found(id, Sort::Commit, bytes) => {
            committed_at(bytes).map(|at| Commit { id, at }).ok_or_else(unread)
        }
        Object::Missing => Err(GitError::NoCommits),
        _ => Err(unread()),
    })?
}

/// Reads a commit.
fn commit(objects: &mut Objects, wanted: Wanted) -> Result<Option<Commit>, GitError> {
    objects.one(wanted, |object| match object {
        Object::Found(id, Sort::Commit, bytes) => committed_at(bytes).map(|at| Commit { id, at }),
        _ => None,
    })
}

/// The time at which a commit was made, from its text.
pub(super) fn committed_at(commit: &[u8]) -> Option<Timestamp> {
    let line = commit
        .split(|byte| *byte == b'\n')
        .take_while(|line| !line.is_empty())
        .find_map(|line| line.strip_prefix(b"committer "))?;
    let after = &line[line.iter().rposition(|byte| *byte == b'>')? + 1..];
    let seconds = std::str::from_utf8(after).ok()?.split_whitespace().next()?;
    Some(at_seconds(seconds.parse().ok()?))
}

/// A moment from the seconds that git counts.
pub(crate) const fn at_seconds(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds.saturating_mul(1000))
}
