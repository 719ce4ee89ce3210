//! Checks if the project still defines the targets that commands in documents call.
//!
//! A target is looked up in the document's folder and in each folder above it, because a document in a
//! subfolder may refer to either. If the command names no folder, any manifest of the project may define the
//! target. Targets that no manifest defines are looked up in the history, and count as removed if an older
//! version had one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use staleness_core::knowledge::{Evidence, Fact, WordKind};

use super::doc::Doc;
use super::links;
use super::open::{Anchored, Open};
use super::questions::{Lost, LostCommands};
use super::tree::nearest_of;
use super::{Check, commit_text};
use crate::Cancelled;
use crate::commands::{self, Call, Place, TargetKind, Targets};
use crate::draft::names::{NameId, NameSort};
use crate::git::{Part, PartFate, PartQuery, Trace, Word, WordQuery};
use crate::paths;

/// Maximum number of manifests to check for a target, besides those in the document's own folders.
const MAX_ELSEWHERE: usize = 200;
/// Maximum number of these manifests to look up in the history.
const MAX_ASKED: usize = 20;
/// Maximum number of source files in which to look for an earlier subcommand.
const MAX_SOURCES: usize = 8;
/// Maximum number of files to read for one manifest and its includes.
const MAX_INCLUDED: usize = 32;

/// Files from which a build makes a makefile.
#[rustfmt::skip]
const MAKERS: [&str; 7] = [
    "CMakeLists.txt", "Makefile.PL", "Makefile.am", "Makefile.in", "configure", "configure.ac", "extconf.rb",
];

/// The manifests of the checked-out commit, cached.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    /// Manifests by the file names that decide how they are read, and by path.
    read: HashMap<(&'static [&'static str], String), Rc<Targets>>,
    /// Paths of all manifests with these names, nearest to the root first.
    listed: HashMap<&'static [&'static str], Rc<[String]>>,
}

/// Returns the things that define a target by their existence. While code has the name of a subcommand in any
/// form, the program may still know it.
pub(super) fn things_of(call: &Call) -> Vec<Word> {
    let target = &call.target;
    let mut kind = WordKind::Path;
    let texts = match call.kind {
        TargetKind::Subcommand => {
            kind = WordKind::Identifier;
            let parts = target.split(['-', '_']).map(|part| {
                let (first, rest) = part.split_at(part.len().min(1));
                first.to_ascii_uppercase() + rest
            });
            vec![target.clone(), target.replace('-', "_"), parts.collect()]
        }
        TargetKind::Binary => vec![
            format!("src/bin/{target}.rs"),
            format!("src/bin/{target}/main.rs"),
            format!("{target}/src/main.rs"),
        ],
        TargetKind::Example => {
            vec![format!("examples/{target}.rs"), format!("examples/{target}/main.rs")]
        }
        TargetKind::Package => vec![format!("{target}/Cargo.toml")],
        TargetKind::Module => {
            let path = target.replace('.', "/");
            vec![format!("{path}.py"), format!("{path}/__main__.py")]
        }
        _ => Vec::new(),
    };
    texts.into_iter().map(|text| Word { kind, text }).collect()
}

