//! Questions about the names in a document.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use staleness_core::knowledge::{Citation, WordKind};
use staleness_core::verdict::SignalKind;

use super::Check;
use super::bounds::MAX_WEAK;
use super::doc::Doc;
use super::{links, made, site};
use crate::commands::Call;
use crate::disk::exists;
use crate::draft::names::{NameId, NameSort, Names};
use crate::draft::place::Lines;
use crate::draft::target::{self, citation_of};
use crate::draft::words;
use crate::draft::{Draft, DraftBlock, Mention, Origin};
use crate::git::Word;
use crate::nature::{is_data, is_markdown, is_readme, is_template};
use crate::paths::{self, Leaves};

/// Maximum number of lines to report per document with paths that leave the project.
const MAX_LEAVING: usize = 20;
/// Maximum number of folders above a document that may be the root of a site.
const MAX_ABOVE: usize = 16;

/// A command with a missing target.
#[derive(Clone, Debug)]
pub(super) struct Lost {
    pub(super) call: Rc<Call>,
    /// Manifests that may have defined the target, most likely first.
    pub(super) manifests: Vec<String>,
    /// Paths whose existence defines the target, such as `src/bin/shop.rs`.
    pub(super) paths: Vec<Word>,
    /// The command with the most similar existing target.
    pub(super) near: Option<String>,
}

/// The commands with missing targets, by the folder of the document and the name.
pub(super) type LostCommands = HashMap<(String, NameId), Lost>;

/// Names and command targets that the checked-out commit lacks.
#[derive(Debug, Default)]
pub(super) struct Missing {
    /// The missing names, each with the word that was looked up for it.
    pub(super) words: HashMap<NameId, Word>,
    /// The commands with undefined targets.
    pub(super) commands: LostCommands,
    /// Whole paths that still occur quoted in code.
    pub(super) quoted: HashSet<NameId>,
}

/// A question about one place in a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Ask {
    /// Byte offset of the place.
    pub(super) at: usize,
    /// The citations that this place may mean. The first one that existed and was removed or changed is used. For a
    /// link, the first one has the path as written.
    pub(super) cites: Vec<Citation>,
    /// The word that the place may mean instead.
    pub(super) word: Option<Word>,
    /// The command, if its target is missing.
    pub(super) command: Option<Lost>,
    /// The path of a link as written, if it is relative to the document's folder.
    pub(super) relative: Option<String>,
    /// The path of a link with a missing target, as written in the document.
    pub(super) link: Option<String>,
    /// True for a path in a code span.
    pub(super) span: bool,
    /// A heading that an existing document lacks.
    pub(super) heading: Option<Citation>,
}

/// The questions about one block.
#[derive(Debug)]
pub(super) struct Asked {
    /// Index of the block in the draft. `None` for the front matter.
    pub(super) block: Option<usize>,
    pub(super) asks: Vec<Ask>,
}

/// The questions about one document.
#[derive(Debug)]
pub(super) struct Questions {
    /// The blocks with questions, in the order of the document.
    pub(super) asked: Vec<Asked>,
    /// Number of blocks with only temporal words that were omitted.
    pub(super) passed: usize,
    /// True if the questions depend on uncommitted files.
    pub(super) rest_on_disk: bool,
}

fn heading_ask(mention: &Mention, heading: Citation) -> Ask {
    Ask { at: mention.at, heading: Some(heading), ..Ask::default() }
}

