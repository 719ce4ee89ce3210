//! Classifies files by their paths.

mod history;

use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use staleness_core::knowledge::ItemKind;
use staleness_core::policy::DocumentPolicy;

pub(crate) use history::{History, is_list, is_of_the_past, is_readme, is_record};

use crate::Note;
use crate::symbols::Naming;

/// Returns true for the path of a Markdown file.
pub fn is_markdown(path: &str) -> bool {
    extension(path).is_some_and(|end| {
        ["md", "mdx", "markdown", "mdown", "mkd", "mdc"]
            .iter()
            .any(|each| end.eq_ignore_ascii_case(each))
    })
}

/// Returns true for the path of a file that a check reads: Markdown, reStructuredText or AsciiDoc.
pub fn is_checked(path: &str) -> bool {
    let is_other =
        |end: &str| ["rst", "adoc", "asciidoc"].iter().any(|it| end.eq_ignore_ascii_case(it));
    is_markdown(path) || extension(path).is_some_and(is_other)
}

/// Returns true for the path of a text for people: documentation, manuals, translations, package metadata. A name in
/// such a file does not prove that the thing exists.
pub(crate) fn is_document(path: &str) -> bool {
    #[rustfmt::skip]
    const ENDS: [&str; 18] = [
        "rst", "adoc", "asciidoc", "org", "textile", "pod", "texi", "texinfo", "ronn", "scd",
        "mdoc", "nuspec", "po", "pot", "rd", "roff", "man", "xlf",
    ];
    #[rustfmt::skip]
    const TEXTS: [&str; 9] = [
        "readme", "changelog", "changes", "license", "copying", "notes", "todo", "news",
        "authors",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let text = || TEXTS.iter().any(|each| stem.eq_ignore_ascii_case(each));
    match extension(path) {
        Some(end) => {
            is_markdown(path)
                || ENDS.iter().any(|each| end.eq_ignore_ascii_case(each))
                || is_section(end)
                || end.eq_ignore_ascii_case("txt") && (text() || is_in_docs(path))
                || is_of_package(path)
        }
        None => text() || matches!(name, "PKG-INFO" | "METADATA") || is_of_package(path),
    }
}

/// Known file extensions, in order.
#[rustfmt::skip]
const EXTENSIONS: [&str; 92] = [
    "adoc", "astro", "bash", "bat", "bzl", "c", "cc", "cfg", "cjs", "clj", "cmake", "cmd", "conf",
    "cpp", "cs", "css", "csv", "cts", "cu", "cxx", "dart", "dockerfile", "ejs", "el", "elm", "env",
    "erl", "ex", "exs", "fish", "gif", "go", "gql", "gradle", "graphql", "groovy", "h", "hbs",
    "hcl", "hh", "hpp", "hs", "html", "ini", "ipynb", "java", "jpeg", "jpg", "js", "json", "json5",
    "jsonc", "jsx", "kt", "kts", "less", "lock", "lua", "m", "md", "mdc", "mdx", "mjs", "ml", "mts",
    "nix", "php", "pl", "png", "proto", "ps1", "py", "pyi", "rb", "rs", "rst", "sass", "scala",
    "scss", "sh", "sql", "svelte", "svg", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "yaml",
    "yml",
];

pub(crate) fn is_extension(end: &str) -> bool {
    EXTENSIONS.binary_search(&&*end.to_ascii_lowercase()).is_ok()
}

/// Returns true for a text below a folder of documentation. Programs do not read such texts.
fn is_in_docs(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or_default();
    let is_read = ["cmake", "requirements"].iter().any(|it| name.to_lowercase().starts_with(it));
    folders.split('/').any(|folder| matches!(folder, "doc" | "docs")) && !is_read
}

/// Returns true for the path of source code that the project owns.
pub(crate) fn is_source(path: &str) -> bool {
    let is_image = |end: &str| matches!(end, "gif" | "jpeg" | "jpg" | "png");
    !is_document(path)
        && matches!(Naming::of(path), Naming::Code | Naming::Test)
        && extension(path).is_some_and(|end| is_extension(end) && !is_image(end))
}

/// Returns true for a template from which a program generates a document of another project. Its names belong to
/// that project.
pub(crate) fn is_template(path: &str) -> bool {
    let (folders, _) = path.rsplit_once('/').unwrap_or_default();
    let is_one = |folder: &str| {
        let mut words = folder.split(['-', '_']);
        words.next() == Some("template")
            || words.next_back() == Some("template")
            || folder.contains("{{")
    };
    // A document beside templates describes them.
    folders.split('/').any(is_one) || format!("/{folders}").contains("/templates/")
}

/// Returns true if a document belongs to another project or is test data: it is in a folder of tests and is not a
/// description of that folder.
pub(crate) fn is_data(path: &str) -> bool {
    let mut folders: Vec<&str> = path.split('/').collect();
    let name = folders.pop().unwrap_or_default().to_ascii_lowercase();
    let is_of_tests = |folder: &&str| matches!(*folder, "test" | "tests" | "__tests__");
    let tests = folders.iter().position(is_of_tests);
    // `docs/tests/` is about tests.
    let is_in_tests =
        tests.is_some_and(|at| !folders[..at].iter().any(|it| matches!(*it, "doc" | "docs")));
    crate::symbols::is_of_others(path)
        || is_in_tests && !name.starts_with("readme") && !is_instruction(path)
}

/// Returns true if an extension marks a manual page: `shop.1`.
const fn is_section(end: &str) -> bool {
    matches!(end.as_bytes(), [b'1'..=b'9'])
}

/// Returns true for metadata that Python packaging generates.
fn is_of_package(path: &str) -> bool {
    path.contains(".egg-info/") || path.contains(".dist-info/")
}

/// The file that Codex reads instead of the `AGENTS.md` of its folder.
pub(crate) const OVERRIDE: &str = "AGENTS.override.md";

/// Returns true if clients load files with this name, in any folder.
pub(crate) fn is_instruction(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "CLAUDE.md" | "CLAUDE.local.md" | "AGENTS.md" | OVERRIDE | "GEMINI.md")
        || path == ".github/copilot-instructions.md"
        || path.starts_with(".claude/rules/") && is_markdown(path)
        || path.starts_with(".cursor/rules/") && path.ends_with(".mdc")
}

