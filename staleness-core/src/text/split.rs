//! The words of a text, for an index.

use std::borrow::Cow;

use super::words::{Token, joins, tokens};

#[derive(Debug)]
pub(crate) enum Word<'t> {
    /// A run of ASCII letters and digits without inner capitals, as most words are.
    Plain(Cow<'t, str>),
    Other(Token),
}

impl Word<'_> {
    /// Returns the whole word, in lower case.
    pub(crate) fn whole(&self) -> &str {
        match self {
            Self::Plain(word) => word,
            Self::Other(token) => token.as_str(),
        }
    }

    /// Returns the smallest parts of the word: `web-search` as `web` and `search`.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        let (plain, runs) = match self {
            Self::Plain(word) => (Some(&**word), &[][..]),
            Self::Other(token) => (None, token.runs.as_slice()),
        };
        let parts = runs.iter().flat_map(|run| &run.parts);
        plain.into_iter().chain(parts.map(String::as_str))
    }

    /// Calls `visit` with every searchable form: `web-search` as `web`, `search` and `websearch`, `GitHub` as `git`,
    /// `hub` and `github`.
    pub(crate) fn spellings(&self, mut visit: impl FnMut(&str)) {
        if let Self::Other(token) = self {
            for run in &token.runs {
                if run.parts.len() > 1 {
                    run.parts.iter().for_each(|part| visit(part));
                }
                if token.runs.len() > 1 {
                    visit(&run.whole);
                }
            }
        }
        visit(self.whole());
    }
}

/// Returns the words of a text. They are those of [`tokens`], but plain words need no list of parts, and the text is
/// read to its end.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let chunks = text.split(|c: char| c.is_ascii() && !joins(c));
    let chunks = chunks.map(|chunk| chunk.trim_matches(['-', '_', '.']));
    chunks.filter(|chunk| !chunk.is_empty()).flat_map(|chunk| {
        let is_small = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_plain =
            chunk.as_bytes()[0].is_ascii_alphanumeric() && chunk.bytes().skip(1).all(is_small);
        let (plain, others) = match is_plain {
            true if chunk.as_bytes()[0].is_ascii_uppercase() => {
                (Some(chunk.to_ascii_lowercase().into()), Vec::new())
            }
            true => (Some(chunk.into()), Vec::new()),
            false => (None, tokens(chunk)),
        };
        plain.map(Word::Plain).into_iter().chain(others.into_iter().map(Word::Other))
    })
}

/// Calls `visit` with every searchable form of each word of a text. Returns the number of words.
pub(crate) fn split(text: &str, mut visit: impl FnMut(&str)) -> usize {
    words(text).map(|word| word.spellings(&mut visit)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fast(text: &str) -> Vec<(String, Vec<String>)> {
        let parts = |word: &Word<'_>| word.parts().map(str::to_owned).collect();
        words(text).map(|word| (word.whole().to_owned(), parts(&word))).collect()
    }

    /// Returns the same words as [`words`], made from [`tokens`].
    fn slow(text: &str) -> Vec<(String, Vec<String>)> {
        let parts = |token: &Token| token.runs.iter().flat_map(|run| run.parts.clone()).collect();
        tokens(text).iter().map(|token| (token.whole.clone(), parts(token))).collect()
    }

    #[test]
    fn words_are_split_as_they_are_in_searches_for_tools() {
        let texts = "web-search|GitHub|mcp__GitHub__searchIssues|HTTPServer2|a.b_c-d|x|--||_|\
                     file.rs:42, (see `foo_bar`)|ABc aBC AbC|v1.2.3-rc1|__init__|\
                     Caf\u{e9} HTTPS-\u{c4}b";
        for text in texts.split('|') {
            assert_eq!(fast(text), slow(text), "{text}");
        }
        let mut spellings = Vec::new();
        words("searchIssues x")
            .for_each(|word| word.spellings(|form| spellings.push(form.to_owned())));
        assert_eq!(spellings, ["search", "issues", "searchissues", "x"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_the_same_words(text in "[ -~]{0,100}|\\PC{0,60}") {
            proptest::prop_assert_eq!(fast(&text), slow(&text));
        }
    }
}
