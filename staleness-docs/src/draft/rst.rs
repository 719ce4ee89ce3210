//! Converts reStructuredText to Markdown: titles, literals, links, and the roles and directives that name files or
//! contain code.
//!
//! Reads line by line, without a tree. The contents of a directive are treated like the text around it.

use super::plain::{MAX_DEPTH, Writer, indent, indented, lines};
use super::target::has_scheme;

/// Directives whose content is code. Their argument is the language.
const CODE: [&str; 4] = ["code-block", "code", "prompt", "sourcecode"];
/// Directives that name a file.
const FILES: [&str; 4] = ["include", "literalinclude", "image", "figure"];
/// Directives whose content is not text, or is about earlier versions.
#[rustfmt::skip]
const OTHER: [&str; 19] = [
    "raw", "math", "parsed-literal", "doctest", "testcode", "testsetup", "testcleanup", "testoutput", "graphviz",
    "digraph", "mermaid", "plot", "productionlist", "ipython", "highlight",
    "versionadded", "versionchanged", "versionremoved", "deprecated",
];
/// Roles whose text is code.
#[rustfmt::skip]
const ROLES: [&str; 18] = [
    "attr", "class", "code", "command", "const", "data", "envvar", "exc", "file", "func", "literal", "meth", "mod",
    "obj", "option", "program", "samp", "type",
];

/// Maximum number of lines that a construct between backticks may span.
const MAX_JOINED: usize = 8;

/// Converts a document to Markdown.
pub(super) fn plain(text: &str) -> Writer<'_> {
    let mut reader = Reader { writer: Writer::new(text), lines: lines(text), first: None };
    let mut at = 0;
    while at < reader.lines.len() {
        at = reader.line(at);
    }
    reader.writer
}

struct Reader<'t> {
    writer: Writer<'t>,
    lines: Vec<&'t str>,
    /// The underline character of the first title, which has the highest level.
    first: Option<u8>,
}

impl<'t> Reader<'t> {
    /// Converts a line and the lines that belong to it. Returns the index of the next line.
    fn line(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        let text = line.trim();
        if indent(line) > MAX_DEPTH {
            self.text(text);
            self.writer.write("\n");
            return at + 1;
        }
        if text == ".." || text.starts_with(".. ") {
            return self.explicit(at, text.get(3..).unwrap_or_default());
        }
        if let Some(sign) = adornment(text) {
            self.under(at, sign);
            return at + 1;
        }
        if text.starts_with(">>>") {
            let rest = self.lines[at..].iter().take_while(|line| !line.trim().is_empty());
            return at + rest.count();
        }
        let is_border = !text.is_empty() && text.bytes().all(|byte| b"+-=| ".contains(&byte));
        if is_border {
            self.writer.write("\n");
            return at + 1;
        }
        let (text, next) = self.whole(at, text);
        // Only a line that ends in two colons has a block below it. Without this check, each of many lines would be
        // compared with all others.
        let opens = text
            .strip_suffix("::")
            .map(|text| (text, indented(&self.lines, next, indent(line))))
            .filter(|(_, end)| *end > next);
        let (text, end) = opens.unwrap_or((text, next));
        self.text(text);
        self.writer.write("\n");
        if end > next {
            self.writer.fence(&self.lines[next..end], "");
        }
        end
    }

    /// Returns the text of a line, joined with the next lines while a construct between backticks continues, and
    /// the index of the next line.
    fn whole(&self, at: usize, text: &'t str) -> (&'t str, usize) {
        let is_open =
            |text: &str| (text.matches('`').count() - text.matches("\\`").count()) % 2 == 1;
        let start = self.writer.offset(text);
        let mut whole = text;
        for next in at + 1..=at + MAX_JOINED {
            if !is_open(whole) {
                return (whole, next);
            }
            let Some(line) = self.lines.get(next) else { break };
            let text = line.trim();
            if text.is_empty() || text.starts_with(".. ") || indent(line) > MAX_DEPTH {
                break;
            }
            whole = &self.writer.text()[start..self.writer.offset(text) + text.len()];
        }
        (text, at + 1)
    }

    /// Converts an adornment line. If the line is below a text, that text becomes a title.
    fn under(&mut self, at: usize, sign: u8) {
        let is_text = |at: Option<usize>| {
            let line = at.and_then(|at| self.lines.get(at)).map_or("", |line| line.trim());
            !line.is_empty() && adornment(line).is_none() && !line.starts_with("..")
        };
        let is_over = is_text(Some(at + 1))
            && self.lines.get(at + 2).and_then(|line| adornment(line.trim())) == Some(sign);
        if is_text(at.checked_sub(1)) && !is_over {
            let first = *self.first.get_or_insert(sign);
            self.writer.write(if sign == first { "===\n" } else { "---\n" });
        } else {
            self.writer.write("\n");
        }
    }

