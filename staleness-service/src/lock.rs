//! `agents.lock`: digests of the content that a project's own files give to agents, and the changes since the lock was
//! written.

mod notice;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;

use serde::Serialize;
use staleness::ids::Scope;
use staleness::tool::PresenceCause;
use staleness::{Registry, Wait};
use staleness_core::definition::{ChangeClass, DefinitionVersion};
use staleness_core::wording;
use staleness_sources::clients::Declarations;

use crate::error::{ErrorKind, ServiceError, in_words};
use crate::escape;
use crate::scan;
use crate::settings::Settings;

pub use notice::{Notice, notice};

/// The name of the file, in the root of a project.
pub const FILE: &str = "agents.lock";
/// Maximum size of the file in bytes, and maximum number of entries.
const MAX_BYTES: u64 = 4 << 20;
const MAX_ENTRIES: usize = 20_000;
/// The longest line, in bytes.
const MAX_LINE: usize = 4_096;
/// The header lines. The last one contains the version.
const HEAD: &str = "\
# Digests of what this project's files give to AI agents. `staleness lock` writes this file,
# `staleness check --locked` compares it. Review its changes like code.
# A line has a kind, a name and a SHA-256. It changes with what its file gives; the change is in the diff
# of that file. A tool is defined by its server: `staleness tools diff NAME` shows its change.
version 2
";
const TOOL: &str = "tool";
const INSTRUCTION: &str = "instruction";
const SERVER: &str = "server";
/// The kind of an entry for a file or folder that could not be read.
const UNREAD: &str = "file";
/// Kinds of entries. The digest of a tool is that of its definition.
const KINDS: [&str; 9] =
    ["agent", "command", "hook", INSTRUCTION, "rules", SERVER, SETTING, "skill", TOOL];
/// The kind of an entry for a member of a client's settings.
const SETTING: &str = "setting";
/// The kind of an entry for a client's files that are never read.
const CLIENT: &str = "client";

/// Digests by kind and name. Names contain no control characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock(BTreeMap<(String, String), Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    digest: String,
    /// The line in the file, from 1.
    line: usize,
}

/// The project's current content, as digests.
#[derive(Debug, Default)]
pub struct Current {
    lock: Lock,
    /// Prefixes of tool names for the project's servers, with true if the definitions of the server's tools are known.
    servers: BTreeMap<String, bool>,
    /// Files and folders that could not be read, with the reason.
    pub unread: Vec<(String, String)>,
    /// Existing files and folders of clients that this program does not read.
    not_read: Vec<&'static str>,
    /// The tools with a change that no person has accepted.
    pub unaccepted: Vec<Unaccepted>,
    /// For each tool, the digest of its previous version and the class of the change since then.
    classes: BTreeMap<String, (String, ChangeClass)>,
}

wording! {
    /// The kind of change to an entry.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    pub enum Move {
        /// The entry is not in the file.
        Added = "added",
        /// The project no longer has the entry.
        Removed = "removed",
        /// The entry has another digest.
        Changed = "changed",
    }
}

/// A changed entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Moved {
    /// The change of the entry.
    pub change: Move,
    /// The kind of the entry.
    pub kind: String,
    /// The name of the entry.
    pub name: String,
    /// The line of the entry in the file, from 1; `None` for an added entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The current digest of the entry; `None` for a removed entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The class of a tool's change, if the registry knows the version in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<ChangeClass>,
}

impl Moved {
    /// Returns the class of a tool's change, in brackets after a space; empty if unknown.
    pub fn class(&self) -> String {
        self.class.map(|class| format!(" ({})", class.as_str())).unwrap_or_default()
    }

    /// Returns the change in words, with its class.
    pub fn what(&self) -> String {
        self.change.as_str().to_owned() + &self.class()
    }
}

/// An entry, file or client that was not compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Unchecked {
    /// The kind of the entry; `file` for a file or folder that could not be read, `client` for one that is never read.
    pub kind: String,
    /// The name of the entry.
    pub name: String,
    /// The reason, and the action to take.
    pub reason: String,
}

/// A tool with a changed definition that no person has accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unaccepted {
    /// The name of the tool.
    pub name: String,
    /// The class of the change.
    pub class: ChangeClass,
    /// True if the policy withholds a tool with this class of change until a person accepts the change.
    pub withheld: bool,
    /// The line of the tool in the file, from 1; `None` if it has no entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The digest of the tool's accepted definition, if there is one.
    #[serde(skip)]
    pub accepted: Option<String>,
}

