//! Checks the documents of a project.
//!
//! Documents are read one after another, and only their names are kept. The checked-out commit lacks only a few of
//! these names. Only documents with missing names are read again, in batches of [`CheckOptions::held_bytes`], and only
//! blocks with missing names are dated and looked up in the history.

mod answers;
mod blind;
mod block;
mod bounds;
mod commands;
mod doc;
mod evidence;
mod flags;
mod foreign;
mod impact;
mod links;
mod lives;
mod made;
mod manifests;
mod moved;
mod open;
mod own;
mod past;
mod questions;
mod site;
mod superseded;
mod tree;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;

use staleness_core::ids::{ItemId, stable_hash};
use staleness_core::knowledge::{Block, Document, Gap};

use crate::disk::Fence;
use crate::draft::MAX_PLACES;
use crate::draft::names::Names;
use crate::files::file::{self, DocFile};
use crate::files::find;
use crate::git::{LazyRepo, Since};
use crate::nature::Patterns;
use crate::project::ProjectPlace;
use crate::{Cancelled, CheckOptions, Note, Progress, Report, Skipped};

pub(crate) use answers::{fact_of_citation, fact_of_word};
pub(crate) use commands::{fact_of_call, things_of};
use doc::{Doc, Reading, Undated};
use open::Open;
pub(crate) use past::Past;
pub(crate) use past::commit_text;
use past::{forget, new_since};
pub(crate) use questions::word_of;
use superseded::Standing;

/// Minimum number of new documents for reading the history ahead of time. A check of so many documents nearly always
/// needs the history.
const MANY: usize = 16;

/// The state shared by all parts of a check.
struct Check<'a> {
    place: &'a ProjectPlace,
    options: &'a CheckOptions<'a>,
    fence: Fence,
    past: Past<'a>,
    names: Names,
    /// Number of names, temporal words and blocks that may still be stored.
    room: usize,
    report: Report,
    /// Documents with results that are not stored, or that can change while text and commit stay the same. These are
    /// checked each time.
    told: BTreeSet<String>,
    /// Documents with notes, which are not stored. These are read each time.
    noted: BTreeSet<String>,
    /// Documents with findings that are not listed.
    partial: BTreeSet<String>,
    /// Amount of evidence listed so far, in all documents.
    listed: usize,
    /// Total size of the texts of all items, in bytes.
    item_bytes: usize,
    /// Cached line counts of files.
    counted: HashMap<String, Option<u32>>,
    made: made::Made,
    /// Digest of the patterns of files that git ignores.
    ignored: u128,
    anchors: links::Anchors,
    tree: OnceCell<tree::Tree>,
    own: OnceCell<own::Own>,
    /// Plain names of the project's programs, and of files and folders with code: see [`flags`].
    callers: Option<HashSet<String>>,
    /// Addresses that pages set for themselves: see [`site`].
    addresses: OnceCell<HashSet<String>>,
    /// Items in files with a history.
    undated: Vec<Undated>,
    /// The times at which the files of items were added and last edited.
    lives: Lives,
    /// Claims of documents to supersede others.
    standing: Standing,
    /// Documents that others include. Their links may be relative to another folder.
    included: HashSet<String>,
    /// The document whose text is given, and that text.
    unsaved: Option<(String, &'a str)>,
}

/// The dates of each item's file, as blocks without evidence, by path.
type Lives = BTreeMap<String, Vec<Block>>;

