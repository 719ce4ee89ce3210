//! Checks links to files and headings. Reports removed targets, no matter when the block was edited, and targets that
//! never existed.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use staleness_core::knowledge::{Citation, Cited, Evidence, Fact, WordKind};
use unicode_normalization::UnicodeNormalization;

use super::doc::Doc;
use super::open::{Anchored, CiteAsked, Open, Place, anchored_asks};
use super::questions::Existing;
use super::tree::nearest_of;
use super::{Check, commit_text, site};
use crate::Cancelled;
use crate::draft::place::near;
use crate::draft::plain::Plain;
use crate::draft::{self, headings, html, target, template, words};
use crate::front::Value;
use crate::git::{Anchor, Cite, Oid, PartFate, PartQuery, TrackedKind};
use crate::nature::{is_for_agents, is_markdown};
use crate::paths;

/// Maximum number of anchors to keep, for all documents.
const MAX_ANCHORS: usize = 500_000;
/// Maximum number of neighbouring pages to read when a page lacks a heading.
const MAX_BESIDE: usize = 50;

/// The anchors of a document on disk.
#[derive(Debug)]
pub(super) struct AnchorSet {
    /// Anchors as written in links, by normalised key.
    slugs: BTreeMap<String, String>,
    /// Anchors without hyphens and accents, because sites replace these differently.
    loose: HashSet<String>,
    is_template: bool,
}

impl AnchorSet {
    /// Returns true if a key is the combination of two headings' keys, as some sites form it for a section and its
    /// subsection.
    fn joins(&self, key: &str) -> bool {
        key.match_indices('-').any(|(at, _)| {
            self.slugs.contains_key(&key[..at]) && self.slugs.contains_key(&key[at + 1..])
        })
    }
}

/// The anchors of documents on disk, cached.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    files: RefCell<HashMap<String, Option<Rc<AnchorSet>>>>,
    held: Cell<usize>,
    /// Number of byte pairs compared so far to find similar names.
    pub(super) likened: Cell<usize>,
}

/// The keys of the headings to find in one document, and the questions for each.
type Headings<'a> = (Vec<String>, Vec<(Place, &'a Citation, Anchored)>);

