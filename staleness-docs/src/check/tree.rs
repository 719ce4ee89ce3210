//! Looks up tracked files by name: similar names, and substitutes for missing paths.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use staleness_core::knowledge::{Cited, Fact, WordKind};

use super::Check;
use super::doc::Doc;
use crate::draft::target;
use crate::nature::{is_checked, is_source};
use crate::paths;

/// Maximum number of names to compare in one search for the most similar name, and of byte pairs to compare per check.
const MAX_COMPARED: usize = 2_000;
const MAX_LIKENED: usize = 200_000_000;
/// The lowest similarity of a suggested name.
const NEAR: f64 = 0.85;
/// Maximum number of edits between a name and another name with one word fewer.
const SLIPS: usize = 3;

/// Files of site generators. A generated site may serve pages that the project does not contain.
#[rustfmt::skip]
const SITES: [&str; 16] = [
    "_config.yml", "antora.yml", "astro.config.mjs", "book.toml", "conf.py", "docs.json", "docusaurus.config.js",
    "docusaurus.config.mjs", "docusaurus.config.ts", "hugo.toml", "hugo.yaml", "mint.json", "mkdocs.yml", "mkdocs.yaml", "zensical.toml", "_sidebar.md",
];

/// Minimum number of pages with an original for a folder to count as a translation.
const TRANSLATED: usize = 3;
/// Maximum number of sites of a project.
const MAX_SITES: usize = 100;
/// Minimum number of documents at which a project counts as a collection of documents, also relative to its number of
/// source files.
const DOCUMENTS: usize = 20;
const FOR_EACH_SOURCE: usize = 10;
const FEW_SOURCES: usize = 20;

/// The tracked files.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// For each file name, the first folders that contain it.
    homes: HashMap<String, Vec<String>>,
    pub(super) folders: HashMap<String, Vec<String>>,
    /// The folders that contain the settings of a site.
    sites: Vec<String>,
    pub(super) is_site: bool,
    is_gem: bool,
    /// The paths of documents with folders in parentheses removed.
    grouped: HashSet<String>,
    /// Folders, each with true if it is a translation.
    translations: RefCell<HashMap<String, bool>>,
    /// Numbers of documents and of source files.
    documents: usize,
    sources: usize,
}