/// The differences between a lock file and the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Changed entries, by kind and name.
    pub moved: Vec<Moved>,
    /// Entries, files and clients that were not compared.
    pub unchecked: Vec<Unchecked>,
    /// The tools with an unaccepted change, even if they match the file.
    pub unaccepted: Vec<Unaccepted>,
    /// The number of unchanged entries.
    pub same: usize,
}

impl Unchecked {
    /// Returns true for a file or folder of the project that could not be read.
    pub fn is_unread(&self) -> bool {
        self.kind == UNREAD
    }
}

impl Comparison {
    /// Returns true if the project's content matches the lock, as far as known, and no tool is withheld.
    pub fn holds(&self) -> bool {
        self.moved.is_empty()
            && !self.unchecked.iter().any(Unchecked::is_unread)
            && !self.unaccepted.iter().any(|each| each.withheld)
    }
}

/// Returns the path of the file.
pub fn path(settings: &Settings) -> PathBuf {
    settings.place.folder.join(FILE)
}

/// Reads the project's current content, with the tool definitions that the registry has pinned.
///
/// # Errors
/// Errors of the store.
pub fn current(settings: &Settings, registry: &Registry) -> Result<Current, ServiceError> {
    let Declarations { entries, mut unread, not_read } = scan::declared(settings);
    let mut lock = Lock::default();
    let mut servers = BTreeMap::new();
    for each in entries {
        if let Some(server) = &each.server {
            servers.insert(format!("mcp__{server}__"), false);
        }
        if !lock.insert(each.kind, &each.name, each.digest, 0) {
            unread.push((each.name, "two entries of one kind have this name".to_owned()));
        }
    }
    let (mut unaccepted, mut classes) = (Vec::new(), BTreeMap::new());
    let project = &settings.project.id;
    let pinned = registry.tools().pinned(project).wait()?;
    // A user's server may have the same name as one of the project, so the user's tools are left out.
    for (tool, row) in pinned.into_iter().filter(|(tool, _)| tool.key.scope != Scope::Global) {
        let prefix = tool.server.as_ref().map(|server| format!("mcp__{server}__"));
        if let Some(known) = prefix.and_then(|prefix| servers.get_mut(&prefix)) {
            *known = true;
            if tool.presence.cause != PresenceCause::NotListed {
                lock.insert(TOOL, tool.key.name.as_str(), row.listed().digest(), 0);
                let withheld = tool.presence.cause == PresenceCause::DefinitionChanged;
                let name = escape(tool.key.name.as_str()).into_owned();
                let class = row.differences().iter().map(|each| each.class).max();
                if let (Some(previous), Some(class)) = (&row.previous, class) {
                    classes.insert(name.clone(), (previous.digest(), class));
                }
                unaccepted.extend(row.pending.map(|class| Unaccepted {
                    name,
                    class,
                    withheld,
                    line: None,
                    accepted: row.accepted().map(DefinitionVersion::digest),
                }));
            }
        }
    }
    let unread = unread.into_iter().map(|(path, why)| (escape(&path).into(), why)).collect();
    Ok(Current { lock, servers, unread, not_read, unaccepted, classes })
}

