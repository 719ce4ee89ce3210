//! Word stems: the common part of the forms of an English word.

/// Strips plural, past and progressive endings and a final `e` or `y` from a word: `polic` for `policy` and
/// `policies`, `creat` for `create`, `created` and `creating`, `run` for `running`.
///
/// A light stemmer, after Harman, "How effective is suffixing?", JASIS 42 (1991), and the first step of Porter,
/// "An algorithm for suffix stripping", Program 14 (1980). A stem is always a beginning of its word, so it costs
/// no allocation. Words with non-ASCII letters are returned unchanged.
pub(crate) fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let word = singular(word);
    if word.len() < 4 {
        return word;
    }
    ending(present(word))
}

fn singular(word: &str) -> &str {
    match word.as_bytes() {
        [.., b'i', b'e', b's'] => cut(word, if word.len() > 4 { 2 } else { 1 }),
        [.., b's' | b'c', b'h', b'e', b's']
        | [.., b's', b's', b'e', b's']
        | [.., b'x' | b'z', b'e', b's'] => cut(word, 2),
        [.., b's' | b'u' | b'i', b's'] => word,
        [.., b's'] => cut(word, 1),
        _ => word,
    }
}

fn present(word: &str) -> &str {
    let stem = match word.as_bytes() {
        [_, _, _, .., b'i', b'n', b'g'] => cut(word, 3),
        [_, _, .., last, b'e', b'd'] if *last != b'e' => cut(word, 2),
        _ => return word,
    };
    if !stem.bytes().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')) {
        return word;
    }
    match stem.as_bytes() {
        [_, _, .., a, b] if a == b && !matches!(a, b'l' | b's' | b'z') => cut(stem, 1),
        _ => stem,
    }
}

fn ending(stem: &str) -> &str {
    let stem = match stem.as_bytes() {
        [_, _, _, .., b'e' | b'y'] => cut(stem, 1),
        _ => stem,
    };
    match stem.as_bytes() {
        [_, _, _, .., b'i'] => cut(stem, 1),
        _ => stem,
    }
}

fn cut(word: &str, letters: usize) -> &str {
    &word[..word.len() - letters]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_have_one_stem() {
        for forms in [
            &["file", "files", "filed", "filing"][..],
            &["policy", "policies"],
            &["search", "searches", "searched", "searching"],
            &["create", "creates", "created", "creating"],
            &["run", "runs", "running"],
            &["query", "queries", "queried", "querying"],
            &["issue", "issues"],
            &["box", "boxes"],
            &["book", "books", "booking", "bookings"],
            &["call", "calls", "called", "calling"],
        ] {
            for form in forms {
                assert_eq!(stem(form), stem(forms[0]), "{form}");
            }
        }
    }

    #[test]
    fn short_words_numbers_and_other_alphabets_are_left_alone() {
        for word in ["use", "bus", "api", "v1s", "2fa", "caf\u{e9}s", "stra\u{df}en", "", "address"]
        {
            assert_eq!(stem(word), word);
        }
        assert_ne!(stem("string"), stem("str"), "a stem has a vowel");
        assert_ne!(stem("need"), stem("ne"));
    }

    proptest::proptest! {
        #[test]
        fn a_stem_is_a_beginning_of_its_word_and_never_empty(word in "[a-zé0-9]{1,12}") {
            let stem = stem(&word);
            proptest::prop_assert!(!stem.is_empty() && word.starts_with(stem));
        }
    }
}
