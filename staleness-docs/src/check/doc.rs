//! One document of a check: read from disk, or reused from the last check.

use staleness_core::ids::{DocumentKey, ItemId, ItemKey, Scope, stable_hash};
use staleness_core::knowledge::{Block, Cited, Document, Evidence, Fact, Item, ItemKind, Version};
use staleness_core::time::Timestamp;
use staleness_core::verdict::SignalKind;

use super::Check;
use crate::checkout::is_there;
use crate::draft::headings::{self, Anchor};
use crate::draft::names::Names;
use crate::draft::place::Lines;
use crate::draft::plain::Plain;
use crate::draft::target::citation_of;
use crate::draft::{self, Draft, template};
use crate::files::file::{self, DocFile};
use crate::front::{self, Field, Fields};
use crate::git::text_digest;
use crate::nature::{History, is_list, is_record};
use crate::paths;

/// Version of the rules. A change of the version invalidates all earlier results.
const RULES: u8 = 38;

#[derive(Debug)]
pub(super) struct Doc {
    pub(super) key: DocumentKey,
    pub(super) file: DocFile,
    pub(super) kind: ItemKind,
    pub(super) digest: u128,
    /// Hash of the text alone. Identifies the text in later checks.
    pub(super) text: u128,
    pub(super) written: Timestamp,
    pub(super) draft: Draft,
    /// True if the document was copied from another repository. Its links refer to that repository.
    pub(super) is_taken_over: bool,
}

impl Doc {
    /// Returns the folder to which the document's relative paths refer: its own folder, or the project's root for a
    /// file of the user.
    pub(super) fn folder(&self) -> &str {
        folder(&self.file, &self.key.path)
    }

    /// Returns true if directives suppress this kind of evidence in a block.
    pub(super) fn leaves_aside(&self, block: Option<usize>, kind: SignalKind) -> bool {
        let inner = block.and_then(|at| self.draft.ignored_in.get(&at));
        self.draft.ignored.contains(&kind) || inner.is_some_and(|in_it| in_it.contains(&kind))
    }
}

fn folder<'a>(file: &DocFile, path: &'a str) -> &'a str {
    if file.inside { paths::folder_of(path) } else { "" }
}

pub(super) enum Reading {
    /// The document must be checked.
    Fresh(Box<Doc>),
    /// The result of the last check still applies.
    Known(Box<Document>),
}

pub(super) fn read(
    check: &mut Check<'_>,
    key: String,
    mut file: DocFile,
    known: Option<&Document>,
) -> Result<Reading, String> {
    let read = check.text(&key, &file.path, file.inside)?;
    if file.history == History::ByName
        && (is_item(&key, &read.text, &file)? || is_guide(&key, &read.text))
    {
        file.history = History::No;
    } else if file.history == History::No
        && !file.loaded
        && is_record(&key, &read.text)
        && !is_item(&key, &read.text, &file)?
    {
        file.history = History::ByName;
    }
    if file.history.is_so() {
        check.report.history.push(key.clone());
    }
    note_included(check, &key, &read.text);
    let text = stable_hash(read.text.as_bytes());
    let digest = digest(check, &file, text, read.written);
    let key = DocumentKey { project: check.place.id(), path: key };
    if !file.inside {
        check.standing.outside.insert(key.path.clone());
    }
    if let Some(known) = known
        && known.head == check.report.head
        && !came_back(check, known)
        && !came_due(check, known)
        && let Some(is_noted) = check.past.still_holds(known.digest, digest)
    {
        if is_noted {
            let room = std::mem::replace(&mut check.room, draft::MAX_PLACES);
            draft(check, &key.path, &file, &read.text, &mut Names::default())?;
            check.room = room;
        }
        return Ok(Reading::Known(Box::new(take_over(check, known, &file, &read)?)));
    }
    let mut names = std::mem::take(&mut check.names);
    let draft = draft(check, &key.path, &file, &read.text, &mut names);
    check.names = names;
    let mut draft = draft?;
    let kind = kind_of(&draft.fields, &file);
    let written = read.written;
    if kind != ItemKind::Document {
        let body = body_of(&read.text, draft.body);
        let kept = known.filter(|_| !check.past.is_there());
        take_item(check, &key, kind, &draft.fields, body, (&file, &read), kept)?;
    } else if !file.history.is_so() {
        check.standing.take(&key.path, &mut draft.fields);
    }
    // An evergreen document can only expire, so its citations are not checked.
    if draft.fields.evergreen {
        draft.fields.cite.clear();
    }
    let is_taken_over = check.is_taken_over(&read.text);
    Ok(Reading::Fresh(Box::new(Doc {
        key,
        file,
        kind,
        digest,
        text,
        written,
        draft,
        is_taken_over,
    })))
}