    /// Converts a construct that begins with `..`: a directive, a target or a comment.
    fn explicit(&mut self, at: usize, text: &'t str) -> usize {
        let than = indent(self.lines[at]);
        let end = indented(&self.lines, at + 1, than);
        self.writer.write("\n");
        if let Some((_, target)) = text.strip_prefix('_').and_then(|text| text.split_once(": ")) {
            if !target.ends_with('_') && !has_scheme(target) {
                self.writer.link(target.trim(), "");
                self.writer.write("\n\n");
            }
            return at + 1;
        }
        let text = text.rsplit_once("| ").filter(|_| text.starts_with('|')).map_or(text, |it| it.1);
        let directive = text.split_once("::").filter(|(name, _)| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:+.".contains(&byte))
        });
        let Some((name, argument)) = directive else {
            if text.starts_with("<!--") {
                self.writer.keep(text);
                self.writer.write("\n\n");
            }
            // A footnote is text. An empty comment ends immediately.
            if let Some((_, note)) = text.strip_prefix('[').and_then(|text| text.split_once("] ")) {
                self.text(note.trim());
                self.writer.write("\n");
                return at + 1;
            }
            let is_empty =
                text.is_empty() && self.lines.get(at + 1).is_none_or(|line| line.trim().is_empty());
            return if is_empty { at + 1 } else { end.max(at + 1) };
        };
        let argument = argument.trim();
        let is_option = |line: &&&str| line.trim_start().starts_with(':');
        let body =
            at + 1 + self.lines[at + 1..end.max(at + 1)].iter().take_while(is_option).count();
        match name {
            _ if CODE.contains(&name) => {
                self.writer.fence(&self.lines[body..end.max(body)], argument);
                return end.max(body);
            }
            _ if OTHER.contains(&name) || name.starts_with("auto") => return end.max(at + 1),
            "toctree" => {
                for at in body..end.max(body) {
                    self.page(self.lines[at].trim());
                    self.writer.write("\n\n");
                }
                return end.max(body);
            }
            _ if FILES.contains(&name) => self.writer.link(argument, ""),
            _ => self.text(argument),
        }
        self.writer.write("\n\n");
        body
    }

    /// Writes a link to a document whose name is given without its extension, as on a site.
    fn page(&mut self, text: &'t str) {
        let name = target_of(text).unwrap_or(text);
        let is_page = !name.is_empty() && name != "self" && !name.contains(['*', '?', ':', '#']);
        if is_page && !has_scheme(name) {
            let is_named = name.rsplit('/').next().unwrap_or(name).contains('.');
            self.writer.link(name, if is_named { "" } else { ".rst" });
        }
    }

    fn text(&mut self, text: &'t str) {
        let mut rest = text;
        if let Some(item) = rest.strip_prefix("#. ") {
            self.writer.write("- ");
            rest = item;
        } else if rest.starts_with(['#', '>']) {
            self.writer.write("\\");
        }
        while let Some(at) = rest.find('`') {
            let (before, tick) = rest.split_at(at);
            // An opening backtick is not escaped and is not followed by white space.
            let is_escaped = before.ends_with('\\');
            if is_escaped || tick[1..].starts_with(char::is_whitespace) {
                self.writer.keep(before);
                self.writer.write(if is_escaped { "" } else { "\\" });
                self.writer.keep(&tick[..1]);
                rest = &tick[1..];
                continue;
            }
            if let Some(end) = tick.strip_prefix("``").and_then(|code| code.find("``")) {
                self.writer.keep(before);
                self.writer.code(&tick[2..2 + end]);
                rest = &tick[end + 4..];
                continue;
            }
            let Some(end) = tick[1..].find('`').filter(|_| !tick.starts_with("``")) else { break };
            let (inner, behind) = (&tick[1..=end], &tick[end + 2..]);
            let (before, role) = role_before(before);
            self.writer.keep(before);
            match role {
                Some(role) => self.role(role, inner),
                None => self.reference(inner, behind.starts_with('_')),
            }
            rest = behind.trim_start_matches('_');
        }
        self.writer.keep(rest);
    }

    /// Writes text with a role: `` :doc:`guide` ``.
    fn role(&mut self, role: &str, inner: &'t str) {
        let named = target_of(inner).unwrap_or(inner);
        match role.rsplit(':').next().unwrap_or(role) {
            "doc" => self.page(inner),
            "download" => self.writer.link(named, ""),
            role if ROLES.contains(&role) => {
                self.writer.code(named.trim_start_matches(['~', '!', '.']))
            }
            _ => self.writer.write(" "),
        }
    }

    /// Writes text between single backticks. It becomes a link if it contains a target.
    fn reference(&mut self, inner: &'t str, is_link: bool) {
        let target = target_of(inner).filter(|target| is_link && !target.ends_with('_'));
        match target {
            Some(target) if has_scheme(target) => self.writer.write(" "),
            Some(target) => self.writer.link(target, ""),
            None => self.writer.keep(inner),
        }
    }
}

