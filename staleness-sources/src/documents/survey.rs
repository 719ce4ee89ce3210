//! What reading documents comes to without a project to look names up in.

use super::draft::{self, Room};
use super::names::Names;

/// How much of what can be looked up texts hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Their blocks.
    pub blocks: usize,
    /// Names in them.
    pub names: usize,
    /// Words that were true at a time.
    pub markers: usize,
}

/// Reads texts as a check does, and counts what it would look up: the part of a check that needs
/// no project.
///
/// # Errors
/// Why the first that cannot be read cannot.
pub fn survey(texts: &[impl AsRef<str>]) -> Result<Survey, &'static str> {
    let (mut names, mut room) = (Names::default(), Room::default());
    let mut all = Survey::default();
    for text in texts {
        let draft = draft::read(text.as_ref(), &mut names, &mut room)?;
        all.blocks += draft.count as usize;
        all.names += draft.mentions.len();
        all.markers += draft.marks.len();
    }
    Ok(all)
}
