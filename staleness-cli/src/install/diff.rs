//! Diffs of configuration changes, without secrets.
//!
//! Values and comments in configuration files may contain tokens, and a diff also shows the lines around a change.
//! Foreign values and comments are therefore replaced by a placeholder. Only keys, punctuation and texts written by
//! `init` are shown, even for an entry that is removed to disable a server. The backup contains the rest.

use jsonc_parser::tokens::Token as JsonToken;
use jsonc_parser::{Scanner, ScannerOptions};
use staleness_sources::live::repaired;

use super::json::BOM;
use super::part::Part;
use super::toml_server;
use crate::output::diff;

/// The placeholder for a hidden value.
const HIDDEN: &str = "…";

/// Returns a unified diff of two texts. `None` means that the file does not exist.
pub(crate) fn unified(
    part: &Part,
    path: &str,
    before: Option<&str>,
    after: Option<&str>,
) -> String {
    if before == after {
        return String::new();
    }
    let name = |text: Option<&str>| if text.is_some() { path } else { "/dev/null" };
    let ours = part.words();
    let shown = |text: Option<&str>| shown(part, &ours, text.unwrap_or_default());
    diff::unified([name(before), name(after)], &shown(before), &shown(after))
}

/// Returns a text with foreign values and comments hidden.
fn shown(part: &Part, ours: &[String], text: &str) -> String {
    let hidden = match part {
        Part::Skill => return text.to_owned(),
        Part::Toml(_) => toml_server::texts_and_comments(text),
        Part::Switches(switches) if switches.is_toml() => toml_server::texts_and_comments(text),
        Part::Json(..) | Part::Switches(_) => texts_and_comments(text),
    };
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to) in hidden {
        shown.push_str(&text[at..from]);
        shown.push_str(&cover(&text[from..to], ours));
        at = to;
    }
    shown.push_str(&text[at..]);
    shown
}

/// Returns the visible form of a value or comment: its delimiters and newlines. Values that `init` writes are
/// returned unchanged.
fn cover(text: &str, ours: &[String]) -> String {
    let known = |text: &str| {
        ours.iter().any(|word| word == text && !text.starts_with('"'))
            || serde_json::from_str::<String>(text).is_ok_and(|text| ours.contains(&text))
            || text
                .strip_prefix('\'')
                .and_then(|text| text.strip_suffix('\''))
                .is_some_and(|text| ours.iter().any(|word| word == text))
    };
    if known(text) {
        return text.to_owned();
    }
    let number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    if number && text.len() == 1 {
        // A single digit is no secret, and may be a version.
        return text.to_owned();
    }
    let (open, close) = if text.starts_with("//") {
        ("// ", "")
    } else if text.starts_with("/*") {
        ("/* ", " */")
    } else if text.starts_with('#') {
        ("# ", "")
    } else if text.starts_with(['"', '\'']) {
        ("\"", "\"")
    } else {
        ("", "")
    };
    format!("{open}{HIDDEN}{}{close}", "\n".repeat(text.matches('\n').count()))
}