/// Returns the target in `Title <target>`.
fn target_of(text: &str) -> Option<&str> {
    let (_, target) = text.strip_suffix('>')?.rsplit_once('<')?;
    Some(target.trim())
}

/// Returns the role at the end of a text, and the text before it.
fn role_before(text: &str) -> (&str, Option<&str>) {
    let is_role = |c: char| c.is_ascii_alphanumeric() || "-_:+.".contains(c);
    let start = text.trim_end_matches(is_role).len();
    let role = text[start..].strip_prefix(':').and_then(|role| role.strip_suffix(':'));
    match role.filter(|role| !role.is_empty()) {
        Some(role) => (&text[..start], Some(role)),
        None => (text, None),
    }
}

/// Returns the character of a title underline.
fn adornment(text: &str) -> Option<u8> {
    let sign = *text.as_bytes().first()?;
    let is_all = text.len() > 2 && text.bytes().all(|byte| byte == sign);
    (is_all && sign.is_ascii_punctuation() && sign != b':' && sign != b'.').then_some(sign)
}

#[cfg(test)]
mod tests {
    use super::super::plain::Plain;

    #[test]
    fn lines_without_text_are_read_once() {
        let text = format!("{}In ``src/a.rs``.\n", " \n\n".repeat(1 << 17));
        let plain = Plain::of("a.rst", &text);
        assert_eq!(plain.text.trim(), "In `src/a.rs`.");
    }

    #[test]
    fn what_names_something_reads_as_in_markdown() {
        for (rst, markdown) in [
            ("Title\n=====\n\nIn ``src/a.rs``.\n", "Title\n===\n\nIn `src/a.rs`.\n"),
            ("----\nTop\n----\n\nSub\n~~~\n", "\nTop\n===\n\nSub\n---\n"),
            ("See `it <docs/a.rst>`_ now.\n", "See [](docs/a.rst) now.\n"),
            (
                "See :doc:`../guide` and :doc:`it <a/b>`.\n",
                "See [](../guide.rst) and [](a/b.rst).\n",
            ),
            (":py:func:`~shop.run`, :option:`--fast`\n", "`shop.run`, `--fast`\n"),
            (":ref:`a-label` and `text`_\n", "  and text\n"),
            (".. versionadded:: 0.4\n   ``OLD_NAME``\n\nText.\n", "\n\nText.\n"),
            (".. include:: a/b.txt\n", "\n[](a/b.txt)\n\n"),
            (
                ".. toctree::\n   :maxdepth: 2\n\n   a/b\n   It <c>\n\nEnd\n",
                "\n\n\n[](a/b.rst)\n\n[](c.rst)\n\n\nEnd\n",
            ),
            (
                ".. code-block:: bash\n   :linenos:\n\n   npm run x\n\nEnd\n",
                "\n\n```bash\n\nnpm run x\n\n```\n\n\nEnd\n",
            ),
            ("Run::\n\n   make html\n\nEnd\n", "Run\n\n```\n\nmake html\n\n```\n\n\nEnd\n"),
            (".. a comment\n   ``src/a.rs``\n\nEnd\n", "\n\nEnd\n"),
            ("..\n\n   In ``a``\n", "\n\nIn `a`\n"),
            (".. [1] In ``a``\n", "\nIn `a`\n"),
            ("See `the\n  guide <a.rst>`_ now\n", "See [](a.rst) now\n"),
            ("A \\`b` ``c``\n", "A \\`b\\` `c`\n"),
            (".. prompt:: bash $\n\n   npm run x\n", "\n\n```bash\n\nnpm run x\n\n```\n\n"),
            ("Run::\n\n   ```\n   x\n", "Run\n\n````\n\n```\nx\n\n````\n\n"),
            (".. note:: In ``a``\n\n   And ``b``.\n", "\nIn `a`\n\n\nAnd `b`.\n"),
            (">>> a()\n1\n\nEnd\n", "\nEnd\n"),
        ] {
            assert_eq!(Plain::of("a.rst", rst).text, markdown, "{rst}");
        }
    }
}
