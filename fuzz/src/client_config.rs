//! Fuzzes the configuration files of all clients.
//!
//! Input: a letter that selects one of [`PLACES`] (`a` is the first), and the file. It is read as it is, and
//! with secrets in fields that must not be revealed, in comments, truncated, and embedded in something else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use staleness_core::scan::SourceReading;
use staleness_core::source::SourceState;
use staleness_core::tool::Tool;
use staleness_docs::project::{ProjectPlace, discover};
use staleness_sources::clients::{self, Readings, ScanRequest};
use staleness_sources::live::tools_list;

use crate::plant::{fill, untold};
use crate::{SECRET, one_line};

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Json,
    Toml,
    /// An MCP `tools/list` result, which is not a file.
    Tools,
    /// The file that names the repository of a git work tree.
    Git,
}

/// All places that are read. `~` is the home folder; other paths are relative to the project.
const PLACES: [(&str, Shape); 27] = [
    ("~/.claude.json", Shape::Json),
    ("~/.claude/settings.json", Shape::Json),
    ("~/.claude/plugins/installed_plugins.json", Shape::Json),
    ("~/.cursor/mcp.json", Shape::Json),
    ("~/.config/Claude/claude_desktop_config.json", Shape::Json),
    ("~/.config/Code/User/mcp.json", Shape::Json),
    ("~/.codeium/windsurf/mcp_config.json", Shape::Json),
    ("~/.gemini/settings.json", Shape::Json),
    ("~/.codex/config.toml", Shape::Toml),
    ("~/kit/.claude-plugin/plugin.json", Shape::Json),
    ("~/kit/.mcp.json", Shape::Json),
    (".mcp.json", Shape::Json),
    (".claude/settings.json", Shape::Json),
    (".claude/settings.local.json", Shape::Json),
    (".cursor/mcp.json", Shape::Json),
    (".vscode/mcp.json", Shape::Json),
    (".gemini/settings.json", Shape::Json),
    (".codex/config.toml", Shape::Toml),
    ("tools/list", Shape::Tools),
    (".git", Shape::Git),
    ("~/.config/Code/User/settings.json", Shape::Json),
    ("~/.copilot/mcp-config.json", Shape::Json),
    ("opencode.json", Shape::Json),
    ("~/.config/zed/settings.json", Shape::Json),
    ("~/.gemini/mcp-server-enablement.json", Shape::Json),
    ("~/.gemini/trustedFolders.json", Shape::Json),
    ("~/.gemini/extensions/kit/gemini-extension.json", Shape::Json),
];
/// An index that makes `kit` a plugin, unless the input is an index.
const INDEX: (&str, &str) = (
    "~/.claude/plugins/installed_plugins.json",
    r#"{"version": 2, "plugins": {"kit@market": [{"scope": "user", "installPath": "~/kit"}]}}"#,
);

/// Fields with values that must not be revealed.
const HIDDEN: &str = "command url args env headers auth token apiKey apiKeyHelper oauthAccount password history \
    default content argumentHint inputSchema annotations _meta";

fn hides(key: &str) -> bool {
    HIDDEN.split_whitespace().any(|hidden| hidden == key)
}

/// Reads the file in the input, and the same file with secrets.
pub fn run(data: &[u8]) {
    let [letter, file @ ..] = data else { return };
    let place = usize::from(letter.wrapping_sub(b'a'));
    let Some((_, shape)) = PLACES.get(place) else { return };
    read(place, file, "");
    let Ok(text) = std::str::from_utf8(file) else { return };
    let Some(planted) = planted(*shape, text) else { return };
    read(place, planted.as_bytes(), SECRET);
    if *shape != Shape::Git {
        let mark = if *shape == Shape::Toml { "#" } else { "//" };
        read(place, planted.replace('\n', &format!(" {mark} {SECRET}\r\n")).as_bytes(), SECRET);
        let sum = data.iter().fold(0_usize, |sum, byte| sum.wrapping_mul(31) + usize::from(*byte));
        read(place, &planted.as_bytes()[..sum % (planted.len() + 1)], SECRET);
        read(place, format!("[{planted}, {:?}]", SECRET).as_bytes(), SECRET);
    }
}

/// Plants secrets in a file, if it can be parsed.
fn planted(shape: Shape, text: &str) -> Option<String> {
    match shape {
        Shape::Git => Some(format!("gitdir: /nowhere/{SECRET}\n")),
        Shape::Toml => Some(text.lines().map(planted_line).collect()),
        Shape::Json | Shape::Tools => {
            let mut root: Value = serde_json::from_str(text).ok()?;
            plant(&mut root);
            root.as_object_mut()?.insert("a field of tomorrow".into(), SECRET.into());
            Some(format!("{root:#}"))
        }
    }
}