/// Returns true for texts that only agents read: instructions, and texts in the folders of clients.
pub fn is_for_agents(path: &str) -> bool {
    is_instruction(path) || path.starts_with('.') && !path.starts_with(".github/")
}

/// Returns true for instructions that several clients share.
pub(crate) fn is_shared(path: &str) -> bool {
    path.rsplit('/').next() == Some("AGENTS.md") && !path.starts_with("~/")
}

/// Returns true if a client may load an instruction file automatically. The path is relative to the project, or begins
/// with `~/` for a file of the user. Claude Code follows imports, so files that belong to no known client count as its
/// imports.
pub fn is_loaded_by(client: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let shared = is_shared(path);
    match client {
        "codex" => shared || name == OVERRIDE || path == "~/.codex/AGENTS.md",
        "gemini" => name == "GEMINI.md",
        "copilot" | "vscode" => shared || path == ".github/copilot-instructions.md",
        "cursor" => shared || path.starts_with(".cursor/rules/"),
        "opencode" | "windsurf" | "zed" => shared,
        "claude-code" => {
            !matches!(name, "GEMINI.md" | OVERRIDE)
                && path != "~/.codex/AGENTS.md"
                && path != ".github/copilot-instructions.md"
                && !path.starts_with(".cursor/rules/")
        }
        _ => true,
    }
}

fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, end)| end)
}

/// The compiled patterns of a policy.
#[derive(Debug)]
pub(crate) struct Patterns {
    ignore: Gitignore,
    history: Gitignore,
    kinds: Vec<(Gitignore, ItemKind)>,
}

impl Patterns {
    /// Compiles the patterns. Invalid ones are reported in `notes`.
    pub(crate) fn new(policy: &DocumentPolicy, notes: &mut Vec<Note>) -> Self {
        let mut of = |name: &str, patterns: &[&str]| {
            let mut note = |text| notes.push(Note { path: None, line: None, text });
            let mut builder = GitignoreBuilder::new("");
            for pattern in patterns {
                if builder.add_line(None, pattern).is_err() {
                    note(format!("the policy's pattern {pattern:?} is not valid"));
                }
            }
            builder.build().unwrap_or_else(|_| {
                let why = "are too large together, so none was used";
                note(format!("the patterns of documents.{name} {why}"));
                Gitignore::empty()
            })
        };
        let texts =
            |list: &[String]| list.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
        let (ignore, history) = (texts(&policy.ignore), texts(&policy.history));
        Self {
            ignore: of("ignore", &ignore.lines().collect::<Vec<_>>()),
            history: of("history", &history.lines().collect::<Vec<_>>()),
            kinds: policy
                .kinds_in_order()
                .into_iter()
                .map(|(pattern, kind)| (of("kinds", &[pattern]), kind))
                .collect(),
        }
    }

    pub(crate) fn ignores(&self, path: &str) -> bool {
        matches(&self.ignore, path).is_ignore()
    }