/// Returns the ranges of all string and number values, and of comments, in a JSON text.
fn texts_and_comments(text: &str) -> Vec<(usize, usize)> {
    let body = text.trim_start_matches(BOM);
    let begin = text.len() - body.len();
    let body = repaired(body.as_bytes());
    let mut tokens = Scanner::new(&body, &ScannerOptions::default());
    let mut places = Vec::new();
    // A string before a colon is a key. The last string is kept here until the next token is known.
    let mut last_text = None;
    loop {
        let token = tokens.scan();
        let place = (begin + tokens.token_start(), begin + tokens.token_end());
        match token {
            Ok(None) => return places,
            Ok(Some(JsonToken::Colon)) => drop(last_text.take().map(|key| places.remove(key))),
            Ok(Some(JsonToken::CommentLine(_) | JsonToken::CommentBlock(_))) => places.push(place),
            Ok(Some(JsonToken::String(_))) => {
                last_text = Some(places.len());
                places.push(place);
            }
            Ok(Some(JsonToken::Number(_) | JsonToken::Word(_))) => places.push(place),
            Ok(Some(_)) => last_text = None,
            Err(_) => {
                places.push((place.0, text.len()));
                return places;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use staleness_sources::clients::{Switch, SwitchChange};

    use super::*;
    use crate::install::part::tests::{hooks, server, toml};
    use crate::install::switch::Switches;

    #[test]
    fn other_peoples_values_and_comments_are_not_shown() {
        let before = "{\n  // token: hunter2\n  \"mcpServers\": {\n    \"a\": {\n      \"env\": {\"T\": \
                      \"hunter2\", \"n\": 1}, /* hunter2\n hunter2 */\n      \"args\": [\"hunter2\"]\n    }\n  }\n}\n";
        let part = server();
        let after = part.install(before).unwrap();
        let diff = unified(&part, "f.json", Some(before), Some(&after));
        assert!(!diff.contains("hunter2"), "{diff}");
        for line in [
            "--- f.json\n+++ f.json\n",
            "+      \"command\": \"/opt/staleness\",\n",
            "+      \"args\": [\"mcp\"]\n",
            "       \"args\": [\"…\"]\n",
        ] {
            assert!(diff.contains(line), "{line}{diff}");
        }
        let minified = r#"{"mcpServers":{"a":{"env":{"T":"hunter2","PIN":-482913.5e3}}}}"#;
        let diff = unified(&part, "f", Some(minified), Some(&part.install(minified).unwrap()));
        assert!(!diff.contains("hunter2") && diff.contains(r#"{"T":"…","PIN":…}"#), "{diff}");
    }

    #[test]
    fn of_an_entry_that_is_removed_no_value_is_shown() {
        let at = ["mcpServers", "b"].map(str::to_owned).into();
        let change = SwitchChange::Remove;
        let remove = Part::Switches(Switches(vec![Switch { path: "f.json".into(), at, change }]));
        let env = r#""env":{"K":"hunter2"},"headers":{"A":"hunter2"}"#;
        let line = format!(
            r#"{{"mcpServers":{{"a":{{"command":"x","key":"hunter2"}},"b":{{"command":"uvx -phunter2","args":["sk-live-hunter2",12],{env}}},"c":{{"key":"hunter2"}}}}}}"#
        );
        let diff = unified(&remove, "f.json", Some(&line), Some(&remove.install(&line).unwrap()));
        let gone = r#""b":{"command":"…","args":["…",…],"env":{"K":"…"},"headers":{"A":"…"}}"#;
        assert!(diff.contains(gone) && !diff.contains("hunter2"), "{diff}");
    }

    #[test]
    fn secrets_in_toml_are_not_shown() {
        let before = "# hunter2\n[mcp_servers.a]\ncommand = 'x' # hunter2\nenv = { T = \"hunter2#\" }\n\
                      args = [\"\"\"\nhunter2\n\"\"\", '#hunter2']\nPIN = 482913\nb = [1979-05-27, true, 482913.5]\n";
        let part = toml();
        let after = part.install(before).unwrap();
        let diff = unified(&part, "c.toml", Some(before), Some(&after));
        for secret in ["hunter2", "482913", "1979"] {
            assert!(!diff.contains(secret), "{diff}");
        }
        assert!(
            diff.contains("+[mcp_servers.staleness]\n+command = \"/opt/staleness\"\n"),
            "{diff}"
        );
    }

    #[test]
    fn a_file_that_comes_or_goes_has_no_other_side() {
        let part = hooks();
        let text = part.install("").unwrap();
        assert!(
            unified(&part, "f", None, Some(&text)).starts_with("--- /dev/null\n+++ f\n@@ -0,0 +1,")
        );
        assert!(unified(&part, "f", Some(&text), None).starts_with("--- f\n+++ /dev/null\n@@ -1,"));
        assert_eq!(unified(&part, "f", Some(&text), Some(&text)), "");
        let command = "\"command\": \"/opt/staleness hook --client claude-code\"";
        assert!(unified(&part, "f", None, Some(&text)).contains(command));
    }
}
