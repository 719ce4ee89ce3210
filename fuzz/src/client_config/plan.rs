//! Configurations with secrets in them, as a person or a half-finished write may leave them.

use arbitrary::Arbitrary;
use serde_json::{Map, Value, json};

use super::{PLACES, Shape};
use crate::SECRET;

/// A few files.
#[derive(Arbitrary, Debug)]
pub(super) struct Plan {
    first: File,
    second: Option<File>,
    third: Option<File>,
}

/// One file.
#[derive(Arbitrary, Debug)]
struct File {
    place: u8,
    servers: [Option<Server>; 3],
    off: Vec<Name>,
    style: Style,
    edit: Option<Edit>,
}

/// The name of a server, a tool, a plugin or a command.
#[derive(Arbitrary, Debug)]
enum Name {
    Plain(u8),
    Any(String),
}

/// A server, and where its secrets are.
#[derive(Arbitrary, Debug)]
struct Server {
    name: Name,
    command: bool,
    url: bool,
    args: u8,
    env: Vec<Key>,
    headers: Vec<Key>,
    disabled: Option<bool>,
    enabled: Option<bool>,
    description: Option<String>,
    odd: Odd,
}

/// A name of a variable or a header.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Key {
    Token,
    Name,
    Disabled,
    Servers,
    Empty,
}

/// What clients do not expect of a server.
#[derive(Arbitrary, Debug)]
enum Odd {
    Nothing,
    /// It is a text.
    Text,
    /// It is a list.
    List,
    /// Its flags are texts.
    Flags,
    /// Its environment is a text.
    Env,
    /// A field of tomorrow.
    Field,
    /// Its description is no text.
    Description,
}

/// How a file is written.
#[derive(Arbitrary, Debug)]
struct Style {
    mark: bool,
    returns: bool,
    comments: bool,
    trailing_commas: bool,
    other_key: bool,
    on_top: bool,
}

/// One byte that went wrong.
#[derive(Arbitrary, Debug)]
enum Edit {
    Cut(u16),
    Lose(u16),
    Change(u16, u8),
    Add(u16, u8),
}

impl Plan {
    /// The files, each with its place.
    pub(super) fn files(&self, project: &str) -> Vec<(usize, Vec<u8>)> {
        let files = [Some(&self.first), self.second.as_ref(), self.third.as_ref()];
        files.into_iter().flatten().map(|file| file.written(project)).collect()
    }
}

impl File {
    fn written(&self, project: &str) -> (usize, Vec<u8>) {
        let place = usize::from(self.place) % PLACES.len();
        let mut text = match PLACES[place].1 {
            Shape::Toml => self.toml(),
            Shape::Git => format!("gitdir: /nowhere/{SECRET}\n"),
            shape => self.style.json(&self.json(shape, project)),
        };
        if self.style.returns {
            text = text.replace('\n', "\r\n");
        }
        if self.style.mark {
            text.insert(0, '\u{feff}');
        }
        let mut bytes = text.into_bytes();
        if PLACES[place].1 != Shape::Git
            && let Some(edit) = &self.edit
        {
            edit.make(&mut bytes);
        }
        (place, bytes)
    }

    fn servers(&self) -> impl Iterator<Item = &Server> {
        self.servers.iter().flatten()
    }

    fn map(&self) -> Value {
        self.servers()
            .map(|server| (server.name.text(), server.json()))
            .collect::<Map<_, _>>()
            .into()
    }

    fn off(&self) -> Value {
        self.off.iter().map(Name::text).collect()
    }

    fn json(&self, shape: Shape, project: &str) -> Value {
        let key = if self.style.other_key { "servers" } else { "mcpServers" };
        let mut root = match shape {
            Shape::Servers => json!({
                key: self.map(), "mcp": {"excluded": self.off()}, "apiKey": SECRET,
            }),
            Shape::Inputs => json!({
                if self.style.other_key { "mcpServers" } else { "servers" }: self.map(),
                "inputs": [{"id": "key", "password": true, "default": SECRET}],
            }),
            Shape::State => json!({
                key: self.map(), "oauthAccount": {"token": SECRET},
                "projects": {
                    project: {
                        "mcpServers": self.map(), "history": [{"display": SECRET}],
                        "disabledMcpServers": self.off(), "disabledMcpjsonServers": self.off(),
                    },
                    "/elsewhere": {"mcpServers": {SECRET: {}}, "history": [SECRET]},
                },
            }),
            Shape::Settings => json!({
                "env": {"TOKEN": SECRET}, "apiKeyHelper": SECRET,
                "disabledMcpjsonServers": self.off(),
                "enabledPlugins": {"kit@market": !self.style.other_key},
            }),
            Shape::Plugins => json!({
                "plugins": {
                    "kit@market": [{
                        "scope": "user", "installPath": "~/kit", "version": SECRET, "token": SECRET,
                    }],
                },
                "token": SECRET,
            }),
            Shape::Bare => self.map(),
            Shape::Manifest => json!({
                "name": "kit", "mcpServers": self.map(), "token": SECRET,
                "commands": {"run": {"content": SECRET, "argumentHint": SECRET}},
            }),
            Shape::Tools => json!({
                "tools": self.servers().map(Server::tool).collect::<Vec<_>>(), "_meta": SECRET,
            }),
            Shape::Toml | Shape::Git => Value::Null,
        };
        if self.style.on_top {
            // Something else stands where the file should begin.
            root = json!([root, SECRET]);
        }
        root
    }

