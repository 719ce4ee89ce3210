//! The manifests of a project, and those that may define a target.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::past::Past;
use crate::commands::{self, Call, Place, TargetKind, Targets};
use crate::paths;

/// Maximum number of manifests to check for a target, besides those in the document's own folders.
pub(super) const MAX_ELSEWHERE: usize = 200;
/// Maximum number of these manifests to look up in the history.
const MAX_ASKED: usize = 20;
/// Maximum number of source files to search for an earlier subcommand.
const MAX_SOURCES: usize = 8;
/// Maximum number of files to read for one manifest and its includes.
const MAX_INCLUDED: usize = 32;

/// Files from which a build generates a makefile.
#[rustfmt::skip]
const MAKERS: [&str; 7] = [
    "CMakeLists.txt", "Makefile.PL", "Makefile.am", "Makefile.in", "configure", "configure.ac", "extconf.rb",
];

/// The manifests of the checked-out commit, cached.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    /// Manifests, by path and by the file names that determine the parser.
    read: HashMap<(&'static [&'static str], String), Rc<Targets>>,
    /// Paths of all manifests with these names, nearest to the root first.
    listed: HashMap<&'static [&'static str], Rc<[String]>>,
}

impl Past<'_> {
    /// Returns the manifests that may have defined a target, or `None` if a manifest may define the target now.
    pub(crate) fn missing_from(&mut self, folder: &str, call: &Call) -> Option<Vec<String>> {
        let own = self.manifests_of(folder, call)?;
        let is_there = |path: &String| self.tracked().is_some_and(|it| it.holds(path));
        let has_own = own.iter().any(is_there);
        if call.kind == TargetKind::Make
            && !has_own
            && own.iter().any(|path| self.is_generated(path))
        {
            return None;
        }
        for path in &own {
            if self.tracked()?.holds(path) && self.defines(path, call) != Some(false) {
                return None;
            }
        }
        let is_cargo = commands::files(call.kind) == ["Cargo.toml"];
        // The nearest of these files decides, if there is one.
        let is_near =
            has_own && matches!(call.kind, TargetKind::Just | TargetKind::Make | TargetKind::Task);
        // Cargo builds every package of a workspace.
        let is_anywhere = is_cargo
            || call.kind != TargetKind::Alias
                && call.place == Place::Folder(String::new())
                && !is_near;
        let mut asked = own;
        if is_anywhere {
            let listed = self.listed(call.kind);
            for path in listed.iter().take(MAX_ELSEWHERE).filter(|path| !asked.contains(path)) {
                if self.defines(path, call) == Some(true) {
                    return None;
                }
            }
            if listed.len() > MAX_ELSEWHERE {
                return None;
            }
            let is_source = call.kind == TargetKind::Subcommand;
            // For other tools, a script of one package is not a script of another.
            let most = if is_source { MAX_SOURCES } else { MAX_ASKED * usize::from(is_cargo) };
            let mut is_empty = |path: &str| self.targets(call.kind, path).all.is_empty();
            let more = listed.iter().filter(|path| !asked.contains(path));
            let more = more.filter(|path| !is_source || !is_empty(path)).take(most).cloned();
            asked.extend(more.collect::<Vec<_>>());
            // A subcommand may have had a separate file beside these.
            for path in asked.clone().iter().filter(|_| is_source) {
                let Some((folder, name)) = path.rsplit_once('/') else { continue };
                let end = name.rsplit_once('.').map_or("", |(_, end)| end);
                let own = format!("{folder}/{}.{end}", call.target);
                if !asked.contains(&own) {
                    asked.push(own);
                }
            }
        }
        Some(asked)
    }

    fn is_generated(&self, makefile: &str) -> bool {
        let (folder, _) = makefile.rsplit_once('/').unwrap_or_default();
        MAKERS.iter().any(|name| {
            let path =
                if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") };
            self.tracked().is_some_and(|tracked| tracked.holds(&path))
        })
    }

    /// Returns the manifests to which a command in a document of this folder may refer, or `None` if no package
    /// matches.
    pub(super) fn manifests_of(&mut self, folder: &str, call: &Call) -> Option<Vec<String>> {
        if call.kind == TargetKind::Subcommand {
            return Some(Vec::new());
        }
        if let Place::Workspace(package) = &call.place {
            let listed = self.listed(call.kind);
            let mut own = Vec::new();
            for path in listed.iter().take(MAX_ELSEWHERE) {
                let of = paths::folder_of(path);
                let by_folder = of == package || of.ends_with(&format!("/{package}"));
                let key = (TargetKind::Package, package.clone());
                if by_folder || self.targets(call.kind, path).all.contains_key(&key) {
                    own.push(path.clone());
                }
            }
            return Some(own).filter(|own| !own.is_empty());
        }
        let ends = folder.rmatch_indices('/').map(|(at, _)| at);
        let folders = [folder].into_iter().chain(ends.map(|at| &folder[..at])).chain([""]);
        let below = |base: &str, path: &str| {
            let between = if base.is_empty() || path.is_empty() { "" } else { "/" };
            format!("{base}{between}{path}")
        };
        let mut all = Vec::new();
        for base in folders {
            match &call.place {
                Place::File(file) => all.push(below(base, file)),
                Place::Folder(to) => {
                    let mut to = below(base, to);
                    all.extend(commands::files(call.kind).iter().map(|name| below(&to, name)));
                    // Without its own package, a folder belongs to the package of the nearest parent folder.
                    while call.kind == TargetKind::Script
                        && to.len() > base.len()
                        && !self.tracked().is_some_and(|it| it.holds(&below(&to, "package.json")))
                    {
                        to.truncate(to.rfind('/').unwrap_or(0).max(base.len()));
                        all.push(below(&to, "package.json"));
                    }
                }
                Place::Workspace(_) => {}
            }
        }
        let mut seen = HashSet::new();
        all.retain(|path| seen.insert(path.clone()));
        Some(all)
    }

    /// Returns true if a manifest defines the target of a command, or `None` if this is uncertain.
    fn defines(&mut self, path: &str, call: &Call) -> Option<bool> {
        self.targets(call.kind, path).define(call)
    }

    /// Returns the project's manifests that define targets of a kind. Excludes vendored code and test data.
    pub(super) fn listed(&mut self, kind: TargetKind) -> Rc<[String]> {
        let tracked = self.repo.as_ref().and_then(|repo| repo.tracked().ok());
        let list = || {
            let tracked = tracked.into_iter().flat_map(|tracked| tracked.iter());
            let paths = tracked.map(|(path, _)| path).filter(|path| commands::defines(kind, path));
            let mut paths: Vec<String> = paths
                .filter(|path| !crate::symbols::is_of_others(path))
                .map(str::to_owned)
                .collect();
            paths.sort_by_key(|path| path.matches('/').count());
            paths.into()
        };
        Rc::clone(self.manifests.listed.entry(commands::files(kind)).or_insert_with(list))
    }

    /// Reads a manifest of the checked-out commit and the files that it includes.
    pub(super) fn targets(&mut self, kind: TargetKind, path: &str) -> Rc<Targets> {
        let key = (commands::files(kind), path.to_owned());
        if let Some(known) = self.manifests.read.get(&key) {
            return Rc::clone(known);
        }
        let targets = Rc::new(self.read_all(kind, path));
        self.manifests.read.insert(key, Rc::clone(&targets));
        targets
    }

    fn read_all(&mut self, kind: TargetKind, path: &str) -> Targets {
        let head = self.head_commit().map(|head| head.id);
        let mut all = Targets::default();
        let (mut next, mut seen) = (vec![path.to_owned()], HashSet::new());
        while let Some(file) = next.pop() {
            // Includes may be circular.
            if !seen.insert(file.clone()) {
                continue;
            }
            let text = head.and_then(|id| self.look_up(|repo| repo.history.text_at(id, &file)));
            let targets = text.and_then(|text| commands::read(kind, &file, &text));
            let Some(mut targets) = targets.filter(|_| seen.len() <= MAX_INCLUDED) else {
                all.open = true;
                break;
            };
            // `make` resolves includes from its working folder, other tools from the including file.
            let from = if kind == TargetKind::Make { path } else { &file };
            let from = paths::folder_of(from);
            for include in std::mem::take(&mut targets.includes) {
                match paths::resolve(from, &include) {
                    Ok(include) => next.push(include),
                    Err(_) => all.open = true,
                }
            }
            all.join(targets);
        }
        all
    }
}
