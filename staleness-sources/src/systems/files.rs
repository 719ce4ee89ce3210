//! Reads the files of other systems: JSON Lines, and folders of Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use staleness_core::time::Timestamp;
use staleness_docs::disk::{read_bytes, reason, shown};
use staleness_docs::git::{Life, LifeQuery, Limits, Program, Repo, text_digest};
use staleness_docs::{FrontValue, front_matter};

use super::line::{Mapped, Sink};
use super::row::Row;
use super::{MAX_RECORDS, ReadError};
use crate::folder::ends_in;

/// Maximum length of a line, in bytes.
const MAX_LINE: u64 = 8 * 1024 * 1024;
/// Maximum size of a file, in bytes.
pub(super) const MAX_FILE: u64 = 1024 * 1024;
/// Name under which missing dates are counted.
pub(super) const UNDATED: &str = "date (unknown; the file's date was used)";
/// Maximum number of entries of a folder and all its subfolders.
const MAX_ENTRIES: usize = 200_000;

/// Rejects a link to a file or folder, because a link in a repository could lead out of the project. Parent folders and
/// a shell's pipe may be links.
pub(super) fn no_link(path: &Path) -> Result<(), ReadError> {
    // A trailing slash would refer to the link's target.
    let path: PathBuf = path.components().collect();
    let is_link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
    if !is_link || !(path.is_file() || path.is_dir()) {
        return Ok(());
    }
    let target = path.canonicalize().map_err(|error| ReadError::io(&path, reason(error.kind())))?;
    let what = "a link, which is not followed; give the path that it leads to";
    Err(ReadError::refused(&path, format!("{what}: {}", shown(&target))))
}

/// Reads the objects in a file of JSON Lines, each with its line number.
pub(super) fn json_lines(
    path: &Path,
    what: &'static str,
    sink: &mut Sink<'_>,
    each: &mut dyn FnMut(u64, Row, &mut Sink<'_>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    no_link(path)?;
    sink.reads(path);
    let trouble = |error: std::io::Error| ReadError::io(path, reason(error.kind()));
    let mut file = BufReader::with_capacity(1 << 16, File::open(path).map_err(trouble)?);
    let (mut bytes, mut number) = (Vec::new(), 0);
    loop {
        bytes.clear();
        let read = (&mut file).take(MAX_LINE + 1).read_until(b'\n', &mut bytes);
        if read.map_err(trouble)? == 0 {
            return Ok(());
        }
        number += 1;
        if number > MAX_RECORDS {
            return Err(ReadError::refused(
                path,
                format!("contains more than {MAX_RECORDS} lines"),
            ));
        }
        let refused = |what: String| ReadError::refused(path, format!("line {number}: {what}"));
        if bytes.len() as u64 > MAX_LINE {
            return Err(refused(format!("longer than {MAX_LINE} bytes")));
        }
        let Ok(text) = std::str::from_utf8(&bytes) else {
            sink.leave(&format!("{what} that is not UTF-8"), 1);
            continue;
        };
        if text.trim().is_empty() {
            continue;
        }
        let fields: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
            refused(format!("not a JSON object ({}); is the file incomplete?", class(&error)))
        })?;
        each(number, Row { what, fields }, sink)?;
    }
}

/// Returns the category of an error, without text of the file.
fn class(error: &serde_json::Error) -> String {
    let what = if error.is_eof() { "it ends too early" } else { "not as expected" };
    format!("{what} at column {}", error.column())
}

/// A Markdown file.
#[derive(Debug)]
pub(super) struct Note {
    /// The path in the folder, with `/` as separator and without the extension.
    pub(super) name: String,
    /// The text after the front matter.
    pub(super) body: String,
    /// The fields of the front matter.
    pub(super) row: Row,
    /// The file's times of creation and change. The first is never after the second.
    created: Timestamp,
    modified: Timestamp,
    /// The commits that added and last changed the file.
    life: Option<Life>,
}

impl Note {
    /// Takes the times at which the note was written, from the field `created`, and last changed. If they are missing,
    /// uses the times of the commits. The file's own times are the last resort: they are wrong after a copy, so their
    /// use counts as a loss.
    pub(super) fn dates(&mut self, created: &str) -> (Timestamp, Timestamp) {
        let stated = self.row.time(created);
        if stated.is_none() && self.life.is_none() {
            self.row.lose(UNDATED);
        }
        let first = self.life.map_or(self.created, |life| life.first.at);
        let last = self.life.and_then(|life| life.last).map_or(self.modified, |last| last.at);
        let created = stated.unwrap_or(first);
        (created, self.row.time("modified").unwrap_or(last).max(created))
    }
}

