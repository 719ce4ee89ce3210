//! Command lines that can be pasted into a shell.

use std::path::Path;

use staleness_service::is_unsafe;
use staleness_service::settings::Settings;

/// Quotes a word for a shell, so that it is taken literally and never as an option.
pub(crate) fn quoted(text: &str) -> String {
    let word = word(text);
    if text.starts_with('-') { format!("-- {word}") } else { word }
}

/// Returns a `staleness` command with the global options of this call. Any other command is returned unchanged.
pub(crate) fn again(settings: &Settings, command: &str) -> String {
    let given = settings.given.iter().map(|(name, value)| format!(" {name} {}", word(value)));
    let given: String = given.collect();
    match command.strip_prefix("staleness ") {
        Some(rest) => format!("staleness{given} {rest}"),
        None => command.to_owned(),
    }
}

/// Returns the command that opens a file at a line in the user's editor.
pub(crate) fn editor(path: &str, line: Option<u32>) -> String {
    let line = line.map(|line| format!("+{line} ")).unwrap_or_default();
    let file = match path.strip_prefix("~/") {
        Some(rest) => format!("~/{}", word(rest)),
        None if path.starts_with(['-', '+', '~']) => word(&format!("./{path}")),
        None => word(path),
    };
    format!("${{EDITOR:-vi}} {line}{file}")
}

/// Returns the path of a project file relative to the current folder. Both folders must be resolved.
pub(crate) fn from_here(project: &Path, here: Option<&Path>, path: &str) -> String {
    if path.starts_with("~/") || Path::new(path).is_absolute() {
        return path.to_owned();
    }
    match here.map(|here| here.strip_prefix(project)) {
        Some(Ok(below)) => "../".repeat(below.components().count()) + path,
        _ => project.join(path).to_str().unwrap_or(path).to_owned(),
    }
}

pub(crate) fn word(text: &str) -> String {
    // Characters that a terminal would hide or interpret are written in octal. So are quotation marks and backslashes,
    // so that a shell without `$'…'` also sees one word.
    if text.contains(is_unsafe) {
        let mut word = "$'".to_owned();
        for c in text.chars() {
            if is_unsafe(c) || matches!(c, '\'' | '\\') {
                let bytes = c.to_string().into_bytes();
                bytes.iter().for_each(|byte| word.push_str(&format!("\\{byte:03o}")));
            } else {
                word.push(c);
            }
        }
        return word + "'";
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
    fn what_a_terminal_would_obey_is_one_word_for_every_shell() {
        assert_eq!(quoted("new\nit's"), r"$'new\012it\047s'");
        assert_eq!(quoted("é\u{85}\\"), r"$'é\302\205\134'");
        assert_eq!(quoted("bidi\u{202e}.md"), r"$'bidi\342\200\256.md'");
        let hostile = quoted("a\u{1}'; echo INJECTED #");
        assert!(!hostile[2..hostile.len() - 1].contains('\''), "{hostile}");
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
