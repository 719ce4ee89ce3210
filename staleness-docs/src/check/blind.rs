//! Gaps in a check. Each report lists them with a remedy. An earlier result for a document is reused only
//! while the gaps stay the same.

use std::path::Path;

use staleness_core::ids::stable_hash;
use staleness_core::knowledge::{Document, Gap};

use super::past::Past;
use crate::git::{GitError, Repo, Store, TrackedKind, Unread};
use crate::report::{Blind, HISTORY};

/// Some contents exceeded a limit.
pub(super) const CUT: u8 = 1;
/// Some files were too large.
pub(super) const TOO_LARGE: u8 = 2;
/// Some objects were missing, or could not be read.
const MISSING: u8 = 4;
const DAMAGED: u8 = 8;
/// The document has notes. They are not stored.
const NOTED: u8 = 16;
/// Lowest of the digest bits that record the gaps and notes above. These bits replace bits of the settings digest.
const BITS: u32 = 66;

/// Maximum number of submodules to list individually.
const MAX_TOLD: usize = 3;

impl Past<'_> {
    /// Returns true if git failed, so that another attempt might succeed.
    pub(super) fn is_doubtful(&self) -> bool {
        self.failed || self.repo.as_ref().is_some_and(|repo| repo.is_ended())
    }

    /// Returns the digest to store with a document that was just checked.
    pub(super) fn seal(&self, digest: u128, noted: bool) -> u128 {
        let noted = if noted { NOTED } else { 0 };
        self.sealed(digest, noted | self.repo.as_ref().map_or(0, |repo| gaps_of(repo)))
    }

    /// Records the gaps of a stored digest, and returns true if the document has notes. `None` if the stored digest
    /// `known` no longer applies, because the document or the gaps have changed.
    pub(super) fn still_holds(&self, known: u128, digest: u128) -> Option<bool> {
        let bits = (known >> BITS) as u8 & 31;
        (known == self.sealed(digest, bits)).then(|| {
            self.met.set(self.met.get() | bits & !NOTED);
            bits & NOTED > 0
        })
    }

    fn sealed(&self, digest: u128, bits: u8) -> u128 {
        // A limit stays exceeded, but missing objects may be fetched later.
        let state = if bits & (MISSING | DAMAGED) > 0 { self.store().state } else { 0 };
        let bytes = [digest.to_le_bytes(), state.to_le_bytes()].concat();
        let settings = stable_hash(&bytes) << 5 | u128::from(bits);
        Document::digest_of(digest, settings << (BITS - 64))
    }

    /// Returns the state of the object folders before the first query. Objects that arrive later may have
    /// been missed.
    pub(super) fn store(&self) -> Store {
        let store = || self.repo.as_ref().map_or_else(Store::default, |repo| repo.store());
        *self.store.get_or_init(store)
    }

    /// Returns true if the check encountered one of these gaps.
    pub(super) fn has_met(&self, bits: u8) -> bool {
        let now = self.repo.as_ref().map_or(0, |repo| gaps_of(repo));
        (now | self.met.get()) & bits > 0
    }

    pub(crate) fn blind(&self) -> Vec<Blind> {
        let Some(repo) = &self.repo else { return self.unopened.iter().cloned().collect() };
        let blind = |kind, path: &str, reason: &str| Blind {
            kind,
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        let mut all = Vec::new();
        if repo.is_shallow() {
            all.push(blind(Gap::Shallow, HISTORY, "is shallow; older commits are missing"));
        }
        let is_partial = self.has_met(MISSING) && self.store().partial;
        if is_partial {
            let reason = "is partial; files of earlier commits are missing";
            all.push(blind(Gap::Partial, HISTORY, reason));
        }
        if self.failed || self.has_met(DAMAGED) || self.has_met(MISSING) && !is_partial {
            let reason = "could not be read completely";
            all.push(blind(Gap::Unreadable, HISTORY, reason));
        }
        let submodules = self.tracked().into_iter().flat_map(|tracked| tracked.iter());
        let mut absent = submodules
            .filter(|(_, kind)| *kind == TrackedKind::Submodule)
            .map(|(path, _)| path)
            .filter(|path| self.folder.join(path).join(".git").symlink_metadata().is_err());
        let reason = "is a submodule that is not checked out";
        all.extend(absent.by_ref().take(MAX_TOLD).map(|it| blind(Gap::Submodule, it, reason)));
        let more = absent.count();
        if more > 0 {
            let reason = format!("has {more} more submodules that are not checked out");
            all.push(blind(Gap::Submodule, crate::report::WHOLE, &reason));
        }
        all
    }
}

/// Returns the gap for a repository that could not be opened. `None` if there is no repository at `folder` or above it,
/// or the error is not a gap.
pub(super) fn unopened(folder: &Path, why: &GitError) -> Option<Blind> {
    let kind = match why {
        GitError::NotTrusted => Gap::Untrusted,
        GitError::NoAnswer | GitError::TooMuch => Gap::Stopped,
        GitError::Failed(_) => Gap::Unreadable,
        GitError::NoProgram => Gap::NoGit,
        _ => return None,
    };
    let is_there = |folder: &Path| {
        let git = folder.join(".git");
        git.is_file() || git.join("HEAD").symlink_metadata().is_ok()
    };
    let reason = format!("cannot be read: {why}");
    folder.ancestors().any(is_there).then(|| Blind { kind, path: HISTORY.to_owned(), reason })
}

/// Returns the gaps that a repository has encountered so far.
fn gaps_of(repo: &Repo) -> u8 {
    let Unread { missing, too_large, damaged } = repo.unread();
    let bit = |is: bool, bit: u8| if is { bit } else { 0 };
    bit(repo.is_cut(), CUT)
        | bit(too_large > 0, TOO_LARGE)
        | bit(missing > 0, MISSING)
        | bit(damaged > 0, DAMAGED)
}
