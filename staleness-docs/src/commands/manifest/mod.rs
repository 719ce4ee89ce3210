//! From the text of a manifest to the targets that it defines.

mod just;
mod lines;
mod make;
mod object;
mod table;

use std::collections::BTreeMap;

use staleness_core::ids::stable_hash;

use super::TargetKind;

/// The largest manifest that is read, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most targets of one manifest; of one with more it cannot be told what else it has.
const MAX_TARGETS: usize = 10_000;

/// The targets of a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Targets {
    /// A digest of what each runs; 0 where that says nothing.
    pub(crate) all: BTreeMap<(TargetKind, String), u128>,
    /// Names with a part that is not known, as `%`: `test-%`.
    patterns: Vec<String>,
    /// True if it may define targets that cannot be told.
    pub(crate) open: bool,
    /// Files that it includes, as it writes them.
    pub(crate) includes: Vec<String>,
}

impl Targets {
    /// Adds a target. Of several parts of one each counts.
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

    /// Adds names of which `%` stands for any part.
    fn add_pattern(&mut self, pattern: &str) {
        if self.all.len() + self.patterns.len() >= MAX_TARGETS || pattern == "%" {
            self.open = true;
        } else {
            self.patterns.push(pattern.to_owned());
        }
    }

    /// Takes in the targets of a file that it includes.
    pub(crate) fn join(&mut self, other: Self) {
        self.open |= other.open;
        if self.all.len() + other.all.len() > MAX_TARGETS {
            self.open = true;
        } else {
            self.all.extend(other.all);
            self.patterns.extend(other.patterns);
        }
    }

    /// Returns true if it defines a target; `None` when that cannot be told.
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

/// A digest of what a target runs, however it is laid out; 0 for nothing.
fn digest_of(runs: &str) -> u128 {
    let words: Vec<&str> = runs.split_whitespace().collect();
    if words.is_empty() { 0 } else { stable_hash(words.join(" ").as_bytes()) }
}

/// The names of the manifests that define targets of a kind, below the folder that they are about.
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
        // Without a task of the name it runs a script.
        TargetKind::Deno => &["deno.json", "deno.jsonc", "package.json"],
        TargetKind::Python => &["pyproject.toml"],
        TargetKind::Module => &[],
        TargetKind::Hook => &[".pre-commit-config.yaml"],
    }
}

/// Returns true if a file is a manifest that may define targets of a kind, by its path.
pub(crate) fn defines(kind: TargetKind, path: &str) -> bool {
    let below = |name: &str| {
        path.strip_suffix(name).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
    };
    files(kind).iter().any(|name| below(name))
}

/// Reads a manifest as one that defines targets of a kind, whatever it is called; `None` when it cannot be
/// told what it defines.
pub(crate) fn read(kind: TargetKind, path: &str, text: &str) -> Option<Targets> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}');
    match kind {
        TargetKind::Deno if !path.ends_with("package.json") => object::deno(text),
        TargetKind::Tool => object::package(text, TargetKind::Script),
        TargetKind::Script | TargetKind::Deno | TargetKind::Composer => object::package(text, kind),
        TargetKind::Make => Some(make::read(text)),
        TargetKind::Just => Some(just::read(text)),
        TargetKind::Task => Some(lines::tasks(text)),
        TargetKind::Hook => Some(lines::hooks(text)),
        TargetKind::Alias => table::aliases(text),
        TargetKind::Binary | TargetKind::Example | TargetKind::Feature | TargetKind::Package => {
            table::cargo(text)
        }
        TargetKind::Python => table::python(text),
        TargetKind::Module => None,
    }
}

#[cfg(test)]
mod tests;
