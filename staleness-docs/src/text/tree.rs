//! The names in the project files on disk.

use std::collections::{BTreeSet, HashSet};

use staleness_core::knowledge::WordKind;

use super::near::nearest;
use crate::files::file;
use crate::files::on_disk::{MAX_WALKED, walked};
use crate::git::Word;
use crate::nature::is_document;
use crate::project::ProjectPlace;

/// Limits of reading and memory.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
const MAX_BYTES: usize = 256 * 1024 * 1024;
const MAX_NAMES: usize = 500_000;

/// The paths in the project, with a leading `/`, and the words of files that are not documents.
#[derive(Debug, Default)]
pub(super) struct Tree {
    paths: BTreeSet<String>,
    names: HashSet<Box<str>>,
}

impl Tree {
    /// Reads the files that are not ignored, up to the limits.
    pub(super) fn of(place: &ProjectPlace) -> Self {
        let fence = place.fence();
        let (mut tree, mut left) = (Self::default(), MAX_BYTES);
        walked(place, &fence, MAX_WALKED, |path, entry| {
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                return;
            }
            if !is_document(&path) && left > 0 && tree.names.len() < MAX_NAMES {
                let text = file::read(entry.path(), MAX_FILE_BYTES, Some(&fence));
                if let Ok(text) = text {
                    left = left.saturating_sub(text.text.len());
                    tree.take(&text.text);
                }
            }
            tree.paths.insert(format!("/{path}"));
        });
        tree
    }

    fn take(&mut self, text: &str) {
        let joins = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        for word in text.split(|c| !joins(c)).filter(|word| word.len() > 2) {
            self.enter(word);
            if word.contains('-') {
                word.split('-').filter(|part| part.len() > 2).for_each(|part| self.enter(part));
            }
        }
    }

    fn enter(&mut self, word: &str) {
        if self.names.len() < MAX_NAMES && !self.names.contains(word) {
            self.names.insert(word.into());
        }
    }

    /// Returns true if the work tree contains the target of a word.
    pub(super) fn has(&self, word: &Word) -> bool {
        match word.kind {
            WordKind::Path => {
                let text = word.text.trim_end_matches('/');
                let path = text.strip_prefix("./").unwrap_or(text);
                let (end, folder) = (format!("/{path}"), format!("/{path}/"));
                let mut below = self.paths.range(folder.clone()..);
                if self.paths.contains(&end)
                    || below.next().is_some_and(|it| it.starts_with(&folder))
                {
                    return true;
                }
                let is_whole = path.len() < text.len();
                !is_whole && self.paths.iter().any(|it| it.ends_with(&end) || it.contains(&folder))
            }
            WordKind::Flag => {
                let name = word.text.trim_start_matches('-');
                [word.text.as_str(), name, &name.replace('-', "_")]
                    .into_iter()
                    .any(|name| self.names.contains(name))
            }
            _ => parts(&word.text).all(|part| part.len() < 3 || self.names.contains(part)),
        }
    }

    /// Returns the existing name most similar to a word.
    pub(super) fn nearest(&self, word: &Word) -> Option<String> {
        let names = || self.names.iter().map(|name| &**name);
        match word.kind {
            WordKind::Path => {
                let path = word.text.trim_start_matches("./").trim_end_matches('/');
                let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
                let (name, all) = (last(path), || self.paths.iter().map(|path| &path[1..]));
                let mut alike = all().filter(|other| last(other) == name);
                if let (Some(only), None) = (alike.next(), alike.next()) {
                    return Some(only.to_owned());
                }
                nearest(path, all()).map(str::to_owned)
            }
            WordKind::Flag => nearest(&word.text, names().filter(|name| name.starts_with("--")))
                .map(str::to_owned),
            _ => {
                let missing =
                    parts(&word.text).find(|part| part.len() > 2 && !self.names.contains(*part))?;
                nearest(missing, names().filter(|name| !name.contains('-'))).map(str::to_owned)
            }
        }
    }
}

fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|part| !part.is_empty())
}
