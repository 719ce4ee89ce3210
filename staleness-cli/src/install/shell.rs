//! Command lines: a hook's command is a text that a shell reads, a server's is a list of arguments.

use std::borrow::Cow;

/// The program's own name, without what Windows puts behind it.
const OWN_NAME: &str = "staleness";

/// The program as configuration files call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its absolute path.
    pub path: String,
    /// The options at the end of every call: where the store is, say.
    pub options: Vec<String>,
}

impl Program {
    /// The command line of a hook.
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

    /// The arguments of the server.
    pub(crate) fn server(&self) -> Vec<String> {
        ["mcp".to_owned()].into_iter().chain(self.options.iter().cloned()).collect()
    }

    /// Returns true if a command line is one that [`Program::hook`] writes, for whatever store and policy. Any
    /// other is somebody's own, whoever is called.
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

    /// Returns true if a server's call is one that `init` writes, for whatever store and policy.
    pub(crate) fn wrote_server(&self, call: &Call<'_>, arguments: &[String]) -> bool {
        self.is(call) && arguments.split_first().is_some_and(|(_, rest)| known_options(rest))
    }

    /// By an absolute path, of a program with this name or of this very file.
    fn is(&self, call: &Call<'_>) -> bool {
        call.is_absolute() && (call.is_named() || same(&call.program, &self.path))
    }
}

/// Returns true for the options that `init` writes: `--store` and `--config` with their values.
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
    /// The program as it is written.
    pub program: Cow<'a, str>,
    /// Its first argument.
    pub command: Cow<'a, str>,
}

impl<'a> Call<'a> {
    /// The call that a command line makes.
    pub(crate) fn of_line(line: &'a str) -> Option<Self> {
        let (program, rest) = first_word(line)?;
        let (command, _) = first_word(rest)?;
        Some(Self { program: program.into(), command: command.into() })
    }

    /// Returns true if the program's path does not depend on where it is called.
    pub(crate) fn is_absolute(&self) -> bool {
        let path = self.program.as_bytes();
        let drive = path.len() > 2 && path[1] == b':' && matches!(path[2], b'/' | b'\\');
        path.starts_with(b"/") || path.starts_with(br"\\") || drive
    }

    /// Returns true if the program bears this program's name.
    pub(crate) fn is_named(&self) -> bool {
        let name = self.program.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = match name.len().checked_sub(4).and_then(|at| name.split_at_checked(at)) {
            Some((stem, end)) if end.eq_ignore_ascii_case(".exe") => stem,
            _ => name,
        };
        stem == OWN_NAME
    }
}

/// Returns true if two paths are the same text, whichever way their separators lean.
fn same(a: &str, b: &str) -> bool {
    a.replace('\\', "/") == b.replace('\\', "/")
}

/// Returns true if a path is one of Windows.
fn is_windows(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    drive || path.starts_with(r"\\")
}

/// A word of a command line. Windows' separators are turned: its shells take both, and one that reads
/// like Unix takes a backslash for an escape.
fn word(text: &str, windows: bool) -> Cow<'_, str> {
    let text = if windows { Cow::Owned(text.replace('\\', "/")) } else { Cow::Borrowed(text) };
    let plain =
        |c: char| c.is_ascii_alphanumeric() || "_-./:=@+,".contains(c) || (c == '%' && !windows);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    // Shells of Windows know double quotes only, and mean nothing by most of what is in them.
    if windows && !text.contains(['"', '$', '`', '%', '!']) {
        return format!("\"{text}\"").into();
    }
    format!("'{}'", text.replace('\'', r"'\''")).into()
}

/// The words of a command line; `None` where a quote is left open.
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

/// The first word of a command line as a shell of Unix reads it, and what follows. `None` without one,
/// and where a quote is left open. Backslashes in a path of Windows are taken as they stand.
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
