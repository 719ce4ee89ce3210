//! Reads configuration files and replaces them atomically.
//!
//! The new text is written to a temporary file, which is then renamed, so that no program reads a partial file. A lock
//! on the folder serialises several instances of this program. Other programs do not use the lock, so the file is read
//! again right before the rename.
//!
//! The name of a backup contains a digest of its text, which shows that this program wrote it. Any other file is
//! neither overwritten nor removed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use staleness_core::ids::stable_hash;

use super::client::Level;
use crate::error::{CliError, ErrorKind, brief, in_words};
use staleness_service::save::{Prepared, Turn, remove_if_there, stays_in};

/// Maximum size of a file to edit, in bytes. The same limit applies to files that a scan reads.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Suffix of the backups made by `init`, before the digest.
const BACKUP: &str = ".before-staleness-";

/// Suffix of the backups made when a server is disabled. `init` and `uninstall` do not touch them.
const BACKUP_OF_SWITCH: &str = ".before-switch-off-";

/// A file to be edited.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The path used by the client.
    pub path: PathBuf,
    /// The path of the file itself, after following links.
    target: PathBuf,
    /// True if a new file must be accessible only to the user.
    private: bool,
    /// The suffix of a backup's name, before the digest.
    backup: &'static str,
}

impl Place {
    /// Resolves a file, following a link. A link out of `fence`, the project, is rejected, because the project may come
    /// from another person.
    pub(crate) fn new(path: PathBuf, fence: Option<&Path>) -> Result<Self, CliError> {
        let refused = |what: &str| CliError::invalid(format!("{} {what}", brief(&path)));
        let target = if path.is_symlink() {
            let lost =
                |_| refused("is a broken link").hint("remove the link, or create its target");
            path.canonicalize().map_err(lost)?
        } else {
            path.clone()
        };
        if fence.is_some_and(|fence| !stays_in(fence, &target)) {
            return Err(refused("is a link that points outside the project")
                .hint("use --user, or remove the link"));
        }
        Ok(Self { path, target, private: fence.is_none(), backup: BACKUP })
    }

    /// Resolves a file in which a server will be disabled. A link that leads out of `root`, the folder of the user or
    /// of the project, is rejected.
    pub(crate) fn to_switch(path: PathBuf, root: &Path, level: Level) -> Result<Self, CliError> {
        let place = Self::new(path, (level == Level::Project).then_some(root))?;
        if !stays_in(root, &place.target) {
            let message =
                format!("{} is a link that points outside your folder", brief(&place.path));
            return Err(CliError::invalid(message).hint("edit its target by hand"));
        }
        Ok(Self { backup: BACKUP_OF_SWITCH, ..place })
    }

    /// Returns the text of the file, or `None` if it does not exist.
    pub(crate) fn read(&self) -> Result<Option<String>, CliError> {
        read(&self.target).map_err(|error| trouble(&self.path, &error))
    }

    /// Returns the newest unmodified backup.
    pub(crate) fn backup(&self) -> Option<Kept> {
        self.backups().pop()
    }

    /// Returns the unmodified backups, oldest first. There may be several if an `init` was killed.
    fn backups(&self) -> Vec<Kept> {
        let Some(prefix) = self.target.file_name().map(|name| join(name.into(), self.backup))
        else {
            return Vec::new();
        };
        let entries = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        let named = entries.filter(|entry| {
            let (name, prefix) = (entry.file_name(), prefix.as_encoded_bytes());
            name.as_encoded_bytes().starts_with(prefix)
        });
        let mut found: Vec<_> = named
            .filter_map(|entry| {
                let (path, meta) = (entry.path(), entry.metadata().ok()?);
                let text = meta.is_file().then(|| read(&path).ok().flatten())??;
                let ours = self.backup_of(&text).file_name() == path.file_name();
                ours.then(|| (meta.modified().ok(), Kept { path, text }))
            })
            .collect();
        found.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.path.cmp(&y.path)));
        found.into_iter().map(|(_, kept)| kept).collect()
    }

    /// Returns the path for a backup of this text.
    fn backup_of(&self, text: &str) -> PathBuf {
        let name = join(self.target.clone().into(), self.backup);
        join(name, &format!("{:032x}", stable_hash(text.as_bytes()))).into()
    }

    fn folder(&self) -> &Path {
        self.target.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
    }

    /// Removes temporary files that a killed `init` left for this file.
    pub(crate) fn sweep(&self) -> Result<(), CliError> {
        let swept = || {
            let turn = Turn::new(self.folder())?;
            turn.sweep(&self.target)
        };
        swept().map_err(|error| trouble(&self.path, &error))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub path: PathBuf,
    pub text: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub place: Place,
    /// The text when the change was planned, or `None` if the file did not exist.
    pub before: Option<String>,
    /// The new text, or `None` to delete the file.
    pub after: Option<String>,
    pub backup: Backup,
}

