//! The text for an agent that reads a document: its stale lines, each reported once per session, from the results
//! of the last check.
//!
//! For a store in a file, the digests of reported lines are in the folder `<store>.told`, one file per session.
//! The files are a cache: if one is unreadable, its lines count as not reported.

use std::fs;
use std::path::{Path, PathBuf};

use staleness::ids::SessionId;
use staleness::{Registry, Wait};
use staleness_core::ids::{DocumentKey, stable_hash};
use staleness_core::policy::HookPolicy;
use staleness_docs::disk::read_small;
use staleness_docs::is_checked;

use super::documents::{StaleLine, at_reading, stale_lines};
use super::judged;
use crate::ServiceError;
use crate::model_text::ModelText;
use crate::private;
use crate::settings::Settings;

/// Suffix of the folder's name.
pub(crate) const TOLD: &str = ".told";
/// Maximum number of files in the folder.
const MAX_FILES: usize = 256;
/// Maximum size of one file, in bytes. Once a file is full, nothing more is reported.
const MAX_BYTES: u64 = 64 * 1024;
/// Size of a digest in a file, in bytes.
const DIGEST_BYTES: usize = 17;

/// The lines of documents that were reported to an agent in a session.
#[derive(Clone, Debug)]
pub struct Told {
    file: PathBuf,
    /// The subagent, which has its own context.
    subagent: Option<String>,
}

impl Told {
    /// Returns the reported lines of a session; `None` for a store that is not a file.
    pub fn of(settings: &Settings, session: &SessionId) -> Option<Self> {
        let name = stable_hash(format!("{}\n{session}", settings.project.id).as_bytes());
        let file = private::beside(&settings.url, TOLD)?.join(format!("{name:032x}"));
        Some(Self { file, subagent: None })
    }

    /// Returns the lines that were reported to a subagent of the session, by its id.
    pub fn to(self, subagent: Option<&str>) -> Self {
        Self { subagent: subagent.map(str::to_owned), ..self }
    }

    /// Returns the number under which a line is recorded.
    fn digest_of(&self, line: &StaleLine) -> u64 {
        match &self.subagent {
            Some(id) => stable_hash(format!("{id}\n{:016x}", line.digest).as_bytes()) as u64,
            None => line.digest,
        }
    }

    fn read(&self) -> String {
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

/// The text about documents that an agent has just read, and the digests of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The text.
    pub text: ModelText,
    /// The digests, for [`Told::note`].
    pub digests: Vec<u64>,
}

/// Returns the text about files that an agent has read, given by paths that are absolute or relative to `cwd`;
/// `None` if nothing is new to the session. Git is not run.
///
/// # Errors
/// Errors of the store.
pub fn look(
    settings: &Settings,
    registry: &dyn Fn() -> Result<Option<Registry>, ServiceError>,
    told: &Told,
    (cwd, paths): (Option<&Path>, &[String]),
) -> Result<Option<Reading>, ServiceError> {
    let hooks = &settings.configured.policy.hooks;
    let budget = HookPolicy::share(hooks.session_start_chars as usize);
    let mut keys = paths.iter().filter(|path| hooks.tell && is_checked(path)).peekable();
    if keys.peek().is_none() {
        return Ok(None);
    }
    let known = told.read();
    // Many subagents must leave room for the main agent.
    let room = if told.subagent.is_some() { MAX_BYTES / 2 } else { MAX_BYTES };
    let Some(registry) = registry()?.filter(|_| known.len() as u64 + 1_000 < room) else {
        return Ok(None);
    };
    let mut reading = Reading::default();
    for path in keys {
        let path = crate::documents::key_of(settings, cwd, path);
        let key = DocumentKey { project: settings.project.id.clone(), path };
        let Some(document) = registry.documents().read(key).wait()? else { continue };
        let version = crate::documents::version(settings);
        let context = crate::documents::context(settings, version.as_deref());
        for loaded in judged(settings, &registry, &context, vec![document])?.0 {
            let mut lines = stale_lines(&loaded, &context);
            let is_told = |digest: u64| {
                let digest = format!("{digest:016x}\n");
                known.as_bytes().chunks(DIGEST_BYTES).any(|known| known == digest.as_bytes())
            };
            lines.retain(|line| !is_told(told.digest_of(line)));
            let left = budget.saturating_sub(reading.text.chars());
            let (text, shown) = at_reading(&loaded.document, &lines, settings.now, left);
            if shown > 0 {
                reading.text.push(text);
                reading.digests.extend(lines[..shown].iter().map(|line| told.digest_of(line)));
            }
        }
    }
    Ok(Some(reading).filter(|reading| !reading.digests.is_empty()))
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