/// Returns the word to look up for a name.
pub(crate) fn word_of(sort: NameSort, text: &str) -> Option<Word> {
    let NameSort::Word(kind) = sort else { return None };
    let text = match kind {
        WordKind::Flag | WordKind::Identifier => text.to_owned(),
        // Commands are checked against manifests: see `commands`.
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

/// Returns the word for a path that can only be looked up as a whole: `.agents/skills`, `/src/a.rs`.
pub(super) fn whole_of(sort: NameSort, text: &str) -> Option<Word> {
    let target = target::of_path(text).filter(|_| sort == NameSort::Word(WordKind::Path))?;
    let path = target.path.trim_start_matches("./").trim_matches('/');
    let is_whole = path.contains('/') && !path.contains("..") && word_of(sort, text).is_none();
    is_whole.then(|| Word { kind: WordKind::Path, text: format!("./{path}") })
}

/// The way in which a path exists now.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    /// The path does not exist.
    No,
    /// In the checked-out commit.
    Tracked,
    /// Only on disk: it may be uncommitted or built. No commit would show its removal.
    OnDisk,
}

/// Collects the questions about one document.
struct Asking<'a, 'c> {
    check: &'a Check<'c>,
    doc: &'a Doc,
    missing: &'a Missing,
    /// True if the questions, or their absence, depend on uncommitted files.
    rests_on_disk: bool,
}

/// Returns the questions about a document. `missing` holds the names that exist nowhere now.
pub(super) fn questions(check: &Check<'_>, doc: &Doc, missing: &Missing) -> Questions {
    let mut asking = Asking { check, doc, missing, rests_on_disk: false };
    let (mut all, mut asks) = (Vec::new(), Vec::new());
    for citation in doc.draft.fields.cite.iter().filter_map(|(text, _)| citation_of(text)) {
        let there = asking.is_there(&citation.path);
        if there && !citation.is_bare() || !there && !asking.is_made(&citation.path) {
            asks.push(Ask { cites: vec![citation], ..Ask::default() });
        }
    }
    if !asks.is_empty() {
        all.push(Asked { block: None, asks });
    }
    // Copies and test data name files of their original project.
    let blocks = if is_data(&doc.key.path) { &[][..] } else { &doc.draft.blocks[..] };
    for (at, block) in blocks.iter().enumerate() {
        let asks = asking.asks_of_block(block);
        if !asks.is_empty() {
            all.push(Asked { block: Some(at), asks });
        }
    }
    let passed = ask_when(&mut all, doc);
    Questions { asked: all, passed, rest_on_disk: asking.rests_on_disk }
}

impl Asking<'_, '_> {
    /// Returns true if a path exists in the checked-out commit or on disk.
    fn is_there(&mut self, path: &str) -> bool {
        let existing = self.check.existing(path);
        self.rests_on_disk |= existing == Existing::OnDisk;
        existing != Existing::No
    }

    /// Returns true if a missing path is probably created by a build, because git ignores it. This does not apply to
    /// documents that are themselves ignored. A document's digest covers the patterns, except untracked ones.
    fn is_made(&mut self, path: &str) -> bool {
        let (check, doc) = (self.check, self.doc);
        let by = |path: &str| check.made.by(&check.place.folder, &check.fence, path);
        let Some(folder) = by(path) else { return false };
        let made = !doc.file.inside || by(&doc.key.path).is_none();
        self.rests_on_disk |= made && !made::is_covered(check.past.tracked(), &folder);
        made
    }

    /// Calls [`Check::is_alias`]. The page may change although the document with the link does not.
    fn is_alias(&mut self, written: &str, path: &str) -> bool {
        let is_alias = self.check.is_alias(written, path);
        self.rests_on_disk |= is_alias;
        is_alias
    }

    fn asks_of_block(&mut self, block: &DraftBlock) -> Vec<Ask> {
        let (check, doc, missing) = (self.check, self.doc, self.missing);
        let mut asks = Vec::new();
        let mut seen: HashSet<NameId> = HashSet::new();
        let is_template = is_template(&doc.key.path);
        let is_of_others = !doc.file.loaded && check.is_of_documents();
        for mention in &doc.draft.mentions[block.mentions.clone()] {
            if seen.contains(&mention.name) {
                continue;
            }
            let ask = match check.names.get(mention.name) {
                (NameSort::Link, text) if is_template && text.starts_with('/') => None,
                (NameSort::Word(_) | NameSort::Import, _) if is_template => None,
                (NameSort::Word(WordKind::Flag | WordKind::Identifier), _) if is_of_others => None,
                (NameSort::Word(WordKind::Path), text) if is_of_others && !text.contains('/') => {
                    None
                }
                (NameSort::Word(WordKind::Flag | WordKind::Identifier), _) => {
                    let ask = |word: &Word| Ask { word: Some(word.clone()), ..Ask::default() };
                    missing.words.get(&mention.name).map(|word| Ask { at: mention.at, ..ask(word) })
                }
                (NameSort::Word(WordKind::Path), text) => self.ask_of_path(mention, text),
                (NameSort::Word(WordKind::Command), _) => {
                    let folder = doc.folder().to_owned();
                    let lost = missing.commands.get(&(folder, mention.name)).cloned();
                    lost.map(|it| Ask { at: mention.at, command: Some(it), ..Ask::default() })
                }
                (NameSort::Link, text) => self.ask_of_link(mention, text),
                (NameSort::Import, text) => self.ask_of_import(mention, text),
            };
            if let Some(ask) = ask {
                // Repeated names in a block count once.
                seen.insert(mention.name);
                asks.push(ask);
            }
        }
        asks
    }

    fn ask_of_path(&mut self, mention: &Mention, text: &str) -> Option<Ask> {
        let (check, doc, missing) = (self.check, self.doc, self.missing);
        let target = target::of_path(text)?;
        let (paths, there) =
            held(paths::either(doc.folder(), &target.path), |path| self.is_there(path));
        if there {
            let path = paths.into_iter().next()?;
            let cites = target.citation(path).filter(|citation| !citation.is_bare())?;
            return Some(Ask { at: mention.at, cites: vec![cites], ..Ask::default() });
        }
        let word = missing.words.get(&mention.name);
        // A path with a folder that is not a word can only be looked up as a whole. Matching the end of another path
        // would be weak evidence.
        let is_whole = target.path.trim_end_matches('/').contains('/')
            && word_of(NameSort::Word(WordKind::Path), text).is_none();
        if word.is_none() && !is_whole
            || missing.quoted.contains(&mention.name)
            || paths.iter().any(|path| self.is_made(path))
        {
            return None;
        }
        // In prose, a path counts as a word unless it names lines.
        let cites = mention.origin == Origin::Code || target.lines.is_some();
        let cites = cites && check.past.is_there();
        if word.is_none() && !cites {
            return None;
        }
        let cites = paths.into_iter().filter(|_| cites);
        let cites = cites.filter_map(|path| target.citation(path)).collect();
        let span = mention.origin == Origin::Code;
        Some(Ask { at: mention.at, cites, word: word.cloned(), span, ..Ask::default() })
    }

    /// Returns true if a folder above the document, except the root, contains the target of a link without an explicit
    /// start. A site may resolve such links relative to its pages folder.
    fn is_below_site(&mut self, written: &str) -> bool {
        self.check.tree().is_site
            && written.starts_with(char::is_alphanumeric)
            && places_of(self.doc.folder(), &format!("/{written}"))
                .is_ok_and(|all| all.iter().rev().skip(1).any(|path| self.is_target(path)))
    }

    /// Returns true if there is a file or a page at this path.
    fn is_target(&mut self, path: &str) -> bool {
        self.is_there(path) || site::pages_of(path, false).iter().any(|page| self.is_there(page))
    }

    /// Returns true if exactly one folder above the document can be the root of the site that contains the target
    /// of a link.
    fn has_one_root(&mut self, written: &str) -> bool {
        self.check.tree().is_site
            && places_of(self.doc.folder(), written)
                .is_ok_and(|all| all.iter().filter(|path| self.is_target(path)).count() == 1)
    }

    fn ask_of_link(&mut self, mention: &Mention, text: &str) -> Option<Ask> {
        let (check, doc) = (self.check, self.doc);
        if let Some(fragment) = text.strip_prefix('#') {
            let own = || check.missing_heading(doc, doc.key.path.clone(), fragment);
            return doc.file.inside.then(own)?.map(|heading| heading_ask(mention, heading));
        }
        let own = check.own_path(text);
        // `~/` is an alias of a site's own root.
        if own.is_none() && doc.is_taken_over || text.starts_with("~/") {
            return None;
        }
        let written = text.split(['#', '?']).next().unwrap_or_default();
        let text = own.as_deref().unwrap_or(text);
        let target = target::of_link(text)?;
        let folder = doc.folder().to_owned();
        let from = if own.is_some() { "" } else { &*folder };
        let (paths, there) = held(places_of(from, &target.path).ok()?, |path| self.is_there(path));
        let is_of_markdown = is_markdown(&doc.key.path);
        let is_file = |path: &str| check.past.tracked().is_some_and(|it| it.kind(path).is_some());
        let pages = paths.iter().filter(|path| is_of_markdown && !is_file(path));
        let is_folder = target.path.ends_with('/');
        let pages = pages.flat_map(|path| site::pages_of(path, is_folder));
        let (mut pages, is_page) = held(pages.collect(), |path| self.is_there(path));
        let (paths, there) = if is_page { (pages.clone(), true) } else { (paths, there) };
        let original =
            paths.iter().filter(|_| !there).find_map(|path| check.original_of(doc, path));
        let (paths, there) = original.map_or((paths, there), |original| (vec![original], true));
        let is_relative = !target.path.starts_with('/');
        let path = paths.last().cloned().unwrap_or_default();
        // A site has a page for such an address. A folder of the same name is irrelevant.
        let is_site = !is_relative && own.is_none() && !is_readme(&doc.key.path);
        let is_address = is_site && !links::may_be_file(&path);
        if !there
            && (!check.past.is_there() && !is_sure_without_history(&target.path)
                || self.is_made(&path)
                || check.is_published_flat(doc, &target.path)
                || check.is_published_by_rdoc(&target.path)
                || !links::may_be_file(&path) && check.is_routed(doc, &path, &target.path)
                || check.is_beside_source(doc, &path)
                || pages.iter().any(|page| check.is_in_group(page))
                || check.is_of_skill(doc, &target.path)
                || check.is_published_copy(&path)
                || own.is_none() && self.is_below_site(&target.path)
                || target.path.starts_with('/')
                    && (check.is_served(&target.path)
                        || check.is_of_site(&target.path)
                        || self.is_alias(&target.path, &path)))
        {
            return None;
        }
        // Other markups link to pages without their extension, and never outside their site.
        let below = target.path.trim_start_matches("../");
        if !there && !is_of_markdown && is_relative && self.check.is_of_site(below) {
            return None;
        }
        let is_page = |end: &str| self.is_there(&format!("{}{end}", path.trim_end_matches(".rst")));
        if !there && !is_of_markdown && [".md", ".txt", ".ipynb"].into_iter().any(is_page) {
            return None;
        }
        if there
            && (is_relative || own.is_some() || self.has_one_root(&target.path))
            && let Some((_, fragment)) = text.split_once('#')
            && let Some(heading) = check.missing_heading(doc, path.clone(), fragment)
        {
            return Some(heading_ask(mention, heading));
        }
        let is_gone = !there && !check.is_routed(doc, &path, &target.path);
        pages.retain(|page| is_gone && !check.is_of_other_format(page) && !self.is_made(page));
        let paths = paths.into_iter().filter(|_| there || !is_address).chain(pages);
        let cites: Vec<_> = paths.filter_map(|path| target.citation(path)).collect();
        (!there || cites.iter().any(|citation| !citation.is_bare())).then(|| Ask {
            at: mention.at,
            cites,
            relative: is_relative.then(|| target.path.to_string()),
            link: (!there).then(|| written.to_owned()),
            ..Ask::default()
        })
    }

    /// Creates a question about an import, which is relative to the folder of its file. Many words begin with `@`, so
    /// only the history shows whether one was an import.
    fn ask_of_import(&mut self, mention: &Mention, text: &str) -> Option<Ask> {
        let (check, doc) = (self.check, self.doc);
        let is_own = doc.file.inside && !text.starts_with(['/', '~']);
        if !doc.file.loaded || !is_own || !check.past.is_there() {
            return None;
        }
        let path = paths::resolve(doc.folder(), text).ok()?;
        let is_gone = !path.is_empty() && !self.is_there(&path) && !self.is_made(&path);
        let cites = is_gone.then(|| vec![Citation::of_path(path)])?;
        Some(Ask { at: mention.at, cites, ..Ask::default() })
    }
}

/// Returns the paths to which a link in a document of this folder may lead, most likely first. A link that begins with
/// `/` may start at any folder above the document, which may be the root of a site.
pub(super) fn places_of(folder: &str, to: &str) -> Result<Vec<String>, Leaves> {
    let path = paths::resolve(folder, to)?;
    let ends = folder.rmatch_indices('/').map(|(at, _)| at);
    let above = [folder.len()].into_iter().chain(ends).map(|end| &folder[..end]);
    let above = above.filter(|above| to.starts_with('/') && !above.is_empty());
    let mut all: Vec<String> =
        above.take(MAX_ABOVE).map(|above| format!("{above}/{path}")).collect();
    all.push(path);
    Ok(all)
}

/// Returns the first of these paths that exists, and true. If none exists, returns all of them, and false.
pub(super) fn held(
    mut all: Vec<String>,
    mut is_there: impl FnMut(&str) -> bool,
) -> (Vec<String>, bool) {
    match all.iter().position(|path| is_there(path)) {
        Some(at) => (vec![all.swap_remove(at)], true),
        None => (all, false),
    }
}

impl Check<'_> {
    /// Returns the state of a path now. Git's own folder is never in a commit.
    pub(super) fn existing(&self, path: &str) -> Existing {
        let is_of_git = path == ".git" || path.starts_with(".git/");
        if path.is_empty()
            || is_of_git && self.past.is_there()
            || self.past.tracked().is_some_and(|tracked| tracked.holds(path))
        {
            return Existing::Tracked;
        }
        if exists(&self.place.folder, path) { Existing::OnDisk } else { Existing::No }
    }

    /// Returns true if a link in a document of this folder leads out of the project.
    fn leaves(&self, folder: &str, link: &str) -> bool {
        if link.starts_with('#') {
            return false;
        }
        let own = self.own_path(link);
        let from = if own.is_some() { "" } else { folder };
        target::of_link(own.as_deref().unwrap_or(link)).is_some_and(|target| {
            paths::resolve(from, &target.path).is_err() && !target::is_of_forge(&target.path)
        })
    }

    /// Reports the first lines of a document that name paths outside the project. Its relative paths start at `folder`.
    pub(super) fn note_leaving(
        &mut self,
        (path, folder): (&str, &str),
        draft: &Draft,
        names: &Names,
        text: &str,
    ) {
        let is_out = |mention: &&Mention| match names.get(mention.name) {
            (NameSort::Link, link) => self.leaves(folder, link),
            _ => false,
        };
        let mut offsets: Vec<usize> =
            draft.mentions.iter().filter(is_out).map(|mention| mention.at).collect();
        offsets.sort_unstable();
        let mut place = Lines::new(text);
        let mut lines: Vec<u32> = offsets.into_iter().map(|at| place.line(at)).collect();
        let cites = draft.fields.cite.iter().filter(|_| !draft.fields.evergreen);
        lines.extend(cites.filter(|it| citation_of(&it.0).is_none()).map(|(_, line)| *line));
        lines.sort_unstable();
        lines.dedup();
        let (first, rest) = lines.split_at(lines.len().min(MAX_LEAVING));
        for line in first {
            self.note(path, *line, "a path points outside the project and was not followed");
        }
        if let Some(line) = rest.first() {
            let text = format!("{} more lines have paths outside the project", rest.len());
            self.note(path, *line, text);
        }
    }
}

/// Adds blocks with only temporal words, which need only a date. Returns the number of blocks beyond the
/// limit.
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

/// Returns true if a target that is not on disk counts as missing even without a history: a relative path with an
/// extension, except that of a generated page.
fn is_sure_without_history(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    !path.starts_with('/') && target::has_extension(name) && !name.ends_with(".html")
}
