//! Reads the targets that a manifest defines.

mod just;
mod lines;
mod make;
mod subcommands;
mod values;

use std::collections::BTreeMap;

use serde_json::Value;
use staleness_core::ids::stable_hash;

use super::{Call, TargetKind};
use crate::manifest::{json, jsonc, toml};

/// The largest manifest to read, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Maximum number of targets per manifest. If there are more, the list counts as incomplete.
const MAX_TARGETS: usize = 10_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Targets {
    /// The targets, each with a digest of its commands. 0 means an unknown digest.
    pub(crate) all: BTreeMap<(TargetKind, String), u128>,
    /// Names with unknown parts, written as `%`: `test-%`.
    patterns: Vec<String>,
    /// True if the manifest may define more targets.
    pub(crate) open: bool,
    /// Included files, as written.
    pub(crate) includes: Vec<String>,
}

impl Targets {
    /// Adds a target. If the target already exists, combines the digests.
    fn add(&mut self, kind: TargetKind, name: &str, runs: u128) {
        if self.all.len() + self.patterns.len() >= MAX_TARGETS {
            self.open = true;
            return;
        }
        let digest = self.all.entry((kind, name.to_owned())).or_insert(runs);
        if *digest != runs {
            *digest = stable_hash(format!("{digest:x} {runs:x}").as_bytes());
        }
    }

    /// Adds a pattern in which `%` stands for any text.
    fn add_pattern(&mut self, pattern: &str) {
        if self.all.len() + self.patterns.len() >= MAX_TARGETS || pattern == "%" {
            self.open = true;
        } else {
            self.patterns.push(pattern.to_owned());
        }
    }

    /// Adds the targets of an included file.
    pub(crate) fn join(&mut self, other: Self) {
        self.open |= other.open;
        if self.all.len() + other.all.len() > MAX_TARGETS {
            self.open = true;
        } else {
            self.all.extend(other.all);
            self.patterns.extend(other.patterns);
        }
    }

    /// Returns true if the manifest defines the target of a command, or the program that the command may run instead.
    /// `None` if this is uncertain.
    pub(crate) fn define(&self, call: &Call) -> Option<bool> {
        let is_tool = call.or_tool && self.holds(TargetKind::Tool, &call.target) == Some(true);
        if is_tool { Some(true) } else { self.holds(call.kind, &call.target) }
    }

    /// Returns true if the manifest defines a target. `None` if this is uncertain.
    pub(crate) fn holds(&self, kind: TargetKind, name: &str) -> Option<bool> {
        if self.all.contains_key(&(kind, name.to_owned())) {
            return Some(true);
        }
        let fits = |pattern: &String| {
            let (begin, end) = pattern.split_once('%').unwrap_or((pattern, ""));
            let end = end.rsplit('%').next().unwrap_or(end);
            name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        };
        (!self.open && !self.patterns.iter().any(fits)).then_some(false)
    }
}

/// Returns a digest of a target's commands, ignoring white space. 0 if there are none.
fn digest_of(runs: &str) -> u128 {
    let words: Vec<&str> = runs.split_whitespace().collect();
    if words.is_empty() { 0 } else { stable_hash(words.join(" ").as_bytes()) }
}

/// Returns the file names of manifests that define targets of a kind, relative to their folder. For subcommands, these
/// are parts of the paths of source files.
pub(crate) const fn files(kind: TargetKind) -> &'static [&'static str] {
    match kind {
        TargetKind::Script | TargetKind::Tool => &["package.json"],
        TargetKind::Make => &["GNUmakefile", "makefile", "Makefile"],
        TargetKind::Just => &["justfile", "Justfile", ".justfile"],
        TargetKind::Task => &[
            "Taskfile.yml",
            "Taskfile.yaml",
            "taskfile.yml",
            "taskfile.yaml",
            "Taskfile.dist.yml",
            "Taskfile.dist.yaml",
        ],
        TargetKind::Alias => &[".cargo/config.toml", ".cargo/config"],
        TargetKind::Binary | TargetKind::Example | TargetKind::Feature | TargetKind::Package => {
            &["Cargo.toml"]
        }
        TargetKind::Composer => &["composer.json"],
        // If no task has the name, deno runs a script.
        TargetKind::Deno => &["deno.json", "deno.jsonc", "package.json"],
        TargetKind::Python => &["pyproject.toml"],
        TargetKind::Module => &[],
        TargetKind::Hook => &[".pre-commit-config.yaml"],
        TargetKind::Subcommand => subcommands::PLACES,
    }
}

/// Returns true if a manifest at this path may define targets of a kind.
pub(crate) fn defines(kind: TargetKind, path: &str) -> bool {
    if kind == TargetKind::Subcommand {
        return subcommands::may_define(path);
    }
    let below = |name: &str| {
        path.strip_suffix(name).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
    };
    files(kind).iter().any(|name| below(name))
}

/// Reads the targets of a kind from a manifest, regardless of its file name. Returns `None` if the manifest is too
/// large or cannot be parsed.
pub(crate) fn read(kind: TargetKind, path: &str, text: &str) -> Option<Targets> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}');
    let of = |file: Option<Value>, read: &dyn Fn(&Value) -> Targets| file.as_ref().map(read);
    match kind {
        TargetKind::Deno if !path.ends_with("package.json") => {
            of(jsonc(text), &|file| values::of(file, kind, "tasks"))
        }
        TargetKind::Tool => of(json(text), &|file| values::package(file, TargetKind::Script)),
        TargetKind::Script | TargetKind::Deno | TargetKind::Composer => {
            of(json(text), &|file| values::package(file, kind))
        }
        TargetKind::Make => Some(make::read(text)),
        TargetKind::Just => Some(just::read(text)),
        TargetKind::Task => Some(lines::tasks(text)),
        TargetKind::Hook => Some(lines::hooks(text)),
        TargetKind::Alias => of(toml(text), &|file| values::of(file, kind, "alias")),
        TargetKind::Binary | TargetKind::Example | TargetKind::Feature | TargetKind::Package => {
            of(toml(text), &values::cargo)
        }
        TargetKind::Python => of(toml(text), &values::python),
        TargetKind::Module => None,
        TargetKind::Subcommand => Some(subcommands::read(path, text)),
    }
}

#[cfg(test)]
mod tests;
