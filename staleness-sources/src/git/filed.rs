//! Names of files between quotation marks: what a program reads or writes, whoever it belongs to.

use std::ops::Range;

use super::tokens::is_data;

/// The longest path that such a name is the end of, in bytes.
const MAX_PATH: usize = 256;

/// The name of a file, and where it is found.
#[derive(Debug)]
pub(super) struct FileName {
    name: Box<[u8]>,
    /// The first letters, digits, `_` and `-` of it: they are a word of its text.
    run: Range<usize>,
    pub(super) number: u32,
}

impl FileName {
    pub(super) fn new(name: &[u8], number: u32) -> Self {
        let is_in = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        let start = name.iter().position(is_in).unwrap_or(name.len());
        let end = name[start..].iter().position(|byte| !is_in(byte));
        let run = start..end.map_or(name.len(), |end| start + end);
        Self { name: name.into(), run, number }
    }

    pub(super) fn name(&self) -> &[u8] {
        &self.name
    }

    pub(super) fn run(&self) -> &[u8] {
        &self.name[self.run.clone()]
    }

    /// Whether the name stands around this run of a text, as a whole or at the end of a path.
    pub(super) fn is_at(&self, text: &[u8], run: &Range<usize>) -> bool {
        let Some(start) = run.start.checked_sub(self.run.start) else { return false };
        let end = start + self.name.len();
        if text.get(start..end) != Some(&*self.name) {
            return false;
        }
        let Some(quote @ (b'"' | b'\'')) = text.get(end) else { return false };
        let before = &text[start.saturating_sub(MAX_PATH)..start];
        match before {
            [.., last] if last == quote => true,
            // Where a source lies is told of that one: `"src/a.rs"` in a test says nothing of another.
            [.., b'/' | b'\\'] if is_data(&self.name) => {
                let sign = |byte: &u8| b"\"'`\n".contains(byte);
                let open = before.iter().rposition(sign);
                open.is_some_and(|open| before[open] == *quote && is_path(&before[open + 1..]))
            }
            _ => false,
        }
    }
}

/// Whether this is no sentence and no address.
fn is_path(text: &[u8]) -> bool {
    !text.iter().any(u8::is_ascii_whitespace) && !super::defined::holds(text, b"://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_is_found_between_quotation_marks_and_at_the_end_of_a_path() {
        let file = FileName::new(b"site-map.old.yml", 7);
        assert_eq!(file.run(), b"site-map");
        let is = |text: &str| {
            let at = text.find("site-map").unwrap();
            file.is_at(text.as_bytes(), &(at..at + "site-map".len()))
        };
        for text in [
            "open(\"site-map.old.yml\")",
            "folder / 'site-map.old.yml'",
            "'conf/site-map.old.yml'",
            "f\"{folder}/site-map.old.yml\"",
            "\"..\\\\site-map.old.yml\"",
        ] {
            assert!(is(text), "{text}");
        }
        for text in [
            "open(site-map.old.yml)",
            "`site-map.old.yml`",
            "\"see site-map.old.yml\"",
            "\"see conf/site-map.old.yml\"",
            "\"https://x.org/site-map.old.yml\"",
            "\"site-map.yml\"",
            "\"site-map.old.yml.bak\"",
            "\"site-map.old.yml'",
            "\"site-map.old.yml",
            "\"site-map",
        ] {
            assert!(!is(text), "{text}");
        }
        let page = FileName::new(b"[id].tsx", 1);
        assert!(page.is_at(b"'[id].tsx'", &(2..4)) && !page.is_at(b"id", &(0..2)));
        assert!(!page.is_at(b"'app/[id].tsx'", &(6..8)), "a source");
        assert_eq!(FileName::new("é".as_bytes(), 1).run(), b"");
    }
}
