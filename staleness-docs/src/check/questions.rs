//! Questions about the names of a document.

use std::collections::HashSet;

use staleness_core::knowledge::{Citation, SignalKind, WordKind};

use super::Check;
use super::answers::Missing;
use super::bounds::MAX_WEAK;
use super::commands::Lost;
use super::doc::Doc;
use crate::draft::names::{NameId, NameSort};
use crate::draft::place::Lines;
use crate::draft::target::{self, Target};
use crate::draft::words;
use crate::draft::{DraftBlock, Mention, Origin};
use crate::git::Word;
use crate::nature::is_markdown;
use crate::paths;

/// Most lines with paths that leave the project that are told of one document.
const MAX_LEAVING: usize = 20;

/// One question about one place in a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Ask {
    /// Offset in bytes.
    pub(super) at: usize,
    /// The citations that it may be: the first that was there and is gone, or was changed, is it.
    pub(super) cites: Vec<Citation>,
    /// The word that it is otherwise.
    pub(super) word: Option<Word>,
    /// The command that it is, if what that calls is missing.
    pub(super) command: Option<Lost>,
    /// The path of a link that counts from the folder of its document, as it is written.
    pub(super) relative: Option<String>,
    /// True for a link whose target is not there: it is meant to lead somewhere.
    pub(super) link: bool,
    /// True for a path in a code span.
    pub(super) span: bool,
    /// The heading of a document that is there and lacks it.
    pub(super) heading: Option<Citation>,
}

/// The questions about one block.
#[derive(Debug)]
pub(super) struct Asked {
    /// The block among those of the draft; `None` for the front matter.
    pub(super) block: Option<usize>,
    pub(super) asks: Vec<Ask>,
}

/// The questions about one document.
#[derive(Debug)]
pub(super) struct Questions {
    /// By block, in the order of the document.
    pub(super) asked: Vec<Asked>,
    /// Number of blocks left out that have nothing but temporal words.
    pub(super) passed: usize,
    pub(super) leaving: Leaving,
    /// True if what is asked depends on files that no commit holds.
    pub(super) rest_on_disk: bool,
}

/// Mentions of paths that leave the project.
#[derive(Debug, Default)]
pub(super) struct Leaving {
    /// Lines of the front matter.
    pub(super) lines: Vec<u32>,
    /// Offsets in its text.
    pub(super) offsets: Vec<usize>,
}

impl Leaving {
    pub(super) const fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.offsets.is_empty()
    }

    /// The lines, each once, in order.
    fn all_lines(mut self, text: &str) -> Vec<u32> {
        self.offsets.sort_unstable();
        let mut lines = Lines::new(text);
        self.lines.extend(self.offsets.into_iter().map(|at| lines.line(at)));
        self.lines.sort_unstable();
        self.lines.dedup();
        self.lines
    }
}

fn heading_ask(mention: &Mention, heading: Citation) -> Ask {
    Ask { at: mention.at, heading: Some(heading), ..Ask::default() }
}

/// The word that a name is looked up as.
pub(crate) fn word_of(sort: NameSort, text: &str) -> Option<Word> {
    let NameSort::Word(kind) = sort else { return None };
    let text = match kind {
        WordKind::Flag | WordKind::Identifier => text.to_owned(),
        // What defines it is read instead: see `commands`.
        WordKind::Command => return None,
        WordKind::Path => {
            let target = target::of_word(text)?;
            let mut path = &*target.path;
            while let Some(rest) = path.strip_prefix("./").or_else(|| path.strip_prefix("../")) {
                path = rest;
            }
            if path.contains("..") || target::says_too_little(path) {
                return None;
            }
            path.to_owned()
        }
    };
    words::is_telling(kind, &text).then_some(Word { kind, text })
}

/// A citation of the front matter or of an item, from the project's root.
pub(crate) fn citation_of(text: &str) -> Option<Citation> {
    let target = target::of_cite(text)?;
    let path = paths::resolve("", &target.path).ok()?;
    citation(path, &target)
}

fn citation(path: String, target: &Target<'_>) -> Option<Citation> {
    let (lines, symbol) = (target.lines, target.symbol.map(str::to_owned));
    (!path.is_empty()).then_some(Citation { path, lines, symbol, digest: None })
}

