//! Finds the documents to check.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::file::{self, DocFile, key_of};
use super::ignored::{Ignored, walk};
use super::instructions;
use super::on_disk::MAX_WALKED;
use super::versions;
use crate::disk::{Fence, OUTSIDE, canonical, shown, written};
use crate::draft::imports;
use crate::front;
use crate::git::{Tracked, TrackedKind};
use crate::nature::History;
use crate::nature::{self, Patterns};
use crate::paths;
use crate::project::ProjectPlace;
use crate::report::WHOLE;
use crate::{CheckOptions, Note, Skipped};

/// Maximum number of documents to check, and of unchecked ones to report.
const MAX_DOCUMENTS: usize = 100_000;
const MAX_SKIPPED: usize = 10_000;
/// Minimum number of documents with numbered names at which a folder counts as a folder of records.
const RECORDS: usize = 5;
/// Folders that usually hold other people's files, even without a `.gitignore`.
const FOREIGN_FOLDERS: [&str; 5] = ["node_modules", "target", "vendor", "venv", "__pycache__"];

const IGNORED: &str = "is excluded by documents.ignore";
pub(super) const LINK: &str = "is a link; its target is checked instead";
const NOT_UTF8: &str = "has a name that is not UTF-8";
const NO_FILE: &str = "is not a file";

/// The files to check, by key.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) files: BTreeMap<String, DocFile>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) notes: Vec<Note>,
    /// Number of documents beyond the limit.
    left_out: usize,
}

/// The reason why a client loads a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loaded {
    No,
    /// Another loaded file imports it.
    Imported,
    /// The name or the location of the file.
    ByItself,
}

pub(super) struct Search<'a> {
    pub(crate) place: &'a ProjectPlace,
    pub(crate) options: &'a CheckOptions<'a>,
    pub(crate) tracked: Option<&'a Tracked>,
    pub(crate) patterns: &'a Patterns,
    pub(crate) fence: &'a Fence,
    pub(crate) found: Found,
}

pub(crate) fn find(
    place: &ProjectPlace,
    options: &CheckOptions<'_>,
    tracked: Option<&Tracked>,
    patterns: &Patterns,
    fence: &Fence,
) -> Found {
    Search { place, options, tracked, patterns, fence, found: Found::default() }.run()
}

