//! The tools, in the order in which they are listed.

mod documents;
mod find;
mod knowledge;
pub(crate) mod overdue;
mod sessions;
mod verdict;
mod verify;
mod work;

use crate::spec::Spec;

/// The tool whose answer counts only once it was delivered.
pub(crate) const DELIVERS: &str = "resume_session";

/// Every tool.
pub(crate) fn all() -> Vec<Spec> {
    let mut all = find::specs();
    all.extend(documents::specs());
    all.extend(knowledge::specs());
    all.extend(verify::specs());
    all.extend(overdue::specs());
    all.extend(work::specs());
    all.extend(sessions::specs());
    all
}
