//! Text: folding of spellings, the words of a text, and counts in words.

mod counted;
mod fold;
pub(crate) mod hex;
mod packed;
mod shown;
mod split;
mod wording;
mod words;

pub(crate) use crate::wording;
pub use counted::counted;
pub(crate) use counted::days;
pub(crate) use fold::fold_query;
pub(crate) use packed::{nested, pack, unpack};
pub use shown::is_unsafe;
pub(crate) use shown::{IN_SESSION, holder};
pub(crate) use split::{split, words};
pub use words::terms;
pub(crate) use words::{MIN_PREFIX, Run, Token, question, tokens};