    /// Returns true if the policy excludes a file or folder given by the user.
    pub(crate) fn ignores_named(&self, path: &str, is_folder: bool) -> bool {
        !path.is_empty() && matched(&self.ignore, path, is_folder).is_ignore()
    }

    /// Returns the reason to treat a document as history, if any.
    pub(crate) fn history(&self, path: &str) -> History {
        match matches(&self.history, path) {
            Match::Ignore(()) => History::ByPolicy,
            Match::None if history::is_by_name(path) => History::ByName,
            Match::Whitelist(()) => History::Never,
            Match::None => History::No,
        }
    }

    /// Returns true if a document has a numbered name, and neither the policy nor the rest of the name decides whether
    /// it is history.
    pub(crate) fn may_be_record(&self, path: &str) -> bool {
        history::is_numbered(path)
            && matches!(matches(&self.history, path), Match::None)
            && !history::is_by_name(path)
    }

    /// Returns the kind that the policy assigns to a document.
    pub(crate) fn kind(&self, path: &str) -> Option<ItemKind> {
        let fits = |(pattern, _): &&(Gitignore, ItemKind)| matches(pattern, path).is_ignore();
        self.kinds.iter().rev().find(fits).map(|(_, kind)| *kind)
    }
}

fn matches(patterns: &Gitignore, path: &str) -> Match<()> {
    matched(patterns, path, false)
}

fn matched(patterns: &Gitignore, path: &str, is_folder: bool) -> Match<()> {
    let path = Path::new(path);
    if patterns.is_empty() || path.has_root() {
        return Match::None;
    }
    patterns.matched_path_or_any_parents(path, is_folder).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug W5: agents received findings on documents that their client does not load.
    #[test]
    fn w5_each_client_loads_its_own_files() {
        let files = [
            ("CLAUDE.md", "claude-code"),
            ("CLAUDE.local.md", "claude-code"),
            (".claude/rules/a.md", "claude-code"),
            ("~/.claude/projects/-p/memory/MEMORY.md", "claude-code"),
            ("AGENTS.md", "claude-code codex copilot cursor"),
            ("~/.codex/AGENTS.md", "codex"),
            ("sub/AGENTS.override.md", "codex"),
            ("GEMINI.md", "gemini"),
            ("~/.gemini/GEMINI.md", "gemini"),
            (".cursor/rules/r.mdc", "cursor"),
            (".github/copilot-instructions.md", "copilot"),
        ];
        for (path, clients) in files {
            for client in ["claude-code", "codex", "gemini", "copilot", "cursor"] {
                let loads = clients.split(' ').any(|each| each == client);
                assert_eq!(is_loaded_by(client, path), loads, "{client}: {path}");
            }
        }
        assert!(is_loaded_by("an agent of no client", "CLAUDE.md"));
    }

    #[test]
    fn the_policy_has_the_last_word() {
        let policy = DocumentPolicy {
            ignore: vec!["vendor/".into(), "[".into()],
            history: vec!["notes/*.md".into(), "!docs/adr/README.md".into()],
            kinds: [("memory/**".to_owned(), ItemKind::Knowledge)].into(),
            ..DocumentPolicy::default()
        };
        let mut notes = Vec::new();
        let patterns = Patterns::new(&policy, &mut notes);
        assert!(patterns.ignores("a/vendor/b.md") && !patterns.ignores("a.md"));
        assert_eq!(patterns.history("notes/a.md"), History::ByPolicy);
        assert_eq!(patterns.history("docs/adr/README.md"), History::Never);
        assert_eq!(patterns.history("docs/adr/0001.md"), History::ByName);
        assert_eq!(patterns.kind("memory/x/y.md"), Some(ItemKind::Knowledge));
        assert_eq!(patterns.kind("x.md"), None);
    }

    #[test]
    fn what_only_people_read_is_no_code() {
        let read = "a.md b/c.rst README readme.txt x.mdc PKG-INFO src/shop.egg-info/SOURCES.txt \
                    shop.egg-info/PKG-INFO shop-1.0.dist-info/METADATA shop.nuspec man/shop.1 \
                    locale/de/shop.po doc/en/assert.txt";
        for path in read.split(' ') {
            assert!(is_document(path), "{path}");
        }
        for path in [
            "a.rs",
            "CMakeLists.txt",
            "docs/CMakeLists.txt",
            "requirements.txt",
            "docs/requirements.txt",
            "Makefile",
            "lib.so.10",
            "metadata.rs",
        ] {
            assert!(!is_document(path), "{path}");
        }
    }
}
