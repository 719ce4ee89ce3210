//! Digests of everything that a project's own files give to agents. Nothing of this machine or its user counts.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use staleness_core::ids::{Level, ServerKey};
use staleness_core::tool::ToolKind;
use staleness_docs::disk::{look, reason, shown};
use staleness_docs::instruction_files;

use super::folders::Shelf;
use super::launch::Starts;
use super::{Outside, Place, ScanRequest, read_outside};
use crate::folder::Lister;
use crate::json::{self, JsonFile};
use crate::text::{load_config, read_config};

/// Files with the hooks of a client, in a project.
const HOOKS: [&str; 4] =
    [".claude/settings.json", ".codex/hooks.json", ".cursor/hooks.json", ".gemini/settings.json"];
/// The largest file of which a digest is made, and the most of all files together, in bytes.
const MAX_BYTES: u64 = 8 << 20;
const MAX_TOTAL: u64 = 64 << 20;
/// The most files of one skill, and its deepest folder.
const MAX_FILES: usize = 2_000;
const MAX_DEPTH: usize = 8;

/// Something that a project's own files give to agents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declared {
    /// Its kind, as one word.
    pub kind: &'static str,
    /// Its file or folder below the project; of a server and of a hook followed by `#` and its name.
    pub name: String,
    /// A SHA-256 of its content, in hexadecimal digits, in which no secret counts.
    pub digest: String,
    /// The server, if it is one.
    pub server: Option<ServerKey>,
}

/// Everything that was found, by kind and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// The entries.
    pub entries: Vec<Declared>,
    /// Files and folders that could not be read, below the project, with the reason.
    pub unread: Vec<(String, String)>,
}

/// Reads what a project's own files give to agents. Files for one user (`*.local.*`) are left out.
#[must_use]
pub fn declared(request: &ScanRequest<'_>) -> Declarations {
    let request = ScanRequest { outlines: None, ..*request };
    let mut outside = Outside { starts: Some(Starts::default()), ..Outside::new(&request) };
    let mut reader = Reader { all: Declarations::default(), left: MAX_TOTAL };
    reader.servers(&mut outside);
    reader.hooks(&outside);
    reader.shelves(&outside);
    let (files, skipped) = instruction_files(request.project);
    for (key, path) in files {
        if !key.contains(".local.") {
            reader.file("instruction", &key, &path, &outside);
        }
    }
    reader.all.unread.extend(skipped.into_iter().map(|each| (each.path, each.reason)));
    let Declarations { mut entries, mut unread } = reader.all;
    entries.sort();
    unread.sort();
    unread.dedup();
    Declarations { entries, unread }
}

struct Reader {
    all: Declarations,
    /// Bytes that may still be read.
    left: u64,
}

impl Reader {
    fn add(&mut self, kind: &'static str, name: String, digest: String) {
        self.all.entries.push(Declared { kind, name, digest, server: None });
    }

    fn unread(&mut self, path: &str, why: &str, outside: &Outside<'_>) {
        let why = why.replace(&format!("{}/", shown(outside.folder)), "");
        self.all.unread.push((path.to_owned(), why));
    }

    fn servers(&mut self, outside: &mut Outside<'_>) {
        let readings = read_outside(outside).sources;
        let starts = outside.starts.take().unwrap_or_default();
        let folder = shown(outside.folder);
        for reading in readings.iter().filter(|reading| reading.id.level == Level::Project) {
            let below = reading.path.strip_prefix(&folder).map(|path| path.trim_start_matches('/'));
            let Some(path) = below else { continue };
            let servers = reading.found.iter().filter(|each| each.kind == ToolKind::McpServer);
            for found in servers {
                let Some(members) = starts.members(&reading.id, &found.name) else { continue };
                let name = found.name.as_str();
                let name = name.strip_prefix("mcp__").and_then(|name| name.strip_suffix("__*"));
                let name = format!("{path}#{}", name.unwrap_or(found.name.as_str()));
                let digest = of_value(&without_secrets(&members));
                let server = found.server.clone();
                self.all.entries.push(Declared { kind: "server", name, digest, server });
            }
            if let Some(why) = reading.error.as_deref().filter(|_| !reading.covers()) {
                self.unread(path, why, outside);
            }
        }
    }