impl Check<'_> {
    /// Returns true if a path of the project is there: in the checked-out commit, or on disk. Somebody may
    /// be about to commit it, or it is made by a build. No commit tells when it goes from the disk.
    fn is_there(&self, path: &str) -> bool {
        if path.is_empty() || self.past.tracked().is_some_and(|tracked| tracked.holds(path)) {
            return true;
        }
        let on_disk = self.place.folder.join(path).symlink_metadata().is_ok();
        if on_disk {
            self.rests_on_disk.set(true);
        }
        on_disk
    }

    /// Returns true if a path that is not there is made by a build: git is told to leave it out. A document
    /// that is left out itself, and is there all the same, speaks of what lies beside it. What no
    /// commit changes may still be edited.
    fn is_made(&self, doc: &Doc, path: &str) -> bool {
        let left_out = |path: &str| self.made.holds(&self.place.folder, &self.fence, path);
        let made = left_out(path) && !(doc.file.inside && left_out(&doc.key.path));
        if made {
            self.rests_on_disk.set(true);
        }
        made
    }

    /// The questions about a document. `missing` tells the names that are nowhere now.
    pub(super) fn questions(&self, doc: &Doc, missing: &Missing) -> Questions {
        let (mut all, mut leaving) = (Vec::new(), Leaving::default());
        let mut asks = Vec::new();
        for (text, line) in &doc.draft.fields.cite {
            match citation_of(text) {
                Some(citation) => {
                    let there = self.is_there(&citation.path);
                    if there && !citation.is_bare() || !there && !self.is_made(doc, &citation.path)
                    {
                        asks.push(Ask { cites: vec![citation], ..Ask::default() });
                    }
                }
                None => leaving.lines.push(*line),
            }
        }
        if !asks.is_empty() {
            all.push(Asked { block: None, asks });
        }
        for (at, block) in doc.draft.blocks.iter().enumerate() {
            let asks = self.asks_of_block(doc, block, missing, &mut leaving);
            if !asks.is_empty() {
                all.push(Asked { block: Some(at), asks });
            }
        }
        let passed = ask_when(&mut all, doc);
        Questions { asked: all, passed, leaving, rest_on_disk: self.rests_on_disk.take() }
    }

    fn asks_of_block(
        &self,
        doc: &Doc,
        block: &DraftBlock,
        missing: &Missing,
        leaving: &mut Leaving,
    ) -> Vec<Ask> {
        let mut asks = Vec::new();
        let mut seen: HashSet<NameId> = HashSet::new();
        for mention in &doc.draft.mentions[block.mentions.clone()] {
            if seen.contains(&mention.name) {
                continue;
            }
            let ask = match self.names.get(mention.name) {
                (NameSort::Word(WordKind::Flag | WordKind::Identifier), _) => {
                    let ask = |word: &Word| Ask { word: Some(word.clone()), ..Ask::default() };
                    missing.words.get(&mention.name).map(|word| Ask { at: mention.at, ..ask(word) })
                }
                (NameSort::Word(WordKind::Path), text) => {
                    self.ask_of_path(doc, mention, text, missing)
                }
                (NameSort::Word(WordKind::Command), _) => {
                    let folder = doc.folder().to_owned();
                    let lost = missing.commands.get(&(folder, mention.name)).cloned();
                    lost.map(|it| Ask { at: mention.at, command: Some(it), ..Ask::default() })
                }
                (NameSort::Link, text) => self.ask_of_link(doc, mention, text, leaving),
                (NameSort::Import, text) => self.ask_of_import(doc, mention, text),
            };
            if let Some(ask) = ask {
                // The same name twice in a block is one finding.
                seen.insert(mention.name);
                asks.push(ask);
            }
        }
        asks
    }

    fn ask_of_path(
        &self,
        doc: &Doc,
        mention: &Mention,
        text: &str,
        missing: &Missing,
    ) -> Option<Ask> {
        let target = target::of_word(text)?;
        let folder = doc.folder();
        let mut paths: Vec<String> = [folder, ""]
            .into_iter()
            .filter_map(|folder| paths::resolve(folder, &target.path).ok())
            .filter(|path| !path.is_empty())
            .collect();
        paths.dedup();
        if let Some(path) = paths.iter().find(|path| self.is_there(path)) {
            let cites = citation(path.clone(), &target).filter(|citation| !citation.is_bare())?;
            return Some(Ask { at: mention.at, cites: vec![cites], ..Ask::default() });
        }
        let word = missing.words.get(&mention.name);
        // Whatever words a path holds, it is one that the history knows, or none: the end of another would do
        // for no such word.
        let is_whole = target.path.trim_end_matches('/').contains('/')
            && word_of(NameSort::Word(WordKind::Path), text).is_none();
        if word.is_none() && !is_whole || paths.iter().any(|path| self.is_made(doc, path)) {
            return None;
        }
        // In ordinary text a path is a word like any other, unless it names lines.
        let cites = mention.origin == Origin::Code || target.lines.is_some();
        let cites = cites && self.past.is_there();
        if word.is_none() && !cites {
            return None;
        }
        let cites = paths.into_iter().filter(|_| cites);
        let cites = cites.filter_map(|path| citation(path, &target)).collect();
        let span = mention.origin == Origin::Code;
        Some(Ask { at: mention.at, cites, word: word.cloned(), span, ..Ask::default() })
    }

    fn ask_of_link(
        &self,
        doc: &Doc,
        mention: &Mention,
        text: &str,
        leaving: &mut Leaving,
    ) -> Option<Ask> {
        if let Some(fragment) = text.strip_prefix('#') {
            let own = || self.missing_heading(doc.key.path.clone(), fragment);
            return doc.file.inside.then(own)?.map(|heading| heading_ask(mention, heading));
        }
        let own = self.own_path(text);
        let text = own.as_deref().unwrap_or(text);
        let target = target::of_link(text)?;
        let folder = doc.folder().to_owned();
        let Ok(path) = paths::resolve(&folder, &target.path) else {
            if !target::is_of_forge(&target.path) {
                leaving.offsets.push(mention.at);
            }
            return None;
        };
        let is_relative = !target.path.starts_with('/');
        // What counts from a root may count from that of a site, which is a folder above the document.
        let ends = folder.rmatch_indices('/').map(|(at, _)| at).chain([0]);
        let above = [folder.len()].into_iter().chain(ends).map(|end| &folder[..end]);
        let above = above.filter(|above| !is_relative && own.is_none() && !above.is_empty());
        let mut paths: Vec<String> = above.map(|above| format!("{above}/{path}")).collect();
        paths.push(path);
        let held = paths.iter().position(|path| self.is_there(path));
        let (there, path) = (held.is_some(), paths[held.unwrap_or(paths.len() - 1)].clone());
        if !self.past.is_there() && !there && !is_sure_without_history(&target.path)
            || !there && self.is_made(doc, &path)
        {
            return None;
        }
        // Others name a page without its ending.
        let is_page = |end: &str| self.is_there(&format!("{}{end}", path.trim_end_matches(".rst")));
        if !there
            && !is_markdown(&doc.key.path)
            && [".md", ".txt", ".ipynb"].into_iter().any(is_page)
        {
            return None;
        }
        if there
            && (is_relative || own.is_some())
            && let Some((_, fragment)) = text.split_once('#')
            && let Some(heading) = self.missing_heading(path.clone(), fragment)
        {
            return Some(heading_ask(mention, heading));
        }
        if there {
            paths = vec![path];
        }
        let cites: Vec<_> = paths.into_iter().filter_map(|path| citation(path, &target)).collect();
        (!there || cites.iter().any(|citation| !citation.is_bare())).then(|| Ask {
            at: mention.at,
            cites,
            relative: is_relative.then(|| target.path.to_string()),
            link: !there,
            ..Ask::default()
        })
    }

    /// Asks about an import, which counts from the folder of its file. Many words begin with `@`: only
    /// the history tells which of them was an import.
    fn ask_of_import(&self, doc: &Doc, mention: &Mention, text: &str) -> Option<Ask> {
        let is_own = doc.file.inside && !text.starts_with(['/', '~']);
        if !doc.file.loaded || !is_own || !self.past.is_there() {
            return None;
        }
        let path = paths::resolve(doc.folder(), text).ok()?;
        let is_gone = !path.is_empty() && !self.is_there(&path) && !self.is_made(doc, &path);
        let cites = is_gone.then(|| vec![Citation::of_path(path)])?;
        Some(Ask { at: mention.at, cites, ..Ask::default() })
    }

    /// Says which lines of a document name paths that leave the project: the first of them.
    pub(super) fn note_leaving(&mut self, path: &str, leaving: Leaving, text: &str) {
        let lines = leaving.all_lines(text);
        let (first, rest) = lines.split_at(lines.len().min(MAX_LEAVING));
        for line in first {
            self.note(path, *line, "a path leaves the project and was not followed");
        }
        if let Some(line) = rest.first() {
            let text = format!("and {} more lines name paths that leave the project", rest.len());
            self.note(path, *line, text);
        }
    }
}

/// Of a block with words of a time only its date is asked, and of the first of them alone; how many are
/// passed by.
fn ask_when(asked: &mut Vec<Asked>, doc: &Doc) -> usize {
    let (known, mut passed) = (asked.len(), 0);
    for (at, block) in doc.draft.blocks.iter().enumerate() {
        let block_at = Some(at);
        let is_new = || asked[..known].binary_search_by_key(&block_at, |it| it.block).is_err();
        if !block.marks.is_empty() && is_new() {
            if asked.len() < known + MAX_WEAK
                || doc.leaves_aside(block_at, SignalKind::TemporalMarker)
            {
                asked.push(Asked { block: block_at, asks: Vec::new() });
            } else {
                passed += 1;
            }
        }
    }
    asked.sort_by_key(|it| it.block);
    passed
}

/// Returns true if a target that is not on disk is missing even if nobody knows what was there before: a
/// relative path to a file of its own, not one that a site is made from.
fn is_sure_without_history(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    !path.starts_with('/') && target::has_extension(name) && !name.ends_with(".html")
}