/// Checks the documents of a project.
///
/// Findings are never errors, and a file that cannot be used is in [`Report::skipped`]. The evidence about the blocks
/// of a document comes from the checked-out commit and its history. Without git, a check only finds links to missing
/// files, and citations of lines after the end of a file.
///
/// # Errors
/// If `progress` breaks.
pub fn check(
    place: &ProjectPlace,
    repo: &mut LazyRepo,
    options: &CheckOptions<'_>,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Report, Cancelled> {
    let mut report = Report::default();
    let version = options.current_version.map(str::to_owned);
    report.version = version.or_else(|| project_version(place, repo));
    let past = Past::of(&place.folder, repo, progress)?;
    past.store();
    report.head = past.head();
    let patterns = Patterns::new(&options.policy, &mut report.notes);
    let fence = place.fence();
    let mut found = find(place, options, past.tracked(), &patterns, &fence);
    // These documents depend on what the others import, include and supersede.
    let mut others = BTreeMap::new();
    if !options.paths.is_empty() && past.is_there() {
        let whole = CheckOptions { paths: &[], ..options.clone() };
        others = find(place, &whole, past.tracked(), &patterns, &fence).files;
        for (key, file) in &mut found.files {
            if let Some(known) = others.remove(key) {
                *file = known;
            }
        }
    }
    report.skipped = found.skipped;
    report.notes.extend(found.notes);
    let ignored = made::digest(&place.folder, &fence, past.tracked());
    let mut check = Check {
        place,
        options,
        fence,
        past,
        names: Names::default(),
        room: MAX_PLACES,
        report,
        told: BTreeSet::new(),
        noted: BTreeSet::new(),
        partial: BTreeSet::new(),
        listed: 0,
        item_bytes: 0,
        counted: HashMap::new(),
        made: made::Made::default(),
        ignored,
        anchors: links::Anchors::default(),
        tree: OnceCell::new(),
        own: OnceCell::new(),
        callers: None,
        addresses: OnceCell::new(),
        undated: Vec::new(),
        lives: Lives::new(),
        standing: Standing::default(),
        included: HashSet::new(),
        unsaved: options.unsaved.and_then(|text| {
            Some((found.files.keys().next().filter(|_| found.files.len() == 1)?.clone(), text))
        }),
    };
    if found.files.len() >= options.known.len() + MANY {
        check.past.foresee();
    }
    let (docs, taken) = check.read(found.files)?;
    check.read_others(others)?;
    check.date_items()?;
    let since = options.since.map(|name| check.past.since(name)).transpose()?.flatten();
    if let Some(since) = since.as_ref().filter(|_| options.impact) {
        check.report.impact = Some(check.impact(&docs, since)?);
    }
    let documents = check.look(docs)?;
    check.finish(documents, taken, since.as_ref())
}

/// Returns the version of a project: the declared one, or else the latest tagged one.
pub fn project_version(place: &ProjectPlace, repo: &mut LazyRepo) -> Option<String> {
    let declared = crate::version::declared_version(&place.folder);
    declared.or_else(|| repo.get().ok()?.latest_version_tag().ok().flatten())
}

