//! Command lines. A hook is configured as a shell command, and a server as a list of arguments.

use std::borrow::Cow;

/// The program's name, without `.exe`.
const OWN_NAME: &str = "staleness";

/// The program, as it appears in configuration files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// The absolute path.
    pub path: String,
    /// Options at the end of every call, such as the store's location.
    pub options: Vec<String>,
}

impl Program {
    /// Returns the command line of a hook. `arguments` follow `hook`.
    pub(crate) fn hook(&self, arguments: &[&str]) -> String {
        let windows = is_windows(&self.path);
        let mut line = word(&self.path, windows).into_owned();
        let options = self.options.iter().map(String::as_str);
        for argument in ["hook"].into_iter().chain(arguments.iter().copied()).chain(options) {
            line.push(' ');
            line.push_str(&word(argument, windows));
        }
        line
    }

    /// Returns the arguments that start the MCP server.
    pub(crate) fn server(&self) -> Vec<String> {
        ["mcp".to_owned()].into_iter().chain(self.options.iter().cloned()).collect()
    }

    /// Returns true if [`Program::hook`] could have written a command line, with any store and policy. Any other line
    /// is not ours, even if it calls this program.
    pub(crate) fn wrote_hook(&self, line: &str, arguments: &[&str]) -> bool {
        let words = words(line).unwrap_or_default();
        let Some((program, rest)) = words.split_first() else { return false };
        let call = Call { program: program.as_str().into(), command: "hook".into() };
        let fixed = 1 + arguments.len();
        self.is(&call)
            && rest.first().is_some_and(|word| word == "hook")
            && rest.get(1..fixed).is_some_and(|words| words.iter().eq(arguments))
            && rest.get(fixed..).is_some_and(known_options)
    }

    /// Returns true if `init` could have written a server's call, with any store and policy.
    pub(crate) fn wrote_server(&self, call: &Call<'_>, arguments: &[String]) -> bool {
        self.is(call) && arguments.split_first().is_some_and(|(_, rest)| known_options(rest))
    }

    /// Returns true if the call uses an absolute path that leads to this program, or to a program with the same name.
    fn is(&self, call: &Call<'_>) -> bool {
        call.is_absolute() && (call.is_named() || same(&call.program, &self.path))
    }
}

/// Returns true if the words are options that `init` writes: `--store` and `--config` with values.
fn known_options(words: &[String]) -> bool {
    let mut names = Vec::new();
    for pair in words.chunks(2) {
        let [name, _] = pair else { return false };
        names.push(name.as_str());
    }
    matches!(names[..], [] | ["--store" | "--config"] | ["--store", "--config"])
}

/// A call: the program and its first argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call<'a> {
    /// The program as written in the file.
    pub program: Cow<'a, str>,
    pub command: Cow<'a, str>,
}

impl<'a> Call<'a> {
    /// Parses the call in a command line. Returns `None` if a word is missing or a quote is not closed.
    pub(crate) fn of_line(line: &'a str) -> Option<Self> {
        let (program, rest) = first_word(line)?;
        let (command, _) = first_word(rest)?;
        Some(Self { program: program.into(), command: command.into() })
    }

    /// Returns true if the program's path is absolute, on Unix or on Windows.
    pub(crate) fn is_absolute(&self) -> bool {
        let path = self.program.as_bytes();
        let drive = path.len() > 2 && path[1] == b':' && matches!(path[2], b'/' | b'\\');
        path.starts_with(b"/") || path.starts_with(br"\\") || drive
    }

    /// Returns true if the program's file name is `staleness`.
    pub(crate) fn is_named(&self) -> bool {
        let name = self.program.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = match name.len().checked_sub(4).and_then(|at| name.split_at_checked(at)) {
            Some((stem, end)) if end.eq_ignore_ascii_case(".exe") => stem,
            _ => name,
        };
        stem == OWN_NAME
    }
}

/// Returns true if two paths are equal, treating `/` and `\` alike.
fn same(a: &str, b: &str) -> bool {
    a.replace('\\', "/") == b.replace('\\', "/")
}

fn is_windows(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    drive || path.starts_with(r"\\")
}

/// Quotes a word for a command line. Backslashes in Windows paths become slashes, because Windows' shells
/// accept both, and Unix-like shells would treat a backslash as an escape.
fn word(text: &str, windows: bool) -> Cow<'_, str> {
    let text = if windows { Cow::Owned(text.replace('\\', "/")) } else { Cow::Borrowed(text) };
    let plain =
        |c: char| c.is_ascii_alphanumeric() || "_-./:=@+,".contains(c) || (c == '%' && !windows);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    // Windows' shells only know double quotes, and treat most characters inside literally.
    if windows && !text.contains(['"', '$', '`', '%', '!']) {
        return format!("\"{text}\"").into();
    }
    format!("'{}'", text.replace('\'', r"'\''")).into()
}

/// Splits a command line into words. `None` if a quote is not closed.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line.trim_end();
    while !rest.trim_start().is_empty() {
        let (word, more) = first_word(rest)?;
        words.push(word);
        rest = more;
    }
    Some(words)
}