/// Returns the sorted relative paths of the files below a folder whose names have this ending. Hidden entries are
/// skipped, and links are not followed.
pub(super) fn files_in(
    folder: &Path,
    ending: &str,
    sink: &mut Sink<'_>,
) -> Result<Vec<String>, ReadError> {
    no_link(folder)?;
    sink.reads(folder);
    let (mut found, mut waiting, mut left) = (Vec::new(), vec![String::new()], MAX_ENTRIES);
    while let Some(at) = waiting.pop() {
        let place = folder.join(&at);
        let entries =
            fs::read_dir(&place).map_err(|error| ReadError::io(&place, reason(error.kind())))?;
        for entry in entries.flatten() {
            left = left.checked_sub(1).ok_or_else(|| {
                ReadError::refused(folder, format!("contains more than {MAX_ENTRIES} entries"))
            })?;
            let (name, kind) = (entry.file_name(), entry.file_type());
            let (Some(name), Ok(kind)) = (name.to_str(), kind) else {
                sink.leave("files with a name that is not UTF-8", 1);
                continue;
            };
            let path = if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") };
            if name.starts_with('.') {
            } else if kind.is_symlink() {
                sink.leave("links to other files", 1);
            } else if kind.is_dir() {
                waiting.push(path);
            } else if kind.is_file() && ends_in(name, ending) {
                found.push(path);
            } else {
                sink.leave("other files", 1);
            }
        }
    }
    if found.is_empty() {
        return Err(ReadError::refused(folder, format!("contains no {ending} file")));
    }
    found.sort_unstable();
    Ok(found)
}

/// Reads Markdown files of at most 1 MiB, and counts those that cannot be read.
pub(super) fn notes(
    folder: &Path,
    paths: &[String],
    what: &'static str,
    sink: &mut Sink<'_>,
    each: &mut dyn FnMut(&mut Note) -> Mapped,
) -> Result<(), ReadError> {
    for (path, life) in paths.iter().zip(lives(folder, paths)) {
        match note(folder, path, what) {
            Ok(mut note) => {
                note.life = life;
                let mapped = each(&mut note);
                sink.put(&note.row, mapped)?;
            }
            Err(why) => sink.leave(&format!("{what} {why}"), 1),
        }
    }
    Ok(())
}

/// Reads a Markdown file. The error completes a sentence that begins with the kind of file.
pub(super) fn note(folder: &Path, path: &str, what: &'static str) -> Result<Note, &'static str> {
    let place = folder.join(path);
    let read = read_bytes(&place, MAX_FILE).map_err(reason)?;
    let (bytes, meta) = read.ok_or("is over 1 MiB")?;
    let text = String::from_utf8(bytes).map_err(|_| "is not UTF-8")?;
    let (fields, body) = front_matter(&text);
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim_end);
    if lines.next() == Some("---") && !lines.any(|line| matches!(line, "---" | "...")) {
        return Err("is half written");
    }
    let value = |value| match value {
        FrontValue::Text(text) => Value::from(text),
        FrontValue::List(items) => items.into(),
        FrontValue::Nested(text) => text.into(),
    };
    let fields = fields.into_iter().map(|(key, each)| (key, value(each))).collect();
    let modified = meta.modified().ok().map_or(Timestamp::default(), since_1970);
    Ok(Note {
        name: path[..path.len() - ".md".len()].to_owned(),
        body: body.trim().to_owned(),
        row: Row { what, fields },
        created: meta.created().ok().map_or(modified, since_1970).min(modified),
        modified,
        life: None,
    })
}

/// Returns the commits that added and last changed each file, if the folder is in a repository.
fn lives(folder: &Path, paths: &[String]) -> Vec<Option<Life>> {
    let digest = |path: &String| {
        let read = read_bytes(&folder.join(path), MAX_FILE).ok().flatten();
        read.map_or(0, |(bytes, _)| text_digest(&bytes))
    };
    let repo = Program::of_environment()
        .and_then(|program| Repo::open(&program, folder, Limits::default()).ok());
    let lives = repo.and_then(|mut repo| {
        let queries: Vec<LifeQuery<'_>> =
            paths.iter().map(|path| LifeQuery { path, text: digest(path) }).collect();
        repo.lives(&queries, &mut |_, _| Ok(())).ok()
    });
    lives.unwrap_or_else(|| vec![None; paths.len()])
}

pub(super) fn modified(path: &Path) -> Timestamp {
    let at = fs::metadata(path).and_then(|meta| meta.modified());
    at.map_or(Timestamp::default(), since_1970)
}

fn since_1970(at: std::time::SystemTime) -> Timestamp {
    let since = at.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Returns the ids of the notes that a text links to with `[[links]]`, except `own`. `ids` maps names to ids.
pub(super) fn related(text: &str, ids: &BTreeMap<String, String>, own: &str) -> Vec<String> {
    let inner = text.split("[[").skip(1).filter_map(|rest| rest.split_once("]]").map(|two| two.0));
    // A heading or a display name may follow the target.
    let target = |link: &str| link.find(['|', '#']).unwrap_or(link.len());
    let known = |link: &str| ids.get(link[..target(link)].trim()).filter(|id| *id != own);
    let of_one_line = inner.filter(|link| !link.contains('\n'));
    let found: BTreeSet<&String> = of_one_line.filter_map(known).collect();
    found.into_iter().cloned().collect()
}
