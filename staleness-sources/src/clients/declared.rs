//! Computes digests of the configuration that a project's own files give to agents. Data about this machine or its
//! user is not included.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};
use staleness_core::ids::{Level, ServerKey};
use staleness_core::tool::ToolKind;
use staleness_docs::disk::{look, reason, shown};
use staleness_docs::instruction_files;

use super::launch::Starts;
use super::secrets::{clean, without_secrets};
use super::{Outside, Place, ScanRequest, read_outside};
use crate::folder::Lister;
use crate::json::{self, JsonFile};
use crate::text::{json_text, load_config};

/// Files in a project that configure hooks.
const HOOKS: [&str; 4] =
    [".claude/settings.json", ".codex/hooks.json", ".cursor/hooks.json", ".gemini/settings.json"];
/// Members of settings, besides hooks, with programs that the client runs.
const PROGRAMS: [&str; 8] = [
    "statusLine",
    "subagentStatusLine",
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "otelHeadersHelper",
    "toolDiscoveryCommand",
    "toolCallCommand",
];
/// Other members of settings that affect agents: plugins, environment variables such as the URL of a model, approvals,
/// and disabled servers and hooks.
const SETTINGS: [&str; 7] = [
    "disableAllHooks",
    "disabledMcpjsonServers",
    "enableAllProjectMcpServers",
    "enabledMcpjsonServers",
    "enabledPlugins",
    "env",
    "extraKnownMarketplaces",
];
/// Folders with content for agents: path, kind, and file extension. A skill is a folder with `SKILL.md`.
const FOLDERS: [(&str, &str, &str); 19] = [
    (".agents/skills", "skill", ""),
    (".claude/skills", "skill", ""),
    (".codex/skills", "skill", ""),
    (".cursor/skills", "skill", ""),
    (".gemini/skills", "skill", ""),
    (".github/skills", "skill", ""),
    (".claude/agents", "agent", ".md"),
    (".claude/commands", "command", ".md"),
    (".codex/agents", "agent", ".toml"),
    (".cursor/agents", "agent", ".md"),
    (".cursor/commands", "command", ".md"),
    (".gemini/agents", "agent", ".md"),
    (".gemini/commands", "command", ".toml"),
    (".github/agents", "agent", ".md"),
    (".github/instructions", "rules", ".instructions.md"),
    (".github/prompts", "command", ".prompt.md"),
    (".opencode/command", "command", ".md"),
    (".windsurf/rules", "rules", ".md"),
    (".windsurf/workflows", "command", ".md"),
];
/// Rule files of a single client.
const RULES: [&str; 2] = [".cursorrules", ".windsurfrules"];
/// Files and folders of clients that this program does not read.
const NOT_READ: [&str; 14] = [
    ".aider.conf.yml",
    ".amazonq",
    ".augment",
    ".clinerules",
    ".continue",
    ".devcontainer",
    ".goosehints",
    ".junie",
    ".kiro",
    ".opencode/agent",
    ".roo",
    ".trae",
    ".vscode/settings.json",
    ".zed/settings.json",
];
/// Maximum size of a file, and of all files together, in bytes.
const MAX_BYTES: u64 = 8 << 20;
const MAX_TOTAL: u64 = 64 << 20;
/// Maximum number of files in total, maximum number in one skill or folder of hooks, and maximum depth of a skill's
/// folders.
const MAX_ALL: usize = 20_000;
const MAX_FILES: usize = 2_000;
const MAX_DEPTH: usize = 8;

/// Content that a project's own files give to agents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declared {
    /// The kind, as one word.
    pub kind: &'static str,
    /// The path of the file or folder, relative to the project. For servers and hooks, followed by `#` and
    /// the name.
    pub name: String,
    /// SHA-256 of the content without secrets, in hex.
    pub digest: String,
    /// The server's key, if this is a server.
    pub server: Option<ServerKey>,
}

/// All content that a project declares, sorted by kind and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// Everything that could be read.
    pub entries: Vec<Declared>,
    /// Files and folders that could not be read, relative to the project, with the reason.
    pub unread: Vec<(String, String)>,
    /// Existing files and folders of clients that this program does not read.
    pub not_read: Vec<&'static str>,
}

