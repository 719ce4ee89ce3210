//! Reads the data of other memory systems, as the lines that an import of JSON Lines takes.
//!
//! A module per system maps each row (a line, a table row or a file) to one line. A mapping takes fields out of the
//! row; the remaining fields cannot be imported and are counted by name. The other system's data is never changed.

mod auto_memory;
mod basic_memory;
mod beads;
mod brainclaw;
mod claude_mem;
mod files;
mod laminark;
mod line;
mod riglm2;
mod row;
mod sage;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};
use staleness_core::wording;
use staleness_docs::disk::shown;

use line::{Mapped, Sink};
use row::Row;

/// Maximum number of records to read from a system.
pub(crate) const MAX_RECORDS: u64 = 1_000_000;
/// Maximum size of a database, and of all records together, in bytes.
pub(crate) const MAX_BYTES: u64 = 4 << 30;

wording! {
    /// A memory system whose data can be read.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    pub enum System {
        /// The issue tracker beads: the JSON Lines that it exports.
        Beads = "beads",
        /// A basic-memory vault: Markdown files.
        BasicMemory = "basic-memory",
        /// The database of claude-mem.
        ClaudeMem = "claude-mem",
        /// The auto memory of Claude Code: Markdown files.
        ClaudeMemory = "claude-memory",
        /// The database of Laminark.
        Laminark = "laminark",
        /// The database of riglm2.
        Riglm2 = "riglm2",
        /// The folder of sage: Markdown files.
        Sage = "sage",
        /// The folder of brainclaw: JSON files.
        Brainclaw = "brainclaw",
    }
}

impl System {
    /// Returns the default path of the system's data.
    pub const fn usual_path(self) -> &'static str {
        match self {
            Self::Beads => ".beads",
            Self::BasicMemory => "~/basic-memory",
            Self::ClaudeMem => "~/.claude-mem/claude-mem.db",
            Self::ClaudeMemory => "~/.claude/projects/PROJECT/memory",
            Self::Laminark => "~/.claude/plugins/cache/laminark/data/data.db",
            Self::Riglm2 => "riglm2-data.db",
            Self::Sage => ".sage",
            Self::Brainclaw => ".brainclaw",
        }
    }
}

/// The result of passing a line to the import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The line was imported.
    Yes,
    /// The line replaced an earlier one with the same id.
    Instead,
    /// The line is invalid.
    No,
}

/// The result of reading a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The file or folder that was read: the given path, or one below it.
    pub read: Option<PathBuf>,
    /// Numbers of records and fields that could not be imported, by name.
    pub left: BTreeMap<String, u64>,
    /// Number of texts in which a possible secret was replaced.
    pub redacted: u64,
}

/// The reason why a system could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReadError {
    /// The reason, with the path.
    pub message: String,
    /// True if the data is invalid; false for an error of the file system.
    pub is_refused: bool,
}

impl ReadError {
    pub(crate) fn refused(path: &Path, what: impl fmt::Display) -> Self {
        Self { message: format!("{}: {what}", shown(path)), is_refused: true }
    }

    pub(crate) fn io(path: &Path, what: impl fmt::Display) -> Self {
        Self { message: format!("{} {what}", shown(path)), is_refused: false }
    }
}

/// Passes the records of a system to `into` as lines of JSON. `project` is the root of the target project. Records of
/// other projects are skipped. A line that `into` rejects counts as not imported, and so does a line that a later one
/// replaces.
///
/// # Errors
/// If the path cannot be read, is not data of this system, or is too large; or an error of `into`.
pub fn read(
    system: System,
    path: &Path,
    project: &Path,
    into: &mut dyn FnMut(&str) -> io::Result<Kept>,
) -> Result<Taken, ReadError> {
    let mut sink = Sink::new(into, path);
    let site = Site { root: project };
    match system {
        System::Beads => beads::read(path, &mut sink)?,
        System::BasicMemory => basic_memory::read(path, &mut sink)?,
        System::ClaudeMem => {
            tables(path, &claude_mem::TABLES, &claude_mem::INTERNAL, &site, &mut sink)?;
        }
        System::ClaudeMemory => auto_memory::read(path, &mut sink)?,
        System::Laminark => tables(path, &laminark::TABLES, &laminark::INTERNAL, &site, &mut sink)?,
        System::Riglm2 => tables(path, &riglm2::TABLES, &[], &site, &mut sink)?,
        System::Sage => sage::read(path, &mut sink)?,
        System::Brainclaw => brainclaw::read(path, &mut sink)?,
    }
    sink.finish()
}

/// The project for which a system is read.
#[derive(Debug)]
struct Site<'a> {
    root: &'a Path,
}

impl Site<'_> {
    /// Returns the name of the project's folder.
    fn name(&self) -> &str {
        self.root.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Returns the hash by which Laminark identifies the project's path.
    fn hash(&self) -> String {
        let path = self.root.to_string_lossy();
        let hash: [u8; 32] = Sha256::digest(path.as_bytes()).into();
        hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A table of a database, and the mapping of its rows.
#[cfg_attr(not(feature = "sqlite"), allow(dead_code, reason = "only databases have tables"))]
struct Table {
    name: &'static str,
    /// The kind of record, used to name data that cannot be imported.
    what: &'static str,
    /// Required columns. A table that lacks one has another version.
    needs: &'static [&'static str],
    /// Columns without meaning outside the system.
    internal: &'static [&'static str],
    /// True if older versions lack the table.
    is_optional: bool,
    /// Returns the result for a row of another project, or `None` for a row of this one.
    elsewhere: fn(&mut Row, &Site<'_>) -> Option<Mapped>,
    map: fn(&mut Row) -> Mapped,
}

impl Table {
    const fn of(
        name: &'static str,
        what: &'static str,
        elsewhere: fn(&mut Row, &Site<'_>) -> Option<Mapped>,
        map: fn(&mut Row) -> Mapped,
    ) -> Self {
        Self { name, what, needs: &[], internal: &[], is_optional: false, elsewhere, map }
    }

    const fn needs(self, columns: &'static [&'static str]) -> Self {
        Self { needs: columns, ..self }
    }

    const fn internal(self, columns: &'static [&'static str]) -> Self {
        Self { internal: columns, ..self }
    }

    const fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }
}

#[cfg(feature = "sqlite")]
use sqlite::read as tables;

#[cfg(not(feature = "sqlite"))]
fn tables(
    path: &Path,
    _: &[Table],
    _: &[&str],
    _: &Site<'_>,
    _: &mut Sink<'_>,
) -> Result<(), ReadError> {
    Err(ReadError::refused(path, "this program was built without SQLite"))
}
