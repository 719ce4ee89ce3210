//! Command lines: a hook's command is a text that a shell reads, a server's is a list of arguments.

use std::borrow::Cow;

/// The program's own name, without what Windows puts behind it.
const OWN_NAME: &str = "staleness";

/// The program as configuration files call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its absolute path.
    pub path: String,
    /// What it is always called with, behind its command: where the store is, say.
    pub options: Vec<String>,
}

impl Program {
    /// The command line of a hook.
    pub(crate) fn hook(&self, arguments: &[&str]) -> String {
        let mut line = word(&self.path).into_owned();
        let options = self.options.iter().map(String::as_str);
        for argument in ["hook"].into_iter().chain(arguments.iter().copied()).chain(options) {
            line.push(' ');
            line.push_str(&word(argument));
        }
        line
    }

    /// The arguments of the server.
    pub(crate) fn server(&self) -> Vec<String> {
        ["mcp".to_owned()].into_iter().chain(self.options.iter().cloned()).collect()
    }

    /// Whether a call is one that `init` writes: by an absolute path, of a program with this name or
    /// of this very file.
    pub(crate) fn is(&self, call: &Call<'_>) -> bool {
        call.is_absolute() && (call.is_named() || same(&call.program, &self.path))
    }
}

/// Who is called, and for what.
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

    /// Whether the program's path does not depend on where it is called.
    pub(crate) fn is_absolute(&self) -> bool {
        let path = self.program.as_bytes();
        let drive = path.len() > 2 && path[1] == b':' && matches!(path[2], b'/' | b'\\');
        path.starts_with(b"/") || path.starts_with(br"\\") || drive
    }

    /// Whether the program bears this program's name.
    pub(crate) fn is_named(&self) -> bool {
        let name = self.program.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = match name.len().checked_sub(4).and_then(|at| name.split_at_checked(at)) {
            Some((stem, end)) if end.eq_ignore_ascii_case(".exe") => stem,
            _ => name,
        };
        stem == OWN_NAME
    }
}

/// Whether two paths are the same text, whichever way their separators lean.
fn same(a: &str, b: &str) -> bool {
    a.replace('\\', "/") == b.replace('\\', "/")
}

/// A word of a command line. Windows' separators are turned: its shells take both, and one that reads
/// like Unix takes a backslash for an escape.
fn word(text: &str) -> Cow<'_, str> {
    let drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic();
    let windows = drive || text.starts_with(r"\\");
    let text = if windows { Cow::Owned(text.replace('\\', "/")) } else { Cow::Borrowed(text) };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    // Shells of Windows know double quotes only, and mean nothing by most of what is in them.
    if windows && !text.contains(['"', '$', '`', '%', '!']) {
        return format!("\"{text}\"").into();
    }
    format!("'{}'", text.replace('\'', r"'\''")).into()
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
            let script = format!("printf %s {}", word(text));
            let run = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&run.stdout), text, "{script}");
        }
    }

    #[test]
    fn what_was_written_by_others_is_not_ours() {
        let ours = program("/opt/tools/stale-1.2");
        for (line, expected) in [
            ("/opt/tools/stale-1.2 hook", true),
            ("/elsewhere/staleness hook --client codex", true),
            (r#""C:\Program Files\staleness.exe" hook"#, true),
            (r"C:\tools\STALENESS.EXE hook", false),
            ("staleness hook", false),
            ("./staleness hook", false),
            ("/usr/bin/staleness-wrapper hook", false),
            ("/usr/bin/env staleness hook", false),
        ] {
            assert_eq!(ours.is(&Call::of_line(line).unwrap()), expected, "{line}");
        }
        for line in ["", "   ", "staleness", "'/open/staleness hook", "\"x"] {
            assert_eq!(Call::of_line(line), None, "{line}");
        }
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
