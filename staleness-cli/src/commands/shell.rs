//! Command lines that can be pasted into a shell.

/// A word as a shell takes it, whatever it holds; never an option.
pub(crate) fn quoted(text: &str) -> String {
    let word = word(text);
    if text.starts_with('-') { format!("-- {word}") } else { word }
}

/// Opens a file at a line in the person's editor.
pub(crate) fn editor(path: &str, line: Option<u32>) -> String {
    let line = line.map(|line| format!("+{line} ")).unwrap_or_default();
    let file = match path.strip_prefix("~/") {
        Some(rest) => format!("~/{}", word(rest)),
        None if path.starts_with(['-', '+', '~']) => word(&format!("./{path}")),
        None => word(path),
    };
    format!("${{EDITOR:-vi}} {line}{file}")
}

fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@+,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word_and_is_never_run() {
        assert_eq!(quoted("mcp__github__search"), "mcp__github__search");
        assert_eq!(quoted("mcp__github__*"), "'mcp__github__*'");
        assert_eq!(quoted("it's $(rm -rf ~)"), r"'it'\''s $(rm -rf ~)'");
        assert_eq!(quoted("--yes"), "-- --yes");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_path_is_never_an_option_of_the_editor() {
        assert_eq!(editor("docs/a.md", Some(3)), "${EDITOR:-vi} +3 docs/a.md");
        assert_eq!(editor("-c:!sh.md", None), "${EDITOR:-vi} './-c:!sh.md'");
        assert_eq!(
            editor("~/.claude/my notes.md", Some(1)),
            "${EDITOR:-vi} +1 ~/'.claude/my notes.md'"
        );
    }
}
