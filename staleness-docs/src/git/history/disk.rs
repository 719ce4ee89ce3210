//! A private commit of the files on disk.
//!
//! The commit is written to a private object folder with the repository's objects as its alternates. The
//! repository and its index are not changed.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use staleness_core::time::Timestamp;

use crate::disk::canonical;
use crate::git::objects::{Commit, Oid, Place};
use crate::git::process::{Call, GitError, Process};

/// The largest index that is copied, in bytes.
const MAX_INDEX: u64 = 512 * 1024 * 1024;
/// Maximum number of files that git may fail to read.
const MAX_UNREAD: usize = 100;
/// Author of the commit, which is never published.
const NAMES: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "staleness"),
    ("GIT_AUTHOR_EMAIL", "staleness"),
    ("GIT_COMMITTER_NAME", "staleness"),
    ("GIT_COMMITTER_EMAIL", "staleness"),
];

/// A private folder that is deleted on drop.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Self> {
        let name = RandomState::new().hash_one(std::process::id());
        let folder =
            std::path::absolute(std::env::temp_dir())?.join(format!("staleness-{name:016x}"));
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700)
            .create(&folder)?;
        #[cfg(not(unix))]
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }

    fn index(&self) -> PathBuf {
        self.0.join("index")
    }

    /// Returns the folder with the objects that the repository does not have.
    pub(super) fn objects(&self) -> PathBuf {
        self.0.join("objects")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The files on disk as a commit.
#[derive(Debug)]
pub(super) struct OnDisk {
    /// The commit with the folder that holds its objects. `None` if nothing changed.
    pub(super) commit: Option<(Commit, Scratch)>,
    /// Files that git could not read. They keep their contents from the checked-out commit.
    pub(super) unread: Vec<String>,
}

impl OnDisk {
    /// Commits the given files on disk, on top of the commit `head`, at time `at` or at that commit's time. Each path,
    /// relative to the project, must be a regular file, a symbolic link or missing.
    pub(super) fn commit(
        place: &Place,
        head: Commit,
        paths: Vec<String>,
        at: Timestamp,
    ) -> Result<Self, GitError> {
        let failed = |error: io::Error| {
            GitError::Failed(format!("cannot compare the files on disk: {}", error.kind()))
        };
        let scratch = Scratch::new().map_err(failed)?;
        prepare(place, &scratch).map_err(failed)?;
        let programs = programs(place)?;
        let call = |arguments: &[&str]| {
            let mut call = place.program.command(&place.folder);
            let settings = ["core.safecrlf=false", "core.splitIndex=false"];
            for setting in settings.into_iter().chain(programs.iter().map(String::as_str)) {
                call.command.args(["-c", setting]);
            }
            call.command.args(arguments).envs(NAMES);
            call.command.env("GIT_INDEX_FILE", scratch.index());
            call.command.env("GIT_OBJECT_DIRECTORY", scratch.objects());
            call
        };
        let rest = "--add --remove --replace --ignore-skip-worktree-entries -z --stdin";
        let update: Vec<&str> = ["update-index"].into_iter().chain(rest.split(' ')).collect();
        let mut unread = Vec::new();
        // Git stops at an unreadable file, so the others are passed again without it.
        let mut open: Vec<Arc<[String]>> = vec![paths.into()];
        while let Some(some) = open.pop() {
            let told = Arc::clone(&some);
            let taken = Process::start_told(call(&update), false, move |stdin| {
                told.iter().try_for_each(|path| {
                    stdin.write_all(path.as_bytes())?;
                    stdin.write_all(&[0])
                })
            });
            match taken.and_then(Process::finish) {
                Ok(()) => {}
                Err(why) if why.is_final() || unread.len() >= MAX_UNREAD => return Err(why),
                Err(_) if some.len() < 2 => unread.extend(some.iter().cloned()),
                Err(_) => open.extend(some.chunks(some.len().div_ceil(2)).map(Into::into)),
            }
        }
        let one = |call: Call| -> Result<Oid, GitError> {
            let answer = Process::start(call)?.all()?;
            Oid::from_hex(answer.trim_ascii()).ok_or_else(|| GitError::garbled("a malformed id"))
        };
        let tree = one(call(&["write-tree", "--missing-ok"]))?;
        let (parent, head_tree) = (head.id.to_string(), format!("{}^{{tree}}", head.id));
        if tree == one(call(&["rev-parse", "--verify", "--end-of-options", &head_tree]))? {
            return Ok(Self { commit: None, unread });
        }
        let seconds = at.max(head.at).as_millis().div_euclid(1000);
        let mut commit = call(&["commit-tree", &tree.to_string(), "-p", &parent, "-m", "disk"]);
        for name in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            commit.command.env(name, format!("@{seconds} +0000"));
        }
        let id = one(commit)?;
        let at = Timestamp::from_millis(seconds.saturating_mul(1000));
        Ok(Self { commit: Some((Commit { id, at }, scratch)), unread })
    }
}

/// Copies the index with its modification time, because git does not trust files newer than the index. Sets the
/// repository's objects as alternates.
fn prepare(place: &Place, scratch: &Scratch) -> io::Result<()> {
    let info = scratch.objects().join("info");
    fs::create_dir_all(&info)?;
    let objects = canonical(&place.common.join("objects"));
    let line = objects.to_str().filter(|path| !path.contains(['\n', '"']));
    let line = line.ok_or(io::ErrorKind::InvalidFilename)?;
    fs::write(info.join("alternates"), format!("{line}\n"))?;
    let index = place.git.join("index");
    let Ok(meta) = index.metadata() else { return Ok(()) };
    if meta.len() > MAX_INDEX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    fs::copy(&index, scratch.index())?;
    File::options().write(true).open(scratch.index())?.set_modified(meta.modified()?)
}

/// Returns settings that disable every program that git would run: filters of the files, and hooks defined in the
/// configuration (since git 2.54), which `core.hooksPath` does not cover.
fn programs(place: &Place) -> Result<Vec<String>, GitError> {
    let names = r"^(filter\..*\.(clean|process)|hook\..*\.(command|event))$";
    let asked = ["config", "-z", "--name-only", "--get-regexp", names];
    let mut settings = Vec::new();
    let listed = place.start(&asked)?.each_record(0, |record| {
        let name = std::str::from_utf8(record).ok().filter(|name| !name.contains('='));
        let plain =
            || GitError::Failed("the name of a filter or hook contains `=` or is not UTF-8".into());
        let name = name.ok_or_else(plain)?;
        let section = name.rsplit_once('.').map_or(name, |(section, _)| section);
        if section.starts_with("hook.") {
            settings.push(format!("{section}.enabled=false"));
        } else {
            settings.extend([format!("{name}="), format!("{section}.required=false")]);
        }
        Ok(std::ops::ControlFlow::Continue(()))
    });
    match listed {
        // If no such setting exists, git fails without a message.
        Err(GitError::Failed(why)) if settings.is_empty() && why == GitError::SILENT => {
            Ok(settings)
        }
        listed => listed.map(|()| settings),
    }
}
