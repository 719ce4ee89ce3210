//! Words for the variants of an enum: one list for storage, reports and files.

/// Implements `ALL`, `as_str` and `from_word` for an enum: the variants in order, the word for each variant, and
/// its inverse. Defines the enum with its words, which serde also uses, or extends an existing one.
#[doc(hidden)]
#[macro_export]
macro_rules! wording {
    (
        $(#[$meta:meta])* $vis:vis enum $name:ident {
            $($(#[$own:meta])* $variant:ident = $word:literal,)*
        }
    ) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$own])* #[serde(rename = $word)] $variant,)*
        }

        $crate::wording! { $name { $($variant = $word),* } }
    };
    ($name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $name {
            /// All variants, in order of declaration.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$variant),*];

            /// Returns the word used in storage, reports and files.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Returns the variant for a word, if there is one.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|each| each.as_str() == word)
            }
        }
    };
}