impl Search<'_> {
    fn run(mut self) -> Found {
        if self.options.paths.is_empty() {
            match self.tracked {
                Some(tracked) => {
                    for (path, kind) in tracked.iter() {
                        if kind == TrackedKind::File && nature::is_checked(path) {
                            self.own(path, Loaded::No);
                        }
                    }
                }
                None => self.walk(""),
            }
            instructions::find(&mut self);
            self.skip_links();
            self.skip_unnamed(|_| true);
        } else {
            for path in self.options.paths {
                self.named(path);
            }
        }
        self.mark_versions();
        self.note_records();
        if self.found.left_out > 0 {
            let reason = format!(
                "has more than {MAX_DOCUMENTS} documents: {} were left out",
                self.found.left_out
            );
            self.found.skipped.push(Skipped { path: WHOLE.into(), reason });
        }
        self.found
    }

    /// Marks documents of earlier versions as history.
    fn mark_versions(&mut self) {
        for key in versions::earlier(self.found.files.keys()) {
            let file = self.found.files.get_mut(&key);
            if let Some(file) = file.filter(|it| it.history == History::No && !it.loaded) {
                file.history = History::ByName;
            }
        }
    }

    /// Reports folders that look like records, so that the user can add them to the policy.
    fn note_records(&mut self) {
        let mut folders: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (key, file) in &self.found.files {
            let Some((folder, _)) = key.rsplit_once('/').filter(|_| file.inside) else { continue };
            let (numbered, all) = folders.entry(folder).or_default();
            *numbered += usize::from(!file.loaded && self.patterns.may_be_record(key));
            *all += 1;
        }
        folders.retain(|_, (numbered, all)| *numbered >= RECORDS && *numbered * 2 > *all);
        let note = |(folder, (numbered, _)): (&&str, &(usize, usize))| Note {
            path: Some((*folder).to_owned()),
            line: None,
            text: format!(
                "{numbered} documents have numbered names; if they are old records, add their \
                 folder to documents.history"
            ),
        };
        let notes: Vec<Note> = folders.iter().map(note).collect();
        self.found.notes.extend(notes);
    }

    /// Reports symbolic links. If their targets are in the project, these are checked under their own names.
    fn skip_links(&mut self) {
        for (path, kind) in self.tracked.into_iter().flat_map(|tracked| tracked.iter()) {
            let known = self.found.files.contains_key(path) || self.patterns.ignores(path);
            if kind == TrackedKind::Link && nature::is_checked(path) && !known {
                let is_own = self.fence.holds(&self.place.folder.join(path));
                self.skip(path, if is_own { LINK } else { OUTSIDE });
            }
        }
    }

    /// Reports tracked files whose names are not UTF-8.
    fn skip_unnamed(&mut self, wanted: impl Fn(&str) -> bool) {
        let names = self.tracked.into_iter().flat_map(|tracked| &tracked.unnamed);
        for path in names.filter(|path| nature::is_checked(path) && wanted(path)) {
            if !self.patterns.ignores(path) {
                self.skip(path, NOT_UTF8);
            }
        }
    }

    /// Adds a file of the project, or reports its name if it is not UTF-8.
    pub(crate) fn own_path(&mut self, below: &Path, loaded: Loaded) {
        if below.to_str().is_some() {
            return self.own(&key_of(below), loaded);
        }
        let name = written(below.as_os_str().as_encoded_bytes(), "\\x");
        if !self.patterns.ignores(&name) {
            self.skip(name, NOT_UTF8);
        }
    }

    /// Adds a file of the project.
    pub(crate) fn own(&mut self, key: &str, loaded: Loaded) {
        if key.starts_with("~/") {
            let reason = "is in a folder named ~, which stands for the user's home";
            self.skip(format!("./{key}"), reason);
            return;
        }
        // A client that loads a symbolic link reads the target of the link.
        if loaded != Loaded::No
            && let Some(own) = self.behind_link(key)
        {
            if !self.patterns.ignores(key) {
                self.skip(key, LINK);
            }
            return self.own_path(&own, loaded);
        }
        let path = self.place.folder.join(key);
        self.add(key.to_owned(), path, true, loaded);
    }

    /// Returns the project file to which a path resolves, if its name differs.
    fn behind_link(&self, key: &str) -> Option<PathBuf> {
        let folder = canonical(&self.place.folder);
        let own = canonical(&folder.join(key));
        let own = own.strip_prefix(&folder).ok()?;
        // On a case-insensitive file system, names that differ only in case are equal.
        (!key_of(own).eq_ignore_ascii_case(key)).then(|| own.to_path_buf())
    }

    pub(crate) fn add(&mut self, key: String, path: PathBuf, inside: bool, loaded: Loaded) {
        if self.patterns.ignores(&key) {
            return;
        }
        let by_itself = loaded == Loaded::ByItself || inside && nature::is_instruction(&key);
        let loaded = by_itself || loaded == Loaded::Imported;
        if let Some(known) = self.found.files.get_mut(&key) {
            known.loaded |= loaded;
            return;
        }
        if self.found.files.len() >= MAX_DOCUMENTS {
            self.found.left_out += 1;
            return;
        }
        // Instructions for a model describe the present, even if their name suggests history.
        let history = match self.patterns.history(&key) {
            History::ByName if by_itself => History::No,
            history => history,
        };
        let tracked = inside
            && self.tracked.and_then(|tracked| tracked.kind(&key)) == Some(TrackedKind::File);
        let file =
            DocFile { history, kind: self.patterns.kind(&key), path, inside, tracked, loaded };
        self.found.files.insert(key, file);
    }

    pub(crate) fn skip(&mut self, path: impl Into<String>, reason: impl Into<String>) {
        if self.found.skipped.len() >= MAX_SKIPPED {
            self.found.left_out += 1;
            return;
        }
        self.found.skipped.push(Skipped { path: path.into(), reason: reason.into() });
    }

    /// Adds a path given by the caller.
    fn named(&mut self, given: &Path) {
        let whole = lexical(&self.place.folder.join(given));
        let folder = lexical(&self.place.folder);
        let inside = whole.strip_prefix(&folder).ok().map(Path::to_path_buf).or_else(|| {
            // The path may lead to the project through a link.
            canonical(&whole).strip_prefix(canonical(&folder)).ok().map(Path::to_path_buf)
        });
        let Some(below) = inside else {
            match instructions::of_user(self, &whole) {
                Some(key) if self.patterns.ignores(&key) => self.skip(key, IGNORED),
                Some(key) => self.add(key, whole, false, Loaded::ByItself),
                None => self.skip(shown(given), "is outside the project"),
            }
            return;
        };
        let key = key_of(&below);
        if self.patterns.ignores_named(&key, whole.is_dir()) {
            return self.skip(key, IGNORED);
        }
        match std::fs::metadata(&whole) {
            Ok(meta) if meta.is_dir() => {
                if self.fence.holds(&whole) {
                    self.folder(&key);
                } else {
                    self.skip(key, OUTSIDE);
                }
            }
            _ => self.own_path(&below, Loaded::No),
        }
    }

    /// Adds every document below a folder of the project that is tracked or not ignored.
    fn folder(&mut self, key: &str) {
        self.walk(key);
        let below = |path: &str| {
            path.strip_prefix(key).is_some_and(|rest| key.is_empty() || rest.starts_with('/'))
        };
        for (path, kind) in self.tracked.into_iter().flat_map(|tracked| tracked.iter()) {
            let is_own = kind == TrackedKind::File && nature::is_checked(path) && below(path);
            // A tracked file may be deleted on disk.
            if is_own && self.place.folder.join(path).symlink_metadata().is_ok() {
                self.own(path, Loaded::No);
            }
        }
        self.skip_unnamed(below);
    }

    /// Adds every document below a folder of the project that no pattern in the project ignores. Patterns
    /// above the project do not count.
    fn walk(&mut self, key: &str) {
        let root = self.place.folder.clone();
        let folder = root.join(key);
        // Walk from the root down to the folder, so that all pattern files on the way apply with git's
        // precedence.
        if !key.is_empty() && self.walk_from(&root, &folder) {
            return;
        }
        // The folder is the root, is ignored but was named explicitly, or is behind a link.
        self.walk_from(&folder, &folder);
    }

    /// Walks from `start` to `folder` and everything below `folder`. Returns false if `folder` was not reached.
    fn walk_from(&mut self, start: &Path, folder: &Path) -> bool {
        let ignored = Arc::new(Mutex::new(Ignored::new(self.place, self.fence)));
        let to = folder.to_path_buf();
        let walker = walk(&ignored, start, move |entry, said| {
            if said.is_ignore() || to.starts_with(entry.path()) {
                return !said.is_ignore();
            }
            let name = entry.file_name();
            let is_foreign = FOREIGN_FOLDERS.contains(&&*name.to_string_lossy());
            // Hidden files are skipped unless a pattern includes them.
            let is_hidden = name.as_encoded_bytes().first() == Some(&b'.');
            let is_hidden = is_hidden && !said.is_whitelist();
            entry.path().starts_with(&to) && !is_foreign && !is_hidden
        });
        let mut arrived = false;
        for (count, entry) in walker.enumerate() {
            if count == MAX_WALKED {
                let text =
                    format!("a folder has more than {MAX_WALKED} files; the rest were left out");
                self.found.notes.push(Note { path: None, line: None, text });
                break;
            }
            let Ok(entry) = entry else { continue };
            let Some(kind) = entry.file_type() else { continue };
            arrived |= kind.is_dir() && entry.path() == folder;
            let Ok(below) = entry.path().strip_prefix(&self.place.folder) else { continue };
            let key = key_of(below);
            if !nature::is_checked(&key) {
                continue;
            }
            if kind.is_file() {
                self.own_path(below, Loaded::No);
            } else if !kind.is_dir() && !kind.is_symlink() && !self.patterns.ignores(&key) {
                self.skip(key, NO_FILE);
            }
        }
        let mut ignored = ignored.lock().unwrap_or_else(PoisonError::into_inner);
        for note in ignored.notes.drain(..) {
            // Several walks may pass the same folder.
            if !self.found.notes.contains(&note) {
                self.found.notes.push(note);
            }
        }
        arrived
    }

    /// Adds the files that instruction files import, recursively.
    pub(crate) fn follow_imports(&mut self) {
        // Breadth first, so that each file is followed from its shallowest position.
        let mut waiting: VecDeque<(String, usize)> = self
            .found
            .files
            .iter()
            .filter(|(_, file)| file.loaded)
            .map(|(key, _)| (key.clone(), 0))
            .collect();
        let mut done: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        while let Some((key, depth)) = waiting.pop_front() {
            let Some(file) = self.found.files.get(&key).cloned() else { continue };
            if depth == imports::MAX_DEPTH || done.contains_key(&key) {
                continue;
            }
            let of = done.entry(key.clone()).or_default();
            let fence = file.inside.then_some(self.fence);
            let limit = self.options.policy.max_file_bytes;
            let Ok(text) = file::read(&file.path, limit, fence) else { continue };
            let body = front::read(&text.text).ok().flatten().map_or(0, |front| front.body);
            for path in imports::of(&text.text, body) {
                if let Some(imported) = self.import(&key, &file, path) {
                    of.insert(imported.clone());
                    waiting.push_back((imported, depth + 1));
                }
            }
        }
        for (key, imported) in imports::cycles(&done) {
            let text = format!("imports {}, which imports it back", shown(Path::new(imported)));
            self.note(key, &text);
        }
    }

    fn import(&mut self, key: &str, file: &DocFile, path: &str) -> Option<String> {
        let home = self.options.home.map(canonical);
        let whole = match path.strip_prefix("~/") {
            // Project files must not select files of the user.
            Some(_) if file.inside => None,
            Some(below) => {
                let home = home.as_ref()?;
                paths::resolve("", below).ok().map(|below| home.join(below))
            }
            None if file.inside && !path.starts_with('/') => {
                let folder = paths::folder_of(key);
                let own = paths::resolve(folder, path).ok();
                own.map(|own| canonical(&self.place.folder).join(own))
            }
            None => {
                let base = file.path.parent().unwrap_or(Path::new("/"));
                Some(lexical(&base.join(path)))
            }
        };
        let folder = canonical(&self.place.folder);
        let found = whole.and_then(|whole| {
            if let Ok(own) = whole.strip_prefix(&folder) {
                let own =
                    self.behind_link(&key_of(own)).map_or_else(|| key_of(own), |own| key_of(&own));
                return Some((own, whole.clone(), true));
            }
            let below = whole.strip_prefix(home.as_ref()?).ok().filter(|_| !file.inside)?;
            Some((format!("~/{}", key_of(below)), whole.clone(), false))
        });
        let Some((imported, path, inside)) = found else {
            let path = shown(Path::new(path));
            self.note(
                key,
                &format!("imports {path}, which is outside the project and was not followed"),
            );
            return None;
        };
        // Many words begin with `@`. Only an existing file is an import.
        if std::fs::symlink_metadata(&path).is_err() {
            return None;
        }
        if inside {
            self.own(&imported, Loaded::Imported);
        } else {
            self.add(imported.clone(), path, false, Loaded::Imported);
        }
        Some(imported)
    }

    fn note(&mut self, key: &str, text: &str) {
        let note = Note { path: Some(key.to_owned()), line: None, text: text.to_owned() };
        self.found.notes.push(note);
    }
}

/// Removes `.` and `..` from a path without reading the disk.
pub(crate) fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
