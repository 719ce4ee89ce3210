//! A large file is read once and known by size, time and digest.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use staleness_core::Timestamp;
use staleness_core::ids::Level;
use staleness_core::scan::SourceReading;
use staleness_core::source::SourceState;
use staleness_sources::clients::{self, Outline, Outlines, Readings, ScanRequest};

use crate::tree::{Tree, lists, names, of};

/// Outlines in memory.
#[derive(Debug)]
struct Memory {
    now: Timestamp,
    kept: RefCell<BTreeMap<String, Outline>>,
    puts: Cell<usize>,
}

impl Memory {
    /// As of long after any file was written.
    fn later() -> Self {
        Self::at("2200-01-01T00:00:00Z")
    }

    fn at(now: &str) -> Self {
        Self { now: now.parse().unwrap(), kept: RefCell::default(), puts: Cell::new(0) }
    }

    fn read(&self, tree: &Tree) -> Readings {
        let mut request = ScanRequest::new(&tree.home, &tree.project);
        request.outlines = Some(self);
        clients::read(&request)
    }

    fn servers(&self, tree: &Tree) -> SourceReading {
        of(&self.read(tree), "claude-code", Level::Project, "mcp")
    }

    /// Makes the outlines tell another server than the files.
    fn mark(&self) {
        for outline in self.kept.borrow_mut().values_mut() {
            outline.content = Ok(r#"{"mcpServers": {"remembered": {}}}"#.to_owned());
        }
    }
}

impl Outlines for Memory {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn get(&self, key: &str) -> Option<Outline> {
        self.kept.borrow().get(key).cloned()
    }

