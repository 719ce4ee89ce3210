//! A spool of records that hooks could not write in time. A later process writes them to the store.
//!
//! Each entry is a file in the folder `<store>.spool`. It is renamed into place when complete, so a killed process
//! leaves no partial entry, and deleted after it was recorded. Tool uses carry an op id: if two processes record the
//! same entry, it counts once.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};
use staleness::RegistryError;
use staleness::ids::{AgentId, OpId, ProjectId, SessionId, ToolName};
use staleness::registry::Use;
use staleness::scan::ProjectRef;
use staleness::session::{Session, SessionKey};
use staleness::store::{Refusal, StoreError};
use staleness::{Registry, StoreUrl, Timestamp, Wait, clock};
use staleness_core::registry::TurnEnd;
use staleness_core::route::Prompted;
use staleness_core::session::OpenCall;
use staleness_core::work::LostClaim;

use crate::private;

/// Suffix of the folder's name.
pub(crate) const SPOOL: &str = ".spool";

/// Maximum number of waiting entries, and of rejected entries.
const MAX_ENTRIES: usize = 10_000;

/// Maximum size of an entry, in bytes.
const MAX_ENTRY_BYTES: u64 = 1 << 20;

/// A record to be written later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// A tool was used.
    Used(Box<Use>),
    /// A turn ended.
    TurnEnded(TurnEnd),
    /// Something else that happened in a session.
    Session {
        /// The project of the session.
        project: ProjectRef,
        /// The id of the session.
        session: SessionId,
        /// The time at which it happened.
        at: Timestamp,
        /// The event.
        event: SessionEvent,
    },
}

/// An event of a session. Each event but the end renews the claims of the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionEvent {
    /// A call began whose client will report only a success.
    CallBegan(OpenCall),
    /// A person was asked for permission to continue calls of this tool in this turn.
    PermissionAsked(ToolName, OpId),
    /// A prompt was sent: tools were suggested for it, or routes may learn from it.
    Prompted(Prompted),
    /// A session of this agent started.
    Started(AgentId),
    /// Another event happened.
    Renewed,
    /// The session ended.
    Ended,
}

impl Entry {
    const fn project(&self) -> &ProjectRef {
        match self {
            Self::Used(used) => &used.project,
            Self::TurnEnded(end) => &end.project,
            Self::Session { project, .. } => project,
        }
    }

    /// Writes the entry to the registry, and renews the claims of its session. Returns the claims that the session
    /// lost: see `staleness::registry::Sessions::renew_claims`.
    pub fn record(self, registry: &Registry) -> Result<Vec<LostClaim>, RegistryError> {
        let renew = |key: &SessionKey, at| registry.sessions().renew_claims(key, at).wait();
        match self {
            Self::Used(used) => registry.tools().record_quietly(*used).wait().map(|(_, lost)| lost),
            Self::TurnEnded(end) => {
                let key = SessionKey { project: end.project.id.clone(), id: end.session.clone() };
                let at = end.at;
                registry.sessions().end_turn(end).wait()?;
                renew(&key, at)
            }
            Self::Session { project, session, at, event } => {
                use SessionEvent::{CallBegan, Ended, PermissionAsked, Prompted, Renewed, Started};
                let sessions = registry.sessions();
                let key = SessionKey { project: project.id.clone(), id: session };
                if matches!(event, CallBegan(_) | Prompted(_) | Started(_)) {
                    // Rows of an unknown project are neither pruned nor forgotten.
                    registry.admin().see_project(&project, at).wait()?;
                }
                match event {
                    CallBegan(call) => sessions.begin_call(key.clone(), call).wait()?,
                    PermissionAsked(tool, turn) => {
                        sessions.ask_permission(key.clone(), tool, turn, at).wait()?;
                    }
                    Prompted(prompted) => {
                        sessions.note_prompt(key.clone(), prompted).wait()?;
                    }
                    Started(agent) => {
                        // If the session is over, another process has already recorded this entry and the session's
                        // end.
                        let is_over = |known: &Session| {
                            known.key.id == key.id && known.ended_at.is_some_and(|end| end >= at)
                        };
                        if sessions.list(&project.id).wait()?.iter().any(is_over) {
                            return Ok(Vec::new());
                        }
                        sessions.start(&project.id, &agent, &key.id, at).wait()?;
                    }
                    Renewed => {}
                    Ended => {
                        return sessions.end(&project.id, &key.id, at).wait().map(|_| Vec::new());
                    }
                }
                renew(&key, at)
            }
        }
    }
}

/// The spool of one store. Entries are recorded oldest first.
#[derive(Clone, Debug)]
pub struct Spool {
    folder: PathBuf,
}

/// Numbers of entries in a spool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Entries waiting to be recorded.
    pub entries: usize,
    /// Entries that were unreadable or rejected. They stay until a person removes them.
    pub refused: usize,
    /// Entries that were dropped because the spool was full. They are counted until a person removes the file
    /// `lost`.
    pub lost: u64,
}

impl Waiting {
    /// Returns true if no more entries fit.
    pub const fn is_full(&self) -> bool {
        self.entries >= MAX_ENTRIES
    }
}

impl Spool {
    /// Returns the spool for the store at `url`, or `None` if the store is not a file. The folder need not
    /// exist.
    pub fn of(url: &StoreUrl) -> Option<Self> {
        Some(Self { folder: private::beside(url, SPOOL)? })
    }

    /// Returns true if an entry is kept for later after this error, because the store is locked, full or damaged.
    pub const fn keeps(error: &StoreError) -> bool {
        use StoreError::{Corrupt, Full, Io};
        error.is_retryable() || matches!(error, Full | Io { .. } | Corrupt(_))
    }