/// Reads the names in a document, and adds notes on ignored content.
fn draft(
    check: &mut Check<'_>,
    path: &str,
    file: &DocFile,
    text: &str,
    names: &mut Names,
) -> Result<Draft, String> {
    let mut aside = Names::default();
    let names = if file.history.is_so() { &mut aside } else { names };
    let mut draft = draft::read(path, text, names, &mut check.room)?;
    // A history document may name removed things, but the files that its front matter cites must exist.
    if file.history.is_so() {
        draft.blocks.clear();
        draft.mentions.clear();
        draft.marks.clear();
        draft.left_out = 0;
    }
    if draft.left_out > 0 {
        check.skip(path, format!("mentions too many names: {} were not checked", draft.left_out));
    }
    let mut lines = Lines::new(text);
    for (at, what) in std::mem::take(&mut draft.faults) {
        check.note(path, lines.line(at), what);
    }
    for (at, day) in std::mem::take(&mut draft.days) {
        if day > check.options.now {
            check.note(path, lines.line(at), "a directive has a date in the future");
            // The result changes when the date passes, even if nothing else changes.
            check.told.insert(path.to_owned());
        }
    }
    for (line, what) in std::mem::take(&mut draft.fields.faults) {
        check.note(path, line, what);
    }
    if draft.left_aside > 0 {
        check.report.counts.ignored += draft.left_aside;
        check.noted.insert(path.to_owned());
    }
    check.note_leaving((path, folder(file, path)), &draft, names, text);
    Ok(draft)
}

/// Records the id of a document that is not checked, and the documents that it includes or supersedes.
pub(super) fn read_claims(check: &mut Check<'_>, key: &str, file: &DocFile) {
    let Ok(read) = check.text(key, &file.path, file.inside) else { return };
    note_included(check, key, &read.text);
    if !file.inside {
        check.standing.outside.insert(key.to_owned());
    }
    let front = draft::front_of(key, &read.text).ok().flatten();
    if let Some(mut fields) = front.map(|front| front::fields(&front))
        && (!file.history.is_so() || kind_of(&fields, file) != ItemKind::Document)
    {
        check.standing.take(key, &mut fields);
    }
}

fn note_included(check: &mut Check<'_>, key: &str, text: &str) {
    for path in template::included(text) {
        check.included.extend(paths::either(paths::folder_of(key), path));
    }
}

fn kind_of(fields: &Fields, file: &DocFile) -> ItemKind {
    fields.kind.or(file.kind).unwrap_or(ItemKind::Document)
}

/// Returns true if a file is an item of knowledge. An item is never history because of its file name.
fn is_item(path: &str, text: &str, file: &DocFile) -> Result<bool, &'static str> {
    let fields =
        draft::front_of(path, text)?.map_or_else(Fields::default, |front| front::fields(&front));
    Ok(kind_of(&fields, file) != ItemKind::Document)
}

/// Returns true if a document has the name of a list of versions, but several headings without version numbers.
fn is_guide(path: &str, text: &str) -> bool {
    is_list(path) && {
        let titles = headings::anchors(&Plain::of(path, text).text);
        let has_number = |title: &Anchor| title.slug.contains(|c: char| c.is_ascii_digit());
        titles.len() > 1 && !titles.iter().any(has_number)
    }
}

fn body_of(text: &str, body: usize) -> &str {
    text.get(body..).unwrap_or_default().trim()
}