/// Reads the content that a project's own files give to agents. Skips files for one user (`*.local.*`).
pub fn declared(request: &ScanRequest<'_>) -> Declarations {
    let starts = Some(Starts::default());
    let mut outside = Outside { starts, is_project_alone: true, ..Outside::new(request) };
    let mut reader = Reader { all: Declarations::default(), left: MAX_TOTAL, files: MAX_ALL };
    reader.servers(&mut outside);
    reader.hooks(&outside);
    for (below, kind, ending) in FOLDERS {
        reader.shelf(below, kind, ending, &outside);
    }
    for key in RULES {
        let path = outside.folder.join(key);
        if path.symlink_metadata().is_ok() {
            reader.file("rules", key, &path, &outside);
        }
    }
    let (files, skipped) = instruction_files(request.project);
    for (key, path) in files {
        if !key.contains(".local.") {
            reader.file("instruction", &key, &path, &outside);
        }
    }
    reader.all.unread.extend(skipped.into_iter().map(|each| (each.path, each.reason)));
    let Declarations { mut entries, mut unread, .. } = reader.all;
    entries.sort();
    unread.sort();
    unread.dedup();
    let is_there = |key: &&str| outside.folder.join(key).symlink_metadata().is_ok();
    Declarations { entries, unread, not_read: NOT_READ.into_iter().filter(is_there).collect() }
}

struct Reader {
    all: Declarations,
    /// Remaining numbers of bytes, and of files and folders, that may be read.
    left: u64,
    files: usize,
}

impl Reader {
    fn add(&mut self, kind: &'static str, name: String, digest: String) {
        self.all.entries.push(Declared { kind, name, digest, server: None });
    }

