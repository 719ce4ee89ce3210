//! Configuration files of every client.
//!
//! Input, by its first byte: a letter names one of [`PLACES`] (`a` is the first) and the rest is
//! that file; any other byte is followed by the plan of configurations with secrets in them, as
//! [`plan`] draws it.

mod plan;

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use arbitrary::{Arbitrary, Unstructured};
use staleness_core::scan::SourceReading;
use staleness_core::source::SourceState;
use staleness_core::tool::Tool;
use staleness_sources::clients::{self, Readings, ScanRequest};
use staleness_sources::live::tools_list;
use staleness_sources::project::{ProjectPlace, discover};

use crate::SECRET;
use plan::Plan;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// `mcpServers`.
    Servers,
    /// `servers` and `inputs`.
    Inputs,
    /// `[mcp_servers.NAME]`.
    Toml,
    /// `mcpServers`, and sections of projects.
    State,
    /// What is switched off.
    Settings,
    /// An index of plugins.
    Plugins,
    /// The bare map of servers.
    Bare,
    /// A plugin's manifest.
    Manifest,
    /// The result of MCP's `tools/list`; no file.
    Tools,
    /// Where git keeps a work tree's repository.
    Git,
}

/// Every place that is read: `~` is the home, anything else belongs to the project.
const PLACES: [(&str, Shape); 20] = [
    ("~/.claude.json", Shape::State),
    ("~/.claude/settings.json", Shape::Settings),
    ("~/.claude/plugins/installed_plugins.json", Shape::Plugins),
    ("~/.cursor/mcp.json", Shape::Servers),
    ("~/.config/Claude/claude_desktop_config.json", Shape::Servers),
    ("~/.config/Code/User/mcp.json", Shape::Inputs),
    ("~/.codeium/windsurf/mcp_config.json", Shape::Servers),
    ("~/.gemini/settings.json", Shape::Servers),
    ("~/.codex/config.toml", Shape::Toml),
    ("~/kit/.claude-plugin/plugin.json", Shape::Manifest),
    ("~/kit/.mcp.json", Shape::Bare),
    (".mcp.json", Shape::Servers),
    (".claude/settings.json", Shape::Settings),
    (".claude/settings.local.json", Shape::Settings),
    (".cursor/mcp.json", Shape::Servers),
    (".vscode/mcp.json", Shape::Inputs),
    (".gemini/settings.json", Shape::Servers),
    (".codex/config.toml", Shape::Toml),
    ("tools/list", Shape::Tools),
    (".git", Shape::Git),
];
/// The index that makes `kit` a plugin, unless the input brings another.
const INDEX: (&str, &str) = (
    "~/.claude/plugins/installed_plugins.json",
    r#"{"version": 2, "plugins": {"kit@market": [{"scope": "user", "installPath": "~/kit"}]}}"#,
);

/// Reads what the input describes.
pub fn run(data: &[u8]) {
    let [first, rest @ ..] = data else { return };
    match place_of(*first) {
        Some(place) => read(&[(place, rest.to_vec())], ""),
        None => {
            if let Ok(plan) = Plan::arbitrary(&mut Unstructured::new(rest)) {
                let files = TREE.with(|tree| plan.files(&tree.project.folder.to_string_lossy()));
                read(&files, SECRET);
            }
        }
    }
}

fn place_of(letter: u8) -> Option<usize> {
    let place = usize::from(letter.checked_sub(b'a')?);
    (place < PLACES.len()).then_some(place)
}

/// A home and a project in a temporary folder, for the whole life of the process.
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

    /// With these files in their places, and without them afterwards.
    fn with<T>(&self, files: &[(usize, Vec<u8>)], look: impl FnOnce() -> T) -> T {
        for (place, bytes) in files {
            fs::write(self.path(PLACES[*place].0), bytes).expect("a file is written");
        }
        let seen = look();
        for (place, _) in files {
            // Two may have the same place.
            let _ = fs::remove_file(self.path(PLACES[*place].0));
        }
        if files.iter().any(|(place, _)| PLACES[*place].0 == INDEX.0) {
            fs::write(self.path(INDEX.0), INDEX.1).expect("the index is written");
        }
        seen
    }
}

/// Reads files from their places; `secret` must not be told, unless it is empty.
fn read(files: &[(usize, Vec<u8>)], secret: &str) {
    let (outside, inside): (Vec<_>, Vec<_>) =
        files.iter().cloned().partition(|(place, _)| PLACES[*place].1 == Shape::Tools);
    for (_, bytes) in outside {
        tools(&bytes, secret);
    }
    if inside.is_empty() {
        return;
    }
    TREE.with(|tree| {
        tree.with(&inside, || {
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
        untold(&place, secret);
    }
}

fn tools(bytes: &[u8], secret: &str) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for server in [None, Some("srv")] {
        match tools_list(text, server, "/tools.json", None) {
            Ok(reading) => {
                judge_source(&reading);
                untold(&reading, secret);
            }
            Err(error) => untold(&(error.to_string(), error), secret),
        }
    }
}

fn judge(readings: &Readings, secret: &str) {
    untold(readings, secret);
    let mut known = BTreeSet::new();
    for source in &readings.sources {
        assert!(known.insert(source.id.clone()), "{} comes twice", source.id);
        judge_source(source);
    }
}

fn judge_source(source: &SourceReading) {
    let one_line = |text: &str| !text.contains(char::is_control);
    assert!(one_line(&source.path), "{:?}", source.path);
    assert!(source.error.as_deref().is_none_or(one_line), "{:?}", source.error);
    let broken = matches!(source.state, SourceState::Partial | SourceState::Failed);
    assert!(!broken || source.error.is_some(), "{} says not why", source.id);
    let says_nothing = matches!(source.state, SourceState::Missing | SourceState::Failed);
    assert!(!says_nothing || source.found.is_empty(), "{} says something", source.id);
    assert!(source.found.len() <= 10_000);
    let mut names = BTreeSet::new();
    for found in &source.found {
        assert!(names.insert(&found.name), "{} twice in {}", found.name, source.id);
        if let Some(text) = &found.description {
            assert!(one_line(text) && text.chars().count() <= Tool::MAX_DESCRIPTION_CHARS, "{text:?}");
            assert!(!text.trim().is_empty());
        }
    }
}

/// Nothing of a value tells the secret, however it is printed.
fn untold(value: &impl Debug, secret: &str) {
    if !secret.is_empty() {
        let told = format!("{value:?}");
        assert!(!told.contains(secret), "told: {told}");
    }
}