/// The action on a file's backups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backup {
    /// Back up the old text.
    Write,
    /// Leave the backups as they are.
    Keep,
    Remove,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Applied {
    Done,
    /// Another program has changed the file, so nothing was done.
    Overtaken,
}

impl Change {
    pub(crate) fn is_nothing(&self) -> bool {
        self.before == self.after
    }

    pub(crate) fn apply(&self) -> Result<Applied, CliError> {
        self.try_apply().map_err(|error| trouble(&self.place.path, &error))
    }

    fn try_apply(&self) -> io::Result<Applied> {
        let target = &self.place.target;
        let folder = self.place.folder();
        if self.after.is_some() {
            fs::create_dir_all(folder)?;
        }
        let turn = Turn::new(folder)?;
        if read(target)? != self.before {
            return Ok(Applied::Overtaken);
        }
        if fs::metadata(target).is_ok_and(|meta| meta.permissions().readonly()) {
            let error = "it is read-only";
            return Err(io::Error::new(io::ErrorKind::ReadOnlyFilesystem, error));
        }
        let made = match (&self.before, self.backup_path()) {
            (Some(before), Some(backup)) => self.back_up(&turn, before, backup)?,
            _ => None,
        };
        let replaced = self.replace(&turn);
        if !matches!(replaced, Ok(Applied::Done))
            && let Some(made) = made
        {
            let _ = fs::remove_file(made);
        }
        sync(folder);
        replaced
    }

    /// Returns the path of the backup to write, if any.
    pub(crate) fn backup_path(&self) -> Option<PathBuf> {
        let before = self.before.as_deref().filter(|_| self.backup == Backup::Write);
        before.map(|before| self.place.backup_of(before))
    }

    /// Backs up the old text. Returns the path, or `None` if such a backup already existed.
    fn back_up(&self, turn: &Turn, before: &str, to: PathBuf) -> io::Result<Option<PathBuf>> {
        if read(&to).ok().flatten().as_deref() == Some(before) {
            return Ok(None);
        }
        Prepared::new(turn, &to, before.as_bytes(), &self.place.target, true)?.put_new()?;
        Ok(Some(to))
    }

    fn replace(&self, turn: &Turn) -> io::Result<Applied> {
        let target = &self.place.target;
        let new = match &self.after {
            Some(after) => {
                let private = self.place.private;
                Some(Prepared::new(turn, target, after.as_bytes(), target, private)?)
            }
            None => None,
        };
        // Check as late as possible, because other programs do not use the lock.
        if read(target)? != self.before {
            return Ok(Applied::Overtaken);
        }
        match new {
            Some(new) => new.put()?,
            None => fs::remove_file(target)?,
        }
        Ok(Applied::Done)
    }

    /// Removes old backups after all files are written, because until then the change may be undone. If the file has
    /// been modified since then, the backups stay.
    pub(crate) fn settle(&self) -> Result<(), CliError> {
        if self.backup == Backup::Keep {
            return Ok(());
        }
        let settled = || -> io::Result<()> {
            let _turn = Turn::new(self.place.folder())?;
            if read(&self.place.target)? != self.after {
                return Ok(());
            }
            let current = self.backup_path();
            let old = self.place.backups();
            old.iter()
                .filter(|kept| Some(&kept.path) != current.as_ref())
                .try_for_each(|kept| remove_if_there(&kept.path))
        };
        settled().map_err(|error| trouble(&self.place.path, &error))
    }

    pub(crate) fn inverse(&self) -> Self {
        let backup = if self.backup == Backup::Write { Backup::Remove } else { Backup::Keep };
        let (before, after) = (self.after.clone(), self.before.clone());
        Self { place: self.place.clone(), before, after, backup }
    }
}

/// Removes empty folders from the file's folder upwards, excluding `root`.
pub(crate) fn remove_empty_folders(file: &Path, root: &Path) {
    let mut folder = file.parent();
    while let Some(each) = folder.filter(|each| each.starts_with(root) && *each != root) {
        if fs::remove_dir(each).is_err() {
            return;
        }
        folder = each.parent();
    }
}

fn sync(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
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
    // Some system files report a length of zero, or have no end.
    File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is larger than 16 MiB"));
    }
    Ok(Some(text))
}

fn join(mut name: OsString, end: &str) -> OsString {
    name.push(end);
    name
}

fn trouble(path: &Path, error: &io::Error) -> CliError {
    let what = match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => error.to_string(),
        _ => in_words(error),
    };
    CliError::new(ErrorKind::Io, format!("{}: {what}", brief(path))).hint("it was not changed")
}