    /// Records that a path could not be read, with the reason, from which the path is removed.
    fn unread(&mut self, path: &str, why: &str, outside: &Outside<'_>) {
        let why = why.replace(&format!("{}/", shown(outside.folder)), "");
        let own = why.strip_prefix(path).unwrap_or(&why);
        let why =
            own.strip_prefix(':').map_or(own.trim_start().to_owned(), |at| format!("line {at}"));
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
                let name = found.name.spelled_server().unwrap_or(found.name.as_str());
                let name = format!("{path}#{name}");
                let digest = of_value(without_secrets(&members));
                let server = found.server.clone();
                self.all.entries.push(Declared { kind: "server", name, digest, server });
            }
            if let Some(why) = reading.error.as_deref().filter(|_| !reading.covers()) {
                self.unread(path, why, outside);
            }
        }
    }

    fn hooks(&mut self, outside: &Outside<'_>) {
        const FOLDER: &str = ".github/hooks";
        let mut paths: Vec<String> = HOOKS.map(str::to_owned).into();
        match fs::read_dir(outside.folder.join(FOLDER)) {
            Ok(mut items) => {
                let names = items.by_ref().take(MAX_FILES);
                let names = names.filter_map(|item| item.ok()?.file_name().into_string().ok());
                let hooks = names.filter(|name| name.ends_with(".json"));
                paths.extend(hooks.map(|name| format!("{FOLDER}/{name}")));
                if items.next().is_some() {
                    self.unread(FOLDER, MANY, outside);
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => self.unread(FOLDER, reason(error.kind()), outside),
        }
        for below in paths {
            let path = outside.folder.join(&below);
            let content = match self.load(&path, outside) {
                Ok(None) => continue,
                Ok(Some(bytes)) => json_text(&path, bytes),
                Err(why) => {
                    self.unread(&below, why, outside);
                    continue;
                }
            };
            let file = JsonFile::of(&path, &content);
            let Some(file) = file.or_fault(|why| self.unread(&below, &why, outside)) else {
                continue;
            };
            let members = json::members(&file.root);
            let object = |key: &str| members.get(key).and_then(Value::as_object);
            let hooks = object("hooks").into_iter().flatten();
            let odd = members.get_key_value("hooks").filter(|(_, hooks)| !hooks.is_object());
            let own = PROGRAMS.iter().filter_map(|key| members.get_key_value(*key));
            let tools = object("tools").into_iter().flatten();
            let tools = tools.filter(|(key, _)| key.ends_with("Command"));
            for (name, value) in hooks.chain(odd).chain(own).chain(tools) {
                self.add("hook", format!("{below}#{name}"), of_value(clean(value)));
            }
            for (name, value) in SETTINGS.iter().filter_map(|key| members.get_key_value(*key)) {
                self.add("setting", format!("{below}#{name}"), of_value(clean(value)));
            }
        }
    }

    /// Adds the skills in a folder, or the files whose names end in `ending`.
    fn shelf(&mut self, below: &str, kind: &'static str, ending: &str, outside: &Outside<'_>) {
        let root = outside.folder.join(below);
        match look(&root, Some(&outside.fence)) {
            Ok(Some(meta)) if meta.is_dir() => {}
            Ok(_) => return,
            Err(why) => return self.unread(below, why, outside),
        }
        let place = Place {
            path: root,
            project: Some(&outside.project_id),
            fence: Some(&outside.fence),
            root_is_there: true,
        };
        let mut draft = place.draft("project", kind);
        let mut lister = Lister::new(place.fence);
        let listed = match kind {
            "skill" => lister.list(&place.path, &mut draft),
            _ => lister
                .files(&place.path, ending, kind != "agent", &mut draft)
                .map(|files| files.into_iter().map(|(_, item)| item).collect()),
        };
        let items = listed.unwrap_or_else(|why| {
            draft.fault(|| why);
            Vec::new()
        });
        for item in items {
            let Ok(path) = item.path.strip_prefix(outside.folder) else { continue };
            let key = path.to_string_lossy().replace('\\', "/");
            match kind {
                "skill" if !item.path.join("SKILL.md").is_file() => {}
                "skill" => self.folder(kind, &key, &item.path, outside),
                _ => self.file(kind, &key, &item.path, outside),
            }
        }
        if let Some(why) = draft.read().error {
            self.unread(below, &why, outside);
        }
    }

    fn file(&mut self, kind: &'static str, key: &str, path: &Path, outside: &Outside<'_>) {
        match self.load(path, outside).and_then(|bytes| bytes.ok_or("does not exist")) {
            Ok(bytes) => self.add(kind, key.to_owned(), hex(Sha256::digest(bytes).as_slice())),
            Err(why) => self.unread(key, why, outside),
        }
    }

    /// Reads a file within the project, if there is one.
    fn load(
        &mut self,
        path: &Path,
        outside: &Outside<'_>,
    ) -> Result<Option<Vec<u8>>, &'static str> {
        look(path, Some(&outside.fence))?.map(|_| self.read(path)).transpose()
    }

    /// Adds a folder with all its files. Links are not followed: the path of the target is hashed.
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
                return Err(MANY);
            }
            let entry = entry.map_err(|error| reason(error.kind()))?;
            let kind = entry.file_type().map_err(|error| reason(error.kind()))?;
            let path = entry.path();
            let bytes = if kind.is_dir() {
                self.count()?;
                self.lines_of(root, &path, depth + 1, lines)?;
                continue;
            } else if kind.is_symlink() {
                self.count()?;
                let target = fs::read_link(&path).map_err(|error| reason(error.kind()))?;
                target.to_string_lossy().replace('\\', "/").into_bytes()
            } else {
                let bytes = self.read(&path)?;
                let text = || clean(&String::from_utf8_lossy(&bytes).into()).to_string();
                if is_variables(&path) { text().into_bytes() } else { bytes }
            };
            let below: PathBuf = path.strip_prefix(root).map(Path::to_path_buf).unwrap_or_default();
            let below = below.to_string_lossy().replace('\\', "/");
            let digest = hex(Sha256::digest(bytes).as_slice());
            lines.push(format!("{} {digest}\n", Value::from(below)));
        }
        Ok(())
    }

    /// Counts a file or folder against the budget.
    fn count(&mut self) -> Result<(), &'static str> {
        self.files = self.files.checked_sub(1).ok_or(MANY)?;
        Ok(())
    }

    /// Reads a file. Line endings of texts are normalised, so that they do not depend on the checkout's settings.
    fn read(&mut self, path: &Path) -> Result<Vec<u8>, &'static str> {
        let meta = fs::metadata(path).map_err(|error| reason(error.kind()))?;
        if !meta.is_file() {
            return Err("is not a file");
        }
        self.count()?;
        let most = MAX_BYTES.min(self.left);
        if meta.len() > most {
            return Err("is too large to check");
        }
        let bytes = load_config(path, None, most).map_err(|_| "cannot be read")?;
        self.left -= bytes.len() as u64;
        if bytes.contains(&0) {
            return Ok(bytes);
        }
        let is_end = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
        Ok((0..bytes.len()).filter(|at| !is_end(*at)).map(|at| bytes[at]).collect())
    }
}