fn plant(value: &mut Value) {
    let Value::Object(fields) = value else {
        return value.as_array_mut().into_iter().flatten().for_each(plant);
    };
    let is_server = fields.keys().any(|key| hides(key));
    for (key, value) in fields.iter_mut() {
        if hides(key) { fill(value) } else { plant(value) }
    }
    if is_server {
        fields.insert("auth".into(), json!({ "name": SECRET, "servers": { SECRET: {} } }));
    }
}

fn planted_line(line: &str) -> String {
    let key = line.split('=').next().unwrap_or_default().trim();
    match key {
        "args" => format!("args = [{SECRET:?}]\n"),
        "env" | "headers" => format!("{key} = {{ TOKEN = {SECRET:?}, {SECRET:?} = {SECRET:?} }}\n"),
        _ if hides(key) => format!("{key} = {SECRET:?}\n"),
        _ => format!("{line}\n"),
    }
}

/// A home and a project in a temporary folder, for the lifetime of the process.
#[derive(Debug)]
struct Tree {
    _temp: tempfile::TempDir,
    home: PathBuf,
    project: ProjectPlace,
}

thread_local! {
    static TREE: Tree = Tree::new();
}

impl Tree {
    fn new() -> Self {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let base = temp.path().canonicalize().expect("it is there");
        let tree = Self {
            _temp: temp,
            home: base.join("home"),
            project: ProjectPlace::of_folder(base.join("project")),
        };
        for (name, _) in PLACES {
            let folder = tree.path(name).parent().expect("a file has a folder").to_path_buf();
            fs::create_dir_all(folder).expect("a folder is made");
        }
        fs::write(tree.path(INDEX.0), INDEX.1).expect("the index is written");
        tree
    }

    fn path(&self, name: &str) -> PathBuf {
        match name.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => self.project.folder.join(name),
        }
    }

    /// Writes the file, runs `look`, and deletes the file.
    fn with<T>(&self, name: &str, bytes: &[u8], look: impl FnOnce() -> T) -> T {
        fs::write(self.path(name), bytes).expect("a file is written");
        let seen = look();
        fs::remove_file(self.path(name)).expect("a file is removed");
        if name == INDEX.0 {
            fs::write(self.path(INDEX.0), INDEX.1).expect("the index is written");
        }
        seen
    }
}

/// Reads a file from its place. Unless it is empty, `secret` must not be revealed.
fn read(place: usize, bytes: &[u8], secret: &str) {
    let (name, shape) = PLACES[place];
    if shape == Shape::Tools {
        return tools(bytes, secret);
    }
    TREE.with(|tree| {
        tree.with(name, bytes, || {
            let request = ScanRequest::new(&tree.home, &tree.project);
            let readings = clients::read(&request);
            judge(&readings, secret);
            assert_eq!(clients::read(&request), readings, "reading twice gives the same");
            git(&tree.project.folder, secret);
        });
    });
}

fn git(folder: &Path, secret: &str) {
    for share in [false, true] {
        let place = discover(folder, share);
        assert!(place.folder.is_absolute() && place.root.is_absolute());
        untold(&format!("{place:?}"), secret);
    }
}

fn tools(bytes: &[u8], secret: &str) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for server in [None, Some("srv")] {
        let mut read = tools_list(text, server, "/tools.json", None);
        if let Ok(reading) = &mut read {
            judge_source(reading);
            // A definition is kept as the server wrote it.
            reading.found.iter_mut().for_each(|each| each.definition = None);
        }
        untold(&format!("{read:?}"), secret);
    }
}

fn judge(readings: &Readings, secret: &str) {
    untold(&format!("{readings:?}"), secret);
    let mut known = BTreeSet::new();
    for source in &readings.sources {
        assert!(known.insert(source.id.clone()), "{} comes twice", source.id);
        judge_source(source);
    }
}

fn judge_source(source: &SourceReading) {
    one_line(&source.path);
    source.error.iter().for_each(|error| one_line(error));
    let broken = matches!(source.state, SourceState::Partial | SourceState::Failed);
    assert!(!broken || source.error.is_some(), "{} says not why", source.id);
    let says_nothing = matches!(source.state, SourceState::Missing | SourceState::Failed);
    assert!(!says_nothing || source.found.is_empty(), "{} says something", source.id);
    assert!(source.found.len() <= 10_000);
    let mut names = BTreeSet::new();
    for found in &source.found {
        assert!(names.insert(&found.name), "{} twice in {}", found.name, source.id);
        if let Some(text) = &found.description {
            one_line(text);
            assert!(!text.trim().is_empty() && text.chars().count() <= Tool::MAX_DESCRIPTION_CHARS);
        }
    }
}
