//! Reading configuration files, and replacing them in one step.
//!
//! The new text is written beside the file and put in its place by a rename, so nobody reads half of
//! it. Two of these programs take turns by a lock on the folder, which leaves nothing behind; against
//! everybody else the file is read again right before the rename.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::commands::save::{stays_in, turn};
use crate::error::{CliError, ErrorKind, brief, in_words};

/// The largest file that is edited, in bytes: as large as those that are read for a scan.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What is appended to a file's name for its backup.
const BACKUP: &str = ".before-staleness";

/// A file to be edited.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The path as the client knows it.
    pub path: PathBuf,
    /// Where its bytes are: what a link leads to.
    target: PathBuf,
    /// Whether a new file is for the user's eyes only.
    private: bool,
}

impl Place {
    /// Finds the file. A link is written through to what it leads to; one that leads out of `fence`,
    /// the project, is not followed: the project may be somebody else's work.
    pub(crate) fn new(path: PathBuf, fence: Option<&Path>) -> Result<Self, CliError> {
        let refused = |what: &str| CliError::invalid(format!("{}: {what}", brief(&path)));
        let target = if path.is_symlink() {
            let lost = |_| {
                refused("is a link to a file that is not there")
                    .hint("remove the link, or put the file where it leads")
            };
            path.canonicalize().map_err(lost)?
        } else {
            path.clone()
        };
        if fence.is_some_and(|fence| !stays_in(fence, &target)) {
            return Err(refused("is a link that leads out of the project")
                .hint("use --user, or remove the link"));
        }
        Ok(Self { path, target, private: fence.is_none() })
    }

    /// The text of the file; `None`: there is none.
    pub(crate) fn read(&self) -> Result<Option<String>, CliError> {
        read(&self.target).map_err(|error| trouble(&self.path, &error))
    }

    /// Where its backup is.
    pub(crate) fn backup_path(&self) -> PathBuf {
        with_suffix(&self.target)
    }

    /// The text of its backup, where that can be read.
    pub(crate) fn backup(&self) -> Option<String> {
        read(&self.backup_path()).ok().flatten()
    }
}

/// A change of one file.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// The file.
    pub place: Place,
    /// Its text when the change was made up; `None`: there was no file.
    pub before: Option<String>,
    /// The text that it gets; `None`: it goes.
    pub after: Option<String>,
    /// What becomes of the backup.
    pub backup: Backup,
}

/// What becomes of a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backup {
    /// The text before is kept in it.
    Write,
    /// It stays as it is.
    Keep,
    /// It goes.
    Remove,
}

/// How carrying out a change ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Applied {
    /// It was carried out.
    Done,
    /// Somebody else changed the file in the meantime; nothing was done.
    Overtaken,
}

impl Change {
    /// Whether there is anything to do.
    pub(crate) fn is_nothing(&self) -> bool {
        self.before == self.after
    }

    /// Carries it out.
    pub(crate) fn apply(&self) -> Result<Applied, CliError> {
        self.try_apply().map_err(|error| trouble(&self.place.path, &error))
    }

    fn try_apply(&self) -> io::Result<Applied> {
        let target = &self.place.target;
        let folder = target.parent().unwrap_or(Path::new("."));
        if self.after.is_some() {
            fs::create_dir_all(folder)?;
        }
        let _turn = turn(folder);
        if read(target)? != self.before {
            return Ok(Applied::Overtaken);
        }
        let permissions = match fs::metadata(target) {
            Ok(meta) if meta.permissions().readonly() => {
                let error = "it is read-only";
                return Err(io::Error::new(io::ErrorKind::ReadOnlyFilesystem, error));
            }
            Ok(meta) => Some(meta.permissions()),
            Err(_) => None,
        };
        if self.backup == Backup::Write
            && let Some(before) = &self.before
        {
            let backup = Replacement::new(folder, before, permissions.clone(), true)?;
            backup.put(&self.place.backup_path())?;
        }
        match &self.after {
            Some(after) => {
                let new = Replacement::new(folder, after, permissions, self.place.private)?;
                // As late as possible: others do not know of the lock.
                if read(target)? != self.before {
                    return Ok(Applied::Overtaken);
                }
                new.put(target)?;
            }
            None => {
                if read(target)? != self.before {
                    return Ok(Applied::Overtaken);
                }
                fs::remove_file(target)?;
            }
        }
        sync(folder);
        Ok(Applied::Done)
    }

    /// Removes the backup if it is to go: once every file is written, since until then the change may be
    /// taken back. Where somebody changed the file since, the backup may be theirs, and stays.
    pub(crate) fn settle(&self) -> Result<(), CliError> {
        let settled = || -> io::Result<()> {
            let target = &self.place.target;
            let _turn = turn(target.parent().unwrap_or(Path::new(".")));
            if self.backup == Backup::Remove && read(target)? == self.after {
                remove_if_there(&self.place.backup_path())?;
            }
            Ok(())
        };
        settled().map_err(|error| trouble(&self.place.backup_path(), &error))
    }

    /// The change that takes this one back.
    pub(crate) fn inverse(&self) -> Self {
        let backup = if self.backup == Backup::Write { Backup::Remove } else { Backup::Keep };
        let (before, after) = (self.after.clone(), self.before.clone());
        Self { place: self.place.clone(), before, after, backup }
    }
}

/// Removes folders that are empty, from the innermost outwards, up to `root`, which stays.
pub(crate) fn remove_empty_folders(file: &Path, root: &Path) {
    let mut folder = file.parent();
    while let Some(each) = folder.filter(|each| each.starts_with(root) && *each != root) {
        if fs::remove_dir(each).is_err() {
            return;
        }
        folder = each.parent();
    }
}

/// A text in a file that is to take another's place.
struct Replacement(tempfile::NamedTempFile);

impl Replacement {
    /// Writes the text to the disk. Without the permissions of a file before it, `private` decides.
    fn new(
        folder: &Path,
        text: &str,
        permissions: Option<Permissions>,
        private: bool,
    ) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".staleness-");
        #[cfg(unix)]
        let all = {
            use std::os::unix::fs::PermissionsExt;
            Permissions::from_mode(0o666)
        };
        // What the user's mask leaves of it.
        #[cfg(unix)]
        if !private {
            builder.permissions(all);
        }
        let _ = private;
        let mut file = builder.tempfile_in(folder)?;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        Ok(Self(file))
    }

    fn put(self, path: &Path) -> io::Result<()> {
        self.0.persist(path).map(drop).map_err(|error| error.error)
    }
}

fn sync(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> io::Result<Option<String>> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !meta.is_file() {
        let kind = if meta.is_dir() { io::ErrorKind::IsADirectory } else { io::ErrorKind::Other };
        return Err(io::Error::new(kind, "it is not a file"));
    }
    let mut text = String::new();
    // Files of the system claim to be empty, and some can be read for ever.
    File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is larger than 16 MiB"));
    }
    Ok(Some(text))
}

fn with_suffix(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(BACKUP);
    path.with_file_name(name)
}

fn trouble(path: &Path, error: &io::Error) -> CliError {
    let what = match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => error.to_string(),
        _ => in_words(error),
    };
    CliError::new(ErrorKind::Io, format!("{}: {what}", brief(path)))
        .hint("nothing was changed in it")
}