const MANY: &str = "has too many files or folders to check";

/// Returns true for files with environment variables, which may contain secrets.
fn is_variables(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".env") || name.starts_with(".env.")
}

/// Returns the digest of a value as JSON with sorted keys.
fn of_value(mut value: Value) -> String {
    value.sort_all_objects();
    hex(Sha256::digest(value.to_string()).as_slice())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use staleness_docs::project::ProjectPlace;

    use super::*;

    fn digest(value: &Value) -> String {
        of_value(without_secrets(value.as_object().unwrap()))
    }

    #[test]
    fn files_are_bounded_in_all_and_what_is_left_out_is_told() {
        let temp = tempfile::tempdir().unwrap();
        let place = ProjectPlace::of_folder(temp.path());
        let folder = place.folder.join(".github/hooks");
        fs::create_dir_all(&folder).unwrap();
        let hook = r#"{"hooks": {"Stop": []}}"#;
        for name in ["a", "b", "c"] {
            fs::write(folder.join(format!("{name}.json")), hook).unwrap();
        }
        let outside = Outside::new(&ScanRequest::new(temp.path(), &place));
        for (left, files, why) in
            [(MAX_TOTAL, 2, MANY), (2 * hook.len() as u64, 9, "is too large to check")]
        {
            let mut reader = Reader { all: Declarations::default(), left, files };
            reader.hooks(&outside);
            let Declarations { entries, unread, .. } = reader.all;
            assert_eq!((entries.len(), unread.len(), unread[0].1.as_str()), (2, 1, why));
        }
        let skill = place.folder.join("skill");
        for at in 0..9 {
            fs::create_dir_all(skill.join(format!("{at}/a"))).unwrap();
        }
        let mut reader = Reader { all: Declarations::default(), left: MAX_TOTAL, files: 9 };
        reader.folder("skill", "skill", &skill, &outside);
        assert_eq!(reader.all.unread, [("skill".to_owned(), MANY.to_owned())], "of empty folders");
        for at in 0..MAX_FILES {
            fs::write(folder.join(format!("{at}.md")), "").unwrap();
        }
        let mut reader = Reader { all: Declarations::default(), left: MAX_TOTAL, files: MAX_ALL };
        reader.hooks(&outside);
        assert_eq!(reader.all.unread, [(".github/hooks".to_owned(), MANY.to_owned())]);
    }

    #[test]
    fn files_of_variables_are_known_by_their_names() {
        let is = |name: &str| is_variables(&Path::new("skill").join(name));
        assert!([".env", ".env.local", "prod.env"].into_iter().all(is));
        assert!(!is("env.md") && !is(".envrc"));
    }

    #[test]
    fn a_digest_of_a_server_moves_with_all_but_its_secrets() {
        let server = json!({"command": "npx", "args": ["-y", "hub", "--token", "a", "--api-key=b"],
                            "env": {"TOKEN": "1"}, "url": "https://me:pw@hub.dev/mcp?key=1"});
        let mut same = server.clone();
        same["args"] = json!(["-y", "hub", "--token", "z", "--api-key=y"]);
        same["env"]["TOKEN"] = "2".into();
        same["url"] = "https://you@hub.dev/mcp?key=2#x".into();
        assert_eq!(digest(&server), digest(&same));
        for (key, value) in [
            ("command", json!("sh")),
            ("args", json!(["hub", "-y", "--token", "a", "--api-key=b"])),
            ("env", json!({"KEY": "1"})),
            ("env", json!({"TOKEN": "1", "PATH": "./evil"})),
            ("url", json!("https://hub.example/mcp")),
            ("type", json!("http")),
        ] {
            let mut other = server.clone();
            other[key] = value;
            assert_ne!(digest(&server), digest(&other), "{key}");
        }
    }
}
