//! Places of the checked-out commit where a name may be that was not found: submodules, and files that
//! are too large or cannot be read.
//!
//! A name may be there if it went when the place came or later, and its paragraph was last edited
//! before. What could not be read at the time of that edit either hides nothing: the name was seen
//! elsewhere then.

use foldhash::HashSet as Set;

use super::index::Index;
use crate::git::history::{Changes, Held};
use crate::git::objects::{EntryKind, Object, Objects, Oid, Wanted};
use crate::git::process::GitError;

/// Most earlier versions of unreadable files that are looked at: were they as unreadable?
const MAX_ASKED: usize = 64;

/// Objects of the checked-out commit that cannot be read.
#[derive(Debug, Default)]
pub(super) struct Veil {
    unread: Set<Oid>,
    submodule: bool,
    /// The places in the list of commits where it came to be so, and the last place that was known when they
    /// were looked up.
    came: Option<(usize, Vec<usize>)>,
}

impl Veil {
    pub(super) fn of(index: &mut Index) -> Self {
        let unread = std::mem::take(&mut index.unread);
        Self { unread, submodule: index.submodule, came: None }
    }

    /// Looks up when it came. Files are read for that while there are `bytes`.
    pub(super) fn lift(
        &mut self,
        changes: &Changes,
        objects: &mut Objects,
        bytes: &mut u64,
    ) -> Result<(), GitError> {
        if self.came.as_ref().is_some_and(|(upto, _)| *upto == changes.upto()) {
            return Ok(());
        }
        let mut came = Vec::new();
        let mut asked = 0;
        for file in changes.files().iter().filter(|_| self.submodule || !self.unread.is_empty()) {
            let Some(now) = file.now().filter(|held| self.hides(*held)) else { continue };
            for (commit, old) in file.before() {
                let same = match old {
                    Some((EntryKind::File, id)) if now.0 == EntryKind::File => {
                        asked += 1;
                        asked <= MAX_ASKED && *bytes > 0 && is_unread(id, objects, bytes)?
                    }
                    Some((kind, _)) => kind == now.0,
                    None => false,
                };
                if !same {
                    came.push(commit);
                    break;
                }
            }
        }
        self.came = Some((changes.upto(), came));
        Ok(())
    }

    fn hides(&self, (kind, id): Held) -> bool {
        match kind {
            EntryKind::Submodule => true,
            EntryKind::File => self.unread.contains(&id),
            _ => false,
        }
    }

    /// Returns true if a name may be there that was elsewhere at the place `there` of the list of commits,
    /// and went from there by the commit at `gone`. Without `there` nothing is known of when.
    pub(super) fn hides_name(&self, gone: usize, there: Option<usize>) -> bool {
        match (&self.came, there) {
            (Some((_, came)), Some(there)) => came.iter().any(|came| (gone..there).contains(came)),
            _ => self.submodule || !self.unread.is_empty(),
        }
    }
}

/// Returns true if a version of a file cannot be read.
fn is_unread(id: Oid, objects: &mut Objects, bytes: &mut u64) -> Result<bool, GitError> {
    objects.one(Wanted::Object(id), |object| match object {
        Object::Found(_, _, text) => {
            *bytes = bytes.saturating_sub(text.len() as u64);
            false
        }
        Object::TooLarge(read) => {
            *bytes = bytes.saturating_sub(read);
            true
        }
        Object::Missing | Object::Damaged => true,
    })
}