impl Check<'_> {
    pub(super) fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| {
            let mut tree = Tree::default();
            for (path, _) in self.past.tracked().into_iter().flat_map(|tracked| tracked.iter()) {
                let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
                let site = match folder.rsplit_once('/').unwrap_or(("", folder)) {
                    (above, ".vitepress") => Some(above),
                    _ => Some(folder).filter(|_| SITES.contains(&name)),
                };
                tree.is_site |= site.is_some();
                if let Some(site) = site.filter(|_| tree.sites.len() < MAX_SITES)
                    && !tree.sites.iter().any(|known| known == site)
                {
                    tree.sites.push(site.to_owned());
                }
                tree.is_gem |= name.ends_with(".gemspec");
                tree.documents += usize::from(is_checked(path));
                if path.contains(")/") && is_checked(path) {
                    tree.grouped.insert(ungrouped(path));
                }
                tree.sources += usize::from(is_source(path));
                let homes = tree.homes.entry(name.to_owned()).or_default();
                if homes.len() < MAX_COMPARED {
                    homes.push(folder.to_owned());
                }
                let all = tree.folders.entry(folder.to_owned()).or_default();
                if all.len() < MAX_COMPARED {
                    all.push(name.to_owned());
                }
            }
            tree
        })
    }

    /// Returns true if the project is a collection of documents. The flags, items and files without a folder in such
    /// documents belong to other programs or to the reader.
    pub(super) fn is_of_documents(&self) -> bool {
        let tree = self.tree();
        tree.documents >= DOCUMENTS
            && tree.documents > FOR_EACH_SOURCE * tree.sources
            && tree.sources < FEW_SOURCES
    }

    /// Returns true if a document may be a page of a site: it is below a site's settings, or in a typical folder.
    pub(super) fn may_be_page(&self, path: &str) -> bool {
        const USUAL: [&str; 6] = ["content", "doc", "docs", "guide", "pages", "website"];
        let tree = self.tree();
        let is_below = |site: &str| {
            site.is_empty() || path.strip_prefix(site).is_some_and(|rest| rest.starts_with('/'))
        };
        tree.is_site
            && (tree.sites.iter().any(|site| is_below(site))
                || path.split('/').any(|folder| USUAL.contains(&folder)))
    }

    /// Returns true if the target of a link that begins with `/` is in the root of a site, or in a folder `static` or
    /// `public`. Sites serve the files of these folders from their root.
    pub(super) fn is_of_site(&self, written: &str) -> bool {
        let path = written.trim_matches('/');
        let (below, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_served = |home: &String| {
            let root = home.strip_suffix(below).map_or("", |root| root.trim_end_matches('/'));
            root.split('/').next_back().is_some_and(|it| matches!(it, "static" | "public"))
        };
        if self.tree().homes(name).iter().any(is_served) {
            return true;
        }
        self.tree().sites.iter().any(|site| {
            let whole = if site.is_empty() { path.to_owned() } else { format!("{site}/{path}") };
            self.is_tracked(&whole)
        })
    }

    /// Returns true if the project has such a page below folders in parentheses. The address of a page omits these
    /// folders.
    pub(super) fn is_in_group(&self, page: &str) -> bool {
        self.tree().grouped.contains(&ungrouped(page))
    }

    /// Returns true if a link in a file of a skill starts at the folder of the skill, as it does for agents.
    pub(super) fn is_of_skill(&self, doc: &Doc, written: &str) -> bool {
        let folder = paths::folder_of(&doc.key.path);
        let ends = folder.rmatch_indices('/').map(|(at, _)| at);
        let mut above = [folder.len()].into_iter().chain(ends).map(|end| &folder[..end]);
        let skill = above.find(|it| self.is_tracked(&format!("{it}/SKILL.md")));
        let path = skill.and_then(|skill| paths::resolve(skill, written).ok());
        path.is_some_and(|path| self.is_tracked(&path))
    }

    fn is_tracked(&self, path: &str) -> bool {
        self.past.tracked().is_some_and(|tracked| tracked.holds(path))
    }

    /// Returns the only file with the same name as a removed one.
    pub(super) fn only_home(&self, fact: &Fact) -> Option<String> {
        let path = match fact {
            Fact::SourceMissing { citation, gone: Cited::Path, renamed_to: None, .. } => {
                &citation.path
            }
            Fact::ReferenceDrift { word, sort: WordKind::Path, renamed_to: None, .. } => word,
            _ => return None,
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        let [home] = self.tree().homes(name) else { return None };
        let is_one = target::has_extension(name) && !target::says_too_little(name);
        is_one.then(|| format!("{home}/{name}").trim_start_matches('/').to_owned())
    }

    /// Returns true if a site serves a page of this name, in any folder, because sites choose their own addresses.
    pub(super) fn is_served(&self, written: &str) -> bool {
        let name = written.trim_end_matches('/').rsplit('/').next().unwrap_or(written);
        let tree = self.tree();
        tree.is_site
            && !name.contains('.')
            && [".md", ".mdx", ".rst"]
                .iter()
                .any(|end| tree.homes.contains_key(&format!("{name}{end}")))
    }

    /// Returns true if a site serves a page or file of the project at a path other than that of its source.
    pub(super) fn is_routed(&self, doc: &Doc, path: &str, written: &str) -> bool {
        let is_page = |path: &str| {
            [".md", ".mdx", "/index.md", "/README.md"].iter().any(|end| {
                let page = format!("{}{end}", path.trim_end_matches('/'));
                self.past.tracked().is_some_and(|tracked| tracked.kind(&page).is_some())
            })
        };
        // Many sites serve `guide.md` as `guide/`.
        let served = doc.key.path.rsplit_once('.').map_or("", |(stem, _)| stem);
        let there = |path: &str| is_page(path) || self.is_tracked(path);
        // Books serve `README.md` as `index.md`.
        let front = path.strip_suffix("index.md").map(|folder| format!("{folder}README.md"));
        front.is_some_and(|front| self.tree().is_site && self.is_tracked(&front))
            || is_page(path)
            || paths::resolve(served, written).is_ok_and(|path| there(&path))
    }

    /// Returns the original of a page that is missing in a translation. Sites show the original instead, from the
    /// folder `en` beside the translation or from the folder above.
    pub(super) fn original_of(&self, doc: &Doc, path: &str) -> Option<String> {
        let tracked = self.past.tracked()?;
        let mut begin = 0;
        for folder in doc.key.path.split_inclusive('/') {
            let (above, below) = (&doc.key.path[..begin], begin + folder.len());
            begin = below;
            let code = folder.trim_end_matches('/').split(['-', '_']).next().unwrap_or_default();
            if code.len() != 2 || folder.len() > 8 || !folder.ends_with('/') {
                continue;
            }
            for other in ["en/", ""].into_iter().filter(|other| *other != folder) {
                let original = |path: &str| Some(format!("{above}{other}{}", path.get(below..)?));
                let has_original = |path: &str| original(path).is_some_and(|it| tracked.holds(&it));
                let folder = &doc.key.path[..below];
                let is_filled = || {
                    let mut known = self.tree().translations.borrow_mut();
                    *known.entry(format!("{folder}{other}")).or_insert_with(|| {
                        let pages = tracked.iter().map(|(path, _)| path);
                        let pages = pages.filter(|it| it.starts_with(folder) && has_original(it));
                        pages.take(TRANSLATED).count() == TRANSLATED
                    })
                };
                if path.starts_with(folder) && (has_original(&doc.key.path) || is_filled()) {
                    let original = original(path)?;
                    let mut pages =
                        ["", ".md", ".mdx"].iter().map(|end| format!("{original}{end}"));
                    return pages.find(|page| tracked.holds(page));
                }
            }
        }
        None
    }

    /// Returns true if a site includes a file from a folder next to that of its sources: in `source/a.md`,
    /// `images/a.png` means `assets/images/a.png`.
    pub(super) fn is_beside_source(&self, doc: &Doc, path: &str) -> bool {
        const SOURCES: [&str; 4] = ["content", "pages", "source", "src"];
        let is_beside = |(end, _): (usize, &str)| {
            let (above, folder) =
                doc.key.path[..end].rsplit_once('/').unwrap_or(("", &doc.key.path[..end]));
            let below = path.get(end + 1..).filter(|_| path[..end] == doc.key.path[..end]);
            let split = below.and_then(|below| below.rsplit_once('/'));
            split.filter(|_| SOURCES.contains(&folder)).is_some_and(|(inner, name)| {
                self.tree().homes(name).iter().any(|home| {
                    let beside = home.strip_suffix(inner).and_then(|it| it.strip_suffix('/'));
                    let beside = beside.and_then(|it| it.strip_prefix(above));
                    let beside = beside.map(|it| it.trim_start_matches('/'));
                    beside.is_some_and(|it| !it.is_empty() && !it.contains('/'))
                })
            })
        };
        doc.key.path.match_indices('/').any(is_beside)
    }

    /// Returns true if RDoc, which puts each file in `files/`, publishes the target of a link.
    pub(super) fn is_published_by_rdoc(&self, written: &str) -> bool {
        self.tree().is_gem
            && written
                .strip_prefix("files/")
                .is_some_and(|path| self.past.tracked().is_some_and(|tracked| tracked.holds(path)))
    }

    /// Returns true if ExDoc publishes the target of a link. ExDoc puts all pages into one folder, and other files into
    /// folders of different names.
    pub(super) fn is_published_flat(&self, doc: &Doc, written: &str) -> bool {
        let tracked = self.past.tracked();
        let is_elixir = |end: usize| {
            let folder = doc.key.path.get(..end).unwrap_or_default();
            tracked.is_some_and(|it| it.kind(&format!("{folder}mix.exs")).is_some())
        };
        let mut ends = doc.key.path.match_indices('/').map(|(at, _)| at + 1).chain([0]);
        if doc.key.path.starts_with('.') || !ends.any(is_elixir) {
            return false;
        }
        let is_page =
            |name: &str| [".md", ".livemd", ".cheatmd"].iter().any(|end| name.ends_with(end));
        match written.trim_start_matches(['.', '/']).rsplit_once('/') {
            // The project decides which folder becomes `assets`.
            Some(("assets", name)) => !self.tree().homes(name).is_empty(),
            Some((folder, name)) if !is_page(name) => {
                let ends = |home: &String| format!("/{home}").ends_with(&format!("/{folder}"));
                self.tree().homes(name).iter().any(ends)
            }
            split => !self.tree().homes(split.map_or(written, |(_, name)| name)).is_empty(),
        }
    }
}

impl Tree {
    /// Returns the folders with a file of this name.
    fn homes(&self, name: &str) -> &[String] {
        self.homes.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns true if the project may have a module of this name, as a folder or a file.
    pub(super) fn is_module(&self, name: &str) -> bool {
        let is_it = |path: &str| path.rsplit('/').next() == Some(name);
        self.folders.keys().any(|folder| is_it(folder))
            || self.homes.keys().any(|file| file.split('.').next() == Some(name))
    }

    /// Iterates over the names of source files, and of folders that contain some, without extensions: `shop` for
    /// `shop.c`, `bin/shop` and `shop/cli.py`.
    pub(super) fn code(&self) -> impl Iterator<Item = &str> {
        let files = self.homes.keys().filter(|file| !file.contains('.') || is_source(file));
        let has_source = |files: &Vec<String>| files.iter().any(|file| is_source(file));
        let folders = self.folders.iter().filter(move |(_, files)| has_source(files));
        files
            .filter_map(|file| file.split('.').next())
            .chain(folders.filter_map(|(folder, _)| folder.rsplit('/').next()))
    }

    /// Returns the only file of this name, or otherwise the file in the same folder with the most similar name.
    pub(super) fn near(&self, path: &str, likened: &Cell<usize>) -> Option<String> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (folder, name) = match self.homes(name) {
            [home] => (home.as_str(), name),
            _ => {
                let all = self.folders.get(folder)?.iter().map(String::as_str);
                (folder, nearest_of(name, all, likened)?)
            }
        };
        Some(if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") })
    }
}

/// Returns a path without its folders in parentheses.
fn ungrouped(path: &str) -> String {
    let is_group = |folder: &&str| folder.starts_with('(') && folder.ends_with(')');
    path.split('/').filter(|folder| !is_group(folder)).collect::<Vec<_>>().join("/")
}

/// Returns true if two names share a word, or one may be a misspelling of the other.
fn is_like(name: &str, other: &str) -> bool {
    let words = |name| str::split(name, |c: char| !c.is_alphanumeric()).filter(|it| it.len() > 1);
    words(name).any(|word| words(other).any(|it| it == word))
        || strsim::osa_distance(name, other) <= SLIPS
}

/// Returns the most similar name, if it is similar enough. Ties go to the first in alphabetical order.
pub(super) fn nearest_of<'n>(
    name: &str,
    all: impl Iterator<Item = &'n str>,
    likened: &Cell<usize>,
) -> Option<&'n str> {
    let mut best: Option<(f64, &str)> = None;
    for other in all.take(MAX_COMPARED) {
        likened.set(likened.get().saturating_add(name.len() * other.len()));
        if likened.get() > MAX_LIKENED {
            return None;
        }
        let like = strsim::jaro_winkler(name, other);
        let is_better = |(most, known): (f64, &str)| like > most || like == most && other < known;
        if like >= NEAR && best.is_none_or(is_better) && is_like(name, other) {
            best = Some((like, other));
        }
    }
    best.map(|(_, name)| name)
}
