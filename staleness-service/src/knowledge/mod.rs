//! Knowledge items in the store and in files, and their verdicts.

mod add;
mod change;
mod filed;
mod look;
mod recall;
mod relate;
mod world;

use staleness::ids::ItemId;
use staleness::knowledge::ItemKind;

pub use add::{NewItem, add};
pub use change::{done, may_expire, set, verify};
pub(crate) use look::known;
pub use look::{everything, show};
pub use recall::{Recall, recall};
pub use relate::{contradict, remove, supersede};
pub use world::{Pretended, Target, World};

use crate::error::ServiceError;
use crate::naming::id_of;
use crate::words::id;

/// Derives an id from an item's kind and text. The same text always gives the same id.
///
/// # Errors
/// Never, if the text contains words.
pub fn id_for(kind: ItemKind, body: &str) -> Result<ItemId, ServiceError> {
    /// Maximum number of characters taken from the text.
    const WORDS: usize = 40;
    id("id", id_of(kind.as_str(), body, "", WORDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_what_it_is_about() {
        let id = |body: &str| id_for(ItemKind::Knowledge, body).unwrap().to_string();
        let long = id("# The HTTPRouter matches the longest prefix, then the method\n\nmore");
        assert!(long.starts_with("the-http-router-matches-the-longest-"), "{long}");
        assert!(long.chars().count() <= 47);
        assert_eq!(
            long,
            id("# The HTTPRouter matches the longest prefix, then the method\n\nmore")
        );
        assert_ne!(long, id("# The HTTPRouter matches the longest prefix, then the method"));
        assert!(id("!!!").starts_with("knowledge-"));
    }
}
