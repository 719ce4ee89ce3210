//! Distinguishes flags that the project defines from flags that it passes on or mentions.

use std::ops::Range;

use super::calls::{call, offers, runs};
use super::spot::{Spot, depth, holds};

/// Maximum number of bytes to read of a line.
const MAX_LINE: usize = 512;

/// Returns true if the project defines the flag, lists it in a help text, or compares with it. `looks` is the number of
/// checks left for this text.
pub(super) fn is_offered(text: &[u8], flag: &Range<usize>, looks: &mut u32) -> bool {
    let spot = Spot::new(text, flag);
    // The start of a very long line is unknown.
    if is_mentioned(spot.before) || spot.is_cut() && spot.before.is_empty() {
        return false;
    }
    let mut look = || {
        *looks = looks.checked_sub(1)?;
        Some(())
    };
    let rest = before_flags(spot.before);
    // Help texts are indented within their string.
    let indented = rest.strip_suffix(b"  ").map(<[u8]>::trim_ascii_end);
    if let Some([rest @ .., b'"' | b'\'']) = indented {
        return look().is_some() && !runs(rest);
    }
    match rest {
        [rest @ .., quote @ (b'"' | b'\'')] => look().is_some() && spot.is_quoted(rest, *quote),
        [.., b'[' | b'{' | b'|'] => !rest.ends_with(b"%w[") && !rest.ends_with(b"%w{"),
        // The flag is the first word on its line.
        rest if rest.iter().all(|b| b.is_ascii_whitespace() || b"[({|".contains(b)) => {
            look().is_some() && !spot.is_continued()
        }
        rest => rest.ends_with(b"arg!(") || spot.is_of_shell(rest.trim_ascii_end()),
    }
}

/// Returns true if an offset is in a line of a comment.
pub(super) fn is_comment(text: &[u8], at: usize) -> bool {
    is_mentioned(line_before(text, at))
}

/// Returns the line up to an offset, or only the end of a long line.
fn line_before(text: &[u8], at: usize) -> &[u8] {
    let line = &text[at.saturating_sub(MAX_LINE)..at];
    line.rsplit(|byte| *byte == b'\n').next().unwrap_or_default()
}

/// Returns true if a bare word quoted at an offset is an argument of a call that neither defines flags nor compares
/// with any, such as `set("scope", 1)`.
pub(super) fn is_of_call(text: &[u8], quote: usize) -> bool {
    let line = line_before(text, quote);
    let call = call(line);
    call.has_name() && !call.offers() && !call.declares() && !call.compares() && !offers(line)
}

/// Returns true if the flag is in a comment, or is a CSS variable.
fn is_mentioned(before: &[u8]) -> bool {
    let line = before.trim_ascii_start();
    let begins = |mark: &[u8]| line.starts_with(mark);
    before.ends_with(b"var(")
        || [&b"//"[..], b"/*", b"* ", b"# ", b"##", b"<!--"].into_iter().any(begins)
}

