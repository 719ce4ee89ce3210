//! Words for the variants of an enum: one list for storage, reports and files.

/// Implements `ALL`, the variants in order, `as_str`, the word for each, and `from_word`, its inverse.
macro_rules! wording {
    ($name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $name {
            /// All variants, in order of declaration.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$variant),*];

            /// Returns the word used in storage, reports and files.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Returns the variant for a word, if there is one.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|each| each.as_str() == word)
            }
        }
    };
}
pub(crate) use wording;
