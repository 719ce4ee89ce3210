//! Converts AsciiDoc to Markdown: titles, code, macros that name files, source blocks.

use super::plain::{Fence, Writer, lines};

/// Macros that name a file.
const MACROS: [&str; 4] = ["link", "xref", "image", "include"];

/// The longest macro, in bytes.
const MAX_MACRO: usize = 300;

/// Converts a document to Markdown.
pub(super) fn plain(text: &str) -> Writer<'_> {
    let mut reader = Reader { writer: Writer::new(text), lines: lines(text), language: None };
    let mut at = reader.front();
    while at < reader.lines.len() {
        at = reader.line(at);
    }
    reader.writer
}

struct Reader<'t> {
    writer: Writer<'t>,
    lines: Vec<&'t str>,
    /// The language of the next block, if it is a source block.
    language: Option<&'t str>,
}

impl<'t> Reader<'t> {
    /// Copies the front matter. Returns the index of the next line.
    fn front(&mut self) -> usize {
        let is_mark = |line: &&str| line.trim_end() == "---";
        if !self.lines.first().is_some_and(is_mark) {
            return 0;
        }
        let end = self.lines[1..].iter().position(is_mark).map_or(0, |end| end + 2);
        (0..end).for_each(|at| self.writer.keep(self.lines[at]));
        end
    }

