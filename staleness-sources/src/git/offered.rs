//! Whether a flag stands where the project offers it, and not where it is passed on to another program
//! or spoken of.

use std::ops::Range;

use super::shapes::depth;

/// How far a line is read on either side of a flag, and how far back what it is an element of is
/// looked for, in bytes.
const MAX_LINE: usize = 512;
const MAX_BACK: usize = 4_096;

/// Calls that offer a flag.
#[rustfmt::skip]
const OFFERING: [&[u8]; 8] = [
    b"add_argument(", b"option(", b"Option(", b"option::", b"Flag(", b"flag(", b"Arg::new(",
    b"long =",
];
/// What stands before the words of a command.
#[rustfmt::skip]
const COMMANDS: [&[u8]; 19] = [
    b"run(", b"check_call(", b"check_output(", b"Popen(", b"Command::new", b".args(", b".arg(",
    b"spawn(", b"exec", b"cmd", b"command", b"Command(", b"args = [", b"args=[", b"args: [",
    b"args\": [", b"args += [", b"session.", b"subprocess",
];

/// A flag, and its line.
struct Spot<'a> {
    text: &'a [u8],
    line: usize,
    after: &'a [u8],
}

/// Whether the flag is offered: defined, listed in a help text, or compared with. `looks` is how often
/// this may still be looked for in the text.
pub(super) fn is_offered(text: &[u8], flag: &Range<usize>, looks: &mut u32) -> bool {
    let Some(left) = looks.checked_sub(1) else { return false };
    *looks = left;
    let from = flag.start.saturating_sub(MAX_LINE);
    let start = text[from..flag.start].iter().rposition(|byte| *byte == b'\n');
    let line = start.map_or(from, |at| from + at + 1);
    let to = text.len().min(flag.end + MAX_LINE);
    let after = text[flag.end..to].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let before = &text[line..flag.start];
    let spot = Spot { text, line, after };
    if is_mentioned(before) {
        return false;
    }
    if offers(before) || offers(after) {
        return true;
    }
    let mut rest = before_flags(before);
    // A help text is indented within its quotation marks too.
    if let Some(quoted) = rest.strip_suffix(b"  ").map(<[u8]>::trim_ascii_end)
        && matches!(quoted, [.., b'"' | b'\''])
    {
        rest = quoted;
    }
    match rest {
        // The first of its line.
        [] => !spot.is_continued(),
        [.., b'[' | b'{' | b'|'] => !is_command(before),
        [rest @ .., quote @ (b'"' | b'\'')] => spot.is_quoted(rest, *quote),
        rest if rest.iter().all(|b| b.is_ascii_whitespace() || b"[({|".contains(b)) => {
            !spot.is_continued()
        }
        _ => false,
    }
}

/// Whether a word with dashes is only spoken of: in a comment, or as a variable of a style sheet.
fn is_mentioned(before: &[u8]) -> bool {
    let line = before.trim_ascii_start();
    let begins = |mark: &[u8]| line.starts_with(mark);
    before.ends_with(b"var(")
        || [&b"//"[..], b"/*", b"* ", b"# ", b"##", b"<!--"].into_iter().any(begins)
}

fn offers(part: &[u8]) -> bool {
    OFFERING.iter().any(|call| super::defined::holds(part, call))
}

fn is_command(part: &[u8]) -> bool {
    COMMANDS.iter().any(|mark| super::defined::holds(part, mark))
}

/// What is left of a line before other flags, and signs between them.
fn before_flags(before: &[u8]) -> &[u8] {
    let mut rest = before;
    loop {
        let apart = rest.trim_ascii_end();
        let stem = match apart {
            [stem @ .., b',' | b'/' | b'|'] => stem.trim_ascii_end(),
            // A blank alone parts the flags of a list, and the words of a command.
            _ => return rest,
        };
        let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_".contains(b);
        let start = stem.iter().rposition(|b| !plain(b)).map_or(0, |at| at + 1);
        let flag = &stem[start..];
        let is_flag = flag.len() > 1 && flag.starts_with(b"-");
        if !is_flag {
            return rest;
        }
        rest = &stem[..start];
    }
}

impl<'a> Spot<'a> {
    /// Whether the line is a part of a command over several lines.
    fn is_continued(&self) -> bool {
        let last = self.lines_above().next().unwrap_or_default();
        let goes_on = |line: &[u8]| line.trim_ascii_end().ends_with(b" \\");
        goes_on(last) || goes_on(self.after)
    }