    fn toml(&self) -> String {
        let mut text = format!("api_key = {}\n", quoted(SECRET));
        for server in self.servers() {
            let name = quoted(&server.name.text());
            text.push_str(&format!("[mcp_servers.{name}]\n"));
            let Value::Object(fields) = server.json() else {
                text.push_str(&format!("command = {}\n", quoted(SECRET)));
                continue;
            };
            for (key, value) in fields {
                if !value.is_null() {
                    text.push_str(&format!("{} = {}\n", quoted(&key), inline(&value)));
                }
            }
        }
        if self.style.comments {
            text = text.replace('\n', &format!(" # {SECRET}\n"));
        }
        text
    }
}

impl Name {
    fn text(&self) -> String {
        match self {
            Self::Plain(number) => format!("s{}", number % 4),
            Self::Any(text) => text.clone(),
        }
    }
}

impl Key {
    const fn text(self) -> &'static str {
        match self {
            Self::Token => "TOKEN",
            Self::Name => "name",
            Self::Disabled => "disabled",
            Self::Servers => "mcpServers",
            Self::Empty => "",
        }
    }
}

fn secrets(keys: &[Key]) -> Value {
    keys.iter().map(|key| (key.text().to_owned(), SECRET.into())).collect::<Map<_, _>>().into()
}

impl Server {
    fn json(&self) -> Value {
        match self.odd {
            Odd::Text => return SECRET.into(),
            Odd::List => return json!([SECRET, {"url": SECRET}]),
            _ => {}
        }
        let mut fields = Map::new();
        let mut put = |key: &str, value: Value| fields.insert(key.to_owned(), value);
        if self.command {
            put("command", format!("/bin/{SECRET}").into());
        }
        if self.url {
            put("url", format!("https://user:{SECRET}@host/?key={SECRET}").into());
        }
        if self.args > 0 {
            put("args", vec![format!("--token={SECRET}"); usize::from(self.args % 4)].into());
        }
        put("env", secrets(&self.env));
        put("headers", secrets(&self.headers));
        put("disabled", self.disabled.into());
        put("enabled", self.enabled.into());
        put("description", self.description.clone().into());
        match self.odd {
            Odd::Flags => drop((put("disabled", SECRET.into()), put("enabled", SECRET.into()))),
            Odd::Env => drop(put("env", SECRET.into())),
            Odd::Field => drop(put("auth", json!({"name": SECRET, "servers": {SECRET: {}}}))),
            Odd::Description => drop(put("description", json!([SECRET]))),
            Odd::Nothing | Odd::Text | Odd::List => {}
        }
        fields.into()
    }

    fn tool(&self) -> Value {
        if matches!(self.odd, Odd::Text) {
            return SECRET.into();
        }
        json!({
            "name": self.name.text(), "description": self.description,
            "inputSchema": {"default": SECRET, "name": SECRET}, "annotations": secrets(&self.env),
        })
    }
}

impl Style {
    fn json(&self, root: &Value) -> String {
        let mut text = format!("{root:#}");
        if self.trailing_commas {
            let lines: Vec<&str> = text.lines().collect();
            let follows = lines.iter().skip(1).map(|line| line.trim_start());
            let follows = follows.map(|next| next.starts_with(['}', ']'])).chain([false]);
            let lines: Vec<String> = lines
                .iter()
                .zip(follows)
                .map(|(line, last)| {
                    let open = line.ends_with(['{', '[', ',']);
                    format!("{line}{}", if last && !open { "," } else { "" })
                })
                .collect();
            text = lines.join("\n");
        }
        if self.comments {
            text = text.replace('\n', &format!(" // {SECRET}\n/* {SECRET} */ "));
        }
        text
    }
}

/// A text as JSON and TOML write it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A value as it stands in one line of TOML.
fn inline(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            format!("[{}]", list.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            let fields = fields.map(|(key, value)| format!("{} = {}", quoted(key), inline(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

impl Edit {
    fn make(&self, bytes: &mut Vec<u8>) {
        let at = |at: u16| usize::from(at) % (bytes.len() + 1);
        match *self {
            Self::Cut(to) => bytes.truncate(at(to)),
            Self::Lose(from) => {
                let from = at(from);
                if from < bytes.len() {
                    bytes.remove(from);
                }
            }
            Self::Change(from, byte) => {
                let from = at(from);
                if let Some(old) = bytes.get_mut(from) {
                    *old = byte;
                }
            }
            Self::Add(from, byte) => {
                let from = at(from);
                bytes.insert(from, byte);
            }
        }
    }
}
