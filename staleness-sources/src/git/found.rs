//! What was found in a part of a commit.

use std::sync::Arc;

/// What is known of everything below a folder, or of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The things that were found, in order.
    pub(crate) things: Arc<[u32]>,
    /// True if something could not be looked at, so that there may be more.
    pub(crate) holes: bool,
}

impl Found {
    pub(crate) fn of(things: &mut Vec<u32>, holes: bool) -> Self {
        things.sort_unstable();
        things.dedup();
        if things.is_empty() && !holes {
            Self::default()
        } else {
            Self { things: things.as_slice().into(), holes }
        }
    }

    /// Returns true if this thing was found.
    pub(crate) fn holds(&self, thing: u32) -> bool {
        self.things.binary_search(&thing).is_ok()
    }
}