    /// Returns the folder of the entries.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns true if entries wait to be recorded.
    pub fn has_entries(&self) -> bool {
        self.names().is_ok_and(|names| names.iter().any(|name| name.ends_with(ENTRY)))
    }

    /// Counts the entries.
    ///
    /// # Errors
    /// Errors of the file system; [`io::ErrorKind::PermissionDenied`] if others may access the spool, which
    /// is then not used.
    pub fn waiting(&self) -> io::Result<Waiting> {
        let names = self.names()?;
        let lost = fs::metadata(self.folder.join(LOST)).map_or(0, |lost| lost.len());
        Ok(Waiting { entries: count(&names, ENTRY), refused: count(&names, REFUSED), lost })
    }

    /// Adds an entry after all others. Once this returns, the entry survives the end of the process.
    ///
    /// # Errors
    /// Errors of the file system; [`io::ErrorKind::QuotaExceeded`] if the spool is full;
    /// [`io::ErrorKind::PermissionDenied`] if others may access it.
    pub fn add(&self, entry: &Entry) -> io::Result<()> {
        let bytes = serde_json::to_vec(entry)?;
        // Names sort by time. The counter preserves the order within one process while the clock does not advance.
        static ADDED: AtomicU32 = AtomicU32::new(0);
        let (millis, count) =
            (clock::now().as_millis().max(0), ADDED.fetch_add(1, Ordering::Relaxed));
        let name = format!("{millis:016}-{count:08}-{}", clock::fresh_op());
        let partial = self.folder.join(format!("{name}{PARTIAL}"));
        // A process that records the last entry may remove the folder in the meantime.
        for _ in 0..8 {
            self.make()?;
            let written = private::write_new(&partial, &bytes)
                .and_then(|()| fs::rename(&partial, self.folder.join(format!("{name}{ENTRY}"))));
            match written {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let _ = fs::remove_file(&partial);
                    return Err(error);
                }
                Ok(()) => return Ok(()),
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }

    /// Counts a dropped entry by appending one byte to a file. Errors are ignored.
    pub fn count_lost(&self) {
        let _ = private::check(&self.folder)
            .and_then(|()| private::append(&self.folder.join(LOST), b"."));
    }

    /// Records entries in order and deletes them, as long as `more` returns true. `more` is called before
    /// each entry. `registry_of` returns the registry with the policy of a project. Rejected entries are set
    /// aside.
    ///
    /// # Errors
    /// Errors of the store. The entry and all later ones stay in the spool.
    pub fn drain(
        &self,
        registry_of: &mut dyn FnMut(&ProjectId) -> Registry,
        more: &mut dyn FnMut() -> bool,
    ) -> Result<(), RegistryError> {
        let mut names = match self.names() {
            Ok(names) if !names.is_empty() => names,
            _ => return Ok(()),
        };
        names.sort();
        self.sweep(&names);
        let mut refused = count(&names, REFUSED);
        names.retain(|name| name.ends_with(ENTRY));
        for name in names {
            if !more() {
                return Ok(());
            }
            let path = self.folder.join(&name);
            let entry = match read(&path) {
                Ok(bytes) => serde_json::from_slice::<Entry>(&bytes).ok(),
                // Another process has recorded it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                // Stop at an unreadable entry, to keep the order.
                Err(_) => return Ok(()),
            };
            let ended = matches!(entry, Some(Entry::Session { event: SessionEvent::Ended, .. }));
            let record = |entry: Entry| {
                let registry = registry_of(&entry.project().id);
                entry.record(&registry).map(drop)
            };
            let recorded = match entry.map(record) {
                Some(Ok(())) => true,
                // The session was started by another process or has been forgotten.
                Some(Err(RegistryError::Rejected(Refusal::Unknown { .. }))) if ended => true,
                None | Some(Err(RegistryError::Rejected(_))) => false,
                Some(Err(error)) => return Err(error),
            };
            let _ = if recorded {
                fs::remove_file(&path)
            } else if refused >= MAX_ENTRIES {
                self.count_lost();
                fs::remove_file(&path)
            } else {
                refused += 1;
                fs::rename(&path, self.folder.join(format!("{name}{REFUSED}")))
            };
        }
        // Fails if the folder is not empty.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }

    /// Removes partial files that killed processes left more than a minute ago.
    fn sweep(&self, names: &[String]) {
        let before = clock::now().as_millis().max(0) - 60_000;
        let old = |name: &&String| {
            let millis = name.split('-').next().and_then(|millis| millis.parse::<i64>().ok());
            name.ends_with(PARTIAL) && millis.is_none_or(|millis| millis < before)
        };
        for name in names.iter().filter(old) {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }

    /// Returns the names of the files, or nothing if the folder does not exist. Fails if others may access
    /// it.
    fn names(&self) -> io::Result<Vec<String>> {
        private::names(&self.folder)
    }

    fn make(&self) -> io::Result<()> {
        private::make(&self.folder)?;
        if self.waiting()?.is_full() {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        Ok(())
    }
}

const ENTRY: &str = ".json";
const REFUSED: &str = ".refused";
const PARTIAL: &str = ".partial";
/// Contains one byte for each dropped entry.
const LOST: &str = "lost";

fn count(names: &[String], ending: &str) -> usize {
    names.iter().filter(|name| name.ends_with(ending)).count()
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MAX_ENTRY_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
#[path = "spool_tests.rs"]
mod tests;