impl Lock {
    fn insert(&mut self, kind: &str, name: &str, digest: String, line: usize) -> bool {
        let key = (kind.to_owned(), escape(name).into_owned());
        self.0.insert(key, Entry { digest, line }).is_none()
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text of the file.
    pub fn text(&self) -> String {
        let line = |((kind, name), entry): (&(String, String), &Entry)| {
            format!("{kind} {name} sha256:{}\n", entry.digest)
        };
        HEAD.to_owned() + &self.0.iter().map(line).collect::<String>()
    }

    /// Reads the lock file of a project; `None` if there is none.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a lock file. The error does not quote the file.
    pub fn read(settings: &Settings) -> Result<Option<Self>, ServiceError> {
        let path = path(settings);
        let refused = |what: String| {
            ServiceError::new(ErrorKind::Invalid, format!("{FILE} {what}"))
                .hint("see what happened to it, then rewrite it with `staleness lock`")
        };
        let fence = settings.place.fence();
        let meta = staleness_docs::disk::look(&path, Some(&fence));
        let Some(meta) = meta.map_err(|what| refused(what.to_owned()))? else { return Ok(None) };
        if !meta.is_file() || meta.len() > MAX_BYTES {
            return Err(refused(format!("is not a file of at most {MAX_BYTES} bytes")));
        }
        let mut text = String::new();
        std::fs::File::open(&path)
            .and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text))
            .map_err(|error| refused(format!("cannot be read: {}", in_words(&error))))?;
        // Some editors start a file with a byte-order mark.
        Self::parse(text.trim_start_matches('\u{feff}')).map(Some).map_err(refused)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut lock = Self::default();
        let mut version = None;
        for (at, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line)) {
            if line.len() > MAX_LINE || line.chars().any(crate::is_unsafe) {
                return Err(format!("line {at} is too long, or contains hidden characters"));
            }
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(number) = line.strip_prefix("version ") {
                version = Some(number);
                continue;
            }
            let entry = line.split_once(' ').and_then(|(kind, rest)| {
                let (name, digest) = rest.rsplit_once(" sha256:")?;
                let is_hex = |c: u8| matches!(c, b'0'..=b'9' | b'a'..=b'f');
                let is_digest = digest.len() == 64 && digest.bytes().all(is_hex);
                (KINDS.contains(&kind) && is_digest && !name.is_empty())
                    .then_some((kind, name, digest))
            });
            let Some((kind, name, digest)) = entry else {
                return Err(format!("line {at} is not an entry"));
            };
            if !lock.insert(kind, name, digest.to_owned(), at) {
                return Err(format!("line {at} repeats an earlier name"));
            }
            if lock.len() > MAX_ENTRIES {
                return Err(format!("has more than {MAX_ENTRIES} entries"));
            }
        }
        match version {
            Some("2") => Ok(lock),
            Some(_) => Err("has a version that this release cannot read".to_owned()),
            None => Err("has no version line".to_owned()),
        }
    }
}

impl Current {
    /// Returns the file to write. Entries of tools with unknown definitions are kept, and a withheld tool gets its
    /// accepted definition.
    ///
    /// # Errors
    /// If something could not be read, because its entry would be missing without a warning, or if the file would
    /// be too large to read again.
    pub fn to_lock(&self, before: Option<&Lock>) -> Result<Lock, ServiceError> {
        if let Some((path, why)) = self.unread.first() {
            return Err(ServiceError::new(ErrorKind::Invalid, format!("{path}: {}", escape(why)))
                .hint("fix it, then write the lock again"));
        }
        let mut lock = self.lock.clone();
        for each in self.unaccepted.iter().filter(|each| each.withheld) {
            lock.0.remove(&(TOOL.to_owned(), each.name.clone()));
            if let Some(digest) = &each.accepted {
                lock.insert(TOOL, &each.name, digest.clone(), 0);
            }
        }
        for ((kind, name), entry) in before.into_iter().flat_map(|lock| &lock.0) {
            if kind == TOOL && self.is_known(name) == Some(false) {
                lock.insert(kind, name, entry.digest.clone(), 0);
            }
        }
        let text = lock.text();
        let refused = match text.len() as u64 {
            0..=MAX_BYTES => Lock::parse(&text).err(),
            _ => Some(format!("has more than {MAX_BYTES} bytes")),
        };
        match refused {
            None => Ok(lock),
            Some(what) => Err(ServiceError::new(ErrorKind::Invalid, format!("{FILE}: {what}"))
                .hint("it was not written: the project gives agents more than a lock can hold")),
        }
    }

    /// Returns true if the definitions of this tool's server are known; `None` if the project has no such server.
    fn is_known(&self, tool: &str) -> Option<bool> {
        self.prefix_of(tool).and_then(|own| self.servers.get(own)).copied()
    }

