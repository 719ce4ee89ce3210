use crate::git::history::History;
use crate::git::objects::Oid;
use crate::git::process::GitError;
use crate::git::renames::Moved;

/// Budget for reading files, in bytes. Line-by-line comparisons are charged per line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    left: u64,
}

/// The budget is used up.
pub(crate) struct Full;

impl Room {
    pub(crate) const fn of(left: u64) -> Self {
        Self { left }
    }

    /// Spends `amount`. The step that exceeds the budget is still allowed; the next one fails.
    pub(crate) fn take(&mut self, amount: usize) -> Result<(), Full> {
        if self.left == 0 {
            return Err(Full);
        }
        self.left = self.left.saturating_sub(amount as u64);
        Ok(())
    }
}

/// Answers questions about citations and parts.
pub(crate) struct Citations<'r> {
    pub(crate) history: &'r mut History,
    pub(crate) moved: &'r mut Moved,
    /// Budget for comparing cited files, shared by all queries.
    pub(crate) room: &'r mut Room,
}

impl Citations<'_> {
    /// Returns the contents of a text file. `None` if it is not text or the budget is used up.
    pub(super) fn cited_text(&mut self, file: Oid) -> Result<Option<Vec<u8>>, GitError> {
        if self.room.take(0).is_err() {
            self.history.cut = true;
            return Ok(None);
        }
        let text = self.history.text(file)?;
        // The file that exceeds the budget is still used.
        let _ = self.room.take(text.as_ref().map_or(0, Vec::len));
        Ok(text)
    }
}