    fn hooks(&mut self, outside: &Outside<'_>) {
        let mut paths: Vec<String> = HOOKS.map(str::to_owned).into();
        if let Ok(items) = fs::read_dir(outside.folder.join(".github/hooks")) {
            let names =
                items.take(MAX_FILES).filter_map(|item| item.ok()?.file_name().into_string().ok());
            paths.extend(
                names
                    .filter(|name| name.ends_with(".json"))
                    .map(|name| format!(".github/hooks/{name}")),
            );
        }
        for below in paths {
            let path = outside.folder.join(&below);
            let content = read_config(&path, Some(&outside.fence), MAX_BYTES);
            match JsonFile::of(&path, &content) {
                JsonFile::Missing => {}
                JsonFile::Failed(why) => self.unread(&below, &why, outside),
                JsonFile::Read(file) => {
                    let hooks = json::members(&file.root).remove("hooks");
                    for (event, value) in
                        hooks.as_ref().and_then(Value::as_object).into_iter().flatten()
                    {
                        self.add("hook", format!("{below}#{event}"), of_value(value));
                    }
                }
            }
        }
    }

    fn shelves(&mut self, outside: &Outside<'_>) {
        for shelf in Shelf::ALL {
            let (kind, below) = (shelf.kind_word(), format!(".claude/{}", shelf.word()));
            let root = outside.folder.join(&below);
            match look(&root, Some(&outside.fence)) {
                Ok(Some(meta)) if meta.is_dir() => {}
                Ok(_) => continue,
                Err(why) => {
                    self.unread(&below, why, outside);
                    continue;
                }
            }
            let place = Place {
                path: root,
                project: Some(&outside.project_id),
                fence: Some(&outside.fence),
                root_is_there: true,
            };
            let mut draft = place.draft(super::claude::CLIENT, shelf.word());
            let mut lister = Lister::new(place.fence);
            let listed = match shelf {
                Shelf::Skills => lister.list(&place.path, &mut draft),
                Shelf::Commands | Shelf::Agents => lister
                    .markdown(&place.path, shelf == Shelf::Commands, &mut draft)
                    .map(|files| files.into_iter().map(|(_, item)| item).collect()),
            };
            let items = listed.unwrap_or_else(|why| {
                draft.fault(|| why);
                Vec::new()
            });
            for item in items {
                let Ok(path) = item.path.strip_prefix(outside.folder) else { continue };
                let key = path.to_string_lossy().replace('\\', "/");
                match shelf {
                    Shelf::Skills if !item.path.join("SKILL.md").is_file() => {}
                    Shelf::Skills => self.folder(kind, &key, &item.path, outside),
                    Shelf::Commands | Shelf::Agents => self.file(kind, &key, &item.path, outside),
                }
            }
            if let Some(why) = draft.read().error {
                self.unread(&below, &why, outside);
            }
        }
    }

    fn file(&mut self, kind: &'static str, key: &str, path: &Path, outside: &Outside<'_>) {
        match look(path, Some(&outside.fence)).and_then(|_| self.read(path)) {
            Ok(bytes) => self.add(kind, key.to_owned(), hex(Sha256::digest(bytes).as_slice())),
            Err(why) => self.unread(key, why, outside),
        }
    }

    /// A folder with all its files. Of a link only counts where it leads.
    fn folder(&mut self, kind: &'static str, key: &str, root: &Path, outside: &Outside<'_>) {
        let mut lines = Vec::new();
        match self.lines_of(root, root, 0, &mut lines) {
            Ok(()) => {
                lines.sort_unstable();
                self.add(kind, key.to_owned(), hex(Sha256::digest(lines.concat()).as_slice()));
            }
            Err(why) => self.unread(key, why, outside),
        }
    }

    fn lines_of(
        &mut self,
        root: &Path,
        folder: &Path,
        depth: usize,
        lines: &mut Vec<String>,
    ) -> Result<(), &'static str> {
        for entry in fs::read_dir(folder).map_err(|error| reason(error.kind()))? {
            if depth > MAX_DEPTH || lines.len() >= MAX_FILES {
                return Err("holds more files or folders than are looked at");
            }
            let entry = entry.map_err(|error| reason(error.kind()))?;
            let kind = entry.file_type().map_err(|error| reason(error.kind()))?;
            let path = entry.path();
            let bytes = if kind.is_dir() {
                self.lines_of(root, &path, depth + 1, lines)?;
                continue;
            } else if kind.is_symlink() {
                let target = fs::read_link(&path).map_err(|error| reason(error.kind()))?;
                target.to_string_lossy().replace('\\', "/").into_bytes()
            } else {
                self.read(&path)?
            };
            let below: PathBuf = path.strip_prefix(root).map(Path::to_path_buf).unwrap_or_default();
            let below = below.to_string_lossy().replace('\\', "/");
            let digest = hex(Sha256::digest(bytes).as_slice());
            lines.push(format!("{} {digest}\n", Value::from(below)));
        }
        Ok(())
    }

    /// Reads a file, with the line ends that it has wherever it is checked out.
    fn read(&mut self, path: &Path) -> Result<Vec<u8>, &'static str> {
        let meta = fs::metadata(path).map_err(|error| reason(error.kind()))?;
        if !meta.is_file() {
            return Err("is not a file");
        }
        let most = MAX_BYTES.min(self.left);
        if meta.len() > most {
            return Err("is larger than what is looked at");
        }
        let (mut bytes, _) = load_config(path, most).map_err(|_| "cannot be read")?;
        self.left -= bytes.len() as u64;
        bytes.retain(|byte| *byte != b'\r');
        Ok(bytes)
    }
}