impl Check<'_> {
    fn anchors_of(&self, path: &str) -> Option<Rc<AnchorSet>> {
        if let Some(known) = self.anchors.files.borrow().get(path) {
            return known.clone();
        }
        let known = || {
            let read = self.text(path, &self.place.folder.join(path), true).ok()?;
            let all = headings::anchors(&Plain::of(path, &read.text).text).into_iter();
            let slugs: BTreeMap<String, String> =
                all.rev().map(|anchor| (headings::key(&anchor.slug), anchor.slug)).collect();
            let held = self.anchors.held.get() + slugs.len();
            self.anchors.held.set(held);
            let front = draft::front_of(path, &read.text).ok().flatten();
            let title = front.as_ref().and_then(|front| front.get(&["title"])).and_then(|entry| {
                if let Value::Text(title) = &entry.value { Some(title.clone()) } else { None }
            });
            // A page about an API gets its headings from the description of the API.
            let is_generated = front.is_some_and(|front| front.get(&["openapi"]).is_some());
            let is_template = is_generated || template::is_template(&read.text);
            let titles = template::titles(&read.text).chain(title.as_deref());
            let titles = titles.map(|title| loose(&headings::key(title)));
            let loose = slugs.keys().map(|key| loose(key)).chain(titles).collect();
            (held <= MAX_ANCHORS).then(|| Rc::new(AnchorSet { slugs, loose, is_template }))
        };
        let known = known();
        self.anchors.files.borrow_mut().insert(path.to_owned(), known.clone());
        known
    }

    /// Returns true if the document on disk has the heading to which a citation refers.
    pub(super) fn has_heading(&self, citation: &Citation) -> bool {
        let key = headings::key(citation.symbol.as_deref().unwrap_or_default());
        self.anchors_of(&citation.path).is_some_and(|known| known.slugs.contains_key(&key))
    }

    /// Returns the heading of a link if the target document lacks it. For a translation, its original must lack it too,
    /// because a translation may link to the original's headings.
    pub(super) fn missing_heading(
        &self,
        doc: &Doc,
        path: String,
        fragment: &str,
    ) -> Option<Citation> {
        let symbol = Some(headings::of_fragment(fragment)?);
        let kind = self.past.tracked()?.kind(&path);
        let citation = Citation { symbol, ..Citation::of_path(path) };
        let is_known = is_markdown(&citation.path)
            && kind == Some(TrackedKind::File)
            && self.anchors_of(&citation.path).is_some();
        let is_missing = is_known && !self.has_heading(&citation);
        let original = self.original_of(doc, &citation.path).filter(|_| is_missing);
        let is_translated =
            original.is_some_and(|path| self.has_heading(&Citation { path, ..citation.clone() }));
        (is_missing && !is_translated).then_some(citation)
    }

    /// Looks up missing headings in the history of their documents.
    pub(super) fn headings(
        &mut self,
        held: &[Open<'_>],
        anchors: &[Vec<Option<Anchored>>],
    ) -> Result<Vec<(Place, Evidence)>, Cancelled> {
        let mut files: BTreeMap<&str, Headings<'_>> = BTreeMap::new();
        for (place, question, anchored) in anchored_asks(held, anchors) {
            let Some(citation) = &question.heading else { continue };
            let (keys, places) = files.entry(&citation.path).or_default();
            keys.push(headings::key(citation.symbol.as_deref().unwrap_or_default()));
            places.push((place, citation, anchored));
        }
        let readers: Vec<_> =
            files.keys().map(|path| |text: &[u8]| headings::parts(path, text)).collect();
        let queries: Vec<PartQuery<'_>> = files
            .iter()
            .zip(&readers)
            .map(|((path, (names, _)), read)| PartQuery { path, names, read })
            .collect();
        let fates = self.past.parts(&queries)?;
        let mut found = Vec::new();
        for ((keys, places), fates) in files.values().zip(fates) {
            let mut nearest: HashMap<&str, Option<String>> = HashMap::new();
            for ((key, (place, citation, anchored)), fate) in keys.iter().zip(places).zip(fates) {
                let (at, block, ask) = *place;
                let Some(known) = self.anchors_of(&citation.path) else { continue };
                let gone = Cited::Heading;
                let (path, citation) = (&citation.path, (*citation).clone());
                let is_loose = known.joins(key) || known.loose.contains(&loose(key));
                let fact = match fate {
                    // The heading may have moved to a file that this one includes.
                    PartFate::Gone { commit, renamed_to }
                        if anchored.is_before(Some(commit))
                            && (renamed_to.is_some() || !known.is_template && !is_loose) =>
                    {
                        let slug = renamed_to.and_then(|key| known.slugs.get(&key).cloned());
                        let commit = Some(commit_text(&commit));
                        Fact::SourceMissing { citation, gone, renamed_to: slug, commit }
                    }
                    PartFate::NeverThere
                        if anchored.is_before(None)
                            && !known.is_template
                            && !is_loose
                            && !is_badge(&held[at].text, held[at].asked[block].asks[ask].at)
                            && self.may_be_broken(held[at].doc) =>
                    {
                        Fact::BrokenLink { citation, gone, commit: None }
                    }
                    _ => continue,
                };
                let mut evidence = Evidence::from(fact);
                let is_gone = matches!(&evidence.fact, Fact::SourceMissing { .. });
                if !is_gone || evidence.fact.renamed_to().is_none() {
                    let near = nearest.entry(key).or_insert_with(|| {
                        let all = known.slugs.keys().map(String::as_str);
                        let near = nearest_of(key, all, &self.anchors.likened);
                        let near = near.and_then(|near| known.slugs.get(near));
                        let beside = || is_gone.then(|| self.beside(path, key)).flatten();
                        near.map(|slug| format!("#{slug}")).or_else(beside)
                    });
                    evidence.near.clone_from(near);
                }
                found.push((*place, evidence));
            }
        }
        Ok(found)
    }

    /// Returns the heading with this key if exactly one page has the heading. Searches the pages beside `path` and the
    /// pages in the folder of the same name.
    fn beside(&self, path: &str, key: &str) -> Option<String> {
        let (stem, _) = path.rsplit_once('.')?;
        let tree = self.tree();
        let folders = [paths::folder_of(stem), stem].into_iter();
        let pages = folders.flat_map(|folder| {
            let names = tree.folders.get(folder).into_iter().flatten();
            names.map(move |name| format!("{folder}/{name}").trim_start_matches('/').to_owned())
        });
        let pages = pages.filter(|page| is_markdown(page) && page != path);
        let mut with = pages.take(MAX_BESIDE).filter_map(|page| {
            let slug = self.anchors_of(&page)?.slugs.get(key)?.clone();
            Some(format!("{page}#{slug}"))
        });
        with.next().filter(|_| with.next().is_none())
    }

    /// Looks up link targets that did not exist at the last edit of their block, and writes the results into `cited`. A
    /// path in a code span may be an example, so it is returned as broken unless the block says that the path no longer
    /// exists.
    pub(super) fn whenever(
        &mut self,
        held: &[Open<'_>],
        anchors: &[Vec<Option<Anchored>>],
        cites: &[CiteAsked<'_>],
        cited: &mut [Cite],
    ) -> Result<Vec<(Place, Evidence)>, Cancelled> {
        let mut asked: Vec<(usize, String)> = Vec::new();
        for (number, ((at, block, ask, query), cite)) in cites.iter().zip(&*cited).enumerate() {
            let (open, question) = (&held[*at], &held[*at].asked[*block].asks[*ask]);
            let is_span = question.span
                && written_at(open, question.at).trim_end_matches('/').contains('/')
                && matches!(query.verified, Anchor::Commit(_))
                && self.may_be_broken(open.doc)
                && !open.speaks_of_the_past(open.asked[*block].block)
                && !open.says_otherwise(open.asked[*block].block, question.at);
            if (question.link.is_some() || is_span) && matches!(cite, Cite::NeverThere(Cited::Path))
            {
                asked.push((number, query.citation.path.clone()));
            }
        }
        let mut paths: Vec<&str> = asked.iter().map(|(_, path)| &**path).collect();
        paths.sort_unstable();
        paths.dedup();
        let answers = self.past.removals(&paths)?;
        let answers: HashMap<&str, Cite> = paths.into_iter().zip(answers).collect();
        let mut early = Vec::new();
        for (number, path) in &asked {
            let (at, block, ask, query) = cites[*number];
            let Some(anchored) = anchors[at][block] else { continue };
            let answer = answers.get(&**path).cloned().unwrap_or(Cite::Unknown);
            if held[at].asked[block].asks[ask].span {
                if let Cite::Missing { commit: Some(commit), renamed_to, .. } = answer
                    && let name = written_at(&held[at], held[at].asked[block].asks[ask].at)
                    && self.named_at(&held[at], name, commit.id)
                    && !renamed_to.as_ref().is_some_and(|new| held[at].names(block, new))
                {
                    let (citation, commit) = (query.citation.clone(), Some(commit_text(&commit)));
                    let fact = Fact::BrokenLink { citation, gone: Cited::Path, commit };
                    let evidence = Evidence { near: renamed_to, ..fact.into() };
                    early.push(((at, block, ask), evidence));
                }
                continue;
            }
            let mut answer = answer;
            let commit = if let Cite::Missing { commit, .. } = &answer { *commit } else { None };
            // If a file was renamed before the document named it, the document means a different file.
            if let Cite::Missing { commit: Some(by), renamed_to: new @ Some(_), .. } = &mut answer
                && let written = held[at].asked[block].asks[ask].link.as_deref()
                && !self.named_at(&held[at], written.unwrap_or(path), by.id)
            {
                *new = None;
            }
            cited[*number] = if anchored.is_before(commit) { answer } else { Cite::Unknown };
        }
        Ok(early)
    }

    /// Returns true if a document contained the name in a commit. A name that was added later is an example or refers
    /// to the past.
    fn named_at(&mut self, open: &Open<'_>, name: &str, commit: Oid) -> bool {
        let path = &open.doc.key.path;
        let old = self.past.look_up(|repo| repo.history.name_at(path, Anchor::Commit(commit)));
        let old = old.map_or_else(|| path.clone(), |(old, _)| old);
        let text = self.past.look_up(|repo| repo.history.text_at(commit, &old));
        text.is_some_and(|text| text.contains(name))
    }

    /// Returns the finding for a link with a target that never existed.
    pub(super) fn broken(
        &mut self,
        open: &Open<'_>,
        citation: &Citation,
        written: &str,
    ) -> Option<Evidence> {
        // Agents read instructions in the project's root.
        let doc = &open.doc;
        let is_from_root = (doc.file.loaded || is_for_agents(&doc.key.path))
            && !written.starts_with('.')
            && self.existing(written) != Existing::No;
        if is_from_root
            || !self.may_be_broken(open.doc)
            || !self.is_sure(open.doc, &citation.path, written)
            || !is_markdown(written) && site::has_address(&open.doc.key.path, &open.text)
        {
            return None;
        }
        let (citation, gone) = (citation.clone(), Cited::Path);
        let near = self.tree().near(&citation.path, &self.anchors.likened);
        let fact = Fact::BrokenLink { citation, gone, commit: None };
        Some(Evidence { near, ..fact.into() })
    }

    /// Returns true if a target that never existed must be in the project itself.
    fn is_sure(&self, doc: &Doc, path: &str, written: &str) -> bool {
        let (tracked, path) = (self.past.tracked(), path.trim_end_matches('/'));
        let kind = |path: &str| tracked.and_then(|tracked| tracked.kind(path));
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_in_place = !written.starts_with("..") || self.tree().folders.contains_key(parent);
        // Symbolic links and submodules may contain anything.
        words::is_telling(WordKind::Path, written)
            && folders.into_iter().all(|folder| kind(folder).is_none())
            && !target::is_of_forge(written)
            && !self.is_routed(doc, path, written)
            && (is_in_place || !self.may_be_page(&doc.key.path))
            && (is_file(name)
                || self.is_further_up(doc, written)
                || is_usual_name(name)
                    && is_in_place
                    && !self.tree().is_site
                    && !doc.key.path.ends_with(".mdx"))
    }

    /// Returns true if a link to a folder of the project lacks one `..`.
    fn is_further_up(&self, doc: &Doc, written: &str) -> bool {
        let up = paths::resolve(doc.folder(), &format!("../{written}"));
        written.starts_with("../") && up.is_ok_and(|path| self.tree().folders.contains_key(&path))
    }

    /// Returns true if links in a document must resolve from its own folder: it is Markdown, not a template, and not
    /// included elsewhere. Links in other markups are resolved by programs that search more paths.
    fn may_be_broken(&self, doc: &Doc) -> bool {
        let path = doc.key.path.to_ascii_lowercase();
        doc.file.inside
            && is_markdown(&path)
            && !path.contains("template")
            && !is_translation(&path)
            && !self.included.contains(&doc.key.path)
    }
}

/// Returns true if a target is in an HTML attribute, and its link has no text. Badges and tables of contributors link
/// to anchors that never existed.
fn is_badge(text: &str, at: usize) -> bool {
    let (before, _) = text.split_at_checked(at).unwrap_or_default();
    let link = near(text, before.len()).split_once('>').map_or("", |(_, rest)| rest);
    let link = link.get(..link.find("</a").unwrap_or(link.len())).unwrap_or_default();
    let is_text =
        |piece| matches!(piece, html::Piece::Text(text) if text.contains(char::is_alphabetic));
    before.ends_with(['"', '\'']) && !html::pieces(link).any(|(_, piece)| is_text(piece))
}

fn written_at<'o>(open: &'o Open<'_>, at: usize) -> &'o str {
    let rest = open.text.get(at..).unwrap_or_default();
    rest.split(['`', ' ', '\n']).next().unwrap_or_default()
}

/// Returns true for the name of a file without an extension, such as `CONTRIBUTING` or `Makefile`. `URL` is a
/// placeholder, and `Router` is an item in documentation of code.
fn is_usual_name(name: &str) -> bool {
    let is_capital = !name.contains(char::is_lowercase) && name.len() > 4;
    name.starts_with(char::is_uppercase)
        && !name.contains('.')
        && (is_capital || name.ends_with("file"))
}

/// Returns true if the last part of a path looks like the name of a file.
pub(super) fn may_be_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    target::has_extension(name) || is_usual_name(name)
}

/// Returns the key of a heading without hyphens and without Latin, Greek and Cyrillic accents, which sites treat
/// differently.
fn loose(key: &str) -> String {
    key.nfkd().filter(|c| *c != '-' && !('\u{300}'..='\u{36f}').contains(c)).collect()
}

/// Returns true if a path is in the folder of one language. Sites fill missing pages of such a folder from the
/// original.
fn is_translation(path: &str) -> bool {
    let folders: Vec<&str> = path.split('/').collect();
    folders.windows(3).any(|parts| {
        let code = parts[1].split(['-', '_']).next().unwrap_or_default();
        matches!(parts[0], "i18n" | "l10n" | "locale" | "locales" | "translations")
            && matches!(code.len(), 2 | 3)
    })
}

/// Returns true if sites never generate a file with this name.
fn is_file(name: &str) -> bool {
    let other = |end: &str| ["mp4", "pdf", "webp"].contains(&end);
    let end = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, end)| end);
    !name.ends_with(".html") && (target::has_extension(name) || end.is_some_and(other))
}
