//! Folding: maps texts that look the same to a reader to one text.

use unicode_normalization::UnicodeNormalization;

/// Folds a query for comparison: differences in compatibility forms, case, amount of white space and invisible
/// characters disappear.
///
/// The result is that of `toNFKC_Casefold` in the Unicode Standard (section 3.13), except that white space becomes a
/// single space. Characters are lower-cased, upper-cased and lower-cased again, which equals full case folding except
/// for the dotless `ı`, which stays as it is.
pub(crate) fn fold_query(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let cased = text.nfkc().filter(|c| !is_ignorable(*c)).flat_map(fold);
    let mut pending = false;
    for c in cased.nfkc() {
        if c.is_whitespace() {
            pending = !folded.is_empty();
            continue;
        }
        if std::mem::take(&mut pending) {
            folded.push(' ');
        }
        folded.push(c);
    }
    folded
}

/// Appends a character with its case folded, as in comparisons of search words.
pub(crate) fn push_folded(c: char, to: &mut String) {
    if c.is_ascii() {
        to.push(c.to_ascii_lowercase());
    } else {
        to.extend(fold(c));
    }
}

fn fold(c: char) -> impl Iterator<Item = char> {
    // The capital of the dotless `ı` is `I`, whose small letter is `i` in most languages.
    let dotless = (c == 'ı').then_some(c);
    let others = (c != 'ı')
        .then(|| c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase));
    dotless.into_iter().chain(others.into_iter().flatten())
}

/// Returns true for common characters of `Default_Ignorable_Code_Point`: soft hyphens, joiners, direction
/// marks, variation selectors and tags.
pub(crate) const fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_makes_no_difference() {
        for (text, folded) in [
            ("  Open\t Issues\n", "open issues"),
            ("ＯＰＥＮ　ｉｓｓｕｅｓ", "open issues"),
            ("STRASSE", "strasse"),
            ("stra\u{df}e", "strasse"),
            ("STRA\u{1e9e}E", "strasse"),
            ("ΟΔΟΣ", "οδοσ"),
            ("οδος", "οδοσ"),
            ("Cafe\u{301}", "caf\u{e9}"),
            ("\u{fb01}nd", "find"),
            ("a\u{ad}b\u{200b}c", "abc"),
            ("\u{212a}elvin", "kelvin"),
            ("\u{130}", "i\u{307}"),
        ] {
            assert_eq!(fold_query(text), folded, "{text:?}");
        }
        // In some languages these are separate letters.
        assert_ne!(fold_query("\u{131}"), fold_query("i"));
        assert_ne!(fold_query("caf\u{e9}"), fold_query("cafe"));
    }

    proptest::proptest! {
        #[test]
        fn folding_twice_is_folding_once(text in "\\PC{0,40}") {
            let once = fold_query(&text);
            proptest::prop_assert_eq!(fold_query(&once), once);
        }
    }
}