/// Returns a digest of everything that affects the findings, except the commit and the time.
fn digest(check: &Check<'_>, file: &DocFile, text: u128, written: Timestamp) -> u128 {
    let mut bytes = vec![RULES, u8::from(file.history.is_so()), u8::from(file.tracked)];
    bytes.push(u8::from(file.loaded));
    bytes.push(file.kind.map_or(0, |kind| 1 + kind as u8));
    bytes.push(u8::from(check.past.is_there()));
    // The commit at which a truncated history begins.
    bytes.extend(check.past.boundary.to_le_bytes());
    bytes.extend(check.ignored.to_le_bytes());
    // Untracked files are dated by their modification time.
    if !file.tracked {
        bytes.extend(written.as_millis().to_le_bytes());
    }
    Document::digest_of(text, stable_hash(&bytes))
}

/// Returns true if a missing name now exists on disk without being committed.
fn came_back(check: &Check<'_>, known: &Document) -> bool {
    known.found.iter().flat_map(|block| &block.evidence).any(|evidence| match &evidence.fact {
        Fact::SourceMissing { citation, gone: Cited::Heading, .. }
        | Fact::BrokenLink { citation, gone: Cited::Heading, .. } => check.has_heading(citation),
        fact => is_there(&check.place.folder, &known.key.path, fact) == Some(true),
    })
}

/// Returns true if a date that was in the future has passed. The document must be checked again, because the date may
/// now clear findings.
fn came_due(check: &Check<'_>, known: &Document) -> bool {
    known.found.iter().flat_map(|block| &block.evidence).any(|evidence| match evidence.fact {
        Fact::FutureDate { at } => at <= check.options.now,
        _ => false,
    })
}

/// Reuses the result of an earlier check, and recomputes the parts that do not depend on the text.
fn take_over(
    check: &mut Check<'_>,
    known: &Document,
    file: &DocFile,
    read: &file::Text,
) -> Result<Document, String> {
    let front = draft::front_of(&known.key.path, &read.text)?;
    let mut document = known.clone();
    document.checked_at = check.options.now;
    for block in &mut document.found {
        block.evidence.retain(|evidence| !is_found_anew(&evidence.fact));
    }
    let (mut fields, body) =
        front.map_or_else(Default::default, |front| (front::fields(&front), front.body));
    let kind = kind_of(&fields, file);
    let is_item = kind != ItemKind::Document;
    let blocks = &mut document.blocks;
    document.found.retain(|block| {
        let stays = !block.evidence.is_empty();
        // The front matter counts as a block only while it has evidence.
        *blocks = blocks.saturating_sub(u32::from(!stays && block.digest == 0 && !is_item));
        stays
    });
    if is_item {
        let body = body_of(&read.text, body);
        take_item(check, &document.key, kind, &fields, body, (file, read), Some(known))?;
    } else {
        add_front(check, &fields, &mut document);
        if !file.history.is_so() {
            check.standing.take(&document.key.path, &mut fields);
        }
    }
    Ok(document)
}

/// Returns true if a fact depends on the time, on the project's version or on other files.
const fn is_found_anew(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::Expired { .. }
            | Fact::FutureDate { .. }
            | Fact::VersionDrift { .. }
            | Fact::Superseded { .. }
    )
}

