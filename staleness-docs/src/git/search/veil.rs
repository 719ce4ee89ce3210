//! Places in the checked-out commit that may hide a missing name: submodules, and files that are too large or
//! unreadable.
//!
//! A place may hide a name if it became unreadable after the last edit of the paragraph, but not after the removal of
//! the name. A place that was already unreadable at the edit hides nothing, because the name was then in another place.

use foldhash::HashSet as Set;

use crate::git::history::{Changes, Held};
use crate::git::objects::{Object, Objects, Oid, TrackedKind, Wanted};
use crate::git::process::GitError;

/// Maximum number of earlier versions to check for being unreadable too.
const MAX_ASKED: usize = 64;

/// Contents of the checked-out commit that cannot be read.
#[derive(Debug, Default)]
pub(super) struct Veil {
    unread: Set<Oid>,
    submodule: bool,
    /// Index of the oldest commit known at the lookup, and indices of the commits in which the places became
    /// unreadable.
    came: Option<(usize, Vec<usize>)>,
}

impl Veil {
    pub(super) const fn new(unread: Set<Oid>, submodule: bool) -> Self {
        Self { unread, submodule, came: None }
    }

    /// Finds out when the places became unreadable. `bytes` is the remaining budget for reading files.
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
                    Some((TrackedKind::File, id)) if now.0 == TrackedKind::File => {
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
            TrackedKind::Submodule => true,
            TrackedKind::File => self.unread.contains(&id),
            _ => false,
        }
    }

    /// Returns true if a place may hide a name that existed at commit `there` and was removed by commit
    /// `gone`. `None` means that the time is unknown.
    pub(super) fn hides_name(&self, gone: usize, there: Option<usize>) -> bool {
        match (&self.came, there) {
            (Some((_, came)), Some(there)) => came.iter().any(|came| (gone..there).contains(came)),
            _ => self.submodule || !self.unread.is_empty(),
        }
    }
}

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
