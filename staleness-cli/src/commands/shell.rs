//! Command lines that can be pasted into a shell.

use std::path::Path;

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

/// A file of the project, as it is found from the folder in which one stands; both are resolved.
pub(crate) fn from_here(project: &Path, here: Option<&Path>, path: &str) -> String {
    if path.starts_with("~/") || Path::new(path).is_absolute() {
        return path.to_owned();
    }
    match here.map(|here| here.strip_prefix(project)) {
        Some(Ok(below)) => "../".repeat(below.components().count()) + path,
        _ => project.join(path).to_str().unwrap_or(path).to_owned(),
    }
}

fn word(text: &str) -> String {
    // What no line holds as it is.
    if text.contains(char::is_control) {
        let text: String = text
            .chars()
            .flat_map(|c| match c {
                '\'' | '\\' => vec!['\\', c],
                c if c.is_control() => format!("\\u{:04x}", c as u32).chars().collect(),
                c => vec![c],
            })
            .collect();
        return format!("$'{text}'");
    }
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
    fn a_control_character_is_one_for_the_shell_too() {
        assert_eq!(quoted("new\nit's"), r"$'new\u000ait\'s'");
    }

    #[test]
    fn a_file_is_found_from_where_one_stands() {
        let (project, sub) = (Path::new("/home/me/shop"), Path::new("/home/me/shop/docs/a"));
        assert_eq!(from_here(project, Some(project), "docs/a.md"), "docs/a.md");
        assert_eq!(from_here(project, Some(sub), "README.md"), "../../README.md");
        let elsewhere = Some(Path::new("/home/me"));
        assert_eq!(from_here(project, elsewhere, "README.md"), "/home/me/shop/README.md");
        assert_eq!(from_here(project, None, "README.md"), "/home/me/shop/README.md");
        assert_eq!(from_here(project, Some(sub), "~/.claude/CLAUDE.md"), "~/.claude/CLAUDE.md");
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
