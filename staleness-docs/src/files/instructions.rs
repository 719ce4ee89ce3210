//! Memory and instruction files of clients.
//!
//! | client | user | project |
//! |---|---|---|
//! | Claude Code | `~/.claude/CLAUDE.md`, `rules/`, `projects/<project>/memory/` | `CLAUDE.md`, `.claude/CLAUDE.md`, `CLAUDE.local.md`, `.claude/rules/` |
//! | Codex CLI and others | `~/.codex/AGENTS.md` | `AGENTS.md` |
//! | Gemini CLI | `~/.gemini/GEMINI.md` | `GEMINI.md` |
//! | Copilot | | `.github/copilot-instructions.md` |
//! | Cursor | | `.cursor/rules/*.mdc` |

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use staleness_core::knowledge::Document;
use staleness_core::time::Timestamp;

use super::discover::{Found, LINK, Loaded, Search};
use super::file::{self, key_of};
use super::on_disk::walked;
use crate::disk::{OUTSIDE, canonical};
use crate::front::{self, Value};
use crate::nature::{self, Patterns};
use crate::project::ProjectPlace;
use crate::{CheckOptions, Skipped};

/// Instruction files with fixed paths in a project, other than those of Claude Code.
const OWN: [&str; 4] =
    ["AGENTS.md", nature::OVERRIDE, "GEMINI.md", ".github/copilot-instructions.md"];
/// Instruction files that Claude Code loads.
const OWN_OF_CLAUDE: [&str; 3] = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];
/// Maximum number of files to read per folder.
const MAX_FILES: usize = 2_000;
/// Maximum number of files and folders to visit.
const MAX_VISITED: usize = 20_000;
/// Maximum depth of folders to visit.
const MAX_DEPTH: usize = 8;

/// Adds all memory and instruction files and their imports.
pub(crate) fn find(search: &mut Search<'_>) {
    find_in(search, &[&OWN_OF_CLAUDE[..], &OWN].concat());
}

/// Adds the files of `own` that exist, the rules in their folders, the files of the user, and all imports.
fn find_in(search: &mut Search<'_>, own: &[&str]) {
    for key in own {
        if search.place.folder.join(key).is_file() {
            search.own(key, Loaded::ByItself);
        }
    }
    for folder in [".claude/rules", ".cursor/rules"] {
        let whole = search.place.folder.join(folder);
        if whole.is_dir() && !search.fence.holds(&whole) {
            search.skip(folder, OUTSIDE);
            continue;
        }
        for path in markdown_below(&whole, MAX_VISITED) {
            if let Ok(below) = path.strip_prefix(&search.place.folder)
                && nature::is_instruction(&key_of(below))
            {
                search.own_path(below, Loaded::ByItself);
            }
        }
    }
    for path in user_files(search) {
        let key = user_key(search, &path);
        search.add(key, path, false, Loaded::ByItself);
    }
    search.follow_imports();
}

/// Retains the documents that a client loads automatically. If a project has instructions for Claude Code, that client
/// loads `AGENTS.md` only through an import or a symbolic link.
pub fn retain_loaded_by(
    client: &str,
    place: &ProjectPlace,
    options: &CheckOptions<'_>,
    documents: &mut Vec<Document>,
) {
    let is_shared = |document: &Document| nature::is_shared(&document.key.path);
    documents.retain(|each| {
        let path = &each.key.path;
        (each.loaded || is_named(options, path)) && is_loaded(client, place, options, path)
    });
    let mut own = OWN_OF_CLAUDE.iter().filter(|key| place.folder.join(key).is_file()).peekable();
    if client != "claude-code" || own.peek().is_none() || !documents.iter().any(is_shared) {
        return;
    }
    let found = searched(place, options, |search| {
        own.for_each(|key| search.own(key, Loaded::ByItself));
        search.follow_imports();
    });
    documents.retain(|each| !is_shared(each) || found.files.contains_key(&each.key.path));
}

/// Returns true if the client's settings name the file as an instruction file.
fn is_named(options: &CheckOptions<'_>, key: &str) -> bool {
    let name = key.rsplit('/').next().unwrap_or(key);
    options.instruction_names.iter().any(|each| each == name)
}

/// Returns true if a client loads an instruction file automatically, by its name or by the client's settings.
fn is_loaded(client: &str, place: &ProjectPlace, options: &CheckOptions<'_>, key: &str) -> bool {
    let (names, is_users) = (options.instruction_names, key.starts_with("~/"));
    match client {
        "gemini" if !names.is_empty() => {
            is_named(options, key) && (!is_users || key.starts_with("~/.gemini/"))
        }
        "codex" if !is_users && (nature::is_shared(key) || is_named(options, key)) => {
            // Codex reads only one of these files in a folder.
            let known = [nature::OVERRIDE, "AGENTS.md"];
            let mut all = known.into_iter().chain(names.iter().map(String::as_str));
            let path = place.folder.join(key);
            all.find(|name| path.with_file_name(name).is_file())
                .is_some_and(|first| path.ends_with(first))
        }
        _ => nature::is_loaded_by(client, key),
    }
}

/// Returns the instruction files of a project with their imports, and the files that lead out of the project, each with
/// the reason. The result includes the files that a client loads at the start of a session, and files with the same
/// names in other folders that are not ignored. Policies do not apply.
pub fn instruction_files(place: &ProjectPlace) -> (Vec<(String, PathBuf)>, Vec<Skipped>) {
    let options = CheckOptions::new(Timestamp::default());
    let Found { files, skipped, .. } = searched(place, &options, |search| {
        walked(place, search.fence, MAX_VISITED, |path, _| {
            if nature::is_instruction(&path) {
                search.own(&path, Loaded::ByItself);
            }
        });
        find(search);
    });
    let skipped = skipped.into_iter().filter(|each| each.reason != LINK);
    (files.into_iter().map(|(key, file)| (key, file.path)).collect(), skipped.collect())
}

