//! Extracts names of project things from lines of documents, and the things that a project contains. The
//! rules differ from those of the check on purpose, so that names the check ignores are counted too.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use staleness_benches::chance::hash;
use staleness_docs::is_markdown;

/// A name in a document: kind and text, the thing that it names, and the file that must exist for it to
/// count.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Name {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) thing: u64,
    pub(crate) file: Option<u64>,
}

/// Patterns for names, by kind. The first group is the name, the second its last part.
static NAMES: LazyLock<[(&str, Regex); 8]> = LazyLock::new(|| {
    [
        ("link", r#"(?:\]\(<?|\]:\s+|(?:href|src)=")(([^\s<>()"?:]+))"#),
        ("command", r"(?:^|`)[\s$%>]*((?:npm|yarn|pnpm|bun)(?: run(?:-script)?)? ([\w:.-]+))"),
        ("command", r"(?:^|`)[\s$%>]*((?:make|just|task) ([\w:.-]+))"),
        ("flag", r#"(?:^|[\s`"'(\[])(--([A-Za-z][\w-]+))"#),
        ("path", r#"(?:^|[\s`"']|\s\()((?:\.\.?/)*(\.?[\w@+-][\w.@+-]*(?:/[\w.@+-]*[\w@+-])+))"#),
        ("path", r"`(([\w-][\w.-]*\.\w{1,5}))`"),
        ("identifier", r"`((?:[\w.:#]*[:.#])?(\w{4,}))\([^`]*\)`"),
        ("identifier", r"`((?:[\w.:#]*[:.#])?(\w+[_A-Z]\w+))`"),
    ]
    .map(|(kind, pattern)| (kind, Regex::new(pattern).expect("a pattern")))
});
/// Matches a word of code.
static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w[\w-]*").expect("a pattern"));
/// Matches a script, target, recipe or task defined in a line of a manifest, but not a dependency.
static TARGET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^\s*@?"?([\w:./-]+)"?[^:=]*:(?:\s*"[^\d^~*<>=]|[^\s"=]|\s*$|\s[^"])"#)
        .expect("a pattern")
});
const MANIFESTS: [&str; 4] = ["package.json", "Makefile", "justfile", "Taskfile.yml"];

/// Returns the names in a line of the document at `path`.
pub(crate) fn names(path: &str, line: &str) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    let mut add = |kind, text: &str, thing, file| {
        found.insert(Name { kind, text: text.to_owned(), thing, file });
    };
    for (kind, pattern) in &*NAMES {
        for groups in pattern.captures_iter(line) {
            let (text, part) = (&groups[1], &groups[2]);
            match *kind {
                "link" => {
                    let (file, anchor) = text.split_once('#').unwrap_or((text, ""));
                    let Some(target) = resolve(path, file) else { continue };
                    let there = key("file", &target);
                    if !anchor.is_empty() {
                        let heading = key("heading", &format!("{target}#{anchor}"));
                        add("heading", &format!("#{anchor}"), heading, Some(there));
                    }
                    if !file.is_empty() {
                        add("link", file, there, None);
                    }
                }
                "command" | "path" => add(kind, text, key(kind, part), None),
                _ => add(kind, text, key("word", &part.replace('-', "_")), None),
            }
        }
    }
    found
}

/// Resolves a link in a document to a path in the project, or returns `None` if it leaves the project.
fn resolve(document: &str, link: &str) -> Option<String> {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let whole = match link {
        "" => document.to_owned(),
        _ if link.starts_with('/') => link.to_owned(),
        _ => format!("{folder}/{link}"),
    };
    let mut parts = Vec::new();
    for part in whole.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match part {
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Passes to `has` the file at `path` and its folders, in all their spellings.
pub(crate) fn of_path(path: &str, has: &mut dyn FnMut(u64)) {
    let mut whole = Some(path);
    while let Some(path) = whole {
        has(key("file", path));
        has(key("path", path));
        path.match_indices('/').for_each(|(at, _)| has(key("path", &path[at + 1..])));
        whole = path.rsplit_once('/').map(|(folder, _)| folder);
    }
}

/// Passes to `has` what a line of the file at `path` defines: a heading, or words and command targets.
pub(crate) fn of_line(path: &str, line: &str, has: &mut dyn FnMut(u64)) {
    let is_text = [".rst", ".mdx", ".adoc", ".txt", ".po"].iter().any(|end| path.ends_with(end));
    if is_markdown(path) && line.starts_with('#') {
        // Makes the anchor as GitHub does.
        let title = line.trim_matches(['#', ' ']).to_lowercase();
        let slug = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        has(key("heading", &format!("{path}#{}", slug.collect::<String>().replace(' ', "-"))));
    } else if !is_markdown(path) && !is_text {
        for word in WORD.find_iter(line).take(1_000).map(|word| word.as_str()) {
            if word.contains('-') {
                has(key("word", &word.replace('-', "_")));
            }
            word.split('-').for_each(|part| has(key("word", part)));
        }
        if MANIFESTS.contains(&path.rsplit('/').next().unwrap_or(path)) {
            TARGET.captures(line).into_iter().for_each(|groups| has(key("command", &groups[1])));
        }
    }
}

fn key(space: &str, thing: &str) -> u64 {
    hash(space.bytes().chain([0]).chain(thing.bytes()))
}
