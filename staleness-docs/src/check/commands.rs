//! Checks that the project still defines the targets that commands in documents call.
//!
//! A target is looked up in the document's folder and in each folder above it, because a document in a subfolder may
//! refer to any of them. If the command names no folder, any manifest of the project may define the target. Targets
//! that no manifest defines are looked up in the history. They count as removed if an older version of a manifest
//! defined them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use staleness_core::knowledge::{Evidence, Fact, WordKind};

use super::doc::Doc;
use super::manifests::MAX_ELSEWHERE;
use super::open::{Anchored, Open, Place, anchored_asks};
use super::past::Past;
use super::questions::{Lost, LostCommands};
use super::tree::nearest_of;
use super::{Check, fact_of_word};
use crate::Cancelled;
use crate::commands::{self, Call, TargetKind, Targets};
use crate::draft::names::{NameId, NameSort};
use crate::git::{Commit, Part, PartFate, PartQuery, Trace, Word, WordQuery};

/// Maximum number of lines of a document to read as calls of the project's own programs, and the maximum length of
/// such a line, in bytes.
const MAX_RUNS: usize = 50;
const MAX_RUN: usize = 256;

/// Returns the words whose existence defines a target. If code contains the name of a subcommand in any form, the
/// program may still have the subcommand.
pub(crate) fn things_of(call: &Call) -> Vec<Word> {
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
    /// Returns the names that are commands. For the project's own programs only subcommands count, because the
    /// documents of these programs describe how others use them.
    pub(super) fn calls(&mut self) -> Vec<(NameId, Rc<Call>)> {
        let is_command = |sort| sort == NameSort::Word(WordKind::Command);
        let commands = self.names.iter().filter(|(_, sort, _)| is_command(*sort));
        let calls = commands.filter_map(|(id, _, text)| Some((id, Rc::new(Call::parse(text)?))));
        let mut calls: Vec<(NameId, Rc<Call>)> = calls.collect();
        let mut own: Option<HashSet<String>> = None;
        calls.retain(|(_, call)| {
            let program = call.text.split(' ').next().unwrap_or_default();
            if call.kind != TargetKind::Subcommand {
                return !self.is_own_program(program);
            }
            own.get_or_insert_with(|| self.programs()).contains(program)
        });
        calls
    }

    /// Returns the programs of the project: those that manifests define, and the folders of `cmd`.
    pub(super) fn programs(&mut self) -> HashSet<String> {
        let tracked = self.past.tracked().into_iter().flat_map(|tracked| tracked.iter());
        let folders = tracked.filter_map(|(path, _)| path.strip_prefix("cmd/")?.split_once('/'));
        let mut programs: HashSet<String> = folders.map(|(name, _)| name.to_owned()).collect();
        for kind in [TargetKind::Binary, TargetKind::Python, TargetKind::Script] {
            for path in self.past.listed(kind).iter().take(MAX_ELSEWHERE) {
                let targets = self.past.targets(kind, path);
                let is_program = |of| matches!(of, TargetKind::Binary | TargetKind::Python);
                let names = targets.all.keys().filter(|(of, _)| is_program(*of));
                programs.extend(names.map(|(_, name)| name.clone()));
            }
        }
        programs
    }

    /// Returns the commands whose targets the checked-out commit does not define. `has` returns true for things that
    /// exist.
    pub(super) fn lost_commands(
        &mut self,
        docs: &[Doc],
        calls: Vec<(NameId, Rc<Call>)>,
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
                if let Some(of) = self.past.missing_from(folder, call) {
                    let near = self.near(&of, call);
                    let found = Lost { call: Rc::clone(call), manifests: of, paths, near };
                    lost.insert((folder.to_owned(), mention.name), found);
                }
            }
        }
        lost
    }

    /// Returns the command with the most similar target that one of these manifests defines.
    fn near(&mut self, paths: &[String], call: &Call) -> Option<String> {
        let tracked = |path: &&String| self.past.tracked().is_some_and(|it| it.holds(path));
        let paths: Vec<&String> = paths.iter().filter(tracked).collect();
        let all: Vec<Rc<Targets>> =
            paths.into_iter().map(|path| self.past.targets(call.kind, path)).collect();
        let names = all.iter().flat_map(|targets| targets.all.keys());
        let names = names.filter(|(kind, name)| *kind == call.kind && commands::is_name(name));
        let names = names.map(|(_, name)| &**name);
        nearest_of(&call.target, names, &self.anchors.likened).map(|name| call.renamed(name))
    }

    /// Returns the first lines of a document that run one of the project's own programs (`own`).
    fn runs_of_own<'t>(
        &mut self,
        text: &'t str,
        own: &mut Option<HashSet<String>>,
    ) -> Vec<&'t str> {
        let own = own.get_or_insert_with(|| self.programs());
        let mut is_fenced = false;
        let lines = text.lines().filter_map(|line| {
            let typed = line.trim_start();
            is_fenced ^= typed.starts_with("```") || typed.starts_with("~~~");
            let is_code = is_fenced || line.starts_with(['\t', '$']) || line.starts_with("    ");
            is_code.then(|| typed.trim_start_matches(['$', '>', ' ']))
        });
        let is_run = |line: &&str| {
            let program = line.split_once(' ').map(|(program, _)| program);
            program.is_some_and(|it| self.is_own_program(it) || own.contains(it))
        };
        lines.filter(|line| line.len() <= MAX_RUN).filter(is_run).take(MAX_RUNS).collect()
    }

    /// Looks up missing command targets in the history. Returns evidence by document, block and question.
    pub(super) fn fates_of_commands(
        &mut self,
        held: &[Open<'_>],
        anchors: &[Vec<Option<Anchored>>],
    ) -> Result<Vec<(Place, Evidence)>, Cancelled> {
        let (mut asked, mut own, mut runs) = (Vec::new(), None, HashMap::new());
        for (place, question, anchored) in anchored_asks(held, anchors) {
            let (Some(lost), (at, block, _)) = (&question.command, place) else { continue };
            let open = &held[at];
            if open.speaks_of_the_past(open.asked[block].block)
                || self.is_in_clone(&open.doc.draft, question.at)
            {
                continue;
            }
            let runs = runs.entry(at).or_insert_with(|| self.runs_of_own(&open.text, &mut own));
            if !runs.iter().any(|line| is_run_in(line, &lost.call.text)) {
                asked.push((place, lost, anchored));
            }
        }
        let calls: Vec<_> =
            asked.iter().map(|(_, lost, _)| (&*lost.call, &*lost.manifests)).collect();
        let removals = self.past.removals_of_targets(&calls)?;
        let words: Vec<WordQuery<'_>> = asked
            .iter()
            .flat_map(|(_, lost, anchored)| {
                lost.paths.iter().map(|word| WordQuery { word, anchor: anchored.anchor })
            })
            .collect();
        let mut traces = self.past.trace(&words)?.into_iter();
        let mut facts = Vec::new();
        for ((place, lost, anchored), removal) in asked.into_iter().zip(removals) {
            let call = &lost.call;
            let removal = removal.map(|(commit, new)| (Some(commit), new));
            let traced = traces.by_ref().take(lost.paths.len()).collect::<Vec<_>>().into_iter();
            let traced = traced.zip(&lost.paths).find_map(|(trace, word)| match trace {
                Trace::Gone { by, renamed_to } => {
                    Some((by, renamed_to.and_then(|path| target_of(call, &word.text, &path))))
                }
                _ => None,
            });
            let Some((by, new)) = removal.or(traced) else { continue };
            if !anchored.is_before(by) {
                continue;
            }
            let fact = fact_of_call(call, by, new);
            let near = lost.near.clone().filter(|_| fact.renamed_to().is_none());
            facts.push((place, Evidence { near, ..fact.into() }));
        }
        Ok(facts)
    }
}

