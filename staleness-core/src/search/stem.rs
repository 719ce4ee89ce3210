//! Word stems: the common part of the forms of an English word.

/// Returns a word without its plural, past, progressive and final `e` or `y`: `polic` of `policy` and `policies`,
/// `creat` of `create`, `created` and `creating`, `run` of `running`.
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
    let cut = |by: usize| &word[..word.len() - by];
    if word.ends_with("ies") {
        return if word.len() > 4 { cut(2) } else { cut(1) };
    }
    if ["sses", "shes", "ches", "xes", "zes"].iter().any(|suffix| word.ends_with(suffix)) {
        return cut(2);
    }
    let plural = word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if plural { cut(1) } else { word }
}

fn present(word: &str) -> &str {
    let stem = match (word.strip_suffix("ing"), word.strip_suffix("ed")) {
        (Some(stem), _) if stem.len() > 2 => stem,
        (_, Some(stem)) if stem.len() > 2 && !stem.ends_with('e') => stem,
        _ => return word,
    };
    if !stem.bytes().any(|byte| b"aeiouy".contains(&byte)) {
        return word;
    }
    match stem.as_bytes() {
        [.., a, b] if a == b && stem.len() > 3 && !b"lsz".contains(a) => &stem[..stem.len() - 1],
        _ => stem,
    }
}

fn ending(stem: &str) -> &str {
    let mut stem = stem;
    for letters in ["ey", "i"] {
        if stem.len() > 3 && stem.ends_with(|last| letters.contains(last)) {
            stem = &stem[..stem.len() - 1];
        }
    }
    stem
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