/// Returns the files that a client loads when a session starts, including the user's, by key. Omits rules that the
/// client loads only with certain files, and topic files of a memory.
pub fn session_files(
    client: &str,
    place: &ProjectPlace,
    options: &CheckOptions<'_>,
) -> Vec<(String, PathBuf)> {
    let has_own = OWN_OF_CLAUDE.iter().any(|key| place.folder.join(key).is_file());
    let has_own = client == "claude-code" && has_own;
    // The client's own files replace the shared file, unless they import it.
    let of_others: &[&str] = if has_own { &[] } else { &OWN };
    let named = options.instruction_names.iter().map(String::as_str);
    let own = OWN_OF_CLAUDE.iter().chain(of_others).copied().chain(named);
    let own: Vec<&str> = own.filter(|key| is_loaded(client, place, options, key)).collect();
    let found = searched(place, options, |search| find_in(search, &own));
    let is_topic = |key: &str| key.contains("/memory/") && !key.ends_with("/MEMORY.md");
    let files = found.files.into_iter().filter(|(key, file)| {
        file.loaded
            && is_loaded(client, place, options, key)
            && !is_topic(key)
            && !(key.contains("/rules/") && is_on_demand(&file.path, options.policy.max_file_bytes))
    });
    files.map(|(key, file)| (key, file.path)).collect()
}

/// Returns true if a client loads a rule only with certain files: its front matter names them, or a Cursor rule does
/// not set `alwaysApply`.
fn is_on_demand(path: &Path, most: u64) -> bool {
    let Ok(file::Text { text, .. }) = file::read(path, most, None) else { return false };
    let front = front::read(&text).ok().flatten();
    if path.extension().is_some_and(|end| end == "mdc") {
        let applies = front.as_ref().and_then(|front| front.get(&["alwaysapply"]));
        return applies.is_none_or(|entry| entry.value != Value::Text("true".to_owned()));
    }
    front.is_some_and(|front| front.get(&["paths"]).is_some())
}

/// Searches a project without git. Returns the files that `fill` adds.
fn searched(
    place: &ProjectPlace,
    options: &CheckOptions<'_>,
    fill: impl FnOnce(&mut Search<'_>),
) -> Found {
    let patterns = Patterns::new(&options.policy, &mut Vec::new());
    let (fence, found) = (place.fence(), Found::default());
    let (patterns, fence) = (&patterns, &fence);
    let mut search = Search { place, options, tracked: None, patterns, fence, found };
    fill(&mut search);
    search.found
}

/// Returns the key of a path if [`find`] would add it as a file of the user.
pub(crate) fn of_user(search: &Search<'_>, path: &Path) -> Option<String> {
    let path = canonical(path);
    user_files(search)
        .into_iter()
        .find(|each| canonical(each) == path)
        .map(|each| user_key(search, &each))
}

fn user_files(search: &Search<'_>) -> Vec<PathBuf> {
    let home = search.options.home.map(canonical);
    let claude = search
        .options
        .claude_config_dir
        .map(Path::to_path_buf)
        .or_else(|| home.as_ref().map(|home| home.join(".claude")));
    let mut files = Vec::new();
    if let Some(claude) = claude {
        files.push(claude.join("CLAUDE.md"));
        files.extend(markdown_below(&claude.join("rules"), MAX_VISITED));
        let mut folders = vec![encoded(&search.place.folder)];
        // Linked work trees have their own memory, and also use the memory of the main one.
        folders.push(encoded(&search.place.root));
        folders.dedup();
        for folder in folders {
            let folder = claude.join("projects").join(folder).join("memory");
            files.extend(markdown_below(&folder, MAX_VISITED));
        }
    }
    if let Some(home) = home {
        files.extend([home.join(".codex/AGENTS.md"), home.join(".gemini/GEMINI.md")]);
    }
    // Files in the project belong to the project, even if it is inside the home folder.
    let folder = canonical(&search.place.folder);
    files.retain(|path| path.is_file() && !path.starts_with(&folder));
    files
}

/// Returns the name of the folder that Claude Code uses for a project. Every character except letters and digits
/// becomes a hyphen.
fn encoded(root: &Path) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    root.to_string_lossy().chars().map(letter).collect()
}

/// Returns the key of a file of the user: relative to the home folder if the file is below it, otherwise the whole
/// path.
fn user_key(search: &Search<'_>, path: &Path) -> String {
    let home = search.options.home.map(canonical);
    match home.and_then(|home| path.strip_prefix(home).ok().map(key_of)) {
        Some(below) => format!("~/{below}"),
        None => path.to_string_lossy().into_owned(),
    }
}

fn markdown_below(folder: &Path, most: usize) -> Vec<PathBuf> {
    if !folder.is_dir() {
        return Vec::new();
    }
    WalkBuilder::new(folder)
        .standard_filters(false)
        .follow_links(false)
        .max_depth(Some(MAX_DEPTH))
        .sort_by_file_name(std::cmp::Ord::cmp)
        .build()
        .take(most)
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .filter(|path| nature::is_markdown(&path.to_string_lossy()))
        .take(MAX_FILES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_ends_after_so_many_files_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.txt", "b.txt", "c.md", "d.md"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = |most| markdown_below(folder.path(), most).len();
        // The folder itself comes first.
        assert_eq!((found(3), found(4), found(9)), (0, 1, 2));
    }

    #[test]
    fn a_project_is_named_as_claude_code_does() {
        assert_eq!(encoded(Path::new("/home/ada/my.app_2")), "-home-ada-my-app-2");
    }
}
