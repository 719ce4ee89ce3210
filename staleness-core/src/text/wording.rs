//! Words for the variants of an enum: one list, for storage, reports and files.

/// Gives an enum `ALL`, its variants in order; `as_str`, the word of each; and `from_word`, the inverse.
macro_rules! wording {
    ($name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $name {
            /// Every variant, in the order of the declaration.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$variant),*];

            /// The word that storage, reports and files use.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The inverse of `as_str`.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|each| each.as_str() == word)
            }
        }
    };
}
pub(crate) use wording;