impl Check<'_> {
    /// Returns the names that are commands. Of the project's own programs only subcommands count: their
    /// documents show how others use them.
    pub(super) fn calls(&mut self, manifests: &mut Manifests) -> Vec<(NameId, Rc<Call>)> {
        let ids = 0..NameId::try_from(self.names.len()).unwrap_or(NameId::MAX);
        let calls = ids.filter_map(|id| match self.names.get(id) {
            (NameSort::Word(WordKind::Command), text) => Some((id, Rc::new(Call::parse(text)?))),
            _ => None,
        });
        let mut calls: Vec<(NameId, Rc<Call>)> = calls.collect();
        let mut own: Option<HashSet<String>> = None;
        calls.retain(|(_, call)| {
            let program = call.text.split(' ').next().unwrap_or_default();
            if call.kind != TargetKind::Subcommand {
                return !self.is_own_program(program);
            }
            own.get_or_insert_with(|| self.programs(manifests)).contains(program)
        });
        calls
    }

    /// Returns the programs of the project: those that manifests define, and the folders of `cmd`.
    fn programs(&mut self, manifests: &mut Manifests) -> HashSet<String> {
        let tracked = self.past.tracked().into_iter().flat_map(|tracked| tracked.iter());
        let folders = tracked.filter_map(|(path, _)| path.strip_prefix("cmd/")?.split_once('/'));
        let mut programs: HashSet<String> = folders.map(|(name, _)| name.to_owned()).collect();
        for kind in [TargetKind::Binary, TargetKind::Python, TargetKind::Script] {
            for path in self.listed(manifests, kind).iter().take(MAX_ELSEWHERE) {
                let targets = self.targets(manifests, kind, path);
                let is_program = |of| matches!(of, TargetKind::Binary | TargetKind::Python);
                let names = targets.all.keys().filter(|(of, _)| is_program(*of));
                programs.extend(names.map(|(_, name)| name.clone()));
            }
        }
        programs
    }

    /// Returns the commands with targets that the checked-out commit does not define. `has` returns true for
    /// things that exist.
    pub(super) fn lost_commands(
        &mut self,
        docs: &[Doc],
        calls: Vec<(NameId, Rc<Call>)>,
        manifests: &mut Manifests,
        has: &dyn Fn(&Word) -> bool,
    ) -> LostCommands {
        let calls: HashMap<NameId, Rc<Call>> = calls.into_iter().collect();
        let mut lost = LostCommands::new();
        // If the list of files is incomplete, nothing counts as missing.
        if calls.is_empty() || self.past.tracked().is_none_or(|tracked| tracked.cut) {
            return lost;
        }
        let mut seen = HashSet::new();
        for doc in docs {
            let folder = doc.folder();
            for mention in &doc.draft.mentions {
                let Some(call) = calls.get(&mention.name) else { continue };
                if !seen.insert((folder.to_owned(), mention.name)) {
                    continue;
                }
                let mut paths = things_of(call);
                if paths.iter().any(has) {
                    continue;
                }
                paths.retain(|word| word.kind == WordKind::Path);
                if let Some(of) = self.missing_from(manifests, folder, call) {
                    let near = self.near(manifests, &of, call);
                    let found = Lost { call: Rc::clone(call), manifests: of, paths, near };
                    lost.insert((folder.to_owned(), mention.name), found);
                }
            }
        }
        lost
    }

    /// Returns the manifests that may have defined a target, or `None` if it may be defined now.
    fn missing_from(
        &mut self,
        manifests: &mut Manifests,
        folder: &str,
        call: &Call,
    ) -> Option<Vec<String>> {
        let own = self.manifests_of(manifests, folder, call)?;
        let is_there = |path: &String| self.past.tracked().is_some_and(|it| it.holds(path));
        let has_own = own.iter().any(is_there);
        if call.kind == TargetKind::Make
            && !has_own
            && own.iter().any(|path| self.is_generated(path))
        {
            return None;
        }
        for path in &own {
            if self.past.tracked()?.holds(path)
                && self.defines(manifests, path, call) != Some(false)
            {
                return None;
            }
        }
        let is_cargo = commands::files(call.kind) == ["Cargo.toml"];
        // Of these the nearest file decides, if there is one.
        let is_near =
            has_own && matches!(call.kind, TargetKind::Just | TargetKind::Make | TargetKind::Task);
        // Cargo builds every package of a workspace.
        let is_anywhere = is_cargo
            || call.kind != TargetKind::Alias
                && call.place == Place::Folder(String::new())
                && !is_near;
        let mut asked = own;
        if is_anywhere {
            let listed = self.listed(manifests, call.kind);
            for path in listed.iter().take(MAX_ELSEWHERE).filter(|path| !asked.contains(path)) {
                if self.defines(manifests, path, call) == Some(true) {
                    return None;
                }
            }
            if listed.len() > MAX_ELSEWHERE {
                return None;
            }
            let is_source = call.kind == TargetKind::Subcommand;
            // For other tools, a script of one package is not a script of another.
            let most = if is_source { MAX_SOURCES } else { MAX_ASKED * usize::from(is_cargo) };
            let mut is_empty = |path: &str| self.targets(manifests, call.kind, path).all.is_empty();
            let more = listed.iter().filter(|path| !asked.contains(path));
            let more = more.filter(|path| !is_source || !is_empty(path)).take(most).cloned();
            asked.extend(more.collect::<Vec<_>>());
            // A subcommand may have had a file of its own beside these.
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

    /// Returns true if a build makes a makefile.
    fn is_generated(&self, makefile: &str) -> bool {
        let (folder, _) = makefile.rsplit_once('/').unwrap_or_default();
        MAKERS.iter().any(|name| {
            let path =
                if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") };
            self.past.tracked().is_some_and(|tracked| tracked.holds(&path))
        })
    }

    /// Returns the command with the most similar target that one of these manifests defines.
    fn near(&mut self, manifests: &mut Manifests, paths: &[String], call: &Call) -> Option<String> {
        let tracked = |path: &&String| self.past.tracked().is_some_and(|it| it.holds(path));
        let paths: Vec<&String> = paths.iter().filter(tracked).collect();
        let all: Vec<Rc<Targets>> =
            paths.into_iter().map(|path| self.targets(manifests, call.kind, path)).collect();
        let names = all.iter().flat_map(|targets| targets.all.keys());
        let names = names.filter(|(kind, name)| *kind == call.kind && commands::is_name(name));
        let names = names.map(|(_, name)| &**name);
        nearest_of(&call.target, names, &self.anchors.likened).map(|name| call.renamed(name))
    }

    /// Returns the manifests that a command may refer to in a document of this folder, or `None` if no
    /// package matches.
    pub(super) fn manifests_of(
        &mut self,
        manifests: &mut Manifests,
        folder: &str,
        call: &Call,
    ) -> Option<Vec<String>> {
        if call.kind == TargetKind::Subcommand {
            return Some(Vec::new());
        }
        if let Place::Workspace(package) = &call.place {
            let listed = self.listed(manifests, call.kind);
            let mut own = Vec::new();
            for path in listed.iter().take(MAX_ELSEWHERE) {
                let of = paths::folder_of(path);
                let by_folder = of == package || of.ends_with(&format!("/{package}"));
                let key = (TargetKind::Package, package.clone());
                if by_folder || self.targets(manifests, call.kind, path).all.contains_key(&key) {
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
                    let to = below(base, to);
                    all.extend(commands::files(call.kind).iter().map(|name| below(&to, name)));
                }
                Place::Workspace(_) => {}
            }
        }
        let mut seen = HashSet::new();
        all.retain(|path| seen.insert(path.clone()));
        Some(all)
    }

    /// Returns true if a manifest defines the target of a command, or `None` if this is uncertain.
    fn defines(&mut self, manifests: &mut Manifests, path: &str, call: &Call) -> Option<bool> {
        let targets = self.targets(manifests, call.kind, path);
        let holds = |kind| targets.holds(kind, &call.target);
        if call.or_tool && holds(TargetKind::Tool) == Some(true) {
            return Some(true);
        }
        holds(call.kind)
    }

    /// Returns the project's manifests that define targets of a kind. Excludes vendored code and test data.
    fn listed(&self, manifests: &mut Manifests, kind: TargetKind) -> Rc<[String]> {
        let list = || {
            let tracked = self.past.tracked().into_iter().flat_map(|tracked| tracked.iter());
            let paths = tracked.map(|(path, _)| path).filter(|path| commands::defines(kind, path));
            let mut paths: Vec<String> =
                paths.filter(|path| !crate::git::is_of_others(path)).map(str::to_owned).collect();
            paths.sort_by_key(|path| path.matches('/').count());
            paths.into()
        };
        Rc::clone(manifests.listed.entry(commands::files(kind)).or_insert_with(list))
    }

    /// Reads a manifest of the checked-out commit and the files that it includes.
    fn targets(&mut self, manifests: &mut Manifests, kind: TargetKind, path: &str) -> Rc<Targets> {
        let key = (commands::files(kind), path.to_owned());
        if let Some(known) = manifests.read.get(&key) {
            return Rc::clone(known);
        }
        let targets = Rc::new(self.read_all(kind, path));
        manifests.read.insert(key, Rc::clone(&targets));
        targets
    }

    fn read_all(&mut self, kind: TargetKind, path: &str) -> Targets {
        let head = self.past.head_commit().map(|head| head.id);
        let mut all = Targets::default();
        let (mut next, mut seen) = (vec![path.to_owned()], HashSet::new());
        while let Some(file) = next.pop() {
            // Includes may be circular.
            if !seen.insert(file.clone()) {
                continue;
            }
            let text = head.and_then(|id| self.past.look_up(|repo| repo.text_at(id, &file)));
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

    /// Looks up missing command targets in the history. Returns evidence by document, block and question.
    pub(super) fn fates_of_commands(
        &mut self,
        held: &[Open<'_>],
        anchors: &[Vec<Option<Anchored>>],
    ) -> Result<Vec<(links::Place, Evidence)>, Cancelled> {
        let mut asked = Vec::new();
        for (at, open) in held.iter().enumerate() {
            for (block, of_block) in open.asked.iter().enumerate() {
                let Some(anchored) = anchors[at][block] else { continue };
                // Checked once per block.
                let mut is_of_past = None;
                for (ask, question) in of_block.asks.iter().enumerate() {
                    let Some(lost) = &question.command else { continue };
                    let of_past = || open.speaks_of_the_past(of_block.block);
                    if !*is_of_past.get_or_insert_with(of_past) {
                        asked.push(((at, block, ask), lost, anchored));
                    }
                }
            }
        }
        // Each manifest is queried once for all of its missing targets.
        let mut names: BTreeMap<(TargetKind, &str), Vec<String>> = BTreeMap::new();
        for (_, lost, _) in &asked {
            for path in &lost.manifests {
                names.entry((lost.call.kind, path)).or_default().push(lost.call.target.clone());
            }
        }
        let readers: Vec<_> =
            names.keys().map(|(kind, path)| |text: &[u8]| parts(*kind, path, text)).collect();
        let queries: Vec<PartQuery<'_>> = names
            .iter()
            .zip(&readers)
            .map(|(((_, path), names), read)| PartQuery { path, names, read })
            .collect();
        let fates = self.past.parts(&queries)?;
        let mut known: HashMap<(TargetKind, &str, &str), PartFate> = HashMap::new();
        for (((kind, path), names), fates) in names.iter().zip(fates) {
            for (name, fate) in names.iter().zip(fates) {
                known.insert((*kind, *path, name.as_str()), fate);
            }
        }
        let words: Vec<WordQuery<'_>> = asked
            .iter()
            .flat_map(|(_, lost, anchored)| {
                lost.paths.iter().map(|word| WordQuery { word, anchor: anchored.anchor })
            })
            .collect();
        let mut traces = self.past.trace(&words)?.into_iter();
        let mut facts = Vec::new();
        for (place, lost, anchored) in asked {
            let call = &lost.call;
            let fate = lost.manifests.iter().find_map(|path| {
                match known.get(&(call.kind, path.as_str(), call.target.as_str()))? {
                    PartFate::Gone { commit, renamed_to } => {
                        Some((Some(*commit), renamed_to.clone()))
                    }
                    _ => None,
                }
            });
            let traced = traces.by_ref().take(lost.paths.len()).collect::<Vec<_>>().into_iter();
            let traced = traced.zip(&lost.paths).find_map(|(trace, word)| match trace {
                Trace::Gone { by, renamed_to } => {
                    Some((by, renamed_to.and_then(|path| target_of(call, &word.text, &path))))
                }
                _ => None,
            });
            let Some((by, new)) = fate.or(traced) else { continue };
            if !anchored.is_before(by) {
                continue;
            }
            let new = new.filter(|new| commands::is_name(new)).map(|new| call.renamed(&new));
            let near = lost.near.clone().filter(|_| new.is_none());
            let fact = Fact::ReferenceDrift {
                word: call.text.clone(),
                sort: WordKind::Command,
                renamed_to: new,
                commit: by.as_ref().map(commit_text),
                at: by.map(|commit| commit.at),
            };
            facts.push((place, Evidence { near, ..fact.into() }));
        }
        Ok(facts)
    }
}

/// Derives the new target from the new path: `src/bin/till.rs` gives `till`.
fn target_of(call: &Call, old: &str, path: &str) -> Option<String> {
    let (begin, end) = old.split_once(&call.target)?;
    let at = path.rfind(begin).filter(|_| !begin.is_empty())?;
    let name = path[at + begin.len()..].strip_suffix(end)?;
    (!name.contains('/')).then(|| name.to_owned())
}

/// Returns the targets of a kind in one version of a manifest. An unreadable version has none.
pub(super) fn parts(kind: TargetKind, path: &str, bytes: &[u8]) -> Vec<Part> {
    let text = std::str::from_utf8(bytes).ok();
    let targets = text.and_then(|text| commands::read(kind, path, text)).unwrap_or_default();
    let of_kind = targets.all.into_iter().filter(|((of, _), _)| *of == kind);
    of_kind
        .map(|((_, name), digest)| Part { name, digest: (digest != 0).then_some(digest) })
        .collect()
}