    /// Converts a line and the lines that belong to it. Returns the index of the next line.
    fn line(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        let text = line.trim_end();
        if let Some(end) = self.block(at, text) {
            return end;
        }
        if text.is_empty() || text == "+" {
            self.writer.write("\n");
            return at + 1;
        }
        if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            self.language = language(inner).or(self.language);
            return at + 1;
        }
        // The title of the block that follows.
        if text
            .strip_prefix('.')
            .is_some_and(|title| !title.starts_with(['.', ' ']) && !title.is_empty())
        {
            self.text(&text[1..]);
            self.writer.write("\n\n");
            return at + 1;
        }
        if let Some(language) = self.language.take_if(|_| !text.starts_with("//")) {
            let rest = self.lines[at..].iter().take_while(|line| !line.trim().is_empty());
            return self.fence(at, at + rest.count(), language);
        }
        let comment = text.strip_prefix("//");
        if let Some(comment) = comment.map(str::trim_start) {
            if comment.starts_with("<!--") {
                self.writer.write("\n");
                self.writer.keep(comment);
                self.writer.write("\n\n");
            }
            return at + 1;
        }
        let is_first = at == 0 || self.lines[at - 1].trim().is_empty();
        if is_first && line.starts_with([' ', '\t']) && !is_item(text.trim_start()) {
            let rest = self.lines[at..].iter().take_while(|line| !line.trim().is_empty());
            return at + rest.count();
        }
        let is_attribute = |text: &str| {
            let name = text.strip_prefix(':').and_then(|text| text.split_once(':'));
            name.is_some_and(|(name, _)| !name.is_empty() && !name.contains(' '))
        };
        if !is_attribute(text) {
            self.text(text.trim_start());
            self.writer.write("\n");
        }
        at + 1
    }

    /// Converts a delimited block, or only its opening line if the block contains text. Returns the index of
    /// the next line.
    fn block(&mut self, at: usize, text: &'t str) -> Option<usize> {
        let sign = *text.as_bytes().first()?;
        let is_all = text.bytes().all(|byte| byte == sign);
        let is_table = matches!(text, "|===" | "!===");
        let is_fence = text.starts_with("```") || is_all && text.len() >= 4;
        if !(is_table || is_fence || text == "--") {
            return None;
        }
        let fence = Fence::opened_by(text).filter(|_| sign == b'`');
        let closes = |line: &&str| {
            fence.map_or_else(|| line.trim_end() == text, |fence| fence.is_closed_by(line))
        };
        let end = self.lines[at + 1..].iter().position(closes);
        let end = end.map_or(self.lines.len(), |end| at + 1 + end);
        let language = self.language.take();
        match sign {
            b'`' => self.fence(at + 1, end, text.trim_start_matches('`')),
            b'-' if text.len() > 2 || language.is_some() => {
                self.fence(at + 1, end, language.unwrap_or_default())
            }
            b'.' => self.fence(at + 1, end, language.unwrap_or_default()),
            b'+' | b'/' => end,
            // Other blocks contain text.
            _ => {
                self.writer.write("\n");
                return Some(at + 1);
            }
        };
        Some(end + 1)
    }

    /// Writes lines as a fenced block, followed by links to the files that they include.
    fn fence(&mut self, from: usize, to: usize, language: &str) -> usize {
        let is_include = |line: &&&'t str| line.starts_with("include::");
        let lines = &self.lines[from.min(to)..to];
        let own: Vec<&str> = lines.iter().filter(|line| !is_include(line)).copied().collect();
        self.writer.fence(&own, language);
        let included: Vec<&str> = lines.iter().filter(is_include).copied().collect();
        for line in included {
            self.text(line.trim_end());
            self.writer.write("\n\n");
        }
        to
    }

    fn text(&mut self, text: &'t str) {
        let level = text.bytes().take_while(|byte| *byte == b'=').count();
        let title = text[level..].strip_prefix(' ').filter(|_| (1..=6).contains(&level));
        let mut rest = text;
        if let Some(title) = title {
            self.writer.write(&format!("\n{} ", "#".repeat(level)));
            rest = title;
        } else if is_item(text) {
            self.writer.write("- ");
            rest = text.trim_start_matches(['*', '-', '.']).trim_start();
        } else if let Some(row) = text.strip_prefix('|') {
            self.writer.write("\n");
            rest = row;
        } else if text.starts_with(['#', '>']) {
            self.writer.write("\\");
        }
        while let Some(at) = rest.find(['`', ':', '<']) {
            let (before, here) = rest.split_at(at);
            let next = match here.as_bytes()[0] {
                b'`' => self.code(before, here),
                b':' => self.named(before, here),
                _ => self.reference(before, here),
            };
            rest = next.unwrap_or_else(|| {
                self.writer.keep(&rest[..=at]);
                &rest[at + 1..]
            });
        }
        self.writer.keep(rest);
    }

    /// Writes `` `code` `` or `` `+code+` ``. Returns the rest of the line.
    fn code(&mut self, before: &'t str, here: &'t str) -> Option<&'t str> {
        let end = here[1..].find('`').filter(|end| *end > 0)?;
        let (code, behind) = (&here[1..=end], &here[end + 2..]);
        if before.ends_with('\\') {
            return None;
        }
        self.writer.keep(before);
        // These backticks form curved quotation marks: `` "`text`" ``.
        if before.ends_with(['"', '\'']) && behind.starts_with(&before[before.len() - 1..]) {
            self.writer.keep(code);
            return Some(behind);
        }
        self.writer
            .code(code.strip_prefix('+').and_then(|code| code.strip_suffix('+')).unwrap_or(code));
        Some(behind)
    }

    /// Writes a macro such as `link:a.adoc[text]` or `include::a.adoc[]`. Returns its text and the rest of
    /// the line.
    fn named(&mut self, before: &'t str, here: &'t str) -> Option<&'t str> {
        let name = MACROS.into_iter().find(|name| before.ends_with(name))?;
        let target = here.trim_start_matches(':');
        let end = near(target, b"[")?;
        let (target, behind) = target.split_at(end);
        let close = near(behind, b"]")?;
        if target.contains(char::is_whitespace) {
            return None;
        }
        self.writer.keep(&before[..before.len() - name.len()]);
        self.to(target);
        self.writer.write(" ");
        self.writer.keep(&behind[1..close]);
        Some(&behind[close + 1..])
    }

    /// Writes `<<a.adoc#part,text>>`. Returns the rest of the line.
    fn reference(&mut self, before: &'t str, here: &'t str) -> Option<&'t str> {
        let here = here.strip_prefix("<<")?;
        let (inner, behind) = here.split_at(near(here, b">>")?);
        self.writer.keep(before);
        self.to(inner.split(',').next().unwrap_or(inner));
        self.writer.write(" ");
        behind.get(2..)
    }

    /// Writes a link to a file. Skips links within the document or to another module.
    fn to(&mut self, target: &'t str) {
        let path = target.split('#').next().unwrap_or(target);
        let is_file = path.contains(['.', '/']) && !path.contains([':', '@', '{', '$']);
        if is_file {
            self.writer.link(target, "");
        }
    }
}