/// Splits off the first word as a Unix shell would. `None` if there is none, or a quote is not closed.
/// Backslashes in a Windows path are taken literally.
fn first_word(line: &str) -> Option<(String, &str)> {
    let line = line.trim_start();
    let mut word = String::new();
    let mut quote = None;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            (None, _) if c.is_whitespace() => return Some((word, &line[at..])),
            (None | Some('"'), '\\') => match chars.peek() {
                Some((_, next)) if r#"\"'$` "#.contains(*next) => {
                    word.push(*next);
                    chars.next();
                }
                _ => word.push(c),
            },
            _ => word.push(c),
        }
    }
    (quote.is_none() && !line.is_empty()).then_some((word, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(path: &str) -> Program {
        Program { path: path.into(), options: Vec::new() }
    }

    #[test]
    fn paths_with_spaces_quotes_and_windows_separators_are_one_word() {
        for (path, line) in [
            ("/usr/local/bin/staleness", "/usr/local/bin/staleness hook"),
            ("/home/a b/staleness", "'/home/a b/staleness' hook"),
            ("/home/o'neil/staleness", r"'/home/o'\''neil/staleness' hook"),
            ("/home/$HOME/`x`/staleness", "'/home/$HOME/`x`/staleness' hook"),
            ("/home/é/staleness", "'/home/é/staleness' hook"),
            (r"C:\Tools\staleness.exe", "C:/Tools/staleness.exe hook"),
            (r"C:\Program Files\staleness.exe", "\"C:/Program Files/staleness.exe\" hook"),
            (r"\\host\a b\staleness.exe", "\"//host/a b/staleness.exe\" hook"),
        ] {
            let program = program(path);
            assert_eq!(program.hook(&[]), line);
            let call = Call::of_line(line).unwrap();
            assert!(same(&call.program, path) && call.command == "hook", "{call:?}");
            assert!(program.is(&call), "{call:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_the_word_as_it_was_meant() {
        for text in ["a b", "o'neil", "$HOME", "`x`", "a\"b", "a\\b", "*", "~", "é", "a;b", "#", ""]
        {
            let script = format!("printf %s {}", word(text, false));
            let run = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&run.stdout), text, "{script}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_word_is_read_as_it_was_written(text in "[ -~]{0,20}|\\PC{0,20}", rest in "[ -~]{0,9}") {
            let line = format!("{} {rest}", word(&text, false));
            proptest::prop_assert_eq!(first_word(&line).map(|(word, _)| word), Some(text));
        }

        #[test]
        fn no_line_makes_it_panic(line in "[a '\"\\\\$`#~;|é-]{0,20}|\\PC{0,40}") {
            let _ = (Call::of_line(&line), words(&line), program("/s").wrote_hook(&line, &["x"]));
        }
    }

    #[test]
    fn what_was_written_by_others_is_not_ours() {
        let ours = program("/opt/tools/stale-1.2");
        for (line, expected) in [
            ("/opt/tools/stale-1.2 hook --client codex", true),
            ("/elsewhere/staleness hook --client codex", true),
            ("/s/staleness hook --client codex --store sqlite:/x --config '/a b'", true),
            (r#""C:\Program Files\staleness.exe" hook --client codex"#, true),
            (r"C:\tools\STALENESS.EXE hook --client codex", false),
            ("/usr/bin/staleness hook", false),
            ("/usr/bin/staleness hook --store sqlite:/x", false),
            ("/usr/bin/staleness hook --client cursor", false),
            ("/usr/bin/staleness hook --client codex --verbose", false),
            ("/usr/bin/staleness hook --client codex --store", false),
            ("/usr/bin/staleness hook --client codex && notify", false),
            ("/usr/bin/staleness hook --client codex; notify", false),
            ("staleness hook --client codex", false),
            ("./staleness hook --client codex", false),
            ("/usr/bin/staleness-wrapper hook --client codex", false),
            ("/usr/bin/env staleness hook --client codex", false),
            ("'/open/staleness hook --client codex", false),
            ("", false),
        ] {
            assert_eq!(ours.wrote_hook(line, &["--client", "codex"]), expected, "{line}");
        }
        for line in ["", "   ", "staleness", "'/open/staleness hook", "\"x"] {
            assert_eq!(Call::of_line(line), None, "{line}");
        }
    }

    #[test]
    fn all_words_are_quoted_for_the_system_of_the_program() {
        let options = vec!["--store".into(), r"sqlite:C:\My Data\r.db".into()];
        let windows = Program { path: r"C:\t\staleness.exe".into(), options };
        let line = windows.hook(&["--client", "codex"]);
        assert_eq!(
            line,
            "C:/t/staleness.exe hook --client codex --store \"sqlite:C:/My Data/r.db\""
        );
        assert!(windows.wrote_hook(&line, &["--client", "codex"]));
        assert_eq!(word("%A%", true), "'%A%'", "no plain word there");
    }

    #[test]
    fn options_stand_behind_the_command() {
        let options = vec!["--store".into(), "sqlite:/a b.db".into()];
        let program = Program { path: "/s".into(), options };
        assert_eq!(
            program.hook(&["--client", "codex"]),
            "/s hook --client codex --store 'sqlite:/a b.db'"
        );
        assert_eq!(program.server(), ["mcp", "--store", "sqlite:/a b.db"]);
    }
}