impl Check<'_> {
    /// Reads all documents. Returns the documents to check, and the reused results.
    fn read(
        &mut self,
        files: BTreeMap<String, DocFile>,
    ) -> Result<(Vec<Doc>, Vec<Document>), Cancelled> {
        // The names in reused documents are not stored, but a diff may affect them.
        let known = if self.options.impact { &[] } else { self.options.known };
        let known: HashMap<&str, &Document> =
            known.iter().map(|document| (&*document.key.path, document)).collect();
        let of = files.len();
        let (mut docs, mut taken) = (Vec::new(), Vec::new());
        // Read the smallest first, so that only the largest documents exceed a limit.
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort_by_cached_key(|(_, file)| file.path.metadata().map_or(0, |meta| meta.len()));
        for (done, (key, file)) in files.into_iter().enumerate() {
            self.past.tell(Progress::Reading { done, of })?;
            match doc::read(self, key.clone(), file, known.get(&*key).copied()) {
                Ok(Reading::Fresh(doc)) => docs.push(*doc),
                Ok(Reading::Known(document)) => taken.push(*document),
                Err(reason) => self.report.skipped.push(Skipped { path: key, reason }),
            }
        }
        self.report.counts.reused = taken.len();
        self.report.history.sort_unstable();
        self.report.counts.history = self.report.history.len();
        Ok((docs, taken))
    }

    /// Reads the claims of unchecked documents about checked ones.
    fn read_others(&mut self, files: BTreeMap<String, DocFile>) -> Result<(), Cancelled> {
        let of = files.len();
        for (done, (key, file)) in files.into_iter().enumerate() {
            self.past.tell(Progress::Reading { done, of })?;
            doc::read_claims(self, &key, &file);
        }
        Ok(())
    }

    /// Finds the questions about all documents, and turns the answers into evidence.
    fn look(&mut self, docs: Vec<Doc>) -> Result<Vec<Document>, Cancelled> {
        let missing = self.missing(&docs)?;
        let mut documents = Vec::with_capacity(docs.len());
        let mut held: Vec<Open<'_>> = Vec::new();
        let mut size = 0;
        let may_hold = if self.past.is_there() { self.options.held_bytes } else { 0 };
        for (done, doc) in docs.iter().enumerate() {
            self.past.tell(Progress::Tracing { done, of: docs.len() })?;
            let questions = questions::questions(self, doc, &missing);
            if questions.rest_on_disk {
                self.told.insert(doc.key.path.clone());
            }
            if questions.asked.is_empty() && doc.draft.marks.is_empty() {
                documents.push(self.document(doc, None));
                continue;
            }
            let read = self.text(&doc.key.path, &doc.file.path, doc.file.inside);
            let is_same = |it: &file::Text| stable_hash(it.text.as_bytes()) == doc.text;
            let read = match read {
                Ok(read) if is_same(&read) => read,
                other => {
                    let why =
                        other.err().unwrap_or_else(|| "changed while it was checked".to_owned());
                    self.skip(&doc.key.path, why);
                    documents.push(self.document(doc, None));
                    continue;
                }
            };
            let open = Open::new(doc, read.text, questions);
            size += open.size();
            held.push(open);
            if size > may_hold {
                documents.extend(self.documents(std::mem::take(&mut held))?);
                size = 0;
            }
        }
        documents.extend(self.documents(std::mem::take(&mut held))?);
        Ok(documents)
    }

    /// Answers the questions about the loaded documents, and turns the answers into evidence.
    fn documents(&mut self, held: Vec<Open<'_>>) -> Result<Vec<Document>, Cancelled> {
        let answers = self.answers(&held)?;
        let told = held.iter().zip(&answers);
        Ok(told.map(|(open, answers)| self.document(open.doc, Some((open, answers)))).collect())
    }

    /// Returns the text of a document: the unsaved text if there is one, or otherwise the text on disk.
    fn text(&self, key: &str, path: &Path, inside: bool) -> Result<file::Text, String> {
        let fence = inside.then_some(&self.fence);
        let read = file::read(path, self.options.policy.max_file_bytes, fence)?;
        Ok(match &self.unsaved {
            Some((own, text)) if own == key => file::Text { text: (*text).to_owned(), ..read },
            _ => read,
        })
    }

    fn note(&mut self, path: &str, line: u32, text: impl Into<String>) {
        let note = Note { path: Some(path.to_owned()), line: Some(line), text: text.into() };
        self.report.notes.push(note);
        self.noted.insert(path.to_owned());
    }

    /// Reports that a part of a document was not checked.
    fn skip(&mut self, path: &str, reason: String) {
        self.report.skipped.push(Skipped { path: path.to_owned(), reason });
        self.told.insert(path.to_owned());
    }

    /// If several items have the same id, only the first keeps it.
    fn keep_ids_apart(&mut self) {
        let items = &mut self.report.items;
        items.sort_by(|a, b| (&a.path, &a.key).cmp(&(&b.path, &b.key)));
        let mut owners: BTreeMap<ItemId, String> = BTreeMap::new();
        for item in items {
            let path = item.path.clone().unwrap_or_default();
            if let Some(owner) = owners.get(&item.key.id) {
                let text =
                    format!("has the same id as an item in {owner}, so its path serves as its id");
                self.report.notes.push(Note { path: Some(path.clone()), line: None, text });
                item.key.id = ItemId::new(&path)
                    .ok()
                    .filter(|id| !owners.contains_key(id))
                    .unwrap_or_else(|| doc::short_id(&path));
            }
            owners.insert(item.key.id.clone(), path);
        }
    }

    fn finish(
        mut self,
        mut documents: Vec<Document>,
        mut taken: Vec<Document>,
        since: Option<&Since>,
    ) -> Result<Report, Cancelled> {
        // Uncertain results must not be reused.
        let doubtful = self.past.is_doubtful();
        for document in &mut documents {
            if doubtful || self.told.contains(&document.key.path) {
                document.make_void();
            } else {
                let is_noted = self.noted.contains(&document.key.path);
                document.digest = self.past.seal(document.digest, is_noted);
            }
            if self.partial.contains(&document.key.path) {
                document.make_partial();
            }
        }
        self.keep_ids_apart();
        documents.append(&mut taken);
        self.add_superseded(&mut documents);
        documents.sort_by(|a, b| a.key.cmp(&b.key));
        self.report.new_since = since.map(|since| new_since(since, &documents));
        lives::keep(std::mem::take(&mut self.lives), &mut documents);
        let report = &mut self.report;
        if let (Some(committed), Some(head)) = (self.past.committed(), self.past.head()) {
            forget(&head, &mut documents);
            forget(&head, report.new_since.as_deref_mut().unwrap_or_default());
            report.head = Some(committed);
        }
        report.blind = self.past.blind();
        let mut gaps: Vec<Gap> = report.blind.iter().map(|gap| gap.kind).collect();
        gaps.dedup();
        for document in documents.iter_mut().chain(report.new_since.iter_mut().flatten()) {
            document.gaps.clone_from(&gaps);
        }
        self.past.tell_unread(&mut report.skipped);
        report.notes.append(&mut self.past.notes);
        let text = match report.counts.history {
            0 => None,
            1 => Some("1 document describes the past and was not checked for removed names".into()),
            count => Some(format!(
                "{count} documents describe the past and were not checked for removed names"
            )),
        };
        report.notes.extend(text.map(|text| Note { path: None, line: None, text }));
        report.counts.documents = documents.len();
        report.counts.blocks = documents.iter().map(|document| document.blocks as usize).sum();
        report.skipped.sort();
        report.skipped.dedup();
        report.notes.sort();
        report.notes.dedup();
        report.documents = documents;
        Ok(self.report)
    }
}