/// Returns the position of a delimiter, if it is nearby.
fn near(text: &str, sign: &[u8]) -> Option<usize> {
    let bytes = &text.as_bytes()[..text.len().min(MAX_MACRO)];
    bytes.windows(sign.len()).position(|window| window == sign)
}

/// Returns true if a line is a list item.
fn is_item(text: &str) -> bool {
    let marks = text.bytes().take_while(|byte| b"*-.".contains(byte)).count();
    (1..=5).contains(&marks) && text[marks..].starts_with(' ')
}

/// Returns the language in the attributes of a source block.
fn language(attributes: &str) -> Option<&str> {
    let mut parts = attributes.split(',').map(str::trim);
    let style = parts.next()?.split(['%', '#', '.']).next()?;
    matches!(style, "source" | "").then(|| parts.next())?.filter(|language| !language.contains('='))
}

#[cfg(test)]
mod tests {
    use super::super::plain::Plain;

    #[test]
    fn what_names_something_reads_as_in_markdown() {
        for (adoc, markdown) in [
            (
                "= Title\n\nIn `src/a.rs` and `+--fast+`.\n",
                "\n# Title\n\nIn `src/a.rs` and `--fast`.\n",
            ),
            ("* One\n** Two `a`\n. Three\n", "- One\n- Two `a`\n- Three\n"),
            ("See link:docs/a.adoc[it].\n", "See [](docs/a.adoc) it.\n"),
            ("See xref:a.adoc#b[it] and xref:part[].\n", "See [](a.adoc#b) it and  .\n"),
            ("See <<a.adoc#b,it>>, <<part>>.\n", "See [](a.adoc#b) ,  .\n"),
            ("include::a/b.adoc[]\n", "[](a/b.adoc) \n"),
            ("include::{dir}/b.adoc[]\n", " \n"),
            ("[source,bash]\n----\nnpm run x\n----\n", "\n```bash\nnpm run x\n\n```\n\n"),
            ("[source,bash]\nnpm run x\n\nEnd\n", "\n```bash\nnpm run x\n\n```\n\n\nEnd\n"),
            ("....\nsrc/a.rs\n", "\n```\nsrc/a.rs\n\n```\n\n"),
            ("////\n`a`\n////\n// b\n:c: d\nEnd\n", "End\n"),
            (
                "[source,bash]\n.Run it\n// so\n----\nnpm run x\n----\n",
                "Run it\n\n\n```bash\nnpm run x\n\n```\n\n",
            ),
            ("[source,sh]\n[subs=a]\n--\nnpm run x\n--\n", "\n```sh\nnpm run x\n\n```\n\n"),
            ("----\ninclude::a/b.rb[tag=c]\n----\n", "\n```\n\n```\n\n[](a/b.rb) tag=c\n\n"),
            ("````md\n```\nx\n```\n````\nEnd\n", "\n````md\n```\nx\n```\n\n````\n\nEnd\n"),
            ("A \"`b`\" and \\`c`.\n", "A \" b \" and \\`c`.\n"),
            ("====\nIn `a`.\n====\n", "\nIn `a`.\n\n"),
            ("a: `b`, 3:4 <c>\n", "a: `b`, 3:4 <c>\n"),
        ] {
            assert_eq!(Plain::of("a.adoc", adoc).text, markdown, "{adoc}");
        }
    }
}