/// Creates the fact that the target of a command was removed.
pub(crate) fn fact_of_call(call: &Call, by: Option<Commit>, renamed_to: Option<String>) -> Fact {
    let new = renamed_to.filter(|new| commands::is_name(new)).map(|new| call.renamed(&new));
    fact_of_word(&Word { kind: WordKind::Command, text: call.text.clone() }, by, new)
}

/// The commit that removed a target, and the new name of the target.
type Removal = (Commit, Option<String>);

impl Past<'_> {
    /// Looks up the missing targets of commands in the history of these manifests. If several manifests had a target,
    /// the first one decides.
    pub(crate) fn removals_of_targets(
        &mut self,
        asked: &[(&Call, &[String])],
    ) -> Result<Vec<Option<Removal>>, Cancelled> {
        // Each manifest is queried once for all of its missing targets.
        let mut names: BTreeMap<(TargetKind, &str), Vec<String>> = BTreeMap::new();
        for (call, manifests) in asked {
            for path in *manifests {
                names.entry((call.kind, path)).or_default().push(call.target.clone());
            }
        }
        let readers: Vec<_> =
            names.keys().map(|(kind, path)| |text: &[u8]| parts(*kind, path, text)).collect();
        let queries: Vec<PartQuery<'_>> = names
            .iter()
            .zip(&readers)
            .map(|(((_, path), names), read)| PartQuery { path, names, read })
            .collect();
        let fates = self.parts(&queries)?;
        let mut known: HashMap<(TargetKind, &str, &str), Removal> = HashMap::new();
        for (((kind, path), names), fates) in names.iter().zip(fates) {
            for (name, fate) in names.iter().zip(fates) {
                if let PartFate::Gone { commit, renamed_to } = fate {
                    known.insert((*kind, *path, name), (commit, renamed_to));
                }
            }
        }
        let removal = |(call, manifests): &(&Call, &[String])| {
            let key = |path| (call.kind, path, call.target.as_str());
            manifests.iter().find_map(|path| known.get(&key(path.as_str())).cloned())
        };
        Ok(asked.iter().map(removal).collect())
    }
}

/// Returns true if a line passes a command to another program, as in `shop watch make test`.
fn is_run_in(line: &str, command: &str) -> bool {
    line.split_once(command).is_some_and(|(before, behind)| {
        !behind.starts_with(|c: char| c.is_alphanumeric() || "-_:".contains(c))
            && before.ends_with([' ', '\'', '"'])
            && !before.contains(['&', ';', '|', '#'])
    })
}

/// Derives the new target from the new path: `till` from `src/bin/till.rs`.
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
