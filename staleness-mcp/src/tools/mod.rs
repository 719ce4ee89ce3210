//! All tools, in listing order.

mod documents;
mod find;
mod knowledge;
pub(crate) mod overdue;
mod sessions;
mod verdict;
mod verify;
mod work;

use crate::spec::Spec;

/// The tool whose call takes effect only once its answer has been delivered.
pub(crate) const DELIVERS: &str = "resume_session";

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