/// Strips other flags and their separators from the end of a line.
fn before_flags(before: &[u8]) -> &[u8] {
    let mut rest = before;
    loop {
        let apart = rest.trim_ascii_end();
        let stem = match apart {
            [stem @ .., b',' | b'/' | b'|'] => stem.trim_ascii_end(),
            // A space also separates the words of a command, so it does not count as a separator.
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

impl Spot<'_> {
    /// Returns true if the line is part of a command that spans several lines.
    fn is_continued(&self) -> bool {
        let goes_on = |line: &[u8]| {
            let line = line.trim_ascii_end();
            // In a help text, a line ends with `\n\`.
            line.ends_with(b"\\") && !line.ends_with(b"\\n\\")
                || line
                    .strip_suffix(b" `")
                    .is_some_and(|line| line.last().is_some_and(u8::is_ascii_alphanumeric))
        };
        let mut above = self.earlier();
        let last = above.next().unwrap_or_default();
        if goes_on(last) || goes_on(self.after) {
            return true;
        }
        // An element of a shell array: `args=(`.
        let word = |line: &&[u8]| !line.trim_ascii().starts_with(b"-");
        std::iter::once(last)
            .chain(above)
            .take(20)
            .find(word)
            .is_some_and(|line| line.trim_ascii_end().ends_with(b"=("))
    }

    /// Returns true if a shell test compares with the flag, or a `case` matches it.
    fn is_of_shell(&self, rest: &[u8]) -> bool {
        let tests = |mark: &&[u8]| holds(rest, mark);
        let compares = rest.ends_with(b"=") && [&b"[ "[..], b"test "].iter().any(tests);
        let case =
            self.after.starts_with(b")") && (rest.ends_with(b" in") || rest.ends_with(b";;"));
        compares || case
    }

    /// Returns true if the string that begins with this quotation mark defines the flag. `rest` is the text
    /// before the mark.
    fn is_quoted(&self, rest: &[u8], quote: u8) -> bool {
        let whole = self.after.starts_with(&[quote]);
        let call = call(rest);
        let before = rest.trim_ascii_end();
        let line = rest.trim_ascii_start();
        let compared = [&b"=="[..], b"!="].iter().any(|it| before.ends_with(it))
            || [&b"case "[..], b"when "].iter().any(|it| line.starts_with(it));
        if (whole || self.after.starts_with(&[b'=', quote])) && (compared || call.compares()) {
            return true;
        }
        if call.offers() {
            return true;
        }
        // Checking the words of the line is the most expensive step, so it comes last.
        let single = self.after.get(1..).is_some_and(|rest| rest.starts_with(b")"));
        if call.passes(whole && single)
            || is_assigned(rest)
            || !self.is_name(quote)
            || whole && follows_a_word(rest)
        {
            return false;
        }
        offers(self.before) || offers(self.after) || !(runs(rest) || whole && self.is_of_command())
    }

    /// Returns true if the string ends with the flag, or continues like an option name or a help text.
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

    /// Returns true if the line is an element of a list that forms a command: the list begins with a word, or is the
    /// argument of a call that runs something.
    fn is_of_command(&self) -> bool {
        let mut own = self.depth();
        if !matches!(self.before, [b'"' | b'\'', ..]) {
            return false;
        }
        // `"--all" => …` and `"--all": …` are match arms and keys.
        let next = self.after.get(1..).unwrap_or_default().trim_ascii();
        if !next.iter().all(|byte| b",)]};".contains(byte)) {
            return false;
        }
        let mut is_of_words = false;
        for line in self.earlier() {
            let text = line.trim_ascii();
            let depth = depth(line);
            if text.is_empty() {
                continue;
            }
            if depth == own {
                is_of_words |= is_word_of_list(text);
                continue;
            }
            if depth > own {
                continue;
            }
            if offers(text) {
                return false;
            }
            if is_of_words || !matches!(text, [.., b'(' | b'[' | b'{']) {
                return is_of_words;
            }
            if runs(text) || call(text).passes(false) || text.ends_with(b"=(") {
                return true;
            }
            // A lone bracket is itself an element of an outer list.
            if text.iter().any(u8::is_ascii_alphanumeric) {
                return false;
            }
            own = depth;
        }
        is_of_words
    }
}

/// Returns true if a shell script or a settings file passes the flag on: `flags="--all"`, `- "--all"`.
fn is_assigned(rest: &[u8]) -> bool {
    let line = rest.trim_ascii();
    if line == b"-" {
        return true;
    }
    let Some(name) = line.strip_suffix(b"=").map(|name| name.strip_suffix(b"+").unwrap_or(name))
    else {
        return false;
    };
    let name = name.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    let first = line.split(|byte| *byte == b' ').next().unwrap_or_default();
    let is_first = line.len() == name.len() + 1
        || [&b"export"[..], b"local", b"declare", b"readonly"].contains(&first);
    is_first && !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// Returns true if a line is a single string that is not a flag, followed by a comma.
fn is_word_of_list(line: &[u8]) -> bool {
    let Some((quote @ (b'"' | b'\''), rest)) = line.split_first() else { return false };
    let Some(text) = rest.strip_suffix(b",").and_then(|text| text.strip_suffix(&[*quote])) else {
        return false;
    };
    !text.starts_with(b"-") && !text.contains(quote)
}

/// Returns true if the previous element of the flag's list is a string that is not a flag.
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
        is_offered(marked.as_bytes(), &(start..start + "--dry-run".len()), &mut 9)
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
            "case \"version\", \"--dry-run\":",
            "if arg in (\"clean\", \"--dry-run\"):",
            "echo \"    --dry-run does it\"",
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
            "    \"list\" => list(),\n    \"--dry-run\" => run(),\n",
            "    \"list\": f,\n    \"--dry-run\": g,\n",
            "x: str = typer.Option(\n    \"text\",\n    \"--dry-run\",\n",
            "Usage: tool [command] [--dry-run]",
            "usage: mycmd [--dry-run]",
            "if (!strcmp(cmd, \"--dry-run\"))",
            "cmd.add(\"--dry-run\", help=\"Says\")",
            "process.execArgv.includes(\"--dry-run\")",
            "fn exec(args: A) { args.contains(&\"--dry-run\") }",
            "if (!strncmp(arg, \"--dry-run=\", 10))",
            "if (skip_prefix(arg, \"--dry-run=\", &v))",
            "if [[ $1 == --dry-run ]]; then",
            "if [ \"$1\" = --dry-run ]; then",
            "case $1 in --dry-run) n=1 ;; esac",
            "\"Usage: shop\\n\\\n  --dry-run  Says\\n\\\n\"",
            "Command::new(\"x\").arg(arg!(--dry-run <FILE>))",
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
            "args.append(\"--dry-run\")",
            "args.extend([\"--dry-run\"])",
            "args = append(args, \"--dry-run\")",
            "args.push(\"--dry-run\");",
            "args.add(\"--dry-run\");",
            "let v = vec![\"--dry-run\"];",
            "const args: string[] = [\"--dry-run\"];",
            "argv_push(&args, \"--dry-run\");",
            "spawnSync(\"npm\", [\"--dry-run\"])",
            "npm_flags=\"--dry-run\"",
            "export NPM_FLAGS=\"--dry-run\"",
            "args+=(\"--dry-run\")",
            "args=(\n  --dry-run\n)",
            "args=(\n  -v\n  --dry-run\n)",
            "args=(\n  \"--dry-run\"\n)",
            "  - \"--dry-run\"",
            "npm ci\\\n  --dry-run\n",
            "npm ci `\n  --dry-run\n",
            "%w[--dry-run]",
        ]
        .into_iter()
        .filter(|marked| is(marked))
        .collect();
        assert_eq!(wrong, [""; 0]);
    }
}