    fn lines_above(&self) -> impl Iterator<Item = &'a [u8]> {
        let to = self.line.saturating_sub(1);
        self.text[to.saturating_sub(MAX_BACK)..to].rsplit(|byte| *byte == b'\n')
    }

    /// Whether what begins behind this quotation mark offers the flag; `rest` stands before the mark.
    fn is_quoted(&self, rest: &[u8], quote: u8) -> bool {
        let compared = rest.trim_ascii_end();
        let compared =
            [&b"=="[..], b"!=", b"case", b"when"].iter().any(|it| compared.ends_with(it));
        let whole = self.after.starts_with(&[quote]);
        if compared && whole {
            return true;
        }
        if is_command(rest) || !self.is_name(quote) {
            return false;
        }
        !(whole && (follows_a_word(rest) || self.is_of_command()))
    }

    /// Whether the text ends with the flag, or goes on as names of options and help texts do.
    fn is_name(&self, quote: u8) -> bool {
        let value = |rest: &[u8]| {
            let word = rest.split(|b| !(b.is_ascii_alphanumeric() || b"_-".contains(b))).next();
            let word = word.unwrap_or_default();
            matches!(rest, [b'<' | b'[', ..])
                || !word.is_empty() && !word.iter().any(u8::is_ascii_lowercase)
        };
        match self.after {
            [next, ..] if *next == quote => true,
            [b'|' | b',' | b'/' | b'[' | b'<' | b':' | b'\\' | b'\t', ..] => true,
            [b' ', b' ' | b'-' | b'|', ..] => true,
            [b'=', next, b')', ..] if *next == quote => true,
            [b' ' | b'=', rest @ ..] => value(rest),
            _ => false,
        }
    }

    /// Whether the line is an element of a list that is a command: one that begins with a word, or one
    /// that stands behind a call that runs something.
    fn is_of_command(&self) -> bool {
        let line = &self.text[self.line..];
        let mut own = depth(line);
        if !matches!(line[own..], [b'"' | b'\'', ..]) {
            return false;
        }
        for line in self.lines_above() {
            let text = line.trim_ascii();
            let depth = depth(line);
            if text.is_empty() {
                continue;
            }
            if depth == own {
                if matches!(text, [b'"' | b'\'', next, ..] if *next != b'-') && text.ends_with(b",")
                {
                    return true;
                }
                continue;
            }
            if depth > own {
                continue;
            }
            if !matches!(text, [.., b'(' | b'[' | b'{']) || offers(text) {
                return false;
            }
            if is_command(text) {
                return true;
            }
            // A bracket alone is an element of something itself.
            if text.iter().any(u8::is_ascii_alphanumeric) {
                return false;
            }
            own = depth;
        }
        false
    }
}

/// Whether another text that is no flag stands before the flag in its list.
fn follows_a_word(rest: &[u8]) -> bool {
    let Some(stem) = rest.trim_ascii_end().strip_suffix(b",") else { return false };
    let Some((quote @ (b'"' | b'\''), stem)) = stem.trim_ascii_end().split_last() else {
        return false;
    };
    let start = stem.iter().rposition(|byte| byte == quote);
    start.is_some_and(|start| !stem[start + 1..].starts_with(b"-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(marked: &str) -> bool {
        let start = marked.find("--dry-run").unwrap();
        is_offered(marked.as_bytes(), &(start..start + "--dry-run".len()), &mut 1)
    }

    #[test]
    fn a_flag_is_offered_where_it_is_defined_listed_or_compared_with() {
        let wrong: Vec<&str> = [
            "    --dry-run  Changes nothing",
            "  -n, --dry-run  Changes nothing",
            "  -n | --dry-run)",
            "    --dry-run)",
            "Usage: shop [-v] [--dry-run]",
            "Usage: shop [-n|--dry-run] FILE",
            "args.has(\"--dry-run\")",
            "#define FLAG \"--dry-run\"",
            "if (arg === '--dry-run') {",
            "        if command == \"--dry-run\":",
            "case \"--dry-run\":",
            "    \"-n\", \"--dry-run\",",
            "opts.on(\"-n\", \"--dry-run\", \"Says\")",
            "x('-n, --dry-run', 'Says')",
            "x('--dry-run|n')",
            "x('--dry-run/--no-dry-run')",
            "x(\"--dry-run=FILE\")",
            "x(\"--dry-run <file>\")",
            "x(\"--dry-run [file]\")",
            "x(\"--dry-run FILE\")",
            "if arg.startswith(\"--dry-run=\"):",
            "  \"  --dry-run  Changes nothing\\n\"",
            "run(parser.add_argument(\"--dry-run\", help=\"runs a command\"))",
            "parser.add_argument(\n    \"--dry-run\",\n",
            "const HELP = `\n  --dry-run  Says\n`",
            "run_parser.add_argument(\n    \"-n\",\n    \"--dry-run\",\n",
            "def exec_command(self):\n    if \"--dry-run\" in self.args:\n",
        ]
        .into_iter()
        .filter(|marked| !is(marked))
        .collect();
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn a_flag_of_a_command_or_in_a_comment_is_not_offered() {
        let wrong: Vec<&str> = [
            "x(\"pip install --dry-run y\")",
            "cargo build --dry-run",
            "x(f\"--dry-run{name}={value}\")",
            "x(f\"--dry-run={value}\")",
            "x(\"--dry-run=\" + value)",
            "x(\"--dry-run y\")",
            "run([\"--dry-run\"])",
            "subprocess.check_call([tool, \"--dry-run\"])",
            "Command::new(tool).arg(\"--dry-run\")",
            "    args=[\"--dry-run\"],",
            "session.install(\"--dry-run\")",
            "x([\"pip\", \"install\", \"--dry-run\"])",
            "subprocess.run([\n    \"--dry-run\",\n])",
            "subprocess.run(\n    [\n        tool,\n        \"--dry-run\",\n    ]\n)",
            "x([\n    \"pip\",\n    \"--no-deps\",\n    \"--dry-run\",\n])",
            "cargo build \\\n    --dry-run \\\n    --release\n",
            "cargo build \\\n    --dry-run\n",
            "FLAGS = --dry-run",
            "- --dry-run",
            "See ``--dry-run`` of it.",
            "// takes --dry-run",
            " * as --dry-run does",
            "  # see --dry-run",
            "x { a: var(--dry-run) }",
        ]
        .into_iter()
        .filter(|marked| is(marked))
        .collect();
        assert_eq!(wrong, [""; 0]);
    }
}