    fn put(&self, key: &str, outline: &Outline) {
        self.puts.set(self.puts.get() + 1);
        self.kept.borrow_mut().insert(key.to_owned(), outline.clone());
    }
}

/// Servers of `.mcp.json` in a file that is large enough to be remembered.
fn large(servers: &str) -> String {
    let history = "\"typed before\",\n".repeat(100_000);
    format!("{{\"history\": [{history}\"\"],\n\"mcpServers\": {servers}}}")
}

fn set_modified(path: &Path, seconds: u64) {
    let time = UNIX_EPOCH + Duration::from_secs(seconds);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn a_large_file_that_did_not_change_is_not_opened_again() {
    let (tree, memory) = (Tree::new(), Memory::later());
    tree.own(".mcp.json", large(r#"{"a": {}, "b": {"disabled": true}}"#));
    let first = memory.read(&tree);
    assert_eq!(first, tree.read());
    assert_eq!(memory.read(&tree), first);
    assert_eq!(memory.puts.get(), 1);
    memory.mark();
    // No digest of any file is this one.
    memory.kept.borrow_mut().values_mut().for_each(|outline| outline.digest.clear());
    lists(&memory.servers(&tree), &["mcp__remembered__*"]);
    assert_eq!(memory.puts.get(), 1);
}

#[test]
fn a_large_file_that_was_only_touched_is_not_parsed_again() {
    let (tree, memory) = (Tree::new(), Memory::later());
    let path = tree.own(".mcp.json", large(r#"{"a": {}}"#));
    memory.read(&tree);
    memory.mark();
    for (seconds, puts) in [(1_000, 2), (2_000, 3)] {
        set_modified(&path, seconds);
        lists(&memory.servers(&tree), &["mcp__remembered__*"]);
        lists(&memory.servers(&tree), &["mcp__remembered__*"]);
        assert_eq!(memory.puts.get(), puts);
    }
}

#[test]
fn a_large_file_that_changed_and_kept_its_size_is_read_again() {
    let (tree, memory) = (Tree::new(), Memory::later());
    let path = tree.own(".mcp.json", large(r#"{"a": {}}"#));
    set_modified(&path, 1_000);
    lists(&memory.servers(&tree), &["mcp__a__*"]);
    fs::write(&path, large(r#"{"b": {}}"#)).unwrap();
    set_modified(&path, 2_000);
    lists(&memory.servers(&tree), &["mcp__b__*"]);
}

#[cfg(unix)]
#[test]
fn a_large_file_in_whose_place_another_was_put_with_its_size_and_time_is_read_again() {
    let (tree, memory) = (Tree::new(), Memory::later());
    let path = tree.own(".mcp.json", large(r#"{"a": {}}"#));
    set_modified(&path, 1_000);
    lists(&memory.servers(&tree), &["mcp__a__*"]);
    let other = tree.own("other.json", large(r#"{"b": {}}"#));
    set_modified(&other, 1_000);
    fs::rename(other, path).unwrap();
    lists(&memory.servers(&tree), &["mcp__b__*"]);
}

#[test]
fn a_large_file_that_had_just_changed_is_known_by_its_digest_alone() {
    // The file is not older than the reading.
    let (tree, memory) = (Tree::new(), Memory::at("1999-01-01T00:00:00Z"));
    let path = tree.own(".mcp.json", large(r#"{"a": {}}"#));
    set_modified(&path, 1_000_000_000);
    lists(&memory.servers(&tree), &["mcp__a__*"]);
    assert!(memory.kept.borrow().values().all(|outline| outline.stamp.is_none()));
    memory.mark();
    lists(&memory.servers(&tree), &["mcp__remembered__*"]);
    assert_eq!(memory.puts.get(), 1);
    fs::write(&path, large(r#"{"b": {}}"#)).unwrap();
    set_modified(&path, 1_000_000_000);
    lists(&memory.servers(&tree), &["mcp__b__*"]);
}

#[test]
fn a_large_file_that_is_half_written_fails_until_it_is_whole() {
    let (tree, memory) = (Tree::new(), Memory::later());
    let text = large(r#"{"a": {}}"#);
    let path = tree.own(".mcp.json", &text);
    for (length, seconds) in [(text.len(), 1), (text.len() - 5, 2), (1_200_000, 3), (text.len(), 4)]
    {
        fs::write(&path, &text[..length]).unwrap();
        set_modified(&path, seconds);
        for _ in 0..2 {
            let source = memory.servers(&tree);
            if length == text.len() {
                lists(&source, &["mcp__a__*"]);
            } else {
                assert_eq!((source.state, source.found.len()), (SourceState::Failed, 0));
                assert_eq!(source, tree.source("claude-code", Level::Project, "mcp"));
            }
        }
    }
}

#[test]
fn an_outline_holds_nothing_that_could_be_secret() {
    const SECRET: &str = "hunter2";
    let (tree, memory) = (Tree::new(), Memory::later());
    let server = format!(
        r#"{{"command": "{SECRET}", "args": ["--token={SECRET}"], "url": "https://{SECRET}/", // {SECRET}
            "env": {{"KEY": "{SECRET}", "description": "{SECRET}"}}, /* {SECRET} */
            "headers": {{"enabled": "{SECRET}"}}, "disabled": "{SECRET}", "{SECRET}": "{SECRET}",
            "description": "Finds things"}}"#
    );
    let text = format!(
        r#"// {SECRET}
        {{"mcpServers": {{"a": {server}, "servers": {server}, "b": "{SECRET}"}}, /* {SECRET} */
          "servers": {{"c": {server}}},
          "mcp": {{"serverCommand": "{SECRET}", "allowed": ["a"], "{SECRET}": ["{SECRET}"]}},
          "projects": {{"/p": {{"history": ["{SECRET}"], "mcpServers": {{"d": {server}}}, "env": "{SECRET}"}}}},
          "enabledPlugins": {{"x@y": "{SECRET}", "z@y": ["{SECRET}"]}},
          "plugins": {{"x@y": [{{"scope": "user", "installPath": "~/kit", "token": "{SECRET}"}}]}},
          "oauthAccount": {{"{SECRET}": "{SECRET}"}}, "apiKey": "{SECRET}",
          "filler": "{SECRET}{}"}} // {SECRET}"#,
        "x".repeat(1 << 20)
    );
    let plain = server.replace(&format!(", \"{SECRET}\": \"{SECRET}\""), "");
    let filler = format!("\"filler\": \"{}\"", "x".repeat(1 << 20));
    tree.user("kit/.mcp.json", format!(r#"{{"a": {server}, "servers": {plain}, {filler}}}"#));
    let commands = format!(r#"{{"c": {{"content": "{SECRET}", "description": "Does it"}}}}"#);
    tree.user(
        "kit/.claude-plugin/plugin.json",
        format!(
            r#"{{"mcpServers": {{"a": {server}, "servers": {plain}}}, "commands": {commands},
                 "author": {{"email": "{SECRET}"}}, "hooks": "{SECRET}", {filler}}}"#
        ),
    );
    let mut wanted = 2;
    for file in [".mcp.json", ".claude/settings.json", ".gemini/settings.json", ".vscode/mcp.json"]
    {
        tree.own(file, &text);
        wanted += 1;
    }
    for file in [
        ".claude.json",
        ".claude/settings.json",
        ".claude/plugins/installed_plugins.json",
        ".gemini/settings.json",
        ".cursor/mcp.json",
    ] {
        tree.user(file, &text);
        wanted += 1;
    }
    let readings = memory.read(&tree);
    assert_eq!(memory.kept.borrow().len(), wanted);
    for (key, outline) in &*memory.kept.borrow() {
        let content = outline.content.as_ref().unwrap();
        assert!(!content.contains(SECRET) && content.len() < 2_000, "{key}: {content}");
    }
    assert_eq!(readings, tree.read());
    assert_eq!(readings, memory.read(&tree));
}

#[test]
fn a_file_with_more_values_than_are_read_fails_and_is_known_as_well() {
    let (tree, memory) = (Tree::new(), Memory::later());
    let servers: String = (0..500_000).map(|at| format!("\"s{at}\":{{}},")).collect();
    tree.own(".mcp.json", format!("{{\"mcpServers\": {{{servers}}}}}"));
    for _ in 0..2 {
        let source = memory.servers(&tree);
        assert_eq!((source.state, names(&source).len()), (SourceState::Failed, 0));
        assert!(source.error.unwrap().ends_with(":1: more than 50000 values"));
    }
    assert_eq!(memory.puts.get(), 1);
}

#[test]
fn small_files_are_not_remembered() {
    let (tree, memory) = (Tree::new(), Memory::later());
    tree.own(".mcp.json", r#"{"mcpServers": {"a": {}}}"#);
    lists(&memory.servers(&tree), &["mcp__a__*"]);
    assert_eq!(memory.puts.get(), 0);
}
