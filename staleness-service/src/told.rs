//! The lines that were reported to an agent, so that each is reported once per session.
//!
//! For a store in a file, their digests are in the folder `<store>.told`, one file per session, and one for each notice
//! on `agents.lock`. The files are a cache: if one is unreadable, its lines count as not reported.

use std::fs;
use std::path::PathBuf;

use staleness_core::ids::stable_hash;
use staleness_docs::disk::read_small;

use crate::private;
use crate::settings::Settings;

/// Suffix of the folder's name.
pub(crate) const TOLD: &str = ".told";
/// Maximum number of files in the folder.
const MAX_FILES: usize = 256;
/// Maximum size of one file, in bytes. Once a file is full, nothing more is reported.
pub(crate) const MAX_BYTES: u64 = 64 * 1024;
/// Size of a digest in a file, in bytes.
const DIGEST_BYTES: usize = 17;

/// The lines of documents that were reported to an agent in a session.
#[derive(Clone, Debug)]
pub struct Told {
    file: PathBuf,
    /// The subagent, which has its own context. `None` for the main agent.
    subagent: Option<String>,
}

impl Told {
    /// Returns the reported lines of a session, or of another key, such as that of a notice; `None` for a store that is
    /// not a file.
    pub fn of(settings: &Settings, session: &str) -> Option<Self> {
        let name = stable_hash(format!("{}\n{session}", settings.project.id).as_bytes());
        let file = private::beside(&settings.url, TOLD)?.join(format!("{name:032x}"));
        Some(Self { file, subagent: None })
    }

    /// Returns the lines that were reported to a subagent of the session, by its id; `None` stands for the main agent.
    pub fn to(self, subagent: Option<&str>) -> Self {
        Self { subagent: subagent.map(str::to_owned), ..self }
    }

    pub(crate) const fn is_to_subagent(&self) -> bool {
        self.subagent.is_some()
    }

    /// Returns the number under which the line with this digest is recorded.
    pub(crate) fn number(&self, digest: u64) -> u64 {
        match &self.subagent {
            Some(id) => stable_hash(format!("{id}\n{digest:016x}").as_bytes()) as u64,
            None => digest,
        }
    }

    /// Returns true if the line with this digest is in `known`, the result of [`Self::read`].
    pub(crate) fn is_in(&self, known: &str, digest: u64) -> bool {
        let number = format!("{:016x}\n", self.number(digest));
        known.as_bytes().chunks(DIGEST_BYTES).any(|known| known == number.as_bytes())
    }

    /// Returns the reported lines, for [`Self::is_in`].
    pub(crate) fn read(&self) -> String {
        let folder = self.file.parent().unwrap_or(&self.file);
        let text = private::check(folder).ok().and_then(|()| read_small(&self.file, MAX_BYTES));
        text.unwrap_or_default()
    }

    /// Records reported lines.
    ///
    /// # Errors
    /// Errors of the file system. These lines may be reported again.
    pub fn note(&self, digests: &[u64]) -> std::io::Result<()> {
        let folder = self.file.parent().unwrap_or(&self.file);
        private::make(folder)?;
        let names = private::names(folder)?;
        if names.len() >= MAX_FILES && !self.file.exists() {
            names.iter().try_for_each(|name| fs::remove_file(folder.join(name)))?;
        }
        let lines: String = digests.iter().map(|digest| format!("{digest:016x}\n")).collect();
        private::append(&self.file, lines.as_bytes())
    }

    /// Forgets the reported lines of a session when it ends or loses its context.
    pub fn forget(&self) {
        let _ = fs::remove_file(&self.file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_lines_are_the_owners_alone_and_bounded_in_sessions() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("registry.db.told");
        let told = |at: usize| Told { file: folder.join(format!("{at:032x}")), subagent: None };
        told(0).note(&[1, 2]).unwrap();
        told(0).note(&[3]).unwrap();
        assert_eq!(told(0).read(), "0000000000000001\n0000000000000002\n0000000000000003\n");
        (1..=MAX_FILES).for_each(|at| told(at).note(&[1]).unwrap());
        assert_eq!(private::names(&folder).unwrap().len(), 1);
        told(MAX_FILES).forget();
        assert_eq!(told(MAX_FILES).read(), "");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            told(0).note(&[1]).unwrap();
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
            assert_eq!(told(0).read(), "", "a folder that others may write to is not used");
            assert!(told(0).note(&[2]).is_err());
        }
    }
}