    /// Compares a lock file with the current content.
    pub fn compare(&self, locked: &Lock) -> Comparison {
        let mut told = Comparison { unaccepted: self.unaccepted.clone(), ..Comparison::default() };
        for each in &mut told.unaccepted {
            let entry = locked.0.get(&(TOOL.to_owned(), each.name.clone()));
            each.line = entry.map(|entry| entry.line);
        }
        let mut blind: BTreeSet<Unchecked> = BTreeSet::new();
        let files: BTreeSet<&str> = self.unread.iter().map(|(path, _)| path.as_str()).collect();
        let unread = |name: &str| {
            let ends = name.match_indices(['#', '/']).map(|(end, _)| end);
            ends.chain([name.len()]).any(|end| files.contains(&name[..end]))
        };
        for ((kind, name), entry) in &locked.0 {
            let now = self.lock.0.get(&(kind.clone(), name.clone()));
            let change = match now {
                Some(now) if now.digest == entry.digest => {
                    told.same += 1;
                    continue;
                }
                Some(_) => Move::Changed,
                None if kind == TOOL && self.is_known(name) == Some(false) => {
                    blind.insert(self.server_of(
                        name,
                        "this machine does not know the definitions of its tools",
                        true,
                    ));
                    continue;
                }
                None if unread(name) => continue,
                None => Move::Removed,
            };
            told.moved.push(Moved {
                change,
                kind: kind.clone(),
                name: name.clone(),
                line: Some(entry.line),
                digest: now.map(|now| now.digest.clone()),
                class: self
                    .classes
                    .get(name)
                    .filter(|_| kind == TOOL && now.is_some())
                    .and_then(|(previous, class)| (*previous == entry.digest).then_some(*class)),
            });
        }
        let locked_servers: BTreeSet<&str> = locked
            .0
            .keys()
            .filter(|(kind, _)| kind == TOOL)
            .filter_map(|(_, name)| self.prefix_of(name))
            .collect();
        for (key, entry) in self.lock.0.iter().filter(|(key, _)| !locked.0.contains_key(*key)) {
            let (kind, name) = key;
            if kind == TOOL && self.prefix_of(name).is_some_and(|own| !locked_servers.contains(own))
            {
                blind.insert(self.server_of(name, "agents.lock has no definition of this server's tools; `staleness lock` adds them", false));
                continue;
            }
            told.moved.push(Moved {
                change: Move::Added,
                kind: kind.clone(),
                name: name.clone(),
                line: None,
                digest: Some(entry.digest.clone()),
                class: None,
            });
        }
        let is_blind =
            |(own, known): &(&String, &bool)| !**known && !locked_servers.contains(own.as_str());
        for (own, _) in self.servers.iter().filter(is_blind) {
            blind.insert(self.server_of(
                own,
                "neither agents.lock nor this machine knows the definitions of its tools",
                true,
            ));
        }
        let plugins = self
            .lock
            .0
            .keys()
            .filter(|(kind, name)| kind == SETTING && name.ends_with("#enabledPlugins"));
        let plugins = plugins.map(|(_, name)| {
            (
                SETTING,
                name.as_str(),
                "a plugin's content is not in the project; `staleness tools list` shows it",
            )
        });
        let others = self.not_read.iter().map(|path| {
            (
                CLIENT,
                *path,
                "its client may give it to agents, but it is not checked here; review it as code",
            )
        });
        blind.extend(plugins.chain(others).map(|(kind, name, reason)| Unchecked {
            kind: kind.into(),
            name: name.into(),
            reason: reason.into(),
        }));
        for (path, why) in &self.unread {
            blind.insert(Unchecked {
                kind: UNREAD.into(),
                name: path.clone(),
                reason: why.clone(),
            });
        }
        told.moved.sort_by(|one, other| (&one.kind, &one.name).cmp(&(&other.kind, &other.name)));
        told.unchecked = blind.into_iter().collect();
        told
    }

    /// Returns the longest prefix of a tool's name that belongs to a server, without comparing all servers.
    fn prefix_of(&self, tool: &str) -> Option<&str> {
        let is_end = |end: &usize| tool.as_bytes()[..*end].ends_with(b"__");
        let mut ends = (0..=tool.len()).rev().filter(is_end);
        let found = ends.find_map(|end| self.servers.get_key_value(&tool[..end]));
        found.map(|(own, _)| own.as_str())
    }

    /// Returns the entry for a server that was not compared. If `is_unknown`, it says how to get the list of tools.
    fn server_of(&self, tool: &str, reason: &str, is_unknown: bool) -> Unchecked {
        let own = self.prefix_of(tool);
        let name = own.map_or_else(|| tool.to_owned(), |own| format!("{own}*"));
        let mut reason = reason.to_owned();
        if is_unknown {
            let server = own.unwrap_or(tool).trim_start_matches("mcp__").trim_end_matches("__");
            reason.push_str(&format!(
                "; approve it in your client and run `staleness scan --probe {server}`, or, if no client can start it, \
                 give its list: `staleness scan --tools-json FILE --server {server}`"
            ));
        }
        Unchecked { kind: TOOL.into(), name, reason }
    }
}

#[cfg(test)]
#[path = "lock_tests.rs"]
mod tests;
