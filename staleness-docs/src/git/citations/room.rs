//! The bound on what is read and compared for citations.

use crate::git::history::History;
use crate::git::objects::Oid;
use crate::git::process::GitError;
use crate::git::renames::Moved;

/// Budget for looking at files, in bytes, or in lines where these are compared one by one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    left: u64,
}

/// There is no room to look at more.
pub(crate) struct Full;

impl Room {
    pub(crate) const fn of(left: u64) -> Self {
        Self { left }
    }

    /// Takes room for so much. What goes beyond the end is still looked at, and nothing after it.
    pub(crate) fn take(&mut self, amount: usize) -> Result<(), Full> {
        if self.left == 0 {
            return Err(Full);
        }
        self.left = self.left.saturating_sub(amount as u64);
        Ok(())
    }
}

/// Answers questions about citations.
pub(crate) struct Citations<'r> {
    pub(crate) history: &'r mut History,
    pub(crate) moved: &'r mut Moved,
    /// Budget for comparing cited files, for all questions.
    pub(crate) room: &'r mut Room,
}

impl Citations<'_> {
    /// The contents of a text file, while there is room for more.
    pub(super) fn cited_text(&mut self, file: Oid) -> Result<Option<Vec<u8>>, GitError> {
        if self.room.take(0).is_err() {
            self.history.cut = true;
            return Ok(None);
        }
        let text = self.history.text(file)?;
        // Nothing is asked of what is beyond the end.
        let _ = self.room.take(text.as_ref().map_or(0, Vec::len));
        Ok(text)
    }
}