/// The members of a server's entry without the values of its variables and headers, without credentials, and without
/// what follows the path of an address.
fn without_secrets(members: &Map<String, Value>) -> Value {
    let clean = |(key, value): (&String, &Value)| {
        let value = match value {
            Value::Object(map) if is_secret(key) => {
                map.keys().map(|name| (name.clone(), Value::Null)).collect::<Map<_, _>>().into()
            }
            _ if is_secret(key) => Value::Null,
            Value::Object(map) => without_secrets(map),
            Value::Array(list) => {
                let mut hide = false;
                let each = list.iter().map(|value| {
                    let text = value.as_str().unwrap_or_default();
                    let was_hidden = hide && !text.starts_with('-');
                    hide = text.starts_with('-') && !text.contains('=') && is_secret(text);
                    match (was_hidden, text.split_once('=')) {
                        (true, _) => Value::Null,
                        // In an address `=` belongs to its query.
                        (_, Some((name, _))) if is_secret(name) && !name.contains("://") => {
                            name.into()
                        }
                        _ => without_query(value),
                    }
                });
                each.collect()
            }
            value => without_query(value),
        };
        (key.clone(), value)
    };
    members.iter().map(clean).collect::<Map<_, _>>().into()
}

/// An address without user, query and fragment; another value as it is.
fn without_query(value: &Value) -> Value {
    let Some((scheme, rest)) = value.as_str().and_then(|text| text.split_once("://")) else {
        return value.clone();
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}/{path}").into()
}

/// Returns true for names of what may be secret.
fn is_secret(name: &str) -> bool {
    const PARTS: [&str; 9] =
        ["env", "header", "token", "secret", "password", "passwd", "auth", "credential", "key"];
    let name = name.to_ascii_lowercase();
    PARTS.iter().any(|part| name.contains(part))
}

/// The digest of a value as JSON with sorted keys.
fn of_value(value: &Value) -> String {
    fn write(value: &Value, out: &mut String) {
        match value {
            Value::Object(map) => {
                let mut members: Vec<_> = map.iter().collect();
                members.sort_unstable_by_key(|(key, _)| *key);
                out.push('{');
                for (key, value) in members {
                    out.push_str(&Value::from(key.as_str()).to_string());
                    out.push(':');
                    write(value, out);
                    out.push(',');
                }
                out.push('}');
            }
            Value::Array(list) => {
                out.push('[');
                for value in list {
                    write(value, out);
                    out.push(',');
                }
                out.push(']');
            }
            other => out.push_str(&other.to_string()),
        }
    }
    let mut text = String::new();
    write(value, &mut text);
    hex(Sha256::digest(text).as_slice())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn digest(value: &Value) -> String {
        of_value(&without_secrets(value.as_object().unwrap()))
    }

    #[test]
    fn a_digest_of_a_server_moves_with_all_but_its_secrets() {
        let server = json!({"command": "npx", "args": ["-y", "hub", "--token", "a", "--api-key=b"],
                            "env": {"A": "1"}, "url": "https://me:pw@hub.dev/mcp?key=1"});
        let mut same = server.clone();
        same["args"] = json!(["-y", "hub", "--token", "z", "--api-key=y"]);
        same["env"]["A"] = "2".into();
        same["url"] = "https://you@hub.dev/mcp?key=2#x".into();
        assert_eq!(digest(&server), digest(&same));
        for (key, value) in [
            ("command", json!("sh")),
            ("args", json!(["hub", "-y", "--token", "a", "--api-key=b"])),
            ("env", json!({"B": "1"})),
            ("url", json!("https://hub.example/mcp")),
            ("type", json!("http")),
        ] {
            let mut other = server.clone();
            other[key] = value;
            assert_ne!(digest(&server), digest(&other), "{key}");
        }
    }
}