/// Adds the evidence in the front matter of a document as a separate block.
pub(super) fn add_front(check: &Check<'_>, fields: &Fields, document: &mut Document) {
    let now = check.options.now;
    let mut found = Vec::new();
    let mut add = |field: Field, fact: Fact| {
        let line = fields.line(field).unwrap_or(1);
        found.push(Evidence { fact, line: Some(line), column: Some(1), near: None });
    };
    if let Some(at) = fields.expires.filter(|at| now >= *at) {
        add(Field::Expires, Fact::Expired { at });
    }
    for (field, at) in [(Field::Verified, fields.verified), (Field::Added, fields.added)] {
        if let Some(at) = at.filter(|at| *at > now) {
            add(field, Fact::FutureDate { at });
        }
    }
    if let (Some(written_for), Some(project_at)) = (&fields.version_context, &check.report.version)
        && !fields.evergreen
        && let (Some(old), Some(new)) = (Version::parse(written_for), Version::parse(project_at))
        && let Some(distance) = old.behind(&new)
    {
        let (written_for, project_at) = (written_for.clone(), project_at.clone());
        add(Field::VersionContext, Fact::VersionDrift { written_for, project_at, distance });
    }
    if found.is_empty() {
        return;
    }
    let lines = found.iter().filter_map(|evidence| evidence.line);
    let (line, last_line) = (lines.clone().min().unwrap_or(1), lines.max().unwrap_or(1));
    // An existing block for the front matter is reused.
    if let Some(block) = document.found.first_mut().filter(|block| block.digest == 0) {
        block.evidence.extend(found);
        return;
    }
    let block = Block {
        line,
        last_line,
        title: "front matter".to_owned(),
        digest: 0,
        anchored_at: fields.verified,
        anchor: None,
        evidence: found,
    };
    document.found.insert(0, block);
    document.blocks += 1;
}

/// An item in a file whose dates come from the history.
#[derive(Clone, Debug)]
pub(super) struct Undated {
    pub(super) path: String,
    /// Digest of the text. Identifies the text in later checks.
    pub(super) text: u128,
    /// True if the front matter says when the item was written.
    pub(super) says_added: bool,
}

/// Maximum total size of the texts of all items in files, in bytes. They stay in memory until the end.
const MAX_ITEM_BYTES: usize = 32 * 1024 * 1024;

/// Adds the item in a file. `kept` is the result of an earlier check whose dates still apply.
fn take_item(
    check: &mut Check<'_>,
    key: &DocumentKey,
    kind: ItemKind,
    fields: &Fields,
    body: &str,
    (file, read): (&DocFile, &file::Text),
    kept: Option<&Document>,
) -> Result<(), String> {
    check.item_bytes += body.len();
    if check.item_bytes > MAX_ITEM_BYTES {
        check.item_bytes -= body.len();
        return Err("was left out because the project's items are too large together".into());
    }
    let mut item = item(check, key, kind, fields, body, read.written);
    let (text, says_added) = (text_digest(read.text.as_bytes()), fields.added.is_some());
    let is_dated = kept.is_some_and(|kept| check.date_as_kept(&mut item, kept, says_added, text));
    if !is_dated && file.tracked {
        check.undated.push(Undated { path: key.path.clone(), text, says_added });
    }
    check.report.items.push(item);
    Ok(())
}

/// Returns the item in a file, dated by the file's modification time.
fn item(
    check: &Check<'_>,
    key: &DocumentKey,
    kind: ItemKind,
    fields: &Fields,
    body: &str,
    written: Timestamp,
) -> Item {
    let id = fields.id.clone().unwrap_or_else(|| id_of(&key.path));
    let added = fields.added.unwrap_or(written);
    let scope = Scope::Project(key.project.clone());
    let mut item = Item::new(ItemKey { scope, id }, kind, body, added);
    item.path = Some(key.path.clone());
    item.keywords.clone_from(&fields.keywords);
    item.updated_at = written;
    item.version_context.clone_from(&fields.version_context);
    item.evergreen = fields.evergreen;
    item.due = fields.due;
    item.expires_at = fields.expires;
    item.verified_at = fields.verified;
    item.supersedes.clone_from(&fields.supersedes);
    item.related.clone_from(&fields.related);
    item.recalls = fields.recalls;
    item.recalled_at = fields.last_recalled;
    item.done_at = fields.done.then_some(check.options.now.min(written));
    item.citations = fields.cite.iter().filter_map(|(text, _)| citation_of(text)).collect();
    item
}

/// Returns the id for a file that does not set one.
pub(super) fn id_of(path: &str) -> ItemId {
    ItemId::new(path).unwrap_or_else(|_| short_id(path))
}

/// Returns an id for a path that is not a valid id itself.
pub(super) fn short_id(path: &str) -> ItemId {
    let text = format!("document-{:032x}", stable_hash(path.as_bytes()));
    ItemId::new(text).unwrap_or_else(|_| unreachable!("hexadecimal digits are an id"))
}
