//! A file of lines that is read several times in bounded memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use staleness_sources::systems::{self, Kept, System, Taken};

use super::foreign::entry_of;
use crate::error::{CliError, ErrorKind, brief, in_words, quoted};
use crate::settings::Settings;
use staleness_service::save;

/// Maximum length of a line, in bytes.
const MAX_LINE: u64 = 8 * 1024 * 1024;

/// The lines of a file, or of standard input through a private temporary file.
#[derive(Debug)]
pub(crate) struct Input {
    shown: String,
    file: BufReader<File>,
    line: u64,
    text: Vec<u8>,
    /// Hint of errors that reject a line.
    hint: &'static str,
    /// True if the lines were converted from the data of another system, so that their numbers mean nothing to the
    /// user.
    made: bool,
    /// Numbers of the lines that later lines replace, which are skipped.
    replaced: BTreeSet<u64>,
}

impl Input {
    /// Opens a file. No path or `-` means standard input.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, CliError> {
        let path = path.filter(|path| *path != Path::new("-"));
        let shown = path.map_or_else(|| "stdin".into(), brief);
        let trouble = |error: &io::Error| {
            trouble(&shown, error).hint("give a file to import, or `-` for standard input")
        };
        let file = match path {
            None => spooled(&mut io::stdin().lock()).map_err(|error| trouble(&error))?,
            Some(path) => {
                let mut file = File::open(path).map_err(|error| trouble(&error))?;
                let what = file.metadata().map_err(|error| trouble(&error))?;
                if what.is_dir() {
                    return Err(trouble(&io::ErrorKind::IsADirectory.into()));
                }
                // A pipe can be read only once, so it is copied.
                if what.is_file() {
                    file
                } else {
                    spooled(&mut file).map_err(|error| trouble(&error))?
                }
            }
        };
        Ok(Self {
            shown,
            file: BufReader::with_capacity(1 << 16, file),
            line: 0,
            text: Vec::new(),
            hint: "nothing was imported",
            made: false,
            replaced: BTreeSet::new(),
        })
    }

    /// Reads the data of a system, for a project. Also returns the data that cannot be imported.
    pub(super) fn of_system(
        system: System,
        path: Option<&Path>,
        settings: &Settings,
    ) -> Result<(Self, Taken), CliError> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            let what =
                format!("--from {} needs a path: usually {}", system.as_str(), system.usual_path());
            return Err(CliError::new(ErrorKind::Usage, what));
        };
        let spool = save::unnamed().map_err(|error| trouble(&brief(path), &error))?;
        let mut spool = BufWriter::with_capacity(1 << 16, spool);
        let (mut lines, mut last, mut replaced) = (0, BTreeMap::new(), BTreeSet::new());
        let mut into = |line: &str| {
            let Ok((entry, _)) = entry_of(line, settings) else { return Ok(Kept::No) };
            spool.write_all(line.as_bytes())?;
            spool.write_all(b"\n")?;
            lines += 1;
            let earlier = entry.once().and_then(|once| last.insert(once, lines));
            replaced.extend(earlier);
            Ok(if earlier.is_some() { Kept::Instead } else { Kept::Yes })
        };
        let project = Path::new(&settings.project.root);
        let taken = systems::read(system, path, project, &mut into).map_err(|error| {
            let kind = if error.is_refused { ErrorKind::Invalid } else { ErrorKind::Io };
            CliError::new(kind, error.message).hint("nothing was imported")
        })?;
        let file = spool.into_inner().map_err(|error| trouble(&brief(path), error.error()))?;
        let input = Self::of(file, brief(path)).hinted("nothing was imported");
        let mut input = Self { made: true, replaced, ..input };
        input.rewind()?;
        Ok((input, taken))
    }

    /// Reads from a file with the export of a store. Errors use the name `shown`.
    pub(crate) fn of(file: File, shown: String) -> Self {
        Self {
            shown,
            file: BufReader::with_capacity(1 << 16, file),
            line: 0,
            text: Vec::new(),
            hint: "run `staleness doctor` on that registry",
            made: false,
            replaced: BTreeSet::new(),
        }
    }

    /// Sets another hint for errors that reject a line.
    pub(super) const fn hinted(mut self, hint: &'static str) -> Self {
        self.hint = hint;
        self
    }

    /// Returns the next line without its line break, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<&str>, CliError> {
        loop {
            self.text.clear();
            let limited = &mut self.file.by_ref().take(MAX_LINE + 1);
            let read = limited.read_until(b'\n', &mut self.text);
            if read.map_err(|error| trouble(&self.shown, &error))? == 0 {
                return Ok(None);
            }
            self.line += 1;
            if !self.replaced.contains(&self.line) {
                break;
            }
        }
        if self.text.pop_if(|last| *last == b'\n').is_some() {
            self.text.pop_if(|last| *last == b'\r');
        } else if self.text.len() as u64 > MAX_LINE {
            return Err(self.refused(self.line, &format!("longer than {MAX_LINE} bytes")));
        }
        match std::str::from_utf8(&self.text) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(self.refused(self.line, "not UTF-8 text")),
        }
    }

    /// Returns the number of the last line read, counted from 1.
    pub(crate) const fn line(&self) -> u64 {
        self.line
    }

    /// Continues with the first line.
    pub(crate) fn rewind(&mut self) -> Result<(), CliError> {
        self.line = 0;
        self.file.rewind().map_err(|error| trouble(&self.shown, &error))
    }

    /// Returns the error that rejects a line.
    pub(crate) fn refused(&self, line: u64, what: &str) -> CliError {
        let place = if self.made { self.id() } else { line.to_string() };
        CliError::invalid(format!("{}:{place}: {what}", self.shown)).hint(self.hint)
    }

    /// Returns the id, name or query in the last line read, for messages.
    fn id(&self) -> String {
        let line: serde_json::Value = serde_json::from_slice(&self.text).unwrap_or_default();
        let id = ["id", "name", "query"].iter().find_map(|key| line.get(*key)?.as_str());
        format!(" {}", quoted(id.unwrap_or_default()))
    }

    /// Returns the error that rejects the whole file.
    pub(super) fn nothing(&self, error: CliError) -> CliError {
        let message = format!("{}: {}", self.shown, error.message);
        CliError::new(error.kind, message).hint(self.hint)
    }

    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }
}

fn trouble(shown: &str, error: &io::Error) -> CliError {
    CliError::new(ErrorKind::Io, format!("{shown}: {}", in_words(error)))
}

/// Copies the input to an unnamed temporary file that only this user can read. Stops at a line that is too
/// long, so that endless input cannot fill the disk.
fn spooled(from: &mut impl Read) -> io::Result<File> {
    let mut file = save::unnamed()?;
    let mut chunk = vec![0; 1 << 16];
    let mut line = 0;
    while line <= MAX_LINE {
        let read = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        file.write_all(&chunk[..read])?;
        line = match chunk[..read].iter().rposition(|byte| *byte == b'\n') {
            Some(end) => (read - end - 1) as u64,
            None => line + read as u64,
        };
    }
    file.rewind()?;
    Ok(file)
}
